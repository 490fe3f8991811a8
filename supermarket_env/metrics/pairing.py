"""Episodes of the reference agent as partners of the others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from supermarket_env.metrics.figure import Figure
from supermarket_env.metrics.row import SILENT, EpisodeRow, PairKey

Partners = Mapping[PairKey, Sequence[EpisodeRow]]


class PairCounts(NamedTuple):
    """How many episodes found a partner, and why others did not."""

    paired: int
    dropped: int


def partners_of(rows: Iterable[EpisodeRow]) -> dict[PairKey, list[EpisodeRow]]:
    """Index the reference agent's episodes by what a partner must share; simulator failures are left out."""
    index: dict[PairKey, list[EpisodeRow]] = {}
    for row in rows:
        key = row.pair_key
        if row.agent == SILENT and not row.infra and key is not None:
            index.setdefault(key, []).append(row)
    return index


def partners(row: EpisodeRow, index: Partners) -> Sequence[EpisodeRow]:
    """Return the partners of one episode; none for the reference agent itself."""
    key = row.pair_key
    return () if row.agent == SILENT or key is None else index.get(key, ())


def _satisfaction(row: EpisodeRow) -> float | None:
    return row.truth.need_satisfaction


def uplift_of(
    row: EpisodeRow, index: Partners, value_of: Callable[[EpisodeRow], float | None] = _satisfaction
) -> float | None:
    """Return a value (need satisfaction) minus the partner's; None without a partner or without the value."""
    own = value_of(row)
    others = [value for partner in partners(row, index) if (value := value_of(partner)) is not None]
    return None if own is None or not others else own - math.fsum(others) / len(others)


def uplift_figure(rows: Sequence[EpisodeRow], index: Partners) -> tuple[Figure, PairCounts]:
    """Return the mean over tasks of the uplift of need satisfaction."""
    return paired_figure("NS_uplift", rows, index, _satisfaction)


def paired_figure(
    name: str, rows: Sequence[EpisodeRow], index: Partners, value_of: Callable[[EpisodeRow], float | None]
) -> tuple[Figure, PairCounts]:
    """Return the mean over tasks of a value minus the reference's, trials averaged within a task first."""
    uplifts = [uplift_of(row, index, value_of) for row in rows]
    tasks = [(row.user, row.store, row.task_id) for row in rows]
    trials = Counter(task for task, uplift in zip(tasks, uplifts, strict=True) if uplift is not None)
    nums = [0.0 if uplift is None else uplift / trials[task] for task, uplift in zip(tasks, uplifts, strict=True)]
    dens = [0.0 if uplift is None else 1.0 / trials[task] for task, uplift in zip(tasks, uplifts, strict=True)]
    paired = sum(uplift is not None for uplift in uplifts)
    others = sum(row.agent != SILENT for row in rows)
    return Figure((name,), nums, dens), PairCounts(paired, others - paired)


def reference_figures(rows: Sequence[EpisodeRow], index: Partners, horizons: Sequence[int | str]) -> list[Figure]:
    """Return for each horizon the share of goals whose target the partner came to see by itself (s = 1 .. h)."""
    offsets: list[list[int | None]] = []
    for row in rows:
        views = next((p.sightings for p in partners(row, index) if p.sightings is not None), None)
        found: list[int | None] = []
        for goal in row.goals.counted if views is not None else ():
            later = [step - (goal.turn - 1) for step in (views or {}).get(goal.target, ()) if step >= goal.turn]
            found.append(later[0] if later else None)
        offsets.append(found)
    dens = [float(len(found)) for found in offsets]
    return [
        Figure(
            ("CGV_reference", str(horizon)),
            [float(sum(_within(offset, horizon) for offset in found)) for found in offsets],
            dens,
        )
        for horizon in horizons
    ]


def _within(offset: int | None, horizon: int | str) -> bool:
    return offset is not None and (isinstance(horizon, str) or offset <= horizon)
