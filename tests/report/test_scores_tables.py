"""What the scorers gave, in every table: means over trips with n, unit and interval; the reason where there is none."""

from __future__ import annotations

import csv
import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from supermarket_env.cli import main
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import decode_line, encode_canonical, read_log
from supermarket_env.metrics.row import episode_row
from supermarket_env.report.scores import (
    ScoreFigure,
    markdown_scores,
    score_columns,
    score_figures,
    score_notes,
    score_tables,
)


def call(*words: str) -> str:
    """Return what a successful command prints."""
    out = io.StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit) as stop:
        main(list(words))
    assert stop.value.code in (0, None)
    return out.getvalue()


def figures(tmp_path: Path, sheets: list[dict[str, Any]], trials: int = 1) -> tuple[ScoreFigure, ...]:
    lines = [
        {
            "schema": "supermarket.episode/1",
            "episode_id": str(k),
            "agent": "rule",
            "task_id": str(k // trials),
            "trial": k % trials,
            "events": [{"k": "end", "reason": "left"}],
        }
        for k in range(len(sheets))
    ]
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(encode_canonical(line) for line in lines))
    episodes: list[Episode] = read_log([file]).episodes
    return score_figures((episode_row(e), {"mme@1": {"scores": [s]}}) for e, s in zip(episodes, sheets, strict=True))


def test_mean_n_and_interval_of_the_trips_with_a_score(tmp_path: Path) -> None:
    sheets = [{"dim": "mme.FM", "value": v} for v in (0.1, 0.2, 0.3, None)]
    (found,) = figures(tmp_path, sheets)
    assert (found.n, found.unit, found.name, found.impl) == (3, "0..1", "FM", "mme@1")
    assert found.value == pytest.approx(0.2)
    assert found.low == 0.0
    assert found.high == pytest.approx(0.4484, abs=1e-4)


def test_trials_of_a_task_are_one_value_of_the_interval(tmp_path: Path) -> None:
    single = figures(tmp_path, [{"dim": "x", "value": v} for v in (1.0, 2.0, 4.0)])[0]
    double = figures(tmp_path, [{"dim": "x", "value": v} for v in (1.0, 1.0, 2.0, 2.0, 4.0, 4.0)], trials=2)[0]
    assert single.low == pytest.approx(double.low)
    assert single.high == pytest.approx(double.high)
    assert (single.n, double.n, single.unit) == (3, 6, "score")


def test_yes_and_no_are_a_share_and_single_turns_are_left_out(tmp_path: Path) -> None:
    sheets = [{"dim": "grade.harm", "value": False}] * 10 + [{"dim": "grade.reply", "value": 1.0, "turn": 2}]
    (found,) = figures(tmp_path, sheets)
    assert (found.unit, found.value, found.low, found.n) == ("share", 0.0, 0.0, 10)
    assert found.high == pytest.approx(0.2775, abs=1e-4)


def test_nobodys_dimension_is_named_with_its_reason(tmp_path: Path) -> None:
    found = figures(tmp_path, [{"dim": "sie.empathy", "value": None, "reason": "needs a panel"}])
    assert score_notes(found) == ["mme@1: empathy n/a: needs a panel"]
    assert score_tables(found) == []
    assert score_columns(found)["rule"] == dict.fromkeys(f"mme@1:sie.empathy{end}" for end in ("", "_low", "_high")) | {
        "mme@1:sie.empathy_n": 0
    }
    assert markdown_scores(()) == ""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("scored") / "run"
    scorers = "scorers=[judge,grade,virtual_agent]"
    return out, call("run", "agents=[rule]", "suite.episodes=3", "run.workers=1", scorers, f"out={out}")


def test_every_scorer_stands_in_print_summary_and_reports(run: tuple[Path, str], tmp_path: Path) -> None:
    folder, printed = run
    impls = sorted(path.stem for path in (folder / "scores").glob("*.jsonl"))
    assert len(impls) == 3
    head = next(csv.reader(io.StringIO((folder / "summary.csv").read_text(encoding="utf-8"))))
    texts = {"print": printed}
    for name in ("t.md", "t.html", "t.csv"):
        call("report", str(folder), "--out", str(tmp_path / name))
        texts[name] = (tmp_path / name).read_text(encoding="utf-8")
    for impl in impls:
        assert f"{impl}:" in " ".join(head)
        for text in texts.values():
            assert impl in text
    assert texts["t.csv"] == (folder / "summary.csv").read_text(encoding="utf-8")


def test_summary_has_the_mean_of_the_scores_files(run: tuple[Path, str]) -> None:
    folder, _ = run
    rows = list(csv.DictReader(io.StringIO((folder / "summary.csv").read_text(encoding="utf-8"))))
    rule = next(row for row in rows if row["agent"] == "rule")
    path = next((folder / "scores").glob("grade@*.jsonl"))
    lines = [decode_line(raw) for raw in path.read_bytes().splitlines(keepends=True)]
    values = [
        score["value"]
        for line in lines
        if line["episode_id"].startswith("rule|")
        for score in line["values"]["scores"]
        if score["dim"] == "grade.correct" and score["value"] is not None
    ]
    assert float(rule[f"{path.stem}:grade.correct"]) == pytest.approx(sum(values) / len(values))
    assert int(rule[f"{path.stem}:grade.correct_n"]) == len(values)


def test_tables_fit_ninety_columns(run: tuple[Path, str]) -> None:
    from supermarket_env.report.results import read_results

    out = io.StringIO()
    for table in score_tables(read_results(run[0]).scores):
        Console(width=200, file=out).print(table)
    assert max(map(len, out.getvalue().splitlines())) <= 90
