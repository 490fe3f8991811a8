"""Everything that follows from a task: values, best cart, tour, turn limit, and the truth the evaluator is given."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from supermarket_env.catalogue.schema import ATTRIBUTES, allergen_names, attribute_names
from supermarket_env.rules import codes
from supermarket_env.rules.rows import STATE_DTYPE, TRAITS, State, to_record
from supermarket_env.rules.utility import serves
from supermarket_env.rules.world import Tables
from supermarket_env.tasks.solve import BestCart, NeedValues, best_cart, round9, value_needs
from supermarket_env.tasks.state import plain_tables, state_of
from supermarket_env.tasks.task import Need, Task
from supermarket_env.tasks.tour import Walk, fewest_moves, shortest_product_tour
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import World

MIN_TURNS: Final = 12
MAX_TURNS: Final = 80
TURN_FACTOR: Final = 2.5
KEPT: Final = 4096
"""Prepared tasks kept in the process."""
_REVEAL_NAMES: Final = {codes.S_TYPE: "type", codes.S_QUANTITY: "qty"}


def reveal_name(slot: int) -> str:
    """Return the name under which the log says that a slot of a need was made known.

    >>> reveal_name(codes.S_TYPE), reveal_name(codes.S_BRAND), reveal_name(codes.SLOT_ATTRIBUTE)
    ('type', 'brand', 'organic')
    """
    if slot >= codes.SLOT_ATTRIBUTE:
        return ATTRIBUTES[slot - codes.SLOT_ATTRIBUTE]
    return _REVEAL_NAMES.get(slot, codes.SLOTS[slot])


def turn_limit(optimal_turns: int) -> int:
    """Return the turn limit of a task whose optimal trip takes this many turns.

    >>> turn_limit(3), turn_limit(9), turn_limit(60)
    (12, 23, 80)
    """
    return min(MAX_TURNS, max(MIN_TURNS, math.ceil(TURN_FACTOR * optimal_turns)))


@dataclass(frozen=True, eq=False)
class Prepared:
    """A task worked out for one world and one user population; shared, so treat it as read-only."""

    world: World
    task: Task
    user: UserConfig
    tables: Tables
    """The plain tables of world and user."""
    state: Any
    """Plain state row with needs, persona, budget, node and turn limit; see ``fresh_state``."""
    values: tuple[NeedValues, ...]
    best_cart: BestCart
    walk: Walk
    """The walk of the optimal trip, fewest moves."""
    tour_m: float
    """The shortest walk in metres for the best cart."""
    lasting: tuple[tuple[NeedValues, ...], BestCart]
    """Values and best cart of the goods that stay on the shelf throughout; those above without stock events."""

    @property
    def U_star(self) -> float:
        """The value of the best cart."""
        return self.best_cart.value

    @cached_property
    def stock_turns(self) -> dict[int, list[int]]:
        """Products whose stock changes, by turn."""
        found: dict[int, list[int]] = {}
        for turn, p in zip(self.state.due_turn[: self.state.n_due], self.state.due_p, strict=False):
            if p not in found.setdefault(turn, []):
                found[turn].append(p)
        return found

    @property
    def acceptable(self) -> dict[int, list[int]]:
        """Acceptable products by need, best first, sold out or not."""
        return {i: list(v.acceptable) for i, v in enumerate(self.values)}

    @property
    def utility(self) -> dict[int, dict[int, float]]:
        """Utility by need of every carried product of its types."""
        return {i: dict(v.utility) for i, v in enumerate(self.values)}

    @property
    def optimal_turns(self) -> int:
        """Turns of the optimal trip: moves, one add a line of the best cart, one checkout."""
        return self.walk.moves + len(self.best_cart.lines) + 1

    @property
    def max_turns(self) -> int:
        """The turn limit."""
        return turn_limit(self.optimal_turns)

    @cached_property
    def record(self) -> Any:
        """The state as a record array of one, for compiled rules; copy it, do not write to it."""
        record = np.zeros(1, dtype=STATE_DTYPE)
        to_record(self.state, record[0])
        return record

    @cached_property
    def record_ints(self) -> NDArray[np.int64]:
        """``record`` as whole numbers, the fastest form to copy; do not write to it."""
        ints: NDArray[np.int64] = self.record.view(np.int64)
        return ints

    def utilities_of(self, p: int) -> dict[str, float]:
        """Return the utility of product ``p`` by need id, for the needs it could serve."""
        return {str(i): short_floats(v.utility[p]) for i, v in enumerate(self.values) if p in v.utility}

    def fresh_state(self) -> Any:
        """Return a copy of the state row to play an episode on."""
        s = State()
        for name, _, length in State.spec:
            value = getattr(self.state, name)
            setattr(s, name, list(value) if length else value)
        return s

    def utility_of(self, i: int, p: int) -> float | None:
        """Return the utility of product ``p`` for need ``i`` (nine digits); None when it cannot serve it."""
        return self.values[i].utility.get(p)

    def violations(self, p: int) -> list[str]:
        """Return the allergens and diets product ``p`` breaks for the needs it could serve, sorted."""
        prod = self.tables.prod[p]
        found: set[str] = set()
        for i in range(self.state.n_needs):
            if serves(self.tables, self.state, i, p) == 1:
                found |= allergen_names(prod.allergens & self.state.hard_allergens[i])
                found |= attribute_names(self.state.hard_attrs[i] & ~prod.diets)
        return sorted(found)

    @cached_property
    def logged_truth(self) -> dict[str, Any]:
        """The truth of the task in the log's canonical form, made once; copy what you change."""
        canonical: dict[str, Any] = short_floats(self.truth())
        return canonical

    @cached_property
    def encoded_truth(self) -> dict[str, Any]:
        """``logged_truth`` with every value already encoded (utilities by need), for lines written again and again."""
        encode = msgspec.json.encode
        coded: dict[str, Any] = {key: msgspec.Raw(encode(value)) for key, value in self.logged_truth.items()}
        coded["utility"] = {need: msgspec.Raw(encode(v)) for need, v in self.logged_truth["utility"].items()}
        return coded

    def truth(self) -> dict[str, Any]:
        """Return the truth of the task for the log.

        Utilities are those of the acceptable products; the engine adds shown and carted ones (``utility_of``,
        ``violations``) and the truth of the turns.
        """
        ids = self.world.catalogue.ids
        truth: dict[str, Any] = {
            "persona": {name: round9(getattr(self.state, f"t_{name}")) for name in TRAITS},
            "budget": self.state.budget / 100,
            "household_allergens": list(self.task.household_allergens),
            "needs": [self._need(i, need) for i, need in enumerate(self.task.needs)],
            "acceptable": {str(i): [ids[p] for p in v.acceptable] for i, v in enumerate(self.values)},
            "utility": {str(i): {ids[p]: v.utility[p] for p in v.acceptable} for i, v in enumerate(self.values)},
            "best_cart": [[ids[p], qty] for p, qty in self.best_cart.lines],
            "U_star": round9(self.U_star),
            "tour_m": round9(self.tour_m),
            "optimal_turns": self.optimal_turns,
        }
        if self.state.n_due:
            truth["lasting_cart"] = [[ids[p], qty] for p, qty in self.lasting[1].lines]
        if self.world.app is not self.world:
            store = self.world.store
            truth["homes"] = {
                ids[p]: store.section_ids[int(store.home_section[p])] for v in self.values for p in sorted(v.acceptable)
            }
        return truth

    def _need(self, i: int, need: Need) -> dict[str, Any]:
        return {
            "id": str(i),
            "type": need.types[0],
            "types": list(need.types),
            "qty": need.qty,
            "weight": round9(need.weight),
            "outside": round9(self.state.outside[i]),
            "hard": [f"allergen:{name}" for name in need.allergens] + [f"diet:{name}" for name in need.diets],
            "soft": {name: round9(weight) for name, weight in need.wants.items()},
            "brand": need.brand,
            "size": need.size,
            "price_limit": need.price_limit_cents / 100 if need.price_limit_cents else None,
            "attributes": known_slots(need),
        }


