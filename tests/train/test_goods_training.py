"""Training the learned assistant: examples, habits, and that a killed run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.goods_network import FEATURES, GoodsNetwork
from supermarket_env.agents.learned import Habits, Learned
from supermarket_env.agents.rule import Rule
from supermarket_env.envs.game import Game
from supermarket_env.errors import ConfigError
from supermarket_env.tasks.task import Task
from supermarket_env.train import goods, habits
from supermarket_env.train.config import GoodsConfig
from supermarket_env.train.files import whole_lines, write_whole
from supermarket_env.train.play import play

THRESHOLDS = Rule().config.model_dump(mode="json")


@pytest.fixture(scope="module")
def examples(game: Game, tasks: list[Task]) -> goods.Examples:
    player = goods._Noting(network=goods.HandMade(THRESHOLDS), habits=habits.CALM)
    return goods.gather([game], player, lambda k: tasks[k % len(tasks)], 120)


def test_examples_hold_what_the_user_thought_of_every_product(examples: goods.Examples) -> None:
    assert examples.features.shape == (examples.sizes.sum(), len(FEATURES))
    assert examples.margins.shape == (examples.sizes.sum(),)
    assert examples.steps >= 120
    assert float(examples.margins.min()) >= np.float32(goods.FLOOR)
    assert (examples.margins > 0).any()


def test_by_hand_it_judges_as_the_rule_assistant_ranks(game: Game, tasks: list[Task]) -> None:
    """The examples come from the conversations the rule assistant leads, not from others."""
    made = Learned(
        network=goods.HandMade(THRESHOLDS), habits=Habits(second_lists=False, hurry_at=1000.0, list_length=5)
    )
    off = [play(game, made, task) - play(game, Rule(), task) for task in tasks]
    assert sum(abs(x) < 1e-9 for x in off) >= 6
    assert abs(float(np.mean(off))) < 0.1


def scorer(best: dict[str, Any]) -> Callable[[Learned, int], tuple[list[float], int]]:
    """Return a score that rises by 0.1 for every habit that is as in ``best``."""

    def score(assistant: Learned, number: int) -> tuple[list[float], int]:
        got = 0.1 * sum(getattr(assistant.habits, name) == value for name, value in best.items())
        return [got + 0.001 * k for k in range(10)], 10

    return score


def network() -> GoodsNetwork:
    return goods.HandMade(THRESHOLDS)


def test_better_habits_are_kept_and_worse_ones_are_not() -> None:
    kept, trials = habits.search(network(), scorer({"hurry_at": 9.0, "hurried_list": 5}), lambda text: None)
    assert (kept.hurry_at, kept.hurried_list) == (9.0, 5)
    assert len(trials) == sum(len(values) for _, values in habits.TRIALS)


def test_an_interrupted_search_plays_only_what_is_missing() -> None:
    score = scorer({"hurry_at": 11.0, "hurried_list": 3})
    whole, trials = habits.search(network(), score, lambda text: None)
    again: list[habits.Trial] = []
    kept, _ = habits.search(network(), score, lambda text: None, trials[:3], again.append)
    assert kept == whole
    assert [(t.habit, t.value) for t in again] == [(t.habit, t.value) for t in trials[3:]]


def test_lines_and_files_survive_a_kill(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text('{"a": 1}\n{"a": 2', encoding="utf-8")
    assert whole_lines(file) == [{"a": 1}]
    assert file.read_text(encoding="utf-8") == '{"a": 1}\n'
    assert whole_lines(tmp_path / "none.jsonl") == []

    def broken(part: Path) -> None:
        part.write_text("half", encoding="utf-8")
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        write_whole(file, broken)
    assert whole_lines(file) == [{"a": 1}]


def test_a_run_can_be_gone_on_with_and_another_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    config = GoodsConfig(
        out=str(tmp_path), steps=120, search_steps=200, stores=("corner",), mode="plain", epochs=2, width=4
    )
    said: list[str] = []
    goods.train(config, said.append)
    first = (tmp_path / "learned.npz").read_bytes()
    record = json.loads((tmp_path / "learned.json").read_text(encoding="utf-8"))
    assert {trial["habit"] for trial in record["trials"]} >= {"hurry_at", "list_length"}
    assert Learned(tmp_path).habits == Habits(**record["habits"])
    lines = (tmp_path / "search.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "search.jsonl").write_text("".join(lines[:2]) + lines[2][:9], encoding="utf-8")
    (tmp_path / "learned.npz").unlink()
    monkeypatch.setattr(goods, "gather", None)  # examples and network are there
    goods.train(config, said.append)
    assert (tmp_path / "learned.npz").read_bytes() == first
    with pytest.raises(ConfigError, match="another configuration"):
        goods.train(config.model_copy(update={"width": 5}))


def test_the_same_seed_trains_the_same_network(examples: goods.Examples) -> None:
    pytest.importorskip("torch")
    config = GoodsConfig(epochs=2, width=4)
    one, two = (goods.fit(examples, config, THRESHOLDS, lambda text: None) for _ in range(2))
    assert all(np.array_equal(one.arrays[name], two.arrays[name]) for name in one.arrays)


def test_fitting_orders_the_goods_better_than_by_hand(examples: goods.Examples) -> None:
    pytest.importorskip("torch")
    fitted = goods.fit(examples, GoodsConfig(epochs=30, width=8), THRESHOLDS, lambda text: None)

    def agreement(judge: GoodsNetwork) -> float:
        worth = judge.worth(examples.features.astype(np.float64))
        ends = np.cumsum(examples.sizes)
        pieces = [slice(end - size, end) for size, end in zip(examples.sizes, ends, strict=True) if size > 2]
        return float(np.mean([np.corrcoef(worth[p], examples.margins[p])[0, 1] for p in pieces]))

    assert agreement(fitted) > agreement(goods.HandMade(THRESHOLDS))


def test_what_it_does_in_a_hurry_is_not_tried_when_it_never_hurries() -> None:
    kept, trials = habits.search(network(), scorer({"hurry_at": habits.NEVER}), lambda text: None)
    assert kept.hurry_at == habits.NEVER
    assert not any(trial.habit.startswith("hurried") for trial in trials)
