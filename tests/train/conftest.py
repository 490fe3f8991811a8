"""What the tests of learning share: a small store and short lists of training tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.macros import MACROS, MacroPlayer
from supermarket_env.agents.policy_network import LAYERS, PolicyNetwork
from supermarket_env.envs.game import Game
from supermarket_env.tasks.suites import train_task, world_of
from supermarket_env.tasks.task import Task
from supermarket_env.train.layout import index_arrays

STORE = "corner"
WIDTH = 4


@pytest.fixture(scope="session")
def tasks() -> list[Task]:
    return [train_task(k, store=STORE) for k in range(12)]


@pytest.fixture(scope="session")
def game() -> Game:
    return Game(world_of("embedded", STORE), texts=False, mode="plain")


@pytest.fixture
def player() -> MacroPlayer:
    return MacroPlayer()


def drawn_policy(blind: str = "none", seed: int = 0, thresholds: dict[str, Any] | None = None) -> PolicyNetwork:
    """Return a policy with drawn weights."""
    rng = np.random.Generator(np.random.Philox(seed))
    arrays: dict[str, Any] = dict(index_arrays(blind))
    n_need, n_trip = arrays["need_at"].shape[1], len(arrays["trip_at"])
    shapes = {
        "need": (WIDTH, n_need),
        "need_trip": (WIDTH, n_trip),
        "deeper": (WIDTH, WIDTH),
        "summary": (WIDTH, n_trip + 2 * WIDTH),
        "need_head": (5, WIDTH),
        "need_head_summary": (5, WIDTH),
        "trip_head": (len(arrays["trip_macros"]), WIDTH),
    }
    for name in LAYERS:
        arrays[f"{name}.w"] = rng.standard_normal(shapes[name]).astype(np.float32)
        arrays[f"{name}.b"] = rng.standard_normal(shapes[name][0]).astype(np.float32)
    return PolicyNetwork(arrays, {"macros": list(MACROS), "thresholds": thresholds or {}, "blind": blind})


@pytest.fixture
def network() -> Callable[..., PolicyNetwork]:
    return drawn_policy
