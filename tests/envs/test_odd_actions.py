"""Actions that are no elements of the action space are refused before anything happens."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from supermarket_env.envs.game import Game
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.errors import ConfigError, MessageError, TaskError
from supermarket_env.world import load_world


@pytest.fixture(scope="module")
def env() -> SupermarketEnv:
    return SupermarketEnv(mode="plain")


@pytest.mark.parametrize(
    "change",
    [
        None,
        {"act": None},
        {"act": 10**9},
        {"act": -1},
        {"need": 99},
        {"attribute": -3},
        {"items": [1, 2]},
        {"items": np.array([10**12] * 10)},
        {"goal_kind": 77},
        {"suggest_type": 77},
        {"text": None},
        {"text": 3},
    ],
)
def test_an_action_outside_the_space_is_refused_and_changes_nothing(env: SupermarketEnv, change: Any) -> None:
    env.reset(seed=3)
    env.action_space.seed(3)
    before = list(env.game.events)
    action: Any = None if change is None else {**env.action_space.sample(), "suggest_type": 0, "goal_kind": 0, **change}
    if change and "items" in change and isinstance(change["items"], np.ndarray):
        action["act"] = 0
    with pytest.raises(MessageError, match="action"):
        env.step(action)
    assert env.game.events == before
    assert env.game.turn == 0
    sample = env.action_space.sample()
    silent = {key: np.zeros_like(value) if isinstance(value, np.ndarray) else 0 for key, value in sample.items()}
    env.step({**silent, "text": ""})
    assert env.game.turn == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"options": {"seed": -1}},
        {"options": {"seed": 1.7}},
        {"options": {"task": "nope"}},
        {"options": {"tasks": 1}},
        {"options": [1]},
        {"seed": -1},
        {"seed": 1.5},
    ],
)
def test_a_refused_reset_changes_nothing(wrong: Any) -> None:
    env, twin = (SupermarketEnv(mode="plain", store="corner") for _ in range(2))
    for one in (env, twin):
        one.reset(seed=3)
    with pytest.raises((ConfigError, TaskError, gym.error.Error)):
        env.reset(**{"seed": 5, **wrong})
    for one in (env, twin):
        one.reset()
    assert (env.game.task.id, env.game.seed, env.game.labels) == (twin.game.task.id, twin.game.seed, twin.game.labels)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_turns": "x"},
        {"max_turns": 1.5},
        {"suite": "train", "train_tasks": "x"},
        {"hooks": [object()]},
        {"hooks": 3},
        {"texts": "x"},
        {"user": "x"},
        {"suite": 3},
        {"catalogue": None},
        {"store": 3},
    ],
)
def test_arguments_of_a_wrong_type_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=list(wrong)[-1]):
        SupermarketEnv(**{"store": "corner", "mode": "plain", **wrong})


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown mode 'fast'; valid: auto, compiled, plain"):
        Game(load_world("embedded", "corner"), mode="fast")
