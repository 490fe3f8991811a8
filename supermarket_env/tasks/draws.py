"""Draws of the sampler: every number is a hash of (task seed, attempt, purpose, object, n), never of a stream."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from supermarket_env.rules.draws import lane, mix

T = TypeVar("T")

# Purposes: part of what a frozen suite means. New ones take new numbers.
D_TRIP: Final = 1
D_N_NEEDS: Final = 2
D_TRAIT: Final = 3
D_TYPE: Final = 4
D_DEPARTMENT: Final = 5
D_RECIPE: Final = 6
D_N_TYPES: Final = 7
D_ALLERGEN: Final = 8
D_DIET: Final = 9
D_N_WANTS: Final = 10
D_WANT: Final = 11
D_WANT_WEIGHT: Final = 12
D_SIZE: Final = 13
D_BRAND: Final = 14
D_LIMIT: Final = 15
D_QTY: Final = 16
D_WEIGHT: Final = 17
D_BUDGET: Final = 18
D_VAGUE: Final = 19
D_EVENT_VARIANT: Final = 20
D_EVENT_WEEK: Final = 21
D_EVENT_MAP: Final = 22
D_EVENT_SALE: Final = 23
D_EVENT_REFILL: Final = 24


def seed_of(suite: str, index: int) -> int:
    """Return the seed of task ``index`` of a suite, in [0, 2**62)."""
    digest = hashlib.sha256(f"supermarket task {suite} {index}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 2


class Draws:
    """The draws of one attempt at one task."""

    def __init__(self, seed: int, attempt: int = 0) -> None:
        self._low = mix((seed & 0xFFFFFFFF) ^ mix(attempt))
        self._high = mix(((seed >> 32) & 0xFFFFFFFF) ^ mix(self._low))

    def uniform(self, purpose: int, obj: int = 0, n: int = 0) -> float:
        """Return a number in [0, 1) with 53 bits."""
        a = lane(self._low, purpose, obj, n)
        b = lane(self._high, purpose, obj, n)
        return ((a >> 6) * 134217728 + (b >> 5)) / 9007199254740992.0

    def between(self, low: float, high: float, purpose: int, obj: int = 0, n: int = 0) -> float:
        """Return a number in [low, high)."""
        return low + (high - low) * self.uniform(purpose, obj, n)

    def whole(self, low: int, high: int, purpose: int, obj: int = 0, n: int = 0) -> int:
        """Return a whole number from low to high, both included."""
        return low + int(self.uniform(purpose, obj, n) * (high - low + 1))

    def choose(self, weights: Mapping[T, float], purpose: int, obj: int = 0, n: int = 0) -> T:
        """Return a key with probability proportional to its positive weight; at least one key."""
        point = self.uniform(purpose, obj, n) * math.fsum(weights.values())
        for key, weight in weights.items():
            point -= weight
            if point < 0.0:
                return key
        return next(reversed(list(weights)))

    def order(self, names: Sequence[tuple[int, float]], purpose: int, obj: int = 0) -> list[int]:
        """Return numbers in a random order, heavier ones earlier on average (successive sampling).

        Args:
            names: (number, positive weight) pairs.
            purpose: Purpose code.
            obj: Object code; each number has a draw of its own under it.
        """
        ages = [(-math.log(1.0 - self.uniform(purpose, obj, k)) / weight, k) for k, weight in names]
        return [k for _, k in sorted(ages)]

    def gamma2(self, purpose: int, obj: int = 0, n: int = 0) -> float:
        """Return a Gamma(2) number; normalised, several of them are Dirichlet(2, ..., 2)."""
        a = 1.0 - self.uniform(purpose, obj, 2 * n)
        b = 1.0 - self.uniform(purpose, obj, 2 * n + 1)
        return -math.log(a * b) + 1e-9
