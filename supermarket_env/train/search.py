"""The cross-entropy method, and the thresholds of the rule assistant as a point that it can search.

Every candidate of a generation plays the same fresh tasks with the same luck; the search distribution is fitted to the
best fifth. Nothing here needs more than NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.train.play import TaskStream

Floats = NDArray[np.float64]
Task = Any

ELITE: Final = 0.2
NOISE: Final = 0.25
"""Spread added to the search at the start, falling to nothing: keeps it from settling too early."""

WEIGHT_NAMES: Final = ("match", "brand", "quality", "price", "over_limit", "popularity", "size")
SWITCHES: Final = ("ask", "ask_for_more", "recommend", "explain", "guide", "shelf_hints", "paging")
COUNTS: Final = (
    ("questions_per_need", 0, 6),
    ("list_length", 1, 10),
    ("lists_per_need", 1, 10),
    ("goal_gap", 1, 12),
    ("ignored_moves", 1, 8),
    ("rest", 1, 12),
    ("listen_after", 1, 8),
    ("hush", 0, 8),
)
N_THRESHOLDS: Final = len(WEIGHT_NAMES) + len(SWITCHES) + len(COUNTS)
_EDGE: Final = 0.02
"""Shares are kept this far from 0 and 1 when a configuration is turned into a point."""

Score = Callable[[Floats, Sequence[Task]], float]


class Generation(NamedTuple):
    """How the search stands after a generation (number 0: before the first)."""

    number: int
    mean: Floats
    score: float
    """Score of the centre on the watched tasks."""
    episodes: int


def thresholds(x: Floats) -> dict[str, Any]:
    """Return the rule assistant's configuration at a point: 0 is the middle of every range, switches are on above 0."""
    a, b = len(WEIGHT_NAMES), len(WEIGHT_NAMES) + len(SWITCHES)
    share = 1.0 / (1.0 + np.exp(-np.asarray(x, dtype=np.float64)))
    config: dict[str, Any] = {"weights": {name: round(float(share[k]), 4) for k, name in enumerate(WEIGHT_NAMES)}}
    config |= {name: bool(x[a + k] > 0.0) for k, name in enumerate(SWITCHES)}
    for k, (name, low, high) in enumerate(COUNTS):
        config[name] = low + min(high - low, int((high - low + 1) * share[b + k]))
    return config


def point_of(config: RuleConfig | Mapping[str, Any] | None = None) -> Floats:
    """Return a point whose :func:`thresholds` are those of ``config`` (weights between 0.02 and 0.98).

    Args:
        config: The configuration; None is the one set by hand.
    """
    parsed = RuleConfig.parse(config)
    shares = [float(getattr(parsed.weights, name)) for name in WEIGHT_NAMES]
    signs = [1.0 if getattr(parsed, name) else -1.0 for name in SWITCHES]
    places = [(getattr(parsed, name) - low + 0.5) / (high - low + 1) for name, low, high in COUNTS]
    return np.array([*map(_logit, shares), *signs, *map(_logit, places)])


def _logit(share: float) -> float:
    cut = min(1.0 - _EDGE, max(_EDGE, share))
    return float(np.log(cut / (1.0 - cut)))


def search(
    score: Score,
    start: Floats,
    stream: TaskStream,
    *,
    generations: int,
    population: int,
    batch: int,
    seed: int,
    spread: float = 1.0,
    report: Callable[[Generation], None] | None = None,
) -> list[Generation]:
    """Search for a point with a high score; returns how the search went, the last entry is the result.

    Args:
        score: Mean score of a point on tasks.
        start: (n,) centre of the first generation.
        stream: Training tasks.
        generations: How many generations, >= 0.
        population: Candidates a generation, >= 2.
        batch: Tasks a generation.
        seed: Key of the draws.
        spread: Standard deviation of the first generation.
        report: Called after every generation.
    """
    rng = np.random.Generator(np.random.Philox(seed))
    mean, scale = np.array(start, dtype=np.float64), np.full(len(start), spread)
    best = max(2, round(ELITE * population))
    history = [Generation(0, mean, score(mean, stream.watched), 0)]
    for number in range(1, generations + 1):
        tasks = stream.batch(number - 1, batch)
        points: Floats = mean + scale * rng.standard_normal((population, len(mean)))
        results = np.array([score(point, tasks) for point in points])
        elite = points[np.argsort(-results, kind="stable")[:best]]
        mean = elite.mean(axis=0)
        scale = elite.std(axis=0) + spread * NOISE * (1.0 - number / generations)
        history.append(Generation(number, mean, score(mean, stream.watched), number * population * len(tasks)))
        if report is not None:
            report(history[-1])
    return history
