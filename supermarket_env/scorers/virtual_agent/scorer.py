"""The eight virtual-agent metrics and the weighted user satisfaction as a scorer."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any, Final

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.events.episode import Episode
from supermarket_env.scorers.base import Cost, Score, Scorer, ScoreSheet, unscored, wording_note
from supermarket_env.scorers.calibration.satisfaction import weighted_mean
from supermarket_env.scorers.judge.llm import LanguageModelJudge, load_model
from supermarket_env.scorers.judge.trip import read_trip
from supermarket_env.scorers.virtual_agent.metrics import JUDGED, METRICS, PREFIX, RUBRIC, RULES

VERSION: Final = "1"
SATISFACTION: Final = f"{PREFIX}user_satisfaction_weighted"
"""Derived from the other metrics; not the judge's ``overall_satisfaction``, which is rated on its own."""


class VirtualAgentScorer:
    """Scores 1..5 with fractions; conciseness and coherence only with a judge."""

    name = "virtual_agent"

    def __init__(self, weights: Mapping[str, float], judge: LanguageModelJudge | None = None) -> None:
        self._weights = dict(weights)
        self._judge = judge
        parts = [VERSION]
        if any(weight != 1.0 for weight in self._weights.values()) or set(self._weights) != set(METRICS):
            digest = hashlib.sha256(json.dumps(self._weights, sort_keys=True).encode()).hexdigest()
            parts.append(f"w{digest[:6]}")
        if judge is not None:
            parts.append(judge.version)
        self.version = "-".join(parts)

    def score(self, episode: Episode) -> ScoreSheet:
        """Return the eight metrics and the weighted satisfaction."""
        trip = read_trip(episode)
        judged, cost = self._judged(episode)
        scores = []
        for name in METRICS:
            if name in RULES:
                rule = RULES[name]
                scores.append(
                    rule(trip, episode) if trip.turns else unscored(PREFIX + name, "the assistant had no turn")
                )
            else:
                scores.append(judged[name])
        found = {s.dim.removeprefix(PREFIX): float(s.value) for s in scores if s.value is not None}
        total = weighted_mean(found, self._weights)
        if total is None:
            scores.append(unscored(SATISFACTION, "no metric with a weight is scored"))
        else:
            words = f"weighted mean of {', '.join(name for name in METRICS if name in found)}"
            scores.append(Score(SATISFACTION, total, explanation=words))
        return ScoreSheet(tuple(scores), {"weights": self._weights}, cost)

    def _judged(self, episode: Episode) -> tuple[dict[str, Score], Cost]:
        """Return the metrics only a reader can score, means over the samples."""
        note = wording_note(episode.agent)
        notes = (note,) if note else ()
        if self._judge is None:
            return {
                name: unscored(PREFIX + name, "needs a judge (option model)", notes=notes) for name in JUDGED
            }, Cost()
        sheet = self._judge.score(episode)
        found = {}
        for name in JUDGED:
            values = [float(s.value) for s in sheet.scores if s.dim == name and s.value is not None]
            if values:
                found[name] = Score(PREFIX + name, math.fsum(values) / len(values), explanation="judged", notes=notes)
            else:
                found[name] = unscored(PREFIX + name, "the judge gave no readable rating", notes=notes)
        return found, sheet.cost


def make_scorer(
    weights: Mapping[str, float] | None = None, model: Any = None, samples: int = 3, seed: int = 0
) -> Scorer:
    """Build the scorer.

    Args:
        weights: Weights of the metrics in the satisfaction, 0 or more; by default each 1. Metrics left out weigh 0.
        model: Judge of conciseness and coherence, see the judge's ``llm`` backend; None leaves them unscored.
        samples: Answers per question of the judge.
        seed: Seed of the judge's answers.

    Raises:
        ConfigError: If a metric is unknown, a weight is no number of 0 or more, or all are 0.
    """
    chosen = dict.fromkeys(METRICS, 1.0) if weights is None else dict(weights)
    for name, weight in chosen.items():
        if name not in METRICS:
            raise ConfigError(unknown_name("metric", str(name), METRICS))
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            raise ConfigError(f"weights.{name}: expected a number of 0 or more, got {weight!r}")
    if not any(chosen.values()):
        raise ConfigError("weights: expected at least one above 0")
    judge = None
    if model is not None:
        judge = LanguageModelJudge(load_model(model), samples=samples, seed=seed, questions=[JUDGED], rubric=RUBRIC)
    return VirtualAgentScorer({name: float(weight) for name, weight in chosen.items()}, judge)
