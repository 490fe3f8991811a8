"""A supermarket simulation in which shopping assistants help simulated users.

``gymnasium.make("supermarket_env:Supermarket-v0")`` gives the assistant's seat; the command ``supermarket`` runs
benchmarks and computes metrics from episode logs.
"""

from __future__ import annotations

from gymnasium.envs.registration import register, registry

__version__ = "0.1.0"

if "Supermarket-v0" not in registry:
    register(
        id="Supermarket-v0",
        entry_point="supermarket_env.envs.single:SupermarketEnv",
        vector_entry_point="supermarket_env.envs.vector:SupermarketVectorEnv",
        disable_env_checker=False,
    )
