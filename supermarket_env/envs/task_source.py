"""Where an environment's episodes come from: the tasks of a suite, or fresh training tasks, and the luck of each one.

One number of 63 bits is drawn an episode; task and luck both follow from it, so what one reset asks for never shifts
what later resets draw. The scalar and the batched environment share this module, and so their episodes.
"""

from __future__ import annotations

from typing import Any, Final

from supermarket_env.envs.arguments import is_whole
from supermarket_env.errors import ConfigError, TaskError
from supermarket_env.rules.draws import mix
from supermarket_env.tasks.suites import load_suite, train_task
from supermarket_env.tasks.task import Task
from supermarket_env.world import World

DRAWN_BELOW: Final = 2**63
"""The number drawn for an episode is smaller."""
KEPT_TRAINING_TASKS: Final = 4096
"""Training tasks kept by number."""


def task_number(drawn: Any) -> Any:
    """Return the number in [0, 2**31) that picks the task of an episode; ``drawn`` is an integer or int64 array."""
    return mix(drawn & 0xFFFFFFFF) & 0x7FFFFFFF


def luck(drawn: Any) -> Any:
    """Return the seed in [0, 2**62) of an episode's luck."""
    return drawn >> 1


class TaskSource:
    """The tasks of one environment.

    Args:
        world: Where they are played.
        suite: ``dev``, ``test``, another suite, or ``train``: a fresh task every episode.
        store: Name the world's store was loaded by.
        catalogue: Name of its catalogue.
        train_tasks: Take training tasks from the first so many only (>= 1), so that each is worked out once and met
            again; None: no end of fresh ones.

    Raises:
        TaskError: the suite has no task for this world.
        ConfigError: ``train_tasks`` is below 1, or given for another suite than ``train``.
    """

    def __init__(self, world: World, suite: str, store: str, catalogue: str, train_tasks: int | None = None) -> None:
        if train_tasks is not None and (suite != "train" or not is_whole(train_tasks, 1)):
            raise ConfigError(f"train_tasks is a number >= 1 for suite 'train', got {train_tasks!r} for {suite!r}")
        self.world = world
        self.suite = suite
        self.train_tasks = train_tasks
        self.tasks: tuple[Task, ...] = ()
        self._drawn: dict[int, Task] = {}
        if suite != "train":
            found = load_suite(suite, store=store, catalogue=catalogue).tasks
            # Suites with store events go round several worlds; an environment is one of them.
            self.tasks = tuple(task for task in found if (task.store, task.catalogue) == (store, catalogue))
            if not self.tasks:
                raise TaskError(f"suite {suite!r} has no task in store {store!r} with catalogue {catalogue!r}")

    @property
    def size(self) -> int | None:
        """How many different tasks there are; None when there is no end of fresh ones."""
        return len(self.tasks) or self.train_tasks

    def index(self, number: int) -> int:
        """Return which task a drawn task number means."""
        if self.tasks:
            return number % len(self.tasks)
        return number if self.train_tasks is None else number % self.train_tasks

    def pick(self, number: int) -> Task:
        """Return the task for a drawn task number."""
        index = self.index(number)
        if self.tasks:
            return self.tasks[index]
        task = self._drawn.get(index)
        if task is None:
            if len(self._drawn) >= KEPT_TRAINING_TASKS:
                del self._drawn[next(iter(self._drawn))]
            task = train_task(index, store=self.world.store.name, catalogue=self.world.catalogue.name)
            self._drawn[index] = task
        return task

    def named(self, wanted: Any) -> Task:
        """Return a task by its id; a task is returned as it is.

        Raises:
            TaskError: the suite has no such task.
        """
        if isinstance(wanted, Task):
            return wanted
        for task in self.tasks:
            if task.id == wanted:
                return task
        raise TaskError(f"suite {self.suite!r} has no task {wanted!r} ({len(self.tasks)} tasks)")
