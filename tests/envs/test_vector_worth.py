"""What carts earn in a batch is what the metric's own formula says, to the bit; what is not certain is left to it."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from supermarket_env.envs import vector_trips
from supermarket_env.envs.narrate import short
from supermarket_env.envs.reward import cart_value
from supermarket_env.envs.vector import SupermarketVectorEnv
from supermarket_env.envs.vector_worth import WorthTable
from supermarket_env.metrics.satisfaction import Taker
from supermarket_env.rules.codes import MAX_CART
from supermarket_env.rules.rows import STATE_DTYPE, State, to_record
from supermarket_env.rules.twins import numba_available

MODES = ("plain", pytest.param("compiled", marks=pytest.mark.skipif(not numba_available(), reason="numba is off")))
EACH = -0.1 / 13.0


class Value:
    """Made-up takers, as the table reads them."""

    def __init__(self, sole: dict[int, Taker], best: float) -> None:
        self.sole, self.best = sole, best


def state(cart: dict[int, int]) -> Any:
    s: Any = State()
    s.n_cart = len(cart)
    s.cart_p[: len(cart)], s.cart_q[: len(cart)] = list(cart), list(cart.values())
    return s


def rows_of(carts: list[dict[int, int]], mode: str) -> Any:
    plain_rows = [state(cart) for cart in carts]
    if mode == "plain":
        return plain_rows
    records = np.zeros(len(carts), dtype=STATE_DTYPE)
    for s, record in zip(plain_rows, records, strict=True):
        to_record(s, record)
    return records


def rewards(table: WorthTable, carts: list[dict[int, int]], mode: str) -> tuple[list[float], list[int]]:
    n = len(carts)
    out = np.full(n, 9.0)
    each = np.full(n, EACH)
    left = table.reward(rows_of(carts, mode), np.arange(n), each, out, compiled=mode == "compiled")
    return out.tolist(), left.tolist()


@pytest.mark.parametrize("mode", MODES)
def test_a_batch_values_carts_as_the_metric_does(mode: str) -> None:
    env = SupermarketVectorEnv(1, store="corner", mode="plain", texts=False)
    rng = np.random.default_rng(4)
    for task in env.source.tasks[:12]:
        prepared = env._trips.of(task).prepared
        value = cart_value(prepared)
        assert value.sole is not None
        by_need: dict[int, list[int]] = {}
        for product, taker in value.sole.items():
            by_need.setdefault(taker.need, []).append(product)
        carts = []
        for _ in range(40):
            chosen = [int(rng.choice(goods)) for goods in by_need.values() if rng.random() < 0.8]
            chosen += rng.choice(prepared.world.catalogue.n_products, 3, replace=False).tolist()
            carts.append({p: int(rng.integers(1, 5)) for p in dict.fromkeys(chosen)})
        carts.append({})
        table = WorthTable(1, len(carts))
        table.rows[:] = 0
        table.fill(0, value)
        found, left = rewards(table, carts, mode)
        assert len(left) < len(carts) / 2
        for k, cart in enumerate(carts):
            assert found[k] == (9.0 if k in left else short_sum(value.share(cart))), cart


def short_sum(share: float) -> float:
    """Return share and turn, rounded as the log rounds."""
    return short(short(share) + EACH)


@pytest.mark.parametrize("mode", MODES)
def test_sums_are_exact_before_they_are_rounded(mode: str) -> None:
    rng = np.random.default_rng(0)
    several: list[tuple[dict[int, Taker], dict[int, int]]] = []
    for _ in range(300):
        scale = 10.0 ** rng.integers(-12, 1, 8)
        sole = {k: Taker(k, 3, float(rng.random() * scale[k]), float(rng.random())) for k in range(8)}
        several.append((sole, {k: int(rng.integers(1, 6)) for k in range(8)}))
    for sole, cart in several:
        table = WorthTable(1, 1)
        table.rows[:] = 0
        table.fill(0, Value(sole, 1.0))  # type: ignore[arg-type]
        found, left = rewards(table, [cart], mode)
        worth = math.fsum(sole[k].each * min(3, q) * sole[k].margin for k, q in cart.items())
        assert left or found[0] == short_sum(worth)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("cart", "why"),
    [({1: 1, 2: 1}, "two products for one need"), ({3: 1}, "a tie of the ninth digit"), ({4: 1}, "far below the rest")],
)
def test_what_is_not_certain_is_left(mode: str, cart: dict[int, int], why: str) -> None:
    margins = {1: 0.25, 2: 0.5, 3: 0.1234567885, 4: 1e-30}
    sole = {p: Taker(0 if p < 3 else p, 1, 1.0, margin) for p, margin in margins.items()}
    table = WorthTable(1, 1)
    assert rewards(table, [cart], mode)[1] == [0], "a row without a task"
    table.rows[:] = 0
    assert rewards(table, [cart], mode)[1] == [0], "a task without a table"
    table.fill(0, Value(sole, 1.0))  # type: ignore[arg-type]
    assert rewards(table, [cart], mode)[1] == [0], why
    assert rewards(table, [{2: 1}], mode)[1] == []
    assert len(cart) <= MAX_CART


def test_a_slot_that_another_task_takes_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_trips, "KEPT_TRIPS", 1)
    env = SupermarketVectorEnv(3, store="corner", mode="plain", texts=False)
    pool = env._trips
    first = pool.draw(np.array([0]), np.array([0]), listed=True).trips[0]
    pool.worth.fill(0, cart_value(first.prepared))
    second = pool.draw(np.array([1]), np.array([1]), listed=True).trips[0]
    assert pool.worth.rows.tolist() == [-1, 0, -1]
    assert [pool.prepared(k) for k in range(3)] == [first.prepared, second.prepared, None]
    both = pool.draw(np.array([0, 2]), np.array([2, 3]), listed=False)
    assert [trip.task.id for trip in both.trips] == [env.source.tasks[k].id for k in (2, 3)]
    assert pool.worth.rows.tolist() == [-1, -1, -1]
    again = pickle.loads(pickle.dumps(pool))
    assert again.prepared(0).task.id == env.source.tasks[2].id
