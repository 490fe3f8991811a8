"""Sentence patterns: a small notation, compiled once, filled in well under a microsecond a choice.

A pattern is plain text with ``(this|that|)`` for a free choice and ``{x}`` for a value. A pattern that ends in ``?``
is a question: its closing is chosen from the closings of questions. Choices do not nest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
_MASK = (1 << 64) - 1
_WIDE = (1 << 128) - 1
_MERGED = 48


def mixed(key: int) -> int:
    """Return 128 well-spread bits of a non-negative integer; only the lowest 64 bits of the key count.

    >>> mixed(1) == mixed(1), mixed(1) != mixed(2)
    (True, True)
    """
    z = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB) & _MASK
    z = ((z ^ (z >> 31)) * 0x9E3779B97F4A7C15) & _MASK
    return (z ^ (z >> 29)) * 0xD1342543DE82EF95A3B195354A39B70D >> 20 & _WIDE


class Draws:
    """The choices of one sentence, all taken from one integer.

    128 mixed bits are spent like digits; a sentence needs about ten choices of some four bits each.
    """

    __slots__ = ("_left",)

    def __init__(self, key: int) -> None:
        self._left = mixed(key)

    def of(self, pool: Sequence[T]) -> T:
        """Return one element of a non-empty sequence, all equally likely."""
        self._left, digit = divmod(self._left, len(pool))
        return pool[digit]

    def chance(self, per_mille: int) -> bool:
        """Return True ``per_mille`` times in a thousand."""
        self._left, digit = divmod(self._left, 1000)
        return digit < per_mille


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern: fixed pieces and tuples to choose from, in order."""

    pieces: tuple[str | tuple[str, ...], ...]
    question: bool

    def text(self, draws: Draws) -> str:
        """Return the pattern with its choices made; ``{x}`` still open."""
        pieces = self.pieces
        if len(pieces) == 1:
            only = pieces[0]
            return only if type(only) is str else draws.of(only)
        return "".join([piece if type(piece) is str else draws.of(piece) for piece in pieces])


def compiled(source: str) -> Pattern:
    """Return the compiled form of one pattern.

    >>> compiled("(I need|give me) {x}").pieces
    (('I need {x}', 'give me {x}'),)
    >>> compiled("where is {x}?").question
    True
    """
    question = source.endswith("?")
    body = source[:-1] if question else source
    pieces: list[str | tuple[str, ...]] = []
    for position, part in enumerate(_CHOICE.split(body)):
        if position % 2:
            pieces.append(tuple(part.split("|")))
        elif part:
            pieces.append(part)
    return Pattern(tuple(_merged(pieces)), question)


def _merged(pieces: list[str | tuple[str, ...]]) -> list[str | tuple[str, ...]]:
    """Return equivalent pieces with small neighbouring choices multiplied out: fewer draws a sentence."""
    merged: list[tuple[str, ...]] = []
    for piece in pieces:
        options = (piece,) if isinstance(piece, str) else piece
        if merged and len(merged[-1]) * len(options) <= max(_MERGED, len(merged[-1]), len(options)):
            merged[-1] = tuple(a + b for a in merged[-1] for b in options)
        else:
            merged.append(options)
    return [options[0] if len(options) == 1 else options for options in merged]


class Block:
    """The patterns of one thing to say, by tone.

    ``common`` fits every mood. ``warm`` is added for a friendly user; ``sharp`` replaces the common ones for an
    annoyed user, ``angry`` the sharp ones for a furious one.
    """

    __slots__ = ("by_tone",)

    def __init__(
        self,
        common: Iterable[str],
        warm: Iterable[str] = (),
        sharp: Iterable[str] = (),
        angry: Iterable[str] = (),
    ) -> None:
        plain = tuple(compiled(p) for p in common)
        friendly = plain + tuple(compiled(p) for p in warm)
        short = tuple(compiled(p) for p in sharp) or plain
        furious = tuple(compiled(p) for p in angry) + short
        self.by_tone: tuple[tuple[Pattern, ...], ...] = (friendly, plain, short, furious)
