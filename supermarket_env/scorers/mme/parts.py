"""The trained parts shipped with the package: one file of small arrays, made by ``benchmarks/mme_train.py``."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.scorers.mme.ngram import Trigrams
from supermarket_env.scorers.mme.submetric import Bounds

FILE = "data/parts.npz"


class Parts(NamedTuple):
    """The arrays and a short hash of their file, which goes into every label."""

    arrays: Mapping[str, NDArray[Any]]
    sha: str


@lru_cache(maxsize=1)
def load_parts() -> Parts:
    """Return the shipped parts."""
    raw = files("supermarket_env.scorers.mme").joinpath(FILE).read_bytes()
    with np.load(io.BytesIO(raw)) as opened:
        arrays = {name: opened[name] for name in opened.files}
    return Parts(arrays, hashlib.sha256(raw).hexdigest()[:8])


@lru_cache(maxsize=1)
def trigrams() -> Trigrams:
    """Return the shipped word model."""
    return Trigrams(load_parts().arrays)


def bounds(name: str) -> Bounds:
    """Return the frozen bounds of a raw value."""
    low, high = load_parts().arrays[f"bounds_{name}"]
    return Bounds(float(low), float(high))


class Head:
    """A logistic model on features: the last number of its array is the constant."""

    def __init__(self, array: NDArray[Any]) -> None:
        """Take means, scales and weights, an array (3, features + 1)."""
        self._mean, self._scale, self._weight = array.astype(np.float64)

    def log_odds(self, features: Sequence[float]) -> float:
        """Return the log-odds of the positive class."""
        row = (np.append(np.asarray(features, dtype=np.float64), 1.0) - self._mean) / self._scale
        return float(row @ self._weight)


@lru_cache(maxsize=16)
def head(name: str) -> Head:
    """Return a shipped head."""
    return Head(load_parts().arrays[f"head_{name}"])


def judged(name: str, features: Sequence[float]) -> float:
    """Return what a head says on 0 to 1: its log-odds between the 1st and 99th percentile of the reference replies.

    The same order as the probability, but spread as the other sub-metrics are instead of crowding at 0 and 1.
    """
    return bounds(name).scaled(head(name).log_odds(features))


def fit_head(features: NDArray[np.float64], labels: NDArray[np.float64], ridge: float = 1e-3) -> NDArray[np.float64]:
    """Fit a logistic model by Newton steps.

    Args:
        features: (rows, features).
        labels: 0 or 1, one a row.
        ridge: Pull of the weights to zero, per row.

    Returns:
        The array of a :class:`Head`.
    """
    mean = np.append(features.mean(axis=0), 0.0)
    scale = np.append(np.maximum(features.std(axis=0), 1e-9), 1.0)
    rows = (np.column_stack([features, np.ones(len(features))]) - mean) / scale
    weight = np.zeros(rows.shape[1])
    pull = np.append(np.full(rows.shape[1] - 1, ridge), 0.0) * len(rows)
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weight, -30, 30)))
        slope = rows.T @ (chance - labels) + pull * weight
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + np.diag(pull + 1e-9)
        weight -= np.linalg.solve(curve, slope)
    return np.stack([mean, scale, weight])
