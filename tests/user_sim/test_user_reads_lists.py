"""How the user reads a ranked list, rule by rule, in the hand-made shop."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.rules import codes as c
from supermarket_env.rules.rows import NEED_GIVEN_UP, PAUSE_COMPARE, PAUSE_HESITATE
from supermarket_env.rules.utility import acceptable, utility
from supermarket_env.user_sim.mind_list import depth_examined


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


def listener(*needs: int, **traits: float) -> Any:
    """Return a user to whom talking takes the whole turn, so that it stays where it is while lists are shown."""
    return shop.Shopper(*needs, tables=shop.small_tables(talk_cost=1.0), **traits).open()


def test_takes_the_best_acceptable_item_not_the_first() -> None:
    user = shop.Shopper(shop.MILK).open()
    o = user.hear(items=(3, 2, 0, 1))
    assert (o.act, o.products[0]) == (c.U_ACCEPT, 0)
    assert user.s.target[0] == 0
    assert user.s.why[0] == c.W_RECOMMENDED


def test_takes_nothing_it_would_rather_do_without() -> None:
    user = shop.Shopper(shop.MILK).open()
    o = user.hear(items=(4, 5))
    assert o.act == c.U_REJECT
    assert user.s.target[0] == -1


def test_a_hard_constraint_outweighs_any_utility() -> None:
    tables = shop.small_tables()
    tables.prod[0].allergens = 4
    user = shop.Shopper(shop.MILK, tables=tables)
    user.s.hard_allergens[0] = 4
    o = user.open().hear(items=(0, 3))
    assert (o.act, o.products[0]) == (c.U_ACCEPT, 3)
    other = shop.Shopper(shop.MILK, tables=tables)
    other.s.hard_allergens[0] = 4
    o = other.open().hear(items=(0,))
    assert (o.act, o.reason) == (c.U_REJECT, c.R_ALLERGEN)
    assert (c.S_ALLERGY, 4) in zip(o.fact_slot[: o.n_facts], o.fact_value[: o.n_facts], strict=True)


def test_an_accepted_need_is_closed_to_further_lists() -> None:
    user = listener(shop.MILK, shop.BREAD)
    user.hear(items=(2,))
    o = user.hear(items=(0, 1))
    assert user.s.target[0] == 2
    assert (o.act, o.reason) == (c.U_REJECT, c.R_HAVE_IT)


def test_the_same_list_again_gets_the_same_answer_and_annoys() -> None:
    user = listener(shop.MILK)
    user.hear(items=(4, 5))
    before = user.s.irritation
    for _ in range(6):
        o = user.hear(items=(4, 5))
        assert user.s.target[0] == -1
        assert (o.act, o.cause) == (c.U_COMPLAIN, c.C_REPETITION)
        assert user.s.irritation > before * user.w.par[0].irr_decay
        assert o.n_examined == 0
        before = user.s.irritation


def test_yes_cannot_be_had_by_asking_until_yes() -> None:
    """An item out of the reader's attention stays out of it however often the list is shown."""
    for seed in range(200):
        user = listener(shop.MILK, seed=seed, attention=0.3)
        o = user.hear(items=(4, 5, 0))
        first = o.act
        for _ in range(5):
            user.hear(items=(4, 5, 0))
        assert (user.s.target[0] == 0) == (first == c.U_ACCEPT)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.permutations(range(6)), st.floats(0.0, 1.0))
def test_what_is_examined_is_a_prefix_keyed_by_product_and_rank(seed: int, items: list[int], attention: float) -> None:
    user = shop.Shopper(shop.MILK, seed=seed, attention=attention).open()
    full = depth_examined(user.s, user.message(items=tuple(items)))
    assert 1 <= full <= 6
    for n in range(1, 7):
        assert depth_examined(user.s, user.message(items=tuple(items[:n]))) == min(n, full)
    if full < 6:
        kept = items[: full + 1]
        swapped = [*reversed(kept[:-1]), kept[-1]]
        assert depth_examined(user.s, user.message(items=tuple(swapped))) <= full, (
            "the unread item is unread at its rank"
        )


def test_attention_decays_geometrically() -> None:
    depths = []
    for seed in range(3000):
        user = shop.Shopper(shop.MILK, seed=seed, attention=0.6)
        depths.append(depth_examined(user.s, user.message(items=(0, 1, 2, 3, 4, 5))))
    for rank in range(1, 5):
        reached = [d for d in depths if d >= rank]
        share = sum(d > rank for d in reached) / len(reached)
        assert abs(share - 0.6) < 0.045, f"rank {rank + 1} is read by {share:.2f} of those who read rank {rank}"


