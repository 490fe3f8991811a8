"""``supermarket report``: one HTML file, or the main table in Markdown, LaTeX or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from supermarket_env.errors import ConfigError


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Finished run directories or sweep folders.")],
    out: Annotated[Path, typer.Option("--out", help="File to write: .html, .md, .tex or .csv.")] = Path("report.html"),
    title: Annotated[str, typer.Option("--title", help="Heading of the page.")] = "",
) -> None:
    """Write a report of finished runs; the ending of --out decides what."""
    from supermarket_env.report.collect import runs_of

    runs = runs_of(runs)
    if out.suffix == ".html":
        from supermarket_env.report.page import save_report

        save_report(runs, out, title=title)
        print(f"{out} ({out.stat().st_size / 1e6:.1f} MB, one file, no network needed)")
        return
    from supermarket_env.report.latex import latex_table
    from supermarket_env.report.results import read_results
    from supermarket_env.report.scores import markdown_scores, score_columns
    from supermarket_env.report.tables import csv_table, markdown_table

    makers = {".md": markdown_table, ".tex": latex_table, ".csv": csv_table}
    if out.suffix not in makers:
        raise ConfigError(f"{out}: expected a name ending in .html, {', '.join(makers)}")
    parts = []
    for run in map(read_results, runs):
        if out.suffix == ".csv":
            scores = score_columns(run.scores)
            parts.append(csv_table(run.metrics, agents=run.agents, privileged=run.privileged, scores=scores))
            continue
        table = makers[out.suffix](run.metrics, agents=run.agents, privileged=run.privileged)
        if out.suffix == ".md":
            scored = markdown_scores(run.scores, run.privileged)
            table = f"{run.title}, brackets: 95 % intervals\n\n{table}" + (f"\nScores:\n\n{scored}" if scored else "")
        parts.append(table)
    if out.suffix == ".csv" and len(parts) > 1:
        raise ConfigError("one CSV table holds one run; `supermarket collect` makes a table of several")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("\n".join(parts), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written ({error.strerror or error})") from error
    print(out)
