"""What the user says: reveals needs gradually, answers truthfully, gives reasons, complains, asks the way.

Everything said is a function of what the user wants and noticed; each fact told is marked in ``said`` so that a
repeated question can be recognised. Saying yes to a product closes the need to further lists.
"""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.codes import (
    A_ASK,
    A_COMPARE,
    A_CONFIRM,
    A_INFORM,
    A_OFFER_CHECKOUT,
    C_NOT_FOUND,
    C_OUT_OF_STOCK,
    C_OVER_BUDGET,
    C_REPETITION,
    MAX_TYPES,
    S_ANYTHING,
    S_TYPE,
    U_ACCEPT,
    U_ANSWER,
    U_ASK_WHERE,
    U_CHAT,
    U_COMPLAIN,
    U_DISCLOSE,
    U_THANK,
)
from supermarket_env.rules.draws import (
    P_ASK_WHERE,
    P_COMPLAIN,
    P_STOCK_OUT,
    P_TALK_COST,
    P_THANK,
    P_VOLUNTEER,
    occurs,
    uniform,
)
from supermarket_env.rules.rows import NEED_GIVEN_UP, NEED_OPEN, PAUSE_NONE
from supermarket_env.rules.utility import acceptable, serves
from supermarket_env.user_sim.mind_hear import active, need_of
from supermarket_env.user_sim.mind_list import affordable, react_to_list, say_no, say_yes
from supermarket_env.user_sim.mind_tell import mention, tell, tell_more, tell_new_need, untold

PATIENCE_TO_ASK_WHERE = 2
"""Unanswered questions for the way, per need, after which the user stops asking."""


def answer(s: Any, m: Any, o: Any) -> None:
    """Answer a question truthfully: the slot asked for, or what comes to mind first."""
    o.act = U_ANSWER
    o.slot = m.slot
    i = need_of(s, m.need)
    if i < 0:
        o.need = 0
        tell_new_need(s, o)
        return
    o.need = m.need
    if m.slot == S_ANYTHING:
        slot = untold(s, i)
        if slot > 0:
            tell(s, o, i, slot)
            tell_more(s, o, i)
        else:
            s.said[i] = s.said[i] | (1 << S_ANYTHING)
        return
    tell(s, o, i, m.slot)


def answer_confirm(w: Any, s: Any, m: Any, o: Any) -> int:
    """Say yes or no to the one product named: a chosen one is confirmed, another one judged like a list of one."""
    p = m.products[0]
    if p < 0:
        return 0
    for i in range(s.n_needs):
        if s.status[i] != NEED_OPEN or serves(w, s, i, p) == 0:
            continue
        if s.target[i] == p:
            mention(s, i)
            s.accepted[i] = 1
            o.act = U_ACCEPT
            o.need = s.ordinal[i]
            o.products[0] = p
            return 1
        if s.accepted[i] == 1 or p == s.gone[i] or s.examined[i] >= w.par[0].attention_budget:
            continue
        s.examined[i] = s.examined[i] + 1
        o.n_examined = 1
        if acceptable(w, s, i, p) == 1 and affordable(w, s, i, p) == 1:
            say_yes(w, s, o, i, p)
        else:
            say_no(w, s, o, i, p)
        return 1
    return 0


def complain_sold_out(s: Any, o: Any) -> int:
    """Say that a wanted product is sold out; returns 1 when something was said."""
    for i in range(s.n_needs):
        if s.sold_stage[i] == 1:
            s.sold_stage[i] = 2
            mention(s, i)
            o.act = U_COMPLAIN
            o.cause = C_OUT_OF_STOCK
            o.products[0] = s.sold_out[i]
            if ((s.said[i] >> S_TYPE) & 1) == 0:
                tell(s, o, i, S_TYPE)
            o.need = s.ordinal[i]
            o.talked = 1
            return 1
    return 0


