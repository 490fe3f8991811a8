"""What a product is worth, what an action needs to be legal, and what is judged about a message."""

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
from supermarket_env.rules.judge import judge_message, product_fact
from supermarket_env.rules.place import left_on_shelf, legal, metres_to_open, nearest_section_of
from supermarket_env.rules.rows import check_types
from supermarket_env.rules.utility import acceptable, breaks_hard, main_flaw, match, utility


def load(name: str) -> ModuleType:
    """Import a module of the folder beside this one (tests are not a package)."""
    file = Path(__file__).parent.parent / "user_sim" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"rules_tests_{name}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


shop = load("small_shop")


def choosy() -> Any:
    """A user who wants attribute 0 (weight .6) and the large size (.4) of brand 1, at most 1.10."""
    user = shop.Shopper(shop.MILK)
    par = user.w.par[0]
    par.u_match, par.u_brand, par.u_quality, par.u_price, par.u_limit = 0.5, 0.12, 0.2, 0.25, 0.25
    s = user.s
    s.n_want[0], s.want_attr[0], s.want_w[0], s.brand[0] = 1, 0, 0.6, 1
    s.want_size[0], s.size_w[0], s.limit[0] = 3, 0.4, 110
    return user


def test_utility_is_the_published_sum() -> None:
    user = choosy()
    p = user.w.prod[0]
    assert utility(user.w, user.s, 0, 0) == pytest.approx(0.2 * 0.9)
    p.attrs = 1
    assert utility(user.w, user.s, 0, 0) == pytest.approx(0.5 * 0.6 + 0.18)
    p.size_class = 3
    assert match(user.w, user.s, 0, 0) == pytest.approx(1.0)
    p.brand = 1
    assert utility(user.w, user.s, 0, 0) == pytest.approx(0.5 + 0.12 + 0.18)
    p.rel_price, p.price = 0.4, 120
    assert utility(user.w, user.s, 0, 0) == pytest.approx(0.8 - 0.25 * 0.4 - 0.25)


@settings(max_examples=100, deadline=None)
@given(
    st.floats(0.0, 1.0),
    st.floats(-1.0, 1.5),
    st.integers(0, 3),
    st.integers(1, 3),
    st.floats(0.0, 4.0),
    st.integers(0, 7),
)
def test_utility_is_monotone_in_what_is_good_and_dear(
    quality: float, price: float, attrs: int, size: int, sensitivity: float, brand: int
) -> None:
    user = choosy()
    user.s.t_price_sensitivity = sensitivity
    p = user.w.prod[0]
    p.quality, p.rel_price, p.attrs, p.size_class, p.brand = quality, price, attrs, size, brand
    u = utility(user.w, user.s, 0, 0)
    p.quality = quality + 0.1
    assert utility(user.w, user.s, 0, 0) > u
    p.quality, p.rel_price = quality, price + 0.1
    assert utility(user.w, user.s, 0, 0) <= u
    p.rel_price, p.attrs = price, attrs | 1
    assert utility(user.w, user.s, 0, 0) >= u


def test_another_type_or_a_broken_constraint_is_unacceptable_whatever_its_utility() -> None:
    user = choosy()
    user.s.outside[0] = -10.0
    assert acceptable(user.w, user.s, 0, 0) == 1
    assert acceptable(user.w, user.s, 0, 6) == 0
    user.s.hard_attrs[0] = 2
    assert breaks_hard(user.w, user.s, 0, 0) == 1
    assert acceptable(user.w, user.s, 0, 0) == 0
    user.w.prod[0].diets = 2
    assert acceptable(user.w, user.s, 0, 0) == 1


def test_the_outside_option_itself_is_not_beaten_by_a_tie() -> None:
    user = shop.Shopper(shop.MILK)
    user.s.outside[0] = utility(user.w, user.s, 0, 0)
    assert acceptable(user.w, user.s, 0, 0) == 0


def test_the_main_flaw_is_the_dearest_one() -> None:
    user = choosy()
    assert main_flaw(user.w, user.s, 0, 0) == (c.R_ATTRIBUTE, c.SLOT_ATTRIBUTE)
    user.w.prod[0].attrs = 1
    assert main_flaw(user.w, user.s, 0, 0) == (c.R_SIZE, 0)
    user.w.prod[0].rel_price = 1.5
    assert main_flaw(user.w, user.s, 0, 0) == (c.R_PRICE, 0)
    user.s.hard_allergens[0] = user.w.prod[0].allergens = 8
    assert main_flaw(user.w, user.s, 0, 0) == (c.R_ALLERGEN, 0)


