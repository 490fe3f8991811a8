"""The action happens: the user walks, looks, takes, pays; what it then sees changes what it knows and feels."""

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
    C_UNTRUE,
    C_WRONG_DIRECTIONS,
    E_CHECKOUT,
    E_LEFT,
    E_MAX_TURNS,
    E_PATIENCE,
    E_PATIENCE_CHECKOUT,
    MAX_CART,
    MAX_TYPES,
    W_GUIDED,
    W_IMPULSE,
    W_OVER_BUDGET,
    W_PLANNED,
    W_RECOMMENDED,
    W_SELF_FOUND,
)
from supermarket_env.rules.draws import (
    P_FOLLOW,
    P_GIVE_UP_PAYS,
    P_IMPULSE,
    P_IMPULSE_WHAT,
    P_NOTICE,
    P_SHELF,
    drawn_from,
    joined,
    lane_of,
    occurs,
    uniform,
)
from supermarket_env.rules.place import find_move, in_cart, left_on_shelf, section_serves, touches
from supermarket_env.rules.rows import (
    NEED_DONE,
    NEED_GIVEN_UP,
    NEED_OPEN,
    PLACE_NONE,
    PLACE_SEEN,
    PLACE_TOLD,
)
from supermarket_env.rules.utility import breaks_hard, serves, utility
from supermarket_env.user_sim.mind_act import (
    ANGRY_LEAVE,
    GIVING_UP_LEAVE,
    GIVING_UP_PAY,
    hint_object,
    next_aim,
    unknown_aim,
)
from supermarket_env.user_sim.mind_hear import annoy, gain_trust, lose_trust, mind_the_hint
from supermarket_env.user_sim.mind_list import affordable, set_target


def find_sold_out(w: Any, s: Any, i: int) -> None:
    """Notice at the shelf that the target of need ``i`` is sold out."""
    p = s.target[i]
    if p < 0 or touches(w, s.node, p) == 0 or left_on_shelf(w, s, p) > 0:
        return
    s.gone[i] = p
    s.sold_out[i] = p
    s.sold_stage[i] = 1
    s.target[i] = -1
    if s.accepted[i] == 1:
        lose_trust(s, 0.25 * w.par[0].trust_loss)
    s.accepted[i] = 0
    s.examined[i] = 0


def learn_places(w: Any, s: Any, i: int, node: int) -> None:
    """Notice a section in view that can serve need ``i``: surely within reach, further away with a probability."""
    found = -1
    for k in range(s.n_type[i]):
        row = w.typ[s.typ[i * MAX_TYPES + k]]
        for j in range(row.sec_first, row.sec_first + row.sec_count):
            c = w.flat[j]
            if w.sees[node][c] == 0 or c == s.avoid[i]:
                continue
            if w.touch[node][c] != 0:
                found = c
            elif found < 0:
                if uniform(s, P_NOTICE, c, occurs(s, P_NOTICE, c)) < w.par[0].notice_far:
                    found = c
    if found >= 0:
        s.place[i] = found
        s.place_by[i] = PLACE_SEEN


def check_place(w: Any, s: Any, i: int) -> None:
    """At the place the user believed in: it is there (a told one earns trust) or it is not."""
    c = s.place[i]
    if c < 0 or w.touch[s.node][c] == 0 or s.place_by[i] == PLACE_SEEN:
        return
    par = w.par[0]
    if section_serves(w, s, i, c) == 1:
        if s.place_by[i] == PLACE_TOLD:
            gain_trust(s, par.trust_gain)
            s.pleased = 1
            s.irritation = s.irritation * 0.7
            if s.target[i] < 0 and s.why[i] == 0:
                s.why[i] = W_GUIDED
        s.place_by[i] = PLACE_SEEN
        return
    if s.place_by[i] == PLACE_TOLD:
        annoy(s, par.irr_wrong_place, C_WRONG_DIRECTIONS, -1)
        lose_trust(s, par.trust_loss)
    s.avoid[i] = c
    s.place[i] = -1
    s.place_by[i] = PLACE_NONE


