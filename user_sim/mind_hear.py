"""The user hears a message: trust, irritation and knowledge of places change; nothing is said or done yet."""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.codes import (
    A_ACKNOWLEDGE,
    A_ASK,
    A_OFFER_CHECKOUT,
    ACT_CHECKOUT,
    ACT_LEAVE,
    ACT_MOVE,
    ACT_NONE,
    C_IRRELEVANT,
    C_PUSHY,
    C_REPETITION,
    C_TOO_MANY_QUESTIONS,
    C_UNTRUE,
    C_WRONG_DIRECTIONS,
    G_LANDMARK,
    MAX_LIST_MEMORY,
    N_CHECKOUT,
    S_ANYTHING,
    S_NONE,
    U_COMPLAIN,
)
from supermarket_env.rules.draws import P_BELIEVE, P_FINDS_ALONE, lane, occurs, uniform
from supermarket_env.rules.place import section_serves, touches
from supermarket_env.rules.rows import NEED_OPEN, PLACE_SEEN, PLACE_TOLD
from supermarket_env.rules.utility import serves

QUESTION_EVENT = 201
"""Occurrence counter of open questions ("anything else?") after the user has nothing left to mention."""


def annoy(s: Any, amount: float, cause: int, product: int) -> None:
    """Raise irritation by ``amount`` (scaled by temper), take it off patience and remember the cause."""
    if amount <= 0.0:
        return
    x = amount * (0.5 + s.t_temper)
    s.irritation = s.irritation + x
    s.patience = s.patience - x
    s.cause = cause
    s.cause_fresh = 1
    s.cause_product = product


def lose_trust(s: Any, amount: float) -> None:
    """Lower trust by a share of what there is."""
    s.trust = s.trust - amount * s.trust


def gain_trust(s: Any, amount: float) -> None:
    """Raise trust by a share of what is missing to 1."""
    s.trust = s.trust + amount * (1.0 - s.trust)


def active(s: Any, i: int) -> int:
    """Return 1 while need ``i`` is open and the user still works on it."""
    if s.status[i] != NEED_OPEN:
        return 0
    return 1 if s.dormant[i] == 0 else 0


def any_active(s: Any) -> int:
    """Return 1 while the user still works on some need."""
    for i in range(s.n_needs):
        if active(s, i) == 1:
            return 1
    return 0


def need_of(s: Any, ordinal: int) -> int:
    """Return the need mentioned as number ``ordinal``, -1 when there is none."""
    if ordinal < 1 or ordinal > s.n_mentioned:
        return -1
    return s.by_ordinal[ordinal - 1]  # type: ignore[no-any-return]


def hear_question(w: Any, s: Any, m: Any) -> None:
    """Repeated questions and the third one about a need irritate."""
    par = w.par[0]
    i = need_of(s, m.need)
    if i < 0:
        if s.n_mentioned == s.n_needs and occurs(s, QUESTION_EVENT, 0) >= 1:
            annoy(s, par.irr_repeated_question, C_REPETITION, -1)
        return
    s.questions[i] = s.questions[i] + 1
    if m.slot != S_NONE and ((s.said[i] >> m.slot) & 1) == 1:
        annoy(s, par.irr_repeated_question, C_REPETITION, -1)
    elif s.questions[i] >= 3:
        annoy(s, par.irr_third_question, C_TOO_MANY_QUESTIONS, -1)


def list_key(m: Any) -> int:
    """Return a 32-bit fingerprint of the ranked list."""
    x = 17
    for r in range(m.n_items):
        x = lane(x, 7, m.items[r], r)
    return x


def hear_list(w: Any, s: Any, m: Any) -> None:
    """Notice a list that was shown before and one that has nothing to do with what is wanted."""
    par = w.par[0]
    key = list_key(m)
    s.same_list = 0
    for k in range(MAX_LIST_MEMORY):
        if k < s.n_lists and s.lists[k] == key:
            s.same_list = 1
    if s.same_list == 1:
        annoy(s, par.irr_same_list, C_REPETITION, -1)
        return
    s.lists[s.n_lists % MAX_LIST_MEMORY] = key
    s.n_lists = s.n_lists + 1
    s.patience = s.patience - par.list_cost * m.n_items * (1.0 + par.overload * s.t_hesitation)
    for r in range(m.n_items):
        for i in range(s.n_needs):
            if s.status[i] == NEED_OPEN and s.accepted[i] == 0 and serves(w, s, i, m.items[r]) == 1:
                return
    annoy(s, par.irr_irrelevant, C_IRRELEVANT, -1)


