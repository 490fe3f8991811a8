"""What the person in the user's seat sees in numbers: own needs, the message, the shelves in reach, what can be done.

Two rows: the mask of legal physical actions (numbered as in ``action_base``), and a flat row of features in [0, 1]
whose end holds the ``choices``: a short list of actions worth a thought, as (number, quantity) pairs. The layout of the
row is in ``OWN_FEATURES`` ... ``USER_ROW``; names are in ``supermarket_env.envs.user_spaces``.
"""

from __future__ import annotations

from typing import Any, Final

from supermarket_env.rules.codes import (
    ACT_ADD,
    ACT_CHECKOUT,
    ACT_INSPECT,
    ACT_LEAVE,
    ACT_LOOK,
    ACT_MOVE,
    ACT_REMOVE,
    ACTIONS,
    ASSISTANT_ACTS,
    GOAL_KINDS,
    MAX_ITEMS,
    MAX_MOVES,
    MAX_NEEDS,
    MAX_TYPES,
    N_CHECKOUT,
    SLOT_ATTRIBUTE,
)
from supermarket_env.rules.observe import bits, capped
from supermarket_env.rules.place import in_cart, left_on_shelf, legal, nearest_checkout, touches
from supermarket_env.rules.rows import NEED_DONE, NEED_GIVEN_UP, NEED_OPEN
from supermarket_env.rules.utility import acceptable, serves, utility

OWN_FEATURES: Final = 19
ITEM_FEATURES: Final = 7
CHOICE_FEATURES: Final = 10
MOOD_FEATURES: Final = 3
USER_TRIP_FEATURES: Final = 8
N_PERSONA: Final = 13
N_SLOTS: Final = SLOT_ATTRIBUTE + 1
MESSAGE_FEATURES: Final = len(ASSISTANT_ACTS) + MAX_NEEDS + N_SLOTS + len(ACTIONS) + len(GOAL_KINDS) + 2

CHOOSE_WAIT: Final = 0
CHOOSE_CHECKOUT: Final = 1
CHOOSE_LEAVE: Final = 2
CHOOSE_MOVE: Final = 3
CHOOSE_LOOK: Final = CHOOSE_MOVE + MAX_MOVES
CHOOSE_TARGET: Final = CHOOSE_LOOK + MAX_NEEDS
CHOOSE_SHELF: Final = CHOOSE_TARGET + MAX_NEEDS
N_CHOICES: Final = CHOOSE_SHELF + MAX_NEEDS

AT_ITEMS: Final = MAX_NEEDS * OWN_FEATURES
AT_CHOICES: Final = AT_ITEMS + MAX_ITEMS * ITEM_FEATURES
AT_MESSAGE: Final = AT_CHOICES + N_CHOICES * CHOICE_FEATURES
AT_MOOD: Final = AT_MESSAGE + MESSAGE_FEATURES
AT_PERSONA: Final = AT_MOOD + MOOD_FEATURES
AT_USER_TRIP: Final = AT_PERSONA + N_PERSONA
AT_NUMBERS: Final = AT_USER_TRIP + USER_TRIP_FEATURES
USER_ROW: Final = AT_NUMBERS + N_CHOICES * 2
"""Length of the row; features end at AT_NUMBERS."""


def action_base(w: Any, action: int) -> int:
    """Return the number of an action's first argument: wait, checkout, leave, then a stretch for each other type."""
    if action == ACT_CHECKOUT:
        return 1
    if action == ACT_LEAVE:
        return 2
    if action == ACT_MOVE:
        return 3
    if action == ACT_LOOK:
        return 3 + len(w.node)
    if action == ACT_INSPECT:
        return 3 + len(w.node) + len(w.sec)
    if action == ACT_ADD:
        return 3 + len(w.node) + len(w.sec) + len(w.prod)
    if action == ACT_REMOVE:
        return 3 + len(w.node) + len(w.sec) + 2 * len(w.prod)
    return 0


