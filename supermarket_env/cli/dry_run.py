"""What ``run.dry_run=true`` prints: what would be played, what is there already, and how long it would take."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from supermarket_env.errors import SupermarketError
from supermarket_env.run.batch import worker_count

if TYPE_CHECKING:
    from supermarket_env.run.build import RunPlan

PROBES = 2
"""Episodes played of each shipped assistant to estimate the time."""

CALLABLE_USERS = ("scripted", "noisy", "adversarial", "robust")
"""User models that can be asked in a dry run: they cost nothing and wait for nobody."""


class DryRun(NamedTuple):
    """What a run would do."""

    n_episodes: int
    n_there: int
    """Episodes its directory or the runs beside it hold already."""
    seconds: float | None
    """Estimated time with the workers asked for; ``None`` if an assistant is not the project's own."""


def print_plan(plan: RunPlan, out: Path, *, reuse: bool = False) -> DryRun:
    """Print a run's plan; nothing is written and only shipped assistants are asked for a few messages."""
    names = ", ".join(f"{agent.name}*" if agent.privileged else agent.name for agent in plan.agents)
    n_tasks = len({unit.task for unit in plan.units})
    found = estimate(plan, out, reuse=reuse)
    print(
        f"dry run: {len(plan.units)} episodes = {len(plan.agents)} assistants x {n_tasks} tasks x "
        f"{plan.config.trials} trials"
    )
    print(f"assistants  {names}")
    print(f"suite       {plan.suite.name} ({plan.suite.content_hash[:12]})")
    for kind, hashes in (("catalogue", plan.catalogues), ("store", plan.stores)):
        for name, content_hash in hashes.items():
            print(f"{kind:<10}  {name} ({content_hash[:12]})")
    print(f"user        {plan.user_identity['name']} {plan.user_identity['version']}")
    print(f"directory   {out}")
    left = found.n_episodes - found.n_there
    print(f"to play     {left} episodes, {found.n_there} are there already")
    if found.seconds is None:
        print("time        unknown: own assistants, own users and language models are not called in a dry run")
    else:
        print(f"time        about {in_words(found.seconds)} (from {PROBES} episodes of each assistant)")
    return found


def estimate(plan: RunPlan, out: Path, *, reuse: bool = False) -> DryRun:
    """Return how much a run has to do and about how long that takes."""
    there = _there(plan, out, reuse=reuse)
    todo = [unit for unit in plan.units if unit.episode_id not in there]
    left = Counter(unit.agent for unit in todo)
    total: float | None = 0.0
    calls_out = plan.seat is not None and plan.seat.model not in CALLABLE_USERS
    if any(plan.agents[agent].own or plan.agents[agent].name.startswith("llm") for agent in left) or calls_out:
        total = None
    elif todo:
        from supermarket_env.run.build import GamePlayer

        player = GamePlayer(plan)
        player.play(todo[0])  # builds the world, which is no part of an episode's time
        spent = 0.0
        for agent, count in left.items():
            units = [unit for unit in todo if unit.agent == agent][:PROBES]
            started = time.perf_counter()
            for unit in units:
                player.play(unit)
            spent += (time.perf_counter() - started) / len(units) * count
        total = spent / worker_count(plan.config.run.workers, len(todo))
    return DryRun(len(plan.units), len(there), total)


def _there(plan: RunPlan, out: Path, *, reuse: bool) -> set[str]:
    """Return the ids of this run's episodes that are finished already, in its directory or beside it."""
    from supermarket_env.events.log import read_episodes
    from supermarket_env.run.manifest import make_manifest
    from supermarket_env.run.reuse import finished_beside

    wanted = {unit.episode_id for unit in plan.units}
    there: set[str] = set()
    if out.is_dir():
        try:
            there = {e.episode_id for e in read_episodes(out) if e.reason != "infra_error"} & wanted
        except SupermarketError:  # an empty or foreign folder: the run itself will say so
            there = set()
    if reuse and not plan.config.scorers and there < wanted:
        there |= finished_beside(make_manifest(plan, ()), wanted - there, out)
    return there


def in_words(seconds: float) -> str:
    """Return a duration for people.

    >>> in_words(0.2), in_words(75), in_words(8000)
    ('1 s', '75 s', '2.2 h')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
