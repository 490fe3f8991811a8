"""Tasks ready to be begun: what a batch needs of each, worked out once and kept by number."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.envs.game import Game
from supermarket_env.envs.reward import own_limit, turn_reward
from supermarket_env.envs.task_source import TaskSource
from supermarket_env.tasks.prepare import Prepared, prepare
from supermarket_env.tasks.task import Task

KEPT_TRIPS: Final = 2048
"""Trips kept by number; what is met again later is looked up anew."""


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


class TripPool:
    """The trips of one environment's tasks.

    Args:
        source: Where the tasks come from.
        game: Whose world, users and turn limit they are for.
    """

    def __init__(self, source: TaskSource, game: Game) -> None:
        self.source = source
        self.game = game
        self._kept: dict[int, Trip] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}

    def drawn(self, number: int) -> Trip:
        """Return the trip of a drawn task number."""
        index = self.source.index(number)
        trip = self._kept.get(index)
        if trip is None:
            trip = self.of(self.source.pick(number))
            if len(self._kept) >= KEPT_TRIPS:
                del self._kept[next(iter(self._kept))]
            self._kept[index] = trip
        return trip

    def of(self, task: Task) -> Trip:
        """Return the trip of a task.

        Raises:
            TaskError: see :func:`~supermarket_env.tasks.prepare.prepare`.
        """
        game = self.game
        prepared = prepare(game.world, task, game.user)
        limit = game.max_turns or own_limit(prepared)
        return Trip(task, prepared, limit, turn_reward(prepared), prepared.record.view(np.int64))