def mask_actions(w: Any, s: Any, mask: Any) -> None:
    """Set the entries of the zeroed ``mask`` whose actions (one unit of add and remove) are legal now."""
    mask[0] = 1
    mask[2] = 1
    if legal(w, s, ACT_CHECKOUT, 0, 0) == 1 and s.spent <= s.budget:
        mask[1] = 1
    row = w.node[s.node]
    for k in range(row.move_first, row.move_first + row.move_count):
        mask[3 + w.move[k].to] = 1
    at_look = action_base(w, ACT_LOOK)
    at_inspect = action_base(w, ACT_INSPECT)
    at_add = action_base(w, ACT_ADD)
    for j in range(row.see_first, row.see_first + row.see_count):
        mask[at_look + w.flat[j]] = 1
    for c in range(len(w.sec)):
        if w.touch[s.node][c] == 0:
            continue
        sec = w.sec[c]
        for k in range(sec.prod_first, sec.prod_first + sec.prod_count):
            p = w.flat[k]
            mask[at_inspect + p] = 1
            if left_on_shelf(w, s, p) > 0:
                mask[at_add + p] = 1
    at_remove = action_base(w, ACT_REMOVE)
    for k in range(s.n_cart):
        mask[at_remove + s.cart_p[k]] = 1


def scaled(u: float) -> float:
    """Return a utility (about -1..1.5) in [0, 1]."""
    x = (u + 1.0) / 2.5
    if x < 0.0:
        return 0.0
    if x > 1.0:
        return 1.0
    return x


def see_need(w: Any, s: Any, i: int, x: Any) -> None:
    """Write what the user knows of its own need ``i``."""
    at = i * OWN_FEATURES
    x[at] = 1.0
    x[at + 1] = s.weight[i] if s.weight[i] < 1.0 else 1.0
    x[at + 2] = 1.0 if s.status[i] == NEED_OPEN else 0.0
    x[at + 3] = 1.0 if s.status[i] == NEED_DONE else 0.0
    x[at + 4] = 1.0 if s.status[i] == NEED_GIVEN_UP else 0.0
    x[at + 5] = 1.0 if s.ordinal[i] > 0 else 0.0
    x[at + 6] = capped(1.0 * bits(s.said[i]), 6.0)
    x[at + 7] = capped(1.0 * (s.qty[i] - s.got[i]), 5.0) if s.qty[i] > s.got[i] else 0.0
    x[at + 8] = 1.0 * s.vague[i]
    x[at + 9] = 1.0 if s.brand[i] >= 0 else 0.0
    x[at + 10] = s.want_size[i] / 3.0
    x[at + 11] = 1.0 if s.limit[i] > 0 else 0.0
    x[at + 12] = capped(1.0 * s.n_want[i], 3.0)
    x[at + 13] = capped(1.0 * bits(s.hard_attrs[i]), 2.0)
    x[at + 14] = capped(1.0 * bits(s.hard_allergens[i]), 2.0)
    x[at + 15] = 1.0 if s.target[i] >= 0 else 0.0
    x[at + 16] = 1.0 if s.accepted[i] == 1 else 0.0
    c = s.place[i]
    if c >= 0:
        x[at + 17] = 1.0
        x[at + 18] = capped(1.0 * w.way[s.node][c], 10.0)


def see_items(w: Any, s: Any, m: Any, x: Any) -> None:
    """Write, per item of the list shown, what it is worth to the open need it serves best."""
    for k in range(m.n_items):
        p = m.items[k]
        at = AT_ITEMS + k * ITEM_FEATURES
        best = -1
        value = 0.0
        for i in range(s.n_needs):
            if s.status[i] == NEED_OPEN and serves(w, s, i, p) == 1:
                u = utility(w, s, i, p)
                if best < 0 or u > value:
                    best = i
                    value = u
        x[at] = 1.0
        if best >= 0:
            x[at + 1] = (best + 1) / MAX_NEEDS
            x[at + 2] = scaled(value)
            x[at + 3] = 1.0 * acceptable(w, s, best, p)
        x[at + 4] = price_share(w, s, p)
        x[at + 5] = 1.0 * touches(w, s.node, p)
        x[at + 6] = 1.0 if in_cart(s, p) >= 0 else 0.0


def price_share(w: Any, s: Any, p: int) -> float:
    """Return the price of ``p`` as a share of the money left, at most 1."""
    left = s.budget - s.spent
    if w.prod[p].price >= left:
        return 1.0
    return w.prod[p].price / left  # type: ignore[no-any-return]