def follow_target(w: Any, s: Any, i: int) -> None:
    """Standing at a section of the right kind that does not hold the chosen product: go to the one that does."""
    p = s.target[i]
    c = s.place[i]
    if p < 0 or c < 0 or w.touch[s.node][c] == 0 or touches(w, s.node, p) == 1:
        return
    home = w.prod[p].section
    if home != c:
        s.place[i] = home
        s.place_by[i] = PLACE_SEEN


def observe(w: Any, s: Any, node: int) -> None:
    """Take in what is seen from ``node``: places of open needs, and at the standing node stock and mistakes."""
    for i in range(s.n_needs):
        if s.status[i] != NEED_OPEN:
            continue
        if node == s.node:
            check_place(w, s, i)
        if s.place[i] < 0:
            learn_places(w, s, i, node)
        if node == s.node:
            follow_target(w, s, i)
            find_sold_out(w, s, i)
    if node == s.node and s.lie_p >= 0 and touches(w, s.node, s.lie_p) == 1:
        annoy(s, w.par[0].irr_untrue, C_UNTRUE, s.lie_p)
        lose_trust(s, w.par[0].trust_loss)
        s.lie_p = -1


def closed_share(s: Any) -> float:
    """Return the share of needs that are no longer open: how late in the trip it is."""
    n = 0
    for i in range(s.n_needs):
        if s.status[i] != NEED_OPEN:
            n = n + 1
    return n / s.n_needs  # type: ignore[no-any-return]


def tempt(w: Any, s: Any) -> None:
    """After a step: perhaps something within reach tempts the user (later in the trip more often)."""
    par = w.par[0]
    s.impulse_p = -1
    if s.n_impulse >= par.max_impulse or s.giving_up != 0:
        return
    chance = par.impulse_rate * s.t_impulse * (1.0 + par.impulse_late * closed_share(s))
    if uniform(s, P_IMPULSE, s.node, s.visits[s.node]) >= chance:
        return
    n = len(w.sec)
    start = int(uniform(s, P_IMPULSE_WHAT, s.node, s.visits[s.node]) * n)
    for d in range(n):
        c = (start + d) % n
        if w.touch[s.node][c] == 0 or w.sec[c].prod_count == 0:
            continue
        k = int(uniform(s, P_IMPULSE_WHAT, 100000 + c, s.visits[s.node]) * w.sec[c].prod_count)
        p = w.flat[w.sec[c].prod_first + k]
        if s.spent + w.prod[p].price > s.budget or left_on_shelf(w, s, p) <= 0 or in_cart(s, p) >= 0:
            return
        for i in range(s.n_needs):
            if serves(w, s, i, p) == 1:
                return
        s.impulse_p = p
        return


def walk(w: Any, s: Any, o: Any) -> None:
    """Walk one move; everything passed is seen, metres count in full."""
    searching = -1
    if s.giving_up == 0 and o.talked == 0 and next_aim(w, s) < 0:
        searching = unknown_aim(s)
    k = find_move(w, s.node, o.arg)
    mv = w.move[k]
    o.metres = mv.metres
    s.walked = s.walked + mv.metres
    for j in range(mv.pass_first, mv.pass_first + mv.pass_count):
        s.visits[w.flat[j]] = s.visits[w.flat[j]] + 1
        observe(w, s, w.flat[j])
    s.node = mv.to
    s.visits[s.node] = s.visits[s.node] + 1
    observe(w, s, s.node)
    tempt(w, s)
    if searching >= 0:
        o.searching = 1
        s.searched[searching] = s.searched[searching] + 1
        if s.searched[searching] >= w.par[0].search_cap and s.place[searching] < 0:
            s.dormant[searching] = 1


