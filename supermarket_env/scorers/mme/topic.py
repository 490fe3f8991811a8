"""TCM: do the keywords of a reply belong with those of its context?

Keywords are nodes, edges run between context and reply only. An edge's strength says how much more often than by chance
a word answers another one in real conversations; one attention hop gathers the context at each word of the reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from supermarket_env.scorers.mme.minilm import Encoder
from supermarket_env.scorers.mme.parts import judged, load_parts, trigrams
from supermarket_env.scorers.mme.submetric import Row
from supermarket_env.scorers.mme.text import tidy, words

COMMON = 150
"""The most frequent words are no keywords."""
SHARPNESS = 8.0
"""Steepness of the attention over context words."""
CLOSE = 0.35
"""An edge at least this strong covers its word."""
Floats = NDArray[np.float64]


class TopicCoherence:
    """The sub-metric TCM; None where either side has no keyword."""

    name = "TCM"

    def __init__(self, encoder: Encoder | None = None) -> None:
        """Take sentence vectors if there are any: their cosine joins the features of the graph."""
        self._encoder = encoder
        used = [load_parts().sha, *([encoder.impl] if encoder is not None else [])]
        self.impl = f"TCM-1hop{'-vector' if encoder is not None else ''}@{'+'.join(used)}"

    def score(self, context: Sequence[str], response: str) -> float | None:
        """Return how well the keywords belong together, 0 to 1."""
        found = topic_features(context, response)
        if found is None:
            return None
        if self._encoder is None:
            return judged("tcm", found)
        last, reply = self._encoder.encode([context[-1], response])
        return judged("tcm_vector", [*found, float(last @ reply)])

    def score_many(self, rows: Sequence[Row]) -> list[float | None]:
        """Return the score of each row."""
        return [self.score(context, response) for context, response in rows]


@lru_cache(maxsize=1)
def word_vectors() -> tuple[Floats, Floats]:
    """Return the unit vectors of words in contexts and of words in replies, by frequency."""
    arrays = load_parts().arrays
    return unit(arrays["topic_left"].astype(np.float64)), unit(arrays["topic_right"].astype(np.float64))


def unit(rows: Floats) -> Floats:
    """Return rows scaled to length 1; rows of zeros stay."""
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    out: Floats = rows / np.maximum(length, 1e-12)
    return out


def keywords(text: str) -> dict[str, float]:
    """Return the rarer words of a text with their weights (minus log of their share)."""
    model = trigrams()
    found = {}
    for word in words(tidy(text)):
        number = model.numbers.get(word)
        if len(word) >= 3 and word.isalpha() and (number is None or number >= COMMON + 2):
            found[word] = weight_of(number)
    return found


def weight_of(number: int | None) -> float:
    """Return minus the log of a word's share; that of the rarest for unlisted words."""
    counts = load_parts().arrays["ngram_1"]
    count = float(counts[number]) if number is not None else 2.0
    return float(-np.log((count + 1) / counts.sum()))


def topic_features(context: Sequence[str], response: str) -> list[float] | None:
    """Return the features of the bipartite graph, None when a side is empty."""
    # The last utterance alone: topics change, and what a reply answers is the last thing said.
    left = keywords(context[-1]) if context else {}
    right = keywords(response)
    if not left or not right:
        return None
    edges = edge_strengths(list(left), list(right))
    share_right = np.array(list(right.values())) / sum(right.values())
    share_left = np.array(list(left.values())) / sum(left.values())
    attention = np.exp(SHARPNESS * (edges - edges.max(axis=0)))
    hop = (attention / attention.sum(axis=0) * edges).sum(axis=0)
    best = edges.max(axis=0)
    return [
        float(hop @ share_right),
        float(best @ share_right),
        float(edges.max(axis=1) @ share_left),
        float((best >= CLOSE) @ share_right),
        float(np.mean([_same(word, left) for word in right])),
        float(best.max()),
    ]


def edge_strengths(left: Sequence[str], right: Sequence[str]) -> Floats:
    """Return the strengths (left words, right words), -1 to 1; 1 for the same word or stem, 0 for unlisted ones."""
    model = trigrams()
    to, back = word_vectors()
    edges = np.zeros((len(left), len(right)))
    for i, first in enumerate(left):
        for j, second in enumerate(right):
            a, b = model.numbers.get(first), model.numbers.get(second)
            if _stem(first) == _stem(second):
                edges[i, j] = 1.0
            elif a is not None and b is not None and a - 2 < len(to) and b - 2 < len(back):
                edges[i, j] = float(to[a - 2] @ back[b - 2])
    return edges


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _same(word: str, others: dict[str, float]) -> bool:
    return _stem(word) in {_stem(other) for other in others}
