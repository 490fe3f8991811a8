"""What a sub-metric is, the frozen bounds that put it on 0 to 1, and the three specificities of token probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

import numpy as np

from supermarket_env.errors import ConfigError

NAMES: Final = ("FM", "RM", "TCM", "EM", "SM-NLL", "SM-NCE", "SM-PPL")
"""The seven sub-metrics, in the order of every list of values and weights."""

Row = tuple[Sequence[str], str]
"""The utterances before a reply, oldest first, and the reply."""


@runtime_checkable
class SubMetric(Protocol):
    """One sub-metric. Bring your own: any object with these members."""

    name: str
    """One of :data:`NAMES`."""
    impl: str
    """What computes it, with version: ``RM-dual@minilm-int8-1.0.0``."""

    def score(self, context: Sequence[str], response: str) -> float | None:
        """Return a value from 0 to 1, None where it is not defined."""
        ...


@runtime_checkable
class BatchSubMetric(SubMetric, Protocol):
    """A sub-metric that is quicker on many replies at once."""

    def score_many(self, rows: Sequence[Row]) -> list[float | None]:
        """Return what :meth:`SubMetric.score` gives for each row."""
        ...


def scores_of(metric: SubMetric, rows: Sequence[Row]) -> list[float | None]:
    """Return a sub-metric's values for many replies, each checked to lie in 0 to 1.

    Raises:
        ConfigError: When a value is not finite or leaves 0 to 1.
    """
    if isinstance(metric, BatchSubMetric):
        values = metric.score_many(rows)
    else:
        values = [metric.score(context, response) for context, response in rows]
    for value in values:
        if value is not None and not 0 <= value <= 1:
            raise ConfigError(f"{metric.name} ({metric.impl}): expected a value from 0 to 1 or None, got {value!r}")
    return values


class Bounds(NamedTuple):
    """The frozen range of a raw value: below is 0, above is 1."""

    low: float
    high: float

    def scaled(self, value: float) -> float:
        """Return a raw value on 0 to 1.

        >>> Bounds(4, 8).scaled(6.0)
        0.5
        """
        if self.high <= self.low:
            return 0.5
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


def percentile_bounds(values: Sequence[float], low: float = 1, high: float = 99) -> Bounds:
    """Return the bounds of reference values: their 1st and 99th percentiles (25 and 75 give those of USL-H).

    Raises:
        ConfigError: Without a finite value.
    """
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        raise ConfigError("bounds: expected at least one finite reference value")
    return Bounds(float(np.percentile(finite, low)), float(np.percentile(finite, high)))


class Specificity(NamedTuple):
    """Three readings of the same token probabilities; NCE runs opposite to the other two."""

    nll: float
    """Minus the sum of the log-probabilities: grows with length."""
    nce: float
    """Their mean."""
    ppl: float
    """exp of minus their mean."""


def specificity(token_logprobs: Sequence[float]) -> Specificity | None:
    """Return NLL, NCE and PPL of a text's tokens.

    Args:
        token_logprobs: Natural log-probabilities, each <= 0.

    Returns:
        None for a text without tokens.

    Raises:
        ConfigError: For a positive or undefined log-probability.

    >>> specificity([-1.0, -2.0, -3.0])
    Specificity(nll=6.0, nce=-2.0, ppl=7.38905609893065)
    """
    values = [float(value) for value in token_logprobs]
    if not values:
        return None
    for value in values:
        if not value <= 0:
            raise ConfigError(f"log-probability: expected at most 0, got {value!r}")
    mean = sum(values) / len(values)
    return Specificity(0.0 - sum(values), mean, math.exp(min(-mean, 700.0)))
