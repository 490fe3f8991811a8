"""What the user does: its own plan, and whether it follows a hint instead.

``choose`` is pure: it reads the state and the draws and changes nothing, so it can be run a second time with the hint
masked; that second answer is the logged ``would``.
"""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.codes import (
    ACT_ADD,
    ACT_CHECKOUT,
    ACT_INSPECT,
    ACT_LEAVE,
    ACT_LOOK,
    ACT_MOVE,
    ACT_NONE,
    ACT_REMOVE,
    ACT_WAIT,
    N_CHECKOUT,
)
from supermarket_env.rules.draws import P_FOLLOW, P_INSPECT, nth, uniform
from supermarket_env.rules.place import in_cart, left_on_shelf, nearest_checkout, section_serves, touches
from supermarket_env.rules.rows import NEED_OPEN
from supermarket_env.rules.utility import acceptable, serves, utility
from supermarket_env.user_sim.mind_hear import active, any_active

GIVING_UP_PAY = 1
GIVING_UP_LEAVE = 2
ANGRY_LEAVE = 3


def worst_line(w: Any, s: Any) -> int:
    """Return the cart line given back first when over budget: impulse goods, then the least worth per cent."""
    worst = -1
    worst_value = 1e18
    for k in range(s.n_cart):
        i = s.cart_need[k]
        value = -1.0
        if i >= 0:
            p = s.cart_p[k]
            value = s.weight[i] * (utility(w, s, i, p) - s.outside[i]) / (w.prod[p].price + 1.0)
        if value < worst_value:
            worst_value = value
            worst = k
    return worst


def work_here(w: Any, s: Any) -> tuple[int, int, int]:
    """Return what there is to do at this shelf (action, arg, qty): take, read the label, look; else nothing."""
    par = w.par[0]
    for i in range(s.n_needs):
        p = s.target[i]
        if s.status[i] == NEED_OPEN and p >= 0 and touches(w, s.node, p) == 1:
            left = left_on_shelf(w, s, p)
            if left <= 0:
                continue
            if s.inspected[i] == 0 and uniform(s, P_INSPECT, p, 0) < par.inspect * s.t_hesitation:
                return ACT_INSPECT, p, 0
            qty = s.qty[i] - s.got[i]
            if qty > left:
                qty = left
            return ACT_ADD, p, qty
    for i in range(s.n_needs):
        if active(s, i) == 0 or s.target[i] >= 0 or s.looks[i] >= par.shelf_looks or s.sold_stage[i] != 0:
            continue
        c = s.place[i]
        if c >= 0 and w.touch[s.node][c] != 0 and section_serves(w, s, i, c) == 1:
            return ACT_LOOK, c, 0
    if s.impulse_p >= 0 and touches(w, s.node, s.impulse_p) == 1 and left_on_shelf(w, s, s.impulse_p) > 0:
        return ACT_ADD, s.impulse_p, 1
    return ACT_NONE, 0, 0


def next_aim(w: Any, s: Any) -> int:
    """Return the active need with the nearest known place (in moves), -1 when no place is known."""
    best = -1
    best_way = 1000000
    for i in range(s.n_needs):
        if active(s, i) == 0 or s.place[i] < 0:
            continue
        way = w.way[s.node][s.place[i]]
        if way < best_way:
            best_way = way
            best = i
    return best


def unknown_aim(s: Any) -> int:
    """Return the first active need whose place is unknown, -1 when there is none."""
    for i in range(s.n_needs):
        if active(s, i) == 1 and s.place[i] < 0:
            return i
    return -1


def search_step(w: Any, s: Any) -> int:
    """Return the first move towards the nearest node not visited yet (the entrance side counts too), -1 when none."""
    best = -1
    for b in range(len(w.node)):
        if s.visits[b] > 0 or b == s.node:
            continue
        if best < 0:
            best = b
        elif w.hops[s.node][b] < w.hops[s.node][best]:
            best = b
        elif w.hops[s.node][b] == w.hops[s.node][best] and w.dist[s.node][b] < w.dist[s.node][best]:
            best = b
    if best < 0:
        return -1
    return w.step[s.node][best]  # type: ignore[no-any-return]


def head_out(w: Any, s: Any) -> tuple[int, int, int]:
    """Go and pay, or leave when there is nothing to pay for."""
    if s.n_cart == 0:
        return ACT_LEAVE, 0, 0
    if w.node[s.node].kind == N_CHECKOUT:
        return ACT_CHECKOUT, 0, 0
    return ACT_MOVE, w.step[s.node][nearest_checkout(w, s.node)], 0


