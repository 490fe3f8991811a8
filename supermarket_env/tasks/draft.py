"""What a sampled need asks for: hard constraints of the household, wishes, size, brand, price limit, quantity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from supermarket_env.catalogue.schema import ALLERGENS, ATTRIBUTES, DIETS, Catalogue
from supermarket_env.errors import TaskError
from supermarket_env.rules.codes import MAX_WANTS, SIZE_CLASSES
from supermarket_env.tasks import draws as d
from supermarket_env.tasks.draws import Draws
from supermarket_env.tasks.held_out import type_held_out
from supermarket_env.tasks.state import plain_tables
from supermarket_env.tasks.task import Need, SizeName
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import World

MIN_FEASIBLE: Final = 8
"""Carried products without a broken hard constraint that each need must have."""
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

NAMELESS: Final = ("missing", "other", "unknown", "unbranded", "none", "")
"""Words a catalogue may have in place of a type or brand; nobody asks for those."""

Names = tuple[str, ...]


@dataclass(frozen=True)
class Scene:
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


_scenes: dict[tuple[int, bool], Scene] = {}


def scene_of(world: World, *, held_out_types: bool) -> Scene:
    """Return the sampler's view of a world; kept while the world is."""
    found = _scenes.get((id(world), held_out_types))
    if found is not None and found.world is world:
        return found
    cat = world.catalogue
    members, weight = {}, {}
    for t, kind in enumerate(cat.types):
        carried = [p for p in cat.products_of(t) if world.store.home_section[p] >= 0]
        named = kind.name not in NAMELESS
        if named and len(carried) >= MIN_FEASIBLE and type_held_out(kind.name) == held_out_types:
            members[t] = np.array(carried)
            weight[t] = float(np.sqrt(cat.popularity[carried].mean()))
    if not members:
        kinds = "held-out " if held_out_types else ""
        raise TaskError(
            f"store {world.store.name!r} carries no {kinds}product type with at least {MIN_FEASIBLE} products of "
            f"catalogue {cat.name!r}: no task can be drawn"
        )
    user = UserConfig()
    scene = Scene(world, plain_tables(world, user), user, tuple(members), weight, members)
    if len(_scenes) >= 32:
        _scenes.pop(next(iter(_scenes)))
    _scenes[id(world), held_out_types] = scene
    return scene


@dataclass(frozen=True)
class Draft:
    """The needs of a task and the allergens its household avoids."""

    needs: tuple[Need, ...]
    household: tuple[str, ...]


def draft_needs(scene: Scene, draws: Draws, groups: list[tuple[int, ...]]) -> Draft:
    """Draw what is wanted of each group of types (numbers), one need a group."""
    members = [np.concatenate([scene.members[t] for t in group]) for group in groups]
    allergen = _household_allergen(scene, draws, members)
    diet = _household_diet(scene, draws, members)
    needs = []
    for i, (group, products) in enumerate(zip(groups, members, strict=True)):
        free, suits = _free_of(scene, allergen, products), _suits(scene, diet, products)
        allergens: Names = (allergen,) if 0 < free.sum() < len(products) else ()
        diets: Names = (diet,) if 0 < suits.sum() < len(products) else ()
        if allergens:
            products, suits = products[free], suits[free]
        if diets:
            products = products[suits]
        needs.append(_need(scene, draws, i, group, products, (allergens, diets)))
    used = (allergen,) if any(need.allergens for need in needs) else ()
    return Draft(tuple(needs), used)


def _free_of(scene: Scene, allergen: str, products: Any) -> Any:
    """Return which products are free of an allergen (of the empty one: all)."""
    if not allergen:
        return np.ones(len(products), dtype=np.bool_)
    return (scene.world.catalogue.allergen_mask[products] >> ALLERGENS.index(allergen) & 1) == 0


def _suits(scene: Scene, diet: str, products: Any) -> Any:
    """Return which products suit a diet (the empty one: all)."""
    if not diet:
        return np.ones(len(products), dtype=np.bool_)
    cat = scene.world.catalogue
    return ((cat.diet_mask[products] | cat.attr_mask[products]) >> ATTRIBUTES.index(diet) & 1) == 1


def _household_allergen(scene: Scene, draws: Draws, members: list[Any]) -> str:
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


def _household_diet(scene: Scene, draws: Draws, members: list[Any]) -> str:
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


def _need(scene: Scene, draws: Draws, i: int, group: tuple[int, ...], products: Any, hard: tuple[Names, Names]) -> Need:
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
        if cat.brands[brand].lower() not in NAMELESS:
            weights[brand] = weights.get(brand, 0.0) + popularity
    if not weights:
        return ""
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
