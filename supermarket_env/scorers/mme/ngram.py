"""A small interpolated word trigram model: the language model that is always there.

Counts are kept in sorted integer arrays, so that the whole model is a few arrays of one file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supermarket_env.scorers.mme.text import words

UNKNOWN, EDGE = 0, 1
"""Numbers of every unlisted word, and of both ends of a text."""
DISCOUNT = 0.7
Counts = NDArray[np.int64]


class Trigrams:
    """Log-probabilities of words after the two before them, with absolute discounting."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take the arrays that :func:`train` makes."""
        self.numbers = {str(word): at + 2 for at, word in enumerate(arrays["ngram_words"])}
        self._size = len(self.numbers) + 2
        unigrams = arrays["ngram_1"].astype(np.float64)
        self.unigram = (unigrams + 0.5) / (unigrams + 0.5).sum()
        self._counts = tuple(_table(arrays[f"ngram_{n}_keys"], arrays[f"ngram_{n}_counts"]) for n in (2, 3))
        self._followed = tuple(_followed(table, self._size) for table in self._counts)

    def logprobs(self, text: str) -> list[float]:
        """Return the natural log-probability of each word and of the end; empty for a text without words."""
        found = self.encode(text)
        if not found:
            return []
        row = [EDGE, EDGE, *found, EDGE]
        return [float(np.log(self._probability(row[at - 2], row[at - 1], row[at]))) for at in range(2, len(row))]

    def encode(self, text: str) -> list[int]:
        """Return the word numbers of a text."""
        return [self.numbers.get(word, UNKNOWN) for word in words(text)]

    def knows_pair(self, first: int, second: int) -> bool:
        """Return whether two words were seen side by side."""
        return first * self._size + second in self._counts[0]

    def _probability(self, first: int, second: int, third: int) -> float:
        lower = self._interpolated(0, second, third, float(self.unigram[third]))
        return self._interpolated(1, first * self._size + second, third, lower)

    def _interpolated(self, order: int, history: int, word: int, lower: float) -> float:
        total, kinds = self._followed[order].get(history, (0, 0))
        if not total:
            return lower
        count = self._counts[order].get(history * self._size + word, 0)
        return (max(count - DISCOUNT, 0.0) + DISCOUNT * kinds * lower) / total


def _table(keys: Counts, counts: Counts) -> dict[int, int]:
    return dict(zip(keys.tolist(), counts.tolist(), strict=True))


def _followed(table: Mapping[int, int], size: int) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = {}
    for key, count in table.items():
        total, kinds = found.get(key // size, (0, 0))
        found[key // size] = (total + count, kinds + 1)
    return found


def train(texts: Iterable[str], *, vocabulary: int = 8000, least: Sequence[int] = (2, 3)) -> dict[str, NDArray[Any]]:
    """Count words, pairs and triples.

    Args:
        texts: Texts to learn from.
        vocabulary: Words kept: the most frequent.
        least: Pairs and triples seen less often than this are dropped.

    Returns:
        The arrays of a :class:`Trigrams`.
    """
    rows = [words(text) for text in texts]
    seen = Counter(word for row in rows for word in row)
    kept = sorted(sorted(seen), key=lambda word: -seen[word])[:vocabulary]
    numbers = {word: at + 2 for at, word in enumerate(kept)}
    size = len(numbers) + 2
    single = np.zeros(size, dtype=np.int32)
    tables: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
    for row in rows:
        line = [EDGE, EDGE, *(numbers.get(word, UNKNOWN) for word in row), EDGE]
        for at in range(2, len(line)):
            single[line[at]] += 1
            tables[0][line[at - 1] * size + line[at]] += 1
            tables[1][(line[at - 2] * size + line[at - 1]) * size + line[at]] += 1
    arrays: dict[str, NDArray[Any]] = {"ngram_words": np.array(kept), "ngram_1": single}
    for order, (table, low) in enumerate(zip(tables, least, strict=True), start=2):
        keys = sorted(key for key, count in table.items() if count >= low)
        arrays[f"ngram_{order}_keys"] = np.array(keys, dtype=np.int64)
        arrays[f"ngram_{order}_counts"] = np.array([table[key] for key in keys], dtype=np.int32)
    return arrays
