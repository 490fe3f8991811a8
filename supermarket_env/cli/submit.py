"""``supermarket submit``: check a run and pack it for the leaderboard."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from supermarket_env.errors import ConfigError


def submit(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run directory.")],
    out: Annotated[Path | None, typer.Option("--out", help="Zip file to write; by default RUN's name.")] = None,
    cost: Annotated[
        list[str] | None, typer.Option("--cost", help="NAME=AMOUNT a trip, for assistants whose log holds no cost.")
    ] = None,
) -> None:
    """Check hashes, seeds, names and costs, compute every figure again, and pack the run."""
    from supermarket_env.report.submission import pack

    stated: dict[str, float] = {}
    for word in cost or ():
        name, _, amount = word.partition("=")
        try:
            stated[name] = float(amount)
        except ValueError:
            raise ConfigError(f"--cost expects NAME=AMOUNT, got {word!r}") from None
        if not name or not math.isfinite(stated[name]) or stated[name] < 0:
            raise ConfigError(f"--cost expects NAME=AMOUNT with an amount of 0 or more, got {word!r}")
    target = out if out is not None else Path(f"{run.resolve().name}.zip")
    statement = pack(run, target, costs=stated)
    agents = ", ".join(statement["agents"])
    print(f"{target} ({target.stat().st_size / 1e6:.1f} MB): {statement['n_episodes']} episodes of {agents}, checked")
    for label, way in statement.get("scores", {}).items():
        print(f"scores {label}: {way}")
    if statement.get("n_not_compared"):
        print(f"{statement['n_not_compared']} figures of this version are not in metrics.json and were not compared")