def led(w: Any, s: Any, m: Any, o: Any) -> int:
    """Return 1 when the user can picture the way to the goal's section.

    It is in view, or the suggested step leads nearer to it: directions start from where one stands. A far place that
    is only named is found by some users and not by others; the draw belongs to the section, so that naming it again
    does not help.
    """
    c = o.goal_section
    if w.sees[s.node][c] != 0:
        return 1
    if m.sug_type == ACT_MOVE and o.sug_legal == 1 and w.way[m.sug_arg][c] < w.way[s.node][c]:
        return 1
    return 1 if uniform(s, P_FINDS_ALONE, c, 0) < w.par[0].finds_alone else 0


def hear_goal(w: Any, s: Any, m: Any, o: Any) -> None:
    """Learn a place from a goal when it serves an open need; a goal that serves none irritates."""
    par = w.par[0]
    if m.goal_kind == G_LANDMARK:
        if o.goal_node >= 0 and w.node[o.goal_node].kind == N_CHECKOUT and any_active(s) == 0:
            return
        annoy(s, par.irr_wrong_goal, C_WRONG_DIRECTIONS, -1)
        return
    useful = 0
    if o.goal_section >= 0:
        for i in range(s.n_needs):
            if s.status[i] != NEED_OPEN or section_serves(w, s, i, o.goal_section) == 0:
                continue
            useful = 1
            if s.place_by[i] == PLACE_SEEN and s.dormant[i] == 0:
                continue
            if s.avoid[i] == o.goal_section or s.place[i] == o.goal_section:
                continue
            if led(w, s, m, o) == 0:
                continue
            if uniform(s, P_BELIEVE, o.goal_section, occurs(s, P_BELIEVE, o.goal_section)) < 0.5 + 0.5 * s.trust:
                s.place[i] = o.goal_section
                s.place_by[i] = PLACE_TOLD
                if s.looks[i] < par.shelf_looks:
                    s.dormant[i] = 0
    if useful == 0:
        annoy(s, par.irr_wrong_goal, C_WRONG_DIRECTIONS, -1)


def mind_the_hint(w: Any, s: Any, m: Any, o: Any) -> None:
    """Being pushed to pay and impossible hints irritate; felt after the choice, so that ``would`` ignores the hint."""
    par = w.par[0]
    if m.sug_type == ACT_CHECKOUT or m.sug_type == ACT_LEAVE:
        if any_active(s) == 1 and m.act != A_OFFER_CHECKOUT:
            annoy(s, par.irr_pushy, C_PUSHY, -1)
    elif m.sug_type != ACT_NONE and o.sug_legal == 0:
        annoy(s, par.irr_illegal, C_WRONG_DIRECTIONS, -1)


def hear(w: Any, s: Any, m: Any, o: Any) -> None:
    """Take in message ``m`` with the judgements of ``o``."""
    par = w.par[0]
    s.irritation = s.irritation * par.irr_decay
    s.same_list = 0
    if s.cause_fresh == 0:
        s.cause = 0
        s.cause_product = -1
    if m.act == A_ACKNOWLEDGE and s.last_act == U_COMPLAIN:
        s.irritation = s.irritation * (1.0 - par.irr_relief)
    if m.act == A_ASK:
        if m.slot == S_NONE:
            m.slot = S_ANYTHING
        hear_question(w, s, m)
    if m.n_items > 0:
        hear_list(w, s, m)
    if m.goal_kind != 0:
        hear_goal(w, s, m, o)
    if m.act == A_OFFER_CHECKOUT and any_active(s) == 1:
        annoy(s, par.irr_pushy, C_PUSHY, -1)
    if o.claim == 0:
        if touches(w, s.node, m.products[0]) == 1:
            annoy(s, par.irr_untrue, C_UNTRUE, m.products[0])
            lose_trust(s, par.trust_loss)
        else:
            s.lie_p = m.products[0]
