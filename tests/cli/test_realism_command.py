"""`supermarket realism`: files, last line, exit code, mistakes; prices go back to what they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from supermarket_env.cli import main
from supermarket_env.run.config import RunConfig
from supermarket_env.run.realism import dearer, study
from supermarket_env.world import load_world


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["realism", *words])
    return int(stop.value.code or 0)


def test_a_report_of_a_few_trips(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run("scripted", "user.mechanisms.sold_out=0.1", "--trips", "12", "--seeds", "tune", "--out", str(tmp_path))
    last = capsys.readouterr().out.splitlines()[-1]
    report = json.loads((tmp_path / "realism.json").read_text(encoding="utf-8"))
    assert last == report["verdict"]
    # A dozen trips cannot show what is asked for: facts that are not judged do not hold.
    assert code == 1
    assert last.startswith("FAIL: realism of scripted")
    assert report["passed"] is False
    assert (report["trips"], report["seeds"]) == (12, "tune")
    assert (tmp_path / "realism.png").stat().st_size > 10_000
    page = (tmp_path / "realism.md").read_text(encoding="utf-8")
    assert page.splitlines()[-1] == last
    assert all(f"| {fact['id']} |" in page for fact in report["facts"])


def test_mistakes_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("scriptd", "--out", str(tmp_path)) == 2
    assert "scripted" in capsys.readouterr().err
    assert run("scripted", "--seeds", "finall", "--out", str(tmp_path)) == 2
    assert "Did you mean 'final'?" in capsys.readouterr().err


def test_the_same_study_twice() -> None:
    config = RunConfig()
    assert study(config, 4, seeds="tune").findings == study(config, 4, seeds="tune").findings


def test_prices_are_put_back() -> None:
    tables = load_world("embedded", "corner").lists
    before = [(row.price, row.rel_price) for row in tables.prod]
    with dearer(tables, range(10), 1.25):
        assert tables.prod[0].price == round(before[0][0] * 1.25)
        assert tables.prod[0].rel_price == pytest.approx(min(1.5, (1 + before[0][1]) * 1.25 - 1))
        assert tables.prod[10].price == before[10][0]
    assert [(row.price, row.rel_price) for row in tables.prod] == before
