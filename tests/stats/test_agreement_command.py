"""``supermarket agreement``: two conditions compared from logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.agents.registry import AGENTS
from supermarket_env.cli import main
from supermarket_env.cli.agreement import PROBES, values_by_agent
from supermarket_env.errors import ConfigError


def write_log(path: Path, ratings: dict[str, list[tuple[str, int]]]) -> Path:
    lines = []
    for agent, rows in ratings.items():
        for number, (judge, score) in enumerate(rows):
            events: list[dict[str, Any]] = [
                {"k": "assistant", "turn": 1, "text": "x"},
                {"k": "user", "turn": 1, "action": {"type": "wait", "params": {}}},
                {"k": "judge", "judge": judge, "dim": "naturalness", "score": score},
                {"k": "end", "reason": "left"},
            ]
            name = f"{agent}-{number}"
            lines.append({"schema": "supermarket.episode/1", "episode_id": name, "agent": agent, "events": events})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    scores = {"silent": 1, "rule": 3, "own": 4, "oracle": 5}
    return write_log(tmp_path / "log.jsonl", {a: [("human", s), ("llm", max(1, s - 1))] for a, s in scores.items()})


def test_probes_are_shipped_assistants() -> None:
    assert set(AGENTS) >= PROBES
    assert not PROBES & {"rule", "retrieval", "popularity", "oracle"}


def test_two_judges_of_one_log(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["agreement", str(log), str(log), "--value", "naturalness:human", "--value-b", "naturalness:llm"]
    with pytest.raises(SystemExit) as stop:
        main([*words, "--json"])
    assert stop.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["all"]["n"], found["without_probes_and_privileged"]["n"]) == (4, 2)
    assert found["all"]["spearman"] == pytest.approx(1.0)
    assert found["without_probes_and_privileged"]["left_out"] == ["oracle", "silent"]
    with pytest.raises(SystemExit):
        main(words)
    assert "too few to say much" in capsys.readouterr().out


def test_values(log: Path) -> None:
    assert values_by_agent(log, "naturalness") == {"silent": [1, 1], "rule": [3, 2], "own": [4, 3], "oracle": [5, 4]}
    assert values_by_agent(log, "Turn")["rule"] == [1.0, 1.0]
    with pytest.raises(ConfigError, match="Did you mean 'naturalness'"):
        values_by_agent(log, "naturalnes")
    with pytest.raises(ConfigError, match=r"unknown judge 'lm'.*Did you mean 'llm'"):
        values_by_agent(log, "naturalness:lm")


def test_numbers_of_any_scorer(tmp_path: Path) -> None:
    log = write_log(tmp_path / "episodes.jsonl", {a: [("human", 3)] * 2 for a in ("rule", "own")})
    folder = tmp_path / "scores"
    folder.mkdir()
    for label, shift in (("mme@1", 0.0), ("mme@2", 0.2)):
        lines = [
            {
                "episode_id": f"{agent}-{number}",
                "events": [],
                "values": {
                    "impl": label,
                    "scores": [
                        {"dim": "mme.composite", "value": number / 2 + shift},
                        {"dim": "mme.TCM", "value": None, "reason": "no words"},
                        {"dim": "grade.reply", "value": "bad"},
                    ],
                },
            }
            for agent in ("rule", "own")
            for number in range(2)
        ]
        (folder / f"{label}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert log.is_file()
    assert values_by_agent(tmp_path, "mme.composite:mme@2")["own"] == [0.2, 0.7]
    assert values_by_agent(tmp_path, "mme.composite")["rule"] == pytest.approx([0.1, 0.6])
    with pytest.raises(ConfigError, match=r"unknown judge 'mme@3'.*valid: mme@1, mme@2"):
        values_by_agent(tmp_path, "mme.composite:mme@3")
    for nothing in ("mme.TCM", "grade.reply"):
        with pytest.raises(ConfigError, match=r"valid: SR, NS, Turn, R@5, naturalness, mme\.composite"):
            values_by_agent(tmp_path, nothing)
