"""One turn of the game, from the message to the moved world: the order of events every door and every user shares.

    judge the message -> the assistant's own words are noted -> the user hears -> talks -> decides (and once more with
    the hint masked) -> acts -> what was said is noted

``begin_trips`` and ``play_turns`` are the entry points that loop over rows; they are compiled when numba is there.
A user model other than the scripted one replaces what ``decide`` fills in (``adopt`` notes what that means for the
mind) and shares all the rest.
"""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.belief import forget, note_message, note_response
from supermarket_env.rules.codes import (
    ACT_CHECKOUT,
    ACT_LEAVE,
    ACT_NONE,
    MAX_NEEDS,
    MAX_PRODUCTS,
    MAX_TYPES,
    U_ACCEPT,
    U_BYE,
    W_RECOMMENDED,
)
from supermarket_env.rules.draws import P_KNOWS, P_MAP_ERROR, uniform
from supermarket_env.rules.judge import judge_message
from supermarket_env.rules.place import nearest_section_of
from supermarket_env.rules.rows import MAX_NODES, N_OCCURRED, PLACE_MEMORY
from supermarket_env.rules.shifts import due_changes
from supermarket_env.rules.utility import serves
from supermarket_env.user_sim.mind_act import choose
from supermarket_env.user_sim.mind_hear import hear
from supermarket_env.user_sim.mind_list import set_target
from supermarket_env.user_sim.mind_talk import open_dialogue, talk
from supermarket_env.user_sim.mind_tell import mention
from supermarket_env.user_sim.mind_world import find_sold_out, observe, perform


def clear(o: Any) -> None:
    """Reset an outcome row to "nothing happened"."""
    o.act = 0
    o.need = 0
    o.slot = 0
    o.reason = 0
    o.cause = 0
    for k in range(MAX_PRODUCTS):
        o.products[k] = -1
    o.category = 0
    o.n_facts = 0
    o.talked = 0
    o.action = 0
    o.arg = 0
    o.qty = 0
    o.would = 0
    o.would_arg = 0
    o.would_qty = 0
    o.followed = 0
    o.cart_op = 0
    o.cart_p = -1
    o.cart_q = 0
    o.cart_why = 0
    o.cleared = 0
    o.metres = 0.0
    o.n_examined = 0
    o.stock_out = 0
    o.searching = 0


def remember_places(w: Any, s: Any) -> None:
    """Fill in which places the user knows by heart (familiarity), some of them wrongly (map error)."""
    for i in range(s.n_needs):
        t = s.typ[i * MAX_TYPES]
        if uniform(s, P_KNOWS, t, 0) >= s.t_familiarity:
            continue
        c = nearest_section_of(w, s.node, t, 0)
        if c < 0:
            continue
        if uniform(s, P_MAP_ERROR, t, 0) < w.par[0].map_error:
            c = (c + 1 + int(uniform(s, P_MAP_ERROR, t, 1) * (len(w.sec) - 1))) % len(w.sec)
        s.place[i] = c
        s.place_by[i] = PLACE_MEMORY


