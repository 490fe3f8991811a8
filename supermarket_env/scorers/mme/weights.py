"""Fit weights on rated replies, keep them in a file, and compare every score with people."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.mme.composition import (
    FEW_ROWS,
    LEAST_ROWS,
    Negatives,
    composite,
    crs_average,
    crs_power,
    crs_weights,
    is_informative,
)
from supermarket_env.scorers.mme.ratings import RatedReply
from supermarket_env.scorers.mme.submetric import NAMES, SubMetric, scores_of

QUALITY: Final = "overall"
VERSION: Final = 1
Values = list[list[float | None]]
"""One list a reply, one value a sub-metric."""


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a fit gives; written as JSON."""

    weights: dict[str, float]
    """By sub-metric; they sum to 1."""
    impl: dict[str, str]
    """What computed each sub-metric: weights belong to these alone."""
    correlations: dict[str, dict[str, float | None]]
    """By dataset and sub-metric."""
    n: dict[str, int]
    """Rated replies by dataset."""
    power: float
    negatives: str
    version: int = VERSION
    warnings: list[str] = []

    def row(self) -> tuple[float, ...]:
        """Return the weights in the order of the seven names."""
        return tuple(self.weights[name] for name in NAMES)


def values_of(replies: Sequence[RatedReply], metrics: Sequence[SubMetric]) -> Values:
    """Return the seven values of each reply."""
    rows = [(reply.context, reply.response) for reply in replies]
    columns = [scores_of(metric, rows) for metric in metrics]
    return [list(row) for row in zip(*columns, strict=True)]


def fit_weights(
    replies: Sequence[RatedReply],
    values: Values,
    impl: Mapping[str, str],
    *,
    power: float | None = 2,
    negatives: Negatives = "clip",
) -> Weights:
    """Fit weights by correlation re-scaling, averaged over the datasets.

    Args:
        replies: Rated replies, at least 30 of each dataset.
        values: Their seven values, see :func:`values_of`.
        impl: The labels of the sub-metrics.
        power: The exponent; None for the smallest whole one whose largest weight is at least a third.
        negatives: What a negative correlation becomes.

    Raises:
        ConfigError: When a dataset has fewer than 30 rated replies, or an option is unknown.
    """
    names = list(dict.fromkeys(reply.dataset for reply in replies))
    correlations: dict[str, dict[str, float | None]] = {}
    counts: dict[str, int] = {}
    told: list[str] = []
    for name in names:
        at = [i for i, reply in enumerate(replies) if reply.dataset == name]
        counts[name] = len(at)
        if len(at) < LEAST_ROWS:
            raise ConfigError(
                f"dataset {name!r}: expected at least {LEAST_ROWS} rated replies to fit on, got {len(at)}"
            )
        if len(at) < FEW_ROWS:
            told.append(
                f"dataset {name!r}: only {len(at)} rated replies; a correlation of 0.1 is noise below {FEW_ROWS}"
            )
        human = [replies[i].human for i in at]
        correlations[name] = {
            metric: rank_correlation([values[i][k] for i in at], human) for k, metric in enumerate(NAMES)
        }
    table = {name: {QUALITY: [correlations[name][metric] for metric in NAMES]} for name in names}
    if power is None:
        power = max(crs_power(row[QUALITY]) for row in table.values())
    told += [note for name in names if (note := _uninformative(name, table[name][QUALITY], power, negatives))]
    found = crs_average(table, power, negatives)[QUALITY]
    by_name = dict(zip(NAMES, found, strict=True))
    return Weights(by_name, dict(impl), correlations, counts, float(power), negatives, warnings=told)


def _uninformative(name: str, correlations: list[float | None], power: float, negatives: Negatives) -> str:
    """Return what to say of a dataset on which no sub-metric agrees with people; empty where one does."""
    if is_informative(correlations):
        return ""
    made = crs_weights(correlations, power, negatives)
    # Only clipping always leaves nothing: the other ways make weights of the disagreement.
    shown = (
        "weights are uniform"
        if len(set(made)) == 1 and made[0] > 0
        else f"weights come from disagreement (negatives: {negatives})"
    )
    return f"dataset {name!r}: CRS uninformative: no sub-metric agrees with people, {shown}"


