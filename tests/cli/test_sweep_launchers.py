"""Sweeps in processes of their own: what became of every job is known at the end, whoever played it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from supermarket_env.cli.sweep_notes import FOLDER, HYDRAS, Note, Notes

KILLER = """
import os, signal

class Killer:
    def start(self, view):
        os.kill(os.getpid(), signal.SIGKILL)

    def reply(self, view):
        return ""
"""

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_notes_tell_how_far_each_job_came_and_go_away(tmp_path: Path) -> None:
    with Notes.kept(tmp_path) as notes:
        first, second = notes.begin(0, "play a"), notes.begin(1, "play b")
        assert not notes.any_failed()
        notes.write(second.failed("no luck"))
        notes.write(first.done())
        assert [(note.job, note.state, note.reason) for note in notes.read()] == [
            (1, "failed", "no luck"),
            (0, "done", ""),
        ]
        assert notes.any_failed()
    assert not list(tmp_path.iterdir())


def test_what_a_killed_sweep_left_is_cleared_away_and_a_living_one_s_is_not(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    killed = Notes(tmp_path / FOLDER, f"{platform.node()}|{gone.pid}|a")
    killed.folder.mkdir()
    killed.write(Note(killed.sweep, 0, "play a").failed("old"))
    (killed.folder / HYDRAS).touch()
    living = Notes(tmp_path / FOLDER, f"{platform.node()}|{os.getpid()}|b")
    living.begin(0, "play b")
    elsewhere = Notes(tmp_path / FOLDER, f"another machine|{gone.pid}|c")
    elsewhere.begin(0, "play c")
    with Notes.kept(tmp_path) as notes:
        assert (notes.read(), notes.any_failed(), killed.read()) == ([], False, [])
        notes.write(notes.begin(0, "play a").done())
        assert len(notes.read()) == 1
    assert len(list(killed.folder.iterdir())) == 2
    assert len(living.read()) == len(elsewhere.read()) == 1


@pytest.fixture
def command(tmp_path: Path) -> Command:
    (tmp_path / "killers.py").write_text(KILLER, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "RAY_USAGE_STATS_ENABLED": "0"}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        code = "from supermarket_env.cli import main; main()"
        return subprocess.run([sys.executable, "-P", "-c", code, *words], cwd=tmp_path, env=environment,
                              capture_output=True, text=True, check=False, timeout=600)  # fmt: skip

    return run


def launcher(name: str) -> str:
    # Packages of plugins: looked for without importing what they need.
    if find_spec("hydra_plugins") is None or find_spec(f"hydra_plugins.hydra_{name}_launcher") is None:
        pytest.skip(f"the launcher {name} is not installed")
    return f"hydra/launcher={name}"


def test_a_launcher_that_is_not_there_names_the_extra(command: Command) -> None:
    if find_spec("hydra_plugins") is not None and find_spec("hydra_plugins.hydra_joblib_launcher") is not None:
        pytest.skip("it is there")
    done = command("run", "-m", "seed=0,1", "hydra/launcher=joblib")
    assert done.returncode == 2
    assert "supermarket_env[sweep]" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["basic", "joblib", "ray"])
def test_every_launcher_lists_what_failed_and_stops_if_asked(command: Command, tmp_path: Path, name: str) -> None:
    more = [launcher(name)] if name != "basic" else []
    sweep = ["run", "-m", "out=sw", "seed=0,1,2", "agents=[silent]", "suite.episodes=1", "run.compiled=false", *more]
    plan = command(*sweep, "run.dry_run=true")
    assert not (tmp_path / "sw").exists()
    assert not (tmp_path / "runs").exists()
    blocked = tmp_path / next(line.split()[1] for line in plan.stdout.splitlines() if line.startswith("directory"))
    blocked.mkdir(parents=True)
    (blocked / "somebody.txt").touch()
    done = command(*sweep)
    assert done.returncode == 2, done.stderr
    assert "sweep: 2 of 3 jobs finished; supermarket collect sw" in done.stdout
    listed = done.stderr.split("1 failed; each again by:\n", 1)[1].splitlines()
    assert listed[0].split()[:3] == ["supermarket", "run", "seed=0"]
    assert listed[0].endswith(f"out=sw/{blocked.name}")
    assert "not a run directory" in listed[1]
    assert {place.name for place in tmp_path.iterdir()} == {"sw", "killers.py"}, "nothing of Hydra's own"
    assert len(list((tmp_path / "sw").iterdir())) == 3
    if name == "ray":
        return  # its start takes longest, and the rest is no affair of the launcher's
    again = command(*sweep, "seed=0,3,4,5,6", "run.fail_fast=true")
    assert again.returncode == 2
    assert "not begun; the same sweep again plays what is missing" in again.stderr
    (blocked / "somebody.txt").unlink()
    whole = command(*sweep)
    assert whole.returncode == 0, whole.stderr
    assert "sweep: 3 of 3 jobs finished" in whole.stdout


def test_a_job_whose_process_is_killed_is_listed(command: Command, tmp_path: Path) -> None:
    done = command(
        "run", "-m", "out=sw", "agents=[{name: killer, _target_: killers.Killer}]", "seed=0,1", "suite.episodes=1",
        "reference=null", launcher("joblib"),
    )  # fmt: skip
    assert done.returncode == 2
    assert "the launcher gave up: TerminatedWorkerError" in done.stderr
    assert "its process ended in the middle of the job" in done.stderr
    assert "supermarket run" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "sw" / FOLDER).exists()
