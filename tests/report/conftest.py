"""A small finished run that the tests of reports share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from supermarket_env.cli.run import write_results
from supermarket_env.run.build import build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.job import run_job


def play(out: Path, **keys: object) -> Path:
    """Play a run of a few episodes in this process."""
    data = {"agents": ["rule"], "suite": {"name": "dev", "episodes": 3}, "run": {"workers": 1, "compiled": False}}
    plan = build_plan(RunConfig.parse(data | keys))
    run_job(plan, out, command_line=["test"], finish=write_results)
    return out


@pytest.fixture(scope="session")
def player() -> Callable[..., Path]:
    """Give :func:`play` to tests that need runs of their own."""
    return play


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two trials of three tasks for the rule assistant and its silent reference."""
    return play(tmp_path_factory.mktemp("runs") / "small", trials=2)


@pytest.fixture(scope="session")
def told_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One trial of three tasks for an assistant that is told the truth."""
    return play(tmp_path_factory.mktemp("runs") / "told", agents=["oracle"])
