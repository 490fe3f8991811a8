"""Segments: the right tasks, the same every time; their users' traits stay in their ranges."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from supermarket_env.errors import TaskError
from supermarket_env.run.compose import compose_run, read_arguments
from supermarket_env.tasks.prepare import prepare
from supermarket_env.tasks.segments import SEGMENTS, segment_suite, segment_task
from supermarket_env.tasks.suites import world_of
from supermarket_env.user_sim.config import UserConfig


@pytest.mark.parametrize("name", sorted(SEGMENTS))
def test_a_segment_is_what_it_says(name: str) -> None:
    segment = SEGMENTS[name]
    for k in range(3):
        task = segment_task(name, k)
        assert task == segment_task(name, k)
        assert not segment.trips or task.trip in segment.trips
        assert bool(task.household_allergens) or not segment.allergic
        user = UserConfig.model_validate(compose_run(read_arguments([f"user={name}"])).user)
        prepared = prepare(world_of(task.catalogue, task.store), task, user)
        for trait, (low, high) in user.ranges.items():
            assert low <= prepared.truth()["persona"][trait] <= high
        if segment.budget is not None:
            cost = prepare(world_of(task.catalogue, task.store), task, UserConfig()).best_cart.cost_cents
            assert segment.budget[0] * cost <= task.budget_cents <= segment.budget[1] * cost + 1


def test_unknown_segments_are_named() -> None:
    with pytest.raises(TaskError, match="Did you mean 'segment_budget'"):
        segment_suite("segment_budgt")
    with pytest.raises(TaskError, match="unknown segment 'x'"):
        segment_task("x", 0)
    with pytest.raises(TaskError, match="0 or more"):
        segment_task("budget", -1)


def test_a_range_keeps_the_place_of_what_was_drawn() -> None:
    user = UserConfig(ranges={"familiarity": (0.0, 0.7)}, impulse_by_trip={"browse": 2.0})
    assert user.trait("familiarity", 0.1) == 0.0
    assert user.trait("familiarity", 0.45) == 0.35
    assert user.trait("familiarity", 5.0) == 0.7
    assert user.trait("trust", 0.5) == 0.5
    assert (user.trait("impulse", 0.4, "browse"), user.trait("impulse", 0.4, "quick")) == (0.8, 0.4)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"ranges": {"familiarty": (0.0, 1.0)}}, "Did you mean 'familiarity'"),
        ({"ranges": {"familiarity": (0.5, 0.2)}}, "must be"),
        ({"ranges": {"familiarity": (0.0, 1.2)}}, "must be"),
        ({"ranges": {"trust": (0.0, 1.0)}, "traits": {"trust": 0.5}}, "both"),
        ({"impulse_by_trip": {"brows": 2.0}}, "Did you mean 'browse'"),
        ({"impulse_by_trip": {"browse": True}}, "impulse_by_trip.browse: expected a number, got true"),
        ({"mechanisms": {"sold_out": True}}, "mechanisms.sold_out: expected a number, got true"),
    ],
)
def test_impossible_ranges_are_refused(keys: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        UserConfig.model_validate(keys)


def test_a_factor_by_trip_leaves_ranges_and_fixed_traits_alone() -> None:
    bounded = UserConfig(ranges={"impulse": (0.3, 0.6)}, impulse_by_trip={"browse": 3.0, "quick": 0.1})
    assert (bounded.trait("impulse", 0.5, "browse"), bounded.trait("impulse", 0.5, "quick")) == (0.6, 0.3)
    assert UserConfig(traits={"impulse": 0.5}).trait("impulse", 0.9, "stock_up") == 0.5


def test_every_key_is_part_of_the_hash() -> None:
    keys: list[dict[str, object]] = [
        {"ranges": {"trust": (0.0, 0.1)}},
        {"impulse_by_trip": {}},
        {"mechanisms": {"seek_brand": 0}},
        {"wording": "held_back"},
        {"draw_keys": "turn"},
    ]
    found = {UserConfig.model_validate(key).content_hash() for key in keys} | {UserConfig().content_hash()}
    assert len(found) == len(keys) + 1
