"""The identity of an episode in its log line."""

from __future__ import annotations

from dataclasses import dataclass

from supermarket_env.tasks.task import Task
from supermarket_env.world import World


@dataclass(frozen=True, slots=True)
class EpisodeLabels:
    """The identity of an episode in its log line."""

    agent: str = "agent"
    user: str = "scripted"
    store: str = ""
    catalogue: str = ""
    suite: str = ""
    task_id: str = ""
    trial: int = 0
    stratum: str = ""
    episode_id: str = ""

    @classmethod
    def of(cls, world: World, suite: str, task: Task, user: str, number: int, luck: int) -> EpisodeLabels:
        """Return the labels of episode ``number`` (from 0) of an environment.

        Its ``luck`` (the episode's seed) stands in the id: environments side by side may play the same task as their
        same episode, and their lines may go into one log.
        """
        return cls(
            store=world.store.name,
            catalogue=world.catalogue.name,
            suite=suite,
            task_id=task.id,
            stratum=task.stratum,
            episode_id=f"agent|{user}|{world.store.name}|{task.id}|{number}.{luck:x}",
        )
