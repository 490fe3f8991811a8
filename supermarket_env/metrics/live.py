"""The hook that computes figures while episodes run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from supermarket_env.events.episode import Episode
from supermarket_env.events.hooks import Hook
from supermarket_env.metrics.aggregate import aggregate
from supermarket_env.metrics.figures import DEFAULT_HORIZONS
from supermarket_env.metrics.groups import grouped_rows
from supermarket_env.metrics.row import EpisodeRow, episode_row


class MetricsHook(Hook):
    """Keep one row per finished episode; figures on demand, equal to those of the log to the last bit.

    Args:
        tolerance: See :func:`supermarket_env.metrics.compute`.
    """

    def __init__(self, *, tolerance: float = 0.0) -> None:
        self.rows: list[EpisodeRow] = []
        self.tolerance = tolerance

    def on_episode_end(self, episode: Episode) -> None:
        """Add the episode's row."""
        self.rows.append(episode_row(episode, tolerance=self.tolerance))

    def result(
        self,
        *,
        horizons: Iterable[int] = DEFAULT_HORIZONS,
        by: Iterable[str] = (),
        intervals: bool = False,
    ) -> dict[str, Any]:
        """Return the figures of the episodes so far; with ``by`` or ``intervals`` as ``grouped`` gives them."""
        keys = tuple(by)
        if keys or intervals:
            return grouped_rows(self.rows, keys, horizons=horizons, intervals=intervals)
        return aggregate(self.rows, horizons=horizons)
