"""A turn whose answer comes from outside, for somebody else in the user's seat.

    hear_turns (the message is heard) -> finish_turns (the answer is given, the world moves)

An answer is a short row of integers (``ANSWER_SIZE``). While it is worked in, the scripted user answers as well, on a
copy of the state: an answer equal to its own goes on with its mind, and its action is taken where the given one is not
possible.
"""

from __future__ import annotations

from typing import Any, Final

from supermarket_env.rules.codes import (
    ACT_CHECKOUT,
    ACT_NONE,
    ACTION_HAS_ARG,
    ACTION_HAS_QTY,
    MAX_FACTS,
    MAX_PRODUCTS,
)
from supermarket_env.rules.place import legal
from supermarket_env.user_sim.mind_tell import slot_value
from supermarket_env.user_sim.turn import adopt, carry_out, decide, take_in

ANSWER_ACT: Final = 0
"""User act; -1 lets the scripted user answer. What became of the answer is written back here (``BECAME_*``)."""
ANSWER_NEED: Final = 1
"""Own need from 1, 0 for none."""
ANSWER_SLOT: Final = 2
ANSWER_CATEGORY: Final = 3
ANSWER_REASON: Final = 4
ANSWER_CAUSE: Final = 5
ANSWER_ACTION: Final = 6
ANSWER_ARG: Final = 7
ANSWER_QTY: Final = 8
ANSWER_PRODUCTS: Final = 9
"""Products, -1 for none; the given ones first."""
ANSWER_N_FACTS: Final = ANSWER_PRODUCTS + MAX_PRODUCTS
ANSWER_FACTS: Final = ANSWER_N_FACTS + 1
"""(own need from 0, slot) of each fact."""
ANSWER_SIZE: Final = ANSWER_FACTS + 2 * MAX_FACTS

LET_SCRIPTED: Final = -1
BECAME_SCRIPTED: Final = -2
"""The answer is the scripted user's: go on with the copied rows."""
BECAME_OTHER: Final = -3
BECAME_IMPOSSIBLE: Final = -4
"""The answer was taken but for its action, which was not possible."""


def own_need(s: Any, ordinal: int) -> int:
    """Return the own number (from 1) of the need mentioned as ``ordinal``-th; 0 for none."""
    if ordinal < 1 or ordinal > s.n_mentioned:
        return 0
    return s.by_ordinal[ordinal - 1] + 1  # type: ignore[no-any-return]


def same_answer(a: Any, v: Any, t: Any) -> int:
    """Return 1 when answer ``a`` is what the scripted user (mind ``t``) chose in ``v``."""
    if a[ANSWER_ACT] != v.act or a[ANSWER_ACTION] != v.action or a[ANSWER_NEED] != own_need(t, v.need):
        return 0
    if ACTION_HAS_ARG[v.action] == 1 and a[ANSWER_ARG] != v.arg:
        return 0
    if ACTION_HAS_QTY[v.action] == 1 and a[ANSWER_QTY] != v.qty:
        return 0
    if a[ANSWER_SLOT] != v.slot or a[ANSWER_CATEGORY] != v.category:
        return 0
    if a[ANSWER_REASON] != v.reason or a[ANSWER_CAUSE] != v.cause or a[ANSWER_N_FACTS] != v.n_facts:
        return 0
    for k in range(MAX_PRODUCTS):
        if a[ANSWER_PRODUCTS + k] != v.products[k]:
            return 0
    for k in range(v.n_facts):
        if a[ANSWER_FACTS + 2 * k] != v.fact_id[k] or a[ANSWER_FACTS + 2 * k + 1] != v.fact_slot[k]:
            return 0
    return 1


def say_other(s: Any, o: Any, a: Any) -> None:
    """Write what answer ``a`` says into the outcome row; the values of its facts are the true ones."""
    o.act = a[ANSWER_ACT]
    o.slot = a[ANSWER_SLOT]
    o.category = a[ANSWER_CATEGORY]
    o.reason = a[ANSWER_REASON]
    o.cause = a[ANSWER_CAUSE]
    for k in range(MAX_PRODUCTS):
        o.products[k] = a[ANSWER_PRODUCTS + k]
    for k in range(a[ANSWER_N_FACTS]):
        i = a[ANSWER_FACTS + 2 * k]
        if i < s.n_needs:
            j = o.n_facts
            o.fact_id[j] = i
            o.fact_slot[j] = a[ANSWER_FACTS + 2 * k + 1]
            o.fact_value[j] = slot_value(s, i, o.fact_slot[j])
            o.n_facts = j + 1


def do_other(w: Any, s: Any, o: Any, a: Any, v: Any) -> None:
    """Choose the action of answer ``a``, or that of the scripted user (``v``) where it is not possible."""
    o.action = a[ANSWER_ACTION]
    o.arg = a[ANSWER_ARG]
    o.qty = a[ANSWER_QTY]
    fits = legal(w, s, o.action, o.arg, o.qty)
    if o.action == ACT_CHECKOUT and s.spent > s.budget:
        fits = 0
    a[ANSWER_ACT] = BECAME_OTHER
    if fits == 0:
        a[ANSWER_ACT] = BECAME_IMPOSSIBLE
        o.action = v.action
        o.arg = v.arg
        o.qty = v.qty
    o.would = ACT_NONE


def finish(w: Any, s: Any, m: Any, o: Any, t: Any, v: Any, a: Any) -> None:
    """Finish a heard turn with answer ``a``; ``t`` and ``v`` are copies of ``s`` and ``o`` for the scripted user."""
    if a[ANSWER_ACT] == LET_SCRIPTED:
        decide(w, s, m, o)
        carry_out(w, s, m, o)
        return
    decide(w, t, m, v)
    if same_answer(a, v, t) == 1:
        a[ANSWER_ACT] = BECAME_SCRIPTED
        carry_out(w, t, m, v)
        return
    own = a[ANSWER_NEED] if a[ANSWER_NEED] <= s.n_needs else 0
    say_other(s, o, a)
    if own > 0:
        o.need = s.ordinal[own - 1]
    do_other(w, s, o, a, v)
    adopt(w, s, o)
    if o.need == 0 and own > 0:  # mentioned just now
        o.need = s.ordinal[own - 1]
    carry_out(w, s, m, o)


def hear_turns(w: Any, states: Any, messages: Any, outcomes: Any, n: int) -> None:
    """Begin a turn of ``n`` episodes: the messages are judged, noted and heard."""
    for k in range(n):
        take_in(w, states[k], messages[k], outcomes[k])


def decide_turns(w: Any, states: Any, messages: Any, outcomes: Any, n: int) -> None:
    """Let the scripted users of ``n`` episodes answer; nothing moves."""
    for k in range(n):
        decide(w, states[k], messages[k], outcomes[k])


def finish_turns(
    w: Any, states: Any, messages: Any, outcomes: Any, thoughts: Any, decided: Any, answers: Any, n: int
) -> None:
    """Finish a heard turn of ``n`` episodes; ``answers[k][0]`` says what became of each answer."""
    for k in range(n):
        finish(w, states[k], messages[k], outcomes[k], thoughts[k], decided[k], answers[k])