def settle_sold_out(w: Any, s: Any, o: Any) -> None:
    """No acceptable substitute was offered in time: react as shoppers do (shares of GMA/FMI 2002)."""
    par = w.par[0]
    for i in range(s.n_needs):
        if s.sold_stage[i] != 2:
            continue
        p = s.sold_out[i]
        u = uniform(s, P_STOCK_OUT, p, 0)
        s.sold_stage[i] = 0
        s.sold_out[i] = -1
        s.sold_brand[i] = w.prod[p].brand
        if u < par.so_other_store:
            o.stock_out = 1
            s.status[i] = NEED_GIVEN_UP
        elif u < par.so_other_brand:
            o.stock_out = 2
            s.shelf_rule[i] = 1
        elif u < par.so_same_brand:
            o.stock_out = 3
            s.shelf_rule[i] = 2
        elif u < par.so_delay:
            o.stock_out = 4
            s.status[i] = NEED_GIVEN_UP
        else:
            o.stock_out = 5
            s.status[i] = NEED_GIVEN_UP
        if s.status[i] == NEED_OPEN and s.looks[i] >= par.shelf_looks:
            s.looks[i] = par.shelf_looks - 1


def ask_the_way(w: Any, s: Any, o: Any) -> int:
    """Ask where a product or category is when its place is unknown; returns 1 when asked."""
    par = w.par[0]
    for i in range(s.n_needs):
        if active(s, i) == 0 or s.place[i] >= 0 or s.where_asked[i] >= PATIENCE_TO_ASK_WHERE:
            continue
        if s.where_asked[i] > 0 and s.turn - s.where_turn[i] < 4:
            continue
        if s.searched[i] < par.ask_after:
            continue
        if s.ordinal[i] == 0 and s.n_mentioned < i:
            continue
        if uniform(s, P_ASK_WHERE, i, occurs(s, P_ASK_WHERE, i)) >= par.ask_where * (0.4 + 0.6 * s.t_talkativeness):
            continue
        s.where_asked[i] = s.where_asked[i] + 1
        s.where_turn[i] = s.turn
        o.act = U_ASK_WHERE
        if s.vague[i] == 0 or ((s.said[i] >> S_TYPE) & 1) == 1:
            if ((s.said[i] >> S_TYPE) & 1) == 0:
                tell(s, o, i, S_TYPE)
            o.category = s.typ[i * MAX_TYPES] + 1
        else:
            tell(s, o, i, S_TYPE)
            o.category = s.typ[i * MAX_TYPES] + 1
        if s.target[i] >= 0:
            o.products[0] = s.target[i]
            o.category = w.prod[s.target[i]].typ + 1
        o.need = s.ordinal[i]
        return 1
    return 0


def complain_not_found(s: Any, o: Any) -> int:
    """Say once that something looked for was not found; returns 1 when said."""
    for i in range(s.n_needs):
        if s.status[i] == NEED_OPEN and s.dormant[i] == 1:
            s.dormant[i] = 2
            mention(s, i)
            if ((s.said[i] >> S_TYPE) & 1) == 0:
                tell(s, o, i, S_TYPE)
            o.act = U_COMPLAIN
            o.cause = C_NOT_FOUND
            o.need = s.ordinal[i]
            o.category = s.typ[i * MAX_TYPES] + 1
            return 1
    return 0


def volunteer(w: Any, s: Any, o: Any) -> int:
    """Mention something unasked: the next need once the earlier ones are settled, or a detail; 1 when said."""
    par = w.par[0]
    settled = 1
    for k in range(s.n_mentioned):
        i = s.by_ordinal[k]
        if active(s, i) == 1 and s.target[i] < 0:
            settled = 0
    u = uniform(s, P_VOLUNTEER, 0, occurs(s, P_VOLUNTEER, 0))
    chance = par.volunteer * (0.3 + s.t_disclosure) * (0.5 + s.t_talkativeness)
    if settled == 1:
        chance = chance + par.volunteer_next
    if u >= chance:
        return 0
    if settled == 0:
        for k in range(s.n_mentioned):
            i = s.by_ordinal[k]
            if active(s, i) == 1 and s.target[i] < 0 and s.t_disclosure > 0.3:
                slot = untold(s, i)
                if slot > 0:
                    o.act = U_DISCLOSE
                    tell(s, o, i, slot)
                    o.need = s.ordinal[i]
                    return 1
    if tell_new_need(s, o) >= 0:
        o.act = U_DISCLOSE
        return 1
    return 0


