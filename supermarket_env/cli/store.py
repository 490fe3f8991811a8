"""`supermarket store`: draw, check and list stores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from supermarket_env.errors import SupermarketError

app = typer.Typer(help="Draw, check and list stores.", no_args_is_help=True)

LayoutName = Annotated[
    str, typer.Argument(metavar="LAYOUT", help="corner, neighbourhood, hyper, generated:<seed> or a .yaml file.")
]


def _stop(error: SupermarketError) -> typer.Exit:
    """Say what is wrong on stderr and give the exit code of a mistake by the caller."""
    typer.echo(f"error: {error}", err=True)
    return typer.Exit(2)


@app.command()
def show(
    layout: LayoutName,
    out: Annotated[Path, typer.Option("--out", help="Picture to write: .png, .svg or .pdf.")] = Path("store.png"),
    catalogue: Annotated[
        str, typer.Option(help="Catalogue on the shelves; 'none' draws the bare layout.")
    ] = "embedded",
    path: Annotated[str, typer.Option("--path", help="Walk to draw: node ids with commas, N001,N005,...")] = "",
    ids: Annotated[bool, typer.Option("--ids", help="Write the node ids on the plan.")] = False,
) -> None:
    """Draw a floor plan."""
    from supermarket_env.store.draw import save_plan
    from supermarket_env.store.load import load_layout, load_store

    walk = [part.strip() for part in path.split(",") if part.strip()]
    try:
        if catalogue == "none":
            written = save_plan(load_layout(layout), out, path=walk, ids=ids)
        else:
            from supermarket_env.catalogue import load_catalogue

            written = save_plan(load_store(layout, load_catalogue(catalogue)), out, path=walk, ids=ids)
    except SupermarketError as error:
        raise _stop(error) from None
    typer.echo(str(written))


@app.command()
def validate(file: Annotated[str, typer.Argument(metavar="FILE", help="A .yaml file or a layout name.")]) -> None:
    """Check a layout; exit code 2 with the reason when it is unsound."""
    from supermarket_env.store.load import load_layout

    try:
        layout = load_layout(file)
    except SupermarketError as error:
        raise _stop(error) from None
    typer.echo(f"{layout.name}: sound; {len(layout.nodes)} nodes, {len(layout.sections)} sections, "
               f"hash {layout.content_hash[:16]}")  # fmt: skip


@app.command("list")
def list_layouts() -> None:
    """List the layouts that come with the package."""
    from supermarket_env.store.load import LAYOUT_NAMES, load_layout

    for name in LAYOUT_NAMES:
        layout = load_layout(name)
        typer.echo(f"{name:15} {len(layout.nodes):4} nodes {len(layout.sections):4} sections "
                   f"{layout.width:5.1f} x {layout.height:5.1f} m  {layout.content_hash[:16]}")  # fmt: skip
    typer.echo("generated:<seed>  drawn from a number, e.g. generated:12")
