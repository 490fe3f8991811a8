"""Playing assistants under many user populations, with the figures of every episode kept and interruptions survived.

A cell is one assistant under one population on the same tasks with the same luck. Finished cells are appended to
``cells.jsonl``; a cell is played again only when something that defines it has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError, RunFolderError
from supermarket_env.run.populations import Condition
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.task import Task

CELLS_FILE: Final = "cells.jsonl"
FIGURES: Final = ("NS", "SR", "SR_complete", "Turn", "R@5", "NDCG@10", "AFR", "LNSR", "CGV(3)", "violations")
"""Figures kept of every episode; shares of suggestions and goals are those of the episode, None without any."""

Values = dict[str, list[float | None]]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Cell:
    """One assistant under one population."""

    condition: str
    agent: str
    key: str
    """Hash of all that defines its numbers."""
    values: Values
    """Figures by name, one number a task in task order; None where undefined."""

    def mean(self, figure: str = "NS") -> float | None:
        """Return the mean over the tasks for which the figure is defined; None for none."""
        known = [v for v in self.values[figure] if v is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class Plan:
    """What is played."""

    conditions: Sequence[Condition]
    agents: Sequence[str]
    tasks: Sequence[Task]
    suite_hash: str
    seed: int = 0
    mode: str = "plain"

    def key(self, condition: Condition, agent: str) -> str:
        """Return the key of a cell."""
        from supermarket_env.rules.twins import source_hash

        parts = [condition.content_hash(), agent, self.suite_hash, self.seed, source_hash(), [t.id for t in self.tasks]]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


def play_cells(plan: Plan, folder: Path, *, workers: int = 1, progress: Progress | None = None) -> list[Cell]:
    """Play what is missing and return all cells of the plan, condition by condition.

    Args:
        plan: Populations, assistants and tasks.
        folder: Where ``cells.jsonl`` is kept; made if missing.
        workers: Processes.
        progress: Called with (cells done, cells in all) after each population.

    Raises:
        ConfigError: Unknown assistant, no tasks, or fewer than one worker.
        RunFolderError: The folder cannot be used.
    """
    from supermarket_env.agents.registry import make_agent

    if not plan.tasks or not plan.agents or workers < 1:
        raise ConfigError("expected at least one task, one assistant and one worker")
    for agent in plan.agents:
        make_agent(agent)
    done = _read(folder / CELLS_FILE)
    missing = [
        (condition, lacking)
        for condition in plan.conditions
        if (lacking := [a for a in plan.agents if plan.key(condition, a) not in done])
    ]
    total = len(plan.conditions) * len(plan.agents)
    finished = total - sum(len(lacking) for _, lacking in missing)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / CELLS_FILE).open("a+b") as file:
            _end_torn_line(file)
            for cells in _played(plan, missing, workers):
                for cell in cells:
                    done[cell.key] = cell
                    line = {"condition": cell.condition, "agent": cell.agent, "key": cell.key, "values": cell.values}
                    file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
                file.flush()
                finished += len(cells)
                if progress is not None:
                    progress(finished, total)
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be written ({error.strerror or error})") from error
    return [
        Cell(condition.name, agent, key, done[key].values)
        for condition in plan.conditions
        for agent in plan.agents
        for key in (plan.key(condition, agent),)
    ]


def _played(plan: Plan, missing: Sequence[tuple[Condition, list[str]]], workers: int) -> Iterable[list[Cell]]:
    if workers == 1 or len(missing) < 2:
        for condition, agents in missing:
            yield play_condition(plan, condition, agents)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(play_condition, plan, condition, agents) for condition, agents in missing]
        try:
            for future in waiting:
                yield future.result()
        finally:
            for future in waiting:
                future.cancel()


def play_condition(plan: Plan, condition: Condition, agents: Sequence[str]) -> list[Cell]:
    """Play assistants under one population and return their cells."""
    from supermarket_env.agents.registry import AGENTS, make_agent
    from supermarket_env.envs.game import Game
    from supermarket_env.envs.labels import EpisodeLabels
    from supermarket_env.metrics.aggregate import rows_of
    from supermarket_env.run.episode import EpisodeSpec, play_episode
    from supermarket_env.tasks.suites import world_of

    tasks = [condition.task_for(task) for task in plan.tasks]
    games: dict[tuple[str, str], Game] = {}
    cells = []
    for name in agents:
        assistant = make_agent(name)
        values: Values = {figure: [] for figure in FIGURES}
        for task in tasks:
            place = (task.catalogue, task.store)
            if place not in games:
                games[place] = Game(world_of(*place), user=condition.user, texts=False, mode=plan.mode)
            labels = EpisodeLabels(
                agent=name, user=condition.name, store=task.store, catalogue=task.catalogue, task_id=task.id,
                stratum=task.stratum, episode_id=f"{name}|{condition.name}|{task.id}",
            )  # fmt: skip
            spec = EpisodeSpec(task, episode_seed(plan.seed, task.id, 0), labels, AGENTS[name].privileged)
            (row,) = rows_of([play_episode(games[place], assistant, spec).line])
            for figure, value in _figures(row).items():
                values[figure].append(value)
        cells.append(Cell(condition.name, name, plan.key(condition, name), values))
    return cells


def _figures(row: Any) -> dict[str, float | None]:
    """Return what is kept of an episode; nothing of one in which the simulator failed."""
    if row.infra:
        return dict.fromkeys(FIGURES)
    from supermarket_env.metrics.goals import seen_within

    goals = row.goals.counted
    hints = row.suggestions
    found = {
        "NS": row.truth.need_satisfaction,
        "SR": float(row.success),
        "SR_complete": None if row.truth.complete is None else float(row.truth.complete),
        "Turn": float(row.turns),
        "R@5": row.ranking.recall,
        "NDCG@10": row.ranking.ndcg,
        "AFR": hints.followed / hints.valid if hints.valid else None,
        "LNSR": hints.local_followed / hints.local if hints.local else None,
        "CGV(3)": sum(seen_within(goal, 3) for goal in goals) / len(goals) if goals else None,
        "violations": None if row.truth.hard_violations is None else float(row.truth.hard_violations),
    }
    return {name: None if value is None else round(value, 6) for name, value in found.items()}


def _read(file: Path) -> dict[str, Cell]:
    """Return finished cells by key; what a killed process left half written is passed over and played again."""
    cells: dict[str, Cell] = {}
    if not file.exists():
        return cells
    for raw in file.read_bytes().split(b"\n"):
        try:
            line = json.loads(raw)
            cells[line["key"]] = Cell(line["condition"], line["agent"], line["key"], line["values"])
        except (ValueError, KeyError, TypeError):
            continue
    return cells


def _end_torn_line(file: Any) -> None:
    """Begin a new line if the last one has no end."""
    if file.seek(0, 2) > 0:
        file.seek(-1, 2)
        if file.read(1) != b"\n":
            file.write(b"\n")
