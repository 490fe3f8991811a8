"""``supermarket train``: words, help, mistakes, and the two ways that need no training library."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from supermarket_env.cli import main

SMALL = ["stores=[corner]", "mode=plain", "progress=false"]


def run(words: list[str]) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["train", *words])
    return int(stopped.value.code or 0)


def test_help_names_every_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert "ppo.gamma" in out
    assert "logged" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["rules"], "rule"),
        (["rule", "stepz=3"], "steps"),
        (["rule", "steps"], "KEY=VALUE"),
        (["logged", "task=3"], "tasks"),
        (["logged", "tasks=-3"], "tasks"),
        (["logged", "temperature=0"], "temperature"),
        (["logged", "policy=none.npz"], "none.npz"),
        (["rule", "config=none.yaml"], "none.yaml"),
    ],
)
def test_mistakes_are_named(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 2
    assert says in capsys.readouterr().err


def test_the_rule_is_tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in (("POPULATION", 2), ("BATCH", 1), ("CHOSEN_ON", 2)):
        monkeypatch.setattr(f"supermarket_env.train.rule.{name}", value)
    assert run(["rule", "steps=50", f"out={tmp_path}", *SMALL]) == 0
    assert "rule_tuned.json" in capsys.readouterr().out
    assert "weights" in json.loads((tmp_path / "rule_tuned.json").read_text())["config"]


def test_data_is_logged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["logged", f"out={tmp_path}", "tasks=10", "store=corner", "mode=plain", "truth_episodes=1"]
    assert run(words) == 0
    assert {file.name for file in tmp_path.iterdir()} == {"train.npz", "validation.npz", "test.npz", "truth.json"}
    assert "truth.json" in capsys.readouterr().out


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_without_torch_the_extra_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(SMALL) == 2
    assert "supermarket_env[rl]" in capsys.readouterr().err
