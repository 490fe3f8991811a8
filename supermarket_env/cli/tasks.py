"""`supermarket tasks`: list, show, check and make suites of tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from supermarket_env.tasks.prepare import Prepared
    from supermarket_env.tasks.suites import Suite

app = typer.Typer(help="List, show, check and make suites of tasks.", no_args_is_help=True)

SuiteName = Annotated[str, typer.Argument(metavar="SUITE", help="A name of 'tasks list', train or a .jsonl file.")]
StoreName = Annotated[str | None, typer.Option("--store", help="Another store than its own.")]
CatalogueName = Annotated[str | None, typer.Option("--catalogue", help="Another catalogue than its own.")]
Count = Annotated[int | None, typer.Option("--n", min=0, help="Only the first n tasks.")]


@app.command()
def validate(suite: SuiteName, store: StoreName = None, catalogue: CatalogueName = None, n: Count = None) -> None:
    """Play every task on its best way through the rules; exit code 1 when one cannot be done."""
    from supermarket_env.tasks.suites import load_suite
    from supermarket_env.tasks.validate import check_suite

    chosen = load_suite(suite, store=store, catalogue=catalogue, n=n)
    bad = 0
    for task, failures in check_suite(chosen):
        bad += bool(failures)
        for failure in failures:
            typer.echo(f"{task.id}: {failure}")
    typer.echo(f"{chosen.name}: {len(chosen)} tasks, {bad} failures")
    if bad:
        raise typer.Exit(1)


@app.command()
def show(
    suite: SuiteName,
    task_id: Annotated[str, typer.Argument(metavar="ID", help="Id of a task, such as dev-0007.")],
    store: StoreName = None,
    catalogue: CatalogueName = None,
) -> None:
    """Print a task: what is wanted, the best cart and the shortest trip."""
    from supermarket_env.tasks.prepare import prepare
    from supermarket_env.tasks.suites import load_suite, world_of
    from supermarket_env.user_sim.config import UserConfig

    task = load_suite(suite, store=store, catalogue=catalogue).task(task_id)
    for line in _described(prepare(world_of(task.catalogue, task.store), task, UserConfig())):
        typer.echo(line)


def _described(p: Prepared) -> list[str]:
    """Return the page about a task, line by line."""
    task, truth = p.task, p.truth()
    traits = ", ".join(f"{name} {value:g}" for name, value in task.persona.items())
    lines = [
        f"{task.id}: {task.trip} trip, stratum {task.stratum}, seed {task.seed}",
        f"store {task.store}, catalogue {task.catalogue}, budget {truth['budget']:.2f}",
        f"persona: {traits}",
        "",
        "needs:",
    ]
    for i, need in enumerate(task.needs):
        parts = [f"{need.qty} x {' or '.join(need.types)}"]
        parts += [*(f"must be {name}" for name in need.diets), *(f"no {name}" for name in need.allergens)]
        parts += [f"{name} ({weight:.2f})" for name, weight in need.wants.items()]
        parts += [f"{need.size} pack ({need.size_weight:.2f})"] if need.size else []
        parts += [f"brand {need.brand}"] if need.brand else []
        parts += [f"up to {need.price_limit_cents / 100:.2f}"] if need.price_limit_cents else []
        of, good = len(p.values[i].feasible), len(p.values[i].acceptable)
        lines.append(f"  {i}: {'; '.join(parts)} [weight {need.weight:g}; {good} of {of} feasible acceptable]")
    lines += ["", f"best cart, U* {p.U_star:.4f}, cost {p.best_cart.cost_cents / 100:.2f}:"]
    products = p.world.catalogue.products
    for number, qty in p.best_cart.lines:
        item = products[number]
        lines.append(f"  {qty} x {item.id}  {item.name}  {item.price_cents / 100:.2f}")
    if task.events:
        lasting = ", ".join(f"{qty} x {products[number].id}" for number, qty in p.lasting[1].lines)
        lines += ["", f"best cart of what stays on the shelf: {lasting}", "stock changes:"]
        lines += [f"  turn {e.turn}: {e.left} left of {e.product}" for e in task.events]
    if p.world.app is not p.world:
        lines += ["", "the assistant's map is out of date"]
    walk = " - ".join(p.world.store.node_ids[node] for node in p.walk.nodes)
    lines += ["", f"shortest walk {p.tour_m:.1f} m; optimal trip {p.optimal_turns} turns ({walk}), limit {p.max_turns}"]
    return lines


@app.command("list")
def list_suites() -> None:
    """List the suites that come with the package."""
    from supermarket_env.errors import MissingExtraError
    from supermarket_env.tasks.segments import SEGMENTS
    from supermarket_env.tasks.suites import MADE_SUITES, SEGMENT_PREFIX, SUITES, load_suite

    for name in (*SUITES, *MADE_SUITES):
        try:
            for line in _summary(load_suite(name)):
                typer.echo(line)
        except MissingExtraError as error:
            typer.echo(f"{name}: not here ({error})")
    typer.echo("train: fresh tasks without end, from seeds of their own")
    typer.echo(f"drawn on demand: {', '.join(f'{SEGMENT_PREFIX}{name}' for name in SEGMENTS)}")


def _summary(suite: Suite) -> list[str]:
    stores = sorted({task.store for task in suite.tasks})
    catalogues = sorted({task.catalogue for task in suite.tasks})
    lines = [f"{suite.name}: {len(suite)} tasks, version {suite.version}, hash {suite.content_hash[:16]}"]
    lines.append(f"  stores: {', '.join(stores)}")
    lines.append(f"  catalogues: {', '.join(catalogues)}")
    return [*lines, *(f"  {n:4} {stratum}" for stratum, n in suite.strata().items())]


@app.command()
def freeze(
    names: Annotated[list[str] | None, typer.Argument(metavar="[SUITE]...", help="All by default.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write to; the package's own by default.")] = None,
) -> None:
    """Draw the frozen suites anew and write their files."""
    from supermarket_env.tasks.freeze import data_folder
    from supermarket_env.tasks.freeze import freeze as write
    from supermarket_env.tasks.suites import SUITES

    for name in names or list(SUITES):
        typer.echo(str(write(name, out or data_folder())))
