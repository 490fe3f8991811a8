"""The fixed rows of the game: one specification, a NumPy record (compiled) and a slotted object (plain) of each.

A field is ``(name, kind, length)``; length 0 is a scalar, n a list of n. Kind ``i`` is a 64-bit integer, ``j`` one of
32 and ``h`` one of 16 bits in the record (rows of a batch should be small), ``f`` a 64-bit float. Per-need lists have
``MAX_NEEDS`` entries; lists of lists are flattened (entry k of need i is at ``i * width + k``). Money is in cents,
lengths in metres, -1 stands for "none".
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from supermarket_env.rules.codes import (
    MAX_CANDIDATES,
    MAX_CART,
    MAX_DUE,
    MAX_FACTS,
    MAX_ITEMS,
    MAX_LIST_MEMORY,
    MAX_NEEDS,
    MAX_PRODUCTS,
    MAX_REJECTED,
    MAX_SHIFTED,
    MAX_SORTED,
    MAX_TYPES,
    MAX_WANTS,
)

Spec = tuple[tuple[str, str, int], ...]
MAX_NODES: Final = 256
MAX_NUMBER: Final = 32_767
"""Largest number of a section or a product type: rows keep both in 16 bits."""
N_OCCURRED: Final = 128
N = MAX_NEEDS

TRAITS: Final = (
    "patience",
    "trust",
    "compliance",
    "familiarity",
    "talkativeness",
    "disclosure",
    "price_sensitivity",
    "brand_loyalty",
    "hesitation",
    "impulse",
    "attention",
    "temper",
    "self_discovery",
)

STATE: Final[Spec] = (
    # keys of randomness
    ("seed_lo", "i", 0),
    ("seed_hi", "i", 0),
    ("taste_seed", "i", 0),
    ("turn_keyed", "i", 0),
    ("reads_acts", "i", 0),  # 1: the belief reads the user's acts (semantic track); 0: the engine fills it from words
    ("occurred", "h", N_OCCURRED),
    # clock and place
    ("turn", "i", 0),
    ("max_turns", "i", 0),
    ("end", "i", 0),
    ("node", "i", 0),
    ("walked", "f", 0),
    ("visits", "h", MAX_NODES),
    # persona (fixed) and mood (moving)
    *((f"t_{name}", "f", 0) for name in TRAITS),
    ("patience", "f", 0),
    ("trust", "f", 0),
    ("irritation", "f", 0),
    ("pleased", "i", 0),
    ("cause", "i", 0),  # why irritation rose last, not yet said aloud
    ("cause_product", "i", 0),
    ("cause_fresh", "i", 0),  # 1 until the user had a chance to say it
    ("giving_up", "i", 0),
    # money and cart
    ("budget", "i", 0),
    ("spent", "i", 0),
    ("n_cart", "i", 0),
    ("cart_p", "j", MAX_CART),
    ("cart_q", "j", MAX_CART),
    ("cart_need", "h", MAX_CART),
    ("impulse_p", "i", 0),
    ("n_impulse", "i", 0),
    # the shelves: what others took or brought since the trip began, and what is planned to happen to them
    ("n_shifted", "i", 0),
    ("shifted_p", "j", MAX_SHIFTED),
    ("shifted_q", "j", MAX_SHIFTED),
    ("n_due", "i", 0),
    ("due_turn", "h", MAX_DUE),  # ascending
    ("due_p", "j", MAX_DUE),
    ("due_left", "j", MAX_DUE),  # units on the shelf from then on
    # needs: what is wanted (fixed)
    ("n_needs", "i", 0),
    ("n_type", "h", N),
    ("typ", "h", N * MAX_TYPES),
    ("department", "h", N),
    ("vague", "h", N),
    ("qty", "j", N),
    ("hard_attrs", "i", N),
    ("hard_allergens", "i", N),
    ("n_want", "h", N),
    ("want_attr", "h", N * MAX_WANTS),
    ("want_w", "f", N * MAX_WANTS),
    ("want_size", "h", N),
    ("size_w", "f", N),
    ("brand", "j", N),
    ("limit", "j", N),
    ("weight", "f", N),
    ("outside", "f", N),
    # needs: how far the user got
    ("status", "h", N),  # NEED_OPEN, NEED_DONE, NEED_GIVEN_UP
    ("n_mentioned", "i", 0),
    ("ordinal", "h", N),  # 1, 2, ... in the order of mention; 0 not mentioned yet
    ("by_ordinal", "h", N),
    ("said", "i", N),  # bit = slot code told to the assistant
    ("target", "j", N),
    ("why", "h", N),
    ("accepted", "h", N),
    ("got", "j", N),
    ("examined", "h", N),  # list items examined so far
    ("looks", "h", N),
    ("dormant", "h", N),  # looked or searched enough; wakes up with a new target
    ("place", "h", N),  # section where the user believes it is
    ("place_by", "h", N),  # PLACE_NONE, PLACE_MEMORY, PLACE_SEEN, PLACE_TOLD
    ("avoid", "h", N),  # section found not to hold it
    ("searched", "h", N),
    ("where_asked", "h", N),
    ("where_turn", "h", N),
    ("questions", "h", N),
    ("sold_out", "j", N),  # product found sold out, reaction still owed; -1 none
    ("sold_stage", "h", N),  # 1 to be said, 2 said and waiting one turn for an offer
    ("shelf_rule", "h", N),  # 0 any, 1 other brand than sold_brand, 2 same brand
    ("sold_brand", "j", N),
    ("gone", "j", N),  # last product known to be sold out
    ("inspected", "h", N),
    ("hesitated", "h", N),
    ("discovered", "h", N),
    # talk under way
    ("pause_need", "i", 0),  # need the user hesitates over, asks about; -1 none
    ("pause_p", "i", 0),
    ("pause_kind", "i", 0),  # PAUSE_*
    ("lists", "i", MAX_LIST_MEMORY),
    ("n_lists", "i", 0),
    ("lie_p", "i", 0),  # product an untrue claim was made about; -1 none
    ("last_act", "i", 0),  # the user's act of the turn before
    ("same_list", "i", 0),  # this turn's list was shown before
    # room to sort in: products and what they are sorted by, best first; empty between two uses
    ("sorted_p", "j", MAX_SORTED),
    ("sorted_x", "f", MAX_SORTED),
    # what the assistant heard (a function of the dialogue alone)
    ("h_n", "i", 0),
    ("h_type", "h", N),
    ("h_department", "h", N),
    ("h_wanted", "i", N),
    ("h_unwanted", "i", N),
    ("h_brand", "j", N),
    ("h_size", "h", N),
    ("h_qty", "i", N),
    ("h_limit", "i", N),
    ("h_diet", "i", N),
    ("h_allergy", "i", N),
    ("h_none", "i", N),  # bit = slot answered "no preference"
    ("h_questions", "h", N),
    ("h_accepted", "j", N),
    ("h_n_rejected", "h", N),
    ("h_rejected", "j", N * MAX_REJECTED),
    ("h_shown", "h", N),
    ("h_closed", "h", N),
    ("h_act", "i", 0),  # the user's latest act, reason, cause, need and slot, as heard
    ("h_reason", "i", 0),
    ("h_cause", "i", 0),
    ("h_need", "i", 0),
    ("h_slot", "i", 0),
    ("h_stale", "h", N),  # candidates must be ranked anew
    ("h_candidates", "j", N * MAX_CANDIDATES),  # best products of the heard type, -1 for none
)

MESSAGE: Final[Spec] = (
    ("act", "i", 0),
    ("need", "i", 0),
    ("slot", "i", 0),
    ("value", "i", 0),  # of inform: money in cents, yes 1 / no 0, numbers of brand, size class, section; -1 not given
    ("products", "i", MAX_PRODUCTS),
    ("n_items", "i", 0),
    ("items", "i", MAX_ITEMS),
    ("sug_type", "i", 0),
    ("sug_arg", "i", 0),
    ("sug_qty", "i", 0),
    ("goal_kind", "i", 0),
    ("goal_id", "i", 0),  # section, product, type or node number; -1 unknown
)

OUTCOME: Final[Spec] = (
    # what was said: the facts come first, so that the rest can be read without them
    ("fact_need", "i", MAX_FACTS),
    ("fact_slot", "i", MAX_FACTS),
    ("fact_value", "i", MAX_FACTS),
    ("fact_new", "i", MAX_FACTS),
    ("fact_id", "i", MAX_FACTS),  # number of the need in the task (for the log's truth only)
    ("n_facts", "i", 0),
    ("act", "i", 0),
    ("need", "i", 0),  # ordinal, from 1
    ("slot", "i", 0),
    ("reason", "i", 0),
    ("cause", "i", 0),
    ("products", "i", MAX_PRODUCTS),
    ("category", "i", 0),
    ("talked", "i", 0),
    ("action", "i", 0),
    ("arg", "i", 0),
    ("qty", "i", 0),
    ("would", "i", 0),
    ("would_arg", "i", 0),
    ("would_qty", "i", 0),
    ("followed", "i", 0),
    # cart change of this turn
    ("cart_op", "i", 0),  # 0 none, 1 add, 2 remove
    ("cart_p", "i", 0),
    ("cart_q", "i", 0),
    ("cart_why", "i", 0),
    ("cleared", "i", 0),
    # judgements made when the message came
    ("sug_legal", "i", 0),
    ("has_progress", "i", 0),
    ("goal_section", "i", 0),
    ("goal_node", "i", 0),
    ("goal_moves", "i", 0),
    ("goal_relevant", "i", 0),
    ("claim", "i", 0),  # -1 no claim, 0 untrue, 1 true
    ("truth", "i", 0),  # true value of the claim's field
    # bookkeeping of the mind, for tests and audits
    ("n_examined", "i", 0),
    ("stock_out", "i", 0),  # 0 none, 1 other store, 2 other brand, 3 same brand, 4 delay, 5 drop
    ("searching", "i", 0),
    # floats last: the two kinds are read from the record in one stretch each
    ("metres", "f", 0),
    ("progress", "f", 0),
    ("trust", "f", 0),
    ("irritation", "f", 0),
    ("patience", "f", 0),
)

NEED_OPEN: Final = 0
NEED_DONE: Final = 1
NEED_GIVEN_UP: Final = 2
PLACE_NONE: Final = 0
PLACE_MEMORY: Final = 1
PLACE_SEEN: Final = 2
PLACE_TOLD: Final = 3
PAUSE_NONE: Final = 0
PAUSE_HESITATE: Final = 1
PAUSE_COMPARE: Final = 2
PAUSE_ASK: Final = 3


KINDS: Final[dict[str, type[np.number[Any]]]] = {"i": np.int64, "f": np.float64, "j": np.int32, "h": np.int16}
"""Kinds of fields, in the order in which a record holds them."""


def record_dtype(spec: Spec) -> np.dtype[np.void]:
    """Return the aligned NumPy record type of a row."""
    fields: list[Any] = []
    for name, kind, length in sorted(spec, key=lambda field: list(KINDS).index(field[1])):
        base = KINDS[kind]
        fields.append((name, base, (length,)) if length else (name, base))
    return np.dtype(fields, align=True)


class PlainRow:
    """Base of the plain rows: slots holding ints, floats and lists of them."""

    __slots__ = ()
    spec: Spec = ()

    def __init__(self) -> None:
        for name, kind, length in self.spec:
            zero: int | float = 0.0 if kind == "f" else 0
            setattr(self, name, [zero] * length if length else zero)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name, _, _ in self.spec}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


def plain_class(name: str, spec: Spec, module: str = __name__) -> type[PlainRow]:
    """Return the slotted class of a row; ``name`` is what ``module`` calls it, so that rows can be pickled."""
    namespace = {"__slots__": tuple(f for f, _, _ in spec), "spec": spec, "__module__": module}
    return type(name, (PlainRow,), namespace)


State = plain_class("State", STATE)
Message = plain_class("Message", MESSAGE)
Outcome = plain_class("Outcome", OUTCOME)
STATE_DTYPE: Final = record_dtype(STATE)
MESSAGE_DTYPE: Final = record_dtype(MESSAGE)
OUTCOME_DTYPE: Final = record_dtype(OUTCOME)


def to_record(row: PlainRow, record: Any) -> None:
    """Copy a plain row into a NumPy record of the same specification."""
    for name, _, _ in row.spec:
        record[name] = getattr(row, name)


def to_plain(record: Any, row: PlainRow) -> None:
    """Copy a NumPy record into a plain row of the same specification."""
    for name, _, length in row.spec:
        value = record[name]
        setattr(row, name, value.tolist() if length else value.item())


def check_types(row: PlainRow) -> list[str]:
    """Return the fields of a plain row whose Python type is not the declared one (compiled code would convert)."""
    wrong = []
    for name, kind, length in row.spec:
        want = float if kind == "f" else int
        value = getattr(row, name)
        if any(type(v) is not want for v in (value if length else [value])):
            wrong.append(f"{name}: {value!r} is not {want.__name__}")
    return wrong
