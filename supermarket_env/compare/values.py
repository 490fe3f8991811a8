"""What two assistants can be compared by: one number per episode, with its unit and which way is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.metrics.figures import bought_at_checkout
from supermarket_env.metrics.pairing import Partners, uplift_of
from supermarket_env.metrics.row import SILENT, EpisodeRow

PRIMARY = "NS_uplift"
"""The figure that assistants are ranked by, declared before any run."""


@dataclass(frozen=True, slots=True)
class Value:
    """One figure of an episode."""

    name: str
    unit: str
    of: Callable[[EpisodeRow, Partners], float | None]
    """The number of an episode, ``None`` where it is undefined; the second argument holds the reference's episodes."""
    scale: float = 1.0
    """What the numbers are multiplied with for show: 100 for shares in percent."""
    binary: bool = False
    bounded: bool = True
    """Whether two episodes of a task can differ by 1 at most (before scaling)."""
    more_is_better: bool = True
    digits: int = 3


def _uplift(row: EpisodeRow, index: Partners) -> float | None:
    if row.agent == SILENT:
        return None if row.truth.need_satisfaction is None else 0.0
    return uplift_of(row, index)


def _flag(value: bool | None) -> float | None:
    return None if value is None else float(value)


def _count(value: int | None) -> float | None:
    return None if value is None else float(value)


VALUES: Mapping[str, Value] = {
    value.name: value
    for value in (
        Value(PRIMARY, "0..1", _uplift),
        Value("NS", "0..1", lambda row, _: row.truth.need_satisfaction),
        Value("SR_complete", "%", lambda row, _: _flag(row.truth.complete), 100.0, binary=True, digits=1),
        Value("SR", "%", lambda row, _: float(row.success), 100.0, binary=True, digits=1),
        Value("checkout_rate", "%", lambda row, _: float(bought_at_checkout(row)), 100.0, binary=True, digits=1),
        Value("Turn", "turns", lambda row, _: float(row.turns), bounded=False, more_is_better=False, digits=2),
        Value("R@5", "0..1", lambda row, _: row.ranking.recall),
        Value("NDCG@10", "0..1", lambda row, _: row.ranking.ndcg),
        Value(
            "violations",
            "per trip",
            lambda row, _: _count(row.truth.hard_violations),
            bounded=False,
            more_is_better=False,
        ),
        Value("walked", "m", lambda row, _: row.walked_m, bounded=False, more_is_better=False, digits=1),
        Value("cost", "per trip", lambda row, _: row.cost, bounded=False, more_is_better=False, digits=4),
    )
}
"""Everything `supermarket compare` knows, in the order of its tables."""

SUCCESSES = tuple(name for name, value in VALUES.items() if value.binary)
"""The figures that call an episode a success or not; pass^k is made from them."""


def value_named(name: str) -> Value:
    """Return a value by name.

    Raises:
        ConfigError: For an unknown name, with the nearest.
    """
    if name not in VALUES:
        raise ConfigError(unknown_name("figure", name, VALUES))
    return VALUES[name]
