"""How the user reads a ranked list: top-down with decaying attention, then the best acceptable item examined.

Attention is keyed by (product, rank), so showing the same list again gives no second chance, and every need has a
budget of examined items, so paging through a category has a price. An accepted need is closed to further lists.
"""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.codes import (
    R_ALLERGEN,
    R_ATTRIBUTE,
    R_BRAND,
    R_HAVE_IT,
    R_NO_REASON,
    R_NOT_MEANT,
    R_PRICE,
    R_SIZE,
    S_ALLERGENS,
    S_ALLERGY,
    S_BRAND,
    S_DIET,
    S_PRICE,
    S_PRICE_LIMIT,
    S_SIZE,
    S_TYPE,
    U_ACCEPT,
    U_ASK,
    U_HESITATE,
    U_REJECT,
    U_REQUEST_COMPARE,
    W_RECOMMENDED,
    W_SUBSTITUTE,
)
from supermarket_env.rules.draws import (
    P_ASK_PRODUCT,
    P_ATTEND,
    P_COMPARE,
    P_DISCOVER,
    P_HESITATE,
    uniform,
)
from supermarket_env.rules.place import holds_type
from supermarket_env.rules.rows import (
    NEED_GIVEN_UP,
    NEED_OPEN,
    PAUSE_ASK,
    PAUSE_COMPARE,
    PAUSE_HESITATE,
    PLACE_NONE,
)
from supermarket_env.rules.utility import acceptable, breaks_hard, main_flaw, serves, utility
from supermarket_env.user_sim.mind_tell import mention, tell, untold


def depth_examined(s: Any, m: Any) -> int:
    """Return how many items from the top are examined: each further one with probability ``attention``."""
    n = 0
    for r in range(m.n_items):
        if r > 0 and uniform(s, P_ATTEND, m.items[r], r) >= s.t_attention:
            break
        n = n + 1
    return n


def listens(s: Any, i: int) -> int:
    """Return 1 when a list can still win need ``i``: open and not accepted."""
    if s.status[i] != NEED_OPEN:
        return 0
    return 1 if s.accepted[i] == 0 else 0


def set_target(w: Any, s: Any, i: int, p: int, why: int) -> None:
    """Make ``p`` what the user wants for need ``i``; keep the known place only when it can hold ``p``."""
    s.target[i] = p
    s.why[i] = why
    s.dormant[i] = 0
    s.sold_out[i] = -1
    s.sold_stage[i] = 0
    s.inspected[i] = 0
    if s.place[i] >= 0 and holds_type(w, s.place[i], w.prod[p].typ) == 0:
        s.place[i] = -1
        s.place_by[i] = PLACE_NONE


def say_yes(w: Any, s: Any, o: Any, i: int, p: int) -> None:
    """Accept product ``p`` for need ``i``."""
    why = W_SUBSTITUTE if s.gone[i] >= 0 else W_RECOMMENDED
    set_target(w, s, i, p, why)
    s.accepted[i] = 1
    mention(s, i)
    if ((s.said[i] >> S_TYPE) & 1) == 0 and s.vague[i] == 0:
        tell(s, o, i, S_TYPE)
    o.act = U_ACCEPT
    o.need = s.ordinal[i]
    o.products[0] = p


def discover(s: Any, o: Any, i: int) -> None:
    """Seeing options brings a wish to mind that had not been said (self-discovery), once a need."""
    if s.discovered[i] == 1:
        return
    if uniform(s, P_DISCOVER, i, 0) < s.t_self_discovery:
        s.discovered[i] = 1
        slot = untold(s, i)
        if slot > 0:
            tell(s, o, i, slot)


def say_no(w: Any, s: Any, o: Any, i: int, p: int) -> None:
    """Reject ``p`` for need ``i`` with the true main reason, telling the wish it fails."""
    reason, slot = main_flaw(w, s, i, p)
    if reason != R_ALLERGEN and affordable(w, s, i, p) == 0:
        reason = R_PRICE
        slot = 0
    mention(s, i)
    o.act = U_REJECT
    o.need = s.ordinal[i]
    o.products[0] = p
    o.reason = reason
    o.slot = slot
    if reason == R_ALLERGEN:
        tell(s, o, i, S_ALLERGY)
    elif reason == R_ATTRIBUTE:
        tell(s, o, i, slot if slot > 0 else S_DIET)
    elif reason == R_BRAND:
        tell(s, o, i, S_BRAND)
    elif reason == R_SIZE:
        tell(s, o, i, S_SIZE)
    elif reason == R_PRICE and s.limit[i] > 0 and w.prod[p].price > s.limit[i]:
        tell(s, o, i, S_PRICE_LIMIT)