def begin(w: Any, s: Any, o: Any) -> None:
    """Start a trip: ``s`` holds seeds, persona, needs, budget, node and turn limit; everything else is set here."""
    for k in range(N_OCCURRED):
        s.occurred[k] = 0
    for k in range(MAX_NODES):
        s.visits[k] = 0
    s.turn = 0
    s.end = 0
    s.walked = 0.0
    s.patience = s.t_patience
    s.trust = s.t_trust
    s.irritation = 0.0
    s.pleased = 0
    s.cause = 0
    s.cause_product = -1
    s.cause_fresh = 0
    s.giving_up = 0
    s.spent = 0
    s.n_cart = 0
    s.impulse_p = -1
    s.n_impulse = 0
    s.n_mentioned = 0
    s.pause_need = -1
    s.pause_p = -1
    s.pause_kind = 0
    s.n_lists = 0
    s.lie_p = -1
    s.last_act = 0
    s.same_list = 0
    for i in range(MAX_NEEDS):
        s.status[i] = 0
        s.ordinal[i] = 0
        s.by_ordinal[i] = -1
        s.said[i] = 0
        s.target[i] = -1
        s.why[i] = 0
        s.accepted[i] = 0
        s.got[i] = 0
        s.examined[i] = 0
        s.looks[i] = 0
        s.dormant[i] = 0
        s.place[i] = -1
        s.place_by[i] = 0
        s.avoid[i] = -1
        s.searched[i] = 0
        s.where_asked[i] = 0
        s.where_turn[i] = 0
        s.questions[i] = 0
        s.sold_out[i] = -1
        s.sold_stage[i] = 0
        s.shelf_rule[i] = 0
        s.sold_brand[i] = -1
        s.gone[i] = -1
        s.inspected[i] = 0
        s.hesitated[i] = 0
        s.discovered[i] = 0
    forget(s)
    clear(o)
    s.visits[s.node] = 1
    remember_places(w, s)
    observe(w, s, s.node)
    open_dialogue(s, o)
    o.trust = s.trust
    o.irritation = s.irritation
    o.patience = s.patience
    if s.reads_acts == 1:
        note_response(w, s, o)


def take_in(w: Any, s: Any, m: Any, o: Any) -> None:
    """A turn begins: message ``m`` is judged, noted and heard; nothing is said or done yet."""
    s.turn = s.turn + 1
    if s.n_due > 0:
        due_changes(w, s)
    clear(o)
    judge_message(w, s, m, o)
    note_message(w, s, m)
    hear(w, s, m, o)


def decide(w: Any, s: Any, m: Any, o: Any) -> None:
    """The scripted user talks and chooses its action; nothing moves yet."""
    talk(w, s, m, o)
    s.cause_fresh = 0
    for i in range(s.n_needs):
        find_sold_out(w, s, i)
    action, arg, qty, _ = choose(w, s, m, o, 0)
    o.would = action
    o.would_arg = arg
    o.would_qty = qty
    followed = 0
    if m.sug_type != ACT_NONE:  # without a hint the second answer is the first
        action, arg, qty, followed = choose(w, s, m, o, 1)
    o.action = action
    o.arg = arg
    o.qty = qty
    o.followed = followed
    if action == ACT_CHECKOUT or action == ACT_LEAVE:
        o.act = U_BYE
        o.n_facts = 0
        o.need = 0
        for k in range(MAX_PRODUCTS):
            o.products[k] = -1


def adopt(w: Any, s: Any, o: Any) -> None:
    """Note in the mind what another user model said: facts told, a product accepted, what was sold out was said."""
    for k in range(o.n_facts):
        i = o.fact_id[k]
        mention(s, i)
        o.fact_need[k] = s.ordinal[i]
        o.fact_new[k] = 1 if ((s.said[i] >> o.fact_slot[k]) & 1) == 0 else 0
        s.said[i] = s.said[i] | (1 << o.fact_slot[k])
    if o.act == U_ACCEPT and o.products[0] >= 0:
        for i in range(s.n_needs):
            if s.status[i] == 0 and serves(w, s, i, o.products[0]) == 1:
                set_target(w, s, i, o.products[0], W_RECOMMENDED)
                s.accepted[i] = 1
                mention(s, i)
                o.need = s.ordinal[i]
                break


def carry_out(w: Any, s: Any, m: Any, o: Any) -> None:
    """Move the world by the action in ``o`` and note what was said."""
    perform(w, s, m, o)
    s.last_act = o.act
    if s.reads_acts == 1:
        note_response(w, s, o)


def begin_trips(w: Any, states: Any, outcomes: Any, n: int) -> None:
    """Start ``n`` trips."""
    for k in range(n):
        begin(w, states[k], outcomes[k])


def play_turns(w: Any, states: Any, messages: Any, outcomes: Any, n: int) -> None:
    """Play one turn of ``n`` episodes; ended ones are left as they are."""
    for k in range(n):
        s = states[k]
        if s.end != 0:
            continue
        take_in(w, s, messages[k], outcomes[k])
        decide(w, s, messages[k], outcomes[k])
        carry_out(w, s, messages[k], outcomes[k])
