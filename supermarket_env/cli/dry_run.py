"""What ``run.dry_run=true`` prints: what would be played, what is there already, and how long it would take."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from supermarket_env.errors import SupermarketError
from supermarket_env.run.batch import worker_count

if TYPE_CHECKING:
    from supermarket_env.run.batch import WorkUnit
    from supermarket_env.run.build import RunPlan
    from supermarket_env.run.config import RunConfig

PROBES = 4
"""Episodes played of each shipped assistant to estimate the time."""

CALLABLE_USERS = ("scripted", "noisy", "adversarial", "robust")
"""User models that can be asked in a dry run: they cost nothing and wait for nobody."""


class DryRun(NamedTuple):
    """What a run would do."""

    n_episodes: int
    n_there: int
    """Episodes its directory or the runs beside it hold already."""
    n_earlier: int
    """Episodes that earlier jobs of the sweep will have finished by then."""
    seconds: float | None
    """Estimated time with the workers asked for; ``None`` if an assistant is not the project's own."""


@dataclass
class EarlierJobs:
    """The jobs of a sweep up to now: what they will have finished need not be played again."""

    jobs: list[tuple[Mapping[str, Any], frozenset[str]]] = field(default_factory=list)
    """Manifest and episode ids of each."""

    def finished(self, manifest: Mapping[str, Any], wanted: Collection[str]) -> set[str]:
        """Return the wanted episodes that are the same in an earlier job."""
        from supermarket_env.run.reuse import shared_agents

        found: set[str] = set()
        for theirs, ids in self.jobs:
            common = ids & set(wanted) - found
            if common:
                shared = shared_agents(manifest, theirs)
                found |= {name for name in common if name.partition("|")[0] in shared}
        return found


def print_sweep(configs: Sequence[RunConfig], base: Path | None) -> None:
    """Print the plan of every job of a sweep, and what they come to.

    Raises:
        SystemExit: 2 if a job cannot be played.
    """
    from supermarket_env.run.build import build_plan
    from supermarket_env.run.job import default_out

    earlier, found, n_wrong = EarlierJobs(), [], 0
    for config in configs:
        try:
            plan = build_plan(config)
        except SupermarketError as error:
            print(f"error: {error}", file=sys.stderr)
            n_wrong += 1
            continue
        reuse = config.run.reuse is not False
        found.append(print_plan(plan, default_out(config, plan.suite.name, base), reuse=reuse, earlier=earlier))
        print()
    left = sum(job.n_episodes - job.n_there - job.n_earlier for job in found)
    seconds = [job.seconds for job in found]
    known = [s for s in seconds if s is not None]
    time_of_all = f"about {in_words(sum(known))}" if len(known) == len(seconds) else "an unknown time"
    print(
        f"dry run of a sweep: {len(configs)} jobs, nothing played; to play: {left} episodes in {time_of_all}, "
        "one job after the other"
    )
    if n_wrong:
        print(f"{n_wrong} jobs cannot be played, see above", file=sys.stderr)
        raise SystemExit(2)


def print_plan(plan: RunPlan, out: Path, *, reuse: bool = False, earlier: EarlierJobs | None = None) -> DryRun:
    """Print a run's plan; nothing is written and only shipped assistants are asked for a few messages.

    Args:
        plan: The run.
        out: Its directory.
        reuse: Whether it takes over what runs beside it have finished.
        earlier: The jobs of the sweep before this one, which joins them.
    """
    names = ", ".join(f"{agent.name}*" if agent.privileged else agent.name for agent in plan.agents)
    n_tasks = len({unit.task for unit in plan.units})
    there, by_then = _there(plan, out, reuse=reuse, earlier=earlier)
    found = DryRun(len(plan.units), len(there), len(by_then), estimate(plan, there | by_then))
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
    left = found.n_episodes - found.n_there - found.n_earlier
    more = f", {found.n_earlier} come from jobs before" if found.n_earlier else ""
    print(f"to play     {left} episodes, {found.n_there} are there already{more}")
    if found.seconds is None:
        print("time        unknown: own assistants, users and scorers and language models are not called in a dry run")
    else:
        whose = " of one processor of the cluster" if plan.config.run.workers == "ray" else ""
        scored = ", scored" if plan.config.scorers else ""
        print(f"time        about {in_words(found.seconds)}{whose} (from {PROBES} episodes of each assistant{scored})")
    return found


