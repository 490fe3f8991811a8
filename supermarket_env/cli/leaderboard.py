"""``supermarket leaderboard``: rank submissions."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer


def leaderboard(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with submissions (*.zip).")],
    out: Annotated[Path | None, typer.Option("--out", help="Markdown file to write as well.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check every submission again and print ranked tables with uncertainty, ties as ties."""
    from supermarket_env.cli.agreement import PROBES
    from supermarket_env.report.leaderboard import boards_of, leaderboard_page, not_compared, read_submissions

    found, refused = read_submissions(folder)
    boards = boards_of(found, PROBES)
    notes = not_compared(found)
    page = leaderboard_page(boards, refused, notes)
    if out is not None:
        out.write_text(page, encoding="utf-8")
    data = {"boards": [asdict(board) for board in boards], "not_compared": notes, "refused": refused}
    print(json.dumps(data) if as_json else page)
    for reason in refused:
        print(f"refused: {reason}", file=sys.stderr)
