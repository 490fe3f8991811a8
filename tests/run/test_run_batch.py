"""Workers and order change no byte; a killed run resumes to the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from supermarket_env.errors import LogError, RunFolderError
from supermarket_env.events.log import read_log
from supermarket_env.run.batch import WorkerError, worker_count
from supermarket_env.run.folder import RunFolder
from supermarket_env.run.job import run_job
from supermarket_env.run.seeding import episode_seed


def digest(out: Path) -> str:
    return hashlib.sha256((out / "episodes.jsonl").read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def whole(toy: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "run"
    run_job(toy.toy_plan(60, run={"workers": 1}), out, make_player=toy.ToyPlayer)
    return out


def test_the_file_is_sorted_and_readable(whole: Path) -> None:
    ids = [episode.episode_id for episode in read_log([whole]).episodes]
    assert ids == sorted(ids)
    assert len(ids) == 120
    assert not list(whole.glob("episodes-*.jsonl"))
    assert len((whole / "timings.jsonl").read_text().splitlines()) == 120


@pytest.mark.parametrize("workers", [2, 4])
def test_workers_give_the_same_bytes(toy: ModuleType, whole: Path, tmp_path: Path, workers: int) -> None:
    run_job(toy.toy_plan(60, run={"workers": workers}), tmp_path / "run", make_player=toy.ToyPlayer)
    assert digest(tmp_path / "run") == digest(whole)


@pytest.mark.parametrize(("workers", "key"), [(1, 1), (1, 2), (3, 3), (3, 4)])
def test_kill_and_resume_gives_the_same_bytes(
    toy_file: Path, whole: Path, tmp_path: Path, workers: int, key: int
) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-P", str(toy_file), str(out), str(workers)]
    process = subprocess.Popen([*command, "0.01"], stdout=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 30
    while not list(out.glob("episodes-*.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(random.Random(key).uniform(0.05, 0.35))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    n_before = sum(shard.read_bytes().count(b"\n") for shard in out.glob("episodes-*.jsonl"))
    assert not (out / "episodes.jsonl").exists()
    done = subprocess.run([*command, "0"], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 120 - n_before
    assert digest(out) == digest(whole)


def test_a_finished_run_plays_nothing(toy: ModuleType, whole: Path) -> None:
    result = run_job(toy.toy_plan(60, run={"workers": 1}), whole, make_player=toy.ToyPlayer)
    assert result.n_played == 0


def test_torn_and_missing_lines_are_redone(toy: ModuleType, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    plan = toy.toy_plan(60, run={"workers": 1})
    run_job(plan, out, make_player=toy.ToyPlayer)
    lines = (out / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    (out / "episodes.jsonl").unlink()
    (out / "episodes-0000.jsonl").write_bytes(b"".join(lines[:10]) + lines[10][:57])
    (out / "episodes-0003.jsonl").write_bytes(b"".join(lines[20:30]) + lines[30].rstrip(b"\n"))
    result = run_job(plan, out, make_player=toy.ToyPlayer)
    assert result.n_played == 120 - 10 - 11
    assert digest(out) == digest(whole)


def test_a_broken_whole_line_is_refused(toy: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "run"
    plan = toy.toy_plan(2, run={"workers": 1})
    run_job(plan, out, make_player=toy.ToyPlayer)
    (out / "episodes-0001.jsonl").write_bytes(b'{"episode_id": "x\n')
    with pytest.raises(LogError, match=r"episodes-0001\.jsonl, line 1: not JSON"):
        run_job(plan, out, make_player=toy.ToyPlayer)


def test_infra_errors_are_counted_and_redone(toy: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "run"
    plan = toy.toy_plan(5, run={"workers": 1})
    failing = frozenset({plan.units[3].episode_id})
    first = run_job(plan, out, make_player=lambda: toy.ToyPlayer(infra=failing))
    assert (first.n_infra, first.n_played) == (1, 10)
    assert len(read_log([out]).episodes) == 10
    second = run_job(plan, out, make_player=toy.ToyPlayer)
    assert (second.n_infra, second.n_played) == (0, 1)
    run_job(plan, tmp_path / "other", make_player=toy.ToyPlayer)
    assert digest(out) == digest(tmp_path / "other")


def test_infra_errors_in_shards_leave_one_line_each(toy: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "run"
    plan = toy.toy_plan(5, run={"workers": 1})
    failing = frozenset({plan.units[3].episode_id})
    run_job(plan, out, make_player=lambda: toy.ToyPlayer(infra=failing))
    (out / "episodes.jsonl").rename(out / "episodes-0000.jsonl")
    assert run_job(plan, out, make_player=toy.ToyPlayer).n_played == 1
    assert sum(episode.reason == "infra_error" for episode in read_log([out]).episodes) == 0


def test_an_episode_that_cannot_be_logged_is_an_infra_error(toy: ModuleType, tmp_path: Path) -> None:
    plan = toy.toy_plan(2, run={"workers": 1})
    result = run_job(
        plan, tmp_path / "run", make_player=lambda: toy.ToyPlayer(broken=frozenset({plan.units[0].episode_id}))
    )
    assert result.n_infra == 1
    first = json.loads((tmp_path / "run" / "episodes.jsonl").read_text().splitlines()[2])
    assert first["events"][0]["who"] == "infra"


def test_another_configuration_is_refused_by_key(toy: ModuleType, tmp_path: Path) -> None:
    run_job(toy.toy_plan(2), tmp_path, make_player=toy.ToyPlayer)
    with pytest.raises(RunFolderError, match=r"another configuration; different: limits\.strikes, seed"):
        run_job(toy.toy_plan(2, seed=1, limits={"strikes": 4}), tmp_path, make_player=toy.ToyPlayer)


def test_unhashed_keys_may_differ(toy: ModuleType, tmp_path: Path) -> None:
    run_job(toy.toy_plan(2), tmp_path, make_player=toy.ToyPlayer)
    other = toy.toy_plan(2, out="elsewhere", run={"workers": 2, "progress": False, "compiled": False})
    assert run_job(other, tmp_path, make_player=toy.ToyPlayer).n_played == 0


def test_other_content_is_refused_by_key(toy: ModuleType, tmp_path: Path) -> None:
    run_job(toy.toy_plan(2), tmp_path, make_player=toy.ToyPlayer)
    plan = toy.toy_plan(2)
    plan.suite.content_hash = "changed"
    with pytest.raises(RunFolderError, match="other content; different: suite"):
        run_job(plan, tmp_path, make_player=toy.ToyPlayer)


def test_foreign_folders_are_refused(toy: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(RunFolderError, match=r"not a run directory .* 'thesis\.tex'"):
        run_job(toy.toy_plan(2), tmp_path, make_player=toy.ToyPlayer)
    with pytest.raises(RunFolderError, match="it is a file"):
        run_job(toy.toy_plan(2), tmp_path / "thesis.tex", make_player=toy.ToyPlayer)


def test_a_run_without_episodes_may_be_begun_anew(toy: ModuleType, tmp_path: Path) -> None:
    RunFolder(tmp_path, {"config": {}, "config_hash": "x"}).close()
    assert run_job(toy.toy_plan(2), tmp_path, make_player=toy.ToyPlayer).n_played == 4
    assert json.loads((tmp_path / "manifest.json").read_text())["n_episodes"] == 4


def test_a_damaged_manifest_is_refused(toy: ModuleType, tmp_path: Path) -> None:
    run_job(toy.toy_plan(2), tmp_path, make_player=toy.ToyPlayer)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(RunFolderError, match="damaged"):
        run_job(toy.toy_plan(2), tmp_path, make_player=toy.ToyPlayer)


def test_episodes_of_another_plan_are_refused(toy: ModuleType, tmp_path: Path) -> None:
    run_job(toy.toy_plan(3), tmp_path, make_player=toy.ToyPlayer)
    with pytest.raises(RunFolderError, match="no part of this run"):
        run_job(toy.toy_plan(2), tmp_path, make_player=toy.ToyPlayer)


def test_a_folder_in_use_is_refused(toy: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl")
    monkeypatch.setattr("supermarket_env.run.lock.LOCK_PATIENCE_S", 0.1)
    manifest = {"config": {}, "config_hash": "x"}
    with RunFolder(tmp_path, manifest), pytest.raises(RunFolderError, match=rf"in use .* {os.getpid()}\)"):
        RunFolder(tmp_path, manifest)
    RunFolder(tmp_path, manifest).close()


def test_a_dying_worker_is_reported(toy: ModuleType, tmp_path: Path) -> None:
    class Dying:
        def play(self, unit: Any) -> dict[str, Any]:
            os._exit(7)

        def infra_line(self, unit: Any, detail: str) -> dict[str, Any]:
            return {}

    with pytest.raises(WorkerError, match="exit code 7"):
        run_job(toy.toy_plan(20, run={"workers": 2}), tmp_path, make_player=Dying)


def test_a_worker_that_cannot_start_is_reported(toy: ModuleType, tmp_path: Path) -> None:
    def broken() -> Any:
        raise RuntimeError("no world today")

    with pytest.raises(WorkerError, match="no world today"):
        run_job(toy.toy_plan(20, run={"workers": 2}), tmp_path, make_player=broken)


@pytest.mark.parametrize(("wanted", "n_units", "expected"), [(4, 0, 1), (4, 3, 1), (4, 100, 4), (1, 100, 1)])
def test_worker_count(wanted: int, n_units: int, expected: int) -> None:
    assert worker_count(wanted, n_units) == expected


def test_seeds_do_not_depend_on_the_assistant_and_fit(toy: ModuleType) -> None:
    units = toy.toy_plan(5).units
    assert units[0].seed == units[1].seed
    assert len({unit.seed for unit in units}) == 5
    assert all(0 <= episode_seed(s, "dev-1", t) < 2**62 for s in range(20) for t in range(20))
    assert episode_seed(0, "dev-0001", 0) == 515044061349863561
