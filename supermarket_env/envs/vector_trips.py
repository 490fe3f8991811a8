"""Tasks ready to be begun: what a batch needs of each, worked out once and kept by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.envs.game import Game
from supermarket_env.envs.reward import own_limit, turn_reward
from supermarket_env.envs.task_source import TaskSource
from supermarket_env.envs.vector_worth import WorthTable
from supermarket_env.rules.rows import STATE_DTYPE
from supermarket_env.tasks.prepare import Prepared, prepare
from supermarket_env.tasks.task import Task

KEPT_TRIPS: Final = 2048
"""Trips kept by number; what is met again later is looked up anew."""


MANY_TASKS: Final = 1_000_000
"""Of more tasks than these none is expected to be met again."""


class Trip(NamedTuple):
    """One task of a batch."""

    task: Task
    prepared: Prepared
    limit: int
    """Turns before the trip is cut off."""
    turn_reward: float
    """Reward of a turn that ends nothing."""
    record: NDArray[np.int64]
    """The state to begin with, as whole numbers (compiled rules); copy it, do not write to it."""
    slot: int = -1
    """Where it is kept for quick copying; -1: nowhere."""


class Begun(NamedTuple):
    """The trips that begin in some rows."""

    records: NDArray[np.int64]
    """States to begin with, one a line; empty for plain rules."""
    at: NDArray[np.int64]
    """Line of each row's state."""
    limits: NDArray[np.int64]
    turn_rewards: NDArray[np.float64]
    trips: Sequence[Trip]
    """One a row; empty when all of them are kept, and nobody has asked for a list."""


class TripPool:
    """The trips of one environment's tasks, those met again and again by number.

    Args:
        source: Where the tasks come from.
        game: Whose world, users and turn limit they are for.
        n_rows: Number of rows that play them.
    """

    def __init__(self, source: TaskSource, game: Game, n_rows: int) -> None:
        self.source = source
        self.game = game
        n = source.size or 0
        n_slots = min(n, KEPT_TRIPS) if n <= MANY_TASKS else 0
        self.worth = WorthTable(n_slots, n_rows)
        self._playing: list[Prepared | None] = [None] * n_rows
        """What rows without a slot play."""
        self._empty(n_slots)

    def _empty(self, n_slots: int) -> None:
        self._kept: dict[int, Trip] = {}
        self._in_slot: list[Trip | None] = [None] * n_slots
        self._slot_of = np.full((self.source.size or 0) if n_slots else 0, -1, dtype=np.int64)
        words = STATE_DTYPE.itemsize // 8 if self.game.kernel.rules.compiled else 0
        self._records = np.zeros((n_slots, words), dtype=np.int64)
        self._limits = np.zeros(n_slots, dtype=np.int64)
        self._turn_rewards = np.zeros(n_slots)

    def __getstate__(self) -> dict[str, Any]:
        playing = [self.prepared(k) for k in range(len(self._playing))]
        return {"source": self.source, "game": self.game, "worth": self.worth, "_playing": playing}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._empty(self.worth.n_slots)

    def drawn(self, number: int) -> Trip:
        """Return the trip of a drawn task number."""
        index = self.source.index(number)
        trip = self._kept.get(index)
        if trip is None:
            trip = self.of(self.source.pick(number))
            slot = len(self._kept)
            if slot >= KEPT_TRIPS:
                slot = self._forget(next(iter(self._kept)))
            if self._in_slot:
                trip = trip._replace(slot=slot)
                self._in_slot[slot] = trip
                self._slot_of[index] = slot
                self._limits[slot], self._turn_rewards[slot] = trip.limit, trip.turn_reward
                if self._records.size:
                    self._records[slot] = trip.record
            self._kept[index] = trip
        return trip

    def _forget(self, index: int) -> int:
        """Forget a trip and return the slot that becomes free; rows may play it still."""
        trip = self._kept.pop(index)
        if self._in_slot:
            self._slot_of[index] = -1
            for k in np.flatnonzero(self.worth.rows == trip.slot).tolist():
                self._playing[k] = trip.prepared
            self.worth.clear(trip.slot)
        return trip.slot

    def draw(self, rows: NDArray[np.intp], numbers: NDArray[np.int64], *, listed: bool) -> Begun:
        """Begin the trips of drawn task numbers in these rows; with ``listed`` the trips are wanted, too."""
        if self._in_slot:
            index = numbers % len(self._slot_of)
            slots = self._slot_of[index]
            if slots.min() < 0:
                for number in numbers[slots < 0].tolist():
                    self.drawn(number)
                slots = self._slot_of[index]
            if slots.min() >= 0:  # else one of them was forgotten for another one
                self.worth.rows[rows] = slots
                trips = [self._in_slot[slot] for slot in slots.tolist()] if listed else []
                return Begun(self._records, slots, self._limits[slots], self._turn_rewards[slots], trips)
        return self.given(rows, [self.drawn(number) for number in numbers.tolist()])

    def given(self, rows: NDArray[np.intp], trips: Sequence[Trip]) -> Begun:
        """Begin these trips in these rows."""
        self.worth.rows[rows] = -1
        for k, trip in zip(rows.tolist(), trips, strict=True):
            self._playing[k] = trip.prepared
        records = np.stack([trip.record for trip in trips]) if self.game.kernel.rules.compiled else self._records
        limits = np.array([trip.limit for trip in trips], dtype=np.int64)
        return Begun(records, np.arange(len(rows)), limits, np.array([trip.turn_reward for trip in trips]), trips)

    def prepared(self, row: int) -> Prepared | None:
        """Return the task that a row plays; None before its first."""
        trip = self._in_slot[self.worth.rows[row]] if self.worth.rows[row] >= 0 else None
        return self._playing[row] if trip is None else trip.prepared

    def of(self, task: Task) -> Trip:
        """Return the trip of a task.

        Raises:
            TaskError: see :func:`~supermarket_env.tasks.prepare.prepare`.
        """
        game = self.game
        prepared = prepare(game.world, task, game.user)
        limit = game.max_turns or own_limit(prepared)
        return Trip(task, prepared, limit, turn_reward(prepared), prepared.record.view(np.int64))
