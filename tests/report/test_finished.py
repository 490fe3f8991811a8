"""A finished run is read only if its files are whole and belong together."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.errors import RunFolderError
from supermarket_env.report.collect import collect_runs
from supermarket_env.report.finished import read_finished
from supermarket_env.report.results import read_results


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(small_run, tmp_path / "run")
    return tmp_path / "run"


def test_a_whole_run_is_read_however_its_log_is_written(run: Path) -> None:
    metrics, manifest = read_finished(run)
    assert manifest["n_episodes"] == 12
    log = run / "episodes.jsonl"
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    log.write_text("\n\n".join(json.dumps(dict(reversed(line.items()))) for line in lines), encoding="utf-8")
    assert read_finished(run) == (metrics, manifest)


def halved(run: Path) -> None:
    log = run / "episodes.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[: len(lines) // 2]))


def torn(run: Path) -> None:
    log = run / "episodes.jsonl"
    log.write_bytes(log.read_bytes()[:-10])


def of_another_schema(run: Path) -> None:
    log = run / "episodes.jsonl"
    log.write_bytes(log.read_bytes().replace(b"supermarket.episode/1", b"supermarket.episode/2"))


def without_log(run: Path) -> None:
    (run / "episodes.jsonl").unlink()


def of_another_run(run: Path) -> None:
    metrics = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    metrics["groups"][0]["n"] += 1
    (run / "metrics.json").write_text(json.dumps(metrics), encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (halved, r"episodes\.jsonl has 6 episodes, manifest\.json says 12"),
        (torn, r"episodes\.jsonl has 11 episodes, manifest\.json says 12"),
        (of_another_schema, r"line 1: expected schema 'supermarket\.episode/1', got 'supermarket\.episode/2'"),
        (without_log, r"its episodes\.jsonl is missing"),
        (of_another_run, r"episodes\.jsonl has 12 episodes, metrics\.json says 13"),
    ],
)
def test_figures_that_are_not_of_the_log_are_refused(run: Path, damage: Any, message: str) -> None:
    damage(run)
    with pytest.raises(RunFolderError, match=message):
        read_results(run)
    with pytest.raises(RunFolderError, match=message):
        collect_runs([run])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"groups": 5}', "groups: expected a list, got 5"),
        ("[1]", r"expected an object, got \[1\]"),
        ('{"groups": [{"agent": "rule"}, 5]}', r"groups\.0\.n is missing; groups\.1: expected an object"),
        ('{"groups": [{"agent": null, "n": 1}]}', r"groups\.0\.agent: expected a string, got None"),
        ("[" * 100_000, "maximum recursion"),
        ("", "Expecting value"),
    ],
    ids=["groups", "list", "group", "agent", "deep", "empty"],
)
def test_damaged_figures_are_refused_by_place(run: Path, text: str, message: str) -> None:
    (run / "metrics.json").write_text(text, encoding="utf-8")
    with pytest.raises(RunFolderError, match=rf"metrics\.json.*{message}"):
        read_results(run)
