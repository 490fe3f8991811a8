"""Ratings: means within an episode first, then over episodes; coverage and the worst case."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

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


def _summary(rows: Sequence[EpisodeRow], dim: str, judge: str | None) -> dict[str, float | int | None]:
    ratings = [rating for row in rows if (rating := rating_of(row, dim, judge)) is not None]
    coverage = len(ratings) / len(rows) if rows else None
    missing = len(rows) - len(ratings)
    low = bool(ratings) and coverage is not None and coverage < FULL_COVERAGE
    return {
        "mean": math.fsum(ratings) / len(ratings) if ratings else None,
        "n": len(ratings),
        "coverage": coverage,
        "excluded": sum(
            score is None for row in rows for who, what, score in row.ratings if what == dim and judge in (None, who)
        ),
        "worst_case": (math.fsum(ratings) + missing * _LOWEST) / len(rows) if low else None,
    }


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
