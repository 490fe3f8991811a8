"""Kaplan-Meier estimates over whole numbers of turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def kaplan_meier(times: Sequence[int], happened: Sequence[bool]) -> list[float]:
    """Return 1 - KM at t = 0, 1, ..., largest time.

    Args:
        times: Time of the event or of the censoring of each subject (negative: never at risk).
        happened: Whether it was the event. Events come before censorings at equal times.

    Returns:
        The curve in [0, 1]; a single 0 when nobody is ever at risk.

    >>> kaplan_meier([1, 2], [True, False])
    [0.0, 0.5, 0.5]
    """
    events = Counter(time for time, event in zip(times, happened, strict=True) if event)
    leaving = Counter(times)
    at_risk = sum(1 for time in times if time >= 0)
    survival = 1.0
    curve: list[float] = []
    for time in range(max([0, *times]) + 1):
        if events[time]:
            survival *= 1.0 - events[time] / at_risk
        at_risk -= leaving[time]
        curve.append(1.0 - survival)
    return curve


def incidence_at(curve: Sequence[float], time: int) -> float:
    """Return the curve's value at a time, its last value beyond its end, 0 before its start."""
    if time < 0:
        return 0.0
    return curve[min(time, len(curve) - 1)]
