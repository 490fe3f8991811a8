"""Byte-pair pieces as SmolLM2 was trained on (GPT-2's scheme, every digit by itself), in plain Python."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

_DIGIT = re.compile(r"(\d)")
_WORD = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


def _byte_letters() -> dict[int, str]:
    """Return the visible letter that stands for each byte."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {byte: chr(byte) for byte in visible}
    spare = 256
    for byte in range(256):
        if byte not in letters:
            letters[byte] = chr(spare)
            spare += 1
    return letters


class BytePairs:
    """A tokenizer from the lists of a GGUF file."""

    def __init__(self, tokens: Sequence[str], merges: Sequence[str]) -> None:
        """Take over the pieces (in order of their numbers) and the merges (most important first)."""
        self.numbers = {token: number for number, token in enumerate(tokens)}
        self._ranks = {tuple(merge.split(" ", 1)): rank for rank, merge in enumerate(merges)}
        self._letters = _byte_letters()
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the piece numbers of a text, without any start or end; an empty text gives an empty list."""
        found: list[int] = []
        for part in _DIGIT.split(text):
            for word in _WORD.findall(part):
                if word not in self._known:
                    self._known[word] = self._pieces(word)
                found += self._known[word]
        return found

    def _pieces(self, word: str) -> list[int]:
        parts = [self._letters[byte] for byte in word.encode("utf-8")]
        while len(parts) > 1:
            pairs = [(self._ranks.get((a, b)), at) for at, (a, b) in enumerate(itertools.pairwise(parts))]
            ranked = [(rank, at) for rank, at in pairs if rank is not None]
            if not ranked:
                break
            _, at = min(ranked)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [self.numbers[part] for part in parts if part in self.numbers]
