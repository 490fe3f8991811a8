"""From a task to the state row the rules start from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from supermarket_env.catalogue.schema import ATTRIBUTE_BIT, allergen_mask, attribute_mask
from supermarket_env.errors import TaskError, unknown_name
from supermarket_env.rules import codes
from supermarket_env.rules.draws import mix
from supermarket_env.rules.rows import TRAITS, State
from supermarket_env.rules.utility import breaks_hard, utility
from supermarket_env.rules.world import Tables
from supermarket_env.tasks.task import Need, Task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import World


def plain_tables(world: World, user: UserConfig) -> Tables:
    """Return the plain tables of a world with the constants of a user population."""
    return world.lists._replace(par=user.params_row(compiled=False))


def compiled_tables(world: World, user: UserConfig) -> Tables:
    """Return the array tables of a world with the constants of a user population."""
    return world.arrays._replace(par=user.params_row(compiled=True))


def seed_lanes(seed: int) -> tuple[int, int]:
    """Return the two 32-bit lanes that key all draws of an episode with ``seed`` in [0, 2**62)."""
    low, high = seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF
    return mix(low ^ 0x5BD1E995), mix(high ^ mix(low))


def _type_number(world: World, name: str, place: str) -> int:
    for t, kind in enumerate(world.catalogue.types):
        if kind.name == name:
            return t
    raise TaskError(f"{place}: {unknown_name('product type', name, [k.name for k in world.catalogue.types])}")


def _set_need(s: Any, world: World, i: int, need: Need, place: str) -> None:
    cat = world.catalogue
    s.n_type[i] = len(need.types)
    for k, name in enumerate(need.types):
        s.typ[i * codes.MAX_TYPES + k] = _type_number(world, name, place)
    first = cat.types[s.typ[i * codes.MAX_TYPES]]
    s.department[i] = cat.departments.index(first.department)
    s.vague[i] = 1 if len(need.types) > 1 else 0
    s.qty[i] = need.qty
    s.hard_attrs[i] = attribute_mask(need.diets)
    s.hard_allergens[i] = allergen_mask(need.allergens)
    s.n_want[i] = len(need.wants)
    for k, (name, weight) in enumerate(need.wants.items()):
        s.want_attr[i * codes.MAX_WANTS + k] = ATTRIBUTE_BIT[name]
        s.want_w[i * codes.MAX_WANTS + k] = float(weight)
    s.want_size[i] = codes.SIZE_CLASSES.index(need.size or "none")
    s.size_w[i] = float(need.size_weight)
    if need.brand and need.brand not in cat.brands:
        raise TaskError(f"{place}: {unknown_name('brand', need.brand, cat.brands)}")
    s.brand[i] = cat.brands.index(need.brand) if need.brand else -1
    s.limit[i] = need.price_limit_cents
    s.weight[i] = float(need.weight)


def outside_option(tables: Tables, s: Any, i: int, quantile: float) -> float:
    """Return the utility of the outside option of need ``i``: a quantile of the hard-feasible carried products.

    Rounded up to six decimals; 0.0 when no product is feasible (the need then has no acceptable product either).
    """
    values = []
    for k in range(s.n_type[i]):
        row = tables.typ[s.typ[i * codes.MAX_TYPES + k]]
        for p in range(row.first, row.first + row.count):
            if tables.prod[p].section >= 0 and breaks_hard(tables, s, i, p) == 0:
                values.append(utility(tables, s, i, p))  # noqa: PERF401 (two conditions read better in a loop)
    if not values:
        return 0.0
    # Of an odd number of products the median is one of them: rounded up, it never hangs on last bits who beats it.
    return math.ceil(float(np.quantile(np.array(values), quantile)) * 1e6) / 1e6


def state_of(world: World, tables: Tables, task: Task, user: UserConfig) -> Any:
    """Return the plain state row of a task, ready but for the seed, the track and the turn limit.

    Args:
        world: The world the task is played in.
        tables: The plain tables of that world and user (``plain_tables``).
        task: The task.
        user: The population; its fixed traits override the task's persona.

    Raises:
        TaskError: a type, brand or attribute of the task is not in the catalogue; names the need and the nearest.
    """
    s: Any = State()
    s.taste_seed = mix(task.seed & 0xFFFFFFFF) ^ mix((task.seed >> 32) & 0xFFFFFFFF)
    s.turn_keyed = 1 if user.draw_keys == "turn" else 0
    s.reads_acts = 1
    s.node = world.store.entrance
    for name in TRAITS:
        setattr(s, f"t_{name}", float(user.trait(name, task.persona[name], task.trip)))
    s.budget = task.budget_cents
    s.n_needs = len(task.needs)
    for i, need in enumerate(task.needs):
        _set_need(s, world, i, need, f"task {task.id}, need {i}")
    for k, event in enumerate(task.events):
        if event.product not in world.catalogue.by_id:
            known = unknown_name("product", event.product, world.catalogue.ids)
            raise TaskError(f"task {task.id}, event {k}: {known}")
        s.due_turn[k], s.due_p[k], s.due_left[k] = event.turn, world.catalogue.by_id[event.product], event.left
    s.n_due = len(task.events)
    for i, need in enumerate(task.needs):
        s.outside[i] = outside_option(tables, s, i, need.outside_quantile)
    return s
