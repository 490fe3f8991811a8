"""Trust, irritation and patience: what raises them, what lowers them, how trips end by them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from supermarket_env.rules import codes as c
from supermarket_env.rules.rows import PLACE_TOLD


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


def test_trust_rises_when_a_place_told_was_right() -> None:
    user = shop.Shopper(shop.JAM, familiarity=0.0, trust=0.9).open()
    user.w.par[0].finds_alone = 1.0
    user.hear(act=c.A_GUIDE, goal_kind=c.G_SECTION, goal_id=2)
    assert user.s.place_by[0] == PLACE_TOLD
    while user.s.node != 3:
        user.hear()
    par = user.w.par[0]
    assert user.s.trust == pytest.approx(0.9 + par.trust_gain * 0.1)


def test_trust_falls_and_irritation_rises_when_it_was_wrong() -> None:
    """The type has two homes and the user is sent to the one that does not hold it any more."""
    user = shop.Shopper(shop.JAM, familiarity=0.0, trust=0.9).open()
    user.s.place[0], user.s.place_by[0] = shop.MILK, PLACE_TOLD
    user.hear()
    assert user.s.node == 1
    assert user.s.trust == pytest.approx(0.9 * (1.0 - user.w.par[0].trust_loss))
    assert user.s.irritation > 0.0
    assert user.s.cause == c.C_WRONG_DIRECTIONS
    assert user.s.place[0] == -1


def test_trust_rises_when_what_was_recommended_is_in_the_cart() -> None:
    user = shop.Shopper(shop.MILK, trust=0.5).open()
    user.hear(items=(0,))
    before = user.s.trust
    user.hear()
    assert user.o.cart_why == c.W_RECOMMENDED
    assert user.s.trust > before


MISDEEDS: dict[str, tuple[dict[str, Any], int]] = {
    "a goal that serves no need": ({"act": c.A_GUIDE, "goal_kind": c.G_SECTION, "goal_id": 2}, c.C_WRONG_DIRECTIONS),
    "a landmark while needs are open": (
        {"act": c.A_GUIDE, "goal_kind": c.G_LANDMARK, "goal_id": 5},
        c.C_WRONG_DIRECTIONS,
    ),
    "an irrelevant list": ({"items": (12,)}, c.C_IRRELEVANT),
    "an impossible hint": (
        {"act": c.A_GUIDE, "sug_type": c.ACT_ADD, "sug_arg": 12, "sug_qty": 1},
        c.C_WRONG_DIRECTIONS,
    ),
    "offering to pay while needs are open": ({"act": c.A_OFFER_CHECKOUT}, c.C_PUSHY),
    "hinting to leave": ({"act": c.A_GUIDE, "sug_type": c.ACT_LEAVE}, c.C_PUSHY),
}


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_misdeeds_annoy_the_more_the_shorter_the_temper(misdeed: str) -> None:
    message, cause = MISDEEDS[misdeed]
    levels = []
    for temper in (0.0, 0.5, 1.0):
        user = shop.Shopper(shop.MILK, temper=temper).open()
        user.hear(**message)
        assert user.s.cause == cause
        levels.append(user.s.irritation)
    assert 0.0 < levels[0] < levels[1] < levels[2]


def test_an_untrue_claim_is_found_out_within_reach_only() -> None:
    lie = {"act": c.A_INFORM, "products": (0,), "slot": c.S_PRICE, "value": 50}
    user = shop.Shopper(shop.MILK, shop.JAM, trust=0.8).open()
    user.hear(**lie)
    assert user.o.claim == 0
    assert user.s.irritation > 0.0, "it walked to the milk in the same turn and saw the price"
    assert user.s.trust < 0.8
    far = shop.Shopper(shop.JAM, trust=0.8, tables=shop.small_tables(talk_cost=1.0)).open().at(4)
    far.hear(**lie)
    assert far.s.irritation == 0.0
    assert far.s.trust == 0.8


def test_a_true_claim_costs_nothing() -> None:
    user = shop.Shopper(shop.MILK).open()
    user.hear(act=c.A_INFORM, products=(0,), slot=c.S_PRICE, value=100)
    assert user.o.claim == 1
    assert user.s.irritation == 0.0


def test_irritation_wears_off() -> None:
    user = shop.Shopper(shop.MILK, shop.JAM).open()
    user.hear(items=(6,))
    high = user.s.irritation
    user.hear()
    assert user.s.irritation == pytest.approx(high * user.w.par[0].irr_decay)


def test_irritation_shows_in_what_is_said() -> None:
    said = set()
    for seed in range(20):
        user = shop.Shopper(shop.JAM, temper=0.9, seed=seed).open()
        for _ in range(2):
            user.at(0).hear(act=c.A_OFFER_CHECKOUT)
            if user.o.act == c.U_COMPLAIN:
                said.add(user.o.cause)
    assert said == {c.C_PUSHY}


def test_enough_irritation_ends_in_leaving_and_the_cart_is_cleared() -> None:
    user = shop.Shopper(shop.MILK, shop.JAM, patience=500.0).open()
    while user.s.n_cart == 0:
        user.hear()
    turns = 0
    while user.s.end == 0 and turns < 60:
        user.at(1).hear(items=(6,), act=c.A_OFFER_CHECKOUT)
        turns += 1
    assert user.s.end == c.E_LEFT
    assert (user.s.n_cart, user.s.spent, user.o.cleared) == (0, 0, 1)
    assert user.o.act == c.U_BYE


@pytest.mark.parametrize(("pays", "end"), [(1.0, c.E_PATIENCE_CHECKOUT), (0.0, c.E_PATIENCE)])
def test_out_of_patience_it_pays_for_what_it_has_or_leaves_it(pays: float, end: int) -> None:
    tables = shop.small_tables(give_up_pays=pays, search_cap=1000, notice_far=0.0)
    user = shop.Shopper(shop.MILK, shop.JAM, tables=tables).open()
    while user.s.n_cart == 0:
        user.hear()
    user.s.patience = 0.1
    user.until_end()
    assert user.s.end == end
    assert (user.s.n_cart == 0) == (end == c.E_PATIENCE)
    assert (user.o.cleared == 1) == (end == c.E_PATIENCE)


def test_every_turn_costs_patience_and_waiting_and_searching_cost_more() -> None:
    par = shop.small_tables().par[0]
    walker = shop.Shopper(shop.JAM).open()
    walker.hear()
    assert walker.s.patience == pytest.approx(100.0 - par.turn_cost)
    waiter = shop.Shopper(shop.JAM, tables=shop.small_tables(talk_cost=1.0)).open()
    waiter.ask(1, c.S_BRAND)
    assert waiter.s.patience == pytest.approx(100.0 - par.turn_cost - par.wait_cost)
    seeker = shop.Shopper(shop.JAM, familiarity=0.0, talkativeness=0.0).open()
    seeker.hear()
    assert seeker.o.searching == 1
    assert seeker.s.patience == pytest.approx(100.0 - par.turn_cost - par.search_cost)
