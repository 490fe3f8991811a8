"""Calls of language models in an episode's log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def add_usage(line: dict[str, Any], usage: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the log line with ``usage`` events, each behind the reward of its turn (in the order of the calls).

    A turn without a reward (the game broke off in it) has them before its faults, or before the end.
    """
    if not usage:
        return line
    by_turn: dict[int, list[dict[str, Any]]] = {}
    for entry in usage:
        by_turn.setdefault(int(entry["turn"]), []).append(dict(entry))
    events: list[dict[str, Any]] = []
    for event in line["events"]:
        turn = event.get("turn", event.get("step"))
        if event["k"] in ("fault", "obs") and isinstance(turn, int):
            events += by_turn.pop(turn, [])
        elif event["k"] == "end":
            for rest in sorted(by_turn):
                events += by_turn[rest]
            by_turn = {}
        events.append(event)
        if event["k"] == "reward" and isinstance(turn, int):
            events += by_turn.pop(turn, [])
    return {**line, "events": events}
