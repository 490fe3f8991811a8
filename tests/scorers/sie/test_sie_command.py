"""``supermarket sie`` from a log to a verdict."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.cli import main
from supermarket_env.scorers.sie.items import read_items


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["sie", *map(str, words)])
    return int(stop.value.code or 0)


def log_file(path: Path, count: int) -> Path:
    """Episodes in which a user says one thing of each stratum, with enough context."""
    events_of: dict[str, dict[str, Any]] = {
        "pre_sale": {"act": "ask_where", "text": "Where is it?"},
        "complaint": {"act": "complain", "text": "That is wrong."},
        "small_talk": {"act": "thank", "text": "Thanks."},
        "vague": {"act": "hesitate", "text": "I am not sure."},
        "emotional": {"act": "ask", "text": "Argh, how much?", "irritation": 1.0},
    }
    lines = []
    for number in range(count):
        for stratum, said in events_of.items():
            events = [
                {"k": "user", "turn": 0, "text": f"Hello {number}.", "act": "disclose"},
                {"k": "assistant", "turn": 1, "text": "Yes?"},
                {"k": "user", "turn": 1, **said},
                {"k": "assistant", "turn": 2, "text": "There.", "act": "guide"},
                {"k": "user", "turn": 2, "act": "bye", "text": ""},
                {"k": "end", "reason": "left"},
            ]
            name = f"{stratum}-{number}"
            lines.append({"schema": "supermarket.episode/1", "episode_id": name, "agent": "own", "events": events})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_the_command_from_log_to_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, items, key = log_file(tmp_path / "log.jsonl", 30), tmp_path / "items.json", tmp_path / "key.json"
    assert run("build", log, "--out", items, "--tags", tmp_path / "tags.csv") == 0
    told = capsys.readouterr().out
    assert "publishable; by system: " in told
    assert "(150 items, publishable)" in told
    assert run("build", log, "--out", items) == 2
    assert "never overwritten" in capsys.readouterr().err
    assert run("sheet", items, "--raters", "ann,bob", "--out", tmp_path / "sheets", "--key", key) == 0
    for place, rater in enumerate(("ann", "bob")):
        file = tmp_path / "sheets" / f"{rater}.csv"
        rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
        for row in rows:
            row.update(relevance="4", naturalness="3", proactiveness=str(3 + place), persona_breaks="0")
            if not row["empathy"]:
                row["empathy"] = "4"
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    sheets = sorted((tmp_path / "sheets").glob("*.csv"))
    capsys.readouterr()
    assert run("score", items, *sheets, "--key", key, "--out", tmp_path / "r", "--json", "--date", "2026-05-01") == 0
    result = json.loads(capsys.readouterr().out)[0]
    assert result["overall"]["total"] == pytest.approx(0.25 * 4 + 0.25 * 4 + 0.2 * 3 + 0.15 * 3.5 + 0.15 * 3)
    assert (tmp_path / "r" / "radar.png").exists()
    assert run("score", items, *sheets, "--key", key, "--calibration") == 0
    assert "simple agreement 80" in capsys.readouterr().out
    assert run("score", items, *sheets, "--key", key, "--date", "May") == 2
    assert run("compare", tmp_path / "r" / "own.json", tmp_path / "r" / "own.json", "--out", tmp_path / "c") == 0
    assert (tmp_path / "c" / "versions.png").exists()
    capsys.readouterr()
    assert run("rotate", items, log, "--out", tmp_path / "items2.json") == 2
    assert "too few fresh candidates" in capsys.readouterr().err
    assert run("rotate", items, log_file(tmp_path / "more.jsonl", 36), "--out", tmp_path / "items2.json") == 0
    assert "30 exchanged" in capsys.readouterr().out


def test_replies_of_another_system_on_the_same_prompts(tmp_path: Path) -> None:
    items = tmp_path / "items.json"
    assert run("build", log_file(tmp_path / "log.jsonl", 3), "--out", items, "--allow-small") == 0
    first = read_items(items).items[0].id
    (tmp_path / "new.json").write_text(json.dumps({first: "Hi."}), encoding="utf-8")
    words: list[object] = ["sheet", items, "--raters", "a", "--out", tmp_path / "s"]
    words += ["--key", tmp_path / "k.json", "--replies", f"new={tmp_path / 'new.json'}"]
    assert run(*words) == 2
    assert run(*words, "--items-out", tmp_path / "items2.json") == 0
    assert "Hi." in (tmp_path / "s" / "a.csv").read_text(encoding="utf-8")
