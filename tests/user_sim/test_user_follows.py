"""Following hints: the published probability, and that the unhinted answer does not depend on the hint."""

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
from supermarket_env.user_sim.mind_act import serve


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


@pytest.mark.parametrize(
    ("trust", "compliance", "hint", "served"),
    [
        (0.5, 0.5, (c.ACT_MOVE, 2), "serve_aim"),
        (0.9, 0.9, (c.ACT_MOVE, 2), "serve_aim"),
        (0.2, 0.4, (c.ACT_MOVE, 2), "serve_aim"),
        (0.8, 0.6, (c.ACT_MOVE, 4), "serve_neutral"),
        (0.8, 0.6, (c.ACT_WAIT, 0), "serve_neutral"),
        (0.8, 0.6, (c.ACT_INSPECT, 12), "serve_against"),
    ],
)
def test_follows_with_serve_times_trust_and_compliance(
    trust: float, compliance: float, hint: tuple[int, int], served: str
) -> None:
    """Before the jam and in want of milk: without an idea where it is any walk serves, with one only the way there."""
    n, followed, chance = 2500, 0, 0.0
    tables = shop.small_tables(notice_far=0.0)
    knows = 0.0 if served == "serve_aim" else 1.0
    traits = {"trust": trust, "compliance": compliance, "familiarity": knows, "talkativeness": 0.0}
    for seed in range(n):
        user = shop.Shopper(shop.MILK, seed=seed, tables=tables, **traits).open()
        user.at(3).s.visits[:4] = [1, 1, 1, 1]
        user.message(act=c.A_GUIDE, sug_type=hint[0], sug_arg=hint[1])
        par = user.w.par[0]
        assert serve(user.w, user.s, user.m) == getattr(par, served)
        chance = getattr(par, served) * (par.follow_trust * trust + par.follow_compliance * compliance)
        o = user.suggest(*hint)
        assert (o.would, o.would_arg) == (c.ACT_MOVE, 2 if knows else 4)
        followed += o.followed
    assert abs(followed / n - chance) < 4 * (chance * (1 - chance) / n) ** 0.5


def test_what_it_would_do_anyway_counts_as_followed() -> None:
    user = shop.Shopper(shop.JAM, trust=0.0, compliance=0.0).open()
    o = user.suggest(c.ACT_MOVE, 1)
    assert (o.would, o.would_arg, o.followed) == (c.ACT_MOVE, 1, 1)


def test_illegal_hints_are_never_followed() -> None:
    for hint in ((c.ACT_MOVE, 5), (c.ACT_ADD, 12, 1), (c.ACT_LOOK, 2), (c.ACT_REMOVE, 0, 1), (c.ACT_CHECKOUT,)):
        for seed in range(30):
            user = shop.Shopper(shop.JAM, seed=seed, trust=1.0, compliance=1.0).open()
            o = user.suggest(*hint)
            assert (o.sug_legal, o.followed) == (0, 0)
            assert o.action == o.would


def test_never_takes_something_unwanted_because_it_was_told_to() -> None:
    """Neither a poor product nor more than it wants; and it does not leave with needs open."""
    for hint in ((c.ACT_ADD, 5, 1), (c.ACT_ADD, 0, 7), (c.ACT_LEAVE,)):
        for seed in range(50):
            user = shop.Shopper(shop.MILK, shop.JAM, seed=seed, trust=1.0, compliance=1.0).open()
            user.hear()
            assert user.s.node == 1
            o = user.suggest(*hint)
            assert o.followed == 0
            assert o.action == c.ACT_LOOK
            assert user.s.n_cart == 0


HINTS = st.one_of(
    st.tuples(st.just(c.ACT_MOVE), st.integers(0, 5), st.just(0)),
    st.tuples(st.just(c.ACT_LOOK), st.integers(0, 2), st.just(0)),
    st.tuples(st.sampled_from((c.ACT_INSPECT, c.ACT_ADD, c.ACT_REMOVE)), st.integers(0, 17), st.integers(1, 3)),
    st.tuples(st.sampled_from((c.ACT_NONE, c.ACT_WAIT, c.ACT_CHECKOUT, c.ACT_LEAVE)), st.just(0), st.just(0)),
)
OTHER_PARTS = st.fixed_dictionaries(
    {
        "act": st.sampled_from((c.A_CHAT, c.A_ASK, c.A_RECOMMEND, c.A_GUIDE, c.A_OFFER_CHECKOUT)),
        "need": st.integers(0, 3),
        "slot": st.sampled_from((c.S_NONE, c.S_BRAND, c.S_ANYTHING)),
        "items": st.lists(st.integers(0, 17), max_size=4, unique=True).map(tuple),
        "goal_kind": st.sampled_from((0, c.G_SECTION)),
        "goal_id": st.integers(0, 2),
    }
)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.lists(OTHER_PARTS, min_size=1, max_size=8), HINTS, HINTS)
def test_would_does_not_depend_on_the_hint(seed: int, messages: list[dict[str, Any]], one: Any, two: Any) -> None:
    """Two users with one past hear messages that differ in the hint only: what they would do anyway is the same."""
    tables = shop.small_tables(impulse_rate=0.3, talk_cost=0.3, sold_out=0.2)
    traits = {"familiarity": 0.5, "hesitation": 0.5, "impulse": 2.0, "attention": 0.8, "temper": 0.9}
    users = [shop.Shopper(shop.MILK, shop.BREAD, shop.JAM, seed=seed, tables=tables, **traits).open() for _ in range(2)]
    for message in messages[:-1]:
        for user in users:
            user.hear(**message)
    if users[0].s.end:
        return
    for user, (kind, arg, qty) in zip(users, (one, two), strict=True):
        user.hear(**messages[-1], sug_type=kind, sug_arg=arg, sug_qty=qty)
    a, b = (user.o for user in users)
    assert (a.would, a.would_arg, a.would_qty) == (b.would, b.would_arg, b.would_qty)


def test_without_a_hint_it_does_what_it_would() -> None:
    user = shop.Shopper(shop.MILK, shop.JAM).open()
    while user.s.end == 0:
        o = user.hear()
        assert (o.action, o.arg, o.qty) == (o.would, o.would_arg, o.would_qty)
        assert o.followed == 0
