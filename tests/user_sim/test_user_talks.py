"""What the user says: gradual, truthful, remembered; what questions cost."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from supermarket_env.rules import codes as c
from supermarket_env.rules.rows import PLACE_TOLD
from supermarket_env.user_sim.mind_tell import slot_value


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

ORGANIC = c.SLOT_ATTRIBUTE


def facts(o: Any) -> list[tuple[int, int, int]]:
    """Return (need, slot, value) of what was said."""
    return [(o.fact_need[k], o.fact_slot[k], o.fact_value[k]) for k in range(o.n_facts)]


def with_wishes(**traits: float) -> Any:
    """Return a user who wants organic milk of brand 1, two packs, at most 1.20; and any bread."""
    user = shop.Shopper(shop.MILK, shop.BREAD, tables=shop.small_tables(talk_cost=1.0), **traits)
    s = user.s
    s.n_want[0], s.want_attr[0], s.want_w[0], s.brand[0], s.qty[0], s.limit[0] = 1, 0, 1.0, 1, 2, 120
    return user


def test_opens_with_one_need_and_no_detail_when_it_tells_only_when_asked() -> None:
    user = with_wishes(disclosure=0.0).open()
    assert user.o.act == c.U_DISCLOSE
    assert facts(user.o) == [(1, c.S_TYPE, shop.MILK + 1)]


def test_tells_more_at_once_the_more_it_discloses() -> None:
    told = [sum(with_wishes(disclosure=d, seed=seed).open().o.n_facts for seed in range(60)) for d in (0.0, 0.5, 1.0)]
    assert told[0] < told[1] < told[2]


@pytest.mark.parametrize(
    ("slot", "value"),
    [(ORGANIC, 1), (c.S_BRAND, 2), (c.S_QUANTITY, 2), (c.S_PRICE_LIMIT, 120), (c.S_TYPE, 1)],
)
def test_answers_truthfully_what_was_asked(slot: int, value: int) -> None:
    user = with_wishes().open()
    o = user.ask(1, slot)
    assert o.act == c.U_ANSWER
    assert facts(o) == [(1, slot, value)]


@pytest.mark.parametrize("slot", [ORGANIC + 1, c.S_SIZE, c.S_DIET, c.S_ALLERGY])
def test_says_that_it_has_no_preference_where_it_has_none(slot: int) -> None:
    user = with_wishes().open()
    assert facts(user.ask(1, slot)) == [(1, slot, c.NO_PREFERENCE)]
    assert slot_value(user.s, 0, slot) == 0


def test_an_open_question_brings_the_most_important_untold_thing() -> None:
    user = with_wishes()
    user.s.hard_allergens[0] = 2
    user.open()
    first = [facts(user.ask(1, c.S_ANYTHING))[0][1] for _ in range(3)]
    assert first == [c.S_ALLERGY, ORGANIC, c.S_BRAND], "safety, then wishes, then the brand"


def test_asked_what_else_it_mentions_the_next_need() -> None:
    user = with_wishes().open()
    assert (2, c.S_TYPE, shop.BREAD + 1) in facts(user.ask(0, c.S_ANYTHING))
    assert user.s.n_mentioned == 2


def test_the_third_question_about_a_need_annoys_and_the_first_two_do_not() -> None:
    user = with_wishes().open()
    for slot in (ORGANIC, c.S_BRAND):
        user.ask(1, slot)
        assert user.s.irritation == 0.0
    user.ask(1, c.S_SIZE)
    assert user.s.cause == c.C_TOO_MANY_QUESTIONS
    assert user.s.irritation > 0.0


def test_a_repeated_question_annoys() -> None:
    user = with_wishes().open()
    user.ask(1, c.S_BRAND)
    assert user.s.irritation == 0.0
    user.ask(1, c.S_BRAND)
    assert user.s.cause == c.C_REPETITION
    assert user.s.irritation > 0.0


def test_it_says_so_when_questions_annoy() -> None:
    causes = set()
    for seed in range(20):
        user = with_wishes(temper=0.9, seed=seed).open()
        for slot in (ORGANIC, c.S_BRAND, c.S_SIZE, c.S_DIET, c.S_QUANTITY):
            o = user.ask(1, slot)
            if o.act == c.U_COMPLAIN:
                causes.add(o.cause)
    assert causes == {c.C_TOO_MANY_QUESTIONS}


def test_answering_takes_the_turn_with_its_probability() -> None:
    tables = shop.small_tables(talk_cost=0.3)
    n = 2000
    waited = sum(shop.Shopper(shop.JAM, seed=k, tables=tables).open().ask(1, c.S_BRAND).talked for k in range(n))
    assert abs(waited / n - 0.3) < 4 * (0.21 / n) ** 0.5


def test_asks_the_way_at_most_twice_without_an_answer() -> None:
    asked = 0
    for seed in range(30):
        tables = shop.small_tables(search_cap=1000, notice_far=0.0, talk_cost=0.0)
        user = shop.Shopper(shop.JAM, tables=tables, familiarity=0.0, talkativeness=1.0, seed=seed).open()
        n = 0
        for _ in range(40):
            n += user.at(0).hear().act == c.U_ASK_WHERE
        assert n <= 2
        asked += n
    assert asked > 30


def test_a_known_place_is_not_asked_for() -> None:
    user = shop.Shopper(shop.JAM, talkativeness=1.0).open()
    assert all(user.at(0).hear().act != c.U_ASK_WHERE for _ in range(20))


def test_a_goal_teaches_the_place() -> None:
    user = shop.Shopper(shop.JAM, familiarity=0.0, trust=1.0).open()
    assert user.s.place[0] == -1
    user.w.par[0].finds_alone = 1.0
    user.hear(act=c.A_GUIDE, goal_kind=c.G_CATEGORY, goal_id=shop.JAM)
    assert user.s.place[0] == shop.JAM
    assert user.o.goal_section == shop.JAM
    assert user.o.action == c.ACT_MOVE, "it walks there"
    assert [a[0] for a in user.until_end()] == [c.ACT_MOVE, c.ACT_MOVE, c.ACT_LOOK, c.ACT_ADD, c.ACT_MOVE, c.ACT_MOVE,
                                                c.ACT_CHECKOUT]  # fmt: skip


def told_of_the_jam(seed: int, finds_alone: float, step: int = 0) -> Any:
    """A stranger at the door is told, twice, that the jam is in section 2; ``step`` is a move suggested with it."""
    user = shop.Shopper(shop.JAM, familiarity=0.0, trust=1.0, seed=seed).open()
    user.w.par[0].finds_alone = finds_alone
    user.w.par[0].follow_trust = user.w.par[0].follow_compliance = 0.0
    hint = {"sug_type": c.ACT_MOVE, "sug_arg": step} if step else {}
    for _ in range(2):
        user.hear(act=c.A_GUIDE, goal_kind=c.G_SECTION, goal_id=2, **hint)
        if user.s.node != 0:
            break
    return user


def test_a_far_place_is_found_when_the_first_step_is_shown() -> None:
    shown = told_of_the_jam(1, 0.0, step=1)
    assert shown.s.place[0] == shop.JAM
    assert told_of_the_jam(1, 0.0).s.place[0] == -1


def test_naming_a_far_place_again_does_not_help() -> None:
    n = 400
    once = 0
    for seed in range(n):
        user = shop.Shopper(shop.JAM, familiarity=0.0, trust=1.0, seed=seed).open()
        user.w.par[0].finds_alone = 0.3
        start = user.s.node
        user.hear(act=c.A_GUIDE, goal_kind=c.G_SECTION, goal_id=2)
        first = user.s.place[0] == shop.JAM
        once += first
        user.at(start).hear(act=c.A_GUIDE, goal_kind=c.G_SECTION, goal_id=2)
        assert first or user.s.place[0] != shop.JAM or user.s.place_by[0] != PLACE_TOLD
    assert abs(once / n - 0.3) < 0.08


def test_the_less_it_trusts_the_fewer_goals_it_believes() -> None:
    def believed(trust: float) -> int:
        n = 0
        for seed in range(400):
            user = shop.Shopper(shop.JAM, familiarity=0.0, trust=trust, seed=seed).open()
            user.w.par[0].finds_alone = 1.0
            user.hear(act=c.A_GUIDE, goal_kind=c.G_SECTION, goal_id=2)
            n += user.s.place[0] == 2
        return n

    assert abs(believed(0.2) / 400 - 0.6) < 0.08
    assert believed(1.0) == 400


def test_nothing_said_contradicts_what_was_said_before() -> None:
    for seed in range(50):
        user = with_wishes(disclosure=0.6, seed=seed).open()
        said: dict[tuple[int, int], int] = {}
        for turn in range(15):
            for need, slot, value in facts(user.o):
                assert said.setdefault((need, slot), value) == value
                assert value == slot_value(user.s, user.s.by_ordinal[need - 1], slot)
            user.ask(1 + turn % 2, (c.S_ANYTHING, ORGANIC, c.S_BRAND, c.S_SIZE)[turn % 4])
            if user.s.end:
                break
