"""Whether the rules judge notices planted faults, and whether probes can fool it: the tables of docs/judge.md.

    python benchmarks/planted_faults.py                  # rewrites both tables in docs/judge.md (about 3 minutes)
    python benchmarks/planted_faults.py --tasks 20 --pairs 40 --dry    # small, printed only

Faults are planted into trips of sound assistants, in the dev suite and (for allergies) in the allergic segment. Exit
code 1 when a fault does not lower its dimension, moves another one by 0.25 or more, or a probe is above ``rule``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

from probe_page import DOCS
from probes import PROBES
from user_page import table, write_table

from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import finish_episode
from supermarket_env.run.episode import EpisodeSpec, play_episode
from supermarket_env.run.seeding import episode_seed
from supermarket_env.scorers.base import Scorer
from supermarket_env.scorers.judge.checks import FaultCheck, Ratings, check_faults, ratings_of
from supermarket_env.scorers.judge.dimensions import DIMENSIONS
from supermarket_env.scorers.judge.scorer import make_scorer
from supermarket_env.tasks.suites import load_suite, world_of
from supermarket_env.tasks.task import Task

SOUND = ("rule", "rule_no_questions", "retrieval")
ROUNDING = 1e-9


def play(agent: str, tasks: Sequence[Task]) -> list[Episode]:
    """Play an assistant on tasks, with words, and return the episodes."""
    games: dict[tuple[str, str], Game] = {}
    assistant = make_agent(agent)
    episodes = []
    for task in tasks:
        place = (task.catalogue, task.store)
        if place not in games:
            games[place] = Game(world_of(*place), mode="plain")
        labels = EpisodeLabels(
            agent=agent,
            store=task.store,
            catalogue=task.catalogue,
            task_id=task.id,
            stratum=task.trip,
            episode_id=f"{agent}|{task.id}",
        )
        line = play_episode(games[place], assistant, EpisodeSpec(task, episode_seed(0, task.id, 0), labels)).line
        episodes.append(finish_episode(line))
    return episodes


def fault_table(checks: Sequence[FaultCheck]) -> str:
    """Return the mean change of every dimension by fault."""
    shown = [dim for dim in DIMENSIONS if any(check.changes[dim] is not None for check in checks)]
    body = []
    for check in checks:
        cells = []
        for dim in shown:
            change = check.changes[dim]
            text = "n/a" if change is None else f"{change:+.2f}"
            cells.append(f"**{text}**" if dim == check.target else text)
        fell = "n/a" if check.target_fell is None else f"{100 * check.target_fell:.0f} %"
        body.append([check.fault.replace("_", " "), str(check.n), fell, *cells])
    return table(["fault", "pairs", "target fell", *(dim.replace("_", " ") for dim in shown)], body)


def means(rated: Sequence[Ratings]) -> dict[str, float | None]:
    """Return the mean rating of each dimension over the episodes that have one."""
    found = {dim: [value for one in rated if (value := one[dim]) is not None] for dim in DIMENSIONS}
    return {dim: math.fsum(values) / len(values) if values else None for dim, values in found.items()}


def probe_table(rated: dict[str, dict[str, float | None]]) -> str:
    """Return the mean rating of each dimension by assistant."""
    shown = [dim for dim in DIMENSIONS if any(found[dim] is not None for found in rated.values())]
    body = [
        [f"`{name}`", *("n/a" if (value := found[dim]) is None else f"{value:.2f}" for dim in shown)]
        for name, found in rated.items()
    ]
    return table(["assistant", *(dim.replace("_", " ") for dim in shown)], body)


def above_rule(rated: dict[str, dict[str, float | None]]) -> list[str]:
    """Return where a probe is rated above ``rule``."""
    found = []
    for name in PROBES:
        for dim, value in rated[name].items():
            bar = rated["rule"][dim]
            if value is not None and (bar is None or value > bar + ROUNDING):
                found.append(f"{name}: {dim} {value:.3f} above rule's {'n/a' if bar is None else f'{bar:.3f}'}")
    return found


def rate(judge: Scorer, agents: Sequence[str], tasks: Sequence[Task]) -> dict[str, dict[str, float | None]]:
    """Return the mean ratings of assistants on the same tasks."""
    return {name: means([ratings_of(judge, episode) for episode in play(name, tasks)]) for name in agents}


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=100, help="tasks of each suite (default 100)")
    parser.add_argument("--pairs", type=int, default=250, help="pairs of each fault at most (default 250)")
    parser.add_argument("--dry", action="store_true", help="print only")
    args = parser.parse_args(words)
    judge = make_scorer()
    tasks = load_suite("dev").tasks[: args.tasks]
    allergic = load_suite("segment_allergic").tasks[: args.tasks]
    # The allergic trips first: faults stop at their number of pairs, and only these give enough allergies.
    clean = [episode for suite in (allergic, tasks) for name in SOUND for episode in play(name, suite)]
    checks = check_faults(judge, clean, per_fault=args.pairs)
    rated = rate(judge, ("rule", *PROBES), tasks)
    faults, probes = fault_table(checks), probe_table(rated)
    print(f"{faults}\n\n{probes}")
    problems = [f"{check.fault}: {check.changes}" for check in checks if not check.holds] + above_rule(rated)
    if not args.dry:
        write_table("planted faults", faults, DOCS / "judge.md")
        write_table("probes", probes, DOCS / "judge.md")
    for problem in problems:
        print(f"PROBLEM {problem}")
    return bool(problems)


if __name__ == "__main__":
    raise SystemExit(main())
