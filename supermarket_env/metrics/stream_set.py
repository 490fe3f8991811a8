"""Streamed figures whose form is only known at the end: which action was most frequent, whether anybody asked."""

from __future__ import annotations

from collections import Counter
from typing import Any

from supermarket_env.metrics.exact import ExactMean
from supermarket_env.metrics.judge import DIMENSIONS, RatingSummary, rating_of
from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.metrics.segments import CART_SIZES, cart_size_label


class _Ratings:
    """Ratings of one dimension, by all judges or one."""

    __slots__ = ("excluded", "mean")

    def __init__(self) -> None:
        self.mean = ExactMean()
        self.excluded = 0

    def summary(self, n_rows: int) -> RatingSummary:
        return RatingSummary.of(self.mean.sum.value, self.mean.n, n_rows, self.excluded)


class SetSums:
    """What these figures need, added up row by row."""

    def __init__(self) -> None:
        self.n = 0
        self._actions: Counter[str] = Counter()
        self._redundant = self._false_claims = 0
        self._asked = self._claimed = False
        self._by_size = {label: ExactMean() for label in CART_SIZES}
        self._ratings: dict[tuple[str | None, str], _Ratings] = {(None, dim): _Ratings() for dim in DIMENSIONS}

    def add(self, row: EpisodeRow) -> None:
        """Add a row that is in N."""
        self.n += 1
        self._actions.update(row.action_counts)
        self._redundant += row.redundant_questions
        self._asked |= bool(row.questions)
        self._false_claims += row.false_claims
        self._claimed |= bool(row.n_claims)
        label = cart_size_label(row.cart_size)
        if row.success and label is not None:
            self._by_size[label].add(row.ranking.recall)
        for judge, dim in {(who, dim) for rated, dim, _ in row.ratings for who in (None, rated)}:
            found = self._ratings.setdefault((judge, dim), _Ratings())
            found.mean.add(rating_of(row, dim, judge))
            found.excluded += sum(s is None and what == dim and judge in (None, who) for who, what, s in row.ratings)

    def result(self) -> dict[str, Any]:
        """Return the figures under their names."""
        total = sum(self._actions.values())
        judges = sorted({judge for judge, _ in self._ratings if judge is not None})
        return {
            "AFR_majority": max(self._actions.values()) / total if total else None,
            "redundant_questions": self._redundant / self.n if self._asked else None,
            "groundedness_errors": self._false_claims / self.n if self._claimed else None,
            "R@5_by_cart_size": {label: mean.value for label, mean in self._by_size.items()},
            "judge": self._summaries(None),
            "judge_by": {judge: self._summaries(judge) for judge in judges},
        }

    def _summaries(self, judge: str | None) -> dict[str, dict[str, float | int | None]]:
        dims = sorted(dim for who, dim in self._ratings if who == judge)
        first = [dim for dim in DIMENSIONS if judge is None]
        order = [*first, *(dim for dim in dims if dim not in first)]
        return {dim: self._ratings[judge, dim].summary(self.n).as_dict() for dim in order}
