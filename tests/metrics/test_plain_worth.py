"""The short way to value a cart gives what the assignment of units to needs gives, to the last bit."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.metrics.satisfaction import assign, plain_worth, takers, true_needs

PRODUCTS = [f"p{k}" for k in range(6)]
NUMBER = st.floats(min_value=0.0, max_value=1.0)


def needs_of(owners: list[int], values: list[float], wanted: list[int]) -> Any:
    """Return two needs; product k serves the need ``owners[k]`` (2: both)."""
    served = [[p for p, owner in zip(PRODUCTS, owners, strict=True) if owner in (i, 2)] for i in (0, 1)]
    worth = dict(zip(PRODUCTS, values, strict=True))
    needs = [{"id": str(i), "qty": wanted[i], "weight": 0.3 + i / 7, "outside": 0.1 * i} for i in (0, 1)]
    utility = {str(i): {p: worth[p] for p in served[i]} for i in (0, 1)}
    return true_needs({"needs": needs, "acceptable": {str(i): served[i] for i in (0, 1)}, "utility": utility})


@settings(deadline=None, max_examples=150)
@given(
    owners=st.lists(st.integers(0, 1), min_size=6, max_size=6),
    values=st.lists(NUMBER, min_size=6, max_size=6),
    wanted=st.lists(st.integers(1, 4), min_size=2, max_size=2),
    cart=st.dictionaries(st.sampled_from([*PRODUCTS, "impulse"]), st.integers(1, 5), max_size=4),
)
def test_a_cart_is_worth_the_same_either_way(
    owners: list[int], values: list[float], wanted: list[int], cart: dict[str, int]
) -> None:
    needs = needs_of(owners, values, wanted)
    sole = takers(needs)
    assert sole is not None
    worth = plain_worth(sole, cart)
    used = [sole[p].need for p in cart if p in sole]
    assert (worth is None) == (len(used) > len(set(used)))
    if worth is not None:
        assert worth == assign(needs, cart).utility


def test_a_product_that_could_serve_two_needs_has_no_sole_taker() -> None:
    assert takers(needs_of([2, 0, 0, 1, 1, 1], [0.9] * 6, [1, 1])) is None
