"""User satisfaction as the weighted mean of the other metrics, and its calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple, Unpack

from supermarket_env.scorers.calibration.core import WINDOW_MONTHS, Adjusted, Calibration, Rule, adjust, calibrate


class Satisfaction(NamedTuple):
    """Weighted satisfaction of one evaluation."""

    auto: float | None
    """None when no weighted metric is present."""
    human: float | None
    """None when no metric is labelled."""
    gap: float | None
    """human - auto."""


def weighted_mean(scores: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """Return sum(w * m) / sum(w) over the metrics present; None without any.

    Args:
        scores: Scores by metric, 1..5, None where unscored; metrics without a weight are passed over.
        weights: Weights by metric, 0 or more.

    Raises:
        ValueError: If a weight is negative.

    >>> weighted_mean({"intent": 4, "slots": 3, "coherence": 5}, {"intent": 2, "slots": 1, "coherence": 1})
    4.0
    """
    if any(weight < 0 for weight in weights.values()):
        raise ValueError(f"expected weights of 0 or more, got {dict(weights)!r}")
    pairs = [(weights[name], score) for name, score in scores.items() if score is not None and name in weights]
    total = math.fsum(weight for weight, _ in pairs)
    return math.fsum(weight * score for weight, score in pairs) / total if total > 0 else None


def satisfaction_of(evaluation: Mapping[str, Any], weights: Mapping[str, float]) -> Satisfaction:
    """Return the weighted satisfaction of one evaluation.

    A metric's label stands in for its automatic score where there is one; a metric absent on the automatic side
    drops out of both sums unless it is labelled.

    Args:
        evaluation: ``auto`` and ``human``: scores by metric, 1..5; None or absent where there is none.
        weights: Weights by metric.
    """
    auto: Mapping[str, float | None] = evaluation.get("auto") or {}
    human = {name: score for name, score in (evaluation.get("human") or {}).items() if score is not None}
    machine = weighted_mean(auto, weights)
    labelled = any(name in weights for name in human)
    person = weighted_mean({**auto, **human}, weights) if labelled else None
    gap = person - machine if person is not None and machine is not None else None
    return Satisfaction(machine, person, gap)


class SatisfactionCalibration(NamedTuple):
    """Calibration on the level of the user."""

    evaluations: tuple[Satisfaction, ...]
    calibration: Calibration
    adjusted: tuple[Adjusted | None, ...]


def calibrate_satisfaction(
    evaluations: Sequence[Mapping[str, Any]],
    weights: Mapping[str, float],
    as_of: str | date | None = None,
    *,
    window_months: int = WINDOW_MONTHS,
    **rule: Unpack[Rule],
) -> SatisfactionCalibration:
    """Calibrate the weighted satisfaction.

    Args:
        evaluations: ``auto`` and ``human`` scores by metric, optionally ``labeled`` and ``id`` as for a single metric.
        weights: Weights by metric.
        as_of: See :func:`~supermarket_env.scorers.calibration.core.calibrate`.
        window_months: See there.
        **rule: The options of :func:`~supermarket_env.scorers.calibration.core.calibrate_deltas`.

    Returns:
        Satisfactions, calibration of the gaps, and adjusted satisfactions in the order given.
    """
    found = tuple(satisfaction_of(evaluation, weights) for evaluation in evaluations)
    rows = [
        {"auto": s.auto, "human": s.human, **{k: e[k] for k in ("labeled", "id") if e.get(k) is not None}}
        for s, e in zip(found, evaluations, strict=True)
        if s.gap is not None
    ]
    fitted = calibrate(rows, as_of, window_months=window_months, **rule)
    return SatisfactionCalibration(
        found, fitted, tuple(None if s.auto is None else adjust(s.auto, fitted) for s in found)
    )
