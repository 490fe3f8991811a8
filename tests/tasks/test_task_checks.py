"""Prepared tasks agree with the rules and the metrics; unsound tasks are found by replaying them; the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.cli import main
from supermarket_env.errors import TaskError
from supermarket_env.metrics.satisfaction import assign, true_needs
from supermarket_env.rules import codes
from supermarket_env.rules.place import left_on_shelf
from supermarket_env.rules.rows import check_types
from supermarket_env.rules.utility import acceptable
from supermarket_env.tasks.prepare import known_slots, prepare, reveal_name, turn_limit
from supermarket_env.tasks.suites import Suite, content_hash, load_suite, suite_text, world_of
from supermarket_env.tasks.task import Need, Task
from supermarket_env.tasks.validate import check_suite, check_task, covering_cart, replay
from supermarket_env.user_sim.config import Mechanisms, UserConfig
from supermarket_env.world import World

USER = UserConfig()


def home() -> World:
    return world_of("embedded", "neighbourhood")


def dev(k: int) -> Task:
    return load_suite("dev").tasks[k]


@pytest.mark.parametrize("k", range(0, 200, 20))
def test_the_best_cart_has_need_satisfaction_one(k: int) -> None:
    p = prepare(home(), dev(k), USER)
    truth = p.truth()
    needs = true_needs(truth)
    assert needs is not None
    found = assign(needs, dict(truth["best_cart"]))
    assert found.utility / p.U_star == pytest.approx(1.0, abs=1e-9)
    assert truth["U_star"] == pytest.approx(p.U_star, rel=1e-8)
    assert list(found.units) == [need.qty for need in p.task.needs]


@pytest.mark.parametrize("k", range(0, 200, 25))
def test_no_swap_of_one_product_beats_the_best_cart(k: int) -> None:
    p = prepare(home(), dev(k), USER)
    needs = true_needs(p.truth())
    assert needs is not None
    ids, prices = home().catalogue.ids, home().price_cents
    cart = dict(p.best_cart.lines)
    for values, lines in zip(p.values, p.best_cart.by_need, strict=True):
        for old, n in lines:
            for offer in values.offers:
                other = {q: m for q, m in cart.items() if q != old}
                other[offer.product] = other.get(offer.product, 0) + min(n, offer.left)
                if sum(prices[q] * m for q, m in other.items()) <= p.task.budget_cents:
                    worth = assign(needs, {ids[q]: m for q, m in other.items()}).utility
                    assert worth <= p.U_star + 1e-9


@pytest.mark.parametrize("k", range(0, 200, 40))
def test_acceptance_and_stock_are_those_of_the_rules(k: int) -> None:
    p = prepare(home(), dev(k), USER)
    for i, values in enumerate(p.values):
        carried = np.flatnonzero(home().store.home_section >= 0).tolist()
        assert sorted(values.acceptable) == [q for q in carried if acceptable(p.tables, p.state, i, q) == 1]
        on_shelf = {q: left_on_shelf(p.tables, p.state, q) for q in values.acceptable}
        assert {o.product: o.left for o in values.offers} == {q: n for q, n in on_shelf.items() if n > 0}
        worth = [values.utility[q] for q in values.acceptable]
        assert worth == sorted(worth, reverse=True)


def test_some_products_are_sold_out_and_never_in_the_best_cart() -> None:
    gone = 0
    for task in load_suite("dev").tasks:
        p = prepare(home(), task, USER)
        missing = {q for v in p.values for q in v.acceptable} - {o.product for v in p.values for o in v.offers}
        gone += len(missing)
        assert not missing & {q for q, _ in p.best_cart.lines}
    assert gone > 50


def test_the_truth_of_a_task_is_complete() -> None:
    truth = prepare(home(), dev(0), USER).truth()
    assert truth.keys() == {
        "persona", "budget", "household_allergens", "needs", "acceptable", "utility", "best_cart", "U_star", "tour_m",
        "optimal_turns",
    }  # fmt: skip
    for i, need in enumerate(truth["needs"]):
        assert need["id"] == str(i)
        assert truth["utility"][str(i)].keys() == set(truth["acceptable"][str(i)])
        assert all(u > need["outside"] for u in truth["utility"][str(i)].values())
    assert truth["budget"] == round(truth["budget"], 2)


def test_known_slots_are_those_with_a_value() -> None:
    assert known_slots(Need(types=("rice",))) == ["type"]
    full = Need(
        types=("rice",), qty=2, diets=("vegan",), allergens=("nuts",), wants={"organic": 1.0}, size="small", brand="X",
        price_limit_cents=100,
    )  # fmt: skip
    assert known_slots(full) == ["type", "brand", "qty", "size", "price_limit", "diet", "allergy", "organic"]
    told = (
        codes.S_TYPE, codes.S_BRAND, codes.S_QUANTITY, codes.S_SIZE, codes.S_PRICE_LIMIT, codes.S_DIET, codes.S_ALLERGY,
        codes.SLOT_ATTRIBUTE,
    )  # fmt: skip
    assert [reveal_name(slot) for slot in told] == known_slots(full)


def test_violations_name_what_a_product_breaks_for_the_needs_it_could_serve() -> None:
    task = next(t for t in load_suite("dev").tasks if t.household_allergens)
    p = prepare(home(), task, USER)
    allergen = task.household_allergens[0]
    hit = 0
    for need, values in zip(task.needs, p.values, strict=True):
        for q in values.utility:
            contains = allergen in home().catalogue.products[q].allergens and allergen in need.allergens
            assert (allergen in p.violations(q)) == contains
            assert (q in values.feasible) == (p.violations(q) == [])
            hit += contains
    assert hit
    elsewhere = next(q for q in range(home().catalogue.n_products) if all(q not in v.utility for v in p.values))
    assert p.violations(elsewhere) == []
    assert p.utility_of(0, elsewhere) is None
    assert p.utilities_of(elsewhere) == {}


def test_equal_tasks_are_prepared_once_and_changed_ones_anew() -> None:
    task = dev(3)
    p = prepare(home(), task, USER)
    assert prepare(home(), task.model_copy(), UserConfig()) is p
    poorer = prepare(home(), task.model_copy(update={"budget_cents": 1}), USER)
    assert (poorer.best_cart.lines, poorer.U_star, poorer.optimal_turns, poorer.max_turns) == ((), 0.0, 1, 12)
    assert prepare(home(), task, USER) is p
    blunt = prepare(home(), task, UserConfig(traits={"price_sensitivity": 0.0}))
    assert blunt.U_star != p.U_star
    assert blunt.truth()["persona"]["price_sensitivity"] == 0.0
    scarce = prepare(home(), task, UserConfig(mechanisms=Mechanisms(sold_out=0.5)))
    assert scarce.U_star < p.U_star


def test_states_are_copies_with_the_right_types() -> None:
    p = prepare(home(), dev(1), USER)
    s = p.fresh_state()
    assert check_types(s) == []
    s.cart_p[0] = 99
    s.n_cart = 5
    assert (p.state.cart_p[0], p.state.n_cart) == (0, 0)
    assert s.max_turns == p.max_turns == turn_limit(p.optimal_turns)


# --- replaying -------------------------------------------------------------------------------------------------------


def test_dev_tasks_are_sound() -> None:
    suite = load_suite("dev", n=40)
    assert [(task.id, failures) for task, failures in check_suite(suite) if failures] == []


def changed(task: Task, **values: Any) -> Task:
    return task.model_copy(update=values)


def with_need(task: Task, **values: Any) -> Task:
    return changed(task, needs=(task.needs[0].model_copy(update=values), *task.needs[1:]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: changed(t, budget_cents=50), "no cart covers every need: the budget is too small"),
        (lambda t: changed(t, needs=(t.needs[0], t.needs[0])), "needs 0 and 1 share the product type"),
        (lambda t: with_need(t, outside_quantile=0.95), "acceptable products on the shelf, at least 2"),
        (lambda t: with_need(t, brand="Nonesuch"), "unknown brand 'Nonesuch'"),
        (lambda t: with_need(t, types=("unobtainium",)), "need 0: unknown product type 'unobtainium'"),
        (lambda t: changed(t, store="hypr"), "Did you mean 'hyper'"),
    ],
)
def test_unsound_tasks_are_found(change: Callable[[Task], Task], message: str) -> None:
    task = change(next(t for t in load_suite("dev").tasks if t.trip == "fill_in"))
    suite = Suite("made", (task,), content_hash((task,)))
    ((_, failures),) = check_suite(suite)
    assert any(message in failure for failure in failures), failures


def test_a_suite_made_for_other_goods_is_found() -> None:
    task = dev(0)
    suite = Suite("old", (task,), content_hash((task,)), catalogue_hashes={"embedded": "0" * 64})
    ((_, failures),) = check_suite(suite)
    assert len(failures) == 1
    assert failures[0].startswith("catalogue 'embedded' has hash ")


def test_needs_that_fight_for_goods_are_refused() -> None:
    task = dev(0)
    greedy = changed(task, needs=tuple(task.needs[0].model_copy(update={"qty": 9}) for _ in range(8)))
    with pytest.raises(TaskError, match="share product number"):
        check_task(home(), greedy)


def test_a_cart_that_cannot_be_had_fails_in_the_replay() -> None:
    p = next(
        p
        for p in (prepare(home(), task, USER) for task in load_suite("dev").tasks)
        if any(len(v.offers) < len(v.acceptable) for v in p.values)
    )
    gone = next(q for v in p.values for q in v.acceptable if left_on_shelf(p.tables, p.state, q) == 0)
    (failure,) = replay(p, ((gone, 1),))
    assert f"add 1 x {home().catalogue.ids[gone]} is not legal" in failure
    assert any("acceptable units" in text for text in replay(p, p.best_cart.lines[:1])) or len(p.task.needs) == 1
    dear = [text for text in replay(p, tuple((q, n + 2) for q, n in p.best_cart.lines)) if "the budget is" in text]
    assert len(dear) == 1


def test_a_cover_is_found_when_the_best_cart_leaves_a_need_out() -> None:
    """With little money the best cart may skip a need that a cheaper cart still covers."""
    found = 0
    for task in load_suite("dev").tasks[:60]:
        full = prepare(home(), task, USER)
        for share in (0.9, 0.8, 0.7, 0.6):
            p = prepare(home(), changed(task, budget_cents=int(full.best_cart.cost_cents * share)), USER)
            cart = covering_cart(p)
            if cart is not None and cart != p.best_cart.lines:
                found += 1
                assert replay(p, cart) == []
    assert found


# --- command line ----------------------------------------------------------------------------------------------------


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["tasks", *words])
    return int(stopped.value.code or 0)


def test_validate_counts_failures_and_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("validate", "dev", "--n", "5") == 0
    assert capsys.readouterr().out == "dev: 5 tasks, 0 failures\n"
    file = tmp_path / "mine.jsonl"
    file.write_bytes(suite_text((dev(0), changed(dev(1), budget_cents=1), dev(2))))
    assert run("validate", str(file)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "dev-0001: no cart covers every need: the budget is too small",
        "mine: 3 tasks, 1 failures",
    ]


def test_mistakes_exit_2_with_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("validate", "dve") == 2
    assert "unknown suite 'dve'" in capsys.readouterr().err
    assert run("show", "dev", "dev-9999") == 2
    assert "unknown task" in capsys.readouterr().err
    (tmp_path / "bad.jsonl").write_text("{}\n", encoding="utf-8")
    assert run("validate", str(tmp_path / "bad.jsonl")) == 2
    captured = capsys.readouterr()
    assert "bad.jsonl, line 1, field id: Field required" in captured.err
    assert captured.out == ""


def test_show_and_list_tell_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "dev", "dev-0007") == 0
    page = capsys.readouterr().out
    p = prepare(home(), dev(7), USER)
    assert all(home().catalogue.ids[q] in page for q, _ in p.best_cart.lines)
    assert f"optimal trip {p.optimal_turns} turns" in page
    assert run("list") == 0
    page = capsys.readouterr().out
    assert "dev: 200 tasks" in page
    assert "test: 500 tasks" in page


def test_freeze_writes_where_it_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("freeze", "dev", "--out", str(tmp_path)) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "dev.jsonl.gz")
    assert load_suite(str(tmp_path / "dev.jsonl.gz")).content_hash == load_suite("dev").content_hash
