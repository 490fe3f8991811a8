"""``supermarket judge-check``: the report, its exit code, and the position bias of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.cli import main
from supermarket_env.errors import ConfigError
from supermarket_env.run.build import build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.job import run_job
from supermarket_env.scorers.judge.dimensions import DIMENSIONS
from supermarket_env.scorers.judge.figures import draw_agreement, rated_pairs


def prefers_the_first(messages: Any, *, seed: int, temperature: float) -> str:
    if "Second transcript" in messages[1]["content"]:
        return '{"better": "first"}'
    dims = [line[2:].partition(":")[0] for line in messages[1]["content"].splitlines() if line.startswith("- ")]
    return json.dumps(dict.fromkeys(dims, 3))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("check") / "run"
    config = RunConfig.parse(
        {
            "agents": ["rule"],
            "reference": None,
            "suite": {"name": "dev", "episodes": 3},
            "limits": {"reply_timeout_s": None},
            "run": {"workers": 1, "progress": False, "compiled": False},
        }
    )
    run_job(build_plan(config), out)
    return out


def check(*words: str) -> int:
    with pytest.raises(SystemExit) as found:
        main(["judge-check", *words])
    return int(found.value.code or 0)


def test_the_rules_judge_passes(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ratings = tmp_path / "ratings.csv"
    names = [json.loads(line)["episode_id"] for line in (run / "episodes.jsonl").read_text().splitlines()]
    rows = [f"{name},{rater},groundedness,{4 + k % 2}" for k, name in enumerate(names) for rater in "ab"]
    ratings.write_text("\n".join(["episode_id,rater,dim,score", *rows]), encoding="utf-8")
    words = (str(run), "--agent", "rule", "--per-fault", "3", "--episodes", "2", "--ratings", str(ratings))
    assert check(*words, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["judge"] == "judge@rules-2"
    assert found["holds"]
    assert next(v for v in found["validity"] if v["dim"] == "groundedness")["n"] == 3
    picture = tmp_path / "judge.png"
    assert check(*words, "--scatter", str(picture)) == 0
    assert "wrong_price" in capsys.readouterr().out
    assert picture.stat().st_size > 5000


def test_a_judge_that_sees_nothing_fails(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from supermarket_env.scorers.judge import llm

    monkeypatch.setattr(llm, "prefers_the_first", prefers_the_first, raising=False)
    words = (str(run), "--backend", "llm", "--model", f"{llm.__name__}.prefers_the_first", "--pairs", "2")
    assert check(*words, "--per-fault", "1", "--episodes", "1", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["holds"]
    assert (found["position"]["n"], found["position"]["consistency"], found["position"]["first"]) == (2, 0.0, 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--backend", "human"), "expected rules or llm"),
        (("--agent", "nobody"), "no episode of nobody"),
        (("--scatter", "x.png"), "needs people's ratings"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    run: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert check(str(run), *words) == 2
    assert message in capsys.readouterr().err


def test_a_scatter_needs_an_episode_rated_by_both(tmp_path: Path) -> None:
    judge = {f"e{k}": {**dict.fromkeys(DIMENSIONS), "groundedness": float(1 + k % 5)} for k in range(12)}
    people = {f"e{k}": {"groundedness": [1.0 + k % 5, 3.0], "naturalness": [4.0]} for k in range(10)}
    assert rated_pairs(judge, people, "groundedness")[:2] == [(1.0, 2.0), (2.0, 2.5)]
    assert rated_pairs(judge, people, "naturalness") == []
    assert draw_agreement(judge, people, {"groundedness": 0.4}, tmp_path / "x.svg").stat().st_size > 5000
    with pytest.raises(ConfigError, match="both have rated"):
        draw_agreement(judge, {}, {}, tmp_path / "y.png")
    with pytest.raises(ConfigError, match="cannot write"):
        draw_agreement(judge, people, {}, tmp_path / "x.nonsense")


@pytest.mark.parametrize(("option", "value"), [("--per-fault", "-1"), ("--episodes", "0"), ("--pairs", "-1")])
def test_numbers_out_of_range_are_refused(
    run: Path, capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    with pytest.raises(SystemExit) as found:
        main(["judge-check", str(run), option, value])
    assert found.value.code == 2
    assert f"'{option}'" in capsys.readouterr().err
