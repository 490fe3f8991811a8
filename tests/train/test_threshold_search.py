"""The threshold search: what a point stands for, and that it climbs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.agents.registry import make_agent
from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.train.config import TrainConfig
from supermarket_env.train.play import TaskStream
from supermarket_env.train.rule import save, tune
from supermarket_env.train.search import COUNTS, N_THRESHOLDS, SWITCHES, point_of, search, thresholds


@given(st.lists(st.floats(-50.0, 50.0), min_size=N_THRESHOLDS, max_size=N_THRESHOLDS))
@settings(deadline=None, max_examples=30)
def test_every_point_is_a_valid_configuration(x: list[float]) -> None:
    RuleConfig.parse(thresholds(np.array(x)))


def test_a_configuration_comes_back_from_its_point() -> None:
    given_config = RuleConfig(list_length=9, ask=False, rest=12, hush=0)
    found = RuleConfig.parse(thresholds(point_of(given_config)))
    for name in (*SWITCHES, *(name for name, _, _ in COUNTS)):
        assert getattr(found, name) == getattr(given_config, name), name
    for name, value in found.weights.model_dump().items():
        assert value == pytest.approx(getattr(given_config.weights, name), abs=1e-3), name


def test_the_search_climbs() -> None:
    stream: Any = SimpleNamespace(watched=("task",), batch=lambda number, size: ["task"] * size)
    goal = np.array([1.0, -0.5, 0.0])
    history = search(
        lambda x, tasks: -float(np.sum((x - goal) ** 2)),
        np.zeros(3),
        stream,
        generations=20,
        population=20,
        batch=1,
        seed=0,
    )
    assert len(history) == 21
    assert history[-1].score > history[0].score
    assert np.abs(history[-1].mean - goal).max() < 0.2
    assert history[-1].episodes == 400


def test_watched_tasks_are_never_trained_on() -> None:
    stream = TaskStream("corner", watched=3)
    first, second = stream.batch(0, 4), stream.batch(1, 4)
    seen = {task.id for task in (*first, *second)}
    assert len(seen) == 8
    assert not seen & {task.id for task in stream.watched}
    assert [task.id for task in stream.batch(0, 4)] == [task.id for task in first]


def test_tuning_keeps_the_better_of_found_and_hand_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name, value in (("POPULATION", 2), ("BATCH", 1), ("CHOSEN_ON", 3)):
        monkeypatch.setattr(f"supermarket_env.train.rule.{name}", value)
    config = TrainConfig.parse({"steps": 60, "stores": ["corner"], "mode": "plain"})
    found = tune(config)
    assert found == tune(config)  # the same every time
    scores = found["need_satisfaction"]
    by_hand = RuleConfig()
    if scores["found"] < scores["by_hand"]:
        assert RuleConfig.parse(found["config"]) == by_hand
    assert found["steps"] > 0
    assert save(found, tmp_path / "deep").name == "rule_tuned.json"


def test_rule_tuned_is_a_rule_with_other_thresholds() -> None:
    tuned: Any = make_agent("rule_tuned")
    assert tuned.name == "rule_tuned"
    assert tuned.config != RuleConfig()
