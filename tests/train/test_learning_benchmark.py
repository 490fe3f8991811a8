"""The programs that judge learning: the share of the gap, the grid, and assistants that are told the truth."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.rule import Rule
from supermarket_env.envs.game import Game
from supermarket_env.tasks.task import Task
from supermarket_env.train.play import play

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def programs() -> dict[str, ModuleType]:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return {name: importlib.import_module(name) for name in ("learning", "variations", "informed")}
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_the_share_of_the_gap(programs: dict[str, Any]) -> None:
    share_of = programs["learning"].gap_share
    tuned, oracle = [0.5] * 40, [1.0] * 40
    share, low, high = share_of([[0.6] * 40, [0.7] * 40], tuned, oracle)
    assert share == pytest.approx(0.3)
    assert low == pytest.approx(0.2)  # both seeds drawn are the weaker one
    assert high == pytest.approx(0.4)
    rng = np.random.Generator(np.random.Philox(1))
    noisy = rng.normal(0.5, 0.2, (3, 40)).tolist()
    share, low, high = share_of(noisy, tuned, oracle)
    assert low < share < high
    assert share_of([tuned], tuned, oracle)[0] == pytest.approx(0.0)
    assert np.isnan(share_of([tuned], tuned, tuned)[0])


def test_every_cell_of_the_grid_has_tasks_of_its_own(programs: dict[str, Any]) -> None:
    learning = programs["learning"]
    seen: dict[str, set[str]] = {}
    for cell, (_, store, _, user) in learning.GRID.items():
        if store is not None:
            continue  # drawing tasks for another store takes a while
        tasks = learning.cell_tasks(cell, 5)
        assert len(tasks) == 5
        seen[cell] = {task.id for task in tasks}
        assert user in ("scripted", "noisy")
    assert seen["new tasks"] == seen["noisy users"]
    assert len(seen["new tasks"] | seen["new layouts"] | seen["unseen categories"] | seen["unseen personas"]) == 20


def test_verdicts_name_what_fails(programs: dict[str, Any]) -> None:
    def played(ns: float, spent: float = 10.0) -> dict[str, list[float]]:
        return {"ns": [ns] * 30, "violations": [0] * 30, "spent": [spent] * 30}

    cell = {"rule_tuned": played(0.8), "oracle": played(1.0), "learned0": played(0.9), "learned1": played(0.9)}
    judged = programs["learning"].verdicts({"new tasks": cell})
    assert all(holds for _, holds in judged)
    cell["learned0"] = cell["learned1"] = played(0.79, spent=12.0)
    assert [holds for _, holds in programs["learning"].verdicts({"new tasks": cell})] == [False, False, True, False]


def test_seeds_belong_to_their_learner(programs: dict[str, Any]) -> None:
    here = {"ppo0": {"ns": [0.1]}, "ppo1": {"ns": [0.2]}, "learned0": {"ns": [0.3]}, "rule": {"ns": [0.4]}}
    assert programs["learning"].seeds_of(here, "ns", "ppo") == [[0.1], [0.2]]
    assert programs["learning"].seeds_of(here, "ns", "learned") == [[0.3]]


def test_told_assistants_play_and_their_variations_differ(
    programs: dict[str, Any], game: Game, tasks: list[Task]
) -> None:
    def scores(assistant: Any) -> list[float]:
        return [play(game, assistant, task) for task in tasks]

    plain = scores(Rule())
    told = scores(programs["variations"].Foresight())
    assert np.mean(told) > np.mean(plain)
    assert scores(programs["informed"].Informed()) != plain
    for name in ("NeedsFirst", "LateLists", "QuestionsOnTheWay", "TwoQuestions"):
        turns = scores(getattr(programs["variations"], name)())
        assert len(turns) == len(plain)
    with pytest.raises(TypeError, match="start_privileged"):
        programs["informed"].Informed().start(None)
