"""``supermarket plot``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from supermarket_env.errors import RunFolderError


def plot(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run directory.")],
    out: Annotated[Path | None, typer.Option("--out", help="Picture to write: .png, .svg or .pdf.")] = None,
    kind: Annotated[str, typer.Option("--kind", help="sr_vs_turn")] = "sr_vs_turn",
) -> None:
    """Draw a plot of a finished run from its metrics.json."""
    metrics, manifest = read_results(run)
    print(draw(kind, metrics, manifest, out if out is not None else run / f"{kind}.png"))


def draw(kind: str, metrics: dict[str, Any], manifest: dict[str, Any], out: Path) -> Path:
    """Draw a plot of a run with its title, order and marks."""
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


def read_results(run: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return ``metrics.json`` and ``manifest.json`` of a finished run.

    Raises:
        RunFolderError: If there is none.
    """
    try:
        metrics = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
        manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunFolderError(f"{run}: expected a finished run directory ({error})") from None
    return metrics, manifest