def short_floats(value: Any) -> Any:
    """Return a JSON value with floats of at most 9 significant digits, as the log holds them."""
    if isinstance(value, float):
        return float(f"{value:.9g}") + 0.0
    if isinstance(value, dict):
        return {key: short_floats(item) for key, item in value.items()}
    return [short_floats(item) for item in value] if isinstance(value, list | tuple) else value


def known_slots(need: Need) -> list[str]:
    """Return the names of what a need has a value for: what an assistant could find out."""
    given = {
        "brand": bool(need.brand),
        "qty": need.qty > 1,
        "size": bool(need.size),
        "price_limit": need.price_limit_cents > 0,
        "diet": bool(need.diets),
        "allergy": bool(need.allergens),
    }
    return ["type", *(name for name, has in given.items() if has), *need.wants]


_prepared: OrderedDict[tuple[str, int], list[Prepared]] = OrderedDict()


def prepare(world: World, task: Task, user: UserConfig) -> Prepared:
    """Work out a task; equal calls give the same object while it is among the last few thousand.

    Raises:
        TaskError: The task names what the catalogue lacks, or its needs fight for the same goods.
    """
    key = (task.id, task.seed)
    entries = _prepared.setdefault(key, [])
    _prepared.move_to_end(key)
    for entry in entries:
        if entry.world is world and _same(entry.task, task) and _same(entry.user, user):
            return entry
    made = _work_out(world, task, user)
    # A few versions of one task may be in play at once: other stores, other populations, counterfactual copies.
    entries.append(made)
    del entries[:-4]
    while len(_prepared) > KEPT:
        _prepared.popitem(last=False)
    return made


def _same(a: object, b: object) -> bool:
    return a is b or a == b


def _work_out(world: World, task: Task, user: UserConfig) -> Prepared:
    tables = plain_tables(world, user)
    state = state_of(world, tables, task, user)
    values = value_needs(tables, state)
    cart = best_cart(tables, state, values)
    bought = [p for p, _ in cart.lines]
    walk = fewest_moves(world.store, bought)
    lasting = (values, cart)
    if state.n_due:
        staying = value_needs(tables, state, lasting=True)
        lasting = (staying, best_cart(tables, state, staying))
    tour_m = shortest_product_tour(world.store, bought).metres
    made = Prepared(world, task, user, tables, state, values, cart, walk, tour_m, lasting)
    state.max_turns = made.max_turns
    return made
