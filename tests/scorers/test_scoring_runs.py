"""Scorers in runs: live equals offline, nothing is overwritten, errors of a scorer end nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from supermarket_env.cli.metrics import metrics_json
from supermarket_env.cli.score import read_words, score
from supermarket_env.errors import ConfigError, RunFolderError
from supermarket_env.events.episode import Episode
from supermarket_env.run.build import build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.job import run_job
from supermarket_env.run.lock import folder_lock
from supermarket_env.run.scoring import Request, ScoresExistError, score_log
from supermarket_env.scorers import Score, ScoreSheet

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


class Killed(BaseException):
    """Stands for a process that ends in the middle."""


class Mortal:
    """A scorer of your own that dies after a number of episodes."""

    name, version = "mortal", "1"
    left = 2

    def score(self, episode: Episode) -> ScoreSheet:
        if not Mortal.left:
            raise Killed
        Mortal.left -= 1
        return ScoreSheet((Score("x", 1.0, explanation="x"),))


BOTH = f"scorers=[judge,{{name:mortal,_target_:{__name__}.Mortal}}]"


def kill_in_the_middle(run: Path, *words: str) -> None:
    Mortal.left = 2
    with pytest.raises(Killed):
        score([str(run), BOTH, *words])
    Mortal.left = 99


def test_a_killed_call_goes_on_where_it_was(plain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(plain, tmp_path / "undisturbed")
    Mortal.left = 99
    score([str(tmp_path / "undisturbed"), BOTH])
    kill_in_the_middle(plain)
    (part,) = plain.glob("scores/*.part")
    part.write_bytes(part.read_bytes() + b'{"line":{"epis')  # torn: lost, and only it
    capsys.readouterr()
    score([str(plain), BOTH])
    assert capsys.readouterr().out.splitlines() == [
        f"judge@rules-2: 0 episodes scored, 3 were there; {plain / 'scores/judge@rules-2.jsonl'}",
        f"mortal@1: 1 episodes scored, 2 were there; {plain / 'scores/mortal@1.jsonl'}",
    ]
    for name in ("scores/judge@rules-2.jsonl", "scores/mortal@1.jsonl", "metrics.json", "summary.csv"):
        assert (plain / name).read_bytes() == (tmp_path / "undisturbed" / name).read_bytes()
    assert not list(plain.glob("scores/*.part"))


def test_scoring_anew_does_not_use_what_a_killed_call_left(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Mortal.left = 99
    score([str(plain), BOTH])
    kill_in_the_middle(plain, "replace=true")
    with pytest.raises(ScoresExistError):  # the old scores are whole
        score([str(plain), BOTH])
    assert not list(plain.glob("scores/*.part"))
    kill_in_the_middle(plain, "replace=true")
    capsys.readouterr()
    score([str(plain), BOTH, "replace=true"])
    assert "mortal@1: 3 episodes scored;" in capsys.readouterr().out


def test_figures_that_lag_behind_complete_scores_are_renewed(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score([str(plain), "scorers=[judge]"])
    current = (plain / "metrics.json").read_bytes()
    (plain / "metrics.json").write_text("{}", encoding="utf-8")
    capsys.readouterr()
    score([str(plain), "scorers=[judge]"])
    assert "written anew" in capsys.readouterr().out
    assert (plain / "metrics.json").read_bytes() == current
    with pytest.raises(ScoresExistError):
        score([str(plain), "scorers=[judge]"])


def test_one_process_scores_a_run_at_a_time(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supermarket_env.run.lock.LOCK_PATIENCE_S", 0.0)
    with folder_lock(plain), pytest.raises(RunFolderError, match="in use by another process"):
        score([str(plain), "scorers=[judge]"])
    assert not (plain / "scores").exists()


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


def test_a_folder_holds_the_scores_of_one_log(plain: Path, tmp_path: Path) -> None:
    lines = (plain / "episodes.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    other, same_ids = tmp_path / "other.jsonl", tmp_path / "same_ids.jsonl"
    other.write_text("".join(line.replace("|dev-", "|also-") for line in lines), encoding="utf-8")
    short = json.loads(lines[0])
    short["events"] = [e for e in short["events"] if e["k"] == "end" or (e["k"] != "claim" and e.get("turn", 0) < 2)]
    same_ids.write_text("".join([json.dumps(short) + "\n", *lines[1:]]), encoding="utf-8")
    folder = tmp_path / "scores_of_one"
    file = folder / "scores" / f"{LABELS[0]}.jsonl"
    score([str(plain / "episodes.jsonl"), f"out={folder}"])
    before = file.read_bytes()
    for words in ([str(other)], [str(other), "replace=true"]):
        with pytest.raises(RunFolderError, match=r"scores of 3 episodes that are not in .*other\.jsonl.*would be lost"):
            score([*words, f"out={folder}"])
        assert file.read_bytes() == before
    file.write_bytes(b"".join(before.splitlines(keepends=True)[:2]))
    with pytest.raises(RunFolderError, match="are not those of the episode in"):
        score([str(same_ids), f"out={folder}"])
    score([str(plain / "episodes.jsonl"), f"out={folder}"])
    assert file.read_bytes() == before
    with pytest.raises(ConfigError, match="holds the scores of one log, got 2"):
        score([str(plain), str(other), f"out={tmp_path / 'both'}"])
    assert not (tmp_path / "both").exists()