def estimate(plan: RunPlan, there: Collection[str] = ()) -> float | None:
    """Return about how many seconds the episodes of a run take that are not there yet.

    A few episodes of each assistant are played for it, spread over the tasks, and scored by the run's scorers.

    Returns:
        Seconds with the workers asked for (of one processor, for those of a cluster); ``None`` if somebody would have
        to be called who is not the project's own.
    """
    todo = [unit for unit in plan.units if unit.episode_id not in there]
    left = Counter(unit.agent for unit in todo)
    calls_out = plan.seat is not None and plan.seat.model not in CALLABLE_USERS
    if any(plan.agents[agent].own or plan.agents[agent].name.startswith("llm") for agent in left) or calls_out:
        return None
    if any(not is_own_work(entry) for entry in plan.config.scorers):
        return None
    if not todo:
        return 0.0
    from supermarket_env.events.validate import validate_episode
    from supermarket_env.run.build import GamePlayer
    from supermarket_env.scorers import make_scorers
    from supermarket_env.scorers.sheets import is_scorable, score_episode

    player, scorers = GamePlayer(plan), make_scorers(plan.config.scorers)

    def play(unit: WorkUnit) -> None:
        line = player.play(unit)
        if scorers:
            episode = validate_episode(line, "dry run", 1)
            for scorer in scorers if is_scorable(episode) else ():
                score_episode(scorer, episode)

    play(todo[0])  # builds the world and the scorers' tables, which are no part of an episode's time
    spent = 0.0
    for agent, count in left.items():
        units = [unit for unit in todo if unit.agent == agent]
        units = units[:: -(-len(units) // PROBES)]
        started = time.perf_counter()
        for unit in units:
            play(unit)
        spent += (time.perf_counter() - started) / len(units) * count
    workers = plan.config.run.workers
    return spent / (1 if workers == "ray" else worker_count(workers, len(todo)))


def is_own_work(entry: Any) -> bool:
    """Whether a scorer of a run is shipped, asks no model and reads no file of people, so that it may be tried freely.

    >>> is_own_work("judge"), is_own_work({"name": "judge", "backend": "llm"})
    (True, False)
    """
    return isinstance(entry, str) or set(entry) == {"name"}


def _there(plan: RunPlan, out: Path, *, reuse: bool, earlier: EarlierJobs | None) -> tuple[set[str], set[str]]:
    """Return the ids of this run's episodes that are on disk, and those that earlier jobs will have finished."""
    from supermarket_env.events.log import read_episodes
    from supermarket_env.run.manifest import make_manifest
    from supermarket_env.run.reuse import finished_beside

    wanted = {unit.episode_id for unit in plan.units}
    there: set[str] = set()
    by_then: set[str] = set()
    if out.is_dir():
        try:
            there = {e.episode_id for e in read_episodes(out) if e.reason != "infra_error"} & wanted
        except SupermarketError:  # an empty or foreign folder: the run itself will say so
            there = set()
    if reuse and not plan.config.scorers:
        manifest = make_manifest(plan, ())
        there |= finished_beside(manifest, wanted - there, out)
        if earlier is not None:
            by_then = earlier.finished(manifest, wanted - there)
            earlier.jobs.append((manifest, frozenset(wanted)))
    return there, by_then


def in_words(seconds: float) -> str:
    """Return a duration for people.

    >>> in_words(0.2), in_words(75), in_words(8000)
    ('1 s', '75 s', '2.2 h')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
