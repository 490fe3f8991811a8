"""What the assistant heard: the belief over each mentioned need, a function of the dialogue alone.

Only messages and responses go in, never the user's hidden needs, so whatever is made of the ``h_`` fields (the typed
view, the numeric observation) cannot leak more than was said.
"""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.codes import (
    A_ASK,
    ACT_ADD,
    C_NOT_FOUND,
    C_OUT_OF_STOCK,
    MAX_CANDIDATES,
    MAX_NEEDS,
    MAX_PRODUCTS,
    MAX_REJECTED,
    S_ALLERGY,
    S_BRAND,
    S_DEPARTMENT,
    S_DIET,
    S_PRICE_LIMIT,
    S_QUANTITY,
    S_SIZE,
    S_TYPE,
    SLOT_ATTRIBUTE,
    U_ACCEPT,
    U_COMPLAIN,
    U_REJECT,
)


def forget(s: Any) -> None:
    """Empty the belief (start of an episode)."""
    s.h_n = 0
    for i in range(MAX_NEEDS):
        s.h_type[i] = -1
        s.h_department[i] = -1
        s.h_wanted[i] = 0
        s.h_unwanted[i] = 0
        s.h_brand[i] = -1
        s.h_size[i] = 0
        s.h_qty[i] = 0
        s.h_limit[i] = 0
        s.h_diet[i] = 0
        s.h_allergy[i] = 0
        s.h_none[i] = 0
        s.h_questions[i] = 0
        s.h_accepted[i] = -1
        s.h_n_rejected[i] = 0
        s.h_shown[i] = 0
        s.h_closed[i] = 0
        s.h_stale[i] = 1
        for k in range(MAX_CANDIDATES):
            s.h_candidates[i * MAX_CANDIDATES + k] = -1
    s.h_act = 0
    s.h_reason = 0
    s.h_cause = 0
    s.h_need = 0
    s.h_slot = 0


def hear_fact(s: Any, ordinal: int, slot: int, value: int) -> None:
    """Take in one fact about a mentioned need; value 0 is "no preference"."""
    i = ordinal - 1
    if i < 0 or i >= MAX_NEEDS:
        return
    if ordinal > s.h_n:
        s.h_n = ordinal
    s.h_stale[i] = 1
    if value == 0:
        s.h_none[i] = s.h_none[i] | (1 << slot)
        if slot >= SLOT_ATTRIBUTE:
            s.h_unwanted[i] = s.h_unwanted[i] | (1 << (slot - SLOT_ATTRIBUTE))
    elif slot == S_TYPE:
        s.h_type[i] = value - 1
    elif slot == S_DEPARTMENT:
        s.h_department[i] = value - 1
    elif slot == S_BRAND:
        s.h_brand[i] = value - 1
    elif slot == S_SIZE:
        s.h_size[i] = value
    elif slot == S_QUANTITY:
        s.h_qty[i] = value
    elif slot == S_PRICE_LIMIT:
        s.h_limit[i] = value
    elif slot == S_DIET:
        s.h_diet[i] = s.h_diet[i] | value
    elif slot == S_ALLERGY:
        s.h_allergy[i] = s.h_allergy[i] | value
    elif slot >= SLOT_ATTRIBUTE:
        s.h_wanted[i] = s.h_wanted[i] | (1 << (slot - SLOT_ATTRIBUTE))


def hear_rejection(s: Any, i: int, p: int) -> None:
    """Remember that product ``p`` was turned down for mentioned need number ``i`` (the oldest is forgotten)."""
    for k in range(s.h_n_rejected[i]):
        if s.h_rejected[i * MAX_REJECTED + k] == p:
            return
    if s.h_n_rejected[i] == MAX_REJECTED:
        for k in range(MAX_REJECTED - 1):
            s.h_rejected[i * MAX_REJECTED + k] = s.h_rejected[i * MAX_REJECTED + k + 1]
        s.h_n_rejected[i] = MAX_REJECTED - 1
    s.h_stale[i] = 1
    s.h_rejected[i * MAX_REJECTED + s.h_n_rejected[i]] = p
    s.h_n_rejected[i] = s.h_n_rejected[i] + 1


def note_message(w: Any, s: Any, m: Any) -> None:
    """Count the assistant's own questions and lists."""
    if m.act == A_ASK and 1 <= m.need <= s.h_n:
        s.h_questions[m.need - 1] = s.h_questions[m.need - 1] + 1
    if m.n_items > 0:
        for i in range(s.h_n):
            for r in range(m.n_items):
                if w.prod[m.items[r]].typ == s.h_type[i]:
                    s.h_shown[i] = s.h_shown[i] + 1
                    break


def note_response(w: Any, s: Any, o: Any) -> None:
    """Take in the user's act and slots and what lands in the cart."""
    s.h_act = o.act
    s.h_reason = o.reason
    s.h_cause = o.cause
    s.h_need = o.need
    s.h_slot = o.slot
    for k in range(o.n_facts):
        hear_fact(s, o.fact_need[k], o.fact_slot[k], o.fact_value[k])
    i = o.need - 1
    if 0 <= i < s.h_n:
        if o.act == U_ACCEPT:
            s.h_accepted[i] = o.products[0]
            s.h_closed[i] = 0
            if s.h_type[i] < 0:
                s.h_type[i] = w.prod[o.products[0]].typ
                s.h_stale[i] = 1
        elif o.act == U_REJECT:
            for k in range(MAX_PRODUCTS):
                if o.products[k] >= 0:
                    hear_rejection(s, i, o.products[k])
        elif o.act == U_COMPLAIN and o.cause == C_OUT_OF_STOCK:
            if o.products[0] >= 0:
                hear_rejection(s, i, o.products[0])
            s.h_accepted[i] = -1
        elif o.act == U_COMPLAIN and o.cause == C_NOT_FOUND:
            s.h_accepted[i] = -1
    if o.cart_op == 1 and o.action == ACT_ADD:
        t = w.prod[o.cart_p].typ
        for k in range(s.h_n):
            if s.h_closed[k] == 0 and (s.h_type[k] == t or s.h_accepted[k] == o.cart_p):
                s.h_closed[k] = 1
                break


def note_responses(w: Any, states: Any, outcomes: Any, n: int) -> None:
    """Take in ``n`` responses (entry point of the text track, whose outcomes a parser made from words)."""
    for k in range(n):
        note_response(w, states[k], outcomes[k])
