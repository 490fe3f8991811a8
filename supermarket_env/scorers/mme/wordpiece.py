"""Word pieces of the uncased BERT vocabulary, in plain Python.

MiniLM was trained on these pieces. The vocabulary (30,522 pieces, Apache-2.0, from ``bert-base-uncased``) is shipped
with the package, so that no tokenizer library is needed.
"""

from __future__ import annotations

import gzip
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

UNKNOWN, START, END = "[UNK]", "[CLS]", "[SEP]"
LONGEST_WORD = 100
"""Longer words become the unknown piece, as in the original."""
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, int]:
    """Return the piece numbers by piece."""
    packed = files("supermarket_env.scorers.mme").joinpath("data/bert_vocab.txt.gz").read_bytes()
    words = gzip.decompress(packed).decode("utf-8").split("\n")[:-1]
    return {word: number for number, word in enumerate(words)}


def _is_punctuation(char: str) -> bool:
    code = ord(char)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:
        return True
    return unicodedata.category(char).startswith("P")


def _is_control(char: str) -> bool:
    return char not in "\t\n\r" and unicodedata.category(char).startswith("C")


def _is_cjk(char: str) -> bool:
    code = ord(char)
    return any(low <= code <= high for low, high in _CJK)


def words_of(text: str) -> list[str]:
    """Lower-case a text, drop accents and cut it at spaces and punctuation.

    Args:
        text: Any text; may be empty.

    Returns:
        The words and the single punctuation marks, in order.
    """
    cleaned = "".join(char for char in text if char not in "\x00�" and not _is_control(char))
    plain = "".join(c for c in unicodedata.normalize("NFD", cleaned.lower()) if unicodedata.category(c) != "Mn")
    spaced = "".join(f" {c} " if _is_punctuation(c) or _is_cjk(c) else c for c in plain)
    return spaced.split()


def pieces_of(word: str) -> list[int]:
    """Return the piece numbers of one word, the longest piece first from the left."""
    numbers = vocabulary()
    if len(word) > LONGEST_WORD:
        return [numbers[UNKNOWN]]
    found: list[int] = []
    start = 0
    while start < len(word):
        end = len(word)
        while end > start:
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in numbers:
                found.append(numbers[piece])
                break
            end -= 1
        else:
            return [numbers[UNKNOWN]]
        start = end
    return found


def encode(text: str, longest: int = 128) -> list[int]:
    """Return the numbers of a text between the start and end pieces.

    Args:
        text: Any text; may be empty.
        longest: Cut to this many numbers, start and end included; at least 2.

    Returns:
        At least the two numbers of start and end.
    """
    numbers = vocabulary()
    body = [piece for word in words_of(text) for piece in pieces_of(word)]
    return [numbers[START], *body[: longest - 2], numbers[END]]


def padded(rows: Sequence[Sequence[int]]) -> tuple[list[list[int]], list[list[int]]]:
    """Fill rows with zeros to one length and return them with their 0/1 masks."""
    width = max((len(row) for row in rows), default=0)
    filled = [[*row, *[0] * (width - len(row))] for row in rows]
    masks = [[1] * len(row) + [0] * (width - len(row)) for row in rows]
    return filled, masks
