"""Scorers in runs: live equals offline, nothing is overwritten, errors of a scorer end nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from supermarket_env.cli.metrics import metrics_json
from supermarket_env.cli.score import read_words, score
from supermarket_env.errors import ConfigError, RunFolderError
from supermarket_env.run.build import build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.job import run_job
from supermarket_env.run.scoring import Request, score_log

LABELS = ("judge@rules-2", "virtual_agent@1")


def config(**extra: object) -> RunConfig:
    return RunConfig.parse(
        {
            "agents": ["rule"],
            "reference": None,
            "suite": {"name": "dev", "episodes": 3},
            "limits": {"max_turns": 8, "reply_timeout_s": None},
            "run": {"workers": 1, "progress": False, "compiled": False},
            **extra,
        }
    )


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("live") / "run"
    run_job(build_plan(config(scorers=["judge", "virtual_agent"])), out)
    return out


@pytest.fixture
def plain(scored: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "run"
    shutil.copytree(scored, copy)
    shutil.rmtree(copy / "scores")
    return copy


def test_live_and_later_scores_are_the_same_bytes(scored: Path, plain: Path) -> None:
    counts = score_log(Request(plain, plain, ("judge", "virtual_agent")))
    assert [(count.n_scored, count.n_failed) for count in counts] == [(3, 0), (3, 0)]
    for label in LABELS:
        assert (plain / "scores" / f"{label}.jsonl").read_bytes() == (scored / "scores" / f"{label}.jsonl").read_bytes()
    assert not list(scored.glob("scores/*.part"))
    timings = [json.loads(line) for line in (scored / "timings.jsonl").read_text().splitlines()]
    assert {entry["scorer"] for entry in timings if "scorer" in entry} == set(LABELS)


def test_two_workers_write_the_same_bytes(scored: Path, tmp_path: Path) -> None:
    plan = build_plan(config(scorers=["judge"], run={"workers": 2, "progress": False, "compiled": False}, trials=2))
    alone = build_plan(config(scorers=["judge"], trials=2))
    run_job(plan, tmp_path / "two")
    run_job(alone, tmp_path / "one")
    name = f"scores/{LABELS[0]}.jsonl"
    assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


def test_complete_scores_are_not_overwritten_silently(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score([str(plain), "scorers=[judge]"])
    file = plain / "scores" / f"{LABELS[0]}.jsonl"
    before = file.read_bytes()
    with pytest.raises(RunFolderError, match=r"exist already \(3 episodes\); replace=true"):
        score([str(plain), "scorers=[judge]"])
    file.write_bytes(b"".join(before.splitlines(keepends=True)[:1]))
    score([str(plain), "scorers=[judge]"])
    assert file.read_bytes() == before
    score([str(plain), "scorers=[judge]", "replace=true"])
    assert file.read_bytes() == before
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith(f"{LABELS[0]}: 2 episodes scored, 1 were there")


def test_scoring_renews_the_figures_of_a_run(plain: Path) -> None:
    score([str(plain), "scorers=[judge]"])
    text = (plain / "metrics.json").read_text(encoding="utf-8")
    assert text == metrics_json([plain], by=("agent",), intervals=True)
    assert json.loads(text)["groups"][0]["judge"]["groundedness"]["n"] == 3


def test_a_run_that_lost_its_scores_is_completed_from_its_log(scored: Path, plain: Path) -> None:
    result = run_job(build_plan(config(scorers=["judge", "virtual_agent"])), plain)
    assert result.n_played == 0
    for label in LABELS:
        assert (plain / "scores" / f"{label}.jsonl").read_bytes() == (scored / "scores" / f"{label}.jsonl").read_bytes()


def test_an_error_of_a_scorer_does_not_end_a_run(plain: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text("", encoding="utf-8")
    judge = {"name": "judge", "backend": "llm", "model": str(answers)}
    (count,) = score_log(Request(plain, plain, (judge,)))
    assert (count.n_scored, count.n_failed) == (3, 3)
    group = json.loads(metrics_json([plain], by=("agent",)))["groups"][0]
    assert group["faults"]["judge"] == 3
    assert group["n"] == 3


def test_a_run_with_another_store_is_refused(plain: Path) -> None:
    file = plain / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    manifest["stores"] = dict.fromkeys(manifest["stores"], "0" * 64)
    file.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ConfigError, match="is not the one of this run"):
        score([str(plain), "scorers=[judge]"])


def test_a_log_file_is_scored_into_a_folder(scored: Path, tmp_path: Path) -> None:
    log = tmp_path / "episodes.jsonl"
    log.write_bytes((scored / "episodes.jsonl").read_bytes())
    with pytest.raises(ConfigError, match="out=FOLDER"):
        score([str(log)])
    score([str(log), f"out={tmp_path / 'elsewhere'}"])
    assert (tmp_path / "elsewhere" / "scores" / f"{LABELS[0]}.jsonl").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["scorers=[judge]"], "at least one run directory"),
        (["run", "scorrs=[judge]"], "Did you mean 'scorers'"),
        (["run", "scorers=[judge"], "cannot be read"),
        (["run", "replace=yes"], "replace: expected true or false"),
        (["run", "--replace"], "options are written scorers="),
        (["run", "scorers=[]"], "at least one name"),
    ],
)
def test_words_that_make_no_sense_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_words(words)


def test_options_of_a_scorer_come_as_an_object() -> None:
    _, options = read_words(["run", "scorers=[{name:judge,backend:human,ratings:r.csv},virtual_agent]"])
    assert options["scorers"] == [{"name": "judge", "backend": "human", "ratings": "r.csv"}, "virtual_agent"]


def test_a_config_names_its_scorers_or_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown scorer 'juge'"):
        config(scorers=["juge"])
    with pytest.raises(ConfigError, match="has no option"):
        build_plan(config(scorers=[{"name": "judge", "bakend": "rules"}]))


def test_claims_read_from_words_count_as_groundedness_errors(plain: Path) -> None:
    from supermarket_env.events.log import encode_episode, read_log
    from supermarket_env.scorers.judge.plant import FAULTS, plant

    episodes = [e for e in read_log([plain / "episodes.jsonl"]).episodes if e.agent == "rule"]
    twins = [twin[0].faulty for e in episodes if (twin := plant(FAULTS["wrong_price"], e))]
    (plain / "episodes.jsonl").write_bytes(b"".join(encode_episode(twin) for twin in twins))
    assert not json.loads(metrics_json([plain]))["beyond"]["groundedness_errors"]
    score_log(Request(plain, plain, ("judge",)))
    assert json.loads(metrics_json([plain]))["beyond"]["groundedness_errors"] == 1.0


def test_the_shipped_experiment_asks_for_all_five_systems() -> None:
    from supermarket_env.run.compose import compose_run, read_arguments
    from supermarket_env.scorers import SCORERS

    assert set(compose_run(read_arguments(["experiment=scored"])).scorers) == set(SCORERS)
