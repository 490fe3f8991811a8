"""Sampling shopping tasks: what a simulated shopper needs, so that every task can be solved and none is trivial.

All draws are keyed by (task seed, attempt, purpose, object). A task that fails a check is drawn again with the next
attempt number; trip, number of needs and persona are drawn once, so that rejection does not change their shares.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from supermarket_env.catalogue.schema import ALLERGENS, ATTRIBUTES, DIETS, Catalogue
from supermarket_env.errors import TaskError
from supermarket_env.rules.codes import MAX_TYPES, MAX_WANTS, SIZE_CLASSES, TRIPS
from supermarket_env.rules.rows import TRAITS
from supermarket_env.tasks import draws as d
from supermarket_env.tasks.draws import Draws
from supermarket_env.tasks.held_out import draw_persona, type_held_out
from supermarket_env.tasks.recipes import RECIPES, is_food
from supermarket_env.tasks.solve import BestCart, NeedValues, best_cart, value_needs
from supermarket_env.tasks.state import plain_tables, state_of
from supermarket_env.tasks.task import Need, SizeName, Task, Trip
from supermarket_env.tasks.tour import fewest_turns
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.user_sim.persona import TRAIT_TABLE
from supermarket_env.world import World

TRIP_SHARES: Final[dict[Trip, float]] = {
    "quick": 0.25, "fill_in": 0.30, "stock_up": 0.15, "recipe": 0.15, "browse": 0.15,
}  # fmt: skip
TRIP_NEEDS: Final[dict[Trip, tuple[int, int]]] = {
    "quick": (1, 2), "fill_in": (3, 5), "stock_up": (6, 8), "recipe": (3, 6), "browse": (1, 3),
}  # fmt: skip
MIN_FEASIBLE: Final = 8
"""Carried products without a broken hard constraint that each need must have."""
MIN_ACCEPTABLE: Final = 2
"""Acceptable products on the shelf that each need must have."""
MAX_OPTIMAL_TURNS: Final = 50
VARYING: Final = (0.10, 0.80)
"""Share of a type's products that carry an attribute which may be wished for."""
DIET_SHARE: Final = 0.30
"""Share of households with a diet; it shows in about half of their tasks, where it rules something out."""
ALLERGEN_SHARE: Final = 0.20
"""The same for an allergen."""
SIZE_SHARE: Final = 0.32
"""Drawn share of size wishes; about 0.25 are left where sizes differ and no family pack is wished for."""
BRAND_SHARE: Final = 0.50
LIMIT_SHARE: Final = 0.15
ATTEMPTS: Final = 400


