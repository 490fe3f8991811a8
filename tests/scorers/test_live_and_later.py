"""Every scorer, with every kind of reader, gives the same bytes at the end of an episode and from the log later."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from supermarket_env.cli import main
from supermarket_env.cli.metrics import metrics_json
from supermarket_env.events.log import read_log
from supermarket_env.run.build import build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.job import run_job
from supermarket_env.run.scoring import Request, score_log
from supermarket_env.scorers import SCORERS, Score, ScoreSheet, impl_of, make_scorers, replies_of
from supermarket_env.scorers.judge.dimensions import DIMENSIONS
from supermarket_env.scorers.judge.llm import Completion
from supermarket_env.scorers.sie.dimensions import DIMENSIONS as SIE_DIMENSIONS

MODULE = "readers_for_a_test"


def answer(messages: Any, *, seed: int, temperature: float) -> Completion:
    """A model without a model: answers follow from the question and the seed alone, and cost something."""
    question = json.dumps([*messages, seed], sort_keys=True)
    number = int(hashlib.sha256(question.encode()).hexdigest(), 16)
    grades = {name: 1 + number // 7**k % 5 for k, name in enumerate((*DIMENSIONS, "conciseness", "coherence"))}
    return Completion(json.dumps({**grades, "scenario": True, "detail": number % 2 == 0}), 100, 10, 0.01)


class Fickle:
    """A scorer that fails on some episodes."""

    name, version = "fickle", "1"

    def score(self, episode: Any) -> ScoreSheet:
        if episode.episode_id.endswith("1|0"):
            raise RuntimeError("not this one")
        return ScoreSheet((Score("replies", float(len(replies_of(episode)))),))


@pytest.fixture(scope="module", autouse=True)
def importable() -> Iterator[None]:
    """Model and scorer of this file under a name that can be imported, as a user's module would be."""
    module = ModuleType(MODULE)
    vars(module).update(answer=answer, Fickle=Fickle)
    sys.modules[MODULE] = module
    yield
    del sys.modules[MODULE]


def play(out: Path, scorers: list[Any]) -> Path:
    config = RunConfig.parse(
        {
            "agents": ["silent", "rule"],
            "reference": None,
            "suite": {"name": "dev", "episodes": 3},
            "limits": {"max_turns": 8, "reply_timeout_s": None},
            "run": {"workers": 1, "progress": False, "compiled": False},
            "scorers": scorers,
        }
    )
    run_job(build_plan(config), out)
    return out


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("plain") / "run", [])