def resolve_pause(w: Any, s: Any, m: Any, o: Any) -> int:
    """Come back to a product the user hesitated over or asked about; returns 1 when it decides."""
    if s.pause_kind == PAUSE_NONE:
        return 0
    i = s.pause_need
    p = s.pause_p
    s.pause_kind = PAUSE_NONE
    s.pause_need = -1
    if s.status[i] != NEED_OPEN or s.target[i] >= 0:
        return 0
    helped = 0
    if m.act == A_INFORM or m.act == A_COMPARE or m.act == A_CONFIRM:
        helped = 1
    say_yes(w, s, o, i, p)
    if helped == 1:
        s.pleased = 1
    return 1


def open_dialogue(s: Any, o: Any) -> None:
    """Say the opening line: the first need, with details when the user is the disclosing kind."""
    o.act = U_DISCLOSE
    i = tell_new_need(s, o)
    if s.t_disclosure > 0.75 and i >= 0:
        keep = o.need
        tell_new_need(s, o)
        o.need = keep


def complain_aloud(w: Any, s: Any, o: Any) -> int:
    """Say what annoyed just now, when irritation is high enough to show; returns 1 when said."""
    par = w.par[0]
    if s.cause == 0 or s.irritation <= par.irr_say * (1.5 - s.t_temper):
        return 0
    if uniform(s, P_COMPLAIN, s.cause, occurs(s, P_COMPLAIN, s.cause)) >= 0.5:
        return 0
    o.act = U_COMPLAIN
    o.cause = s.cause
    o.products[0] = s.cause_product
    return 1


def small_talk(w: Any, s: Any, m: Any, o: Any) -> None:
    """Complain aloud, own up to having taken too much, thank, or just go on."""
    par = w.par[0]
    o.act = U_CHAT
    if complain_aloud(w, s, o) == 1:
        return
    if s.spent > s.budget and s.giving_up == 0:
        if uniform(s, P_COMPLAIN, C_OVER_BUDGET, occurs(s, P_COMPLAIN, C_OVER_BUDGET)) < 0.5:
            o.act = U_COMPLAIN
            o.cause = C_OVER_BUDGET
            return
    if s.pleased == 1:
        s.pleased = 0
        if uniform(s, P_THANK, 0, occurs(s, P_THANK, 0)) < par.thank * (0.3 + 0.7 * s.t_talkativeness):
            o.act = U_THANK


def talk(w: Any, s: Any, m: Any, o: Any) -> None:
    """Choose the dialogue act of this turn; may set ``o.talked`` (the turn goes into talking)."""
    par = w.par[0]
    reacted = 0
    if s.giving_up != 0:
        small_talk(w, s, m, o)
        return
    if m.n_items > 0 and s.same_list == 0:
        reacted = react_to_list(w, s, m, o)
    elif m.n_items > 0:
        o.act = U_COMPLAIN
        o.cause = C_REPETITION
        reacted = 1
    if reacted == 0:
        reacted = resolve_pause(w, s, m, o)
    if reacted == 0 and m.act == A_CONFIRM and m.n_items == 0:
        reacted = answer_confirm(w, s, m, o)
    if reacted == 0 and m.act == A_ASK:
        if complain_aloud(w, s, o) == 0:
            answer(s, m, o)
        reacted = 1
    if reacted == 1:
        if uniform(s, P_TALK_COST, o.act, occurs(s, P_TALK_COST, o.act)) < par.talk_cost:
            o.talked = 1
        return
    settle_sold_out(w, s, o)
    if complain_sold_out(s, o) == 1:
        return
    if s.cause == 0 and ask_the_way(w, s, o) == 1:
        return
    if complain_not_found(s, o) == 1:
        return
    if s.cause == 0 and m.act != A_OFFER_CHECKOUT and volunteer(w, s, o) == 1:
        return
    small_talk(w, s, m, o)
