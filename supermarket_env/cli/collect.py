"""``supermarket collect``: many runs as one table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

SHOWN_REPEATS = 10
"""Repeated rows that are named one by one."""


def collect(
    folders: Annotated[list[Path], typer.Argument(metavar="SWEEP_DIR...", help="Folders with runs, at any depth.")],
    out: Annotated[Path | None, typer.Option("--out", help="Table to write: .csv or .parquet.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every figure, not only the main table's.")] = False,
) -> None:
    """Collect runs: one row an assistant and run, a column for every configuration key and figure."""
    from supermarket_env.compare.pages import markdown_rows, rows_csv
    from supermarket_env.report.collect import collect_runs, varied_keys, write_table

    found = collect_runs(folders, everything=everything)
    for run in found.unfinished:
        print(f"unfinished, left out: {run}", file=sys.stderr)
    for agent, run, first in found.repeats[:SHOWN_REPEATS]:
        print(f"the trips of {agent} in {run} are those in {first}: counted once", file=sys.stderr)
    if len(found.repeats) > SHOWN_REPEATS:
        print(f"and {len(found.repeats) - SHOWN_REPEATS} rows more that repeat others", file=sys.stderr)
    if out is None:
        sys.stdout.write(rows_csv(found.rows))
        return
    write_table(found.rows, out)
    varied = varied_keys(found.rows)
    print(f"{len(found.rows)} rows of {found.n_runs} runs in {out}; varied: {', '.join(varied) or 'nothing'}\n")
    heads = ["agent", *(key.removeprefix("config.") for key in varied), "n", "NS_uplift [95 %]", "SR_complete % [95 %]"]
    rows = []
    for row in found.rows[:40]:
        cells = [str(row["agent"]) + "*" * row["privileged"], *(str(row.get(key)) for key in varied), str(row["n"])]
        for title, digits in (("NS_uplift", 3), ("SR_complete", 1)):
            value, low, high = row[title], row[f"{title}_low"], row[f"{title}_high"]
            cells.append(
                "n/a"
                if value is None
                else f"{value:.{digits}f}" + ("" if low is None else f" [{low:.{digits}f}, {high:.{digits}f}]")
            )
        rows.append(cells)
    print(markdown_rows(heads, rows), end="")
    if any(row["privileged"] for row in found.rows[:40]):
        print("\n\\* told the hidden truth: a ceiling, not a competitor")
    if len(found.rows) > len(rows):
        print(f"... and {len(found.rows) - len(rows)} more in the file")
