"""EM: would people find the conversation interesting that this reply is part of?

Learned from the 1 to 10 ratings that the speakers of real chats gave each other for being interesting. A weak signal: a
rating is of a whole chat, a reply is one line of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supermarket_env.scorers.mme.minilm import Encoder
from supermarket_env.scorers.mme.parts import bounds, load_parts, trigrams
from supermarket_env.scorers.mme.submetric import Row
from supermarket_env.scorers.mme.text import tidy, words

Floats = NDArray[np.float64]


class Engagement:
    """The sub-metric EM; None for a reply without words."""

    name = "EM"

    def __init__(self, encoder: Encoder | None = None) -> None:
        """Take the sentence vectors, or only the surface of the words without them."""
        self._encoder = encoder
        self._weights = load_parts().arrays["em_vector" if encoder is not None else "em_words"].astype(np.float64)
        self._bounds = bounds("em_vector" if encoder is not None else "em_words")
        kind = "EM-words" if encoder is None else "EM-vector"
        self.impl = f"{kind}@{'+'.join([load_parts().sha, *([encoder.impl] if encoder is not None else [])])}"

    def score(self, context: Sequence[str], response: str) -> float | None:
        """Return how engaging the reply is, 0 to 1; the context is not read."""
        return self.score_many([(context, response)])[0]

    def score_many(self, rows: Sequence[Row]) -> list[float | None]:
        """Return the score of each row."""
        able = [at for at, (_, response) in enumerate(rows) if words(response)]
        found: list[float | None] = [None] * len(rows)
        if able:
            texts = [rows[at][1] for at in able]
            columns = surface(texts)
            if self._encoder is not None:
                columns = np.hstack([columns, self._encoder.encode(texts)])
            raw = np.column_stack([columns, np.ones(len(texts))]) @ self._weights
            for at, value in zip(able, raw, strict=True):
                found[at] = self._bounds.scaled(float(value))
        return found


def surface(texts: Sequence[str]) -> Floats:
    """Return what the surface tells: length, questions, exclamations, talk of oneself and the other, rareness."""
    lines = []
    for text in texts:
        told = words(tidy(text)) or ["."]
        numbers = trigrams().encode(" ".join(told)) or [0]
        rare = float(np.mean([-np.log(trigrams().unigram[n]) for n in numbers]))
        lines.append(
            [
                min(float(np.log(len(told))), 4.0),
                float("?" in text),
                float("!" in text),
                float(any(word in ("i", "i'm", "my", "me") for word in told)),
                float(any(word in ("you", "your", "you're") for word in told)),
                rare,
            ]
        )
    return np.array(lines)
