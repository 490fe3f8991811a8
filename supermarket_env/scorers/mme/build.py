"""The seven sub-metrics from what is installed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from supermarket_env.errors import ConfigError, MissingExtraError, unknown_name
from supermarket_env.scorers.mme.engagement import Engagement
from supermarket_env.scorers.mme.fluency import Fluency
from supermarket_env.scorers.mme.likelihood import Likelihood
from supermarket_env.scorers.mme.minilm import Encoder, MiniLM
from supermarket_env.scorers.mme.relatedness import Relatedness
from supermarket_env.scorers.mme.smollm import loaded
from supermarket_env.scorers.mme.specific import Surprise
from supermarket_env.scorers.mme.submetric import NAMES, SubMetric
from supermarket_env.scorers.mme.topic import TopicCoherence

Grade = Literal["auto", "words", "vectors", "full"]
GRADES: Final = ("auto", "words", "vectors", "full")
"""How much machinery: only shipped parts; with sentence vectors; with a language model too; or the most there is."""


@dataclass(frozen=True, slots=True)
class SubMetrics:
    """The seven in the order of :data:`NAMES`, and what was missing for better ones."""

    metrics: tuple[SubMetric, ...]
    notes: tuple[str, ...] = ()

    @property
    def impls(self) -> dict[str, str]:
        """The label of each by name."""
        return {metric.name: metric.impl for metric in self.metrics}


def make_submetrics(grade: Grade = "auto") -> SubMetrics:
    """Build the seven sub-metrics.

    Args:
        grade: One of :data:`GRADES`; ``auto`` takes what is installed and says in the notes what is not.

    Raises:
        ConfigError: For an unknown grade.
        MissingExtraError: When ``vectors`` or ``full`` is asked for and a package is absent.
    """
    if grade not in GRADES:
        raise ConfigError(unknown_name("grade of sub-metrics", grade, GRADES))
    notes: list[str] = []
    encoder: Encoder | None = None
    likelihood: Likelihood | None = None
    if grade != "words":
        try:
            encoder = MiniLM()
            if grade != "vectors":
                likelihood = Likelihood(loaded())
        except MissingExtraError as error:
            if grade != "auto":
                raise
            notes.append(str(error))
    metrics: tuple[SubMetric, ...] = (
        Fluency(),
        Relatedness(encoder, likelihood),
        TopicCoherence(encoder),
        Engagement(encoder),
        Surprise("NLL", likelihood),
        Surprise("NCE", likelihood),
        Surprise("PPL", likelihood),
    )
    return SubMetrics(metrics, tuple(notes))


def in_order(metrics: tuple[SubMetric, ...]) -> tuple[SubMetric, ...]:
    """Return sub-metrics of your own in the order of :data:`NAMES`.

    Raises:
        ConfigError: When one is missing, unknown or given twice.
    """
    by_name: dict[str, SubMetric] = {}
    for metric in metrics:
        if metric.name not in NAMES:
            raise ConfigError(unknown_name("sub-metric", metric.name, NAMES))
        if metric.name in by_name:
            raise ConfigError(f"sub-metric {metric.name!r} given twice")
        by_name[metric.name] = metric
    missing = [name for name in NAMES if name not in by_name]
    if missing:
        raise ConfigError(f"sub-metrics: missing {', '.join(missing)}")
    return tuple(by_name[name] for name in NAMES)
