"""One episode as read from a log line, and the order of its events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supermarket_env.events.types import (
    DEFAULT_NAV_SCHEMA,
    END_PHASE,
    EVENT_KINDS,
    OBS_PHASE,
    REASON_ALIASES,
    UNKNOWN_PHASE,
)

Event = dict[str, Any]

_PHASES_A_TURN = 16
_LAST = float("inf")
_PHASES = {name: kind.phase for name, kind in EVENT_KINDS.items()}


def order_key(event: Event) -> float:
    """Return the sort key of a valid event: by turn, then by phase; judges and ``end`` after everything.

    Observation ``step`` counts as the last thing of turn ``step``, observation 0 as the first thing of turn 0.
    Unknown kinds stand with their turn if they name one, else before the judges.
    """
    kind = event["k"]
    phase = _PHASES.get(kind)
    if phase is None:
        turn = event.get("turn")
        return turn * _PHASES_A_TURN + UNKNOWN_PHASE if type(turn) is int and turn >= 0 else _LAST
    if phase == OBS_PHASE:
        step: int = event["step"]
        return step * _PHASES_A_TURN + OBS_PHASE if step else 0
    if phase >= END_PHASE:
        return _LAST
    at: int = event["turn"]
    return at * _PHASES_A_TURN + phase


_TAIL = {"judge": 1, "end": 2}


def sort_events(events: list[Event]) -> list[Event]:
    """Return the events in reading order (a new list; equal keys keep the order they came in).

    Args:
        events: Valid events in any order; may be empty.
    """
    return sorted(events, key=lambda event: (order_key(event), _TAIL.get(event["k"], 0)))


class Episode:
    """One finished episode: the decoded line and its events in reading order.

    Build it with :func:`supermarket_env.events.log.validate_episode`; the constructor checks nothing.

    Attributes:
        data: The decoded line as it stands (unknown keys included). Readers must not change it.
        events: Its events in reading order, later scores merged in.
        values: Values of later scorers by ``<scorer>@<version>``; empty without score files.
        canonical: Whether ``data`` is known to be just what :func:`~supermarket_env.events.log.encode_episode` writes.
    """

    __slots__ = ("canonical", "data", "events", "file", "line", "values")

    def __init__(
        self,
        data: dict[str, Any],
        events: list[Event],
        *,
        file: str = "<memory>",
        line: int = 0,
        canonical: bool = False,
    ) -> None:
        self.data = data
        self.events = events
        self.file = file
        self.line = line
        self.values: dict[str, Any] = {}
        self.canonical = canonical

    def __repr__(self) -> str:
        return f"Episode({self.episode_id!r}, {len(self.events)} events, {self.reason!r})"

    def _text(self, key: str) -> str | None:
        value = self.data.get(key)
        return value if isinstance(value, str) else None

    @property
    def episode_id(self) -> str:
        """Identity of the line, unique within a run directory."""
        return str(self.data["episode_id"])

    @property
    def agent(self) -> str:
        """Name of the assistant."""
        return str(self.data["agent"])

    @property
    def user(self) -> str | None:
        """Name of the user model, None in logs that do not say."""
        return self._text("user")

    @property
    def store(self) -> str | None:
        """Name of the store, None in logs that do not say."""
        return self._text("store")

    @property
    def catalogue(self) -> str | None:
        """Name of the catalogue, None in logs that do not say."""
        return self._text("catalogue")

    @property
    def suite(self) -> str | None:
        """Name of the suite, None in logs that do not say."""
        return self._text("suite")

    @property
    def task_id(self) -> str | None:
        """Identity of the task, None in logs that do not say."""
        return self._text("task_id")

    @property
    def stratum(self) -> str | None:
        """Trip type of the task, None in logs that do not say."""
        return self._text("stratum")

    @property
    def trial(self) -> int:
        """Number of the repetition, 0 when absent."""
        value = self.data.get("trial")
        return value if isinstance(value, int) else 0

    @property
    def nav_schema(self) -> Mapping[str, Any]:
        """Navigation action types and the names of their local parameters."""
        value = self.data.get("nav_schema")
        return value if isinstance(value, dict) else DEFAULT_NAV_SCHEMA

    @property
    def truth(self) -> dict[str, Any] | None:
        """What only an evaluator may know, None in logs without it."""
        value = self.data.get("truth")
        return value if isinstance(value, dict) else None

    @property
    def end(self) -> Event:
        """The ``end`` event (always the last one)."""
        return self.events[-1]

    @property
    def reason(self) -> str:
        """Why it ended, old names replaced (``quit`` is ``left``)."""
        reason = str(self.end["reason"])
        return REASON_ALIASES.get(reason, reason)
