"""A path with nothing there names the run that was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from supermarket_env.cli.score import score
from supermarket_env.compare.manifest import read_manifest
from supermarket_env.errors import ConfigError, LogError, RunFolderError
from supermarket_env.events.log import read_log
from supermarket_env.events.nearby import nearest_run


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("runs/dev-1234abcd", "runs/mine", "quick"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "episodes.jsonl").touch()
    (tmp_path / "quack").mkdir()  # no run
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("runs/dev", "runs/dev-1234abcd"),  # the default name goes on with a hash
        ("runs/mien", "runs/mine"),
        ("mine", "runs/mine"),  # the default place is searched
        ("runs/quick", "quick"),  # and the current folder
        ("quuck", "quick"),
    ],
)
def test_the_nearest_run(place: Path, given: str, meant: str) -> None:
    assert nearest_run(Path(given)) == f" Did you mean {meant!r}?"


def test_nothing_close_is_no_guess(place: Path) -> None:
    assert nearest_run(Path("runs/zzzz")) == ""
    assert nearest_run(Path("no/such/place")) == ""


def test_every_reader_of_runs_says_it(place: Path) -> None:
    with pytest.raises(LogError, match=r"no such file or run directory\. Did you mean 'runs/dev-1234abcd'\?"):
        read_log("runs/dev")
    with pytest.raises(RunFolderError, match=r"Did you mean 'runs/dev-1234abcd'\?"):
        read_manifest(Path("runs/dev"))
    with pytest.raises(ConfigError, match=r"no such run directory or log file\. Did you mean 'runs/dev-1234abcd'\?"):
        score(["runs/dev"])
