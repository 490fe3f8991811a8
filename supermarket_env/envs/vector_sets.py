"""What a batch hands out as observations: arrays kept from turn to turn, in which only what changed is written."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supermarket_env.envs.vector_masks import BatchMasks, MaskTable, Taken
from supermarket_env.envs.vector_rows import CHUNK, Batch
from supermarket_env.rules import codes
from supermarket_env.rules import observe as parts
from supermarket_env.rules.renew import SEEN

HUGE_FROM = 1 << 22
"""Bytes from which on NumPy asks the system to hold an array in huge pages."""


def _rows(n: int) -> NDArray[np.float32]:
    """Return empty observation rows (n, OBSERVATION_SIZE).

    Batches that nearly fill huge pages get them: hundreds of rows of every array are touched in a turn, and with
    small pages the processor looks addresses up more often than it can remember them.
    """
    width = 4 * parts.OBSERVATION_SIZE
    room = -(-HUGE_FROM // width) if HUGE_FROM // 4 <= n * width < HUGE_FROM else n
    return np.zeros((room, parts.OBSERVATION_SIZE), dtype=np.float32)[:n]


class ObservationSet:
    """The observations of all rows of a batch, one set of arrays.

    Args:
        table: What is legal where.
        n: Number of rows.
        batch: The rows.
    """

    def __init__(self, table: MaskTable, n: int, batch: Batch) -> None:
        self.x = _rows(n)
        self.seen: NDArray[np.int16] = np.full((n, SEEN), -1, dtype=np.int16)
        """What the rows of ``x`` hold; see ``renew_rows``."""
        self.masks = BatchMasks(table, n)
        self.batch = batch
        self._name_views()

    def _name_views(self) -> None:
        self._named = self._views(self.x)
        self.masks.show(self._named)
        self._parts: dict[tuple[int, int], tuple[NDArray[np.float32], NDArray[np.int16]]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_named", "_parts")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._name_views()

    @staticmethod
    def _views(x: NDArray[np.float32]) -> dict[str, Any]:
        """Return the named parts of observation rows, as views."""
        n = len(x)
        return {
            "needs": x[:, : parts.AT_CANDIDATES].reshape(n, codes.MAX_NEEDS, parts.NEED_FEATURES),
            "candidates": x[:, parts.AT_CANDIDATES : parts.AT_MOVES].reshape(
                n, codes.MAX_NEEDS, codes.MAX_CANDIDATES, parts.CANDIDATE_FEATURES
            ),
            "moves": x[:, parts.AT_MOVES : parts.AT_DIALOGUE].reshape(n, codes.MAX_MOVES, parts.MOVE_FEATURES),
            "dialogue": x[:, parts.AT_DIALOGUE : parts.AT_TRIP],
            "trip": x[:, parts.AT_TRIP :],
        }

    def renew(self, other: ObservationSet, fresh: Any, each: Any, taken: Taken, start: int, n: int) -> None:
        """Bring ``n`` rows from ``start`` on up to date with their states.

        Args:
            other: The other set of arrays for the same rows, or this one.
            fresh: Rows that have begun instead of playing a turn (N,).
            each: Reward of a turn that ends nothing (N,).
            taken: Takes what the turn came to.
            start: Number of the first of these rows.
            n: How many they are.
        """
        batch = self.batch
        x, mine = self._part(start, n)
        states = batch.part(start, n)[0]
        batch.observe(states, x, mine, mine if other is self else other._part(start, n)[1], n)
        self.masks.mark(states, fresh, each, taken, start, n, compiled=batch.rules.compiled)

    def _part(self, start: int, n: int) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
        """Return the observations of ``n`` rows from ``start`` on, and what they hold."""
        found = self._parts.get((start, n))
        if found is None:
            found = self.x[start : start + n], self.seen[start : start + n]
            if n == min(CHUNK, len(self.x) - start):
                self._parts[start, n] = found
        return found

    def observation(self, *, copied: bool) -> dict[str, Any]:
        """Return the arrays by name, without the words: these very ones, or copies."""
        if not copied:
            return dict(self._named)
        return {
            **self._views(self.x.copy()),
            **{name: value.copy() for name, value in self._named.items() if name.startswith("mask_")},
        }
