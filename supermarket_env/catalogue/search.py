"""Text search over a catalogue: BM25 on words, with misspelt words mended first.

The index is made at the first search and kept with the catalogue. All results are deterministic: equal scores are
ordered by product number.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import bm25s
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from supermarket_env.catalogue.schema import ATTRIBUTES

if TYPE_CHECKING:
    from supermarket_env.catalogue.schema import Catalogue

# bm25s sets its own logger to DEBUG, which would show in every program that configures logging.
logging.getLogger("bm25s").setLevel(logging.WARNING)

_WORD = re.compile(r"[a-z0-9]+")
_STOP = frozenset(
    ["a", "an", "and", "for", "i", "in", "me", "need", "of", "or", "please", "some", "the", "to", "want", "with"]
)
_MEND_CUTOFF = 78.0
"""Least similarity (0-100) at which an unknown word is taken for a known one."""
_TYPE_CUTOFF = 72.0
"""Least similarity (0-100) at which a text is taken for a product type."""
_CACHE = 4096


def words_of(text: str) -> list[str]:
    """Return the search words of a text: lower case, no accents, no stop words, plural endings cut.

    >>> words_of("The Fresh Strawberries, 2 boxes of Crème")
    ['fresh', 'strawberry', '2', 'box', 'creme']
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return [_singular(word) for word in _WORD.findall(plain.replace("'", "")) if word not in _STOP]


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("oes", "shes", "ches", "xes", "sses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


class SearchIndex:
    """BM25 index of one catalogue and its fuzzy list of type names."""

    def __init__(self, catalogue: Catalogue) -> None:
        attribute_words = [words_of(name.replace("_", " ")) for name in ATTRIBUTES]
        type_words = [
            words_of(" ".join((t.name, t.name, t.aisle, t.department, *catalogue.synonyms.get(t.name, ()))))
            for t in catalogue.types
        ]
        documents: list[list[str]] = []
        for number, name in enumerate(catalogue.names):
            words = words_of(name) + type_words[int(catalogue.type_idx[number])]
            mask = int(catalogue.attr_mask[number])
            bit = 0
            while mask:
                if mask & 1:
                    words += attribute_words[bit]
                mask >>= 1
                bit += 1
            documents.append(words)
        self._vocabulary = sorted({word for words in documents for word in words})
        word_number = {word: i for i, word in enumerate(self._vocabulary)}
        self._known = word_number
        self._bm25 = bm25s.BM25(dtype="float32")
        if documents:
            token_ids = [[word_number[word] for word in words] for words in documents]
            self._bm25.index((token_ids, word_number), show_progress=False)
        self._n_products = len(documents)
        self._type_texts: list[str] = []
        self._type_of_text: list[int] = []
        for number, kind in enumerate(catalogue.types):
            for text in (kind.name, *catalogue.synonyms.get(kind.name, ())):
                self._type_texts.append(" ".join(words_of(text)) or text.lower())
                self._type_of_text.append(number)
        self._cached_search = lru_cache(maxsize=_CACHE)(self._search)
        self._cached_find = lru_cache(maxsize=_CACHE)(self._find_type)

    def search(self, query: str, k: int, within: range | None) -> list[int]:
        """Return at most ``k`` product numbers, best first; only numbers of ``within`` when it is given."""
        if k <= 0 or not self._n_products:
            return []
        return list(self._cached_search(query, k, within))

    def find_type(self, text: str) -> int | None:
        """Return the type number that ``text`` names, or None."""
        return self._cached_find(text)

    def _mended(self, words: Sequence[str]) -> list[str]:
        mended: list[str] = []
        for word in words:
            if word in self._known:
                mended.append(word)
            elif len(word) > 3:
                found = process.extractOne(word, self._vocabulary, scorer=fuzz.ratio, score_cutoff=_MEND_CUTOFF)
                if found is not None:
                    mended.append(found[0])
        return mended

    def _search(self, query: str, k: int, within: range | None) -> tuple[int, ...]:
        words = self._mended(words_of(query))
        if not words:
            return ()
        scores: NDArray[np.float32] = self._bm25.get_scores(words)
        offset = 0
        if within is not None:
            scores, offset = scores[within.start : within.stop], within.start
        hits = np.flatnonzero(scores > 0)
        # Rounded, so that the order of equal products does not hang on the last bit of a float32 sum.
        order = np.lexsort((hits, -np.round(scores[hits].astype(np.float64), 4)))[:k]
        return tuple(int(hits[i]) + offset for i in order)

    def _find_type(self, text: str) -> int | None:
        words = words_of(text)
        wanted = " ".join(words)
        if not wanted:
            return None
        if wanted in self._type_texts:
            return self._type_of_text[self._type_texts.index(wanted)]
        contained = self._contained_type(words)
        if contained is not None:
            return contained
        found = process.extract(
            wanted, self._type_texts, scorer=fuzz.token_sort_ratio, score_cutoff=_TYPE_CUTOFF, limit=8
        )
        best = min(((-float(score), self._type_of_text[place]) for _, score, place in found), default=None)
        return None if best is None else best[1]

    def _contained_type(self, words: Sequence[str]) -> int | None:
        """Return the type whose name stands in full among the words: the longest, then the one named last."""
        place_of = {word: place for place, word in enumerate(words)}
        best: tuple[int, int, int] | None = None
        for text, number in zip(self._type_texts, self._type_of_text, strict=True):
            parts = text.split()
            if all(part in place_of for part in parts):
                # The head of an English noun phrase comes last: "tomato soup" is a soup.
                key = (-len(parts), -max(place_of[part] for part in parts), number)
                best = key if best is None or key < best else best
        return None if best is None else best[2]
