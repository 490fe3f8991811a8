"""Pictures of every kind: each number drawn stands in the CSV with its n, unit and interval, and nothing is cut off."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.compare.paired import compare_sides
from supermarket_env.compare.sides import Side, read_run, whole_run
from supermarket_env.errors import ConfigError, RunFolderError
from supermarket_env.report.collect import Row
from supermarket_env.report.kinds import KINDS, Order, draw
from supermarket_env.report.look import legend_below, new_figure
from supermarket_env.report.plot_forest import save_forest
from supermarket_env.report.plot_heatmap import cell_of, save_heat_map
from supermarket_env.report.plot_learning import Point, mean_curve, read_curve, save_learning
from supermarket_env.report.plot_points import save_pareto
from supermarket_env.report.results import panel_titles, read_results


def rows_of(table: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize(
    ("kind", "n", "ends"),
    [
        ("sr_vs_turn", "n", ("low", "high")),
        ("success", "n", ("low", "high")),
        ("cgv", "n_goals", ("low", "high")),
        ("forest", "n_tasks", ("low", "high")),
        ("radar", "n", ("low", "high")),
        ("pareto", "n", ("NS_low", "NS_high")),
        ("pass_k", "n_tasks", ("pass_at_low", "pass_at_high")),
    ],
)
def test_every_number_drawn_has_its_n_and_interval(
    small_run: Path, tmp_path: Path, kind: str, n: str, ends: tuple[str, str]
) -> None:
    picture, twin, table = draw(kind, Order((str(small_run),), tmp_path / f"{kind}.png"))
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in twin.read_bytes()
    rows = rows_of(table)
    assert rows
    for row in rows:
        assert int(row[n]) > 0
        undefined = row.get("value") == ""  # spokes that are undefined leave a gap
        assert undefined or all(row[end] for end in ends), row


def test_the_floor_plan_shows_the_goods_and_the_hints(small_run: Path, tmp_path: Path) -> None:
    _, twin, table = draw("floor", Order((str(small_run),), tmp_path / "floor.png"))
    assert {"node", "hint", "suggested", "action"} <= rows_of(table)[0].keys()
    assert twin.stat().st_size > 10_000


def test_a_sweep_folder_stands_for_its_runs(small_run: Path, tmp_path: Path) -> None:
    _, _, table = draw("success", Order((str(small_run.parent),), tmp_path / "a.png"))
    assert {row["run"] for row in rows_of(table)} == {str(small_run)}
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(RunFolderError, match="no run directory"):
        draw("success", Order((str(empty),), tmp_path / "b.png"))


def test_unknown_words_are_refused_with_the_nearest(small_run: Path, tmp_path: Path) -> None:
    run = (str(small_run),)
    with pytest.raises(ConfigError, match="Did you mean 'radar'"):
        draw("radr", Order(run, tmp_path / "a.png"))
    with pytest.raises(ConfigError, match="Did you mean 'turns'"):
        draw("pareto", Order(run, tmp_path / "a.png", x="turn"))
    with pytest.raises(ConfigError, match=r"expected a picture ending in \.png, \.svg, \.pdf"):
        draw("cgv", Order(run, tmp_path / "a.gif"))
    assert all(kind.help for kind in KINDS.values())


def test_a_forced_comparison_is_flagged_in_the_numbers_of_its_picture(small_run: Path, tmp_path: Path) -> None:
    words = [word.rpartition(":")[2] for word in whole_run(str(small_run))]
    found = compare_sides([Side(read_run(small_run), name) for name in words])
    _, _, table = save_forest(found, tmp_path / "f.png", warnings=["NOT COMPARABLE, forced: stores"])
    assert {row["flag"] for row in rows_of(table)} == {"NOT COMPARABLE"}
    _, _, table = save_forest(found, tmp_path / "g.png")
    assert {row["flag"] for row in rows_of(table)} == {""}


def row_of(seed: int, track: str, value: float | None, half: float = 0.1) -> Row:
    low, high = (None, None) if value is None else (value - half, value + half)
    return {"agent": "a", "n": 30, "config.seed": seed, "config.track": track, "NS_uplift": value,
            "NS_uplift_low": low, "NS_uplift_high": high}  # fmt: skip


def test_a_cell_of_several_runs_has_their_mean_and_an_interval() -> None:
    cell = cell_of([row_of(0, "text", 0.2), row_of(1, "text", 0.4, half=0.3), row_of(2, "text", None)], "NS_uplift")
    assert cell is not None
    assert (cell.n, cell.n_runs) == (60, 2)
    assert cell.value == pytest.approx(0.3)
    assert [cell.low, cell.high] == pytest.approx([0.1, 0.5])
    assert cell_of([row_of(0, "text", None)], "NS_uplift") is None


def test_a_heat_map_marks_who_is_told_the_truth(tmp_path: Path) -> None:
    rows = [row_of(seed, "text", seed / 10) | {"privileged": 1} for seed in (0, 1)]
    svg = save_heat_map(rows, tmp_path / "h.png", x="seed")[1].read_text(encoding="utf-8")
    assert f"<!-- {rows[0]['agent']}* -->" in svg


def test_names_beside_a_pareto_front_stand_outside_the_axes(
    small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There they cover no mark, and the picture is made wide enough for them."""
    seen: list[Any] = []
    monkeypatch.setattr("supermarket_env.report.plot_points.save_figure", lambda page, *_: seen.append(page))
    save_pareto([read_results(small_run)], tmp_path / "p.png")
    page = seen[0]
    page.canvas.draw()
    axes, renderer = page.axes[0], page.canvas.get_renderer()
    names = [super(type(text), text).get_window_extent(renderer) for text in axes.texts]  # without the leading lines
    assert len(names) == 2
    for name in names:
        assert name.x0 > axes.get_window_extent(renderer).x1
        assert name.x1 <= page.bbox.x1
    low, high = sorted(names, key=lambda box: float(box.y0))
    assert low.y1 <= high.y0


