"""RM: is a reply one that could answer its context, or one that answers something else?

Three grades of machinery, by what is installed: words only, sentence vectors, sentence vectors and a language model.
Each has a logistic head trained to tell the reply people gave from the middle-ranked of ten other replies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supermarket_env.scorers.mme.likelihood import Likelihood
from supermarket_env.scorers.mme.minilm import Encoder
from supermarket_env.scorers.mme.parts import judged, load_parts
from supermarket_env.scorers.mme.submetric import Row
from supermarket_env.scorers.mme.text import words
from supermarket_env.scorers.mme.topic import topic_features, unit

Floats = NDArray[np.float64]


class Relatedness:
    """The sub-metric RM; None when the reply or the whole context is without words."""

    name = "RM"

    def __init__(self, encoder: Encoder | None = None, likelihood: Likelihood | None = None) -> None:
        """Take what is at hand; a language model is only used together with sentence vectors."""
        self._encoder = encoder
        self._likelihood = likelihood if encoder is not None else None
        self._head = "rm_words" if encoder is None else "rm_dual" if likelihood is None else "rm_dual_lm"
        used = [part.impl for part in (self._encoder, self._likelihood) if part is not None]
        kind = {"rm_words": "RM-words", "rm_dual": "RM-dual", "rm_dual_lm": "RM-dual-lm"}[self._head]
        self.impl = f"{kind}@{'+'.join([load_parts().sha, *used])}"

    def score(self, context: Sequence[str], response: str) -> float | None:
        """Return how related the reply is, 0 to 1."""
        return self.score_many([(context, response)])[0]

    def score_many(self, rows: Sequence[Row]) -> list[float | None]:
        """Return the score of each row."""
        able = [at for at, (context, response) in enumerate(rows) if words(response) and any(map(words, context))]
        chosen = [rows[at] for at in able]
        features = relatedness_features(chosen, self._encoder, self._likelihood)
        found: list[float | None] = [None] * len(rows)
        for at, row in zip(able, features, strict=True):
            found[at] = judged(self._head, row)
        return found


def relatedness_features(rows: Sequence[Row], encoder: Encoder | None, likelihood: Likelihood | None) -> Floats:
    """Return one line of features a row: of words; of sentence vectors; with a language model also of likelihood."""
    if not rows:
        return np.zeros((0, 0))
    if encoder is None:
        return np.array([word_features(context, response) for context, response in rows])
    columns = vector_features(rows, encoder)
    if likelihood is None:
        return columns
    return np.hstack([columns, likelihood_features(rows, likelihood)])


def word_features(context: Sequence[str], response: str) -> list[float]:
    """Return the features of the keyword graph (zeros without one) and whether there is one."""
    found = topic_features(context, response)
    return [*(found or [0.0] * 6), float(found is None)]


def vector_features(rows: Sequence[Row], encoder: Encoder) -> Floats:
    """Return what sentence vectors say: cosines with the two last utterances, and the trained pair score."""
    last = encoder.encode([context[-1] for context, _ in rows]).astype(np.float64)
    before = np.zeros_like(last)
    longer = [at for at, (context, _) in enumerate(rows) if len(context) > 1]
    if longer:
        before[longer] = encoder.encode([rows[at][0][-2] for at in longer])
    reply = encoder.encode([response for _, response in rows]).astype(np.float64)
    return pair_columns(last, before, reply)


def pair_columns(last: Floats, before: Floats, reply: Floats) -> Floats:
    """Return the columns of :func:`vector_features` from the vectors themselves, each (rows, 384)."""
    return np.column_stack([(last * reply).sum(axis=1), (before * reply).sum(axis=1), pair_scores(last, before, reply)])


def pair_scores(last: Floats, before: Floats, reply: Floats) -> Floats:
    """Return the cosine of context and reply in the trained space: what answers what, not what resembles what."""
    arrays = load_parts().arrays
    context = np.hstack([last, before]) @ arrays["dual_context"].astype(np.float64)
    out: Floats = (unit(context) * unit(reply @ arrays["dual_reply"].astype(np.float64))).sum(axis=1)
    return out


def likelihood_features(rows: Sequence[Row], likelihood: Likelihood) -> Floats:
    """Return how much the context helps to foresee the reply, by token and as a share of its surprise."""
    columns = []
    for given, alone in zip(likelihood.given(rows), likelihood.alone(rows), strict=True):
        if not len(given):
            columns.append([0.0, 1.0])
            continue
        columns.append([float(given.mean() - alone.mean()), float(given.sum() / min(alone.sum(), -1e-6))])
    return np.array(columns)
