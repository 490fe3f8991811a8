"""Counter-based draws for data that is made, not stored: a hash of integers, without any state that moves.

The same key gives the same number on every machine, in every order of calls.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_SCALE = 1.0 / (1 << 53)


def _mix(x: int) -> int:
    """Return the SplitMix64 finaliser of a 64-bit integer."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


class Draws:
    """Numbers in [0, 1) of one subject: ``draws(purpose, number)`` depends on all integers of the key alone.

    >>> draws = Draws(0, 7)
    >>> draws(1, 2) == Draws(0, 7)(1, 2), draws(1, 2) == draws(2, 1), draws(1, 2) == Draws(1, 7)(1, 2)
    (True, False, False)
    """

    __slots__ = ("_state",)

    def __init__(self, *key: int) -> None:
        state = _STEP
        for part in key:
            state = _mix((state ^ (part & _MASK)) + _STEP & _MASK)
        self._state = state

    def __call__(self, purpose: int, number: int) -> float:
        """Return the number for a purpose code (0..4095) and an object number (0..2**48-1)."""
        return (_mix(_mix(self._state ^ (purpose << 48) ^ number) + _STEP & _MASK) >> 11) * _SCALE
