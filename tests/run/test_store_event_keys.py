"""Store events and robust suites through the configuration of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from supermarket_env.cli import main
from supermarket_env.errors import ConfigError
from supermarket_env.run.build import build_plan
from supermarket_env.run.compose import compose_run, read_arguments
from supermarket_env.run.config import RunConfig


def composed(*words: str) -> RunConfig:
    return compose_run(read_arguments(words))


def exit_code(*words: str) -> object:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    return end.value.code


def test_events_that_are_off_leave_the_hash_alone() -> None:
    plain, named = composed(), composed("suite.events.promotions=0.0")
    assert plain.content_hash() == named.content_hash()
    assert "events" not in plain.resolved()["suite"]
    assert composed("suite.events.promotions=0.5").content_hash() != plain.content_hash()


def test_events_are_added_to_a_suite() -> None:
    plan = build_plan(composed("suite.events.map_errors=1", "suite.events.stock_changes=1", "suite.episodes=3"))
    assert plan.suite.name == "dev~stock_changes=1,map_errors=1"
    assert all("+moved" in task.store for task in plan.suite.tasks)
    assert len(plan.suite.tasks) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("suite.events.promotions=2", "suite.events.promotions: got 2"),
        ("suite.events.promotion=0.5", "suite.events.promotion.*promotions"),
    ],
)
def test_mistakes_are_refused(words: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        composed(words)


def test_the_robust_suites_bring_their_user_unless_another_is_named() -> None:
    config = composed("suite=robust_dev")
    assert (config.suite.name, config.suite.episodes, config.user["model"]) == ("robust_dev", None, "robust")
    assert composed("suite=robust_test", "user=noisy").user["model"] == "noisy"
    assert composed("suite=dev").user.get("model", "scripted") == "scripted"


def test_a_robust_suite_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    words = ["suite=robust_dev", "suite.episodes=8", "agents=[rule]", "reference=null", "run.workers=1"]
    assert exit_code("run", *words, "run.compiled=false", f"out={out}") == 0
    capsys.readouterr()
    lines = [json.loads(line) for line in (out / "episodes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {line["user"] for line in lines} == {"robust"}
    assert any(e["k"] == "stock" for line in lines for e in line["events"])
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert any("@embedded+week" in name for name in manifest["stores"])
    assert exit_code("metrics", str(out), "--by", "trip,persona:familiarity") == 0


def test_every_suite_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("tasks", "list") == 0
    said = capsys.readouterr().out
    for name in ("dev", "test", "robust_dev", "robust_test", "journey_dev", "journey_test", "train"):
        assert f"{name}:" in said
    assert "segment_elderly" in said


def test_a_task_with_events_is_shown_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    from supermarket_env.tasks.suites import load_suite

    task = next(t for t in load_suite("robust_dev").tasks if t.events and "+moved" in t.store)
    assert exit_code("tasks", "show", "robust_dev", task.id) == 0
    said = capsys.readouterr().out
    assert f"turn {task.events[0].turn}: {task.events[0].left} left of {task.events[0].product}" in said
    assert "map is out of date" in said
