"""What is judged about a message when it is made: legality, progress, goal and claim. Nothing here moves the user."""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.codes import (
    A_INFORM,
    ACT_MOVE,
    ACT_NONE,
    G_CATEGORY,
    G_LANDMARK,
    G_PRODUCT,
    G_SECTION,
    N_CHECKOUT,
    S_ALLERGENS,
    S_BRAND,
    S_PLACE,
    S_PRICE,
    S_QUALITY,
    S_SIZE,
    S_STOCK,
    S_TYPE,
    S_UNIT_PRICE,
    SLOT_ATTRIBUTE,
)
from supermarket_env.rules.place import (
    any_open,
    left_on_shelf,
    legal,
    metres_to_open,
    nearest_section_of,
    section_relevant,
)


def product_fact(w: Any, s: Any, p: int, slot: int) -> int:
    """Return the true value of a product's field as a number, -1 for a field products do not have."""
    prod = w.prod[p]
    if slot == S_PRICE:
        return prod.price  # type: ignore[no-any-return]
    if slot == S_UNIT_PRICE:
        return prod.unit_price  # type: ignore[no-any-return]
    if slot == S_BRAND:
        return prod.brand  # type: ignore[no-any-return]
    if slot == S_SIZE:
        return prod.size_class  # type: ignore[no-any-return]
    if slot == S_TYPE:
        return prod.typ  # type: ignore[no-any-return]
    if slot == S_QUALITY:
        return int(prod.quality * 100.0 + 0.5)
    if slot == S_ALLERGENS:
        return prod.allergens  # type: ignore[no-any-return]
    if slot == S_STOCK:
        return 1 if left_on_shelf(w, s, p) > 0 else 0
    if slot == S_PLACE:
        return prod.section  # type: ignore[no-any-return]
    if slot >= SLOT_ATTRIBUTE:
        return ((prod.attrs | prod.diets) >> (slot - SLOT_ATTRIBUTE)) & 1  # type: ignore[no-any-return]
    return -1


def resolve_goal(w: Any, s: Any, m: Any, o: Any) -> None:
    """Find the section or landmark a goal means: a product's home, a category's nearest section, or itself."""
    o.goal_section = -1
    o.goal_node = -1
    if m.goal_id < 0:
        return
    if m.goal_kind == G_SECTION:
        o.goal_section = m.goal_id
    elif m.goal_kind == G_PRODUCT:
        o.goal_section = w.prod[m.goal_id].section
    elif m.goal_kind == G_CATEGORY:
        o.goal_section = nearest_section_of(w, s.node, m.goal_id, 1)
    elif m.goal_kind == G_LANDMARK:
        o.goal_node = m.goal_id


def judge_message(w: Any, s: Any, m: Any, o: Any) -> None:
    """Fill the judgements of ``o`` for message ``m`` in state ``s`` (before anybody reacts)."""
    o.sug_legal = 0
    o.has_progress = 0
    o.progress = 0.0
    if m.sug_type != ACT_NONE:
        o.sug_legal = legal(w, s, m.sug_type, m.sug_arg, m.sug_qty)
        if m.sug_type == ACT_MOVE and o.sug_legal == 1:
            o.has_progress = 1
            o.progress = metres_to_open(w, s, s.node) - metres_to_open(w, s, m.sug_arg)
    resolve_goal(w, s, m, o)
    o.goal_moves = -1
    o.goal_relevant = 0
    if o.goal_section >= 0:
        o.goal_moves = w.sight[s.node][o.goal_section]
        o.goal_relevant = section_relevant(w, s, o.goal_section)
    elif o.goal_node >= 0:
        o.goal_moves = w.hops[s.node][o.goal_node]
        if any_open(s) == 0 and w.node[o.goal_node].kind == N_CHECKOUT:
            o.goal_relevant = 1
    o.claim = -1
    o.truth = -1
    if m.act == A_INFORM and m.products[0] >= 0 and m.slot > 0:
        o.truth = product_fact(w, s, m.products[0], m.slot)
        if o.truth >= 0:
            o.claim = 1 if m.value == o.truth else 0
