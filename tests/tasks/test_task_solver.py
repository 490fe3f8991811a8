"""The best cart is the optimum: against enumeration, under stock and budget, with its tie rules and refusals."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.errors import TaskError
from supermarket_env.tasks.solve import BestCart, NeedValues, Offer, best_cart


def values_of(offers: list[Offer]) -> NeedValues:
    numbers = tuple(offer.product for offer in offers)
    return NeedValues(dict.fromkeys(numbers, 1.0), numbers, numbers, tuple(offers))


def solve(offers: list[list[Offer]], qtys: list[int], budget: int) -> BestCart:
    row = SimpleNamespace(n_needs=len(offers), qty=qtys, budget=budget)
    return best_cart(None, row, [values_of(group) for group in offers])


def every_cart(offers: list[list[Offer]], qtys: list[int]) -> list[tuple[float, int]]:
    """Return (value, cost) of every cart there is."""
    by_need = []
    for group, qty in zip(offers, qtys, strict=True):
        ways = []
        for units in itertools.product(*(range(min(o.left, qty) + 1) for o in group)):
            if sum(units) <= qty:
                value = sum(n * o.value for n, o in zip(units, group, strict=True))
                ways.append((value, sum(n * o.price for n, o in zip(units, group, strict=True))))
        by_need.append(ways)
    return [(sum(v for v, _ in pick), sum(c for _, c in pick)) for pick in itertools.product(*by_need)]


@st.composite
def instances(draw: st.DrawFn) -> tuple[list[list[Offer]], list[int], int]:
    offers = []
    for i in range(draw(st.integers(1, 3))):
        group = [
            Offer(
                10 * i + k,
                draw(st.integers(1, 12)) * 10,
                # Eighths add up exactly, so that equal values are really equal.
                draw(st.integers(1, 12)) / 8.0,
                draw(st.integers(1, 3)),
            )
            for k in range(draw(st.integers(0, 4)))
        ]
        offers.append(group)
    return offers, [draw(st.integers(1, 3)) for _ in offers], draw(st.integers(0, 400))


@settings(deadline=None, max_examples=150)
@given(instances())
def test_the_best_cart_is_the_best_of_all_carts(instance: tuple[list[list[Offer]], list[int], int]) -> None:
    offers, qtys, budget = instance
    got = solve(offers, qtys, budget)
    affordable = [(value, -cost) for value, cost in every_cart(offers, qtys) if cost <= budget]
    value, minus_cost = max(affordable)
    assert got.value == pytest.approx(value, abs=1e-12)
    assert got.cost_cents == -minus_cost


@settings(deadline=None, max_examples=60)
@given(instances())
def test_the_best_cart_respects_stock_and_quantity_and_says_what_it_costs(
    instance: tuple[list[list[Offer]], list[int], int],
) -> None:
    offers, qtys, budget = instance
    got = solve(offers, qtys, budget)
    by_number = {o.product: o for group in offers for o in group}
    assert sum(by_number[p].price * n for p, n in got.lines) == got.cost_cents <= budget
    assert all(0 < n <= by_number[p].left for p, n in got.lines)
    for lines, qty, group in zip(got.by_need, qtys, offers, strict=True):
        assert sum(n for _, n in lines) <= qty
        assert {p for p, _ in lines} <= {o.product for o in group}


def test_of_equal_carts_the_cheaper_then_the_smaller_number_is_taken() -> None:
    assert solve([[Offer(5, 30, 1.0, 9), Offer(7, 20, 1.0, 9)]], [1], 100).lines == ((7, 1),)
    assert solve([[Offer(5, 20, 1.0, 9), Offer(3, 20, 1.0, 9)]], [2], 100).lines == ((3, 2),)


def test_units_of_one_need_may_be_different_products_when_the_best_runs_out() -> None:
    assert solve([[Offer(1, 20, 1.0, 1), Offer(2, 20, 0.5, 9)]], [3], 100).lines == ((1, 1), (2, 2))


def test_a_small_budget_goes_where_it_is_worth_most() -> None:
    cart = solve([[Offer(1, 60, 1.0, 9)], [Offer(2, 50, 0.9, 9), Offer(3, 40, 0.2, 9)]], [1, 1], 100)
    assert (cart.lines, cart.by_need) == (((1, 1), (3, 1)), (((1, 1),), ((3, 1),)))
    assert solve([[Offer(1, 60, 1.0, 9)]], [1], 59) == BestCart((), 0, 0.0, ((),))


def test_needs_that_fight_for_the_same_goods_are_refused_and_others_share_them() -> None:
    milk = Offer(4, 20, 1.0, 3)
    assert solve([[milk], [milk]], [1, 2], 100).lines == ((4, 3),)
    with pytest.raises(TaskError, match="share product number 4, of which 3 are left for 4 wanted"):
        solve([[milk], [milk]], [2, 2], 100)
