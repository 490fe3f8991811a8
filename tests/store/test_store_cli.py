"""`supermarket store`: pictures are written, faults end with exit code 2 and the reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from supermarket_env.catalogue import load_catalogue
from supermarket_env.cli.store import app
from supermarket_env.errors import LayoutError
from supermarket_env.store import layout_yaml, load_layout, load_store
from supermarket_env.store.departments import looks_of
from supermarket_env.store.draw import draw_store, save_plan, section_labels

runner = CliRunner()


def test_show_writes_a_picture(tmp_path: Path) -> None:
    out = tmp_path / "shop.png"
    done = runner.invoke(app, ["show", "corner", "--out", str(out), "--path", "N001,N002,N005,N008,N013,N002", "--ids"])
    assert done.exit_code == 0, done.output
    assert done.output.strip() == str(out)
    assert out.read_bytes()[:4] == b"\x89PNG"
    assert out.stat().st_size > 20_000


def test_show_without_goods(tmp_path: Path) -> None:
    out = tmp_path / "shop.svg"
    assert runner.invoke(app, ["show", "generated:2", "--out", str(out), "--catalogue", "none"]).exit_code == 0
    assert "<svg" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["show", "cornr", "--catalogue", "none"], "Did you mean 'corner'?"),
        (["show", "corner", "--catalogue", "embeded"], "embedded"),
        (["show", "corner", "--catalogue", "none", "--path", "N001,N999"], "path: unknown node 'N999'"),
        (["show", "corner", "--catalogue", "none", "--out", "plan.txt"], "must end in .png, .svg or .pdf"),
        (["show", "corner", "--catalogue", "none", "--out", "no/such/folder/plan.png"], "there is no folder"),
        (["validate", "nowhere.yaml"], "cannot be read"),
    ],
)
def test_faults_are_told(arguments: list[str], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = runner.invoke(app, arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")
    assert reason in done.stderr
    assert done.stdout == ""


def test_validate(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    text = layout_yaml(load_layout("corner"))
    file.write_text(text, encoding="utf-8")
    done = runner.invoke(app, ["validate", str(file)])
    assert done.exit_code == 0
    assert "corner: sound; 15 nodes, 53 sections" in done.output
    file.write_text(text.replace("kind: exit", "kind: aisle"), encoding="utf-8")
    done = runner.invoke(app, ["validate", str(file)])
    assert done.exit_code == 2
    assert "no node of kind 'exit'" in done.stderr


def test_list() -> None:
    done = runner.invoke(app, ["list"])
    assert done.exit_code == 0
    for name in ("corner", "neighbourhood", "hyper", "generated:<seed>"):
        assert name in done.output


def test_a_picture_is_the_same_each_time(tmp_path: Path) -> None:
    layout = load_layout("corner")
    one, two = save_plan(layout, tmp_path / "a.png"), save_plan(layout, tmp_path / "b.png")
    assert one.read_bytes() == two.read_bytes()


def test_the_plan_names_every_department_in_its_legend() -> None:
    layout = load_layout("corner")
    figure = draw_store(layout, path=["N001", "N001", "N002"])
    legend = figure.axes[0].get_legend()
    assert legend is not None
    told = {text.get_text() for text in legend.get_texts()}
    assert set(section_labels(layout)) - {"promotion"} <= told
    with pytest.raises(LayoutError, match="unknown node 'S001'"):
        draw_store(layout, path=["S001"])


def test_a_department_looks_the_same_in_every_store() -> None:
    goods = load_catalogue("embedded")
    stores = [load_store(name, goods) for name in ("corner", "neighbourhood", "hyper")]
    seen = [looks_of(section_labels(store)) for store in stores]
    for name in set.intersection(*(set(looks) for looks in seen)):
        assert len({looks[name] for looks in seen}) == 1, name
    for looks in seen:
        assert len(set(looks.values())) == len(looks), "two departments of one store look alike"
    strange = [f"department {k}" for k in range(120)]
    assert len({looks_of(strange)[name] for name in strange}) == 120
    assert looks_of(["promotion", "Pets"])["Pets"] == looks_of(reversed([*strange, "Pets"]))["Pets"]


def test_names_are_written_large_enough_and_beside_the_shelves() -> None:
    layout = load_layout("hyper")
    texts = [text for text in draw_store(layout).axes[0].texts if text.get_rotation() == 90]
    assert len(texts) > 20
    for text in texts:
        assert float(text.get_fontsize()) >= 8
        x, y = text.get_position()
        assert not any(s.x0 < x < s.x1 and s.y0 < y < s.y1 for s in layout.sections), text.get_text()