@dataclass(frozen=True, slots=True)
class Dials:
    """Difficulty of sampled tasks; the defaults are the published population.

    Scarcity and map error are mechanisms of the user (``user.mechanisms.sold_out``, ``user.mechanisms.map_error``), not
    of the task, and are set there.
    """

    n_needs: int | None = None
    """Number of needs, 1 to 8, whatever the trip; None: by trip."""
    ambiguity: float = 0.0
    """Share of the needs of ordinary trips that are vague (several types of one department would do)."""
    familiarity: float = 0.0
    """Added to the trait, then clipped to its bounds."""
    disclosure: float = 0.0
    """Added to the trait, then clipped to its bounds."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        if self.n_needs is not None and not 1 <= self.n_needs <= 8:
            raise TaskError(f"dial n_needs must be 1 to 8 or None, got {self.n_needs!r}")
        if not 0.0 <= self.ambiguity <= 1.0:
            raise TaskError(f"dial ambiguity must be in [0, 1], got {self.ambiguity!r}")
        for name in ("familiarity", "disclosure"):
            if not -1.0 <= getattr(self, name) <= 1.0:
                raise TaskError(f"dial {name} must be in [-1, 1], got {getattr(self, name)!r}")


@dataclass(frozen=True)
class _Scene:
    """One world as the sampler sees it."""

    world: World
    tables: Any
    user: UserConfig
    pool: tuple[int, ...]
    """Types that needs may be about."""
    weight: dict[int, float]
    """How often a type is wanted."""
    members: dict[int, Any] = field(default_factory=dict)
    """Carried products by type."""


_scenes: dict[tuple[int, bool], _Scene] = {}


def _scene(world: World, *, held_out_types: bool) -> _Scene:
    """Return the sampler's view of a world; kept while the world is."""
    found = _scenes.get((id(world), held_out_types))
    if found is not None and found.world is world:
        return found
    cat = world.catalogue
    members, weight = {}, {}
    for t, kind in enumerate(cat.types):
        carried = [p for p in cat.products_of(t) if world.store.home_section[p] >= 0]
        if len(carried) >= MIN_FEASIBLE and type_held_out(kind.name) == held_out_types:
            members[t] = np.array(carried)
            weight[t] = float(np.sqrt(cat.popularity[carried].mean()))
    if not members:
        kinds = "held-out " if held_out_types else ""
        raise TaskError(
            f"store {world.store.name!r} carries no {kinds}product type with at least {MIN_FEASIBLE} products of "
            f"catalogue {cat.name!r}: no task can be drawn"
        )
    user = UserConfig()
    scene = _Scene(world, plain_tables(world, user), user, tuple(members), weight, members)
    if len(_scenes) >= 32:
        _scenes.pop(next(iter(_scenes)))
    _scenes[id(world), held_out_types] = scene
    return scene


