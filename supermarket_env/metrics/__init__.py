"""Every figure of an evaluation as a pure function of the episode log."""

from supermarket_env.metrics.aggregate import aggregate, compute, rows_of
from supermarket_env.metrics.figures import DEFAULT_HORIZONS
from supermarket_env.metrics.groups import GROUP_KEYS, grouped
from supermarket_env.metrics.live import MetricsHook
from supermarket_env.metrics.row import EpisodeRow, episode_row
from supermarket_env.metrics.stream import StreamingMetrics

DEFINITION_VERSION = "1"
"""Raised whenever a figure's definition changes; recorded in every run's manifest."""

METRICS_VERSION = "1"
"""Version of the definitions; raised when a figure comes to mean something else."""

__all__ = [
    "DEFAULT_HORIZONS",
    "DEFINITION_VERSION",
    "GROUP_KEYS",
    "METRICS_VERSION",
    "EpisodeRow",
    "MetricsHook",
    "StreamingMetrics",
    "aggregate",
    "compute",
    "episode_row",
    "grouped",
    "rows_of",
]
