"""Ratings: means within an episode first, then over episodes; coverage and the worst case."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from supermarket_env.metrics.figure import Figure, mean_figure
from supermarket_env.metrics.row import EpisodeRow

DIMENSIONS = (
    "informativeness",
    "naturalness",
    "groundedness",
    "preference_alignment",
    "proactiveness",
    "non_repetition",
    "overall_satisfaction",
)
"""The seven dimensions always reported, rated or not."""

FULL_COVERAGE = 0.95
"""Below this share of rated episodes the worst case is given as well."""

_LOWEST = 1.0


def rating_of(row: EpisodeRow, dim: str, judge: str | None = None) -> float | None:
    """Return the mean of an episode's valid ratings of a dimension (all judges, or one), None without any."""
    scores = [s for who, what, s in row.ratings if what == dim and s is not None and judge in (None, who)]
    return math.fsum(scores) / len(scores) if scores else None


def pooled_rating(rows: Iterable[EpisodeRow], dim: str) -> float | None:
    """Return the mean over all single ratings (heavily rated episodes dominate; for comparison only)."""
    scores = [s for row in rows for _, what, s in row.ratings if what == dim and s is not None]
    return math.fsum(scores) / len(scores) if scores else None


def rated_dimensions(rows: Iterable[EpisodeRow]) -> list[str]:
    """Return the seven dimensions, then any others that occur, sorted."""
    found = {dim for row in rows for _, dim, _ in row.ratings}
    return [*DIMENSIONS, *sorted(found.difference(DIMENSIONS))]


def judges(rows: Iterable[EpisodeRow]) -> list[str]:
    """Return the names of all judges, sorted."""
    return sorted({judge for row in rows for judge, _, _ in row.ratings})


def rating_figures(rows: Sequence[EpisodeRow]) -> list[Figure]:
    """Return one mean per dimension."""
    return [mean_figure(("judge", dim), [rating_of(row, dim) for row in rows]) for dim in rated_dimensions(rows)]


class RatingSummary(NamedTuple):
    """What is said of the ratings of one dimension."""

    mean: float | None
    n: int
    """Rated episodes."""
    coverage: float | None
    excluded: int
    """Scores that are no rating."""
    worst_case: float | None
    """The mean with unrated episodes at the lowest rating, where coverage is low."""

    @classmethod
    def of(cls, total: float, n: int, n_rows: int, excluded: int) -> RatingSummary:
        """Return the summary of ``n`` rated episodes among ``n_rows`` whose ratings sum to ``total``."""
        coverage = n / n_rows if n_rows else None
        low = n > 0 and coverage is not None and coverage < FULL_COVERAGE
        worst = math.fsum((total, (n_rows - n) * _LOWEST)) / n_rows if low else None
        return cls(total / n if n else None, n, coverage, excluded, worst)

    def as_dict(self) -> dict[str, float | int | None]:
        """Return it as the output has it."""
        return self._asdict()


def _summary(rows: Sequence[EpisodeRow], dim: str, judge: str | None) -> dict[str, float | int | None]:
    ratings = [rating for row in rows if (rating := rating_of(row, dim, judge)) is not None]
    excluded = sum(
        score is None for row in rows for who, what, score in row.ratings if what == dim and judge in (None, who)
    )
    return RatingSummary.of(math.fsum(ratings), len(ratings), len(rows), excluded).as_dict()


def judge_summary(rows: Sequence[EpisodeRow]) -> dict[str, dict[str, float | int | None]]:
    """Return mean, n, coverage, excluded ratings and the worst case of each dimension, judges pooled."""
    return {dim: _summary(rows, dim, None) for dim in rated_dimensions(rows)}


def judge_by_summary(rows: Sequence[EpisodeRow]) -> dict[str, dict[str, dict[str, float | int | None]]]:
    """Return the same for each judge apart (only the dimensions that judge rated)."""
    result: dict[str, dict[str, dict[str, float | int | None]]] = {}
    for judge in judges(rows):
        dims = {dim for row in rows for who, dim, _ in row.ratings if who == judge}
        result[judge] = {dim: _summary(rows, dim, judge) for dim in sorted(dims)}
    return result
