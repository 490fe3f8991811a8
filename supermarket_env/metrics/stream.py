"""Figures added up while episodes run, in memory that does not grow with their number.

The very figures of :func:`supermarket_env.metrics.compute`, from the same rows: each is a ratio of sums over episodes,
so a few rows at a time are turned into numerators and denominators and added up without rounding. The results are
those of the log to the last bit. What is no such ratio (paired figures, weakest segments, Kaplan-Meier curves) needs
all rows: see :class:`supermarket_env.metrics.MetricsHook`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from supermarket_env.events.episode import Episode
from supermarket_env.events.hooks import Hook
from supermarket_env.metrics.aggregate import check_horizons
from supermarket_env.metrics.exact import ExactSum
from supermarket_env.metrics.figure import Curve, Figure
from supermarket_env.metrics.figures import (
    DEFAULT_HORIZONS,
    all_curves,
    goal_detail_figures,
    goal_figures,
    hint_figures,
    need_figures,
    outcome_figures,
    path_figures,
    ranking_figures,
    suggestion_figures,
)
from supermarket_env.metrics.goals import END
from supermarket_env.metrics.row import EpisodeRow, episode_row
from supermarket_env.metrics.stream_set import SetSums

__all__ = ["ExactSum", "StreamingMetrics"]

ROWS_AT_ONCE: Final = 64
WHOLE_SET_ONLY: Final = frozenset({("AFR_majority",), ("redundant_questions",), ("groundedness_errors",)})
"""Figures that look at all episodes at once before they look at one: :class:`SetSums` has them."""


class _Ratio:
    """Numerator and denominator of one figure."""

    __slots__ = ("bottom", "scale", "top")

    def __init__(self, scale: float) -> None:
        self.top, self.bottom, self.scale = ExactSum(), ExactSum(), scale

    def add(self, figure: Figure) -> None:
        for top in figure.nums:
            if top:
                self.top.add(top)
        for bottom in figure.dens:
            if bottom:
                self.bottom.add(bottom)

    @property
    def value(self) -> float | None:
        bottom = self.bottom.value
        return self.scale * self.top.value / bottom if bottom else None


class _Steps:
    """One curve over turns: how far all episodes had got at each turn, and at the end of the longest one."""

    __slots__ = ("base", "scale", "sums")

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.base = ExactSum()
        self.sums: list[ExactSum] = []

    def add(self, curve: Curve) -> None:
        for one in curve.dens:
            if one:
                self.base.add(one)
        while len(self.sums) < curve.length:  # the episodes so far are over by then: they stay where they were
            self.sums.append(self.sums[-1].copy() if self.sums else ExactSum())
        for t, total in enumerate(self.sums):
            for reached in curve.reached(min(t, curve.length - 1)):
                if reached:
                    total.add(reached)

    @property
    def values(self) -> list[float] | None:
        base = self.base.value
        return [self.scale * total.value / base for total in self.sums] if base else None


class StreamingMetrics(Hook):
    """Add up the figures of finished episodes; as a hook it takes every episode of a game or of recorded rows.

    Args:
        horizons: Offsets h of the goal figures.
        tolerance: See :func:`supermarket_env.metrics.compute`.

    Raises:
        ConfigError: a horizon is not a whole number of 0 or more.
    """

    def __init__(self, *, horizons: Iterable[int] = DEFAULT_HORIZONS, tolerance: float = 0.0) -> None:
        self.horizons: list[int | str] = [*check_horizons(horizons), END]
        self.tolerance = tolerance
        self.n = 0
        """Episodes counted."""
        self.n_infra = 0
        """Episodes set aside: the simulator failed."""
        self._waiting: list[EpisodeRow] = []
        self._ratios: dict[tuple[str, ...], _Ratio] = {}
        self._curves: dict[str, _Steps] = {}
        self._set = SetSums()

    def on_episode_end(self, episode: Episode) -> None:
        """Add an episode."""
        self.add(episode_row(episode, tolerance=self.tolerance))

    def add(self, row: EpisodeRow) -> None:
        """Add the row of an episode."""
        if row.infra:
            self.n_infra += 1
            return
        self.n += 1
        self._waiting.append(row)
        if len(self._waiting) == ROWS_AT_ONCE:
            self._fold()

    def _figures(self, rows: list[EpisodeRow]) -> list[Figure]:
        return [
            *outcome_figures(rows),
            *ranking_figures(rows),
            *suggestion_figures(rows),
            *goal_figures(rows, self.horizons),
            *need_figures(rows),
            *hint_figures(rows),
            *goal_detail_figures(rows, self.horizons),
            *path_figures(rows),
        ]

    def _fold(self) -> None:
        """Add the waiting rows to the sums."""
        rows, self._waiting = self._waiting, []
        for row in rows:
            self._set.add(row)
        for figure in self._figures(rows):
            if figure.name not in WHOLE_SET_ONLY:
                self._ratios.setdefault(figure.name, _Ratio(figure.scale)).add(figure)
        for curve in all_curves(rows):
            self._curves.setdefault(curve.name, _Steps(curve.scale)).add(curve)

    def result(self) -> dict[str, Any]:
        """Return ``n``, ``n_infra`` and every figure under its name in the output of ``compute``.

        What stands below ``beyond`` there stands here at the top. None where undefined; figures by horizon are
        objects, curves lists by turn.
        """
        self._fold()
        result: dict[str, Any] = {"n": self.n, "n_infra": self.n_infra}
        for path, ratio in self._ratios.items():
            place = result
            for step in path[:-1]:
                place = place.setdefault(step, {})
            place[path[-1]] = ratio.value
        result |= self._set.result()
        result |= {name: steps.values for name, steps in self._curves.items()}
        return result
