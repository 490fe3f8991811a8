"""One pass over the events of an episode: what the per-episode figures are made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from supermarket_env.events.episode import Episode, Event

_LARGEST = int(1e300)
"""Largest whole number that is taken for a figure; a longer one would not fit a float."""


class ShownList(NamedTuple):
    """The ranked list of one turn, all its ``recommend`` events joined."""

    turn: int
    items: list[str]
    cart_before: dict[str, int]
    """Quantities held after all events of earlier turns."""


@dataclass(slots=True)
class Trace:
    """What happened in one episode, indexed for the metrics."""

    turns: set[int] = field(default_factory=set)
    lists: list[ShownList] = field(default_factory=list)
    suggestions: dict[int, Event] = field(default_factory=dict)
    """First ``suggest`` event of each turn."""
    answers: dict[int, Event] = field(default_factory=dict)
    """First ``user`` event with an action, by turn."""
    user_actions: list[tuple[int, str]] = field(default_factory=list)
    """(turn, action type) of every user action."""
    goals: list[Event] = field(default_factory=list)
    views: dict[int, list[str]] = field(default_factory=dict)
    """Ids in view by observation step."""
    cart: dict[str, int] = field(default_factory=dict)
    """Final quantities, all above 0."""
    first_add: int | None = None
    last_add: dict[str, int] = field(default_factory=dict)
    prices: dict[str, float | None] = field(default_factory=dict)
    """Price of the last ``add`` of each product."""
    ratings: list[tuple[str, str, int | None]] = field(default_factory=list)
    """(judge, dimension, score); the score is None when it is no rating."""
    faults: list[tuple[str, str]] = field(default_factory=list)
    usage: list[Event] = field(default_factory=list)
    claims: list[dict[str, Any]] = field(default_factory=list)
    reveals: dict[str, int] = field(default_factory=dict)
    """First turn each need attribute was made known, as ``need.attribute``."""
    questions: list[tuple[int, str]] = field(default_factory=list)
    """(turn, ``need.attribute``) of the assistant's questions."""
    asked_turns: list[int] = field(default_factory=list)
    """Turn of every question, those for further needs included."""
    answered_turns: set[int] = field(default_factory=set)
    """Turns in which the user's act was an answer."""


def finite(value: Any) -> float | None:
    """Return a finite number as it is, anything else (whole numbers too large for a float as well) as None."""
    kind = type(value)
    if (kind is int and -_LARGEST <= value <= _LARGEST) or (kind is float and math.isfinite(value)):
        number: float = value
        return number
    return None


def action_of(event: Event, key: str = "action") -> tuple[str, dict[str, Any]] | None:
    """Return (type, params) of an event's action, None when it has none."""
    action = event.get(key)
    if type(action) is not dict or type(action.get("type")) is not str:
        return None
    params = action.get("params")
    return action["type"], params if type(params) is dict else {}


def _assistant(trace: Trace, event: Event) -> None:
    turn = event["turn"]
    if turn >= 1:
        trace.turns.add(turn)
    claims = event.get("claims")
    if type(claims) is list and claims:
        trace.claims.extend(claim for claim in claims if type(claim) is dict)
    if event.get("act") == "ask":
        trace.asked_turns.append(turn)
        slots = event.get("slots")
        if type(slots) is dict and slots.get("need") is not None and slots.get("attribute") is not None:
            trace.questions.append((turn, f"{slots['need']}.{slots['attribute']}"))


def _recommend(trace: Trace, event: Event) -> None:
    items = event["items"]
    if not items:
        return
    turn = event["turn"]
    if trace.lists and trace.lists[-1].turn == turn:
        trace.lists[-1].items.extend(items)
    else:
        trace.lists.append(ShownList(turn, list(items), dict(trace.cart)))


def _suggest(trace: Trace, event: Event) -> None:
    trace.suggestions.setdefault(event["turn"], event)


def _goal(trace: Trace, event: Event) -> None:
    trace.goals.append(event)


def _user(trace: Trace, event: Event) -> None:
    turn = event["turn"]
    if turn >= 1:
        trace.turns.add(turn)
    action = event.get("action")
    if type(action) is dict and type(action.get("type")) is str:
        trace.answers.setdefault(turn, event)
        trace.user_actions.append((turn, action["type"]))
    reveals = event.get("reveals")
    if type(reveals) is list:
        for name in reveals:
            if type(name) is str:
                trace.reveals.setdefault(name, turn)
    if event.get("act") == "answer":
        trace.answered_turns.add(turn)


def _cart(trace: Trace, event: Event) -> None:
    op = event["op"]
    cart = trace.cart
    if op == "clear":
        cart.clear()
        return
    sku = event["sku"]
    if op == "add":
        turn = event["turn"]
        if trace.first_add is None:
            trace.first_add = turn
        cart[sku] = cart.get(sku, 0) + event.get("qty", 1)
        trace.last_add[sku] = turn
        trace.prices[sku] = finite(event.get("price"))
        return
    left = cart.get(sku, 0) - event.get("qty", 1)
    if left > 0:
        cart[sku] = left
    else:
        cart.pop(sku, None)


def _obs(trace: Trace, event: Event) -> None:
    step = event["step"]
    known = trace.views.get(step)
    trace.views[step] = event["visible"] if known is None else known + event["visible"]


def _judge(trace: Trace, event: Event) -> None:
    score = event.get("score")
    valid = type(score) is int and 1 <= score <= 5
    trace.ratings.append((event["judge"], event["dim"], score if valid else None))


def _fault(trace: Trace, event: Event) -> None:
    trace.faults.append((event["who"], event["kind"]))


def _usage(trace: Trace, event: Event) -> None:
    trace.usage.append(event)


_READERS: dict[str, Callable[[Trace, Event], None]] = {
    "assistant": _assistant,
    "recommend": _recommend,
    "suggest": _suggest,
    "goal": _goal,
    "user": _user,
    "cart": _cart,
    "obs": _obs,
    "judge": _judge,
    "fault": _fault,
    "usage": _usage,
}


def trace_episode(episode: Episode) -> Trace:
    """Read the events of an episode once, in reading order.

    An episode without turns gives an empty trace. Unknown kinds are passed over.
    """
    trace = Trace()
    readers = _READERS
    for event in episode.events:
        reader = readers.get(event["k"])
        if reader is not None:
            reader(trace, event)
    return trace
