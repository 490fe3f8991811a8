"""Suggestions against what the user did: the events behind AFR and LNSR."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from supermarket_env.metrics.trace import Trace, action_of, finite


@dataclass(slots=True)
class SuggestionCounts:
    """Counts of one episode.

    ``valid`` is the number of suggestions that were legal when made and met a user action in their turn (V),
    ``local`` those of them that suggest navigation with a comparable local parameter (D).
    """

    first: int = 0
    illegal: int = 0
    unanswered: int = 0
    valid: int = 0
    followed: int = 0
    local: int = 0
    local_followed: int = 0
    local_nav: int = 0
    """Events of D in which the user's action was navigation as well."""
    dropped: int = 0
    """Navigation suggestions whose executed parameters the log does not hold."""
    lift: int = 0
    """Events of V in which the user would have done another type of action without the suggestion."""
    lift_followed: int = 0
    local_lift: int = 0
    local_lift_followed: int = 0
    progress_count: int = 0
    progress_m: float = 0.0


def equal_parameter(suggested: Any, done: Any, tolerance: float = 0.0) -> bool:
    """Whether an executed parameter is what was suggested; numbers may differ by ``tolerance``.

    >>> equal_parameter(90, 85.0), equal_parameter(90, 85.0, tolerance=10)
    (False, True)
    """
    first, second = finite(suggested), finite(done)
    if first is not None and second is not None:
        return abs(first - second) <= tolerance
    return type(suggested) is type(done) and bool(suggested == done)


def local_slots(kind: str, params: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """Return the filled local parameters of a suggestion; empty unless its type is navigation."""
    names = schema.get(kind)
    if not isinstance(names, list | tuple):
        return []
    return [name for name in names if isinstance(name, str) and params.get(name) is not None]


def count_suggestions(trace: Trace, schema: Mapping[str, Any], tolerance: float = 0.0) -> SuggestionCounts:
    """Compare the first suggestion of each turn with the user's action of that turn.

    Args:
        trace: The episode.
        schema: Navigation action types and their local parameters.
        tolerance: Largest difference of numeric parameters that still counts as equal.
    """
    counts = SuggestionCounts()
    for turn, event in trace.suggestions.items():
        suggested = action_of(event)
        if suggested is None:
            continue
        counts.first += 1
        if not event.get("legal", True):
            counts.illegal += 1
            continue
        progress = finite(event.get("progress")) if suggested[0] in schema else None
        if progress is not None:
            counts.progress_count += 1
            counts.progress_m += progress
        answer = trace.answers.get(turn)
        done = action_of(answer) if answer is not None else None
        if answer is None or done is None:
            counts.unanswered += 1
            continue
        same_type = done[0] == suggested[0]
        followed = same_type and bool(answer.get("legal", True))
        counts.valid += 1
        counts.followed += followed
        would = action_of(answer, "would")
        if would is not None and would[0] != suggested[0]:
            counts.lift += 1
            counts.lift_followed += followed
        _count_local(counts, suggested, done, would, followed, schema, tolerance)
    return counts


def _count_local(
    counts: SuggestionCounts,
    suggested: tuple[str, dict[str, Any]],
    done: tuple[str, dict[str, Any]],
    would: tuple[str, dict[str, Any]] | None,
    followed: bool,
    schema: Mapping[str, Any],
    tolerance: float,
) -> None:
    slots = local_slots(suggested[0], suggested[1], schema)
    if not slots:
        return
    if done[0] == suggested[0] and any(done[1].get(name) is None for name in slots):
        counts.dropped += 1
        return
    hit = followed and all(equal_parameter(suggested[1][name], done[1].get(name), tolerance) for name in slots)
    counts.local += 1
    counts.local_followed += hit
    counts.local_nav += done[0] in schema
    if would is None:
        return
    differs = would[0] != suggested[0] or not all(
        equal_parameter(suggested[1][name], would[1].get(name), tolerance) for name in slots
    )
    if differs:
        counts.local_lift += 1
        counts.local_lift_followed += hit
