"""The three grades of a reply: scenario first, detail second; scenario classes and what a request allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from supermarket_env.errors import ConfigError, unknown_name

Grade = Literal["correct", "partial", "bad"]
GRADES: Final[tuple[Grade, ...]] = ("correct", "partial", "bad")

CLASSES: Final = (
    "recommend",
    "navigate",
    "answer",
    "compare",
    "cart_edit",
    "checkout",
    "clarify",
    "chitchat",
    "complaint",
    "out_of_scope",
)
"""Scenario classes of requests and replies."""

NOTHING: Final = "nothing"
"""Class of a reply that says and does nothing."""

UNKNOWN: Final = "unknown"
"""Class of a reply in words alone, which only a reader can sort."""

REPLY_CLASSES: Final = (*CLASSES, NOTHING, UNKNOWN)

TALK: Final = frozenset({"chitchat"})
"""Classes in which talk is expected: a fallback or silence is partial there and bad everywhere else."""


def grade_reply(scenario_ok: bool, detail_ok: bool) -> Grade:
    """Return the grade of a reply.

    Args:
        scenario_ok: Whether it is the kind of reply or action this request calls for.
        detail_ok: Whether it fits the request in every particular: item, brand, constraint, number, place, fact.

    >>> grade_reply(True, True), grade_reply(True, False), grade_reply(False, True)
    ('correct', 'partial', 'bad')
    """
    if not scenario_ok:
        return "bad"
    return "correct" if detail_ok else "partial"


def worst_grade(grades: Iterable[Grade]) -> Grade | None:
    """Return the worst of the grades of a turn with several requests; None for none.

    Raises:
        ConfigError: If a grade is unknown.

    >>> worst_grade(["correct", "partial"])
    'partial'
    """
    found = list(grades)
    for grade in found:
        if grade not in GRADES:
            raise ConfigError(unknown_name("grade", str(grade), GRADES))
    return max(found, key=GRADES.index) if found else None


INTENT_CLASS: Final[Mapping[str, str]] = {
    "disclose": "recommend",
    "answer": "recommend",
    "reject": "recommend",
    "hesitate": "compare",
    "request_compare": "compare",
    "ask": "answer",
    "ask_where": "navigate",
    "accept": "cart_edit",
    "complain": "complaint",
    "chat": "chitchat",
    "thank": "chitchat",
    "bye": "checkout",
}
"""Scenario class of each user act of the closed inventory."""

ALSO_ALLOWED: Final[Mapping[str, frozenset[str]]] = {
    "hesitate": frozenset({"recommend", "clarify", "answer", "cart_edit"}),
    "accept": frozenset({"navigate", "clarify", "checkout", "chitchat", "recommend"}),
    "chat": frozenset({"navigate", "clarify", "recommend", "checkout", "answer", "cart_edit"}),
    "thank": frozenset({"navigate", "clarify", "checkout"}),
    "bye": frozenset({"chitchat", "navigate"}),
}
"""Other classes that serve an act. Small talk of a shopper on the way asks for nothing, so going on with the trip is
in place there; after a thank-you only a question, the way or the checkout is."""

COMPLAINT_ALLOWED: Final[Mapping[str, frozenset[str]]] = {
    "out_of_stock": frozenset({"recommend", "clarify", "chitchat", "answer", "navigate", "checkout"}),
    "not_found": frozenset({"navigate", "answer", "recommend", "chitchat", "checkout"}),
    "wrong_directions": frozenset({"navigate", "chitchat"}),
    "repetition": frozenset({"recommend", "clarify", "chitchat", "navigate", "answer"}),
    "irrelevant": frozenset({"recommend", "clarify", "chitchat", "navigate"}),
    "untrue": frozenset({"answer", "chitchat", "recommend", "navigate"}),
    "too_many_questions": frozenset({"recommend", "chitchat", "navigate", "checkout", "answer"}),
    "pushy": frozenset({"chitchat", "answer", "navigate", "clarify"}),
    "over_budget": frozenset({"recommend", "cart_edit", "chitchat", "compare", "checkout"}),
}
"""What answers a complaint, by its cause; :data:`NOTHING` never does, except to a complaint of being pushed."""

ACT_CLASS: Final[Mapping[str, str]] = {
    "greet": "chitchat",
    "ask": "clarify",
    "recommend": "recommend",
    "inform": "answer",
    "compare": "compare",
    "guide": "navigate",
    "confirm": "recommend",
    "acknowledge": "chitchat",
    "offer_checkout": "checkout",
}
"""Scenario class of each assistant act but ``chat``, whose class depends on what comes with it."""

SUGGESTION_CLASS: Final[Mapping[str, str]] = {
    "move": "navigate",
    "look": "navigate",
    "inspect": "answer",
    "add": "cart_edit",
    "remove": "cart_edit",
    "checkout": "checkout",
}
"""Scenario class of a suggested action."""