def see_message(s: Any, m: Any, o: Any, x: Any) -> None:
    """Write the assistant's message: act, own need meant, slot asked about, hint and goal."""
    at = AT_MESSAGE
    x[at + m.act] = 1.0
    at = at + len(ASSISTANT_ACTS)
    if 1 <= m.need <= s.n_mentioned:
        x[at + s.by_ordinal[m.need - 1]] = 1.0
    at = at + MAX_NEEDS
    x[at + (m.slot if m.slot < SLOT_ATTRIBUTE else SLOT_ATTRIBUTE)] = 1.0
    at = at + N_SLOTS
    x[at + m.sug_type] = 1.0
    at = at + len(ACTIONS)
    x[at + m.goal_kind] = 1.0
    at = at + len(GOAL_KINDS)
    x[at] = 1.0 if m.sug_type != 0 and o.sug_legal == 1 else 0.0
    x[at + 1] = capped(1.0 * m.n_items, 10.0)


def choose_from(x: Any, k: int, number: int, qty: int) -> int:
    """Note action ``number`` as choice ``k``; return where its features begin."""
    x[AT_NUMBERS + 2 * k] = 1.0 * number
    x[AT_NUMBERS + 2 * k + 1] = 1.0 * qty
    return AT_CHOICES + k * CHOICE_FEATURES


def see_choices(w: Any, s: Any, x: Any) -> None:
    """Write the choices: wait, pay, leave, every move, a look for each need, its target, the best for it in reach."""
    x[choose_from(x, CHOOSE_WAIT, 0, 1)] = 1.0
    at = choose_from(x, CHOOSE_CHECKOUT, 1, 1)
    if legal(w, s, ACT_CHECKOUT, 0, 0) == 1 and s.spent <= s.budget:
        x[at] = 1.0
    x[choose_from(x, CHOOSE_LEAVE, 2, 1)] = 1.0
    see_moves(w, s, x)
    at_look = action_base(w, ACT_LOOK)
    for i in range(s.n_needs):
        c = s.place[i]
        if s.status[i] == NEED_OPEN and c >= 0 and w.sees[s.node][c] != 0:
            at = choose_from(x, CHOOSE_LOOK + i, at_look + c, 1)
            x[at] = 1.0
            x[at + 2] = 1.0
            x[at + 4] = s.weight[i] if s.weight[i] < 1.0 else 1.0
            x[at + 9] = 1.0 if w.touch[s.node][c] != 0 else 0.0
        if s.status[i] == NEED_OPEN and s.target[i] >= 0:
            see_product(w, s, x, CHOOSE_TARGET + i, i, s.target[i])
    see_shelf(w, s, x)


def see_moves(w: Any, s: Any, x: Any) -> None:
    """Write every move as a choice: whether it leads nearer to open needs and to the checkout."""
    row = w.node[s.node]
    till = nearest_checkout(w, s.node)
    for k in range(row.move_count):
        if k >= MAX_MOVES:
            break
        to = w.move[row.move_first + k].to
        at = choose_from(x, CHOOSE_MOVE + k, 3 + to, 1)
        x[at] = 1.0
        x[at + 1] = 1.0
        nearer = 0
        for i in range(s.n_needs):
            c = s.place[i]
            if s.status[i] == NEED_OPEN and c >= 0 and w.way[to][c] < w.way[s.node][c]:
                nearer = nearer + 1
        x[at + 7] = nearer / MAX_NEEDS
        x[at + 8] = 1.0 if w.hops[to][till] < w.hops[s.node][till] else 0.0
        x[at + 9] = 1.0 if s.visits[to] > 0 else 0.0


def see_product(w: Any, s: Any, x: Any, k: int, i: int, p: int) -> None:
    """Write the adding of ``p`` for need ``i`` as choice ``k``."""
    lacks = s.qty[i] - s.got[i]
    left = left_on_shelf(w, s, p)
    qty = lacks if lacks < left else left
    if qty < 1:
        qty = 1
    at = choose_from(x, k, action_base(w, ACT_ADD) + p, qty)
    if left >= qty and touches(w, s.node, p) == 1:
        x[at] = 1.0
    x[at + 3] = 1.0
    x[at + 4] = s.weight[i] if s.weight[i] < 1.0 else 1.0
    x[at + 5] = scaled(utility(w, s, i, p))
    x[at + 6] = price_share(w, s, p)
    x[at + 9] = 1.0 * touches(w, s.node, p)


