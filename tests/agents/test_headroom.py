"""The ladder: better assistants serve better, and nobody is rewarded for noise (200 dev tasks, paired, Holm)."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.envs.game import Game
from supermarket_env.tasks.suites import load_suite
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import load_world

TASKS = 200


@pytest.fixture(scope="module")
def headroom() -> Any:
    folder = str(Path(__file__).resolve().parents[2] / "benchmarks")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("headroom")
    finally:
        sys.path.remove(folder)


def played(headroom: Any, names: tuple[str, ...], **traits: float) -> dict[str, Any]:
    tasks = load_suite("dev").tasks[:TASKS]
    world = load_world(tasks[0].catalogue, tasks[0].store)
    games = {tasks[0].store: Game(world, user=UserConfig(traits=traits), texts=False, mode="plain")}
    return {name: headroom.play(name, tasks, games, 0) for name in names}


def test_the_ladder_and_its_distances_hold(headroom: Any) -> None:
    results = played(headroom, headroom.DEFAULT)
    verdicts = headroom.conditions(results, headroom.compare(results))
    assert len(verdicts) >= 16
    assert [text for text, holds in verdicts if not holds] == []


def test_the_oracle_is_at_the_ceiling_when_users_comply(headroom: Any) -> None:
    results = played(headroom, ("oracle",), compliance=1.0)
    assert headroom.mean(results["oracle"].ns) >= 0.97
