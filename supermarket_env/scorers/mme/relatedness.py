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
from supermarket_env.scorers.mme.topic import topic_features

Floats = NDArray[np.float64]


class Relatedness:
    """The sub-metric RM; None when the reply or the whole context is without words."""

    name = "RM"

    def __init__(self, encoder: Encoder | None = None, likelihood: Likelihood | None = None) -> None:
        """Take what is at hand; a language model is only used together with sentence vectors."""
        self._encoder = encoder
        self._likelihood = likelihood if encoder is not None else None
        self._head = "rm_words" if encoder is None else "rm_vector" if likelihood is None else "rm_lm"
        used = [part.impl for part in (self._encoder, self._likelihood) if part is not None]
        kind = self._head.replace("rm_", "RM-")
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
    """Return one line of features a row: of words; of sentence vectors; or of those and likelihood."""
    if not rows:
        return np.zeros((0, 0))
    if encoder is None:
        return np.array([word_features(context, response) for context, response in rows])
    columns = vector_features(rows, encoder)
    if likelihood is None:
        return columns
    return np.column_stack([columns, likelihood_features(rows, likelihood)])


def word_features(context: Sequence[str], response: str) -> list[float]:
    """Return the features of the keyword graph (zeros without one) and whether there is one."""
    found = topic_features(context, response)
    return [*(found or [0.0] * 6), float(found is None)]


def vector_features(rows: Sequence[Row], encoder: Encoder) -> Floats:
    """Return the cosine of the reply with the last utterance; what was said before it only blurs the picture."""
    last = encoder.encode([context[-1] for context, _ in rows])
    reply = encoder.encode([response for _, response in rows])
    out: Floats = (last * reply).sum(axis=1, keepdims=True).astype(np.float64)
    return out


def likelihood_features(rows: Sequence[Row], likelihood: Likelihood) -> Floats:
    """Return how surprising the reply is after its context, as a share of how surprising it is alone."""
    shares = [
        float(given.sum() / min(alone.sum(), -1e-6)) if len(given) else 1.0
        for given, alone in zip(likelihood.given(rows), likelihood.alone(rows), strict=True)
    ]
    return np.array(shares)[:, None]
