"""What a product is worth to a need: one formula, used by the user's mind, the solver and the truth in the log.

    u = A * match + B * loyalty * brand + Q * quality - S * sensitivity * relative price - L * over limit + s * taste

``match`` is the weighted share of the need's wishes (attributes, size) that the product fulfils, 1 for a need without
wishes; ``taste`` is a fixed idiosyncratic term. A product that breaks a hard constraint or is of another type is
unacceptable whatever its utility.
"""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.codes import (
    MAX_TYPES,
    MAX_WANTS,
    R_ALLERGEN,
    R_ATTRIBUTE,
    R_BRAND,
    R_NO_REASON,
    R_PRICE,
    R_SIZE,
    S_DIET,
    SLOT_ATTRIBUTE,
)
from supermarket_env.rules.draws import taste


def serves(w: Any, s: Any, i: int, p: int) -> int:
    """Return 1 when product ``p`` is of a type that need ``i`` can be served by."""
    t = w.prod[p].typ
    for k in range(s.n_type[i]):
        if s.typ[i * MAX_TYPES + k] == t:
            return 1
    return 0


def breaks_hard(w: Any, s: Any, i: int, p: int) -> int:
    """Return 1 when product ``p`` breaks a hard constraint (allergen, diet) of need ``i``."""
    prod = w.prod[p]
    if (prod.allergens & s.hard_allergens[i]) != 0:
        return 1
    if (prod.diets & s.hard_attrs[i]) != s.hard_attrs[i]:
        return 1
    return 0


def match(w: Any, s: Any, i: int, p: int) -> float:
    """Return the weighted share (0..1) of the wishes of need ``i`` that ``p`` fulfils."""
    prod = w.prod[p]
    total = 0.0
    got = 0.0
    for k in range(s.n_want[i]):
        x = s.want_w[i * MAX_WANTS + k]
        total = total + x
        if ((prod.attrs >> s.want_attr[i * MAX_WANTS + k]) & 1) == 1:
            got = got + x
    if s.want_size[i] > 0:
        total = total + s.size_w[i]
        if prod.size_class == s.want_size[i]:
            got = got + s.size_w[i]
    if total <= 0.0:
        return 1.0
    return got / total


def utility(w: Any, s: Any, i: int, p: int) -> float:
    """Return the utility of product ``p`` for need ``i`` (about 0..1; hard constraints are not looked at)."""
    par = w.par[0]
    prod = w.prod[p]
    u = par.u_match * match(w, s, i, p) + par.u_quality * prod.quality
    if s.brand[i] >= 0 and prod.brand == s.brand[i]:
        u = u + par.u_brand * s.t_brand_loyalty
    u = u - par.u_price * s.t_price_sensitivity * prod.rel_price
    if s.limit[i] > 0 and prod.price > s.limit[i]:
        u = u - par.u_limit
    return u + par.u_taste * taste(s.taste_seed, p)  # type: ignore[no-any-return]


def acceptable(w: Any, s: Any, i: int, p: int) -> int:
    """Return 1 when ``p`` serves need ``i``, breaks no hard constraint and beats the outside option."""
    if serves(w, s, i, p) == 0:
        return 0
    if breaks_hard(w, s, i, p) == 1:
        return 0
    if utility(w, s, i, p) > s.outside[i]:
        return 1
    return 0


def main_flaw(w: Any, s: Any, i: int, p: int) -> tuple[int, int]:
    """Return (reason, slot) of what costs product ``p`` most in the eyes of need ``i``.

    The slot is the missing attribute for ``attribute`` and ``diet`` for a broken diet, else 0. A flaw worth less than
    0.15 is no reason.
    """
    par = w.par[0]
    prod = w.prod[p]
    if (prod.allergens & s.hard_allergens[i]) != 0:
        return R_ALLERGEN, 0
    if (prod.diets & s.hard_attrs[i]) != s.hard_attrs[i]:
        return R_ATTRIBUTE, S_DIET
    worst = 0.15
    reason = R_NO_REASON
    slot = 0
    total = 0.0
    for k in range(s.n_want[i]):
        total = total + s.want_w[i * MAX_WANTS + k]
    if s.want_size[i] > 0:
        total = total + s.size_w[i]
    if total > 0.0:
        for k in range(s.n_want[i]):
            a = s.want_attr[i * MAX_WANTS + k]
            loss = par.u_match * s.want_w[i * MAX_WANTS + k] / total
            if ((prod.attrs >> a) & 1) == 0 and loss > worst:
                worst = loss
                reason = R_ATTRIBUTE
                slot = SLOT_ATTRIBUTE + a
        loss = par.u_match * s.size_w[i] / total
        if s.want_size[i] > 0 and prod.size_class != s.want_size[i] and loss > worst:
            worst = loss
            reason = R_SIZE
            slot = 0
    loss = par.u_brand * s.t_brand_loyalty
    if s.brand[i] >= 0 and prod.brand != s.brand[i] and loss > worst:
        worst = loss
        reason = R_BRAND
        slot = 0
    loss = par.u_price * s.t_price_sensitivity * prod.rel_price
    if s.limit[i] > 0 and prod.price > s.limit[i]:
        loss = loss + par.u_limit
    if loss > worst:
        reason = R_PRICE
        slot = 0
    return reason, slot
