"""The command's front door: help, unknown words, what Hydra prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from supermarket_env.cli import COMMANDS

COMMAND = str(Path(sys.executable).parent / "supermarket")


def supermarket(cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *words], cwd=cwd, capture_output=True, text=True, check=False)


def test_help_lists_every_sub_command(tmp_path: Path) -> None:
    done = supermarket(tmp_path, "--help")
    assert done.returncode == 0
    for name, entry in COMMANDS.items():
        assert name in done.stdout
        assert entry.help[:30] in done.stdout


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "run"])
def test_every_sub_command_has_a_help_page(tmp_path: Path, name: str) -> None:
    done = supermarket(tmp_path, name, "--help")
    assert done.returncode == 0, done.stderr
    assert "Usage" in done.stdout


def test_an_unknown_sub_command_is_refused(tmp_path: Path) -> None:
    done = supermarket(tmp_path, "rnu")
    assert done.returncode == 2
    assert "unknown sub-command 'rnu'; valid: run, metrics" in done.stderr
    assert "Did you mean 'run'?" in done.stderr


def test_the_search_path_names_the_package(tmp_path: Path) -> None:
    done = supermarket(tmp_path, "run", "--info", "searchpath")
    assert done.returncode == 0
    assert "pkg://supermarket_env.conf" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_configuration_is_printed(tmp_path: Path) -> None:
    done = supermarket(tmp_path, "run", "--cfg", "job", "seed=7")
    assert done.returncode == 0
    assert "seed: 7" in done.stdout
    assert supermarket(tmp_path, "run", "--cfg", "job", "sede=7").returncode == 2


def test_hydra_options_with_values_are_passed_on(tmp_path: Path) -> None:
    (tmp_path / "own" / "suite").mkdir(parents=True)
    (tmp_path / "own" / "suite" / "mine.yaml").write_text("name: mine\nepisodes: 3\n")
    done = supermarket(tmp_path, "run", "--config-dir", "own", "--cfg", "job", "suite=mine")
    assert "name: mine" in done.stdout


def test_agents_are_listed_with_what_they_do(tmp_path: Path) -> None:
    done = supermarket(tmp_path, "agents")
    assert done.returncode == 0
    for name in ("silent", "random", "spam", "checkout_pusher", "popularity", "retrieval", "rule", "oracle*"):
        assert any(line.startswith(name + " ") for line in done.stdout.splitlines()), name


def test_the_version_is_printed(tmp_path: Path) -> None:
    assert supermarket(tmp_path, "version").stdout.strip()[0].isdigit()


def test_plot_refuses_what_is_no_run(tmp_path: Path) -> None:
    done = supermarket(tmp_path, "plot", str(tmp_path))
    assert done.returncode == 2
    assert "expected a run directory with a manifest.json" in done.stderr


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{COMMAND} agents | true"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert "Traceback" not in done.stderr
