"""Files from people and logs that are damaged get an error that names the place, and texts are never formulas."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.cli.sie import build
from supermarket_env.errors import ConfigError, LogError
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import validate_episode
from supermarket_env.scorers.mme.ratings import load_ratings
from supermarket_env.scorers.people_files import people_rows
from supermarket_env.scorers.sie.candidates import candidate_items, turn_tags
from supermarket_env.scorers.true_turns import true_turns

FORMULA = '=HYPERLINK("http://x")'


def line_of(text: str = "milk", **truth: Any) -> dict[str, Any]:
    events: list[dict[str, Any]] = []
    for turn in range(1, 5):
        events += [
            {"k": "user", "turn": turn - 1, "act": "chat", "text": f"word {turn}"},
            {"k": "assistant", "turn": turn, "act": "chat", "text": text},
        ]
    return {
        "schema": "supermarket.episode/1", "episode_id": "a", "agent": "rule", "truth": truth,
        "events": [*events, {"k": "end", "reason": "left"}],
    }  # fmt: skip


def episode_of(text: str = "milk", **truth: Any) -> Episode:
    return validate_episode(line_of(text, **truth), "log.jsonl", 7)


def test_true_turns_must_be_a_list() -> None:
    assert true_turns(episode_of()) == {}
    assert true_turns(episode_of(turns=[{"turn": 1, "intent": "buy"}, 5])) == {1: {"turn": 1, "intent": "buy"}}
    with pytest.raises(LogError, match=r"log\.jsonl, line 7, truth\.turns: expected a list, got 5"):
        turn_tags([episode_of(turns=5)])


def test_half_a_character_is_refused_by_place() -> None:
    broken = [episode_of("caf\ud800")]
    for read in (candidate_items, turn_tags):
        with pytest.raises(LogError, match=r"log\.jsonl, line 7, reply of turn \d: a text with half a character"):
            read(broken)


def test_a_cell_too_large_for_the_reader_is_refused_by_line(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("a,b\n1,2\n3," + "x" * (csv.field_size_limit() + 1) + "\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"r\.csv, line 3: cannot be read as ratings \(field larger"):
        list(people_rows(file, what="ratings", needed=("a", "b"), header="a, b"))


def test_ratings_too_deep_to_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"r\.json: expected JSON"):
        load_ratings(tmp_path / "r.json")
    (tmp_path / "r.jsonl").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"r\.jsonl, line 1: not JSON"):
        list(people_rows(tmp_path / "r.jsonl", what="ratings", needed=("a",), header="a"))


def test_tags_for_annotators_hold_no_formulas(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(line_of(FORMULA)) + "\n", encoding="utf-8")
    build([log], tmp_path / "set.json", allow_small=True, tags=tmp_path / "tags.csv")
    with (tmp_path / "tags.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["assistant_text"] for row in rows] == [f"'{FORMULA}"] * 4
