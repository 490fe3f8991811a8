"""``supermarket plot``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from supermarket_env.compare.manifest import check_run_folder
from supermarket_env.errors import ConfigError
from supermarket_env.report.kinds import Order, kinds_help
from supermarket_env.report.kinds import draw as draw_kind


def plot(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Finished runs, sweep folders or trainings.")],
    out: Annotated[Path | None, typer.Option("--out", help="Picture to write: .png, .svg or .pdf.")] = None,
    kind: Annotated[str, typer.Option("--kind", help=kinds_help())] = "sr_vs_turn",
    x: Annotated[str, typer.Option("--x", help="heatmap: key across; pareto: turns, cost or talk.")] = "",
    y: Annotated[str, typer.Option("--y", help="heatmap: key down.")] = "",
    value: Annotated[
        str, typer.Option("--value", help="heatmap: figure; success: curve; pass_k: what is success.")
    ] = "",
    episode: Annotated[
        list[str] | None, typer.Option("--episode", help="floor: episode to draw; up to six times.")
    ] = None,
) -> None:
    """Draw a picture of finished runs; a vector (or PNG) twin and a CSV of its numbers are put beside it."""
    if len(runs) == 1 and not Path(runs[0]).exists() and ":" not in runs[0]:
        check_run_folder(Path(runs[0]))
    if out is None and (len(runs) > 1 or not Path(runs[0]).is_dir()):
        raise ConfigError("expected --out FILE: which run's directory the picture belongs in is not clear")
    target = out if out is not None else Path(runs[0]) / f"{kind}.png"
    for file in draw_kind(kind, Order(tuple(runs), target, x, y, value, tuple(episode or ()))):
        print(file)


def draw(kind: str, metrics: dict[str, Any], manifest: dict[str, Any], out: Path) -> Path:
    """Draw the picture every run has, with its title, order and marks."""
    from supermarket_env.report.plots import save_plot
    from supermarket_env.run.manifest import describe_world

    return save_plot(
        kind,
        metrics,
        out,
        title=f"{describe_world(manifest)} ({manifest['comparability']})",
        agents=manifest["agents"],
        privileged=manifest["privileged"],
    )
