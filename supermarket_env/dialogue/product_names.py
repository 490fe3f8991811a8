"""Full product names found in running text: an index by words, longest name first."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from supermarket_env.catalogue.schema import Catalogue

_WORD: Final = re.compile(r"[0-9A-Za-z\xc0-\xff%&'+/-]+(?:[.,][0-9]+)*")
_KEPT: Final = 8


class Mention(NamedTuple):
    """A full product name in a text."""

    products: tuple[int, ...]
    """Numbers of the products of this name; more than one when the catalogue has the name twice."""
    start: int
    """Position of its first character."""
    end: int
    """Position after its last character."""
    words: int
    """Words of the name."""


class NameIndex:
    """Finds full product names in text; letter case counts unless ``folded``.

    A text of n words costs n dictionary look-ups and, per word that starts a name, one look-up for each length such
    names have: linear in the text whatever it says.
    """

    def __init__(self, catalogue: Catalogue, *, folded: bool = False) -> None:
        self._folded = folded
        self._names: dict[str, tuple[int, ...]] = {}
        lengths: dict[str, set[int]] = {}
        for number, name in enumerate(catalogue.names):
            words = _WORD.findall(name.casefold() if folded else name)
            if not words:
                continue
            key = " ".join(words)
            self._names[key] = (*self._names.get(key, ()), number)
            lengths.setdefault(_head(words, 0), set()).add(len(words))
        self._firsts = frozenset(head.split(" ")[0] for head in lengths)
        self._lengths = {head: tuple(sorted(found, reverse=True)) for head, found in lengths.items()}

    def find(self, text: str) -> list[Mention]:
        """Return the full names in a text from left to right, never overlapping; an empty text has none."""
        text = text.casefold() if self._folded else text
        words = _WORD.findall(text)
        if self._firsts.isdisjoint(words):
            return []
        hits: list[tuple[int, int, tuple[int, ...]]] = []
        i, n, lengths, firsts = 0, len(words), self._lengths, self._firsts
        while i < n:
            if words[i] in firsts:
                for length in lengths.get(_head(words, i), ()):
                    products = self._names.get(" ".join(words[i : i + length])) if i + length <= n else None
                    if products:
                        hits.append((i, length, products))
                        i += length - 1
                        break
            i += 1
        if not hits:
            return []
        spans = [m.span() for m in _WORD.finditer(text)]
        return [Mention(found, spans[i][0], spans[i + length - 1][1], length) for i, length, found in hits]


def _head(words: list[str], i: int) -> str:
    return f"{words[i]} {words[i + 1]}" if i + 1 < len(words) else words[i]


_indexes: dict[tuple[str, bool], NameIndex] = {}


def name_index(catalogue: Catalogue, *, folded: bool = False) -> NameIndex:
    """Return the index of a catalogue, made once a process (the last few catalogues are kept)."""
    key = (catalogue.content_hash, folded)
    index = _indexes.get(key)
    if index is None:
        while len(_indexes) >= _KEPT:
            del _indexes[next(iter(_indexes))]
        index = _indexes[key] = NameIndex(catalogue, folded=folded)
    return index