def sample_task(
    world: World,
    *,
    seed: int,
    id: str,  # noqa: A002 (the field's name)
    stratum: str = "{trip}",
    trip: Trip | None = None,
    dials: Dials = Dials(),  # noqa: B008 (frozen)
    held_out_types: bool = False,
    held_out_personas: bool = False,
) -> Task:
    """Draw a task that can be solved.

    Args:
        world: Where it takes place.
        seed: Key of all draws, of taste and of what is sold out, in [0, 2**62).
        id: Name of the task.
        stratum: Its label; ``{trip}`` is replaced by the trip.
        trip: The kind of trip; None draws it.
        dials: Difficulty.
        held_out_types: Needs are about held-out product types only, instead of the others only.
        held_out_personas: The persona is from the held-out corners, instead of from outside.

    Returns:
        A task with 1-8 needs of separate product types, each with at least ``MIN_FEASIBLE`` feasible and
        ``MIN_ACCEPTABLE`` acceptable products on the shelf, a budget above the cost of the best cart, and an optimal
        trip of at most ``MAX_OPTIMAL_TURNS`` turns.

    Raises:
        TaskError: An unknown trip, or no attempt gave such a task (the world is too small for it).
    """
    if trip is not None and trip not in TRIPS:
        from supermarket_env.errors import unknown_name

        raise TaskError(unknown_name("trip", trip, TRIPS))
    scene = _scene(world, held_out_types=held_out_types)
    fixed = Draws(seed)
    kind = trip or fixed.choose(TRIP_SHARES, d.D_TRIP)
    low, high = TRIP_NEEDS[kind]
    wanted = dials.n_needs or fixed.whole(low, high, d.D_N_NEEDS)
    persona = _shifted(draw_persona(fixed, held_out=held_out_personas), dials)
    reason = ""
    for attempt in range(1, ATTEMPTS + 1):
        draws = Draws(seed, attempt)
        groups = _choose_types(scene, draws, kind, wanted, dials)
        if len(groups) < wanted:
            # A dish (or a small store) may have too few types; late attempts settle for fewer needs.
            reason = f"only {len(groups)} of {wanted} needs found separate product types"
            if not groups or (attempt <= ATTEMPTS // 2 and kind != "recipe"):
                continue
        draft = _draft(scene, draws, groups)
        task = Task(
            id=id, seed=seed, trip=kind, stratum=stratum.replace("{trip}", kind), store=world.store.name,
            catalogue=world.catalogue.name, budget_cents=10**7, persona=persona,
            household_allergens=draft.household, needs=draft.needs,
        )  # fmt: skip
        state = state_of(world, scene.tables, task, scene.user)
        values = value_needs(scene.tables, state)
        reason = _shortage(draft.needs, values)
        if reason:
            continue
        cart = best_cart(scene.tables, state, values)
        reason = _too_long(world, cart)
        if not reason:
            budget = int(cart.cost_cents * draws.between(1.02, 1.5, d.D_BUDGET)) + 1
            return task.model_copy(update={"budget_cents": budget})
    raise TaskError(
        f"task {id}: {ATTEMPTS} attempts at a {kind} trip in store {world.store.name!r} with catalogue "
        f"{world.catalogue.name!r} failed; the last one because {reason}"
    )


def _shifted(persona: dict[str, float], dials: Dials) -> dict[str, float]:
    for trait in TRAIT_TABLE:
        if trait.name in ("familiarity", "disclosure"):
            value = persona[trait.name] + getattr(dials, trait.name)
            persona[trait.name] = round(min(trait.maximum, max(trait.minimum, value)), 4)
    return {name: persona[name] for name in TRAITS}


def _shortage(needs: tuple[Need, ...], values: tuple[NeedValues, ...]) -> str:
    """Return what a need lacks, empty when nothing."""
    for need, v in zip(needs, values, strict=True):
        if len(v.feasible) < MIN_FEASIBLE:
            return f"need {need.types[0]!r} has {len(v.feasible)} feasible products, at least {MIN_FEASIBLE} are needed"
        if len(v.offers) < MIN_ACCEPTABLE:
            return f"need {need.types[0]!r} has {len(v.offers)} acceptable products, at least {MIN_ACCEPTABLE} are needed"
        if max(offer.left for offer in v.offers) < need.qty:
            return f"need {need.types[0]!r} wants {need.qty} of one product and no shelf has them"
    return ""


def _too_long(world: World, cart: BestCart) -> str:
    turns = fewest_turns(world.store, cart.lines)
    return f"its optimal trip takes {turns} turns, at most {MAX_OPTIMAL_TURNS}" if turns > MAX_OPTIMAL_TURNS else ""


# --- which product types ---------------------------------------------------------------------------------------------


def _choose_types(scene: _Scene, draws: Draws, trip: Trip, wanted: int, dials: Dials) -> list[tuple[int, ...]]:
    """Return up to ``wanted`` disjoint groups of types, one group a need."""
    order = draws.order([(t, scene.weight[t]) for t in scene.pool], d.D_TYPE)
    if trip == "recipe":
        order = _recipe_order(scene, draws, order, wanted)
    used: set[int] = set()
    groups: list[tuple[int, ...]] = []
    for t in order:
        if len(groups) == wanted:
            break
        if t in used:
            continue
        group = (t,)
        if trip == "browse" or (trip != "recipe" and draws.uniform(d.D_VAGUE, t) < dials.ambiguity):
            group = _vague_group(scene, draws, order, t, used)
            if len(group) < 2:
                continue
        used.update(group)
        groups.append(group)
    return groups


def _vague_group(scene: _Scene, draws: Draws, order: list[int], t: int, used: set[int]) -> tuple[int, ...]:
    """Return ``t`` with one or two more types of its department, its own aisle first."""
    types = scene.world.catalogue.types
    near = [u for u in order if u != t and u not in used and types[u].department == types[t].department]
    near.sort(key=lambda u: types[u].aisle != types[t].aisle)
    return (t, *near[: draws.whole(2, MAX_TYPES, d.D_N_TYPES, t) - 1])


def _recipe_order(scene: _Scene, draws: Draws, order: list[int], wanted: int) -> list[int]:
    """Return the types of one dish in random order; without a fitting dish those of three food departments."""
    types = scene.world.catalogue.types
    names = {types[t].name: t for t in scene.pool}
    dishes = {dish: [names[n] for n in parts if n in names] for dish, parts in RECIPES.items()}
    fitting = {dish: 1.0 for dish, parts in dishes.items() if len(parts) >= wanted}
    if fitting:
        parts = dishes[draws.choose(fitting, d.D_RECIPE)]
        return [t for t in order if t in parts]
    food = [t for t in order if is_food(types[t].department)] or order
    kept: list[str] = []
    for t in food:
        if types[t].department not in kept and len(kept) < 3:
            kept.append(types[t].department)
    return [t for t in food if types[t].department in kept]


# --- what is wanted of them ------------------------------------------------------------------------------------------


_Names = tuple[str, ...]


@dataclass(frozen=True)
class _Draft:
    needs: tuple[Need, ...]
    household: tuple[str, ...]


def _draft(scene: _Scene, draws: Draws, groups: list[tuple[int, ...]]) -> _Draft:
    members = [np.concatenate([scene.members[t] for t in group]) for group in groups]
    allergen = _household_allergen(scene, draws, members)
    diet = _household_diet(scene, draws, members)
    needs = []
    for i, (group, products) in enumerate(zip(groups, members, strict=True)):
        free, suits = _free_of(scene, allergen, products), _suits(scene, diet, products)
        allergens: _Names = (allergen,) if 0 < free.sum() < len(products) else ()
        diets: _Names = (diet,) if 0 < suits.sum() < len(products) else ()
        if allergens:
            products, suits = products[free], suits[free]
        if diets:
            products = products[suits]
        needs.append(_need(scene, draws, i, group, products, (allergens, diets)))
    used = (allergen,) if any(need.allergens for need in needs) else ()
    return _Draft(tuple(needs), used)


def _free_of(scene: _Scene, allergen: str, products: Any) -> Any:
    """Return which products are free of an allergen (of the empty one: all)."""
    if not allergen:
        return np.ones(len(products), dtype=np.bool_)
    return (scene.world.catalogue.allergen_mask[products] >> ALLERGENS.index(allergen) & 1) == 0


def _suits(scene: _Scene, diet: str, products: Any) -> Any:
    """Return which products suit a diet (the empty one: all)."""
    if not diet:
        return np.ones(len(products), dtype=np.bool_)
    cat = scene.world.catalogue
    return ((cat.diet_mask[products] | cat.attr_mask[products]) >> ATTRIBUTES.index(diet) & 1) == 1


def _household_allergen(scene: _Scene, draws: Draws, members: list[Any]) -> str:
    """Draw an allergen that some need can avoid and still choose; empty for most households."""
    if not scene.world.catalogue.allergens_known or draws.uniform(d.D_ALLERGEN) >= ALLERGEN_SHARE:
        return ""
    counts = {name: [(int(_free_of(scene, name, p).sum()), len(p)) for p in members] for name in ALLERGENS}
    weights = {
        name: float(bites)
        for name, pairs in counts.items()
        if (bites := sum(MIN_FEASIBLE <= free < n for free, n in pairs))
        and all(free >= MIN_FEASIBLE or free == 0 for free, _ in pairs)
    }
    return draws.choose(weights, d.D_ALLERGEN, 1) if weights else ""


def _household_diet(scene: _Scene, draws: Draws, members: list[Any]) -> str:
    """Draw a diet that every need can keep and that rules out something; empty for most households."""
    if draws.uniform(d.D_DIET) >= DIET_SHARE:
        return ""
    counts = {name: [(int(_suits(scene, name, p).sum()), len(p)) for p in members] for name in DIETS}
    weights = {
        name: float(bites)
        for name, pairs in counts.items()
        if (bites := sum(suits < n for suits, n in pairs)) and all(suits >= MIN_FEASIBLE for suits, _ in pairs)
    }
    return draws.choose(weights, d.D_DIET, 1) if weights else ""


def _need(
    scene: _Scene, draws: Draws, i: int, group: tuple[int, ...], products: Any, hard: tuple[_Names, _Names]
) -> Need:
    """Draw one need over the products (numbers) that its hard constraints, allergens and diets, leave."""
    cat = scene.world.catalogue
    allergens, diets = hard
    names = _wishes(cat, draws, i, products, diets)
    size = _size(scene.world, draws, i, products, names)
    raw = [draws.gamma2(d.D_WANT_WEIGHT, i, k) for k in range(len(names) + (1 if size else 0))]
    shares = [max(0.0001, round(x / sum(raw), 4)) for x in raw]
    return Need(
        types=tuple(cat.types[t].name for t in group),
        qty=_quantity(cat, draws, i, products),
        diets=diets,
        allergens=allergens,
        wants=dict(zip(names, sorted(shares[: len(names)], reverse=True), strict=True)),
        size=size,
        size_weight=shares[-1] if size else 0.0,
        brand=_brand(cat, draws, i, products),
        price_limit_cents=_limit(cat, draws, i, products),
        weight=round(draws.between(0.5, 1.5, d.D_WEIGHT, i), 3),
    )


def _wishes(cat: Catalogue, draws: Draws, i: int, products: Any, diets: tuple[str, ...]) -> list[str]:
    """Draw one to three attributes that some of the products have and some lack."""
    varying = []
    for bit, name in enumerate(ATTRIBUTES):
        share = float((cat.attr_mask[products] >> bit & 1).mean()) if len(products) else 0.0
        if VARYING[0] <= share <= VARYING[1] and name not in diets:
            varying.append((bit, 1.0))
    wanted = draws.whole(1, MAX_WANTS, d.D_N_WANTS, i)
    return [ATTRIBUTES[bit] for bit in draws.order(varying, d.D_WANT, i)[:wanted]]


def _size(world: World, draws: Draws, i: int, products: Any, wishes: list[str]) -> SizeName:
    """Draw a size wish among the size classes there are; a wish for family packs already says it."""
    if draws.uniform(d.D_SIZE, i) >= SIZE_SHARE or "family_size" in wishes:
        return ""
    present, counts = np.unique(world.size_class[products], return_counts=True)
    if len(present) < 2:
        return ""
    weights = {int(c): float(n) for c, n in zip(present, counts, strict=True)}
    sizes: dict[str, SizeName] = {"small": "small", "regular": "regular", "large": "large"}
    return sizes[SIZE_CLASSES[draws.choose(weights, d.D_SIZE, i, 1)]]


def _brand(cat: Catalogue, draws: Draws, i: int, products: Any) -> str:
    """Draw a wanted brand among those of the products, popular ones more often."""
    if draws.uniform(d.D_BRAND, i) >= BRAND_SHARE or not len(products):
        return ""
    weights: dict[int, float] = {}
    for brand, popularity in zip(cat.brand_idx[products].tolist(), cat.popularity[products].tolist(), strict=True):
        weights[brand] = weights.get(brand, 0.0) + popularity
    return cat.brands[draws.choose(weights, d.D_BRAND, i, 1)]


def _limit(cat: Catalogue, draws: Draws, i: int, products: Any) -> int:
    """Draw a price limit above the median price, in steps of ten cents; 0 for none."""
    if draws.uniform(d.D_LIMIT, i) >= LIMIT_SHARE or not len(products):
        return 0
    quantile = draws.between(0.5, 0.9, d.D_LIMIT, i, 1)
    return int(np.ceil(np.quantile(cat.price_cents[products], quantile) / 10.0)) * 10


def _quantity(cat: Catalogue, draws: Draws, i: int, products: Any) -> int:
    u = draws.uniform(d.D_QTY, i)
    qty = 1 if u < 0.70 else 2 if u < 0.92 else 3
    return min(qty, int(cat.stock[products].max())) if len(products) else qty