def test_attention_is_spent_per_need_and_not_renewed_by_new_lists() -> None:
    tables = shop.small_tables(attention_budget=3)
    user = shop.Shopper(shop.MILK, shop.BREAD, tables=tables).open()
    assert user.hear(items=(4, 5)).n_examined == 2
    assert user.hear(items=(5, 4)).n_examined == 1
    assert user.s.examined[0] == 3
    o = user.hear(items=(0, 1))
    assert o.n_examined == 0
    assert user.s.target[0] == -1, "nothing more is read for this need"
    assert user.hear(items=(6,)).act == c.U_ACCEPT, "another need has attention of its own"


@pytest.mark.parametrize(
    ("flaw", "reason"),
    [
        ({"allergens": 1}, c.R_ALLERGEN),
        ({"brand": 2}, c.R_BRAND),
        ({"size_class": 1}, c.R_SIZE),
        ({"rel_price": 1.0}, c.R_PRICE),
        ({"attrs": 0}, c.R_ATTRIBUTE),
        ({}, c.R_NO_REASON),
    ],
)
def test_says_truthfully_why_it_rejects(flaw: dict[str, Any], reason: int) -> None:
    """A product that is right but for one flaw (and too poor to be taken) is rejected for that flaw."""
    tables = shop.small_tables()
    for name, value in {"attrs": 1, "brand": 0, "size_class": 2, "quality": 0.0, **flaw}.items():
        setattr(tables.prod[4], name, value)
    user = shop.Shopper(shop.MILK, tables=tables)
    s = user.s
    s.n_want[0], s.want_attr[0], s.want_w[0], s.brand[0], s.hard_allergens[0] = 1, 0, 0.6, 0, 1
    s.want_size[0], s.size_w[0], s.outside[0] = 2, 0.4, 1.0
    o = user.open().hear(items=(4,))
    assert (o.act, o.reason, o.products[0]) == (c.U_REJECT, reason, 4)
    told = dict(zip(o.fact_slot[: o.n_facts], o.fact_value[: o.n_facts], strict=True))
    learnt = {c.R_ALLERGEN: c.S_ALLERGY, c.R_BRAND: c.S_BRAND, c.R_SIZE: c.S_SIZE, c.R_ATTRIBUTE: c.SLOT_ATTRIBUTE}
    if reason in learnt:
        assert told[learnt[reason]] > 0, "the assistant can learn from the reason"


def test_an_irrelevant_list_is_not_what_was_meant_and_annoys() -> None:
    user = shop.Shopper(shop.MILK).open()
    o = user.hear(items=(12, 13))
    assert (o.act, o.reason) == (c.U_REJECT, c.R_NOT_MEANT)
    assert user.s.cause == c.C_IRRELEVANT
    assert user.s.irritation > 0.0


def test_a_given_up_need_is_not_called_satisfied() -> None:
    user = shop.Shopper(shop.MILK, shop.BREAD).open()
    user.s.status[0] = NEED_GIVEN_UP
    assert user.hear(items=(0,)).reason == c.R_NO_REASON


def test_long_lists_cost_patience() -> None:
    short, long = shop.Shopper(shop.MILK).open(), shop.Shopper(shop.MILK).open()
    short.hear(items=(0,))
    long.hear(items=(0, 1, 2, 3, 4, 5))
    assert long.s.patience == pytest.approx(short.s.patience - 5 * long.w.par[0].list_cost)


def test_wavers_only_between_close_items_and_then_takes_the_better() -> None:
    wavered = 0
    for seed in range(40):
        user = shop.Shopper(shop.MILK, seed=seed, hesitation=1.0).open()
        o = user.hear(items=(1, 0))
        assert o.act in (c.U_HESITATE, c.U_REQUEST_COMPARE), "utilities .68 and .64 are close"
        assert o.products[:2] == [0, 1]
        assert user.s.pause_kind in (PAUSE_HESITATE, PAUSE_COMPARE)
        wavered += o.act == c.U_REQUEST_COMPARE
        assert user.hear().products[0] == 0
        far = shop.Shopper(shop.MILK, seed=seed, hesitation=1.0).open()
        assert far.hear(items=(3, 0)).act == c.U_ACCEPT, "utilities .68 and .56 are not"
    assert 0 < wavered < 40


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(st.lists(st.integers(0, 17), min_size=1, max_size=6, unique=True), min_size=1, max_size=5),
)
def test_whatever_is_shown_only_acceptable_goods_are_accepted(seed: int, lists: list[list[int]]) -> None:
    tables = shop.small_tables(attention_budget=1000)
    user = shop.Shopper(shop.MILK, shop.BREAD, shop.JAM, seed=seed, attention=0.8, tables=tables).open()
    for items in lists:
        o = user.hear(items=tuple(items))
        if user.s.end:
            break
        if o.act == c.U_ACCEPT:
            i = user.s.by_ordinal[o.need - 1]
            read = items[: depth_examined(user.s, user.message(items=tuple(items)))]
            offers = [p for p in read if acceptable(user.w, user.s, i, p)]
            assert utility(user.w, user.s, i, o.products[0]) == max(utility(user.w, user.s, i, p) for p in offers)
