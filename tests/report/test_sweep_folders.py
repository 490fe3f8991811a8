"""Folders of runs: trips that stand in two runs count once; where one run is wanted its name is told."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from supermarket_env.cli import main
from supermarket_env.compare.manifest import check_run_folder
from supermarket_env.errors import RunFolderError
from supermarket_env.report.collect import collect_runs, runs_of
from supermarket_env.report.kinds import Order, draw
from supermarket_env.report.plot_heatmap import cell_of


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory, player: Callable[..., Path]) -> Path:
    """The same two seeds played twice: with rule and popularity, then with rule alone."""
    folder = tmp_path_factory.mktemp("sweeps") / "sweep"
    for seed in (0, 1):
        player(folder / f"a{seed}", agents=["popularity", "rule"], seed=seed)
        player(folder / f"b{seed}", agents=["rule"], seed=seed)
    return folder


def test_the_same_trips_of_two_runs_count_once(sweep: Path) -> None:
    found = collect_runs([sweep])
    assert found.n_runs == 2
    assert {(repeat.agent, repeat.run.name, repeat.first.name) for repeat in found.repeats} == {
        ("rule", "b0", "a0"), ("rule", "b1", "a1"), ("silent", "b0", "a0"), ("silent", "b1", "a1"),
    }  # fmt: skip
    cell = cell_of([row for row in found.rows if row["agent"] == "rule" and row["config.seed"] == 0], "NS")
    assert cell is not None
    assert (cell.n, cell.n_runs) == (3, 1)


def test_other_trips_under_the_same_configuration_stay(sweep: Path, tmp_path: Path) -> None:
    """Two runs of an assistant that does not repeat itself are two runs."""
    for name in ("a0", "b0"):
        shutil.copytree(sweep / name, tmp_path / name)
    file = tmp_path / "b0" / "metrics.json"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"need_satisfaction": 0.', '"need_satisfaction": 0.9'), encoding="utf-8")
    assert collect_runs([tmp_path]).n_runs == 2


def test_collect_says_what_it_counted_once(sweep: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["collect", str(sweep), "--out", str(tmp_path / "t.csv")])
    assert f"the trips of rule in {sweep / 'b0'} are those in {sweep / 'a0'}: counted once" in capsys.readouterr().err


def test_a_sweep_folder_stands_for_its_runs_in_reports(sweep: Path, tmp_path: Path) -> None:
    assert {run.name for run in runs_of([sweep])} == {"a0", "a1"}
    with pytest.raises(SystemExit):
        main(["report", str(sweep), "--out", str(tmp_path / "r.md")])
    assert (tmp_path / "r.md").read_text(encoding="utf-8").count("| assistant |") == 2


@pytest.mark.parametrize("kind", ["radar", "forest"])
def test_what_draws_one_run_names_those_in_the_folder(sweep: Path, tmp_path: Path, kind: str) -> None:
    with pytest.raises(RunFolderError, match=r"holds 4; name one of them: .*a0, .*a1, .*b0, .*b1"):
        draw(kind, Order((str(sweep),), tmp_path / "x.png"))


def test_a_misspelt_run_or_sweep_gets_the_nearest_name(sweep: Path) -> None:
    with pytest.raises(RunFolderError, match=r"no such run directory. Did you mean '.*a0'"):
        check_run_folder(sweep / "ao0")
    with pytest.raises(RunFolderError, match=r"Did you mean '.*sweep'"):
        check_run_folder(sweep.parent / "swep")
    with pytest.raises(RunFolderError, match=r"Did you mean '.*sweep'"):
        collect_runs([sweep.parent / "swep"])
