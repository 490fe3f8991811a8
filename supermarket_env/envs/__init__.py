"""Doors to the game: the engine that plays an episode, the Gymnasium environment, and the PettingZoo environments.

``env``, ``raw_env`` (agent-environment cycle) and ``parallel_env`` have both seats open, ``assistant_0``, ``user_0``,
...; they are imported when asked for, PettingZoo with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from supermarket_env.envs.aec import env, raw_env
    from supermarket_env.envs.parallel import parallel_env

__all__ = ["env", "parallel_env", "raw_env"]


def __getattr__(name: str) -> Any:
    if name in ("env", "raw_env"):
        from supermarket_env.envs import aec

        return getattr(aec, name)
    if name == "parallel_env":
        from supermarket_env.envs.parallel import parallel_env

        return parallel_env
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