def notice(w: Any, s: Any, i: int, section: int) -> int:
    """Sort into ``sorted_p`` what one look at ``section`` notices for need ``i``; return how many products.

    A look notices ``shelf_notice`` products: the largest of draw x (0.3 + 0.7 popularity), keyed by (product, look).
    """
    most = w.par[0].shelf_notice
    row = w.sec[section]
    a = lane_of(s.seed_lo, P_SHELF)
    b = lane_of(s.seed_hi, P_SHELF)
    look_n = s.looks[i] if s.turn_keyed == 0 else s.turn
    n = 0
    typ = -1
    wanted = 0
    for k in range(row.prod_first, row.prod_first + row.prod_count):
        p = w.flat[k]
        prod = w.prod[p]
        if prod.typ != typ:  # goods of one type stand together
            typ = prod.typ
            wanted = serves(w, s, i, p)
        if wanted == 0:
            continue
        if w.par[0].seek_brand == 1 and s.shelf_rule[i] != 0:
            # Rule 1 is for other brands than the one sold out, rule 2 for that brand.
            same = 1 if prod.brand == s.sold_brand[i] else 0
            if same != s.shelf_rule[i] - 1:
                continue
        share = 0.3 + 0.7 * prod.popularity
        if n >= most and (n == 0 or share <= s.sorted_x[n - 1]):
            continue  # no draw could lift it above what is noticed already
        x = joined(drawn_from(a, p, look_n), drawn_from(b, p, look_n)) * share
        j = n
        if n < most:
            n = n + 1
        elif x > s.sorted_x[n - 1]:
            j = n - 1
        else:
            continue
        while j > 0 and x > s.sorted_x[j - 1]:
            s.sorted_x[j] = s.sorted_x[j - 1]
            s.sorted_p[j] = s.sorted_p[j - 1]
            j = j - 1
        s.sorted_x[j] = x
        s.sorted_p[j] = p
    return n


def notice_best(w: Any, s: Any, i: int, section: int) -> int:
    """Return the best acceptable product among the few noticed in a look at ``section`` for need ``i``, -1 if none.

    Its place on the shelf may be empty: labels are read whether or not the goods are there.
    """
    best = -1
    best_u = s.outside[i]
    for k in range(notice(w, s, i, section)):
        p = s.sorted_p[k]
        if s.shelf_rule[i] == 1 and w.prod[p].brand == s.sold_brand[i]:
            continue
        if s.shelf_rule[i] == 2 and w.prod[p].brand != s.sold_brand[i]:
            continue
        if p == s.gone[i] or breaks_hard(w, s, i, p) == 1 or affordable(w, s, i, p) == 0:
            continue
        u = utility(w, s, i, p)  # acceptable is what beats the outside option, where the search begins
        if u > best_u:
            best_u = u
            best = p
    return best


def look(w: Any, s: Any, section: int) -> None:
    """Look at a section: within reach some products are noticed, from afar only what it holds."""
    par = w.par[0]
    for i in range(s.n_needs):
        if s.status[i] != NEED_OPEN or section_serves(w, s, i, section) == 0:
            continue
        if s.place[i] < 0:
            s.place[i] = section
            s.place_by[i] = PLACE_SEEN
        if w.touch[s.node][section] == 0 or s.target[i] >= 0 or s.looks[i] >= par.shelf_looks:
            continue
        p = notice_best(w, s, i, section)
        s.looks[i] = s.looks[i] + 1
        if p >= 0:
            why = W_GUIDED if s.why[i] == W_GUIDED else W_SELF_FOUND
            if s.brand[i] >= 0 and w.prod[p].brand == s.brand[i]:
                why = W_PLANNED
            set_target(w, s, i, p, why)
            find_sold_out(w, s, i)
        elif s.looks[i] >= par.shelf_looks:
            s.dormant[i] = 1


def take(w: Any, s: Any, o: Any) -> None:
    """Put goods into the cart; they count for the need that wanted them, else they are an impulse."""
    p = o.arg
    need = -1
    for i in range(s.n_needs):
        if s.status[i] == NEED_OPEN and s.target[i] == p and need < 0:
            need = i
    for i in range(s.n_needs):
        if need < 0 and s.status[i] == NEED_OPEN and serves(w, s, i, p) == 1:
            need = i
            s.why[i] = W_RECOMMENDED
    k = in_cart(s, p)
    if k < 0:
        k = s.n_cart
        s.cart_p[k] = p
        s.cart_q[k] = 0
        s.n_cart = k + 1
    s.cart_q[k] = s.cart_q[k] + o.qty
    s.cart_need[k] = need
    s.spent = s.spent + w.prod[p].price * o.qty
    o.cart_op = 1
    o.cart_p = p
    o.cart_q = o.qty
    o.cart_why = W_IMPULSE
    if p == s.impulse_p:
        s.n_impulse = s.n_impulse + 1
        s.impulse_p = -1
    if need >= 0:
        o.cart_why = s.why[need]
        s.got[need] = s.got[need] + o.qty
        if s.accepted[need] == 1:
            gain_trust(s, w.par[0].trust_gain)
        if s.got[need] >= s.qty[need]:
            s.status[need] = NEED_DONE
            s.target[need] = -1
            s.sold_stage[need] = 0
        elif left_on_shelf(w, s, p) <= 0:
            find_sold_out(w, s, need)


