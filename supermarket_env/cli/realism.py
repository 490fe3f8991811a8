"""`supermarket realism`: simulated figures beside published facts about shoppers."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from supermarket_env.errors import ConfigError, unknown_name

SEEDS = ("tune", "final")
_IMPORT_PATH = re.compile(r"^[A-Za-z_]\w*([.:][A-Za-z_]\w*)+$")


def realism(
    user: Annotated[
        str, typer.Argument(metavar="USER", help="A user of conf/user (scripted, ...) or an import path of a model.")
    ],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="As for run: user.mechanisms.sold_out=0.1")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Directory of the report.")] = Path("realism"),
    trips: Annotated[int, typer.Option("--trips", min=1, help="Trips of users left alone.")] = 1600,
    seeds: Annotated[
        str, typer.Option("--seeds", help="tune, or final: tasks never used to choose defaults.")
    ] = "final",
    store: Annotated[str, typer.Option("--store", help="Layout.")] = "neighbourhood",
) -> None:
    """Compare a user model with published facts; exit code 1 when one it is held to does not hold."""
    from supermarket_env.report.realism import save_report
    from supermarket_env.run.compose import compose_run, read_arguments
    from supermarket_env.run.realism import study
    from supermarket_env.user_sim.realism import passed, verdict_line

    if seeds not in SEEDS:
        raise ConfigError(unknown_name("set of seeds", seeds, SEEDS))
    chosen = f"user.model={user}" if _IMPORT_PATH.match(user) else f"user={user}"
    config = compose_run(read_arguments([chosen, *(overrides or ())]))
    found = study(config, trips, seeds=seeds, store=store, progress=_report)  # type: ignore[arg-type]
    for path in save_report(found, out):
        print(path)
    print(verdict_line(user, found.findings))
    sys.stdout.flush()
    if not passed(found.findings):
        raise typer.Exit(1)


def _report(label: str, done: int, total: int) -> None:
    """Show progress on a terminal only."""
    if sys.stderr.isatty() and (done % 20 == 0 or done == total):
        print(f"\r{label}: {done} of {total}   ", end="\n" if done == total else "", file=sys.stderr, flush=True)
