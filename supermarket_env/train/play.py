"""Training tasks as a stream, and playing assistants on tasks: what every way of learning here needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from supermarket_env.envs.game import Game
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.suites import train_task
from supermarket_env.tasks.task import Task

WATCHED: Final = 40
"""Training tasks that only show how learning gets on."""


class TaskStream:
    """Fresh training tasks, drawn as they are needed; the first ``watched`` of them are never trained on.

    Args:
        store: Where; None goes round the training layouts.
        watched: How many tasks are set aside.
        catalogue: With which goods; None for the embedded ones.
    """

    def __init__(self, store: str | None, *, watched: int = WATCHED, catalogue: str | None = None) -> None:
        self._draw: Callable[[int], Task] = lambda k: train_task(k, store=store, catalogue=catalogue)
        self._tasks = [self._draw(k) for k in range(watched)]
        self.watched: Sequence[Task] = tuple(self._tasks)

    def batch(self, number: int, size: int) -> list[Task]:
        """Return the tasks of batch ``number``, counted from 0."""
        first = len(self.watched) + number * size
        while len(self._tasks) < first + size:
            self._tasks.append(self._draw(len(self._tasks)))
        return self._tasks[first : first + size]


def play(game: Game, assistant: Any, task: Task, *, seed: int | None = None) -> float:
    """Play one trip of an assistant, told the truth when it has ``start_privileged``; returns its need satisfaction.

    Args:
        game: The game of the task's store.
        assistant: ``start`` and ``reply``, as in a run.
        task: The task.
        seed: Luck; None is that of a run of seed 0, trial 0.
    """
    view = game.reset(task, seed=episode_seed(0, task.id, 0) if seed is None else seed)
    if hasattr(assistant, "start_privileged"):
        assistant.start_privileged(view, game.truth())
    else:
        assistant.start(view)
    while not game.done:
        view = game.step(assistant.reply(view))
    return satisfaction(game)


def satisfaction(game: Game) -> float:
    """Return the need satisfaction of a finished trip: the reward without its price of time."""
    parts: dict[str, float] = next(e for e in reversed(game.events) if e["k"] == "reward")["parts"]
    return parts.get("need_satisfaction", 0.0)
