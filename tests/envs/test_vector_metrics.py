"""Figures added up while the batch runs are those of its log, to the last bit, and memory does not grow."""

from __future__ import annotations

import gc
import math
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.envs.vector import SupermarketVectorEnv
from supermarket_env.events.hooks import Hook
from supermarket_env.events.log import read_log
from supermarket_env.events.recorder import Recorder
from supermarket_env.metrics import StreamingMetrics, compute
from supermarket_env.metrics.stream import ExactSum
from supermarket_env.rules import codes

GOODS = np.arange(1, 4000, 97)


class Keeps(Hook):
    """Keeps finished episodes."""

    def __init__(self) -> None:
        self.episodes: list[Any] = []

    def on_episode_end(self, episode: Any) -> None:
        self.episodes.append(episode)


def messages(env: SupermarketVectorEnv, rng: np.random.Generator) -> dict[str, Any]:
    """Return a batch of lists, hints and goals, most of them to the point."""
    n, world = env.num_envs, env.world
    items = np.zeros((n, codes.MAX_ITEMS), dtype=np.int64)
    items[:, :4] = rng.choice(GOODS, (n, 4)) * (rng.random((n, 1)) < 0.5)
    return {
        "act": rng.integers(len(codes.ASSISTANT_ACTS), size=n),
        "need": rng.integers(3, size=n),
        "attribute": rng.integers(8, size=n),
        "products": np.zeros((n, codes.MAX_PRODUCTS), dtype=np.int64),
        "items": items,
        "suggest_type": rng.integers(4, size=n),
        "suggest_arg": rng.integers(world.store.n_nodes, size=n),
        "goal_kind": rng.integers(len(codes.GOAL_KINDS), size=n),
        "goal_id": rng.integers(12, size=n),
        "text": ("",) * n,
    }


def played(n: int, steps: int, *hooks: Hook) -> None:
    env = SupermarketVectorEnv(n, store="corner", mode="plain", texts=False, record=range(n), hooks=hooks)
    rng = np.random.default_rng(3)
    env.reset(seed=1)
    for _ in range(steps):
        env.step(messages(env, rng))


def test_streamed_figures_are_those_of_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supermarket_env.metrics.stream.ROWS_AT_ONCE", 7)
    kept, stream = Keeps(), StreamingMetrics()
    played(6, 100, kept, stream)
    assert len(kept.episodes) > 14
    expected = compute(kept.episodes)
    expected |= expected.pop("beyond")
    result = stream.result()
    assert result == {name: expected[name] for name in result}
    named = {"SR", "SR(t)", "Turn", "need_satisfaction", "R@5", "NDCG@10", "AFR", "LNSR", "CGV", "SR_complete(t)"}
    assert named <= result.keys()
    assert result["AFR"] is not None
    assert result["CGV"]["3"] is not None


def test_asking_for_the_result_changes_nothing() -> None:
    often, once = StreamingMetrics(), StreamingMetrics()

    class Asks(Hook):
        def on_episode_end(self, episode: Any) -> None:
            often.result()

    played(3, 60, often, Asks(), once)
    assert often.result() == once.result() == once.result()


def test_without_episodes_everything_is_undefined() -> None:
    result = StreamingMetrics(horizons=[2]).result()
    assert result["n"] == 0
    assert result["SR"] is None
    assert result["SR(t)"] is None


def test_exact_sums_are_those_of_fsum() -> None:
    draw = random.Random(4)
    for _ in range(50):
        numbers = [draw.uniform(-1, 1) * 10.0 ** draw.randint(-20, 20) for _ in range(60)]
        total = ExactSum()
        for x in numbers:
            total.add(x)
        assert total.value == math.fsum(numbers)


def test_memory_does_not_grow_with_the_number_of_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supermarket_env.metrics.stream.ROWS_AT_ONCE", 4)
    n = 4
    env = SupermarketVectorEnv(
        n,
        store="corner",
        mode="plain",
        suite="train",
        train_tasks=1,  # what follows from a task is worked out once and kept
        texts=False,
        max_turns=2,
        record=range(n),
        hooks=[StreamingMetrics()],
    )
    rng = np.random.default_rng(3)
    env.reset(seed=1)

    def play(steps: int) -> None:
        for _ in range(steps):
            env.step(messages(env, rng))

    play(40)
    tracemalloc.start()
    try:
        play(15)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        play(60)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 60_000, f"{grown} bytes more after 80 further episodes"


def test_rows_that_play_the_same_task_share_one_log(tmp_path: Path) -> None:
    """With fewer tasks than rows many lines tell of the same task, and none passes for another."""
    log = tmp_path / "sample.jsonl"
    recorder = Recorder(str(log))
    env = SupermarketVectorEnv(
        24, store="corner", mode="plain", texts=False, suite="train", train_tasks=3, record=range(24), hooks=[recorder]
    )
    rng = np.random.default_rng(3)
    env.reset(seed=1)
    for _ in range(60):
        env.step(messages(env, rng))
    env.close()
    recorder.close()
    read = read_log(log)
    tasks = [episode.task_id for episode in read.episodes]
    assert len(set(tasks)) == 3 < len(tasks)
    assert read.duplicates == 0
    assert len({episode.episode_id for episode in read.episodes}) == len(tasks)
