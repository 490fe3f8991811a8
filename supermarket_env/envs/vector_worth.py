"""What the paid carts of a batch earn: the metric's own numbers, tabled by task and added up in compiled code.

``CartValue.reward`` is the reference. Sums are exact before they are rounded once, as ``math.fsum`` makes them, and
rounding to nine digits is the log's, so the rewards are the same to the bit; whatever is not certain to be (a cart with
two products for one need, a number next to a tie of its ninth digit) is left to the reference.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.envs.reward import CartValue
from supermarket_env.rules.codes import MAX_NEEDS
from supermarket_env.rules.twins import compiled_function, direct

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
NO_PRODUCT: Final = np.iinfo(np.int32).max
"""Fills what is left of a row of products; larger than any of them."""
POWERS: Final = np.array([10.0**k for k in range(23)])
"""The powers of ten that a float holds exactly."""


def value_carts(
    products: Any,
    needs: Any,
    margins: Any,
    wanted: Any,
    weights: Any,
    totals: Any,
    known: Any,
    powers: Any,
    parts: Any,
    slots: Any,
    states: Any,
    rows: Any,
    each: Any,
    rewards: Any,
    left: Any,
    n: int,
) -> int:
    """Write the rewards of ``n`` rows whose carts were paid; return how many are left, their numbers in ``left``.

    Args:
        products: Products that can serve a need, by task and ascending (T, width).
        needs: The need each of them serves (T, width).
        margins: What a unit is worth there (T, width).
        wanted: Units wanted, by task and need (T, MAX_NEEDS).
        weights: Weight of a unit, by task and need (T, MAX_NEEDS).
        totals: Value of the best cart, by task (T,).
        known: How many products a task has here, -1 when it has no table (T,).
        powers: Powers of ten from 1.
        parts: Room for the parts of a sum (MAX_NEEDS + 1,).
        slots: Number of each row's task, -1 when it has none (N,).
        states: The states of all rows (N,).
        rows: Numbers of the rows with paid carts (n,).
        each: Reward of a turn that ends nothing (N,).
        rewards: Takes the rewards (N,).
        left: Takes the numbers of rows that were left (n,).
        n: How many rows.
    """
    n_left = 0
    for j in range(n):
        k = rows[j]
        s = states[k]
        t = slots[k]
        good = 1
        if t < 0 or known[t] < 0 or totals[t] <= 0.0:
            good = 0
        n_parts = 0
        served = 0
        if good == 1:
            for c in range(s.n_cart):
                p = s.cart_p[c]
                low = 0
                high = known[t]
                while low < high:
                    middle = (low + high) >> 1
                    if products[t][middle] < p:
                        low = middle + 1
                    else:
                        high = middle
                if low == known[t] or products[t][low] != p:
                    continue
                i = needs[t][low]
                if ((served >> i) & 1) == 1:
                    good = 0
                    break
                served = served | (1 << i)
                units = s.cart_q[c]
                if units > wanted[t][i]:
                    units = wanted[t][i]
                x = weights[t][i] * units * margins[t][low]
                m = 0
                for q in range(n_parts):  # the sum so far and x, as parts that do not overlap
                    y = parts[q]
                    if abs(x) < abs(y):
                        x, y = y, x
                    high_part = x + y
                    low_part = y - (high_part - x)
                    if low_part != 0.0:
                        parts[m] = low_part
                        m = m + 1
                    x = high_part
                parts[m] = x
                n_parts = m + 1
        total = 0.0
        rest = 0.0
        while n_parts > 0:
            n_parts = n_parts - 1
            x = total
            total = x + parts[n_parts]
            rest = parts[n_parts] - (total - x)
            if rest != 0.0:
                break
        if n_parts > 0 and ((rest < 0.0 and parts[n_parts - 1] < 0.0) or (rest > 0.0 and parts[n_parts - 1] > 0.0)):
            y = rest * 2.0  # halfway between two floats, but for what is still to come
            x = total + y
            if y == x - total:
                total = x
        if good == 1:
            if total < 0.0:
                total = 0.0
            x = total / totals[t]
            for turn in range(2):  # nine digits of the share, then of its sum with the turn's own reward
                if turn == 1:
                    x = x + each[k]
                if x == 0.0:
                    x = 0.0
                    continue
                size = abs(x)
                e = 0
                while e < 22 and size * powers[e] < 1e8:
                    e = e + 1
                scaled = size * powers[e]
                whole = np.floor(scaled)
                over = scaled - whole
                if scaled < 1e8 or scaled >= 999999999.0 or (over > 0.499999 and over < 0.500001):
                    good = 0
                    break
                if over > 0.5:
                    whole = whole + 1.0
                size = whole / powers[e]
                x = size if x > 0.0 else -size
            if good == 1:
                rewards[k] = x
        if good == 0:
            left[n_left] = k
            n_left = n_left + 1
    return n_left


class WorthTable:
    """What products are worth in the tasks of a batch, by slot of the task; filled when a task first needs it.

    Args:
        n_slots: Number of slots; may be 0.
        n_rows: Number of rows of the batch.
    """

    def __init__(self, n_slots: int, n_rows: int) -> None:
        self.rows = np.full(n_rows, -1, dtype=np.int64)
        """Slot of the task that is played in each row, -1 for one without."""
        self._known = np.full(n_slots, -1, dtype=np.int64)
        self._products = np.full((n_slots, 0), NO_PRODUCT, dtype=np.int32)
        self._needs = np.zeros((n_slots, 0), dtype=np.int8)
        self._margins = np.zeros((n_slots, 0))
        self._wanted = np.zeros((n_slots, MAX_NEEDS), dtype=np.int64)
        self._weights = np.zeros((n_slots, MAX_NEEDS))
        self._totals = np.zeros(n_slots)
        self._parts = np.zeros(MAX_NEEDS + 1)
        self._run: Any = None

    def __getstate__(self) -> dict[str, int]:
        return {"n_slots": self.n_slots, "n_rows": len(self.rows)}

    def __setstate__(self, state: dict[str, int]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    @property
    def n_slots(self) -> int:
        """Number of slots."""
        return len(self._known)

    def clear(self, slot: int) -> None:
        """Forget what is in a slot: another task takes it, while rows may still play the old one."""
        self._known[slot] = -1
        self.rows[self.rows == slot] = -1

    def fill(self, row: int, value: CartValue) -> None:
        """Table the task that a row plays; one without a slot, or with a product for two needs, stays out."""
        slot = int(self.rows[row])
        if slot < 0 or value.sole is None:
            return
        entries = sorted(value.sole.items())
        width = self._products.shape[1]
        if len(entries) > width:
            more = ((0, 0), (0, max(len(entries), 2 * width) - width))
            self._products = np.pad(self._products, more, constant_values=NO_PRODUCT)
            self._needs, self._margins = np.pad(self._needs, more), np.pad(self._margins, more)
        for j, (product, taker) in enumerate(entries):
            self._products[slot, j] = product
            self._needs[slot, j], self._margins[slot, j] = taker.need, taker.margin
            self._wanted[slot, taker.need], self._weights[slot, taker.need] = taker.wanted, taker.each
        self._totals[slot] = value.best
        self._known[slot] = len(entries)

    def reward(self, states: Any, paid: Ints, each: Floats, rewards: Floats, *, compiled: bool) -> Ints:
        """Write the rewards of the rows ``paid``; return the rows that are left to the reference.

        ``each`` and ``rewards`` are those of all rows; see :func:`value_carts`.
        """
        left = np.empty_like(paid)
        tables = (self._products, self._needs, self._margins, self._wanted, self._weights, self._totals, self._known)
        arguments = (*tables, POWERS, self._parts, self.rows, states, paid, each, rewards, left, len(paid))
        if self._run is None:
            run: Any = compiled_function(value_carts) if compiled else value_carts
            n_left = run(*arguments)
            self._run = direct(run)
        else:
            n_left = self._run(*arguments)
        return left[:n_left]
