"""What a configuration plays: the suite, its episodes with their seeds, and the hashes of what they are made of.

Nothing an own assistant, user model or scorer brings is built here, so that a run of somebody else can be checked
without running their code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from supermarket_env.errors import ConfigError
from supermarket_env.run.batch import WorkUnit
from supermarket_env.run.config import RunConfig
from supermarket_env.run.seeding import episode_seed

if TYPE_CHECKING:
    from supermarket_env.tasks.suites import Suite
    from supermarket_env.world import World


@dataclass(frozen=True)
class Content:
    """The suite and the episodes of a run."""

    suite: Suite
    units: tuple[WorkUnit, ...]
    catalogues: Mapping[str, str]
    """Content hashes by name."""
    stores: Mapping[str, str]
    """Content hashes by name."""


def plan_content(config: RunConfig, agents: Sequence[str], user: str) -> Content:
    """Load the suite of a configuration and lay out its episodes.

    Args:
        config: The configuration.
        agents: Names of the assistants, the reference included.
        user: Name of the user model.

    Raises:
        SupermarketError: If the suite, a store or a catalogue does not exist here, or has fewer tasks than asked for.
    """
    from supermarket_env.tasks.suites import store_key

    suite = _suite(config)
    if config.suite.episodes is not None and config.suite.episodes > len(suite.tasks):
        raise ConfigError(
            f"suite.episodes: suite {suite.name!r} has {len(suite.tasks)} tasks, got {config.suite.episodes!r} "
            "(null plays all of them)"
        )
    tasks = suite.tasks if config.suite.episodes is None else suite.tasks[: config.suite.episodes]
    units = tuple(
        WorkUnit(
            agent=number,
            task=position,
            trial=trial,
            seed=episode_seed(config.seed, task.id, trial),
            episode_id="|".join((agent, user, task.store, task.id, str(trial))),
        )
        for position, task in enumerate(tasks)
        for number, agent in enumerate(agents)
        for trial in range(config.trials)
    )
    catalogues: dict[str, str] = {}
    stores: dict[str, str] = {}
    for catalogue, store in dict.fromkeys((task.catalogue, task.store) for task in tasks):
        world = world_of(catalogue, store)
        catalogues[catalogue] = world.catalogue.content_hash
        stores[store_key(store, catalogue)] = world.store.content_hash
    return Content(suite, units, catalogues, stores)


def _suite(config: RunConfig) -> Suite:
    """Load the suite; one with turned dials or store events is drawn no further than it is played."""
    from supermarket_env.tasks.dialled import dialled_suite
    from supermarket_env.tasks.event_plan import EventPlan
    from supermarket_env.tasks.events import suite_with_events
    from supermarket_env.tasks.sample import STANDARD, Dials
    from supermarket_env.tasks.suites import load_suite

    dials = Dials(**config.suite.dials.model_dump())
    name, store, catalogue = config.suite.name, config.store.name, config.catalogue.name
    plan = EventPlan(**config.suite.events.model_dump())
    if dials == STANDARD and plan.quiet:
        return load_suite(name, store=store, catalogue=catalogue)
    n = config.suite.episodes
    if dials == STANDARD:
        return suite_with_events(load_suite(name, store=store, catalogue=catalogue, n=n), plan)
    return suite_with_events(dialled_suite(name, dials, store=store, catalogue=catalogue, n=n), plan)


@cache
def world_of(catalogue: str, store: str) -> World:
    """Return the world of a catalogue and a store by name, built once a process."""
    from supermarket_env.world import load_world

    return load_world(catalogue, store)