@pytest.fixture(scope="module")
def readers(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Scorers whose scores come from a model, from people's files and from a blind panel."""
    folder, model = tmp_path_factory.mktemp("people"), f"{MODULE}.answer"
    ratings = folder / "ratings.csv"
    names = [episode.episode_id for episode in read_log([plain / "episodes.jsonl"]).episodes]
    with ratings.open("w", newline="") as file:
        rows = [("episode_id", "rater", "dim", "score"), *((name, "ann", "naturalness", 4) for name in names[1:])]
        csv.writer(file).writerows(rows)
    return [
        {"name": "judge", "backend": "llm", "model": model, "samples": 2},
        {"name": "judge", "backend": "human", "ratings": str(ratings)},
        {"name": "grade", "model": model},
        {"name": "virtual_agent", "model": model, "samples": 1, "weights": {"coherence": 2, "truthfulness": 1}},
        {"name": "sie", **panel(plain, folder)},
        {"name": "fickle", "_target_": f"{MODULE}.Fickle"},
    ]


def panel(run: Path, folder: Path) -> dict[str, Any]:
    """Build a set, hand out one sheet and fill it in."""
    items, key, sheets = folder / "items.json", folder / "key.json", folder / "sheets"
    for words in (
        ["build", run, "--out", items, "--allow-small"],
        ["sheet", items, "--raters", "ann", "--out", sheets, "--key", key],
    ):
        with pytest.raises(SystemExit) as stop:
            main(["sie", *map(str, words)])
        assert stop.value.code == 0
    file = sheets / "ann.csv"
    with file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for number, row in enumerate(rows):
        row.update({name: row[name] or str(1 + number % 5) for name in SIE_DIMENSIONS if name != "consistency"})
        row.update(persona_bonus="0", persona_breaks="0")
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return {"items": str(items), "ratings": [str(file)], "key": str(key)}


def scores_in(run: Path) -> dict[str, bytes]:
    return {file.stem: file.read_bytes() for file in (run / "scores").iterdir()}


def seconds_in(run: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in (run / "timings.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if "scorer" in entry:
            assert entry["wall_s"] >= 0
            found[entry["scorer"]] = found.get(entry["scorer"], 0) + 1
    return found


def test_all_five_as_shipped(plain: Path, tmp_path: Path) -> None:
    live = play(tmp_path / "live", list(SCORERS))
    later = shutil.copytree(plain, tmp_path / "later")
    counts = score_log(Request(later, later, tuple(SCORERS)))
    assert scores_in(live) == scores_in(later)
    labels = {impl_of(scorer) for scorer in make_scorers(SCORERS)}
    assert set(scores_in(live)) == {count.impl for count in counts} == labels
    assert {label.partition("@")[0] for label in labels} == set(SCORERS)
    assert seconds_in(live) == dict.fromkeys(labels, 6)
    # Scoring is no part of playing: the log is the one of a run without scorers.
    assert (live / "episodes.jsonl").read_bytes() == (plain / "episodes.jsonl").read_bytes()


def test_models_people_panels_and_own_scorers(plain: Path, readers: list[Any], tmp_path: Path) -> None:
    live = play(tmp_path / "live", readers)
    later = shutil.copytree(plain, tmp_path / "later")
    # One by one and in another order: no scorer sees what another one wrote.
    for entry in reversed(readers):
        score_log(Request(later, later, (entry,)))
    assert scores_in(live) == scores_in(later)
    assert len(scores_in(live)) == len(readers)
    judged = [json.loads(line)["values"] for line in _lines(live, "judge@llm")]
    assert all(values["cost"] == {"calls": 4, "tokens_in": 400, "tokens_out": 40, "money": 0.04} for values in judged)
    assert any(json.loads(line)["values"]["details"].get("rated_replies") for line in _lines(live, "sie@1-"))


def test_an_error_of_one_scorer_touches_no_other(plain: Path, readers: list[Any], tmp_path: Path) -> None:
    live = play(tmp_path / "live", [readers[-1], "judge"])
    later = shutil.copytree(plain, tmp_path / "later")
    (count,) = score_log(Request(later, later, ("judge",)))
    assert (count.n_scored, count.n_failed) == (6, 0)
    assert scores_in(live)["judge@rules-2"] == scores_in(later)["judge@rules-2"]
    failed = {
        json.loads(line)["episode_id"]: json.loads(line)["values"].get("error") for line in _lines(live, "fickle")
    }
    assert {name for name, error in failed.items() if error} == {name for name in failed if name.endswith("1|0")}
    groups = json.loads(metrics_json([live], by=("agent",)))["groups"]
    assert [(group["n"], group["faults"]["judge"]) for group in groups] == [(3, 1), (3, 1)]


def test_seconds_of_a_log_file_stand_beside_its_scores(plain: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes((plain / "episodes.jsonl").read_bytes())
    with pytest.raises(SystemExit) as stop:
        main(["score", str(log), "scorers=[grade]", f"out={tmp_path / 'scored'}"])
    assert stop.value.code == 0
    assert seconds_in(tmp_path / "scored") == {"grade@1": 6}


def _lines(run: Path, start: str) -> list[bytes]:
    (file,) = (content for stem, content in scores_in(run).items() if stem.startswith(start))
    return file.splitlines()
