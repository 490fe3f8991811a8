"""Sampling shopping tasks: what a simulated shopper needs, so that every task can be solved and none is trivial.

All draws are keyed by (task seed, attempt, purpose, object). A task that fails a check is drawn again with the next
attempt number; trip, number of needs and persona are drawn once, so that rejection does not change their shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from supermarket_env.errors import TaskError, unknown_name
from supermarket_env.rules.codes import MAX_TYPES, TRIPS
from supermarket_env.rules.rows import TRAITS
from supermarket_env.tasks import draws as d
from supermarket_env.tasks.draft import MIN_FEASIBLE, Scene, draft_needs, scene_of
from supermarket_env.tasks.draws import Draws
from supermarket_env.tasks.held_out import draw_persona
from supermarket_env.tasks.recipes import RECIPES, is_food
from supermarket_env.tasks.solve import BestCart, NeedValues, best_cart, value_needs
from supermarket_env.tasks.state import state_of
from supermarket_env.tasks.task import Need, Task, Trip
from supermarket_env.tasks.tour import fewest_turns
from supermarket_env.user_sim.persona import TRAIT_TABLE
from supermarket_env.world import World

TRIP_SHARES: Final[dict[Trip, float]] = {
    "quick": 0.25, "fill_in": 0.30, "stock_up": 0.15, "recipe": 0.15, "browse": 0.15,
}  # fmt: skip
TRIP_NEEDS: Final[dict[Trip, tuple[int, int]]] = {
    "quick": (1, 2), "fill_in": (3, 5), "stock_up": (6, 8), "recipe": (3, 6), "browse": (1, 3),
}  # fmt: skip
MIN_ACCEPTABLE: Final = 2
"""Acceptable products on the shelf that each need must have."""
MAX_OPTIMAL_TURNS: Final = 50
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


STANDARD: Final = Dials()
"""The published population."""


def sample_task(
    world: World,
    *,
    seed: int,
    id: str,
    stratum: str = "{trip}",
    trip: Trip | None = None,
    dials: Dials = STANDARD,
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
        raise TaskError(unknown_name("trip", trip, TRIPS))
    scene = scene_of(world, held_out_types=held_out_types)
    fixed = Draws(seed)
    kind: Trip = fixed.choose(TRIP_SHARES, d.D_TRIP) if trip is None else trip
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
        draft = draft_needs(scene, draws, groups)
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
            return f"need {need.types[0]!r} has {len(v.feasible)} feasible products, fewer than {MIN_FEASIBLE}"
        if len(v.offers) < MIN_ACCEPTABLE:
            return f"need {need.types[0]!r} has {len(v.offers)} acceptable products, fewer than {MIN_ACCEPTABLE}"
        if max(offer.left for offer in v.offers) < need.qty:
            return f"need {need.types[0]!r} wants {need.qty} of one product and no shelf has them"
    return ""


def _too_long(world: World, cart: BestCart) -> str:
    turns = fewest_turns(world.store, cart.lines)
    return f"its optimal trip takes {turns} turns, at most {MAX_OPTIMAL_TURNS}" if turns > MAX_OPTIMAL_TURNS else ""


# --- which product types ---------------------------------------------------------------------------------------------


def _choose_types(scene: Scene, draws: Draws, trip: Trip, wanted: int, dials: Dials) -> list[tuple[int, ...]]:
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
        group: tuple[int, ...] = (t,)
        if trip == "browse" or (trip != "recipe" and draws.uniform(d.D_VAGUE, t) < dials.ambiguity):
            group = _vague_group(scene, draws, order, t, used)
            if len(group) < 2:
                continue
        used.update(group)
        groups.append(group)
    return groups


def _vague_group(scene: Scene, draws: Draws, order: list[int], t: int, used: set[int]) -> tuple[int, ...]:
    """Return ``t`` with one or two more types of its department, its own aisle first."""
    types = scene.world.catalogue.types
    near = [u for u in order if u != t and u not in used and types[u].department == types[t].department]
    near.sort(key=lambda u: types[u].aisle != types[t].aisle)
    return (t, *near[: draws.whole(2, MAX_TYPES, d.D_N_TYPES, t) - 1])


def _recipe_order(scene: Scene, draws: Draws, order: list[int], wanted: int) -> list[int]:
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
