"""Shortest walks: against every order and every standing node, in the named stores."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.errors import TaskError
from supermarket_env.rules.twins import numba_available
from supermarket_env.store import Store
from supermarket_env.tasks.quick_tour import quick_metres
from supermarket_env.tasks.suites import world_of
from supermarket_env.tasks.tour import (
    MAX_STOPS,
    fewest_moves,
    fewest_turns,
    shortest_product_tour,
    shortest_tour,
    shortest_visit,
    stop_of,
)

STORES = ("corner", "neighbourhood")


def store_of(name: str) -> Store:
    return world_of("embedded", name).store


def enumerated(cost: np.ndarray, start: int, stops: list[tuple[int, ...]], ends: tuple[int, ...]) -> float:
    """Return the cheapest walk by trying all orders; within an order the best nodes step by step."""
    best = float("inf")
    for order in itertools.permutations(stops):
        front = {start: 0.0}
        for stop in order:
            front = {v: min(c + cost[u, v] for u, c in front.items()) for v in stop}
        best = min(best, min(c + cost[u, e] for u, c in front.items() for e in ends))
    return best


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(STORES), st.lists(st.integers(0, 10**6), min_size=1, max_size=5))
def test_a_tour_is_the_shortest_of_all_orders(name: str, numbers: list[int]) -> None:
    store = store_of(name)
    sections = sorted({k % store.n_sections for k in numbers})
    tour = shortest_tour(store, sections)
    stops = [store.section_nodes[c] for c in sections]
    assert tour.metres == pytest.approx(enumerated(store.dist_m, store.entrance, stops, store.checkouts), abs=1e-3)
    assert sorted(tour.order) == sections


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(STORES), st.lists(st.integers(0, 10**6), min_size=1, max_size=5))
def test_the_fewest_moves_are_the_fewest_and_the_walk_takes_every_product(name: str, numbers: list[int]) -> None:
    store = store_of(name)
    carried = np.flatnonzero(store.home_section >= 0)
    products = sorted({int(carried[k % len(carried)]) for k in numbers})
    walk = fewest_moves(store, products)
    stops = [stop_of(store, p) for p in products]
    assert walk.moves == enumerated(store.moves, store.entrance, stops, store.checkouts)
    assert walk.moves == sum(int(store.moves[a, b]) for a, b in itertools.pairwise(walk.nodes))
    assert walk.nodes[0] == store.entrance
    assert walk.nodes[-1] in store.checkouts
    assert all(set(stop) & set(walk.nodes) for stop in stops)


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_a_visit_is_exact_on_random_costs(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 7))
    raw = np.array(data.draw(st.lists(st.integers(1, 50), min_size=n * n, max_size=n * n)), dtype=float).reshape(n, n)
    np.fill_diagonal(raw, 0.0)
    for k in range(n):
        raw = np.minimum(raw, raw[:, k, None] + raw[None, k, :])
    node = st.integers(0, n - 1)
    stops = [tuple(sorted(s)) for s in data.draw(st.lists(st.sets(node, min_size=1, max_size=3), max_size=4))]
    visit = shortest_visit(raw, 0, stops, (n - 1,))
    if stops:
        assert visit.cost == pytest.approx(enumerated(raw, 0, stops, (n - 1,)))
        assert visit.cost == pytest.approx(sum(raw[a, b] for a, b in itertools.pairwise(visit.nodes)))
    else:
        assert visit == (0.0, (0,))


def test_a_product_with_an_endcap_may_be_taken_there() -> None:
    store = store_of("neighbourhood")
    doubled = np.flatnonzero(store.endcap_section >= 0).tolist()
    assert doubled
    gains = 0
    for p in doubled:
        both = shortest_product_tour(store, [p]).metres
        home = shortest_tour(store, [int(store.home_section[p])]).metres
        endcap = shortest_tour(store, [int(store.endcap_section[p])]).metres
        assert both == min(home, endcap)
        gains += endcap < home
    assert gains


def test_turns_are_moves_and_one_add_a_line_and_the_payment() -> None:
    store = store_of("neighbourhood")
    lines = [(0, 3), (1500, 1)]
    assert fewest_turns(store, lines) == fewest_moves(store, [0, 1500]).moves + 2 + 1
    assert fewest_turns(store, []) == 1


def test_nothing_to_fetch_is_no_walk() -> None:
    store = store_of("corner")
    assert shortest_tour(store, []) == (0.0, ())
    assert fewest_moves(store, []).moves == 0


def test_too_many_stops_and_goods_of_other_stores_are_refused() -> None:
    far = [(k,) for k in range(1, MAX_STOPS + 2)]
    n = MAX_STOPS + 2
    with pytest.raises(TaskError, match=f"at most {MAX_STOPS} stops, got {MAX_STOPS + 1}"):
        shortest_visit(np.ones((n, n)) - np.eye(n), 0, far, (0,))
    corner = store_of("corner")
    absent = int(np.flatnonzero(corner.home_section < 0)[0])
    with pytest.raises(TaskError, match=f"'corner' does not carry product number {absent}"):
        fewest_moves(corner, [absent])


@pytest.mark.skipif(not numba_available(), reason="numba is not installed or switched off")
@pytest.mark.parametrize("name", STORES)
def test_the_compiled_length_is_the_plain_one_to_the_bit(name: str) -> None:
    store = store_of(name)
    rng = np.random.default_rng(5)
    sizes = [0, 1, *rng.integers(1, 10, 60).tolist()]
    for size in sizes:
        sections = frozenset(rng.choice(store.n_sections, min(size, store.n_sections), replace=False).tolist())
        assert quick_metres(store, sections) == shortest_tour(store, sections).metres


@pytest.mark.skipif(not numba_available(), reason="numba is not installed or switched off")
def test_too_many_stops_are_refused_by_either() -> None:
    store = store_of("hyper")
    every = frozenset(range(store.n_sections))
    for length in (quick_metres, shortest_tour):
        with pytest.raises(TaskError, match=f"at most {MAX_STOPS} stops"):
            length(store, every)
