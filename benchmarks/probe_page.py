"""Playing named assistants on the same tasks with the same luck, for the pages on probes, hints and dials.

Used by ``probes.py``, ``hints.py``, ``dials.py`` and tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from supermarket_env.agents.registry import AGENTS, make_agent
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.metrics.aggregate import rows_of
from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.run.compose import compose_run, read_arguments
from supermarket_env.run.episode import EpisodeSpec, play_episode
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.suites import world_of
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.user_sim.registry import make_user

DOCS = Path(__file__).resolve().parent.parent / "docs"
Entry = str | Mapping[str, Any]


def users_of(suite: str) -> tuple[UserConfig, str]:
    """Return the population and the user model that ``supermarket run suite=...`` brings, by the configuration."""
    user = dict(compose_run(read_arguments([f"suite={suite}"])).user)
    model = str(user.pop("model", "scripted"))
    return UserConfig.model_validate(user), model


def rows(
    entry: Entry, tasks: Sequence[Task], *, user: UserConfig | None = None, seed: int = 0, model: str = "scripted"
) -> list[EpisodeRow]:
    """Play one assistant on all tasks with the luck of a run's seed; returns one row a task."""
    name = entry if isinstance(entry, str) else str(entry["name"])
    privileged = AGENTS[name].privileged if isinstance(entry, str) else bool(entry.get("privileged", False))
    assistant = make_agent(entry)
    games: dict[tuple[str, str], Game] = {}
    lines = []
    for task in tasks:
        place = (task.catalogue, task.store)
        if place not in games:
            games[place] = Game(world_of(*place), user=user, texts=False, mode="plain", user_model=make_user(model))
        labels = EpisodeLabels(
            agent=name, store=task.store, task_id=task.id, stratum=task.trip, episode_id=f"{name}|{task.id}"
        )
        spec = EpisodeSpec(task, episode_seed(seed, task.id, 0), labels, privileged)
        lines.append(play_episode(games[place], assistant, spec).line)
    return rows_of(lines)


def satisfaction(played: Sequence[EpisodeRow]) -> list[float]:
    """Return need satisfaction by task; 0 where it is undefined."""
    return [row.truth.need_satisfaction or 0.0 for row in played]


def figure_of(output: Mapping[str, Any], path: Sequence[str]) -> float | None:
    """Return a figure of an aggregated output by its path; None when undefined."""
    place: Any = output
    for step in path:
        place = place[step]
    return None if place is None else float(place)


def number(value: float | None, digits: int = 3, *, signed: bool = False) -> str:
    """Return a figure as text, ``n/a`` when undefined."""
    return "n/a" if value is None else f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