def give_back(w: Any, s: Any, o: Any) -> None:
    """Take goods out of the cart; a need that loses its goods for want of money is given up."""
    k = in_cart(s, o.arg)
    p = o.arg
    s.spent = s.spent - w.prod[p].price * o.qty
    o.cart_op = 2
    o.cart_p = p
    o.cart_q = o.qty
    o.cart_why = W_OVER_BUDGET
    i = s.cart_need[k]
    if i >= 0:
        s.got[i] = s.got[i] - o.qty
        s.status[i] = NEED_GIVEN_UP
    s.cart_q[k] = s.cart_q[k] - o.qty
    if s.cart_q[k] == 0:
        for j in range(k, s.n_cart - 1):
            s.cart_p[j] = s.cart_p[j + 1]
            s.cart_q[j] = s.cart_q[j + 1]
            s.cart_need[j] = s.cart_need[j + 1]
        s.n_cart = s.n_cart - 1


def pay_or_leave(w: Any, s: Any, o: Any) -> None:
    """End the trip at the checkout or at the door; whoever walks out leaves the goods."""
    if o.action == ACT_CHECKOUT:
        s.end = E_PATIENCE_CHECKOUT if s.giving_up == GIVING_UP_PAY else E_CHECKOUT
        return
    s.end = E_PATIENCE if s.giving_up == GIVING_UP_LEAVE else E_LEFT
    if s.n_cart > 0:
        o.cleared = 1
        s.n_cart = 0
        s.spent = 0


def tire(w: Any, s: Any, o: Any) -> None:
    """Spend patience on the turn; out of patience the user goes to pay or walks out, angry it walks out."""
    par = w.par[0]
    s.patience = s.patience - par.turn_cost
    if o.searching == 1:
        s.patience = s.patience - par.search_cost
    if o.action == ACT_WAIT:
        s.patience = s.patience - par.wait_cost
    if s.giving_up != 0:
        return
    if s.irritation > par.irr_leave * (1.5 - s.t_temper):
        s.giving_up = ANGRY_LEAVE
    elif s.patience <= 0.0:
        s.giving_up = GIVING_UP_LEAVE
        if s.n_cart > 0 and uniform(s, P_GIVE_UP_PAYS, 0, 0) < par.give_up_pays:
            s.giving_up = GIVING_UP_PAY


def perform(w: Any, s: Any, m: Any, o: Any) -> None:
    """Carry out the chosen action of ``o`` and all that follows from it."""
    if m.sug_type != 0:
        occurs(s, P_FOLLOW, hint_object(m))
        mind_the_hint(w, s, m, o)
    a = o.action
    if a == ACT_MOVE:
        walk(w, s, o)
    elif a == ACT_LOOK:
        look(w, s, o.arg)
    elif a == ACT_INSPECT:
        for i in range(s.n_needs):
            if s.target[i] == o.arg:
                s.inspected[i] = 1
    elif a == ACT_ADD:
        if s.n_cart < MAX_CART or in_cart(s, o.arg) >= 0:
            take(w, s, o)
    elif a == ACT_REMOVE:
        give_back(w, s, o)
    elif a == ACT_CHECKOUT or a == ACT_LEAVE:
        pay_or_leave(w, s, o)
    tire(w, s, o)
    if s.end == 0 and s.turn >= s.max_turns:
        s.end = E_MAX_TURNS
    o.trust = s.trust
    o.irritation = s.irritation
    o.patience = s.patience
