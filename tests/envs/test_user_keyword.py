"""The keyword ``user`` of every environment is refused with the key, what is valid and the nearest name."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from supermarket_env.envs.population import population_of
from supermarket_env.envs.shared_store import SharedStore
from supermarket_env.envs.vector import SupermarketVectorEnv
from supermarket_env.errors import ConfigError

WRONG = {"mechanismz": {"finds_alone": 1.0}}
MESSAGE = r"unknown key 'mechanismz'; valid: name, mechanisms, .* Did you mean 'mechanisms'\?"


def test_every_door_names_the_key() -> None:
    with pytest.raises(ConfigError, match=MESSAGE):
        gym.make("supermarket_env:Supermarket-v0", user=WRONG)
    with pytest.raises(ConfigError, match=MESSAGE):
        SupermarketVectorEnv(1, user=WRONG)
    with pytest.raises(ConfigError, match=MESSAGE):
        SharedStore(user=WRONG)


@pytest.mark.parametrize(
    ("user", "message"),
    [
        ({"mechanisms": {"find_alone": 1.0}}, "Did you mean 'mechanisms.finds_alone'"),
        (
            {"mechanisms": {"stock_out": {"dropp": 1.0}}},
            "valid: mechanisms.stock_out.other_store, .*mechanisms.stock_out.drop'",
        ),
        ({"mechanisms": {"finds_alone": "x"}}, "mechanisms.finds_alone: got 'x', .*valid number"),
        ({"nam": "a", "traits": 3}, "unknown key 'nam'.*traits: got 3|traits: got 3.*unknown key 'nam'"),
    ],
)
def test_nested_keys_and_values(user: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        population_of(user, track="semantic", suite="dev")


def test_phrasings_follow_track_and_suite_unless_given() -> None:
    assert population_of(None, track="text", suite="test").wording == "held_back"
    assert population_of({"wording": "standard"}, track="text", suite="test").wording == "standard"
