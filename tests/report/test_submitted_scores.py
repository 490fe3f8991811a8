"""Scores in submissions: packed, computed again where that is possible, refused where they do not agree."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.cli.score import score
from supermarket_env.errors import ConfigError
from supermarket_env.events.log import encode_canonical
from supermarket_env.report.leaderboard import boards_of, read_submissions
from supermarket_env.report.submission import FILES, SUBMISSION, check_run, pack, read_submission
from supermarket_env.report.submitted_scores import check_scores, scores_names

JUDGE = "scores/judge@rules-2.jsonl"


class Length:
    """A scorer of one's own."""

    name, version = "length", "1"

    def score(self, episode: Any) -> Any:
        from supermarket_env.scorers import Score, ScoreSheet

        return ScoreSheet((Score("length", float(len(episode.events)), explanation="events"),))


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(small_run, tmp_path / "run")
    score([str(tmp_path / "run"), "scorers=[judge]"])
    return tmp_path / "run"


def altered(zipped: Path, name: str, change: Callable[[list[Any]], Any]) -> None:
    """Alter the lines of a packed scores file, with a hash that fits."""
    with zipfile.ZipFile(zipped) as packed:
        files = {info.filename: packed.read(info) for info in packed.infolist()}
    lines = [json.loads(line) for line in files[name].splitlines()]
    change(lines)
    files[name] = b"".join(encode_canonical(line) for line in lines)
    statement = json.loads(files[SUBMISSION])
    statement["files"][name] = hashlib.sha256(files[name]).hexdigest()
    files[SUBMISSION] = json.dumps(statement).encode()
    with zipfile.ZipFile(zipped, "w") as packed:
        for key, content in files.items():
            packed.writestr(key, content)


def test_what_submit_takes_the_leaderboard_takes(run: Path, tmp_path: Path) -> None:
    statement = pack(run, tmp_path / "board" / "scored.zip")
    assert statement["scores"] == {"judge@rules-2": "computed again"}
    assert set(statement["files"]) == {*FILES, JUDGE}
    found, refused = read_submissions(tmp_path / "board")
    assert not refused
    assert len(boards_of(found, frozenset())) == 1
    with_judge = [group["judge"]["informativeness"]["mean"] for group in found[0].metrics["groups"]]
    assert all(mean is not None for mean in with_judge)


def test_a_run_without_scores_says_nothing_of_them(small_run: Path) -> None:
    statement = check_run(small_run)
    assert "scores" not in statement
    assert set(statement["files"]) == set(FILES)
    assert scores_names(small_run) == ()


def other_grades(lines: list[Any]) -> None:
    for event in lines[0]["events"]:
        event["score"] = 1 if event["score"] == 5 else 5


def move_the_user(lines: list[Any]) -> None:
    lines[0]["events"].append({"k": "usage", "turn": 1, "who": "assistant", "model": "m", "cost": 0.0})


def claim_anothers_grade(lines: list[Any]) -> None:
    lines[0]["events"].append({"k": "judge", "judge": "judge@rules-2", "dim": "naturalness", "score": 5})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (other_grades, "1 are not what the log gives, first 'rule"),
        (lambda lines: lines.pop(), "1 episodes have none, first"),
        (lambda lines: lines[0].update(episode_id="elsewhere"), "1 are of episodes that are not in the log"),
        (lambda lines: lines.append(lines[0]), "not as supermarket score writes it"),
    ],
)
def test_altered_scores_are_refused(run: Path, tmp_path: Path, change: Any, message: str) -> None:
    pack(run, tmp_path / "a.zip")
    altered(tmp_path / "a.zip", JUDGE, change)
    with pytest.raises(ConfigError, match=message):
        read_submission(tmp_path / "a.zip")


@pytest.mark.parametrize("change", [move_the_user, claim_anothers_grade])
def test_scores_that_cannot_be_computed_hold_their_own_judgements_only(run: Path, tmp_path: Path, change: Any) -> None:
    score([str(run), f"scorers=[{{name:length,_target_:{__name__}.Length}}]"])
    statement = pack(run, tmp_path / "a.zip")
    assert statement["scores"] == {"judge@rules-2": "computed again", "length@1": "as given"}
    assert read_submission(tmp_path / "a.zip").run.agents == ("rule", "silent")
    altered(tmp_path / "a.zip", "scores/length@1.jsonl", change)
    with pytest.raises(ConfigError, match="scores length@1: 1 have events that are no judgement of this scorer"):
        read_submission(tmp_path / "a.zip")


def test_scores_of_the_configuration_may_not_be_missing(run: Path) -> None:
    assert check_scores(run, ["judge"]) == ({"judge@rules-2": "computed again"}, [])
    _, problems = check_scores(run, ["judge", {"name": "grade"}])
    assert problems == ["scores of 'grade', a scorer of the run, are missing"]
