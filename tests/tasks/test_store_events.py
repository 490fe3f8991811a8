"""Store events: drawn from the task's seed, off by default, and what they mean for the best cart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from supermarket_env.catalogue.load import load_catalogue
from supermarket_env.catalogue.offers import OFFER_SHARE, split_week
from supermarket_env.errors import CatalogueError, TaskError
from supermarket_env.store import load_map, load_store
from supermarket_env.store.moved import MOVED_SHARE, split_moved
from supermarket_env.tasks.event_plan import QUIET, ROBUST, EventPlan
from supermarket_env.tasks.events import suite_with_events, with_events
from supermarket_env.tasks.prepare import Prepared, prepare
from supermarket_env.tasks.suites import (
    SUITES,
    content_hash,
    load_suite,
    make_task,
    parse_tasks,
    store_key,
    suite_text,
    world_of,
)
from supermarket_env.tasks.task import StockEvent, Task
from supermarket_env.tasks.validate import check_task
from supermarket_env.user_sim.config import UserConfig

DEV = load_suite("dev", n=20).tasks


def prepared(task: Task) -> Prepared:
    return prepare(world_of(task.catalogue, task.store), task, UserConfig())


def with_stock(task: Task, *events: tuple[int, str, int]) -> Task:
    found = tuple(StockEvent(turn=turn, product=product, left=left) for turn, product, left in events)
    return task.model_copy(update={"events": found})


# --- drawing ---------------------------------------------------------------------------------------------------------


def test_nothing_happens_by_default() -> None:
    suite = load_suite("dev", n=5)
    assert suite_with_events(suite, QUIET) is suite
    assert all(with_events(task, QUIET) == task for task in suite.tasks)


def test_equal_seeds_give_equal_events_that_pass_the_check() -> None:
    for task in DEV[:10]:
        changed = with_events(task, ROBUST)
        assert changed == with_events(task, ROBUST)
        assert check_task(world_of(changed.catalogue, changed.store), changed) == []
        same = {"needs", "seed", "persona", "budget_cents", "id", "trip"}
        assert changed.model_dump(include=same) == task.model_dump(include=same)


def test_each_kind_can_be_had_alone() -> None:
    for task in DEV[:6]:
        week = with_events(task, EventPlan(promotions=1.0))
        moved = with_events(task, EventPlan(map_errors=1.0))
        assert (split_week(week.catalogue)[1] > 0, week.store, week.events) == (True, task.store, ())
        assert (moved.catalogue, split_moved(moved.store)[1] > 0, moved.events) == (task.catalogue, True, ())
    stock = [with_events(task, EventPlan(stock_changes=1.0)) for task in DEV[:6]]
    assert all((t.catalogue, t.store) == ("embedded", "neighbourhood") for t in stock)
    assert sum(len(t.events) for t in stock) >= sum(len(t.needs) for t in stock) / 2


def test_test_suites_show_other_weeks_and_maps_than_development() -> None:
    dev, test = (load_suite(name).tasks for name in ("robust_dev", "robust_test"))
    assert not {split_week(t.catalogue)[1] for t in dev} & {split_week(t.catalogue)[1] for t in test} - {0}
    assert not {split_moved(t.store)[1] for t in dev} & {split_moved(t.store)[1] for t in test} - {0}


@pytest.mark.parametrize("name", ["robust_dev", "robust_test"])
def test_the_robust_suites_are_frozen_and_eventful(name: str) -> None:
    suite = load_suite(name)
    assert len(suite) == sum(block.n for block in SUITES[name]) == (200 if name == "robust_dev" else 500)
    assert content_hash(suite.tasks) == suite.content_hash
    for has in (split_week, split_moved):
        places = [task.catalogue if has is split_week else task.store for task in suite.tasks]
        assert 0.35 < sum(has(place)[1] > 0 for place in places) / len(suite) < 0.65
    assert sum(bool(task.events) for task in suite.tasks) > 0.6 * len(suite)
    for task in suite.tasks[:8]:
        world = world_of(task.catalogue, task.store)
        assert suite.store_hashes[store_key(task.store, task.catalogue)] == world.store.content_hash


def test_drawing_again_gives_the_frozen_tasks() -> None:
    frozen = load_suite("robust_dev").tasks
    for k in range(5):
        assert make_task("robust_dev", k) == frozen[k]


@pytest.mark.parametrize(("name", "value"), [("promotions", 1.2), ("refills", -0.1), ("first_variant", 0)])
def test_impossible_plans_are_refused(name: str, value: float) -> None:
    settings: dict[str, Any] = {name: value}
    with pytest.raises(TaskError, match=name):
        EventPlan(**settings)


# --- the task's description ------------------------------------------------------------------------------------------


def test_events_are_written_only_where_there_are_any() -> None:
    task = DEV[0]
    assert b"events" not in suite_text((task,))
    changed = with_stock(task, (2, "P00001", 0))
    assert parse_tasks(suite_text((changed,)), "x") == (changed,)


def test_events_out_of_order_or_of_unknown_goods_are_refused() -> None:
    base = DEV[0].model_dump()
    events = [{"turn": 5, "product": "a", "left": 0}, {"turn": 2, "product": "a", "left": 1}]
    with pytest.raises(ValidationError, match="order of turns"):
        Task.model_validate({**base, "events": events})
    with pytest.raises(ValidationError, match="left"):
        Task.model_validate({**base, "events": [{"turn": 5, "product": "a", "left": -1}]})
    with pytest.raises(TaskError, match="event 0: unknown product 'nothing'"):
        prepared(with_stock(DEV[0], (2, "nothing", 0)))


# --- the best cart ---------------------------------------------------------------------------------------------------


def test_what_sells_out_counts_for_the_optimum_but_not_for_what_lasts() -> None:
    plain = prepared(DEV[1])
    ids = plain.world.catalogue.ids
    best = [ids[p] for p, _ in plain.best_cart.lines]
    p = prepared(with_stock(DEV[1], *((2, product, 0) for product in best)))
    assert p.U_star == plain.U_star
    assert p.lasting[1].value < plain.U_star
    assert not {ids[q] for q, _ in p.lasting[1].lines} & set(best)
    assert p.truth()["lasting_cart"] == [[ids[q], n] for q, n in p.lasting[1].lines]
    assert "lasting_cart" not in plain.truth()


def test_what_is_brought_counts_for_the_optimum_only() -> None:
    for task in DEV:
        plain = prepared(task)
        ids = plain.world.catalogue.ids
        for v in plain.values:
            offered = {offer.product for offer in v.offers}
            gone = [q for q in v.acceptable if q not in offered]
            if gone and gone[0] == v.acceptable[0]:
                p = prepared(with_stock(task, (3, ids[gone[0]], 5)))
                assert p.U_star >= plain.U_star
                assert p.lasting[1] == plain.best_cart
                return
    pytest.fail("no task with a favourite that is sold out")


# --- the places and prices -------------------------------------------------------------------------------------------


def test_an_offer_week_only_cuts_prices() -> None:
    base, week = load_catalogue("embedded"), load_catalogue("embedded+week3")
    assert week is load_catalogue("embedded+week3")
    assert week.content_hash not in (base.content_hash, load_catalogue("embedded+week4").content_hash)
    assert list(week.ids) == list(base.ids)
    cut = week.price_cents < base.price_cents
    assert not np.any(week.price_cents > base.price_cents)
    assert np.array_equal(cut, (week.promotion > 0) & (base.promotion == 0))
    assert abs(cut.sum() / (base.promotion == 0).sum() - OFFER_SHARE) < 0.03
    with pytest.raises(CatalogueError):
        load_catalogue("embeded+week1")


def test_a_rearranged_store_is_the_same_building_with_the_same_goods() -> None:
    goods = load_catalogue("embedded")
    before, after = load_store("neighbourhood", goods), load_store("neighbourhood+moved2", goods)
    assert after.layout is before.layout
    assert load_map("neighbourhood+moved2", goods) is before
    assert np.array_equal(after.stock, before.stock)
    assert np.array_equal(after.home_section >= 0, before.home_section >= 0)
    moved = {int(c) for c in before.home_section[before.home_section != after.home_section]}
    filled = {int(c) for c in before.home_section if c >= 0}
    assert abs(len(moved) / len(filled) - MOVED_SHARE) < 0.06
    for t, sections in enumerate(after.type_home_sections):
        assert sections == tuple(sorted({int(after.home_section[p]) for p in goods.products_of(t)} - {-1}))
