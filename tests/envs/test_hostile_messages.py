"""Junk from an assistant is a counted fault and never a crash; too much of it in a row ends the episode."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.dialogue.acts import MAX_TEXT, AssistantMessage
from supermarket_env.envs.game import Game
from supermarket_env.events.log import encode_episode, validate_episode
from supermarket_env.tasks.suites import load_suite
from supermarket_env.world import load_world

TASK = load_suite("dev").tasks[4]
WORLD = load_world("embedded", "neighbourhood")
IDS = WORLD.catalogue.ids


def started(**options: Any) -> Game:
    game = Game(WORLD, mode="plain", **options)
    game.reset(TASK, seed=2)
    return game


def faults(game: Game) -> list[str]:
    return [event["kind"] for event in game.events if event["k"] == "fault"]


JUNK: dict[str, tuple[Any, str]] = {
    "an unknown product": ({"act": "recommend", "items": ["no-such-product"]}, "unknown_product"),
    "an unknown product slot": ({"act": "confirm", "products": ["?"]}, "unknown_product"),
    "eleven items": ({"act": "recommend", "items": list(IDS[:11])}, "too_many_items"),
    "five product slots": ({"act": "compare", "products": list(IDS[:5])}, "too_many_products"),
    "not a number": (
        {"act": "inform", "attribute": "price", "products": [IDS[0]], "value": math.nan},
        "bad_value",
    ),
    "infinity": ({"act": "inform", "attribute": "price", "products": [IDS[0]], "value": math.inf}, "bad_value"),
    "a size that is none": ({"act": "inform", "attribute": "size", "products": [IDS[0]], "value": "vast"}, "bad_value"),
    "a megabyte of text": ({"text": "x" * 1_000_000}, "bad_text"),
    "control characters": ({"text": "good\x00 day\x1b[2J"}, "bad_text"),
    "surrogates": ({"text": "\ud800"}, "bad_text"),
    "an unknown attribute": ({"act": "ask", "attribute": "colour"}, "unknown_attribute"),
    "an unknown goal": ({"act": "guide", "goal": {"kind": "section", "id": "S999"}}, "unknown_goal"),
    "a suggestion of nothing": ({"suggest": {"type": "move", "arg": "N999"}}, "unknown_suggestion"),
    "an unknown act": ({"act": "sing"}, "invalid_message"),
    "an unknown field": ({"mood": "fine"}, "invalid_message"),
    "a goal of no kind": ({"goal": {"kind": "moon", "id": "x"}}, "invalid_message"),
    "need number 99": ({"act": "ask", "need": 99}, "invalid_message"),
    "need number nan": ({"act": "ask", "need": math.nan}, "invalid_message"),
    "a quantity of -1": ({"suggest": {"type": "add", "arg": IDS[0], "qty": -1}}, "invalid_message"),
    "items of the wrong type": ({"items": "abc"}, "invalid_message"),
    "items that are numbers": ({"items": [1, 2]}, "invalid_message"),
    "nothing": (None, "invalid_message"),
    "a number": (7, "invalid_message"),
    "bytes": (b"hello", "invalid_message"),
    "a list": ([{"act": "chat"}], "invalid_message"),
    "a nested mapping": ({"act": {"act": {"act": "chat"}}}, "invalid_message"),
    "an object": (object(), "invalid_message"),
    "a class": (AssistantMessage, "invalid_message"),
}


@pytest.mark.parametrize("name", JUNK)
def test_junk_is_one_fault_and_the_game_goes_on(name: str) -> None:
    message, kind = JUNK[name]
    game = started()
    game.step(message)
    assert faults(game) == [kind]
    assert not game.done
    fault = next(event for event in game.events if event["k"] == "fault")
    assert fault["who"] == "assistant"
    assert 0 < len(fault["detail"]) <= 500
    shown = next(event for event in game.events if event["k"] == "assistant")
    assert len(shown["text"]) <= MAX_TEXT
    game.step({})
    assert game.line() == encode_episode(game.episode()), "the log takes it"
    game.line().decode("utf-8")


@pytest.mark.parametrize("name", JUNK)
def test_three_in_a_row_end_the_episode(name: str) -> None:
    message, kind = JUNK[name]
    game = started()
    for _ in range(3):
        game.step(message)
    assert game.done
    assert game.reason == "assistant_error"
    assert faults(game) == [kind] * 3
    assert game.events[-1]["k"] == "end"
    assert game.events[-1]["reason"] == "assistant_error"
    assert len([event for event in game.events if event["k"] == "user"]) == 3, "nobody answers the last one"
    validate_episode(game.episode())


def test_a_sound_message_wipes_the_slate() -> None:
    game = started()
    for message in ({"act": "sing"}, {"act": "sing"}, {}, {"act": "sing"}, {"act": "sing"}):
        game.step(message)
    assert not game.done
    assert len(faults(game)) == 4


def test_the_number_of_strikes_is_the_callers() -> None:
    game = started(strikes=1)
    game.step(None)
    assert game.reason == "assistant_error"


def test_the_usable_part_of_a_message_is_kept() -> None:
    game = started()
    game.step({"act": "recommend", "items": [IDS[3], "nonsense", *IDS[4:14]]})
    shown = next(event for event in game.events if event["k"] == "recommend")
    assert shown["items"] == [IDS[3], *IDS[4:12]], "the first ten slots, without the unknown one"
    assert faults(game) == ["too_many_items"] or faults(game) == ["unknown_product"]


def test_a_plain_string_is_read_by_the_parser() -> None:
    game = started()
    game.step("What kind of milk would you like?")
    assert faults(game) == []
    assert next(event for event in game.events if event["k"] == "assistant")["text"]
    game.step("\x00" * 50)
    assert not game.done


def test_an_assistant_that_failed_is_a_fault_like_any_other() -> None:
    game = started()
    game.fail("exception", "ValueError: no")
    game.fail("timeout", "no message within 1 s")
    assert faults(game) == ["exception", "timeout"]
    assert not game.done
    game.fail("exception", "again")
    assert game.reason == "assistant_error"


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=5)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "act": st.sampled_from(["chat", "ask", "recommend", "inform", "guide", "confirm"]) | SCALARS,
        "text": st.text(max_size=40) | SCALARS,
        "need": st.integers(-2, 12) | SCALARS,
        "attribute": st.sampled_from(["brand", "price", "stock", "place", "anything", "organic", "size"]) | SCALARS,
        "value": SCALARS,
        "products": st.lists(st.sampled_from(IDS[:50]) | st.text(max_size=6), max_size=5) | TREES,
        "items": st.lists(st.sampled_from(IDS[:50]) | st.text(max_size=6), max_size=12) | TREES,
        "emotion": st.text(max_size=8),
        "suggest": st.fixed_dictionaries(
            {"type": st.sampled_from(["move", "look", "add", "remove", "checkout", "leave", "inspect"])},
            optional={
                "arg": st.sampled_from([*IDS[:5], *WORLD.store.node_ids[:5]]) | st.text(max_size=5),
                "qty": st.integers(-1, 12),
            },
        )
        | TREES,
        "goal": st.fixed_dictionaries(
            {"kind": st.sampled_from(["section", "product", "category", "landmark"]), "id": st.text(max_size=8)}
        )
        | TREES,
    },
)


@settings(deadline=None, max_examples=150)
@given(st.lists(FIELDS | TREES, min_size=1, max_size=12))
def test_no_message_crashes_the_game_or_breaks_the_log(messages: list[Any]) -> None:
    game = started()
    for message in messages:
        if game.done:
            break
        turn = game.turn
        game.step(message)
        assert game.turn == turn + 1
    if not game.done:
        game.infra_error("enough")
    assert game.line() == encode_episode(game.episode())
    validate_episode(game.episode())
