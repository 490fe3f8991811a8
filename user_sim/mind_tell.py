"""Telling facts about needs: what is said, in which order, and that it is true and remembered."""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.codes import (
    MAX_FACTS,
    MAX_TYPES,
    MAX_WANTS,
    S_ALLERGY,
    S_BRAND,
    S_DEPARTMENT,
    S_DIET,
    S_PRICE_LIMIT,
    S_QUANTITY,
    S_SIZE,
    S_TYPE,
    SLOT_ATTRIBUTE,
)
from supermarket_env.rules.draws import P_N_FACTS, occurs, uniform
from supermarket_env.rules.rows import NEED_OPEN


def mention(s: Any, i: int) -> None:
    """Give need ``i`` the next ordinal when it has none."""
    if s.ordinal[i] == 0:
        s.by_ordinal[s.n_mentioned] = i
        s.n_mentioned = s.n_mentioned + 1
        s.ordinal[i] = s.n_mentioned


def slot_value(s: Any, i: int, slot: int) -> int:
    """Return the true value of a slot of need ``i`` as a positive number, 0 for "no preference"."""
    if slot == S_TYPE:
        return s.typ[i * MAX_TYPES] + 1  # type: ignore[no-any-return]
    if slot == S_DEPARTMENT:
        return s.department[i] + 1  # type: ignore[no-any-return]
    if slot == S_BRAND:
        return s.brand[i] + 1  # type: ignore[no-any-return]
    if slot == S_SIZE:
        return s.want_size[i]  # type: ignore[no-any-return]
    if slot == S_QUANTITY:
        return s.qty[i]  # type: ignore[no-any-return]
    if slot == S_PRICE_LIMIT:
        return s.limit[i]  # type: ignore[no-any-return]
    if slot == S_DIET:
        return s.hard_attrs[i]  # type: ignore[no-any-return]
    if slot == S_ALLERGY:
        return s.hard_allergens[i]  # type: ignore[no-any-return]
    if slot >= SLOT_ATTRIBUTE:
        for k in range(s.n_want[i]):
            if s.want_attr[i * MAX_WANTS + k] == slot - SLOT_ATTRIBUTE:
                return 1
        if ((s.hard_attrs[i] >> (slot - SLOT_ATTRIBUTE)) & 1) == 1:
            return 1
    return 0


def tell(s: Any, o: Any, i: int, slot: int) -> None:
    """Add the true value of a slot of need ``i`` to what is said this turn."""
    if o.n_facts >= MAX_FACTS:
        return
    mention(s, i)
    k = o.n_facts
    o.fact_need[k] = s.ordinal[i]
    o.fact_id[k] = i
    o.fact_slot[k] = slot
    o.fact_value[k] = slot_value(s, i, slot)
    o.fact_new[k] = 1 if ((s.said[i] >> slot) & 1) == 0 else 0
    o.n_facts = k + 1
    s.said[i] = s.said[i] | (1 << slot)


def untold(s: Any, i: int) -> int:
    """Return the slot of need ``i`` that the user would mention next, 0 when all of it is told."""
    if s.hard_allergens[i] != 0 and ((s.said[i] >> S_ALLERGY) & 1) == 0:
        return S_ALLERGY
    if s.hard_attrs[i] != 0 and ((s.said[i] >> S_DIET) & 1) == 0:
        return S_DIET
    if s.vague[i] == 1 and ((s.said[i] >> S_TYPE) & 1) == 0:
        return S_TYPE
    for k in range(s.n_want[i]):
        slot = SLOT_ATTRIBUTE + s.want_attr[i * MAX_WANTS + k]
        if ((s.said[i] >> slot) & 1) == 0:
            return slot  # type: ignore[no-any-return]
    if s.brand[i] >= 0 and ((s.said[i] >> S_BRAND) & 1) == 0:
        return S_BRAND
    if s.want_size[i] > 0 and ((s.said[i] >> S_SIZE) & 1) == 0:
        return S_SIZE
    if s.limit[i] > 0 and ((s.said[i] >> S_PRICE_LIMIT) & 1) == 0:
        return S_PRICE_LIMIT
    if s.qty[i] > 1 and ((s.said[i] >> S_QUANTITY) & 1) == 0:
        return S_QUANTITY
    return 0


def tell_more(s: Any, o: Any, i: int) -> None:
    """Tell further details of need ``i``: the more the user is the disclosing kind, the more."""
    n = int(3.0 * s.t_disclosure * uniform(s, P_N_FACTS, i, occurs(s, P_N_FACTS, i)) + 0.5)
    for _ in range(n):
        slot = untold(s, i)
        if slot > 0:
            tell(s, o, i, slot)


def tell_new_need(s: Any, o: Any) -> int:
    """Mention the next need that is still open; returns it, -1 when all are mentioned."""
    for i in range(s.n_needs):
        if s.ordinal[i] == 0 and s.status[i] == NEED_OPEN:
            if s.vague[i] == 1:
                tell(s, o, i, S_DEPARTMENT)
            else:
                tell(s, o, i, S_TYPE)
            tell_more(s, o, i)
            o.need = s.ordinal[i]
            return i
    return -1
