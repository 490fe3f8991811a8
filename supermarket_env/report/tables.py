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
CHECKOUT = Column("checkout_rate", "%", ("checkout_rate",), 1, "no episode counts")
"""The strict reading of SR: purchases taken to the checkout."""
FULL_COLUMNS = (*COLUMNS, CHECKOUT)
"""What there is room for in a file and on a page."""
LARGE_GAP = 10.0
"""Points between SR and checkout_rate from which the tables say so."""
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
    lines += _checkout_gap(groups)
    lines += _without_width(groups)
    n_infra = sum(int(group.get("n_infra", 0)) for group in groups)
    if n_infra:
        lines.append(f"{n_infra} episodes failed in the simulator and are left out; the same command redoes them")
    return lines


def _checkout_gap(groups: Sequence[Group]) -> list[str]:
    """Return a line naming the assistants whose purchases often end elsewhere than at the checkout."""
    named = []
    for group in groups:
        bought, strict = figure(group, ("SR",)), figure(group, CHECKOUT.path)
        if bought is not None and strict is not None and bought - strict >= LARGE_GAP:
            named.append(f"{group.get('agent', 'all')} ({strict:.1f} against {bought:.1f})")
    if not named:
        return []
    return [
        f"checkout_rate lies {LARGE_GAP:g} points or more below SR for {', '.join(named)}: goods in the cart when "
        "patience or turns ran out count for SR"
    ]


def _without_width(groups: Sequence[Group]) -> list[str]:
    """Return lines naming the intervals without width, and the figures of too few tasks to have one."""
    flat: list[str] = []
    without: list[str] = []
    for column in COLUMNS if any("intervals" in group for group in groups) else ():
        counted = column.unit != "count"  # a count has no interval
        spans = [(str(group.get("agent", "all")), figure(group, column.path), interval(group, column.path))
                 for group in groups]  # fmt: skip
        for found, names in (
            (flat, [name for name, _, bounds in spans if bounds is not None and bounds[1] - bounds[0] < 1e-9]),
            (without, [name for name, value, bounds in spans if value is not None and bounds is None and counted]),
        ):
            if names:
                found.append(f"{column.title} of {'all' if len(names) == len(groups) else ', '.join(names)}")
    lines = [f"no width: every task gave the same value ({'; '.join(flat)})"] if flat else []
    if without:
        lines.append(f"no interval: one task, or the same value in each of the few ({'; '.join(without)})")
    return lines


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


def csv_table(
    metrics: Mapping[str, Any],
    *,
    agents: Sequence[str] = (),
    privileged: Collection[str] = (),
    scores: Mapping[str, Mapping[str, float | int | None]] | None = None,
) -> str:
    """Return the table as CSV with full precision: each figure with the ends of its interval, undefined ones empty.

    Args:
        metrics: Content of ``metrics.json``.
        agents: Order of the rows.
        privileged: Assistants marked with 1.
        scores: Further columns of each assistant (:func:`supermarket_env.report.scores.score_columns`).
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["agent", "privileged", "n", "n_infra"]
    for column in FULL_COLUMNS:
        head += [column.title, f"{column.title}_low", f"{column.title}_high"]
    further = list(dict.fromkeys(name for row in (scores or {}).values() for name in row))
    writer.writerow(head + further)
    for group in agent_order(groups_of(metrics), agents):
        name = group.get("agent", "all")
        row: list[Any] = [name, int(name in privileged), group["n"], group.get("n_infra", 0)]
        for column in FULL_COLUMNS:
            value, bounds = figure(group, column.path), interval(group, column.path)
            row += [
                "" if value is None else repr(value),
                *("" if bounds is None else repr(b) for b in bounds or (0, 0)),
            ]
        found = (scores or {}).get(str(name), {})
        row += ["" if (value := found.get(key)) is None else repr(value) for key in further]
        writer.writerow(row)
    return out.getvalue()