def plan(w: Any, s: Any) -> tuple[int, int, int]:
    """Return what the user does of its own accord: (action, arg, qty)."""
    if s.giving_up == GIVING_UP_LEAVE or s.giving_up == ANGRY_LEAVE:
        return ACT_LEAVE, 0, 0
    if s.spent > s.budget:
        k = worst_line(w, s)
        return ACT_REMOVE, s.cart_p[k], s.cart_q[k]
    if s.giving_up == GIVING_UP_PAY:
        return head_out(w, s)
    action, arg, qty = work_here(w, s)
    if action != ACT_NONE:
        return action, arg, qty
    for i in range(s.n_needs):
        if s.sold_stage[i] == 2:
            return ACT_WAIT, 0, 0
    i = next_aim(w, s)
    if i >= 0:
        to = w.stand[s.node][s.place[i]]
        if to != s.node:
            return ACT_MOVE, w.step[s.node][to], 0
        return ACT_WAIT, 0, 0
    if unknown_aim(s) >= 0:
        to = search_step(w, s)
        if to >= 0:
            return ACT_MOVE, to, 0
        return ACT_WAIT, 0, 0
    return head_out(w, s)


def serve_move(w: Any, s: Any, to: int) -> float:
    """Return how well walking to ``to`` serves the present aim: nearer, no nearer, or away from work."""
    par = w.par[0]
    action, _, _ = work_here(w, s)
    if action != ACT_NONE:
        return par.serve_against  # type: ignore[no-any-return]
    if any_active(s) == 0:
        c = nearest_checkout(w, s.node)
        if w.dist[to][c] < w.dist[s.node][c]:
            return par.serve_aim  # type: ignore[no-any-return]
        return par.serve_neutral  # type: ignore[no-any-return]
    known = 0
    for i in range(s.n_needs):
        if active(s, i) == 1 and s.place[i] >= 0:
            known = 1
            c = s.place[i]
            if w.way[to][c] < w.way[s.node][c]:
                return par.serve_aim  # type: ignore[no-any-return]
    if known == 0:
        return par.serve_aim  # type: ignore[no-any-return]
    return par.serve_neutral  # type: ignore[no-any-return]


def serve(w: Any, s: Any, m: Any) -> float:
    """Return how well the suggested action serves the user (0..1) in its own eyes."""
    par = w.par[0]
    a = m.sug_type
    if a == ACT_MOVE:
        return serve_move(w, s, m.sug_arg)
    if a == ACT_LOOK:
        for i in range(s.n_needs):
            if active(s, i) == 1 and s.target[i] < 0 and section_serves(w, s, i, m.sug_arg) == 1:
                return par.serve_aim  # type: ignore[no-any-return]
        return par.serve_against  # type: ignore[no-any-return]
    if a == ACT_ADD:
        for i in range(s.n_needs):
            if s.status[i] != NEED_OPEN or serves(w, s, i, m.sug_arg) == 0:
                continue
            if s.target[i] >= 0 and s.target[i] != m.sug_arg:
                continue
            if m.sug_qty <= s.qty[i] - s.got[i] and acceptable(w, s, i, m.sug_arg) == 1:
                return par.serve_aim  # type: ignore[no-any-return]
        return 0.0
    if a == ACT_INSPECT:
        for i in range(s.n_needs):
            if active(s, i) == 1 and serves(w, s, i, m.sug_arg) == 1:
                return par.serve_neutral  # type: ignore[no-any-return]
        return par.serve_against  # type: ignore[no-any-return]
    if a == ACT_REMOVE:
        k = in_cart(s, m.sug_arg)
        if k >= 0 and (s.spent > s.budget or s.cart_need[k] < 0):
            return par.serve_neutral  # type: ignore[no-any-return]
        return 0.0
    if a == ACT_CHECKOUT:
        if any_active(s) == 0:
            return par.serve_aim  # type: ignore[no-any-return]
        return par.serve_against  # type: ignore[no-any-return]
    if a == ACT_LEAVE:
        if any_active(s) == 0 and s.n_cart == 0:
            return par.serve_aim  # type: ignore[no-any-return]
        return 0.0
    return par.serve_neutral  # type: ignore[no-any-return]


def hint_object(m: Any) -> int:
    """Return the number that stands for a suggested action in the keys of draws."""
    return m.sug_type * 1048576 + m.sug_arg  # type: ignore[no-any-return]


def choose(w: Any, s: Any, m: Any, o: Any, hint: int) -> tuple[int, int, int, int]:
    """Return (action, arg, qty, followed) of this turn; with ``hint`` 0 the suggestion is masked."""
    par = w.par[0]
    if o.talked == 1:
        action = ACT_WAIT
        arg = 0
        qty = 0
    else:
        action, arg, qty = plan(w, s)
    if hint == 0 or m.sug_type == ACT_NONE or o.sug_legal == 0:
        return action, arg, qty, 0
    if action == m.sug_type and arg == m.sug_arg:
        return action, arg, qty, 1
    if o.talked == 1 or s.giving_up != 0 or s.spent > s.budget:
        return action, arg, qty, 0
    chance = serve(w, s, m) * (par.follow_trust * s.trust + par.follow_compliance * s.t_compliance)
    k = hint_object(m)
    if uniform(s, P_FOLLOW, k, nth(s, P_FOLLOW, k)) < chance:
        return m.sug_type, m.sug_arg, m.sug_qty, 1
    return action, arg, qty, 0
