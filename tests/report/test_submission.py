"""Submissions: what is packed, what is refused, and how a leaderboard ranks."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.compare.sides import Side, read_run
from supermarket_env.errors import ConfigError
from supermarket_env.report.leaderboard import boards_of, leaderboard_page, rank, read_submissions
from supermarket_env.report.submission import FILES, SUBMISSION, check_run, pack, read_submission


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(small_run, tmp_path / "run")
    return tmp_path / "run"


def change_json(file: Path, change: Any) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    change(data)
    file.write_text(json.dumps(data), encoding="utf-8")


def repacked(zipped: Path, name: str, content: bytes, *, honest_hash: bool) -> None:
    """Replace one file of a submission, with or without a hash that fits."""
    with zipfile.ZipFile(zipped) as packed:
        files = {info.filename: packed.read(info) for info in packed.infolist()}
    files[name] = content
    if honest_hash:
        statement = json.loads(files[SUBMISSION])
        statement["files"][name] = hashlib.sha256(content).hexdigest()
        files[SUBMISSION] = json.dumps(statement).encode()
    with zipfile.ZipFile(zipped, "w") as packed:
        for key, value in files.items():
            packed.writestr(key, value)


def test_the_same_run_packs_to_the_same_bytes_and_reads_back(run: Path, tmp_path: Path) -> None:
    pack(run, tmp_path / "a.zip")
    pack(run, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    found = read_submission(tmp_path / "a.zip")
    assert found.run.agents == ("rule", "silent")
    assert found.statement["costs"] == {"rule": 0.0, "silent": 0.0}
    assert set(found.statement["files"]) == set(FILES)


def test_altered_figures_are_refused_by_name(run: Path) -> None:
    def raise_it(data: Any) -> None:
        data["groups"][0]["beyond"]["NS_uplift"] = 0.99

    change_json(run / "metrics.json", raise_it)
    with pytest.raises(
        ConfigError, match=r"metrics\.json is not what the log gives: groups\[rule\]\.beyond\.NS_uplift"
    ):
        check_run(run)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(rules="0" * 64), "rules: the manifest says"),
        (lambda m: m["suite"].update(hash="0" * 64), "suite: the manifest says"),
        (lambda m: m["stores"].update(neighbourhood="0"), "stores: the manifest says"),
        (lambda m: m.update(config_hash="0"), "config_hash: the manifest says"),
        (lambda m: m["config"].update(seed=5), "another seed than the run's"),
        (lambda m: m["user"].pop("version"), "the user model is not named: version missing"),
        (lambda m: m["config"]["suite"].update(episodes=4), "episodes are missing, first"),
    ],
)
def test_altered_manifests_are_refused(run: Path, change: Any, message: str) -> None:
    change_json(run / "manifest.json", change)
    with pytest.raises(ConfigError, match=message):
        check_run(run)


def test_a_model_without_name_or_cost_is_refused(run: Path) -> None:
    lines = (run / "episodes.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    first["events"].insert(0, {"k": "usage", "turn": 1, "who": "assistant", "tokens_in": 5})
    (run / "episodes.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n", encoding="utf-8")
    with pytest.raises(ConfigError) as refusal:
        check_run(run)
    assert "1 of 1 model calls do not name their model" in str(refusal.value)
    assert "1 model calls have no cost; state one with --cost rule=AMOUNT" in str(refusal.value)


def test_an_unfinished_run_is_refused(run: Path) -> None:
    (run / "metrics.json").unlink()
    with pytest.raises(ConfigError, match=r"missing: metrics\.json"):
        check_run(run)


def test_packed_files_are_checked_again(run: Path, tmp_path: Path) -> None:
    zipped = tmp_path / "a.zip"
    pack(run, zipped)
    metrics = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    metrics["groups"][0]["SR"] = 12.5
    repacked(zipped, "metrics.json", json.dumps(metrics).encode(), honest_hash=False)
    with pytest.raises(ConfigError, match=r"altered after packing: metrics\.json"):
        read_submission(zipped)
    repacked(zipped, "metrics.json", json.dumps(metrics).encode(), honest_hash=True)
    with pytest.raises(ConfigError, match=r"groups\[rule\]\.SR says 12\.5"):
        read_submission(zipped)
    with zipfile.ZipFile(zipped, "a") as packed:
        packed.writestr("../outside", b"")
    with pytest.raises(ConfigError, match="differing"):
        read_submission(zipped)
    zipped.write_bytes(b"no zip")
    with pytest.raises(ConfigError, match="no readable zip"):
        read_submission(zipped)


def test_ranks_ties_probes_and_refusals(run: Path, tmp_path: Path) -> None:
    board_folder = tmp_path / "board"
    pack(run, board_folder / "one.zip")
    (board_folder / "broken.zip").write_bytes(b"")
    found, refused = read_submissions(board_folder)
    assert len(refused) == 1
    (board,) = boards_of(found, frozenset({"silent"}))
    assert [line.agent for line in board.ranked] == ["rule"]
    assert [(line.agent, line.rank) for line in board.probes] == [("silent", None)]
    page = leaderboard_page([board], refused)
    assert "| 1    | rule" in page
    assert "broken.zip" in page
    side = Side(read_run(run), "rule")
    assert rank({"one": side, "two": side}) == {"one": 1, "two": 1}, "nobody is shown to be better: a tie"
    with pytest.raises(ConfigError, match="expected a folder with submissions"):
        read_submissions(tmp_path / "nowhere")


def test_another_simulator_gets_a_board_of_its_own_with_a_flag(run: Path, tmp_path: Path) -> None:
    pack(run, tmp_path / "one.zip")
    one = read_submission(tmp_path / "one.zip")
    manifest = json.loads(json.dumps(one.run.manifest))
    manifest["user"]["hash"] = "another"
    two = type(one)("two.zip", type(one.run)(one.run.path, manifest, one.run.rows), one.metrics, one.statement)
    boards = boards_of([one, two], frozenset())
    assert len(boards) == 2
    assert all(len(board.flags) == 1 and "another user" in board.flags[0] for board in boards)
