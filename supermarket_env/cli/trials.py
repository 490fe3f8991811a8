"""``supermarket trials``: pass^k and pass@k of repeated trials."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from supermarket_env.errors import ConfigError


def trials(
    runs: Annotated[list[str], typer.Argument(metavar="RUN[:AGENT]...", help="Runs played with trials=2 or more.")],
    success: Annotated[str, typer.Option("--success", help="SR_complete, SR or checkout_rate.")] = "SR_complete",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Picture of the curves; a CSV is put beside it.")] = None,
) -> None:
    """Print how often all (pass^k) or any (pass@k) of k trials of a task succeed."""
    from supermarket_env.compare.pages import trials_page
    from supermarket_env.compare.sides import Side, agent_of, read_run, split_word
    from supermarket_env.compare.trials import trial_points

    sides = []
    for word in runs:
        path, agent = split_word(word)
        run = read_run(path)
        names = run.agents if agent is None else (agent_of(run, agent),)
        sides += [Side(run, name) for name in names]
    points = [point for side in sides for point in trial_points(side, success)]
    if not points:
        raise ConfigError(f"no episode says whether it is a success by {success}")
    if out is not None:
        from supermarket_env.report.plot_curves import save_trials

        save_trials(points, success, out)
    print(json.dumps([asdict(point) for point in points]) if as_json else trials_page(points, success))
