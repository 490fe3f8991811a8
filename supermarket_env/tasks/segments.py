"""Segments of shoppers as tasks: which trips they make, how tight their money is, whom a hard constraint binds.

The other half of a segment, its traits and habits, is the user configuration of the same name (``conf/user``). A suite
``segment_<name>`` is drawn on demand and is the same in every process; it is not frozen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from supermarket_env.errors import TaskError, unknown_name
from supermarket_env.tasks.draws import Draws, seed_of
from supermarket_env.tasks.prepare import prepare
from supermarket_env.tasks.sample import sample_task
from supermarket_env.tasks.suites import FROZEN_CATALOGUE, SEGMENT_PREFIX, Suite, content_hash, world_of
from supermarket_env.tasks.task import Task, Trip
from supermarket_env.user_sim.config import UserConfig

N_TASKS: Final = 100
STORE: Final = "neighbourhood"
TRIES: Final = 400
"""Task seeds tried for one task of a segment that only some tasks belong to."""
D_SEGMENT_BUDGET: Final = 201
D_SEGMENT_TRIP: Final = 202


@dataclass(frozen=True, slots=True)
class Segment:
    """The tasks of one segment."""

    meaning: str
    trips: tuple[Trip, ...] = ()
    """Kinds of trips, equally often; empty: as in the default population."""
    allergic: bool = False
    """Only households with an allergen that rules something out."""
    budget: tuple[float, float] | None = None
    """Budget as a multiple of the cost of the best cart; None: as in the default population."""


SEGMENTS: Final[dict[str, Segment]] = {
    "quick_trip": Segment("one or two things, in a hurry", trips=("quick",)),
    "family_stock_up": Segment("six to eight needs for a household", trips=("stock_up",)),
    "budget": Segment("hardly more money than the list costs, prices first", budget=(1.02, 1.10)),
    "allergic": Segment("an allergen rules products out", allergic=True),
    "elderly": Segment("little knowledge of the store, time, few words read at once"),
    "visitor": Segment("little language: says little, reads short lists, knows neither store nor brands"),
}
"""Every segment by name."""


def segment_task(name: str, index: int, *, store: str = STORE, catalogue: str = FROZEN_CATALOGUE) -> Task:
    """Return task ``index`` (from 0) of a segment; the same in every process.

    Raises:
        TaskError: An unknown segment, a negative index, or no such task can be drawn there.
    """
    if name not in SEGMENTS:
        raise TaskError(unknown_name("segment", name, SEGMENTS))
    if index < 0:
        raise TaskError(f"the index of a task must be 0 or more, got {index}")
    segment, world = SEGMENTS[name], world_of(catalogue, store)
    for attempt in range(TRIES):
        seed = seed_of(f"{SEGMENT_PREFIX}{name} {attempt}", index)
        draws = Draws(seed)
        trip: Trip | None = None
        if segment.trips:
            trip = segment.trips[draws.whole(1, len(segment.trips), D_SEGMENT_TRIP) - 1]
        task = sample_task(world, seed=seed, id=f"{SEGMENT_PREFIX}{name}-{index:04d}", trip=trip)
        if segment.allergic and not task.household_allergens:
            continue
        changes: dict[str, object] = {"store": store, "catalogue": catalogue}
        if segment.budget is not None:
            cost = prepare(world, task, UserConfig()).best_cart.cost_cents
            changes["budget_cents"] = int(cost * draws.between(*segment.budget, D_SEGMENT_BUDGET)) + 1
        return task.model_copy(update=changes)
    raise TaskError(f"segment {name!r}: none of {TRIES} tasks fits it in store {store!r} with catalogue {catalogue!r}")


def segment_suite(name: str, store: str | None = None, catalogue: str | None = None) -> Suite:
    """Return the suite of a segment: ``segment_<name>``, with ``@store@catalogue`` when these are not the usual ones.

    Raises:
        TaskError: Unknown segment, or no such tasks can be drawn there.
    """
    segment = name.removeprefix(SEGMENT_PREFIX)
    if segment not in SEGMENTS:
        raise TaskError(unknown_name("suite", name, [f"{SEGMENT_PREFIX}{known}" for known in SEGMENTS]))
    return _drawn(segment, store or STORE, catalogue or FROZEN_CATALOGUE)


@lru_cache(maxsize=8)
def _drawn(segment: str, store: str, catalogue: str) -> Suite:
    tasks = tuple(segment_task(segment, k, store=store, catalogue=catalogue) for k in range(N_TASKS))
    name = f"{SEGMENT_PREFIX}{segment}"
    if (store, catalogue) != (STORE, FROZEN_CATALOGUE):
        name += f"@{store}@{catalogue}"
    world = world_of(catalogue, store)
    return Suite(
        name,
        tasks,
        content_hash(tasks),
        catalogue_hashes={catalogue: world.catalogue.content_hash},
        store_hashes={store: world.store.content_hash},
    )
