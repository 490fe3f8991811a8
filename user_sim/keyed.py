"""Draws of user models that are not the rule book: a hash of (episode seed, model, purpose, turn, n), no stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from supermarket_env.rules.draws import lane

T = TypeVar("T")

_FIRST_PURPOSE = 4096
"""Purposes of the models lie above those of the rules."""


class KeyedDraws:
    """Draws of one episode; equal seeds and keys give equal numbers on every machine.

    Args:
        seed: Seed of the episode, >= 0.
        model: Number of the user model, so that two models never share a draw.
    """

    def __init__(self, seed: int, model: int) -> None:
        self._low, self._high = seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF
        self._base = _FIRST_PURPOSE + 256 * model

    def uniform(self, purpose: int, turn: int, n: int = 0) -> float:
        """Return the number in [0, 1) of a key.

        >>> draws = KeyedDraws(7, 1)
        >>> draws.uniform(1, 3) == KeyedDraws(7, 1).uniform(1, 3) != draws.uniform(1, 4)
        True
        """
        bits = lane(self._low, self._base + purpose, turn, n) ^ lane(self._high, self._base + purpose, turn, n + 1)
        return bits / 4294967296.0

    def happens(self, probability: float, purpose: int, turn: int, n: int = 0) -> bool:
        """Whether something of this probability happens."""
        return self.uniform(purpose, turn, n) < probability

    def pick(self, options: Sequence[T], purpose: int, turn: int, n: int = 0) -> T:
        """Return one of the options (at least one), each as likely as the others."""
        return options[int(self.uniform(purpose, turn, n) * len(options))]
