"""Alone in the shop: looking, taking, stock-outs, money, impulses."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from scipy import stats

from supermarket_env.rules import codes as c
from supermarket_env.rules.rows import NEED_DONE, NEED_GIVEN_UP, NEED_OPEN
from supermarket_env.user_sim.config import StockOutShares


def load(name: str) -> ModuleType:
    """Import a module of this folder (tests are not a package)."""
    spec = importlib.util.spec_from_file_location(f"user_tests_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


shop = load("small_shop")

MEANT = StockOutShares()
SHARES = {1: MEANT.other_store, 2: MEANT.other_brand, 3: MEANT.same_brand, 4: MEANT.delay, 5: MEANT.drop}


def test_shops_alone_by_memory() -> None:
    user = shop.Shopper(shop.MILK, shop.JAM).open()
    actions = user.until_end()
    assert user.s.end == c.E_CHECKOUT
    assert Counter(a[0] for a in actions) == Counter({c.ACT_MOVE: 5, c.ACT_LOOK: 2, c.ACT_ADD: 2, c.ACT_CHECKOUT: 1}), (
        "straight through the shop, one look and one grip a need"
    )


def test_finds_by_searching_what_it_does_not_know() -> None:
    user = shop.Shopper(shop.JAM, familiarity=0.0, talkativeness=0.0).open()
    searching = 0
    while user.s.end == 0:
        user.hear()
        searching += user.o.searching
    assert user.s.end == c.E_CHECKOUT
    assert searching >= 1


def test_a_look_notices_a_few_and_two_looks_are_the_limit() -> None:
    """With nothing acceptable on the shelf the need is put aside after two looks, and the user says so once."""
    user = shop.Shopper(shop.MILK, shop.JAM, tables=shop.small_tables(shelf_looks=2))
    user.s.outside[0] = 2.0
    user.open()
    looks, complaints = 0, 0
    while user.s.end == 0:
        user.hear()
        looks += user.o.action == c.ACT_LOOK and user.o.arg == 0
        complaints += user.o.act == c.U_COMPLAIN and user.o.cause == c.C_NOT_FOUND
    assert (looks, complaints) == (2, 1)
    assert user.s.end == c.E_CHECKOUT
    assert user.s.cart_need[: user.s.n_cart] == [1]


def test_with_an_empty_cart_there_is_nothing_to_pay() -> None:
    user = shop.Shopper(shop.MILK)
    user.s.outside[0] = 2.0
    user.open().until_end()
    assert user.s.end == c.E_LEFT


def test_takes_the_best_it_noticed_never_one_it_did_not() -> None:
    """Three of six products are noticed: the best is taken only when it is among them."""
    taken: Counter[int] = Counter()
    for seed in range(300):
        user = shop.Shopper(shop.MILK, seed=seed).open()
        user.until_end()
        taken.update(user.s.cart_p[: user.s.n_cart])
    assert set(taken) <= {0, 1, 2, 3}, "4 and 5 are worse than nothing"
    assert 0.35 < taken[0] / 300 < 0.65, "half of all looks notice any one of six"
    assert taken[0] > taken[1] > taken[2] > taken[3]


def test_never_takes_what_is_not_there() -> None:
    tables = shop.small_tables()
    for p in (0, 1, 2):
        tables.prod[p].stock = 0
    for seed in range(50):
        user = shop.Shopper(shop.MILK, seed=seed, tables=tables).open()
        user.until_end()
        assert set(user.s.cart_p[: user.s.n_cart]) <= {3}
    assert user.w.prod[3].stock == 10


def test_takes_what_is_left_when_that_is_less_than_wanted() -> None:
    tables = shop.small_tables()
    tables.prod[0].stock = 2
    user = shop.Shopper(shop.MILK, tables=tables)
    user.s.qty[0] = 5
    user.open().hear(items=(0,))
    added = [a for a in user.until_end() if a[0] == c.ACT_ADD and a[1] == 0]
    assert added == [(c.ACT_ADD, 0, 2)]


def sold_out_user(seed: int, **mechanisms: Any) -> Any:
    """Return a user who stands before the empty place of the milk it had accepted, and has just said so."""
    tables = shop.small_tables(**mechanisms)
    tables.prod[0].stock = 0
    user = shop.Shopper(shop.MILK, shop.JAM, seed=seed, tables=tables).open()
    user.hear(items=(0,))
    while user.o.cause != c.C_OUT_OF_STOCK:
        user.hear()
    assert (user.o.act, user.o.products[0], user.o.action) == (c.U_COMPLAIN, 0, c.ACT_WAIT)
    return user


def test_unassisted_stock_out_reactions_have_the_configured_shares() -> None:
    n = 2000
    seen: Counter[int] = Counter()
    for seed in range(n):
        user = sold_out_user(seed)
        user.hear()
        assert user.o.stock_out > 0
        seen[user.o.stock_out] += 1
        gone = user.o.stock_out in (1, 4, 5)
        assert user.s.status[0] == (NEED_GIVEN_UP if gone else NEED_OPEN)
    result = stats.chisquare([seen[k] for k in SHARES], [n * share for share in SHARES.values()])
    assert result.pvalue > 0.001, dict(seen)


def test_after_other_brand_or_same_brand_it_buys_accordingly() -> None:
    bought: dict[int, set[int]] = {2: set(), 3: set()}
    for seed in range(300):
        user = sold_out_user(seed)
        user.hear()
        kind = user.o.stock_out
        if kind in bought:
            user.until_end()
            bought[kind] |= {p for p in user.s.cart_p[: user.s.n_cart] if p < 6}
    assert bought[2] <= {1, 2}
    assert bought[2], "brand 0 was sold out: 1 and 2 are other brands"
    assert bought[3] == {3}, "3 is the other variety of brand 0"


def test_a_substitute_offered_in_time_is_judged_by_its_utility_first() -> None:
    for seed in range(60):
        user = sold_out_user(seed)
        o = user.hear(items=(1,))
        assert (o.act, o.products[0], o.stock_out) == (c.U_ACCEPT, 1, 0)
        assert user.s.why[0] == c.W_SUBSTITUTE
        poor = sold_out_user(seed)
        o = poor.hear(items=(4,))
        assert (o.act, o.stock_out) == (c.U_REJECT, 0)
        assert poor.hear().stock_out > 0, "then it reacts as if alone"


def test_a_shopper_alone_meets_empty_places_too() -> None:
    tables = shop.small_tables()
    tables.prod[0].stock = 0
    met = 0
    for seed in range(60):
        user = shop.Shopper(shop.MILK, seed=seed, tables=tables).open()
        while user.s.end == 0:
            user.hear()
            met += user.o.stock_out > 0
    assert met > 15, "the best milk is noticed in half of the looks"


def test_sold_out_belongs_to_the_task_not_to_the_luck() -> None:
    from supermarket_env.rules.place import left_on_shelf

    tables = shop.small_tables(sold_out=0.5)
    users = [shop.Shopper(shop.MILK, seed=seed, tables=tables).open() for seed in range(5)]
    rows = [[left_on_shelf(tables, u.s, p) for p in range(18)] for u in users]
    assert all(row == rows[0] for row in rows)
    assert 0 < rows[0].count(0) < 18


# --- money -----------------------------------------------------------------------------------------------------------


def chosen(user: Any, *products: int) -> Any:
    """Let the user say yes to one product after the other before it sets out; each fits into the budget by itself."""
    user.w.par[0].talk_cost = 1.0
    user.open()
    for p in products:
        assert user.hear(items=(p,)).act == c.U_ACCEPT
    user.w.par[0].talk_cost = 0.0
    return user


def test_puts_back_impulse_goods_first_when_over_budget() -> None:
    user = chosen(shop.Shopper(shop.MILK, shop.JAM, budget=250), 0, 12)
    while user.s.status[0] != NEED_DONE:
        user.hear()
    user.s.impulse_p = 4
    user.hear()
    assert user.o.cart_why == c.W_IMPULSE
    removed = [a for a in user.until_end() if a[0] == c.ACT_REMOVE]
    assert removed == [(c.ACT_REMOVE, 4, 1)]
    assert user.s.end == c.E_CHECKOUT
    assert user.s.spent == 200


def test_then_gives_up_what_is_worth_least_for_its_price() -> None:
    user = shop.Shopper(shop.MILK, shop.BREAD, shop.JAM, budget=250)
    user.s.weight[:3] = [1.0, 0.1, 1.0]
    chosen(user, 0, 6, 12).until_end()
    assert user.s.end == c.E_CHECKOUT
    assert user.s.spent == 200
    assert user.s.status[:3] == [NEED_DONE, NEED_GIVEN_UP, NEED_DONE]


def test_what_it_cannot_pay_it_neither_accepts_nor_takes_by_itself() -> None:
    user = shop.Shopper(shop.MILK, budget=90).open()
    o = user.hear(items=(0,))
    assert (o.act, o.reason) == (c.U_REJECT, c.R_PRICE)
    user.until_end()
    assert user.s.end == c.E_LEFT


def test_says_that_it_is_over_budget() -> None:
    said = 0
    for seed in range(20):
        user = chosen(shop.Shopper(shop.MILK, shop.BREAD, budget=150, seed=seed), 0, 6)
        while user.s.end == 0:
            user.hear()
            if user.o.act == c.U_COMPLAIN:
                assert user.o.cause == c.C_OVER_BUDGET
                assert user.o.action == c.ACT_REMOVE
                said += 1
    assert 0 < said < 20


@pytest.mark.parametrize("budget", [50, 150, 250, 1000])
def test_never_pays_above_budget(budget: int) -> None:
    for seed in range(40):
        tables = shop.small_tables(impulse_rate=0.5, max_impulse=10)
        user = shop.Shopper(
            shop.MILK, shop.BREAD, shop.JAM, budget=budget, seed=seed, tables=tables, impulse=3.0
        ).open()
        user.until_end()
        if user.s.end in (c.E_CHECKOUT, c.E_PATIENCE_CHECKOUT):
            assert 0 < user.s.spent <= budget
        else:
            assert user.s.n_cart == 0


# --- impulses --------------------------------------------------------------------------------------------------------


def test_impulses_rise_late_in_the_trip() -> None:
    """Paired: the same step with the same luck, with no need settled and with all but one settled."""
    from supermarket_env.user_sim.mind_world import tempt

    early = late = both = 0
    tables = shop.small_tables(impulse_rate=0.2, impulse_late=1.0)
    for seed in range(3000):
        hits = []
        for done in (0, 2):
            user = shop.Shopper(shop.MILK, shop.MILK, shop.MILK, seed=seed, tables=tables, impulse=1.0).open()
            user.s.status[:done] = [NEED_DONE] * done
            user.at(3)
            tempt(user.w, user.s)
            hits.append(user.s.impulse_p >= 0)
        early += hits[0] and not hits[1]
        late += hits[1] and not hits[0]
        both += hits[0]
    assert early == 0, "whoever is tempted early is tempted late at the same step"
    assert late > 0
    assert abs((both + late) / both - (1.0 + 2 / 3)) < 0.2, "the chance grows with the share of settled needs"


def test_impulse_goods_serve_no_need_and_are_limited() -> None:
    tables = shop.small_tables(impulse_rate=1.0, max_impulse=2)
    bought: Counter[int] = Counter()
    for seed in range(40):
        user = shop.Shopper(shop.JAM, seed=seed, tables=tables, impulse=5.0).open()
        n = 0
        while user.s.end == 0:
            user.hear()
            if user.o.cart_op == 1 and user.o.cart_why == c.W_IMPULSE:
                n += 1
                assert user.o.cart_p < 12
        assert n <= 2
        bought[n] += 1
    assert bought[2] > 0
