"""Where things are: sections of a type, legal actions, distances to goals."""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.codes import (
    ACT_ADD,
    ACT_CHECKOUT,
    ACT_INSPECT,
    ACT_LEAVE,
    ACT_LOOK,
    ACT_MOVE,
    ACT_REMOVE,
    ACT_WAIT,
    MAX_SHIFTED,
    MAX_TYPES,
    N_CHECKOUT,
)
from supermarket_env.rules.draws import P_STOCK, lane
from supermarket_env.rules.rows import NEED_OPEN
from supermarket_env.rules.utility import acceptable, serves


def left_on_shelf(w: Any, s: Any, p: int) -> int:
    """Return the units of ``p`` on the shelf now, 0 or more.

    That is the opening stock (0 when it sold out before this trip), and what others brought or took since
    (``shift_stock``), less what lies in the user's cart. What is sold out belongs to the task (keyed by its seed), so
    that the best cart does too.
    """
    left = w.prod[p].stock
    if left > 0:
        if lane(s.taste_seed, P_STOCK, p, 0) / 4294967296.0 < w.par[0].sold_out:
            left = 0
    if s.n_shifted > 0:
        for k in range(s.n_shifted):
            if s.shifted_p[k] == p:
                left = left + s.shifted_q[k]
    if left <= 0:
        return 0
    for k in range(s.n_cart):
        if s.cart_p[k] == p:
            left = left - s.cart_q[k]
    if left < 0:
        return 0
    return left  # type: ignore[no-any-return]


def shift_stock(s: Any, p: int, dq: int) -> int:
    """Note that somebody else took (``dq`` < 0) or brought units of ``p``; return 1, or 0 when the memory is full.

    The user's own adding and putting back is no shift: the cart says it.
    """
    k = 0
    while k < s.n_shifted and s.shifted_p[k] != p:
        k = k + 1
    if k == s.n_shifted:
        if k == MAX_SHIFTED:
            return 0
        s.shifted_p[k] = p
        s.shifted_q[k] = 0
        s.n_shifted = k + 1
    s.shifted_q[k] = s.shifted_q[k] + dq
    return 1


def touches(w: Any, node: int, p: int) -> int:
    """Return 1 when product ``p`` is within reach at ``node`` (home section or endcap)."""
    prod = w.prod[p]
    if prod.section >= 0 and w.touch[node][prod.section] != 0:
        return 1
    if prod.endcap >= 0 and w.touch[node][prod.endcap] != 0:
        return 1
    return 0


def find_move(w: Any, node: int, to: int) -> int:
    """Return the entry of ``w.move`` that leads from ``node`` to ``to`` in one move, -1 when there is none."""
    row = w.node[node]
    for k in range(row.move_first, row.move_first + row.move_count):
        if w.move[k].to == to:
            return k
    return -1


def in_cart(s: Any, p: int) -> int:
    """Return the cart line that holds ``p``, -1 when there is none."""
    for k in range(s.n_cart):
        if s.cart_p[k] == p:
            return k
    return -1


def legal(w: Any, s: Any, action: int, arg: int, qty: int) -> int:
    """Return 1 when the user may do this action now."""
    if action == ACT_WAIT or action == ACT_LEAVE:
        return 1
    if action == ACT_MOVE:
        return 1 if find_move(w, s.node, arg) >= 0 else 0
    if action == ACT_LOOK:
        return 1 if w.sees[s.node][arg] != 0 else 0
    if action == ACT_INSPECT:
        return touches(w, s.node, arg)
    if action == ACT_ADD:
        if touches(w, s.node, arg) == 0:
            return 0
        return 1 if qty >= 1 and left_on_shelf(w, s, arg) >= qty else 0
    if action == ACT_REMOVE:
        k = in_cart(s, arg)
        if k < 0:
            return 0
        return 1 if qty >= 1 and s.cart_q[k] >= qty else 0
    if action == ACT_CHECKOUT:
        return 1 if w.node[s.node].kind == N_CHECKOUT and s.n_cart > 0 else 0
    return 0


def nearest_checkout(w: Any, node: int) -> int:
    """Return the checkout with the fewest moves from ``node`` (then metres, then number)."""
    best = w.flat[1]
    for k in range(2, 1 + w.flat[0]):
        c = w.flat[k]
        if w.hops[node][c] < w.hops[node][best]:
            best = c
        elif w.hops[node][c] == w.hops[node][best] and w.dist[node][c] < w.dist[node][best]:
            best = c
    return best  # type: ignore[no-any-return]


def nearest_section_of(w: Any, node: int, t: int, by_metres: int) -> int:
    """Return the section holding type ``t`` nearest to ``node``, -1 when the store has none.

    ``by_metres`` picks walking distance (a category goal resolves so), else fewest moves. Ties go to the lower number.
    """
    row = w.typ[t]
    best = -1
    for k in range(row.sec_first, row.sec_first + row.sec_count):
        c = w.flat[k]
        if best < 0:
            best = c
        elif by_metres == 1:
            if metres_to(w, node, c) < metres_to(w, node, best):
                best = c
        elif w.way[node][c] < w.way[node][best]:
            best = c
    return best


def metres_to(w: Any, node: int, section: int) -> float:
    """Return the shortest walk in metres from ``node`` to a node that touches ``section``."""
    row = w.sec[section]
    best = 1e18
    for k in range(row.node_first, row.node_first + row.node_count):
        d = w.dist[node][w.flat[k]]
        if d < best:
            best = d
    return best


def holds_type(w: Any, section: int, t: int) -> int:
    """Return 1 when ``section`` is a home of type ``t``."""
    row = w.sec[section]
    for k in range(row.type_first, row.type_first + row.type_count):
        if w.flat[k] == t:
            return 1
    return 0


def section_serves(w: Any, s: Any, i: int, section: int) -> int:
    """Return 1 when ``section`` holds a type that need ``i`` can be served by."""
    for k in range(s.n_type[i]):
        if holds_type(w, section, s.typ[i * MAX_TYPES + k]) == 1:
            return 1
    return 0


def metres_to_open(w: Any, s: Any, node: int) -> float:
    """Return metres from ``node`` to the nearest section serving an open need, or to a checkout when none is open."""
    best = 1e18
    for i in range(s.n_needs):
        if s.status[i] != NEED_OPEN:
            continue
        for k in range(s.n_type[i]):
            row = w.typ[s.typ[i * MAX_TYPES + k]]
            for j in range(row.sec_first, row.sec_first + row.sec_count):
                d = metres_to(w, node, w.flat[j])
                if d < best:
                    best = d
    if best >= 1e17:
        best = w.dist[node][nearest_checkout(w, node)]
    return best


def section_relevant(w: Any, s: Any, section: int) -> int:
    """Return 1 when ``section`` holds an acceptable product of an open need."""
    row = w.sec[section]
    typ = -1
    may = 0
    for k in range(row.prod_first, row.prod_first + row.prod_count):
        p = w.flat[k]
        if w.prod[p].typ != typ:  # goods of one type stand together
            typ = w.prod[p].typ
            may = 0
            for i in range(s.n_needs):
                if s.status[i] == NEED_OPEN and serves(w, s, i, p) == 1:
                    may = may | (1 << i)
        if may == 0:
            continue
        for i in range(s.n_needs):
            if ((may >> i) & 1) == 1 and acceptable(w, s, i, p) == 1:
                return 1
    return 0


def any_open(s: Any) -> int:
    """Return 1 while a need is open."""
    for i in range(s.n_needs):
        if s.status[i] == NEED_OPEN:
            return 1
    return 0
