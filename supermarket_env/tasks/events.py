"""Store events: what happens in a store around one trip, drawn from the task's own seed.

Three kinds, each off by default. *Offers*: the trip falls in an offer week, so that other goods are cheap and stand on
endcaps (the catalogue of the task gets ``+week<k>``). *Map errors*: goods of some shelves changed places and the
assistant's map does not know it (the store gets ``+moved<k>``). *Stock changes*: popular goods of the needs' types sell
out in the middle of the trip, sold-out ones are filled up (``Task.events``).
"""

from __future__ import annotations

from typing import Final

from supermarket_env.catalogue.offers import split_week
from supermarket_env.rules.codes import MAX_DUE
from supermarket_env.rules.place import left_on_shelf
from supermarket_env.store.moved import split_moved
from supermarket_env.tasks import draws as d
from supermarket_env.tasks.draws import Draws
from supermarket_env.tasks.event_plan import EventPlan, describe_events
from supermarket_env.tasks.prepare import Prepared, prepare
from supermarket_env.tasks.suites import Suite, content_hash, world_of
from supermarket_env.tasks.task import StockEvent, Task
from supermarket_env.tasks.validate import check_task
from supermarket_env.user_sim.config import UserConfig

VARIANTS: Final = 4
"""Offer weeks and rearrangements of one suite."""
FIRST_TURN: Final = 2
LAST_TURN: Final = 12
"""Stock changes happen in these turns; a refill after a sale some turns later."""
REFILL: Final = 5
"""Fewest units of a shelf that was filled up."""


def with_events(task: Task, plan: EventPlan) -> Task:
    """Return the task with its store events; the same task and plan give the same events.

    A draw after which the task could no longer be done is dropped: first the stock changes, then the map error, then
    the offers.

    Raises:
        TaskError: the task names what its catalogue lacks.
    """
    draws = Draws(task.seed)
    variant = draws.whole(plan.first_variant, plan.first_variant + VARIANTS - 1, d.D_EVENT_VARIANT)
    catalogue, store = split_week(task.catalogue)[0], split_moved(task.store)[0]
    goods, place = {task.catalogue: None}, {task.store: None}
    if draws.uniform(d.D_EVENT_WEEK) < plan.promotions:
        goods = {f"{catalogue}+week{variant}": None, **goods}
    if draws.uniform(d.D_EVENT_MAP) < plan.map_errors:
        place = {f"{store}+moved{variant}": None, **place}
    for week in goods:
        for moved in place:
            quiet = task.model_copy(update={"catalogue": week, "store": moved, "events": ()})
            world = world_of(week, moved)
            eventful = quiet.model_copy(update={"events": _stock_events(prepare(world, quiet, UserConfig()), plan)})
            for changed in (eventful, quiet):
                if changed == task or not check_task(world, changed):
                    return changed
    return task


def _stock_events(p: Prepared, plan: EventPlan) -> tuple[StockEvent, ...]:
    draws, tables, ids = Draws(p.task.seed), p.tables, p.world.catalogue.ids
    events: list[StockEvent] = []
    for i, values in enumerate(p.values):
        shelf = {q: left_on_shelf(tables, p.state, q) for q in values.feasible}
        popular = {q: tables.prod[q].popularity + 0.05 for q in values.feasible}
        on_shelf = {q: x for q, x in popular.items() if shelf[q] > 0}
        if on_shelf and draws.uniform(d.D_EVENT_SALE, i) < plan.stock_changes:
            q = draws.choose(on_shelf, d.D_EVENT_SALE, i, 1)
            turn = draws.whole(FIRST_TURN, LAST_TURN, d.D_EVENT_SALE, i, 2)
            events.append(StockEvent(turn=turn, product=ids[q], left=0))
            if draws.uniform(d.D_EVENT_SALE, i, 3) < 0.5:
                later = turn + draws.whole(4, LAST_TURN, d.D_EVENT_SALE, i, 4)
                events.append(StockEvent(turn=later, product=ids[q], left=max(REFILL, shelf[q])))
        gone = {q: x for q, x in popular.items() if shelf[q] == 0}
        if gone and draws.uniform(d.D_EVENT_REFILL, i) < plan.refills:
            q = draws.choose(gone, d.D_EVENT_REFILL, i, 1)
            turn = draws.whole(FIRST_TURN, LAST_TURN, d.D_EVENT_REFILL, i, 2)
            events.append(StockEvent(turn=turn, product=ids[q], left=max(REFILL, tables.prod[q].stock)))
    kept = sorted(events, key=lambda event: event.turn)[:MAX_DUE]
    return tuple(kept)


def suite_with_events(suite: Suite, plan: EventPlan) -> Suite:
    """Return the suite with store events; its name says which (``dev~map_errors=1``).

    Raises:
        TaskError: see :func:`with_events`.
    """
    if plan.quiet:
        return suite
    tasks = tuple(with_events(task, plan) for task in suite.tasks)
    return Suite(f"{suite.name}~{describe_events(plan)}", tasks, content_hash(tasks), suite.version)
