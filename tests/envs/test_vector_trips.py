"""Trips kept by number: bounded, and no other ones than those worked out anew; lent observations stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from supermarket_env.envs import vector_trips
from supermarket_env.envs.vector import SupermarketVectorEnv

OPTIONS: dict[str, Any] = {"store": "corner", "mode": "plain", "texts": False}


def test_the_pool_forgets_the_oldest_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_trips, "KEPT_TRIPS", 2)
    pool = SupermarketVectorEnv(1, **OPTIONS)._trips
    found = [pool.drawn(number) for number in (0, 1, 0, 2, 0)]
    assert len(pool._kept) == 2
    assert found[0] is found[2]
    assert [trip.task.id for trip in found] == [pool.source.pick(number).id for number in (0, 1, 0, 2, 0)]
    assert found[4].prepared is found[0].prepared


def silent(env: SupermarketVectorEnv) -> dict[str, Any]:
    spaces: Any = env.single_action_space
    zero: dict[str, Any] = {
        name: np.zeros((env.num_envs, *(space.shape or ())), dtype=np.int64)
        for name, space in spaces.spaces.items()
        if name != "text"
    }
    return {**zero, "text": ("",) * env.num_envs}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_lent_observation_stays_until_the_step_after_the_next(mode: str) -> None:
    env = SupermarketVectorEnv(3, copy=False, autoreset_mode=mode, max_turns=3, **OPTIONS)
    lent, _ = env.reset(seed=4)
    ends = 0
    for _ in range(9):
        before = {name: np.array(values) for name, values in lent.items()}
        following, _, terminated, _, _ = env.step(silent(env))
        ends += int(terminated.sum())
        assert all(np.array_equal(before[name], lent[name]) for name in before)
        lent = following
    assert ends >= 3


def test_looking_at_a_rows_own_view_leaves_the_batch_as_it_is() -> None:
    options = {**OPTIONS, "max_turns": 9, "record": [0, 1]}
    looked, alone = SupermarketVectorEnv(2, copy=False, **options), SupermarketVectorEnv(2, copy=False, **options)
    looked.reset(seed=8)
    alone.reset(seed=8)
    rng = np.random.default_rng(1)
    for _ in range(24):
        for game in looked.games.values():
            game.kernel.observation()
        message = {**silent(looked), "act": rng.integers(5, size=2), "need": rng.integers(3, size=2)}
        seen, expected = looked.step(message)[0], alone.step(message)[0]
        assert all(np.array_equal(seen[name], expected[name]) for name in ("needs", "candidates", "moves"))