def hesitate(w: Any, s: Any, o: Any, i: int, p: int, second: int) -> int:
    """Waver between two close items, or ask about one first; returns 1 when the decision is put off a turn."""
    par = w.par[0]
    if s.hesitated[i] == 1:
        return 0
    s.hesitated[i] = 1
    if second >= 0 and utility(w, s, i, p) - utility(w, s, i, second) < par.hesitate_gap:
        if uniform(s, P_HESITATE, i, 0) < s.t_hesitation:
            o.products[0] = p
            o.products[1] = second
            s.pause_kind = PAUSE_HESITATE
            o.act = U_HESITATE
            if uniform(s, P_COMPARE, i, 0) < 0.5:
                s.pause_kind = PAUSE_COMPARE
                o.act = U_REQUEST_COMPARE
    elif uniform(s, P_ASK_PRODUCT, i, 0) < par.ask_product * (0.3 + s.t_talkativeness):
        o.products[0] = p
        s.pause_kind = PAUSE_ASK
        o.act = U_ASK
        o.slot = S_ALLERGENS if s.hard_allergens[i] != 0 else S_PRICE
    if s.pause_kind == 0:
        return 0
    s.pause_need = i
    s.pause_p = p
    mention(s, i)
    o.need = s.ordinal[i]
    return 1


def affordable(w: Any, s: Any, i: int, p: int) -> int:
    """Return 1 when the units of ``p`` that need ``i`` still lacks fit into what is left of the budget."""
    return 1 if s.spent + w.prod[p].price * (s.qty[i] - s.got[i]) <= s.budget else 0


def judge_need(w: Any, s: Any, m: Any, i: int, depth: int) -> tuple[int, int, int, int]:
    """Look through the first ``depth`` items for need ``i`` within its attention budget.

    Returns (best acceptable product or -1, second best acceptable or -1, best unacceptable one or -1, items examined).
    """
    par = w.par[0]
    best = -1
    second = -1
    refused = -1
    best_u = -1e9
    second_u = -1e9
    refused_u = -1e9
    n = 0
    for r in range(depth):
        p = m.items[r]
        if serves(w, s, i, p) == 0:
            continue
        if s.examined[i] + n >= par.attention_budget:
            break
        n = n + 1
        if p == s.gone[i] or p == best:
            continue
        u = utility(w, s, i, p)
        if acceptable(w, s, i, p) == 1 and affordable(w, s, i, p) == 1:
            if u > best_u:
                second = best
                second_u = best_u
                best = p
                best_u = u
            elif u > second_u:
                second = p
                second_u = u
        else:
            if breaks_hard(w, s, i, p) == 1:
                u = u - 10.0
            if u > refused_u:
                refused = p
                refused_u = u
    return best, second, refused, n


def react_to_list(w: Any, s: Any, m: Any, o: Any) -> int:
    """Read a new list and react: accept, reject with a reason, hesitate, ask; returns 1 when something was said."""
    depth = depth_examined(s, m)
    no_need = -1
    no_p = -1
    for k in range(s.n_needs):
        i = k
        if listens(s, i) == 0:
            continue
        best, second, refused, n = judge_need(w, s, m, i, depth)
        s.examined[i] = s.examined[i] + n
        o.n_examined = o.n_examined + n
        if n == 0:
            continue
        if best >= 0:
            if s.target[i] >= 0 and utility(w, s, i, best) <= utility(w, s, i, s.target[i]) + 0.02:
                continue
            if hesitate(w, s, o, i, best, second) == 1:
                return 1
            say_yes(w, s, o, i, best)
            discover(s, o, i)
            return 1
        if refused >= 0 and no_need < 0 and s.target[i] < 0:
            no_need = i
            no_p = refused
    if no_need >= 0:
        say_no(w, s, o, no_need, no_p)
        discover(s, o, no_need)
        return 1
    return react_to_the_rest(w, s, m, o)


def react_to_the_rest(w: Any, s: Any, m: Any, o: Any) -> int:
    """Nothing on the list was for a need a list can win: already chosen, given up, or not what was meant."""
    p = m.items[0]
    for i in range(s.n_needs):
        if serves(w, s, i, p) == 1 and s.ordinal[i] > 0:
            if s.status[i] == NEED_OPEN and s.target[i] < 0:
                return 0
            o.act = U_REJECT
            o.reason = R_NO_REASON if s.status[i] == NEED_GIVEN_UP else R_HAVE_IT
            o.need = s.ordinal[i]
            o.products[0] = p
            return 1
    o.act = U_REJECT
    o.reason = R_NOT_MEANT
    o.need = 0
    o.products[0] = p
    return 1
