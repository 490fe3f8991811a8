"""Numbers no float can hold are read as absent, not as a crash."""

from __future__ import annotations

from typing import Any

import pytest

from supermarket_env.errors import LogError
from supermarket_env.events.log import encode_episode, validate_episode
from supermarket_env.metrics import compute
from supermarket_env.metrics.trace import finite

HUGE = 10**400
NEED = {"id": "0", "qty": 1, "weight": 1.0, "outside": 0.1, "attributes": ["type"]}
TRUTH = {
    "needs": [NEED], "acceptable": {"0": ["p"]}, "utility": {"0": {"p": 0.8}}, "budget": 9.0, "U_star": 0.7,
    "tour_m": 5.0, "optimal_turns": 3,
}  # fmt: skip


def episode(truth: dict[str, Any]) -> dict[str, Any]:
    events = [
        {"k": "cart", "turn": 1, "op": "add", "sku": "p", "price": 2.0},
        {"k": "end", "reason": "checkout", "turn": 2, "walked_m": 6.0, "tour_m": 5.0},
    ]
    return {"schema": "supermarket.episode/1", "episode_id": "e", "agent": "a", "events": events, "truth": truth}


@pytest.mark.parametrize("key", ["budget", "U_star", "tour_m", "optimal_turns"])
def test_a_truth_with_a_huge_number_is_read(key: str) -> None:
    figures = compute([validate_episode(episode(TRUTH | {key: HUGE}))])
    assert figures["n"] == 1


@pytest.mark.parametrize("key", ["qty", "weight", "outside"])
def test_a_need_with_a_huge_number_is_read(key: str) -> None:
    figures = compute([validate_episode(episode(TRUTH | {"needs": [NEED | {key: HUGE}]}))])
    assert figures["SR"] == 100.0


def test_finite_takes_what_a_float_can_hold() -> None:
    assert finite(10**299) == 10**299
    assert finite(HUGE) is None
    assert finite(float("inf")) is None


def test_half_a_character_cannot_stand_in_a_log() -> None:
    with pytest.raises(LogError, match="half a character"):
        encode_episode(episode({}) | {"note": "\ud800"})