def test_a_heat_map_keeps_every_cell_in_its_numbers(tmp_path: Path) -> None:
    rows = [row_of(seed, track, seed / 10) for seed in (0, 1) for track in ("text", "semantic")]
    _, _, table = save_heat_map(rows, tmp_path / "h.png", x="seed")
    assert len(rows_of(table)) == 4
    merged = [{**row, "config.track": "text"} for row in rows]
    _, _, table = save_heat_map(merged, tmp_path / "m.png", x="seed")
    assert [(row["n_runs"], row["n"], bool(row["low"])) for row in rows_of(table)] == [("2", "60", True)] * 2
    with pytest.raises(ConfigError, match="unknown varied key 'seeds'"):
        save_heat_map(rows, tmp_path / "h.png", x="seeds")


def write_curve(folder: Path, points: list[tuple[int, float]], **more: float) -> Path:
    folder.mkdir(parents=True)
    lines = [json.dumps({"steps": steps, "satisfaction": value, **more}) for steps, value in points]
    (folder / "progress.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_the_mean_of_trainings_is_read_between_their_points() -> None:
    curves = [
        [Point(0, 0.0, None, None, None), Point(100, 1.0, None, None, None)],
        [Point(50, 0.4, None, None, None), Point(150, 0.6, None, None, None)],
        [Point(0, 0.2, None, None, None), Point(200, 0.2, None, None, None)],
    ]
    mean = mean_curve(curves)
    assert (mean[0].steps, mean[-1].steps, mean[0].n) == (50, 100, 3)
    assert mean[0].satisfaction == pytest.approx((0.5 + 0.4 + 0.2) / 3)
    assert mean[-1].satisfaction == pytest.approx((1.0 + 0.5 + 0.2) / 3)
    assert all(point.low is not None and point.low < point.satisfaction for point in mean)
    assert all(point.low is None for point in mean_curve(curves[:2])), "two trainings say little of others"
    assert mean_curve([curves[0], [Point(500, 0.1, None, None, None)]]) == [], "no step in common"
    assert mean_curve([curves[0], []]) == []


def test_learning_curves_keep_their_intervals_and_say_what_is_missing(tmp_path: Path) -> None:
    more = {"satisfaction_low": 0.1, "satisfaction_high": 0.9, "watched": 100}
    folders = [write_curve(tmp_path / str(k), [(0, 0.4), (100, 0.5 + k / 10)], **more) for k in range(3)]
    _, _, table = save_learning(folders, tmp_path / "l.png")
    rows = rows_of(table)
    assert {row["n_is"] for row in rows} == {"watched tasks", "trainings"}
    assert all(row["low"] and row["high"] and row["n"] for row in rows)
    assert read_curve(folders[0])[0] == Point(0, 0.4, 0.1, 0.9, 100)
    with pytest.raises(RunFolderError, match=r"progress\.jsonl"):
        save_learning([tmp_path / "nothing"], tmp_path / "l.png")


@pytest.mark.parametrize("width", [6.0, 11.0])
@pytest.mark.parametrize("count", [1, 5, 8])
def test_a_legend_is_never_wider_than_its_picture(width: float, count: int) -> None:
    page = new_figure(width, 5.0)
    axes = page.add_subplot()
    for k in range(count):
        axes.plot([0, 1], [0, k], label=f"assistant number {k} (n = 1000 trips)")
    legend_below(page, axes)
    page.draw_without_rendering()
    box = page.legends[0].get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= page.bbox.width


def test_runs_are_told_apart_by_what_differs_else_by_their_folder(small_run: Path) -> None:
    run = read_results(small_run)
    assert panel_titles([run]) == [run.title]
    assert panel_titles([run, run]) == [str(small_run)] * 2
