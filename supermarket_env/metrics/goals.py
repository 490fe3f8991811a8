"""Navigation goals against what the user came to see: the events behind CGV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from supermarket_env.metrics.survival import incidence_at, kaplan_meier
from supermarket_env.metrics.trace import Trace, finite

END = "End"


class Goal(NamedTuple):
    """The first eligible issue of a target in an episode.

    Offset s is the observation ``turn - 1 + s``: s = 0 is the view when the goal was given.
    """

    target: str
    turn: int
    seen: int | None
    """First offset at which the target was in view, None if never."""
    follow: int
    """Last observed offset (negative when nothing was observed since)."""
    d_min: float | None
    relevant: bool


@dataclass(slots=True)
class GoalRecord:
    """All goals of one episode; those in view at offset 0 are kept apart by ``seen == 0``."""

    goals: tuple[Goal, ...] = ()
    unresolvable: int = 0
    repeated: int = 0

    @property
    def counted(self) -> tuple[Goal, ...]:
        """Goals that were not in view when given (G)."""
        return tuple(goal for goal in self.goals if goal.seen != 0)


def first_seen(views: dict[int, list[str]], steps: Sequence[int], target: str, start: int) -> int | None:
    """Return the first step of at least ``start`` in whose view the target is, None if there is none."""
    return next((step for step in steps if step >= start and target in views[step]), None)


def record_goals(trace: Trace) -> GoalRecord:
    """Sort the goals of an episode into first eligible issues and exclusions.

    A goal counts as unresolvable first, as repeated second; whether it is already in view comes last.
    """
    record = GoalRecord()
    if not trace.goals:
        return record
    steps = sorted(trace.views)
    last = steps[-1] if steps else -1
    kept: dict[str, Goal] = {}
    for event in trace.goals:
        target = event["target"]
        if not event.get("eligible", True):
            record.unresolvable += 1
        elif target in kept:
            record.repeated += 1
        else:
            start = event["turn"] - 1
            step = first_seen(trace.views, steps, target, start)
            seen = None if step is None else step - start
            relevant = event.get("relevant") is True
            kept[target] = Goal(target, event["turn"], seen, last - start, finite(event.get("d_min")), relevant)
    record.goals = tuple(kept.values())
    return record


def seen_within(goal: Goal, horizon: int | str) -> bool:
    """Whether the target came into view by offset ``horizon`` (``"End"``: at all)."""
    return goal.seen is not None and (isinstance(horizon, str) or goal.seen <= horizon)


def kaplan_meier_goals(goals: Iterable[Goal], horizons: Sequence[int | str]) -> dict[str, float | None]:
    """Return 1 - KM at each horizon, goals unseen when their episode ended being censored then.

    Events come before censorings at ties; ``"End"`` is the last value. All None without goals.
    """
    pool = list(goals)
    if not pool:
        return {str(horizon): None for horizon in horizons}
    times = [goal.follow if goal.seen is None else goal.seen for goal in pool]
    curve = kaplan_meier(times, [goal.seen is not None for goal in pool])
    last = len(curve) - 1
    return {str(h): incidence_at(curve, last if isinstance(h, str) else h) for h in horizons}
