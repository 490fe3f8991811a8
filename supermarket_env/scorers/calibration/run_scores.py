"""The automatic scores of a run, to be compared with labels: by episode and metric, with the weights they came with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.scorers.files import read_scores, scores_path
from supermarket_env.scorers.sheets import value_in

DERIVED: Final = "user_satisfaction_weighted"
"""The weighted mean itself: a metric that can be labelled, but no part of its own mean."""
RATED: Final = "overall_satisfaction"
"""Rated on its own, so it takes part in the mean only where a weight says so."""


class RunScores(NamedTuple):
    """Scores of a run's episodes."""

    scores: Mapping[tuple[str, str], float]
    """By (episode, metric without its prefix); what is unscored is absent."""
    metrics: tuple[str, ...]
    """Every metric of the scorer, without prefix, in its order; also those it left unscored everywhere."""
    weights: Mapping[str, float]
    """Weights of the satisfaction the scorer wrote beside its scores; empty without any."""


def bare(metric: str) -> str:
    """Return a metric's name without the prefix of its scorer.

    >>> bare("va.truthfulness"), bare("truthfulness")
    ('truthfulness', 'truthfulness')
    """
    return metric.rpartition(".")[2]


def read_run_scores(run: Path, scorer: str) -> RunScores:
    """Read the scores a scorer wrote for a run.

    Args:
        run: Run directory.
        scorer: Name of the scores file, ``<name>@<version>``.

    Raises:
        ConfigError: If there are no such scores.
    """
    path = scores_path(run, scorer)
    if not path.is_file():
        have = sorted(p.stem for p in path.parent.glob("*.jsonl"))
        raise ConfigError(
            f"{path}: no such scores; there are: {', '.join(have) or 'none'} (supermarket score makes them)"
        )
    found: dict[tuple[str, str], float] = {}
    metrics: dict[str, None] = {}
    weights: dict[str, float] = {}
    for name, line in read_scores(path).items():
        values: Mapping[str, Any] = line.get("values") or {}
        weights = weights or dict((values.get("details") or {}).get("weights") or {})
        for score in values.get("scores") or ():
            metrics[bare(score["dim"])] = None
            value = value_in(values, score["dim"])
            if value is not None:
                found[name, bare(score["dim"])] = value
    return RunScores(found, tuple(metrics), weights)


def satisfaction_weights(
    given: Mapping[str, float], labelled: list[str], run: RunScores | None = None
) -> dict[str, float]:
    """Return the weights of the satisfaction.

    Args:
        given: Weights that were asked for; empty for the default. With a run these are the weights its scores were made
            with, none where the scorer has none (a judge's ratings are not averaged unasked); without a run 1 for
            every metric of the labels. The weighted satisfaction never takes part in itself.
        labelled: Metrics of the labels.
        run: Scores of a run.

    Raises:
        ConfigError: If a weight belongs to no metric, to the satisfaction itself, or all are 0.
    """
    # With a run its prefix may stand in the labels or not; without one a name is taken as it is.
    names = [bare(name) for name in labelled] if run is not None else labelled
    known = [name for name in dict.fromkeys([*names, *(run.metrics if run is not None else ())]) if name != DERIVED]
    if not given:
        if run is not None:
            return dict(run.weights)
        return dict.fromkeys((name for name in known if name != RATED), 1.0)
    weights = {bare(name) if run is not None else name: weight for name, weight in given.items()}
    for name in weights:
        if name == DERIVED:
            raise ConfigError(f"--weights: {DERIVED!r} is the weighted mean itself; valid: {', '.join(known)}")
        if name not in known:
            raise ConfigError(f"--weights: {unknown_name('metric', name, known)}")
    if not any(weights.values()):
        raise ConfigError("--weights: expected at least one above 0")
    return weights
