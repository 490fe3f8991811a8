"""History holds the last turns, the latest first; a flat row has one length in every store."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from supermarket_env.agents.macros import MACROS
from supermarket_env.envs.spaces import split_observation
from supermarket_env.errors import ConfigError
from supermarket_env.rules import codes
from supermarket_env.wrappers import FlatObservation, History, MacroActions
from supermarket_env.wrappers.history import TURN_FEATURES

NUMBER = {name: k for k, name in enumerate(MACROS)}


def make(suite: str = "train", **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("supermarket_env:Supermarket-v0", store="corner", mode="plain", suite=suite, **kwargs)


def test_the_latest_turn_comes_first_and_old_ones_go() -> None:
    env = MacroActions(History(make(), turns=3))
    observation, _ = env.reset(seed=1)
    assert not observation["history"].any()
    rows: list[Any] = []
    for k in range(5):
        observation, _, done, _, _ = env.step(NUMBER["ask_for_more"] if k == 0 else 0)
        assert not done
        rows.insert(0, observation["history"][0])
        assert (observation["history"] == np.stack((rows + [np.zeros(TURN_FEATURES)] * 3)[:3])).all()
    asked = rows[-1]
    assert asked[0] == 1.0
    assert asked[1 + codes.A_ASK] == 1.0
    assert rows[0][1 + codes.A_ASK] == 0.0
    observation, _ = env.reset(seed=1)
    assert not observation["history"].any()


def test_history_says_what_the_user_answered_and_did() -> None:
    env: Any = History(MacroActions(make()))
    env.reset(seed=1)
    observation, *_ = env.step(0)
    row = observation["history"][0]
    at = TURN_FEATURES - len(codes.ACTIONS)
    action = env.unwrapped.game.view.last_action[0]
    assert row[at + codes.ACTIONS.index(action)] == 1.0
    assert (row[at - len(observation["dialogue"]) : at] == observation["dialogue"]).all()


def test_history_over_a_flat_row_reads_the_same_dialogue() -> None:
    inside = MacroActions(History(make()))
    outside = History(MacroActions(FlatObservation(make())))
    inside.reset(seed=3)
    outside.reset(seed=3)
    for _ in range(4):
        ours, theirs = inside.step(0)[0], outside.step(0)[0]
        assert (theirs[-4 * TURN_FEATURES :].reshape(4, TURN_FEATURES) == ours["history"]).all()


def test_a_flat_row_has_one_length_in_every_store() -> None:
    shapes = set()
    for store in ("corner", "neighbourhood"):
        env = gym.make("supermarket_env:Supermarket-v0", store=store, mode="plain")
        shapes.add(FlatObservation(MacroActions(env)).observation_space.shape)
    assert len(shapes) == 1


def test_a_flat_row_begins_with_the_relational_row() -> None:
    env = FlatObservation(make())
    bare = make()
    row, _ = env.reset(seed=4)
    parts, _ = bare.reset(seed=4)
    for name, values in split_observation(row).items():
        assert (values == parts[name]).all()
    assert env.parts == ("needs", "candidates", "moves", "dialogue", "trip")


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"turns must be in 1\.\.100"):
        History(make(), turns=0)
