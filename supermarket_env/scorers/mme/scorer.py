"""The scorer ``mme``: seven sub-metrics and their composite for every reply of an episode."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supermarket_env.events.episode import Episode
from supermarket_env.scorers.base import Cost, Score, ScoreSheet, replies_of, unscored, wording_note
from supermarket_env.scorers.mme.build import Grade, SubMetrics, make_submetrics
from supermarket_env.scorers.mme.composition import composite
from supermarket_env.scorers.mme.submetric import NAMES, Row, scores_of
from supermarket_env.scorers.mme.weights import Weights, load_weights, mean_of, mismatches

COMPOSITE = "composite"
MEAN_NOTE = "no weights given: the composite is the plain mean of the sub-metrics (MME-Avg)"


class MmeScorer:
    """Scores replies; an episode's score is the mean over its replies.

    Args:
        submetrics: The seven sub-metrics.
        weights: Weights made by ``supermarket mme fit``; None makes the composite the plain mean.
        version: Version; raised whenever the same episode may score otherwise.
    """

    name = "mme"

    def __init__(self, submetrics: SubMetrics, weights: Weights | None = None, version: str = "1") -> None:
        self._submetrics = submetrics
        self._weights = weights
        self.version = version
        self.notes = (
            *submetrics.notes,
            *(mismatches(weights, submetrics.impls) if weights is not None else [MEAN_NOTE]),
        )

    def score(self, episode: Episode) -> ScoreSheet:
        """Return ``mme.composite`` and the seven sub-metrics as means over the replies, from 0 to 1."""
        replies = [reply for reply in replies_of(episode) if reply.text]
        table = self._table([([text for _, text in reply.context], reply.text) for reply in replies])
        note = wording_note(episode.agent)
        notes = (*self.notes, *([note] if note is not None else []))
        scores = []
        for name in (COMPOSITE, *NAMES):
            values = [value for row in table if (value := row[name]) is not None]
            if values:
                told = f"mean over {len(values)} of {len(replies)} replies"
                scores.append(Score(f"mme.{name}", sum(values) / len(values), explanation=told, notes=notes))
            else:
                reason = "no reply has words" if not replies else "not defined for any reply"
                scores.append(unscored(f"mme.{name}", reason, notes=notes))
        turns = [{"turn": reply.turn, **row} for reply, row in zip(replies, table, strict=True)]
        return ScoreSheet(tuple(scores), {"impl": self._submetrics.impls, "turns": turns}, Cost())

    def score_reply(self, context: Sequence[str], reply: str) -> Score:
        """Return the composite of one reply, 0 to 1; the sub-metrics stand in the explanation."""
        row = self._table([(context, reply)])[0]
        if row[COMPOSITE] is None:
            return unscored("mme.composite", "no sub-metric is defined for the reply", notes=self.notes)
        told = ", ".join(f"{name} {'n/a' if row[name] is None else format(row[name], '.2f')}" for name in NAMES)
        return Score("mme.composite", row[COMPOSITE], explanation=told, notes=self.notes)

    def _table(self, rows: Sequence[Row]) -> list[dict[str, float | None]]:
        columns = [scores_of(metric, rows) for metric in self._submetrics.metrics]
        table: list[dict[str, float | None]] = []
        for values in zip(*columns, strict=True):
            whole = mean_of(values) if self._weights is None else composite(values, self._weights.row())
            table.append({COMPOSITE: whole, **dict(zip(NAMES, values, strict=True))})
        return table


def make_scorer(weights: str | None = None, grade: Grade = "vectors") -> MmeScorer:
    """Build the scorer from what is installed.

    Args:
        weights: A file made by ``supermarket mme fit``.
        grade: How much machinery, see :data:`~supermarket_env.scorers.mme.build.GRADES`. The default reads no language
            model, which takes about half a second a reply; it falls back to words where MiniLM is not installed.

    Raises:
        ConfigError: For an unknown grade or a bad file of weights.
        MissingExtraError: For ``full`` without its packages.
    """
    submetrics = _with_fallback(grade)
    read = None if weights is None else load_weights(Path(weights))
    facts: list[Any] = [sorted(submetrics.impls.items()), None if read is None else read.row()]
    # What was computed with other parts, packages or weights is another version.
    return MmeScorer(submetrics, read, f"1.{hashlib.sha256(repr(facts).encode()).hexdigest()[:8]}")


def _with_fallback(grade: Grade) -> SubMetrics:
    from supermarket_env.errors import MissingExtraError

    if grade != "vectors":
        return make_submetrics(grade)
    try:
        return make_submetrics("vectors")
    except MissingExtraError as error:
        return SubMetrics(make_submetrics("words").metrics, (str(error),))