def see_shelf(w: Any, s: Any, x: Any) -> None:
    """Write, for each open need, the best acceptable product on the shelves in reach as a choice."""
    for i in range(s.n_needs):
        if s.status[i] != NEED_OPEN:
            continue
        best = -1
        value = 0.0
        for j in range(s.n_type[i]):
            typ = w.typ[s.typ[i * MAX_TYPES + j]]
            near = 0
            for k in range(typ.sec_first, typ.sec_first + typ.sec_count):
                if w.touch[s.node][w.flat[k]] != 0:
                    near = 1
            if near == 0:
                continue
            for p in range(typ.first, typ.first + typ.count):
                if touches(w, s.node, p) == 0 or left_on_shelf(w, s, p) <= 0 or acceptable(w, s, i, p) == 0:
                    continue
                u = utility(w, s, i, p)
                if best < 0 or u > value:
                    best = p
                    value = u
        if best >= 0:
            see_product(w, s, x, CHOOSE_SHELF + i, i, best)


def see_trip(w: Any, s: Any, x: Any) -> None:
    """Write mood, persona and how the trip stands."""
    at = AT_MOOD
    x[at] = capped(s.trust, 1.0) if s.trust > 0.0 else 0.0
    x[at + 1] = capped(s.irritation, 4.0) if s.irritation > 0.0 else 0.0
    x[at + 2] = capped(s.patience, 60.0) if s.patience > 0.0 else 0.0
    at = AT_PERSONA
    x[at] = capped(s.t_patience, 60.0)
    x[at + 1] = capped(s.t_trust, 1.0)
    x[at + 2] = capped(s.t_compliance, 1.0)
    x[at + 3] = capped(s.t_familiarity, 1.0)
    x[at + 4] = capped(s.t_talkativeness, 1.0)
    x[at + 5] = capped(s.t_disclosure, 1.0)
    x[at + 6] = capped(s.t_price_sensitivity, 2.0)
    x[at + 7] = capped(s.t_brand_loyalty, 2.0)
    x[at + 8] = capped(s.t_hesitation, 1.0)
    x[at + 9] = capped(s.t_impulse, 1.0)
    x[at + 10] = capped(s.t_attention, 1.0)
    x[at + 11] = capped(s.t_temper, 1.0)
    x[at + 12] = capped(s.t_self_discovery, 1.0)
    at = AT_USER_TRIP
    x[at] = capped(1.0 * (s.max_turns - s.turn), 80.0) if s.max_turns > s.turn else 0.0
    x[at + 1] = capped(1.0 * s.turn, 80.0)
    x[at + 2] = capped(1.0 * s.n_cart, 16.0)
    x[at + 3] = 1.0 if s.spent >= s.budget else s.spent / s.budget
    x[at + 4] = 1.0 if w.node[s.node].kind == N_CHECKOUT else 0.0
    x[at + 5] = capped(1.0 * w.hops[s.node][nearest_checkout(w, s.node)], 10.0)
    x[at + 6] = capped(1.0 * s.n_mentioned, 8.0)
    n_open = 0
    for i in range(s.n_needs):
        if s.status[i] == NEED_OPEN:
            n_open = n_open + 1
    x[at + 7] = capped(1.0 * n_open, 8.0)


def look_around(w: Any, states: Any, messages: Any, outcomes: Any, rows: Any, masks: Any, n: int) -> None:
    """Fill ``n`` zeroed rows (USER_ROW,) and ``n`` zeroed masks for the users of ``n`` episodes (entry point)."""
    for k in range(n):
        s, x = states[k], rows[k]
        for i in range(s.n_needs):
            see_need(w, s, i, x)
        see_items(w, s, messages[k], x)
        see_message(s, messages[k], outcomes[k], x)
        see_choices(w, s, x)
        see_trip(w, s, x)
        mask_actions(w, s, masks[k])
