"""PPO of RLlib on the macro actions, with two local workers (extra ``rllib``, in a Python environment of its own).

    python -m venv .venv-rllib && .venv-rllib/bin/pip install -e ".[rllib,fast]"
    .venv-rllib/bin/python examples/train_rllib.py --iterations 2

RLlib masks in its own way; here the mask is part of the observation, and a macro that makes no sense says nothing.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium as gym
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env

from supermarket_env.wrappers import FlatObservation, MacroActions

ENV = "supermarket-macros"


def make(config: dict[str, Any]) -> gym.Env:
    """Return one environment (RLlib calls this in its workers)."""
    env = gym.make("supermarket_env:Supermarket-v0", suite="train", texts=False, **config)
    return FlatObservation(MacroActions(env, mask="observation"))


def main() -> None:
    """Train for some iterations and print the mean reward of each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--envs", type=int, default=4, help="environments a worker")
    parser.add_argument("--store", default="neighbourhood")
    parser.add_argument("--batch", type=int, default=2048)
    options = parser.parse_args()
    register_env(ENV, make)
    config = (
        PPOConfig()
        .environment(ENV, env_config={"store": options.store, "mode": "plain"})
        .env_runners(num_env_runners=options.workers, num_envs_per_env_runner=options.envs)
        .training(gamma=1.0, train_batch_size_per_learner=options.batch, minibatch_size=256, num_epochs=4)
    )
    algorithm = config.build_algo()
    for k in range(options.iterations):
        result = algorithm.train()
        runners = result["env_runners"]
        steps = result["num_env_steps_sampled_lifetime"]
        print(f"iteration {k + 1}: {steps:.0f} steps, mean reward {runners['episode_return_mean']:.3f}", flush=True)
    algorithm.stop()


if __name__ == "__main__":
    main()
