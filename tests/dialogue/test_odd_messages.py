"""Whatever stands in a message, reading it gives a sound message or one error that is the same in every process."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from supermarket_env.dialogue.acts import AssistantMessage, Goal, Suggestion
from supermarket_env.errors import MessageError


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "message",
    [
        None, 3, math.nan, b"hello", [1], object(), Rude(), AssistantMessage, (x for x in "ab"), {Rude(): 1}, {3: 4},
        {"items": [Rude()]}, {"items": itertools.repeat("p")}, {"items": {"a", "b"}}, {"products": "abc"},
        {"text": b"\xff"}, {"need": 10**30}, {"items": [None]}, {"value": [1]}, {"goal": {"kind": "moon", "id": "x"}},
        AssistantMessage.model_construct(act="nonsense"),  # type: ignore[arg-type]
        AssistantMessage.model_construct(text=None),  # type: ignore[arg-type]
        AssistantMessage.model_construct(items=None),  # type: ignore[arg-type]
        AssistantMessage.model_construct(need=99),
        AssistantMessage.model_construct(goal=Goal.model_construct(kind="x", id=3)),  # type: ignore[arg-type]
        AssistantMessage.model_construct(suggest=Suggestion.model_construct(type="add", arg="p", qty=10**30)),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_error_without_addresses(message: Any) -> None:
    with pytest.raises(MessageError) as caught:
        AssistantMessage.parse(message)
    assert "at 0x" not in str(caught.value).replace("at 0x>", "")
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("number", [10**5000, -(10**5000), 1e308, 2e12], ids=["huge", "negative", "float", "near"])
def test_a_number_nothing_can_have_is_infinite(number: float) -> None:
    assert AssistantMessage.parse({"act": "inform", "value": number}).value == math.inf


@pytest.mark.parametrize("value", [0, 1, True, 3.5, -2.0, "EUR 3", None, 10**12])
def test_ordinary_values_stay(value: Any) -> None:
    parsed = AssistantMessage.parse({"value": value}).value
    assert parsed == value
    assert type(parsed) is type(value)


def test_half_characters_in_a_goal_become_a_question_mark() -> None:
    assert Goal(kind="product", id="a\ud800").id == "a?"


def test_a_sound_instance_is_returned_as_it_is() -> None:
    message = AssistantMessage(
        act="guide", items=("a",), goal=Goal(kind="product", id="a"), suggest=Suggestion(type="move", arg="N1")
    )
    assert AssistantMessage.parse(message) is message


def test_a_changed_instance_is_checked_again() -> None:
    message = AssistantMessage()
    object.__setattr__(message, "act", "rob")
    with pytest.raises(MessageError, match="act"):
        AssistantMessage.parse(message)


def test_an_error_of_an_earlier_reading_is_raised_again() -> None:
    error = MessageError("assistant message, field act")
    with pytest.raises(MessageError) as caught:
        AssistantMessage.parse(error)
    assert caught.value is error
