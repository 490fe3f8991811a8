"""Suites with turned dials: the same seeds, harder or easier; untouched dials change nothing."""

from __future__ import annotations

import pytest

from supermarket_env.errors import ConfigError, TaskError
from supermarket_env.run.build import build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.tasks.dialled import dialled_suite
from supermarket_env.tasks.sample import STANDARD, Dials
from supermarket_env.tasks.suites import load_suite


def test_untouched_dials_are_the_frozen_suite() -> None:
    assert dialled_suite("dev", STANDARD, n=3) == load_suite("dev", n=3)


def test_a_turned_dial_moves_the_trait_and_keeps_the_rest() -> None:
    frozen = load_suite("dev", n=6)
    moved = dialled_suite("dev", Dials(familiarity=-0.2), n=6)
    assert moved.name == "dev~familiarity=-0.2"
    assert moved.content_hash != frozen.content_hash
    for before, after in zip(frozen.tasks, moved.tasks, strict=True):
        assert after.persona["familiarity"] == pytest.approx(max(0.0, before.persona["familiarity"] - 0.2))
        assert after.needs == before.needs
        assert (after.id, after.seed, after.stratum) == (before.id, before.seed, before.stratum)


def test_the_number_of_needs_is_obeyed_in_another_store() -> None:
    suite = dialled_suite("dev", Dials(n_needs=2, ambiguity=0.5), store="corner", n=4)
    assert suite.name == "dev@corner@embedded~needs=2,ambiguity=0.5"
    assert {task.store for task in suite.tasks} == {"corner"}
    ordinary = [task for task in suite.tasks if task.trip != "recipe"]
    assert all(len(task.needs) == 2 for task in ordinary)


def test_train_tasks_take_dials_too() -> None:
    assert len(dialled_suite("train", Dials(disclosure=0.1), store="corner", n=2)) == 2
    with pytest.raises(TaskError, match="has no end"):
        dialled_suite("train", Dials(disclosure=0.1))


def test_task_files_and_unknown_suites_are_refused() -> None:
    with pytest.raises(TaskError, match="Did you mean 'dev'"):
        dialled_suite("dev1", Dials(disclosure=0.1))
    with pytest.raises(TaskError, match="0 or more"):
        dialled_suite("dev", Dials(disclosure=0.1), n=-1)


def test_a_run_is_configured_with_dials_and_unhashed_without() -> None:
    plain = RunConfig()
    assert "dials" not in plain.resolved()["suite"]
    same = RunConfig.parse({"suite": {"dials": {"familiarity": 0.0}}})
    turned = RunConfig.parse({"suite": {"episodes": 2, "dials": {"familiarity": 0.3}}, "run": {"compiled": False}})
    assert same.content_hash() == plain.content_hash()
    assert turned.content_hash() != RunConfig.parse({"suite": {"episodes": 2}}).content_hash()
    made = build_plan(turned)
    assert made.suite.name == "dev~familiarity=0.3"
    assert len(made.suite.tasks) == 2
    with pytest.raises(ConfigError, match=r"Did you mean 'suite\.dials\.familiarity'"):
        RunConfig.parse({"suite": {"dials": {"familarity": 0.3}}})
    with pytest.raises(ConfigError, match=r"suite\.dials\.ambiguity"):
        RunConfig.parse({"suite": {"dials": {"ambiguity": 2.0}}})
