"""The event kinds of an episode line, in one table: fields, defaults, phase inside a turn.

``EVENT_KINDS[k]`` tells for each kind which fields a line must carry, which may be left out (with the value a reader
assumes) and where in its turn the event belongs. Readers, writers and the documentation use this table and no other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

SCHEMA: Final = "supermarket.episode/1"
"""Schema tag of an episode line; a line with another tag is refused."""

DEFAULT_NAV_SCHEMA: Final[Mapping[str, tuple[str, ...]]] = {"move": ("node",), "look": ("section",)}
"""Navigation action types and their local parameters, for lines that declare none."""

END_REASONS: Final = (
    "checkout",
    "patience_checkout",
    "left",
    "patience",
    "max_turns",
    "assistant_error",
    "infra_error",
)
"""Reasons an episode may end with; the old name ``quit`` is read as ``left``."""

REASON_ALIASES: Final[Mapping[str, str]] = {"quit": "left"}
PAID_REASONS: Final = frozenset({"checkout", "patience_checkout"})
CART_OPS: Final = ("add", "remove", "clear")
FAULT_PARTIES: Final = ("assistant", "user", "judge", "infra")

LINE_REQUIRED: Final = ("schema", "episode_id", "agent", "events")
LINE_KEYS: Final = frozenset(
    {
        *LINE_REQUIRED,
        "user",
        "store",
        "catalogue",
        "suite",
        "task_id",
        "trial",
        "seed",
        "stratum",
        "track",
        "nav_schema",
        "truth",
    }
)
"""Top-level keys of a line; others are kept, ignored and counted."""


class Check(NamedTuple):
    """A test of one field's value and the words that say what was expected."""

    accepts: Callable[[Any], bool]
    expected: str


class EventKind(NamedTuple):
    """One event kind: required and checked fields, defaults of the others, place inside a turn."""

    phase: int
    required: Mapping[str, Check]
    checked: Mapping[str, Check]
    """Optional fields whose value is checked when present."""
    defaults: Mapping[str, Any]
    """Optional fields and what a reader assumes when they are absent."""


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_count_or_null(value: Any) -> bool:
    return value is None or (type(value) is int and value >= 0)


def _is_positive(value: Any) -> bool:
    return type(value) is int and value > 0


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_bool(value: Any) -> bool:
    return type(value) is bool


_ONLY_TEXT = frozenset({str})


def _is_texts(value: Any) -> bool:
    return type(value) is list and _ONLY_TEXT.issuperset(map(type, value))


def _is_number(value: Any) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _is_action(value: Any) -> bool:
    return type(value) is dict and type(value.get("type")) is str and type(value.get("params", _NO_PARAMS)) is dict


_NO_PARAMS: Final[dict[str, Any]] = {}

COUNT: Final = Check(_is_count, "a whole number of 0 or more")
COUNT_OR_NULL: Final = Check(_is_count_or_null, "a whole number of 0 or more")
POSITIVE: Final = Check(_is_positive, "a whole number above 0")
TEXT: Final = Check(_is_text, "a string")
TEXTS: Final = Check(_is_texts, "a list of strings")
BOOL: Final = Check(_is_bool, "true or false")
NUMBER: Final = Check(_is_number, "a finite number")
ACTION: Final = Check(_is_action, 'an object {"type": string, "params": object}')

END_PHASE: Final = 15
"""Phase number above all phases of a turn."""

OBS_PHASE: Final = 14
"""Observation k is what is seen after turn k: the last thing of that turn (observation 0 is the first of turn 0)."""

UNKNOWN_PHASE: Final = 13

EVENT_KINDS: Final[Mapping[str, EventKind]] = {
    "obs": EventKind(OBS_PHASE, {"step": COUNT, "visible": TEXTS}, {}, {"at": None, "legal": None}),
    "assistant": EventKind(1, {"turn": COUNT}, {}, {"act": None, "slots": {}, "text": "", "claims": []}),
    "recommend": EventKind(2, {"turn": COUNT, "items": TEXTS}, {}, {}),
    "suggest": EventKind(3, {"turn": COUNT, "action": ACTION}, {"legal": BOOL}, {"legal": True, "progress": None}),
    "goal": EventKind(
        4,
        {"turn": COUNT, "target": TEXT},
        {"eligible": BOOL},
        {"goal": None, "product": None, "eligible": True, "d_min": None, "relevant": None},
    ),
    "user": EventKind(
        5,
        {"turn": COUNT},
        {"legal": BOOL},
        {
            "act": None,
            "slots": {},
            "text": "",
            "action": None,
            "legal": True,
            "would": None,
            "reveals": [],
            "path_m": None,
            "trust": None,
            "irritation": None,
        },
    ),
    "cart": EventKind(
        6, {"turn": COUNT, "op": TEXT}, {"qty": POSITIVE}, {"sku": None, "qty": 1, "price": None, "why": None}
    ),
    "stock": EventKind(7, {"turn": COUNT, "sku": TEXT, "left": NUMBER}, {}, {}),
    "reward": EventKind(8, {"turn": COUNT, "value": NUMBER}, {}, {"parts": {}}),
    "usage": EventKind(
        9,
        {"turn": COUNT, "who": TEXT},
        {},
        {"model": None, "tokens_in": None, "tokens_out": None, "cost": None},
    ),
    "fault": EventKind(10, {"turn": COUNT, "who": TEXT, "kind": TEXT}, {}, {"detail": None}),
    "judge": EventKind(END_PHASE, {"judge": TEXT, "dim": TEXT}, {}, {"score": None, "rater": None}),
    "end": EventKind(
        END_PHASE + 1, {"reason": TEXT}, {"turn": COUNT_OR_NULL}, {"turn": None, "walked_m": None, "tour_m": None}
    ),
}

EVENT_KEYS: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset({"k", *kind.required, *kind.defaults}) for name, kind in EVENT_KINDS.items()
}
"""All keys a reader knows, by kind."""