# --- legality --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("node", "action", "allowed"),
    [
        (0, (c.ACT_MOVE, 1, 0), True),
        (0, (c.ACT_MOVE, 2, 0), False),
        (0, (c.ACT_MOVE, 0, 0), False),
        (0, (c.ACT_LOOK, 0, 0), True),
        (0, (c.ACT_LOOK, 1, 0), False),
        (1, (c.ACT_INSPECT, 0, 0), True),
        (2, (c.ACT_INSPECT, 0, 0), False),
        (1, (c.ACT_ADD, 0, 1), True),
        (1, (c.ACT_ADD, 0, 10), True),
        (1, (c.ACT_ADD, 0, 11), False),
        (1, (c.ACT_ADD, 0, 0), False),
        (2, (c.ACT_ADD, 0, 1), False),
        (1, (c.ACT_REMOVE, 0, 1), False),
        (5, (c.ACT_CHECKOUT, 0, 0), False),
        (3, (c.ACT_WAIT, 0, 0), True),
        (3, (c.ACT_LEAVE, 0, 0), True),
        (3, (c.ACT_NONE, 0, 0), False),
    ],
)
def test_legal_actions(node: int, action: tuple[int, int, int], allowed: bool) -> None:
    user = shop.Shopper(shop.MILK).open().at(node)
    assert (legal(user.w, user.s, *action) == 1) == allowed


def test_goods_in_the_cart_can_be_removed_and_paid_at_a_checkout_only() -> None:
    user = shop.Shopper(shop.MILK).open()
    user.s.n_cart, user.s.cart_p[0], user.s.cart_q[0] = 1, 0, 2
    assert left_on_shelf(user.w, user.s, 0) == 8
    assert legal(user.w, user.s, c.ACT_REMOVE, 0, 2) == 1
    assert legal(user.w, user.s, c.ACT_REMOVE, 0, 3) == 0
    assert legal(user.w, user.s, c.ACT_CHECKOUT, 0, 0) == 0
    assert legal(user.w, user.at(5).s, c.ACT_CHECKOUT, 0, 0) == 1


# --- judgements ------------------------------------------------------------------------------------------------------


def judged(user: Any, **message: Any) -> Any:
    user.message(**message)
    judge_message(user.w, user.s, user.m, user.o)
    return user.o


def test_progress_of_a_suggested_move_is_metres_saved_to_the_nearest_open_need() -> None:
    user = shop.Shopper(shop.JAM).open()
    assert metres_to_open(user.w, user.s, 0) == 15.0
    assert judged(user, sug_type=c.ACT_MOVE, sug_arg=1).progress == 5.0
    assert judged(user.at(4), sug_type=c.ACT_MOVE, sug_arg=5).progress == -5.0
    assert judged(user, sug_type=c.ACT_MOVE, sug_arg=0).has_progress == 0, "illegal moves make no progress"


def test_goals_mean_sections_and_are_relevant_when_they_hold_something_acceptable() -> None:
    user = shop.Shopper(shop.JAM).open()
    for kind, number in ((c.G_SECTION, 2), (c.G_PRODUCT, 13), (c.G_CATEGORY, shop.JAM)):
        o = judged(user, goal_kind=kind, goal_id=number)
        assert (o.goal_section, o.goal_relevant, o.goal_moves) == (2, 1, 2)
    assert judged(user, goal_kind=c.G_SECTION, goal_id=0).goal_relevant == 0
    o = judged(user, goal_kind=c.G_LANDMARK, goal_id=5)
    assert (o.goal_node, o.goal_section, o.goal_relevant, o.goal_moves) == (5, -1, 0, 5)
    assert judged(user, goal_kind=c.G_SECTION, goal_id=-1).goal_moves == -1


def test_the_way_out_is_a_relevant_goal_when_nothing_is_open() -> None:
    user = shop.Shopper(shop.JAM).open()
    user.s.status[0] = 1
    assert judged(user, goal_kind=c.G_LANDMARK, goal_id=5).goal_relevant == 1


@pytest.mark.parametrize(
    ("slot", "value"),
    [(c.S_PRICE, 100), (c.S_BRAND, 1), (c.S_SIZE, 2), (c.S_STOCK, 1), (c.S_PLACE, 0), (c.S_QUALITY, 70), (c.S_TYPE, 0)],
)
def test_claims_are_compared_with_the_shelf(slot: int, value: int) -> None:
    user = shop.Shopper(shop.MILK).open()
    assert product_fact(user.w, user.s, 1, slot) == value
    for said, verdict in ((value, 1), (value + 1, 0)):
        o = judged(user, act=c.A_INFORM, products=(1,), slot=slot, value=said)
        assert (o.claim, o.truth) == (verdict, value)
    assert judged(user, act=c.A_INFORM, products=(1,), slot=c.S_DEPARTMENT, value=1).claim == -1


def test_the_nearest_section_of_a_type_the_shop_lacks_is_none() -> None:
    user = shop.Shopper(shop.MILK)
    user.w.typ[shop.JAM].sec_count = 0
    assert nearest_section_of(user.w, 0, shop.JAM, 1) == -1


def test_rows_keep_their_declared_types_through_a_trip() -> None:
    for seed in range(10):
        user = shop.Shopper(shop.MILK, shop.JAM, seed=seed, impulse=2.0, hesitation=0.5).open()
        while user.s.end == 0:
            user.hear(items=(0, 13), act=c.A_RECOMMEND, sug_type=c.ACT_MOVE, sug_arg=2, goal_kind=1, goal_id=0)
            assert check_types(user.s) == []
            assert check_types(user.o) == []
