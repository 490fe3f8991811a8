"""Sums of floats without rounding, so that adding as one goes gives what adding all at once gives."""

from __future__ import annotations

import math


class ExactSum:
    """A sum of floats without rounding: its value is ``math.fsum`` of everything added."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[float] = []

    def add(self, x: float) -> None:
        """Add a finite number."""
        kept = []
        for part in self._parts:
            if abs(x) < abs(part):
                x, part = part, x
            high = x + part
            low = part - (high - x)
            if low:
                kept.append(low)
            x = high
        kept.append(x)
        self._parts = kept

    def copy(self) -> ExactSum:
        """Return an independent copy."""
        made = ExactSum()
        made._parts = list(self._parts)
        return made

    @property
    def value(self) -> float:
        """The sum, rounded once; 0.0 of nothing."""
        return math.fsum(self._parts)


class ExactMean:
    """A mean of the values that are not None."""

    __slots__ = ("n", "sum")

    def __init__(self) -> None:
        self.sum = ExactSum()
        self.n = 0

    def add(self, x: float | None) -> None:
        """Add a finite number; None is passed over."""
        if x is not None:
            self.sum.add(x)
            self.n += 1

    @property
    def value(self) -> float | None:
        """The mean; None of nothing."""
        return self.sum.value / self.n if self.n else None
