"""Every assistant plays whole trips: without faults, on every layout, on both tracks, the same way twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from supermarket_env.agents.registry import OFFLINE, make_agent
from supermarket_env.metrics.aggregate import rows_of

Trip = Callable[..., Any]


@pytest.mark.parametrize("store", ["corner", "neighbourhood", "hyper"])
@pytest.mark.parametrize("name", OFFLINE)
def test_three_trips_end_without_any_fault(name: str, store: str, trip: Trip) -> None:
    assistant = make_agent(name)
    for index in range(3):
        played = trip(assistant, store, index)
        assert played.faults == []
        assert played.line["events"][-1]["k"] == "end"


@pytest.mark.parametrize("name", OFFLINE)
def test_the_text_track_is_played_without_any_fault(name: str, trip: Trip) -> None:
    assert trip(name, "corner", 1, track="text").faults == []


@pytest.mark.parametrize("name", ["random", "popularity", "retrieval", "rule", "oracle"])
def test_an_assistant_carries_nothing_from_one_trip_into_the_next(name: str, trip: Trip) -> None:
    used = make_agent(name)
    trip(used, index=3, seed=5)
    again = json.dumps(trip(used, index=0).line, sort_keys=True, default=str)
    assert again == json.dumps(trip(name, index=0).line, sort_keys=True, default=str)


@pytest.mark.parametrize("name", ["retrieval", "rule", "oracle"])
def test_whoever_talks_says_every_message_in_words(name: str, trip: Trip) -> None:
    for message in trip(name, index=2).messages:
        silent = message.act == "chat" and message.suggest is None and message.goal is None
        assert bool(message.text) is not silent


def test_the_oracle_reaches_the_best_cart(trip: Trip) -> None:
    rows = rows_of([trip("oracle", index=index, seed=index).line for index in range(12)])
    reached = [row.truth.need_satisfaction or 0.0 for row in rows]
    assert sum(reached) / len(reached) >= 0.97
    assert min(reached) >= 0.8


def test_the_ladder_climbs_on_a_dozen_tasks(trip: Trip) -> None:
    """A coarse guard; the sharp comparison is benchmarks/headroom.py on 200 tasks."""
    reached = {}
    for name in ("silent", "rule", "oracle"):
        rows = rows_of([trip(name, index=index, seed=index).line for index in range(12)])
        reached[name] = sum(row.truth.need_satisfaction or 0.0 for row in rows) / len(rows)
    assert reached["silent"] + 0.15 < reached["rule"] < reached["oracle"]


def test_the_silent_assistant_is_silent(trip: Trip) -> None:
    played = trip("silent")
    assert all(m.text == "" and not m.items and m.suggest is None and m.goal is None for m in played.messages)


def test_the_spammer_repeats_one_list_of_ten(trip: Trip) -> None:
    played = trip("spam")
    assert {m.items for m in played.messages} == {played.messages[0].items}
    assert len(set(played.messages[0].items)) == 10


def test_the_pusher_offers_to_pay_every_turn(trip: Trip) -> None:
    played = trip("checkout_pusher")
    assert {m.act for m in played.messages} == {"offer_checkout"}
    assert all(m.suggest is not None and m.suggest.type in ("move", "checkout") for m in played.messages)


def test_popularity_shows_a_type_once_and_again_only_after_a_rejection(trip: Trip, world: Any) -> None:
    popularity = world.catalogue.popularity
    for index in range(6):
        played = trip("popularity", index=index)
        seen: set[str] = set()
        for turn, message in enumerate(played.messages):
            if not message.items:
                assert message.text == ""
                continue
            numbers = [world.catalogue.number(item) for item in message.items]
            assert [popularity[n] for n in numbers] == sorted((popularity[n] for n in numbers), reverse=True)
            kind = world.catalogue.product(message.items[0]).product_type
            before = played.exchanges[turn - 1].response if turn else None
            assert kind not in seen or (before is not None and before.act == "reject")
            seen.add(kind)


def test_random_messages_depend_on_the_seed_and_the_turn_alone(view: Any) -> None:
    assistant = make_agent("random")
    assistant.start(view)
    first = [assistant.reply(view)]
    for turn in range(2, 30):
        view.turn = turn
        first.append(assistant.reply(view))
    view.turn = 1
    assert assistant.reply(view) == first[0]
    assert len({m.act for m in first}) >= 6
    view.agent_seed += 1
    assert assistant.reply(view) != first[0]
