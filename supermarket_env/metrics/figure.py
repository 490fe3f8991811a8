"""A figure as a ratio of sums over episodes: the one form both point values and resampling are computed from."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from supermarket_env.metrics.row import EpisodeRow


@dataclass(slots=True)
class Figure:
    """``scale * sum(nums) / sum(dens)`` over the rows it was built from.

    Attributes:
        name: Output name; a dotted path is not used, nested figures carry a tuple.
        nums: Numerator of each row.
        dens: Denominator of each row; 0 where the row is left out.
        scale: 100 for percentages.
        rivals: Further numerators; the figure is the largest of the ratios.
        share: Whether it is a share of episodes (0/1 numerators, every denominator 1).
    """

    name: tuple[str, ...]
    nums: list[float]
    dens: list[float]
    scale: float = 1.0
    rivals: list[list[float]] = field(default_factory=list)
    share: bool = False

    def value(self) -> float | None:
        """Return the figure, None when the denominators sum to 0."""
        total = math.fsum(self.dens)
        if total == 0:
            return None
        top = max(math.fsum(nums) for nums in [self.nums, *self.rivals])
        return self.scale * top / total


def mean_figure(name: str | tuple[str, ...], values: Iterable[float | None], scale: float = 1.0) -> Figure:
    """Return the mean of the values that are not None."""
    known = list(values)
    nums = [0.0 if value is None else float(value) for value in known]
    return Figure(_path(name), nums, [0.0 if value is None else 1.0 for value in known], scale)


def share_figure(name: str | tuple[str, ...], hits: Iterable[bool]) -> Figure:
    """Return a percentage of all episodes."""
    nums = [1.0 if hit else 0.0 for hit in hits]
    return Figure(_path(name), nums, [1.0] * len(nums), 100.0, share=True)


def pooled_figure(
    name: str | tuple[str, ...],
    rows: Sequence[EpisodeRow],
    top: Callable[[EpisodeRow], float],
    bottom: Callable[[EpisodeRow], float],
) -> Figure:
    """Return a ratio of two counts pooled over the episodes."""
    return Figure(_path(name), [float(top(row)) for row in rows], [float(bottom(row)) for row in rows])


def _path(name: str | tuple[str, ...]) -> tuple[str, ...]:
    return (name,) if isinstance(name, str) else name


@dataclass
class Curve:
    """A share of episodes by turn: row e counts from turn ``times[e]`` on, never when that is None.

    Attributes:
        name: Output name.
        times: Turn from which each row counts.
        dens: 1 for rows that are in the base, 0 for rows left out.
        length: Number of points, t = 0 .. length - 1.
        scale: 100 for percentages.
        share: Whether Wilson intervals apply with one trial a task.
    """

    name: str
    times: list[int | None]
    dens: list[float]
    length: int
    scale: float = 100.0
    share: bool = True
    parts: list[tuple[tuple[int, float], ...]] | None = None
    """Where a row counts by degrees: its (turn, amount) pairs, which replace ``times``; the amounts add up."""

    def values(self) -> list[float] | None:
        """Return the points, None when no row is in the base."""
        total = math.fsum(self.dens)
        if total == 0:
            return None
        if self.parts is not None:
            return [self.scale * math.fsum(self.reached(t)) / total for t in range(self.length)]
        counts = [0] * self.length
        for time, base in zip(self.times, self.dens, strict=True):
            if time is not None and base and time < self.length:
                counts[time] += 1
        reached = 0
        points = []
        for count in counts:
            reached += count
            points.append(self.scale * reached / total)
        return points

    def reached(self, t: int) -> list[float]:
        """Return how far each row counts at turn ``t``; 0 for rows left out of the base."""
        if self.parts is None:
            return [
                float(time is not None and time <= t) * base for time, base in zip(self.times, self.dens, strict=True)
            ]
        return [sums[bisect_right(turns, t)] * base for (turns, sums), base in zip(self._steps, self.dens, strict=True)]

    @cached_property
    def _steps(self) -> list[tuple[list[int], list[float]]]:
        """Of each row's parts the turns, ascending, and what had been reached before each of them and in the end."""
        steps = []
        for part in self.parts or ():
            ordered = sorted(part)
            amounts = [amount for _, amount in ordered]
            # Sums of fsum are rounded once, so they do not hang on the order.
            sums = [math.fsum(amounts[:k]) for k in range(len(amounts) + 1)]
            steps.append(([turn for turn, _ in ordered], sums))
        return steps
