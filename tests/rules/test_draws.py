"""Randomness: counter-based, keyed by what happens, uniform and independent enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from supermarket_env.rules import draws
from supermarket_env.rules.draws import bucket, lane, mix, nth, occurs, taste, uniform
from supermarket_env.rules.rows import State
from supermarket_env.tasks.state import seed_lanes

PURPOSES = sorted(value for name, value in vars(draws).items() if name.startswith("P_"))


def state(seed: int, *, turn_keyed: int = 0, turn: int = 0) -> Any:
    s: Any = State()
    s.seed_lo, s.seed_hi = seed_lanes(seed)
    s.turn_keyed, s.turn = turn_keyed, turn
    return s


def test_purpose_codes_are_distinct() -> None:
    assert len(set(PURPOSES)) == len(PURPOSES)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**62 - 1), st.sampled_from(PURPOSES), st.integers(0, 2**40), st.integers(0, 10_000))
def test_a_draw_is_a_function_of_its_key_in_the_unit_interval(seed: int, purpose: int, obj: int, n: int) -> None:
    x = uniform(state(seed), purpose, obj, n)
    assert 0.0 <= x < 1.0
    assert x == uniform(state(seed), purpose, obj, n)


def test_the_bits_never_change() -> None:
    """The values are part of the contract: another number here means that every logged episode changes."""
    assert [mix(0), mix(1), mix(0xFFFFFFFF)] == [0, 2261973619, 2578835075]
    assert lane(1, 2, 3, 4) == 2520926574
    assert uniform(state(42), draws.P_FOLLOW, 7, 0) == 0.22665266122308225


@pytest.mark.parametrize("axis", ["seed", "object", "occurrence", "purpose"])
def test_draws_are_uniform_and_uncorrelated_along_each_axis(axis: str) -> None:
    n = 20_000
    if axis == "seed":
        x = [uniform(state(k), 1, 5, 0) for k in range(n)]
    elif axis == "object":
        x = [uniform(state(9), 1, k, 0) for k in range(n)]
    elif axis == "occurrence":
        x = [uniform(state(9), 1, 5, k) for k in range(n)]
    else:
        x = [uniform(state(k // 25), 1 + k % 25, 5, 0) for k in range(n)]
    values = np.array(x)
    assert stats.kstest(values, "uniform").pvalue > 1e-4
    for lag in (1, 2, 25):
        assert abs(np.corrcoef(values[:-lag], values[lag:])[0, 1]) < 0.03


def test_the_turn_is_part_of_the_key_only_when_asked_for() -> None:
    assert uniform(state(3, turn=1), 1, 5, 0) == uniform(state(3, turn=9), 1, 5, 0)
    one, two = state(3, turn_keyed=1, turn=1), state(3, turn_keyed=1, turn=9)
    assert uniform(one, 1, 5, 0) != uniform(two, 1, 5, 0)
    assert uniform(one, 1, 5, 0) == uniform(one, 1, 5, 8)


def test_events_are_counted_per_purpose_and_object() -> None:
    s = state(1)
    assert [occurs(s, 1, 5) for _ in range(3)] == [0, 1, 2]
    other = next(obj for obj in range(6, 100) if bucket(1, obj) != bucket(1, 5))
    assert nth(s, 1, other) == 0
    assert nth(s, 1, 5) == 3


def test_taste_is_about_standard_normal_and_bounded() -> None:
    values = np.array([taste(12345, p) for p in range(20_000)])
    assert abs(values.mean()) < 0.03
    assert abs(values.std() - 1.0) < 0.03
    assert np.abs(values).max() <= 2.0 * 3**0.5
    assert taste(1, 2) != taste(2, 2)


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**62 - 1])
def test_seeds_give_two_lanes_of_32_bits(seed: int) -> None:
    low, high = seed_lanes(seed)
    assert 0 <= low < 2**32
    assert 0 <= high < 2**32
    assert (low, high) != seed_lanes(seed ^ 1)
