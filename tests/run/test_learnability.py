"""The policy search of the benchmark: what it may see, where it starts, and that it climbs."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.envs.game import Game
from supermarket_env.envs.spaces import split_observation
from supermarket_env.rules.observe import OBSERVATION_SIZE
from supermarket_env.tasks.suites import load_suite
from supermarket_env.world import load_world

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def programs() -> tuple[ModuleType, ModuleType]:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("linear_policy"), importlib.import_module("learnability")
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(load_world("embedded", "neighbourhood"), texts=False, mode="plain")


def test_no_weights_are_the_silent_assistant(programs: Any, game: Game) -> None:
    policy, learn = programs
    for task in load_suite("dev").tasks[:3]:
        assert learn.play_policy(game, policy.LinearPolicy(np.zeros(policy.N_WEIGHTS)), task) == learn.play(
            game, learn.make_agent("silent"), task
        )
        assert not any(e["k"] in ("recommend", "suggest", "goal") for e in game.events)


def test_blinding_hides_what_it_says_and_nothing_else(programs: Any) -> None:
    policy, _ = programs

    def parts(blind: str) -> dict[str, Any]:
        return policy.blinded(split_observation(np.ones(OBSERVATION_SIZE, dtype=np.float32)), blind)  # type: ignore[no-any-return]

    everything = parts("none")
    assert all(part.all() for part in everything.values())
    deaf = parts("dialogue")
    assert not deaf["needs"].any()
    assert not deaf["candidates"].any()
    assert not deaf["dialogue"].any()
    assert deaf["trip"][:6].all()
    assert deaf["moves"][:, 3].all()  # the way to the checkout was not said by anybody
    lost = parts("position")
    assert lost["needs"][:, :16].all()
    assert not lost["needs"][:, 16:].any()
    assert not lost["moves"][:, 1:].any()
    assert not lost["trip"][4:6].any()
    assert lost["dialogue"].all()


def test_a_policy_without_position_names_no_place(programs: Any, game: Game) -> None:
    policy, learn = programs
    weights = np.ones(policy.N_WEIGHTS)
    for blind, places in (("none", True), ("position", False)):
        learn.play_policy(game, policy.LinearPolicy(weights, blind), load_suite("dev").tasks[0])
        assert any(e["k"] in ("goal", "suggest") for e in game.events) is places


@pytest.mark.parametrize("place", [-50.0, 0.0, 50.0])
def test_every_point_is_a_valid_rule_configuration(programs: Any, place: float) -> None:
    _, learn = programs
    config = RuleConfig.parse(learn.thresholds(np.full(learn.N_THRESHOLDS, place)))
    assert config.ask is (place > 0.0)
