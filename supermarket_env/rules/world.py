"""The tables of a world as the rules read them: few arrays, one record a thing, two-dimensional tables by row.

A :class:`Tables` holds either NumPy arrays (compiled rules) or lists of slotted objects and numbers (plain rules); the
rules index both the same way: ``w.prod[p].price``, ``w.dist[a][b]``. They are built by ``supermarket_env.world``.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from supermarket_env.rules.rows import Spec, plain_class, record_dtype

PRODUCT: Final[Spec] = (
    ("price", "i", 0),
    ("typ", "i", 0),
    ("brand", "i", 0),
    ("attrs", "i", 0),
    ("diets", "i", 0),
    ("allergens", "i", 0),
    ("size_class", "i", 0),
    ("section", "i", 0),
    ("endcap", "i", 0),
    ("stock", "i", 0),
    ("unit_price", "i", 0),  # tenths of a cent per kg, l or piece
    ("quality", "f", 0),  # 0..1, 0.5 where the catalogue has none
    ("popularity", "f", 0),  # 1 for the most popular of its type
    ("rel_price", "f", 0),  # -1..1.5: 0 = the median of its type
)
TYPE: Final[Spec] = (
    ("first", "i", 0),
    ("count", "i", 0),
    ("sec_first", "i", 0),
    ("sec_count", "i", 0),
    ("department", "i", 0),
)
SECTION: Final[Spec] = (
    ("prod_first", "i", 0),
    ("prod_count", "i", 0),
    ("node_first", "i", 0),
    ("node_count", "i", 0),
    ("type_first", "i", 0),
    ("type_count", "i", 0),
)
NODE: Final[Spec] = (
    ("kind", "i", 0),
    ("move_first", "i", 0),
    ("move_count", "i", 0),
    ("see_first", "i", 0),
    ("see_count", "i", 0),
)
MOVE: Final[Spec] = (("to", "i", 0), ("pass_first", "i", 0), ("pass_count", "i", 0), ("metres", "f", 0))

PARAMS: Final[Spec] = (
    # utility: A match + B brand + Q quality - S sensitivity x relative price + idiosyncratic term
    ("u_match", "f", 0),
    ("u_brand", "f", 0),
    ("u_quality", "f", 0),
    ("u_price", "f", 0),
    ("u_taste", "f", 0),
    ("u_limit", "f", 0),
    # the shelf
    ("shelf_notice", "i", 0),
    ("shelf_looks", "i", 0),
    ("seek_brand", "i", 0),
    ("notice_far", "f", 0),
    ("search_cap", "i", 0),
    ("map_error", "f", 0),
    ("finds_alone", "f", 0),
    ("sold_out", "f", 0),
    ("inspect", "f", 0),
    # lists
    ("attention_budget", "i", 0),
    ("list_cost", "f", 0),
    ("overload", "f", 0),
    ("hesitate_gap", "f", 0),
    # patience and irritation, in units of patience
    ("turn_cost", "f", 0),
    ("search_cost", "f", 0),
    ("wait_cost", "f", 0),
    ("talk_cost", "f", 0),
    ("irr_same_list", "f", 0),
    ("irr_irrelevant", "f", 0),
    ("irr_repeated_question", "f", 0),
    ("irr_third_question", "f", 0),
    ("irr_wrong_goal", "f", 0),
    ("irr_wrong_place", "f", 0),
    ("irr_pushy", "f", 0),
    ("irr_untrue", "f", 0),
    ("irr_illegal", "f", 0),
    ("irr_relief", "f", 0),
    ("irr_decay", "f", 0),
    ("irr_leave", "f", 0),
    ("irr_say", "f", 0),
    ("give_up_pays", "f", 0),
    # following
    ("follow_trust", "f", 0),
    ("follow_compliance", "f", 0),
    ("serve_aim", "f", 0),
    ("serve_neutral", "f", 0),
    ("serve_against", "f", 0),
    ("trust_gain", "f", 0),
    ("trust_loss", "f", 0),
    # stock-out responses, unassisted: cumulative shares
    ("so_other_store", "f", 0),
    ("so_other_brand", "f", 0),
    ("so_same_brand", "f", 0),
    ("so_delay", "f", 0),
    # other
    ("impulse_rate", "f", 0),
    ("impulse_late", "f", 0),
    ("max_impulse", "i", 0),
    ("volunteer", "f", 0),
    ("volunteer_next", "f", 0),
    ("ask_where", "f", 0),
    ("ask_after", "i", 0),
    ("ask_product", "f", 0),
    ("thank", "f", 0),
    ("chat", "f", 0),
)
PRODUCT_ROW = plain_class("PRODUCT_ROW", PRODUCT, __name__)
TYPE_ROW = plain_class("TYPE_ROW", TYPE, __name__)
SECTION_ROW = plain_class("SECTION_ROW", SECTION, __name__)
NODE_ROW = plain_class("NODE_ROW", NODE, __name__)
MOVE_ROW = plain_class("MOVE_ROW", MOVE, __name__)
PARAMS_ROW = plain_class("PARAMS_ROW", PARAMS, __name__)
PRODUCT_DTYPE = record_dtype(PRODUCT)
TYPE_DTYPE = record_dtype(TYPE)
SECTION_DTYPE = record_dtype(SECTION)
NODE_DTYPE = record_dtype(NODE)
MOVE_DTYPE = record_dtype(MOVE)
PARAMS_DTYPE = record_dtype(PARAMS)


class Tables(NamedTuple):
    """The numeric world; see the module docstring for the two forms it comes in."""

    par: Any
    """``[0]``: constants of the user's mechanisms (PARAMS)."""
    prod: Any
    typ: Any
    """Products of type t are the numbers first .. first + count - 1."""
    sec: Any
    node: Any
    move: Any
    """Moves of a node are entries move_first .. move_first + move_count - 1, sorted by target."""
    flat: Any
    """One list of integers holding all ragged lists: sections of types, products / nodes / types of sections,
    nodes passed by moves, checkouts (``flat[0]`` is their number, from ``flat[1]`` their nodes)."""
    dist: Any
    """``[a][b]``: shortest walk in metres."""
    hops: Any
    """``[a][b]``: fewest moves."""
    step: Any
    """``[a][b]``: first move from a on a way to b with the fewest moves."""
    touch: Any
    """``[node][section]``: 1 when within reach."""
    sees: Any
    """``[node][section]``: 1 when in view."""
    way: Any
    """``[node][section]``: fewest moves until the section is within reach."""
    stand: Any
    """``[node][section]``: the node from which to touch it, nearest in moves."""
    sight: Any
    """``[node][section]``: fewest moves until the section is in view."""
