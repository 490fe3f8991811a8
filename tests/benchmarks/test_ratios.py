"""The pure parts of the speed benchmarks: slices, ratios, lines of the table, sizes, the plot."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("slices", "processes", "scaling", "ratios")


@pytest.fixture(scope="module")
def programs() -> dict[str, ModuleType]:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return {name: importlib.import_module(name) for name in NAMES}
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


@pytest.fixture
def clock(programs: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """A clock that moves only when the work below says so."""
    now = {"t": 0.0, "speed": 1.0}
    monkeypatch.setattr(programs["slices"].time, "process_time", lambda: now["t"])
    return now


def work(clock: dict[str, float], seconds: float, first: float = 0.0) -> Any:
    """Return a slice whose every step takes so long; its first call takes ``first`` more, like compiling."""
    left = [first]

    def run(n: int) -> None:
        clock["t"] += clock["speed"] * (n * seconds + left[0])
        left[0] = 0.0

    return run


def test_a_slice_lasts_what_it_should(programs: dict[str, Any], clock: dict[str, float]) -> None:
    steps_for = programs["slices"].steps_for
    assert steps_for(work(clock, 1e-5), 0.008) == 800
    assert steps_for(work(clock, 1e-5, first=2.0), 0.008) == 800  # what is compiled first does not count
    assert steps_for(work(clock, 0.5), 0.008) == 1  # never none


def test_a_ratio_ignores_the_speed_of_the_machine(programs: dict[str, Any], clock: dict[str, float]) -> None:
    compare, effort = programs["slices"].compare, programs["slices"].Effort(rounds=9, passes=2)
    anchor, inner = work(clock, 1e-5), work(clock, 4e-5)
    rounds = [0]

    def variant(n: int) -> None:
        rounds[0] += 1
        clock["speed"] = 1.0 + rounds[0] % 3  # flips between the slices: the anchor feels it as well
        inner(n)

    assert compare(inner, anchor, effort).ratio == pytest.approx(4.0)
    assert compare(inner, anchor, effort, per_step=100).ratio == pytest.approx(0.04)
    assert compare(variant, anchor, effort).ratio == pytest.approx(4.0, rel=0.5)


def test_one_bad_round_in_ten_changes_nothing(programs: dict[str, Any], clock: dict[str, float]) -> None:
    compare, effort = programs["slices"].compare, programs["slices"].Effort(rounds=11, passes=1)
    calm, calls = work(clock, 2e-5), [0]

    def disturbed(n: int) -> None:
        calls[0] += 1
        calm(n)
        clock["t"] += 5.0 if calls[0] % 11 == 0 else 0.0

    assert compare(disturbed, work(clock, 1e-5), effort).ratio == pytest.approx(2.0)


def test_lines_say_whether_a_bound_holds(programs: dict[str, Any]) -> None:
    slices = programs["slices"]
    assert slices.at_most("a", 1.3, 1.3).holds
    assert not slices.at_most("a", 1.31, 1.3).holds
    assert slices.at_least("a", 5.0, 5).holds
    assert not slices.at_least("a", 4.9, 5).holds
    gone = slices.missing("tic-tac-toe", "pygame")
    assert gone.holds is None
    table = slices.result_table([slices.at_least("a", 12345.6, 5, "turns/s"), gone])
    assert table.splitlines()[2:] == [
        "| a | 12,346 turns/s | at least 5 | yes |",
        "| tic-tac-toe | not measured: needs pygame | - | - |",
    ]


def test_turns_are_taken_by_turns(programs: dict[str, Any]) -> None:
    calls: list[str] = []

    def first() -> float:
        calls.append("first")
        return float(len(calls))

    def second() -> float:
        calls.append("second")
        return 2.0 * len(calls)

    assert programs["processes"].in_turns(first, second, 3) == pytest.approx(2.0)
    assert calls == ["first", "second"] * 3 + ["first"]


def test_smaller_catalogues_keep_every_type_and_its_popular_goods(programs: dict[str, Any]) -> None:
    lines = [
        json.dumps({"id": f"{kind}{k}", "product_type": kind, "popularity": k})
        for kind, n in (("milk", 30), ("salt", 9), ("tea", 3))
        for k in range(n)
    ]
    thinned = programs["scaling"].thinned
    for size in (19, 25, 40):
        kept = [json.loads(line) for line in thinned(lines, size)]
        assert len(kept) == size
        for kind in ("milk", "salt", "tea"):
            mine = [row["popularity"] for row in kept if row["product_type"] == kind]
            everybody = list(range({"milk": 30, "salt": 9, "tea": 3}[kind]))
            assert sorted(mine) == everybody[-len(mine) :], "the least popular goes first"
            assert len(mine) >= min(8, len(everybody))
    assert thinned(lines, 1000) == lines


def test_the_plot_has_units_and_survives_grey_print(programs: dict[str, Any], tmp_path: Path) -> None:
    scaling, effort = programs["scaling"], programs["slices"].Effort(9, 1)
    found = []
    for title in ("batch", "catalogue", "store"):
        curves = [scaling.Curve("ours"), scaling.Curve("theirs")]
        for x in (1, 10, 100):
            curves[0].add(x, 5.0 / x)
            curves[1].add(x, 0.1)
        found.append(scaling.Panel(title, f"size of the {title}", curves))
    figure = scaling.draw(found, effort)
    for axes, panel in zip(figure.axes, found, strict=True):
        assert axes.get_xlabel() == panel.x_label
        looks = [(line.get_linestyle(), line.get_marker()) for line in axes.get_lines()[:2]]
        assert len(set(looks)) == 2
        assert looks[0][1] != looks[1][1]
    assert "Taxi-v4 steps" in figure.axes[0].get_ylabel()
    assert "9 paired slices" in figure.get_suptitle()
    scaling.save_plot(found, effort, tmp_path / "scaling.png")
    assert (tmp_path / "scaling.png").stat().st_size > 10_000
    rows = scaling.points(found).splitlines()
    assert len(rows) == 2 + 6
    assert rows[2].startswith("| size of the batch; ours | 1: 5.00, 10: 0.50, 100: 0.05")


def test_words_are_left_out_of_a_comparison_and_nothing_else(programs: dict[str, Any]) -> None:
    def line(text: str, act: str) -> bytes:
        return json.dumps({"events": [{"k": "user", "text": text, "act": act}, {"k": "end"}]}).encode()

    wordless = programs["ratios"].wordless
    assert wordless(line("hello", "chat")) == wordless(line("", "chat"))
    assert wordless(line("hello", "chat")) != wordless(line("hello", "ask"))


def test_the_page_has_a_place_for_every_table(programs: dict[str, Any]) -> None:
    text = programs["ratios"].PAGE.read_text(encoding="utf-8")
    for mark in ("ratios", "scaling"):
        assert text.count(f"<!-- {mark} -->\n") == text.count(f"<!-- /{mark} -->") == 1
    assert "docs/img/scaling.png" in text


def test_lines_of_packages_that_are_not_installed_say_so(
    programs: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ratios, slices = programs["ratios"], programs["slices"]
    measured = slices.Measured(0.5, 1e-6)
    monkeypatch.setattr(ratios, "compare", lambda *_, **__: measured)
    monkeypatch.setattr(ratios.importlib.util, "find_spec", lambda name: object() if name == "gymnasium" else None)
    found = ratios.others(slices.QUICK)
    assert [one.value for one in found] == [0.5, 0.5, None, None]
    assert [one.unit for one in found[2:]] == [
        "not measured: needs the extra `bench` (minigrid)",
        "not measured: needs the extra `bench` (pygame)",
    ]
    (sizes,) = ratios.sizes(slices.QUICK)
    assert sizes.value is None
    assert sizes.holds is None
    assert "instacart" in sizes.unit
