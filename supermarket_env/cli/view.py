"""``supermarket view``: one transcript in the terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from pathlib import Path
from typing import Annotated

import typer


def view(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run directory or log file.")],
    episode: Annotated[
        str,
        typer.Argument(metavar="EPISODE", help="Its id; empty lists the ids with end and need satisfaction (0..1)."),
    ] = "",
    truth: Annotated[bool, typer.Option("--truth", help="Show needs, best cart and what the user meant.")] = False,
) -> None:
    """Print an episode turn by turn: words, list, hint, what the user did and would have done without the hint."""
    from supermarket_env.events.log import read_episodes
    from supermarket_env.metrics.row import episode_row
    from supermarket_env.report.plot_floor import find_episode
    from supermarket_env.report.terminal_view import lines_of
    from supermarket_env.report.transcript import product_names, products_of, transcript

    if not episode:
        for found in read_episodes(run):
            worth = episode_row(found).truth.need_satisfaction
            print(f"{found.episode_id}  {found.reason}  NS {'n/a' if worth is None else f'{worth:.2f}'}")
        return
    chosen = find_episode(run, episode)
    shown = transcript(chosen)
    names = product_names(chosen.catalogue, products_of(shown))
    width = max(60, shutil.get_terminal_size((100, 24)).columns) if sys.stdout.isatty() else 0
    for line in lines_of(shown, names, truth=truth):
        if not width:
            print(line)
            continue
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        for part in textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]:
            print(part)
