"""Seeds of episodes: a function of the run's seed, the task and the trial, never of the assistant."""

from __future__ import annotations

import hashlib
import json

SEED_BITS = 62
"""Episode seeds fit a signed 64-bit integer with room to spare for the draws made from them."""


def episode_seed(run_seed: int, task_id: str, trial: int) -> int:
    """Return the seed of one episode, in ``[0, 2**62)``.

    All assistants of a run meet the same user with the same luck, since the assistant is no part of the key.

    >>> episode_seed(0, "dev-0001", 0) == episode_seed(0, "dev-0001", 0)
    True
    >>> episode_seed(0, "dev-0001", 0) == episode_seed(0, "dev-0001", 1)
    False
    """
    key = json.dumps([run_seed, task_id, trial], separators=(",", ":"), ensure_ascii=True)
    digest = hashlib.sha256(key.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)
