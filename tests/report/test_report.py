"""Tables and plots say what the figures say, mark what is privileged, and explain what is undefined."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from supermarket_env.errors import ConfigError
from supermarket_env.metrics import grouped
from supermarket_env.report import plots, tables
from supermarket_env.report.plots import save_plot, spread
from supermarket_env.report.tables import COLUMNS, csv_table, figure, interval, markdown_table, notes, terminal_tables


def line(agent: str, task: int, *, buys: bool, turns: int = 2, suggests: bool = False) -> dict[str, Any]:
    wait = {"type": "wait", "params": {}}
    events: list[dict[str, Any]] = [
        {"k": "user", "turn": turn, "act": "chat", "text": "", "action": wait} for turn in range(1, turns + 1)
    ]
    if suggests:
        events.append({"k": "suggest", "turn": 1, "action": wait, "legal": True})
    if buys:
        events.append({"k": "cart", "turn": turns, "op": "add", "sku": "p1", "qty": 1, "price": 2.0})
    events.append({"k": "end", "reason": "checkout" if buys else "left"})
    truth = {
        "budget": 9.0, "U_star": 1.0, "utility": {"0": {"p1": 1.0}}, "acceptable": {"0": ["p1"]}, "violates": {},
        "needs": [{"id": "0", "type": "milk", "qty": 1, "weight": 1.0, "outside": 0.0, "hard": [], "soft": {},
                   "attributes": ["type"]}],
    }  # fmt: skip
    return {
        "schema": "supermarket.episode/1", "episode_id": f"{agent}|u|s|t{task}|0", "agent": agent, "user": "u",
        "store": "s", "task_id": f"t{task}", "trial": 0, "stratum": "quick", "events": events, "truth": truth,
    }  # fmt: skip


@pytest.fixture(scope="module")
def metrics() -> dict[str, Any]:
    lines = [line("silent", task, buys=task < 3, turns=4) for task in range(10)]
    lines += [line("oracle", task, buys=task < 9, suggests=True) for task in range(10)]
    return grouped(lines, ("agent",), intervals=True)


def test_every_column_finds_its_figure_and_interval(metrics: dict[str, Any]) -> None:
    group = metrics["groups"][0]
    assert group["agent"] == "oracle"
    found = {column.title: figure(group, column.path) for column in COLUMNS}
    assert found["SR"] == 90.0
    assert found["NS"] == pytest.approx(0.9)
    assert found["NS_uplift"] == pytest.approx(0.6)
    assert found["SR_complete"] == 90.0
    assert found["AFR"] == 1.0
    assert [title for title, value in found.items() if value is None] == ["LNSR", "CGV(3)"]
    for column in COLUMNS:
        value = found[column.title]
        if value is not None and column.title != "faults":
            bounds = interval(group, column.path)
            if column.title in ("Turn", "violations"):  # the same in all ten tasks, and without a largest value
                assert bounds is None
                continue
            assert bounds is not None, column.title
            assert bounds[0] <= value <= bounds[1]
    told = next(line for line in notes([group]) if line.startswith("no interval"))
    assert "Turn" in told
    assert "NS" not in told


def shown(metrics: dict[str, Any], width: int = tables.MIN_WIDTH) -> str:
    console = Console(file=io.StringIO(), width=width, no_color=True)
    for table in terminal_tables(metrics, agents=["silent", "oracle"], privileged=["oracle"]):
        console.print(table)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_the_terminal_table_keeps_order_marks_and_units(metrics: dict[str, Any]) -> None:
    text = shown(metrics)
    assert text.index("silent") < text.index("oracle*")
    for word in ("NS_uplift", "SR_complete", "turns", "%", "90.0", "n/a", "trips"):
        assert word in text
    assert "…" not in text


def test_notes_explain_marks_and_gaps(metrics: dict[str, Any]) -> None:
    lines = notes(metrics["groups"], ["oracle"])
    assert lines[0].startswith("* told the hidden truth")
    assert any(text.startswith("NS_uplift n/a for silent: it is the reference") for text in lines)
    assert any(text.startswith("AFR n/a for silent: no legal suggestion") for text in lines)


def test_set_aside_episodes_are_told() -> None:
    broken = line("rule", 1, buys=False)
    broken["events"][-1]["reason"] = "infra_error"
    data = grouped([line("rule", 0, buys=True), broken], ("agent",), intervals=True)
    assert any("1 episodes failed in the simulator" in text for text in notes(data["groups"]))
    assert "(+1 infra)" in markdown_table(data)


def test_csv_has_full_precision_and_empty_gaps(metrics: dict[str, Any]) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_table(metrics, agents=["silent"], privileged=["oracle"]))))
    assert [row["agent"] for row in rows] == ["silent", "oracle"]
    assert [row["privileged"] for row in rows] == ["0", "1"]
    assert float(rows[1]["SR_low"]) == metrics["groups"][0]["intervals"]["SR"][0]
    assert (rows[0]["AFR"], rows[0]["AFR_low"]) == ("", "")


def test_markdown_has_a_row_each(metrics: dict[str, Any]) -> None:
    text = markdown_table(metrics, privileged=["oracle"])
    head, rule, *rows = [row for row in text.splitlines() if row.startswith("|")]
    assert len({row.count("|") for row in (head, rule, *rows)}) == 1
    assert len(rows) == 2
    assert "oracle\\*" in rows[0]


def test_no_episodes_make_an_empty_table() -> None:
    empty = grouped([], ("agent",), intervals=True)
    assert "assistant" in shown(empty)
    assert csv_table(empty).count("\n") == 1
    assert [figure({"n": 0}, column.path) for column in COLUMNS] == [None] * len(COLUMNS)


def test_the_plot_is_written_twice_alike(metrics: dict[str, Any], tmp_path: Path) -> None:
    paths = [
        save_plot("sr_vs_turn", metrics, tmp_path / f"{i}.png", title="t", privileged=["oracle"]) for i in range(2)
    ]
    first, second = (path.read_bytes() for path in paths)
    assert first[:8] == b"\x89PNG\r\n\x1a\n"
    assert first == second


def test_the_svg_says_what_it_shows(metrics: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        text = save_plot(
            "sr_vs_turn", metrics, tmp_path / "a.svg", title="suite x (v0)", privileged=["oracle"]
        ).read_text()
    for word in ("SR(t)", "SR_complete(t)", "oracle* 90", "silent 30", "n = 10", "t (turns)", "suite x (v0)"):
        assert word in text


def test_bands_come_from_the_file_or_from_wilson(metrics: dict[str, Any]) -> None:
    group = metrics["groups"][0]
    values = group["SR(t)"]
    stored = plots.band_of(group, ("SR(t)",), values)
    computed = plots.band_of({key: value for key, value in group.items() if key != "intervals"}, ("SR(t)",), values)
    assert stored[0] == pytest.approx(computed[0])
    assert stored[1] == pytest.approx(computed[1])


def test_the_plot_of_nothing_says_so(tmp_path: Path) -> None:
    assert save_plot("sr_vs_turn", {"groups": []}, tmp_path / "a.png", title="t").is_file()


def test_unknown_kinds_and_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"unknown kind of plot 'sr_vs_turns'; valid: sr_vs_turn. Did you mean"):
        save_plot("sr_vs_turns", {"groups": []}, tmp_path / "a.png", title="t")
    with pytest.raises(ConfigError, match="cannot be written"):
        save_plot("sr_vs_turn", {"groups": []}, tmp_path / "a.xyz", title="t")


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_labels_never_overlap_and_keep_their_order(values: list[float]) -> None:
    places = spread(values, gap=4.6)
    by_value = [place for _, place in sorted(zip(values, places, strict=True))]
    assert by_value == sorted(by_value)
    gaps = [b - a for a, b in zip(sorted(places), sorted(places)[1:], strict=False)]
    assert all(gap >= 4.6 - 1e-9 for gap in gaps)


def test_the_strict_rate_stands_beside_sr_and_a_large_gap_is_told() -> None:
    """Goods in the cart when the turns ran out are a purchase by SR, not one at the checkout."""

    def group(agent: str, strict: float) -> dict[str, Any]:
        return {"agent": agent, "n": 9, "SR": 200 / 3, "checkout_rate": strict, "intervals": {}}

    metrics = {"groups": [group("lingers", 100 / 3), group("pays", 60.0)]}
    rows = list(csv.DictReader(io.StringIO(csv_table(metrics))))
    assert [float(row["checkout_rate"]) for row in rows] == [100 / 3, 60.0]
    told = [line for line in notes(metrics["groups"]) if line.startswith("checkout_rate")]
    assert len(told) == 1
    assert "lingers (33.3 against 66.7)" in told[0]
    assert "pays" not in told[0]
    assert not [line for line in notes(metrics["groups"][1:]) if line.startswith("checkout_rate")]
