"""The main table: from ``metrics.json`` alone to a terminal table, Markdown and CSV.

Every figure comes with its 95 % interval; what is undefined is shown as ``n/a`` with the reason below the table.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

Group = Mapping[str, Any]
"""One group of ``metrics.json``: the figures of one assistant."""


@dataclass(frozen=True, slots=True)
class Column:
    """One figure of the table."""

    title: str
    unit: str
    path: tuple[str, ...]
    """Where the figure stands in a group; its interval stands in ``intervals`` under the same names."""
    digits: int
    undefined: str
    """Why it may be undefined."""


OUTCOME = (
    Column("NS", "0..1", ("beyond", "need_satisfaction"), 3, "no episode has a truth"),
    Column("NS_uplift", "0..1", ("beyond", "NS_uplift"), 3, "it is the reference, or the reference was not played"),
    Column("SR", "%", ("SR",), 1, "no episode counts"),
    Column("SR_complete", "%", ("beyond", "SR_complete"), 1, "no episode has a truth"),
    Column("Turn", "turns", ("Turn",), 1, "no episode counts"),
)
"""What the trips were worth; NS_uplift is the pre-declared primary figure."""

ADVICE = (
    Column("R@5", "0..1", ("R@5",), 3, "no episode counts"),
    Column("NDCG@10", "0..1", ("NDCG@10",), 3, "no episode counts"),
    Column("AFR", "0..1", ("AFR",), 3, "no legal suggestion was made"),
    Column("LNSR", "0..1", ("LNSR",), 3, "no comparable navigation suggestion was made"),
    Column("CGV(3)", "0..1", ("CGV", "3"), 3, "no eligible goal was given"),
)
"""How lists, hints and goals fared."""

CARE = (
    Column("violations", "per trip", ("beyond", "hard_violations"), 2, "no truth, or allergens unknown"),
    Column("faults", "count", ("faults", "assistant"), 0, "not counted"),
)
"""What should not happen."""

BLOCKS = (
    ("what the trips were worth", OUTCOME),
    ("lists, suggestions and goals", ADVICE),
    ("what should not happen", CARE),
)
COLUMNS = OUTCOME + ADVICE + CARE
UNDEFINED = "n/a"
MIN_WIDTH = 90
"""Columns the terminal tables need so that no figure is cut."""
PRIVILEGED_NOTE = "* told the hidden truth: a ceiling, not a competitor"


def groups_of(metrics: Mapping[str, Any]) -> list[Group]:
    """Return the groups of ``metrics.json``; figures without groups count as one."""
    groups = metrics.get("groups")
    return [metrics] if groups is None else list(groups)


def figure(group: Group, path: Sequence[str]) -> float | int | None:
    """Return a figure of a group, ``None`` when it is undefined or absent."""
    value: Any = group
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, int | float) else None


def interval(group: Group, path: Sequence[str]) -> tuple[float, float] | None:
    """Return the 95 % interval of a figure, ``None`` when there is none."""
    value = stored_intervals(group, path)
    if isinstance(value, Sequence) and len(value) == 2 and None not in value:
        return float(value[0]), float(value[1])
    return None


def stored_intervals(group: Group, path: Sequence[str]) -> Any:
    """Return what ``intervals`` holds for a figure or curve; there ``beyond`` is no level of its own."""
    value: Any = group.get("intervals")
    for name in path:
        if name != "beyond":
            value = value.get(name) if isinstance(value, Mapping) else None
    return value


def agent_order(groups: Iterable[Group], agents: Sequence[str] = ()) -> list[Group]:
    """Return the groups in the order the assistants were given in; unlisted ones last, by name."""
    place = {name: number for number, name in enumerate(agents)}
    return sorted(groups, key=lambda group: (place.get(group.get("agent", ""), len(place)), str(group.get("agent"))))


def _label(group: Group, privileged: Collection[str]) -> str:
    name = str(group.get("agent", "all"))
    return f"{name}*" if name in privileged else name


def _number(value: float | int | None, digits: int) -> str:
    return UNDEFINED if value is None else f"{value:.{digits}f}"


def _range(bounds: tuple[float, float] | None, digits: int, separator: str) -> str:
    return "" if bounds is None else f"{bounds[0]:.{digits}f}{separator}{bounds[1]:.{digits}f}"


def _count(group: Group) -> str:
    n_infra = int(group.get("n_infra", 0))
    return f"{group['n']}" + (f" (+{n_infra} infra)" if n_infra else "")


def notes(groups: Sequence[Group], privileged: Collection[str] = ()) -> list[str]:
    """Return the lines below the table: what the marks mean, why figures are undefined, what was set aside."""
    lines = []
    if any(group.get("agent") in privileged for group in groups):
        lines.append(PRIVILEGED_NOTE)
    for column in COLUMNS:
        without = [str(group.get("agent", "all")) for group in groups if figure(group, column.path) is None]
        if without:
            lines.append(f"{column.title} {UNDEFINED} for {', '.join(without)}: {column.undefined}")
    lines += _without_width(groups)
    n_infra = sum(int(group.get("n_infra", 0)) for group in groups)
    if n_infra:
        lines.append(f"{n_infra} episodes failed in the simulator and are left out; the same command redoes them")
    return lines


def _without_width(groups: Sequence[Group]) -> list[str]:
    """Return a line naming the intervals without width: resampling tasks of one value knows no other."""
    named = []
    for column in COLUMNS:
        spans = [(str(group.get("agent", "all")), interval(group, column.path)) for group in groups]
        flat = [name for name, bounds in spans if bounds is not None and bounds[1] - bounds[0] < 1e-9]
        if flat:
            named.append(f"{column.title} of {'all' if len(flat) == len(groups) else ', '.join(flat)}")
    return [f"no width: every task gave the same value ({'; '.join(named)})"] if named else []


def terminal_tables(
    metrics: Mapping[str, Any], *, agents: Sequence[str] = (), privileged: Collection[str] = ()
) -> list[Table]:
    """Return three narrow tables: what the trips were worth, how the advice fared, what should not happen.

    Args:
        metrics: Content of ``metrics.json``.
        agents: Order of the rows.
        privileged: Assistants marked with a star.
    """
    groups = agent_order(groups_of(metrics), agents)
    tables = []
    for heading, columns in BLOCKS:
        table = Table(title=heading, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
        table.add_column("assistant\nn = trips", no_wrap=True)
        for column in columns:
            table.add_column(f"{column.title}\n{column.unit}", justify="right", no_wrap=True)
        for group in groups:
            cells = []
            for column in columns:
                bounds = _range(interval(group, column.path), min(column.digits, 2), "..")
                value = _number(figure(group, column.path), column.digits)
                cells.append(f"{value}\n[dim]{bounds}[/dim]" if bounds else value)
            table.add_row(f"{_label(group, privileged)}\n[dim]{_count(group)}[/dim]", *cells)
        tables.append(table)
    return tables


def markdown_table(metrics: Mapping[str, Any], *, agents: Sequence[str] = (), privileged: Collection[str] = ()) -> str:
    """Return the table in Markdown, one row an assistant, with the notes below it."""
    groups = agent_order(groups_of(metrics), agents)
    head = ["assistant", "n", *(f"{column.title} ({column.unit})" for column in COLUMNS)]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for group in groups:
        cells = [_label(group, privileged), _count(group)]
        for column in COLUMNS:
            bounds = _range(interval(group, column.path), min(column.digits, 2), ", ")
            value = _number(figure(group, column.path), column.digits)
            cells.append(f"{value} [{bounds}]" if bounds else value)
        lines.append("| " + " | ".join(cell.replace("*", "\\*") for cell in cells) + " |")
    below = [f"- {note}" for note in notes(groups, privileged)]
    return "\n".join([*lines, "", *[note.replace("- *", "- \\*") for note in below]]).rstrip() + "\n"


def csv_table(metrics: Mapping[str, Any], *, agents: Sequence[str] = (), privileged: Collection[str] = ()) -> str:
    """Return the table as CSV with full precision: each figure with the ends of its interval, undefined ones empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["agent", "privileged", "n", "n_infra"]
    for column in COLUMNS:
        head += [column.title, f"{column.title}_low", f"{column.title}_high"]
    writer.writerow(head)
    for group in agent_order(groups_of(metrics), agents):
        name = group.get("agent", "all")
        row: list[Any] = [name, int(name in privileged), group["n"], group.get("n_infra", 0)]
        for column in COLUMNS:
            value, bounds = figure(group, column.path), interval(group, column.path)
            row += [
                "" if value is None else repr(value),
                *("" if bounds is None else repr(b) for b in bounds or (0, 0)),
            ]
        writer.writerow(row)
    return out.getvalue()
