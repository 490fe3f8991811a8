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
from supermarket_env.report.leaderboard import boards_of, leaderboard_page, not_compared, rank, read_submissions
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


def without(data: Any, key: str) -> None:
    for group in data["groups"]:
        del group[key]


def test_a_run_from_before_a_figure_existed_is_taken_and_said_to_be(run: Path, tmp_path: Path) -> None:
    current = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    change_json(run / "metrics.json", lambda data: without(data, "Turn_failure"))
    pack(run, tmp_path / "old.zip")
    found = read_submission(tmp_path / "old.zip")
    assert found.n_not_compared == found.statement["n_not_compared"] == 2
    assert found.metrics == current, "the board shows what the log gives"
    (note,) = not_compared([found])
    assert note.startswith("old.zip: 2 figures of this version")
    assert note in leaderboard_page([], (), [note])
    change_json(run / "metrics.json", lambda data: data["groups"][0].update(luck=1.0))
    with pytest.raises(ConfigError, match=r"groups\[rule\]\.luck says 1\.0, the log gives no such figure"):
        check_run(run)


def forge(zipped: Path, name: str, change: Any) -> None:
    """Change a file of a submission and make all hashes fit again."""
    with zipfile.ZipFile(zipped) as packed:
        files = {info.filename: packed.read(info) for info in packed.infolist()}
    data = [json.loads(line) for line in files[name].splitlines()] if name.endswith("l") else json.loads(files[name])
    change(data)
    lines = data if name.endswith("l") else [data]
    files[name] = "".join(json.dumps(line) + "\n" for line in lines).encode()
    statement = json.loads(files[SUBMISSION])
    statement["files"] = {key: hashlib.sha256(files[key]).hexdigest() for key in statement["files"]}
    files[SUBMISSION] = json.dumps(statement).encode()
    with zipfile.ZipFile(zipped, "w") as packed:
        for key, raw in files.items():
            packed.writestr(key, raw)


def test_an_assistant_that_is_told_the_truth_cannot_hide_it(told_run: Path, tmp_path: Path) -> None:
    zipped = tmp_path / "hide.zip"
    pack(told_run, zipped)
    forge(zipped, "manifest.json", lambda manifest: manifest.update(privileged=[]))
    forge(zipped, SUBMISSION, lambda statement: statement.update(privileged=[]))
    with pytest.raises(ConfigError, match=r"privileged: the manifest says \[\], its content gives \['oracle'\]"):
        read_submission(zipped)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("episodes.jsonl", lambda lines: lines[0].update(seed=1), "1 episodes have another seed than the run's"),
        ("episodes.jsonl", lambda lines: lines[0].update(trial=1), "1 episodes are not what their id says"),
        ("manifest.json", lambda m: m["config"].update(seed=1), "config_hash: the manifest says"),
        ("manifest.json", lambda m: m["suite"].update(hash="zzz"), "suite: the manifest says"),
        ("manifest.json", lambda m: m.update(rules="zzz"), "rules: expected 64 hexadecimal digits, got zzz"),
        ("manifest.json", lambda m: m["user"].update(hash="0" * 64), "user.hash: the manifest says 0000"),
        ("manifest.json", lambda m: m["stores"].update(neighbourhood="0"), "stores: the manifest says"),
        ("manifest.json", lambda m: m.update(stores=None), "stores: expected an object, got None"),
        ("manifest.json", lambda m: m.update(config=None), "config: expected an object, got None"),
        ("manifest.json", lambda m: m.pop("agents"), "agents is missing"),
        ("manifest.json", lambda m: m["config"].update(trials=10_000), "2 assistants in 10000 trials need more"),
        ("manifest.json", lambda m: m["config"].update(scorers=[5]), "cannot be built here: configuration: scorers"),
        (SUBMISSION, lambda s: s["costs"].update(rule=float("nan")), "costs.rule: expected a finite number, got nan"),
        (SUBMISSION, lambda s: s["costs"].update(rule=-1), "costs.rule: expected greater than or equal to 0, got -1"),
        (SUBMISSION, lambda s: s["costs"].pop("rule"), "costs are not stated for every assistant"),
        (SUBMISSION, lambda s: s.update(privileged=["rule"]), "privileged: the statement says"),
    ],
)
def test_a_forged_submission_is_refused_in_the_name_of_its_file(
    run: Path, tmp_path: Path, name: str, change: Any, message: str
) -> None:
    zipped = tmp_path / "forged.zip"
    pack(run, zipped)
    forge(zipped, name, change)
    with pytest.raises(ConfigError, match=message) as refusal:
        read_submission(zipped)
    assert str(refusal.value).startswith(f"{zipped}: ")
    assert str(refusal.value).count("/tmp") == str(zipped).count("/tmp"), "no temporary folder is named"


def test_a_board_never_runs_what_an_entry_names(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hostile.py").write_text("raise SystemExit('run')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    zipped = tmp_path / "own.zip"
    pack(run, zipped)
    entry = {"name": "mine", "_target_": "hostile.Agent"}
    forge(zipped, "manifest.json", lambda m: m["config"].update(agents=[entry], scorers=[{**entry, "name": "s"}]))
    with pytest.raises(ConfigError, match=r"agents: the manifest says \['rule', 'silent'\]"):
        read_submission(zipped)


def damaged(content: bytes, how: str) -> bytes:
    """Return a zip file as bytes, damaged in one of the ways that zipfile has an error of its own for."""
    raw = bytearray(content)
    if how == "data":
        raw[3000:3050] = bytes(50)
        return bytes(raw)
    for mark, flags, method in ((b"PK\x01\x02", 8, 10), (b"PK\x03\x04", 6, 8)):
        place = raw.find(mark)
        while place >= 0:
            if how == "encrypted":
                raw[place + flags] |= 1
            else:
                raw[place + method : place + method + 2] = (99).to_bytes(2, "little")
            place = raw.find(mark, place + 4)
    return bytes(raw)


def test_one_bad_file_does_not_take_the_board_down(run: Path, tmp_path: Path) -> None:
    pack(run, tmp_path / "good.zip")
    lzma = (tmp_path / "good.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "good.zip") as packed:
        files = {info.filename: packed.read(info) for info in packed.infolist()}
    with zipfile.ZipFile(tmp_path / "deflated.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    deflated = (tmp_path / "deflated.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "deep.zip", "w") as packed:
        for name, content in files.items():
            packed.writestr(name, b"[" * 100_000 if name == SUBMISSION else content)
    bad = {"cut": lzma[:5000], "empty": b"", "lzma": damaged(lzma, "data"), "zlib": damaged(deflated, "data")}
    bad |= {how: damaged(deflated, how) for how in ("encrypted", "method")}
    for name, content in bad.items():
        (tmp_path / f"{name}.zip").write_bytes(content)
    found, refused = read_submissions(tmp_path)
    assert [submission.source for submission in found] == ["deflated.zip", "good.zip"]
    assert [line.partition(": ")[0] for line in refused] == [
        str(tmp_path / f"{name}.zip") for name in sorted([*bad, "deep"])
    ]
