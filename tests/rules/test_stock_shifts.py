"""Stock that changes by somebody else's doing: what is left, what is due, and the memory of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.rules.codes import MAX_SHIFTED
from supermarket_env.rules.place import left_on_shelf, shift_stock
from supermarket_env.rules.rows import State
from supermarket_env.rules.shifts import due_changes
from supermarket_env.rules.twins import numba_available
from supermarket_env.tasks.state import plain_tables
from supermarket_env.tasks.suites import load_suite, world_of
from supermarket_env.user_sim.config import Mechanisms, UserConfig
from supermarket_env.world import World, load_world

NEVER_SOLD_OUT = UserConfig(mechanisms=Mechanisms(sold_out=0.0))


@pytest.fixture(scope="module")
def world() -> World:
    return load_world("embedded", "corner")


@pytest.fixture(scope="module")
def tables(world: World) -> Any:
    return plain_tables(world, NEVER_SOLD_OUT)


@pytest.fixture(scope="module")
def product(world: World) -> int:
    return next(p for p in range(world.catalogue.n_products) if world.lists.prod[p].stock >= 4)


changes = st.lists(st.tuples(st.integers(0, 3), st.integers(-30, 30)), max_size=30)


@given(changes=changes, carted=st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_what_is_left_is_opening_stock_and_shifts_less_the_cart(
    tables: Any, product: int, changes: list[tuple[int, int]], carted: int
) -> None:
    s: Any = State()
    s.n_cart, s.cart_p[0], s.cart_q[0] = 1, product, carted
    for k, dq in changes:
        assert shift_stock(s, product + k, dq) == 1
    expected = tables.prod[product].stock + sum(dq for k, dq in changes if k == 0) - carted
    assert left_on_shelf(tables, s, product) == max(0, expected)
    assert s.n_shifted == len({k for k, _ in changes})


def test_a_full_memory_says_so_and_still_takes_known_products() -> None:
    s: Any = State()
    assert all(shift_stock(s, p, -1) for p in range(MAX_SHIFTED))
    assert shift_stock(s, MAX_SHIFTED, -1) == 0
    assert shift_stock(s, 3, -1) == 1
    assert (s.n_shifted, s.shifted_q[3]) == (MAX_SHIFTED, -2)


def test_sold_out_before_the_trip_comes_back_only_by_a_shift(world: World, product: int) -> None:
    tables = plain_tables(world, UserConfig(mechanisms=Mechanisms(sold_out=1.0)))
    s: Any = State()
    assert left_on_shelf(tables, s, product) == 0
    shift_stock(s, product, 2)
    assert left_on_shelf(tables, s, product) == 2


@pytest.mark.parametrize("carted", [0, 2])
def test_due_changes_happen_in_their_turn_whatever_the_user_took(tables: Any, product: int, carted: int) -> None:
    s: Any = State()
    s.n_cart, s.cart_p[0], s.cart_q[0] = 1, product, carted
    s.n_due = 2
    s.due_turn[:2], s.due_p[:2], s.due_left[:2] = [3, 5], [product, product], [0, 7]
    seen = []
    for turn in range(1, 7):
        s.turn = turn
        due_changes(tables, s)
        seen.append(left_on_shelf(tables, s, product))
    start = tables.prod[product].stock - carted
    assert seen == [start, start, 0, 0, 7, 7]


def log_of(mode: str, k: int) -> bytes:
    from supermarket_env.agents.registry import make_agent

    task = load_suite("robust_dev").tasks[k]
    game = Game(world_of(task.catalogue, task.store), mode=mode)
    agent: Any = make_agent("rule")
    view = game.reset(task, seed=k, labels=EpisodeLabels(task_id=task.id))
    agent.start(view)
    while not game.done:
        view = game.step(agent.reply(view))
    return game.line()


@pytest.mark.skipif(not numba_available(), reason="numba is not installed or switched off")
def test_compiled_and_plain_rules_write_the_same_log_with_events() -> None:
    eventful = [k for k, task in enumerate(load_suite("robust_dev").tasks[:40]) if task.events]
    logs = [log_of("plain", k) for k in eventful[:6]]
    assert any(b'"k":"stock"' in log for log in logs)
    assert logs == [log_of("compiled", k) for k in eventful[:6]]
