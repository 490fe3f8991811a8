"""How many products fit what is known of a need: looked up after the fact, for the figure ``candidate_bits``.

A log says what users wanted and what they said, not what else stood on the shelves. With catalogue and store at hand
the goods of a need's type are counted by what they lack, and the counts are put into the truth of the episodes read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from supermarket_env.catalogue.schema import ALLERGEN_BIT, ATTRIBUTE_BIT
from supermarket_env.events.episode import Episode
from supermarket_env.rules.codes import SIZE_CLASSES
from supermarket_env.world import World, load_world

Groups = list[list[Any]]
"""``[[number of products, [attributes of the need they lack, sorted]], ...]``."""


def candidates_of(world: World, need: Mapping[str, Any]) -> Groups:
    """Count the goods of a need's types by the attributes of the need that they lack.

    Args:
        world: The catalogue and store of the episode; only products with a shelf and opening stock count.
        need: One need as the truth of a log has it.

    Returns:
        The counts, fewest lacks first; empty for a need without a known type.
    """
    catalogue, store = world.catalogue, world.store
    attributes = set(need.get("attributes") or ())
    numbers = {kind.name: number for number, kind in enumerate(catalogue.types)}
    counts: Counter[tuple[str, ...]] = Counter()
    for name in need.get("types") or [need.get("type")]:
        kind = numbers.get(str(name))
        for p in catalogue.products_of(kind) if kind is not None else ():
            if store.home_section[p] >= 0 and store.stock[p] > 0:
                counts[tuple(sorted(attributes & _lacks(world, need, p)))] += 1
    return [[counts[lacks], list(lacks)] for lacks in sorted(counts, key=lambda names: (len(names), names))]


def _lacks(world: World, need: Mapping[str, Any], p: int) -> set[str]:
    """Return what product ``p`` does not offer of a need, by name of the need's attribute."""
    catalogue = world.catalogue
    claims = int(catalogue.attr_mask[p])
    lacks = {name for name in need.get("soft") or () if name in ATTRIBUTE_BIT and not claims >> ATTRIBUTE_BIT[name] & 1}
    for entry in need.get("hard") or ():
        kind, _, name = str(entry).partition(":")
        if kind == "allergen" and name in ALLERGEN_BIT and int(catalogue.allergen_mask[p]) >> ALLERGEN_BIT[name] & 1:
            lacks.add("allergy")
        suits = int(catalogue.diet_mask[p]) | claims
        if kind == "diet" and name in ATTRIBUTE_BIT and not suits >> ATTRIBUTE_BIT[name] & 1:
            lacks.add("diet")
    if need.get("brand") and catalogue.brands[int(catalogue.brand_idx[p])] != need["brand"]:
        lacks.add("brand")
    if need.get("size") and SIZE_CLASSES[int(world.size_class[p])] != need["size"]:
        lacks.add("size")
    limit = need.get("price_limit")
    if limit and int(catalogue.price_cents[p]) > round(100 * limit):
        lacks.add("price_limit")
    return lacks


def with_candidates(episodes: Iterable[Episode]) -> list[Episode]:
    """Return the episodes with ``candidates`` in every need of their truth; the given ones stay unchanged.

    Episodes without truth, or that do not name their catalogue and store, are passed on as they are.

    Raises:
        CatalogueError: A catalogue that is named cannot be loaded.
        LayoutError: A store that is named cannot be loaded.
    """
    worlds: dict[tuple[str, str], World] = {}
    found = []
    for episode in episodes:
        truth = episode.truth
        if truth is None or not isinstance(truth.get("needs"), list) or not episode.catalogue or not episode.store:
            found.append(episode)
            continue
        key = (episode.catalogue, episode.store)
        if key not in worlds:
            worlds[key] = load_world(*key)
        needs = [
            {**need, "candidates": candidates_of(worlds[key], need)} if isinstance(need, dict) else need
            for need in truth["needs"]
        ]
        data = {**episode.data, "truth": {**truth, "needs": needs}}
        made = Episode(data, episode.events, file=episode.file, line=episode.line)
        made.values = episode.values
        found.append(made)
    return found