def rank_correlation(values: Sequence[float | None], human: Sequence[float]) -> float | None:
    """Return Spearman's rho over the replies that have a value; None for fewer than 3 or a constant side."""
    from scipy.stats import spearmanr

    pairs = [(value, rated) for value, rated in zip(values, human, strict=True) if value is not None]
    if len(pairs) < 3 or len({a for a, _ in pairs}) == 1 or len({b for _, b in pairs}) == 1:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = float(spearmanr(*zip(*pairs, strict=True)).statistic)
    return found if np.isfinite(found) else None


def mean_of(values: Sequence[float | None]) -> float | None:
    """Return the plain mean of the values there are: the baseline a composite has to beat."""
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def agreement(replies: Sequence[RatedReply], values: Values, weights: Weights) -> dict[str, Any]:
    """Return the rank correlations with people: composite, plain mean and every sub-metric.

    Returns:
        ``n``, ``spearman`` over all replies together, ``spearman_mean`` (the mean of the datasets' correlations, which
        says nothing of how datasets differ from each other), ``NLL_length`` (rank correlation of SM-NLL with the words
        of a reply: it is a sum and grows with them) and ``by_dataset`` with the same of each. None where undefined.
    """
    names = list(dict.fromkeys(reply.dataset for reply in replies))
    by_dataset = {}
    for name in names:
        at = [i for i, reply in enumerate(replies) if reply.dataset == name]
        by_dataset[name] = _agreement([replies[i] for i in at], [values[i] for i in at], weights)
    whole = _agreement(replies, values, weights)
    means = {key: mean_of([part["spearman"][key] for part in by_dataset.values()]) for key in whole["spearman"]}
    return {**whole, "spearman_mean": means, "by_dataset": by_dataset}


def _agreement(replies: Sequence[RatedReply], values: Values, weights: Weights) -> dict[str, Any]:
    human = [reply.human for reply in replies]
    columns: dict[str, list[float | None]] = {
        "composite": [composite(row, weights.row()) for row in values],
        "mean": [mean_of(row) for row in values],
    }
    columns |= {metric: [row[k] for row in values] for k, metric in enumerate(NAMES)}
    lengths = [float(len(reply.response.split())) for reply in replies]
    return {
        "n": len(human),
        "spearman": {name: rank_correlation(column, human) for name, column in columns.items()},
        "NLL_length": rank_correlation(columns["SM-NLL"], lengths),
    }


def save_weights(weights: Weights, path: Path) -> None:
    """Write weights as JSON.

    Raises:
        ConfigError: When the file cannot be written.
    """
    text = json.dumps(msgspec.to_builtins(weights), indent=1, sort_keys=True) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error}") from error


def load_weights(path: Path) -> Weights:
    """Read weights.

    Raises:
        ConfigError: When the file is absent, broken or of another version, or its weights do not fit the names.
    """
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Weights)
    except (OSError, msgspec.MsgspecError) as error:
        raise ConfigError(f"{path}: expected weights made by `supermarket mme fit`: {error}") from error
    if found.version != VERSION:
        raise ConfigError(f"{path}: expected weights of version {VERSION}, got {found.version}")
    if set(found.weights) != set(NAMES) or not all(np.isfinite(value) for value in found.weights.values()):
        raise ConfigError(f"{path}: expected one finite weight for each of {', '.join(NAMES)}")
    return found


def mismatches(weights: Weights, impl: Mapping[str, str]) -> list[str]:
    """Return a sentence for each sub-metric that is not the one the weights were fitted on."""
    return [
        f"{name}: the weights were fitted on {weights.impl.get(name)}, here it is {impl[name]}"
        for name in NAMES
        if weights.impl.get(name) != impl[name]
    ]
