"""Floor plans: shelves by department, standing points, tills and, if wanted, a walked path.

Departments differ in colour and in hatching and are named on the plan, so that the picture also reads in grey.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from supermarket_env.errors import LayoutError
from supermarket_env.store.departments import EMPTY, PROMOTION, Look, looks_of
from supermarket_env.store.layout import Layout, Section
from supermarket_env.store.paths import Move
from supermarket_env.store.stock import Store

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PATH_COLOUR: Final = "#c1121f"


def section_labels(store: Store | Layout) -> tuple[str, ...]:
    """Return what each section is called on the plan: its department when stocked, else the label of the layout."""
    if isinstance(store, Store):
        return tuple(name.split(" / ")[0] for name in store.section_department)
    return tuple(section.department for section in store.sections)


def draw_store(store: Store | Layout, *, path: Sequence[str] = (), ids: bool = False) -> Figure:
    """Draw a floor plan.

    Args:
        store: A stocked store, or a bare layout (then the labels of the file stand for departments).
        path: Node ids in walking order, one per turn; empty for none. Neighbours in the list must be joined by one
            move or by a chain of moves, which is then drawn.
        ids: Write the node ids beside the standing points.

    Returns:
        A matplotlib figure, not attached to any window.

    Raises:
        LayoutError: When the path names an unknown node.
    """
    from matplotlib.figure import Figure

    layout = store.layout if isinstance(store, Store) else store
    labels = section_labels(store)
    looks = looks_of(labels)
    scale = _inches_per_metre(layout)
    figure = Figure(figsize=(layout.width * scale + 3.6, layout.height * scale + 1.6), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    font = 8.0
    _draw_room(axes, layout)
    _draw_shelves(axes, layout, labels, looks)
    _draw_walks(axes, layout)
    _draw_names(axes, layout, labels, font)
    _draw_landmarks(axes, layout, font)
    if ids:
        for node in layout.nodes:
            axes.annotate(node.id, (node.x, node.y), (1.5, -1.5), textcoords="offset points", fontsize=font * 0.75,
                          color="#555555", va="top", zorder=3)  # fmt: skip
    if path:
        _draw_path(axes, layout, path, font)
    _finish(axes, layout, looks, labels)
    return figure


def save_plan(store: Store | Layout, out: str | Path, *, path: Sequence[str] = (), ids: bool = False) -> Path:
    """Draw a floor plan into a .png, .svg or .pdf file and return its path.

    Raises:
        LayoutError: For an unknown node in `path`, another file type or a folder that does not exist.
    """
    file = Path(out)
    if file.suffix not in (".png", ".svg", ".pdf"):
        raise LayoutError(f"cannot draw to {str(file)!r}: the name must end in .png, .svg or .pdf")
    if not file.parent.is_dir():
        raise LayoutError(f"cannot draw to {str(file)!r}: there is no folder {str(file.parent)!r}")
    figure = draw_store(store, path=path, ids=ids)
    undated: dict[str, Any] = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    figure.savefig(file, metadata=undated[file.suffix])
    return file


def _draw_room(axes: Axes, layout: Layout) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((0, 0), layout.width, layout.height, facecolor="#fbfaf7", edgecolor="#333333", lw=1.6))


def _draw_shelves(axes: Axes, layout: Layout, labels: Sequence[str], looks: dict[str, Look]) -> None:
    from matplotlib.patches import Rectangle

    for section, label in zip(layout.sections, labels, strict=True):
        look = looks[label]
        size = section.x1 - section.x0, section.y1 - section.y0
        axes.add_patch(Rectangle((section.x0, section.y0), *size, facecolor=look.colour, edgecolor="#00000059",
                                 hatch=look.hatch, lw=0.4, zorder=2))  # fmt: skip
        x0, y0, x1, y1 = section.face
        axes.plot([x0, x1], [y0, y1], color="#222222", lw=1.0, solid_capstyle="butt", zorder=2.2)
        if section.endcap:
            axes.plot(*section.centre, marker="*", ms=3.2, color="#222222", mew=0, zorder=2.3)


def _draw_walks(axes: Axes, layout: Layout) -> None:
    from matplotlib.collections import LineCollection

    place = {node.id: (node.x, node.y) for node in layout.nodes}
    lines = [(place[edge.a], place[edge.b]) for edge in layout.edges]
    axes.add_collection(LineCollection(lines, colors="#b9b4a8", linewidths=0.7, zorder=1))
    plain = [node for node in layout.nodes if node.kind in ("aisle", "cross_aisle", "perimeter")]
    axes.plot([n.x for n in plain], [n.y for n in plain], "o", ms=2.4, color="#6d685d", mew=0, zorder=1.5)


def _runs(layout: Layout, labels: Sequence[str]) -> list[tuple[str, list[Section]]]:
    """Group the sections of one department that share an aisle wall and touch."""
    runs: list[tuple[str, list[Section]]] = []
    order = sorted(
        (i for i, s in enumerate(layout.sections) if not s.endcap),
        key=lambda i: (layout.sections[i].side in ("north", "south"), layout.sections[i].centre[0]
                       if layout.sections[i].side in ("east", "west") else layout.sections[i].centre[1],
                       layout.sections[i].x0, layout.sections[i].y0),
    )  # fmt: skip
    for i in order:
        section = layout.sections[i]
        if runs and runs[-1][0] == labels[i] and _touch(runs[-1][1][-1], section):
            runs[-1][1].append(section)
        else:
            runs.append((labels[i], [section]))
    return runs


def _touch(a: Section, b: Section) -> bool:
    if a.side != b.side:
        return False
    if a.side in ("east", "west"):
        return abs(a.x0 - b.x0) < 0.01 and abs(a.y1 - b.y0) < 0.01
    return abs(a.y0 - b.y0) < 0.01 and abs(a.x1 - b.x0) < 0.01


def _draw_names(axes: Axes, layout: Layout, labels: Sequence[str], font: float) -> None:
    """Write each department in the aisle before its run of shelves, where no hatching disturbs it, if it fits."""
    from matplotlib.patheffects import withStroke

    scale = _inches_per_metre(layout)
    away = (0.72 * font) / (72 * scale)  # from the face of the shelf to the middle of the letters, in metres
    for label, run in _runs(layout, labels):
        if label in (PROMOTION, EMPTY):
            continue
        upright = run[0].side in ("east", "west")
        low, high = (run[0].y0, run[-1].y1) if upright else (run[0].x0, run[-1].x1)
        corners = 0.0 if upright else 2.2 * font  # along the back wall the names of both side walls come near
        text = _shortened(label, (high - low) * 72 * scale - corners, font)
        if not text:
            continue
        x0, y0, x1, y1 = run[0].face
        across = (x0 + x1) / 2 if upright else (y0 + y1) / 2
        across += away if run[0].side in ("east", "north") else -away
        middle = (low + high) / 2
        axes.text(across if upright else middle, middle if upright else across, text, rotation=90 if upright else 0,
                  fontsize=font, ha="center", va="center", zorder=4, color="#111111", rotation_mode="anchor",
                  path_effects=[withStroke(linewidth=1.8, foreground="#fbfaf7")])  # fmt: skip


def _inches_per_metre(layout: Layout) -> float:
    return max(0.18, min(0.42, 12.0 / max(layout.width, layout.height)))


def _shortened(label: str, room: float, font: float) -> str:
    letters = int(room / (0.56 * font)) - 1  # a letter's width stays free between two names
    return label if letters >= len(label) else (label[: letters - 1].rstrip(" ,&") + "." if letters >= 5 else "")


def _draw_landmarks(axes: Axes, layout: Layout, font: float) -> None:
    from matplotlib.patches import Rectangle

    marks = {"entrance": ("^", "#1b7f3b", "IN"), "exit": ("v", "#8a1c1c", "OUT"), "checkout": ("s", "#1f4e9c", "TILL")}
    for node in layout.nodes:
        if node.kind not in marks:
            continue
        marker, colour, text = marks[node.kind]
        axes.plot(node.x, node.y, marker, ms=font * 0.9, color=colour, mec="white", mew=0.6, zorder=5)
        axes.annotate(text, (node.x, node.y), (font * 0.75, 0), textcoords="offset points", fontsize=font * 0.85,
                      weight="bold", color=colour, va="center", zorder=5)  # fmt: skip
        if node.kind == "checkout":
            axes.add_patch(Rectangle((node.x - 0.95, node.y), 0.45, 1.8, facecolor="#5b6b82",
                                     edgecolor="#333333", lw=0.4, zorder=2))  # fmt: skip


def _legs(layout: Layout, path: Sequence[str]) -> list[list[int]]:
    """Node numbers walked in each turn, passed nodes included."""
    from supermarket_env.errors import unknown_name
    from supermarket_env.store.geometry import geometry_of

    for node_id in path:
        if node_id not in layout.node_numbers:
            raise LayoutError(f"path: {unknown_name('node', node_id, layout.node_numbers)}")
    paths = geometry_of(layout).paths
    legs: list[list[int]] = []
    numbers = [layout.node_numbers[node_id] for node_id in path]
    for here, goal in pairwise(numbers):
        if here == goal:
            legs.append([here])
        at = here
        while at != goal:
            step = int(paths.next_move[at, goal])
            move: Move = next(m for m in paths.move_targets[at] if m.node == step)
            legs.append([at, *move.passed, step])
            at = step
    return legs


def _draw_path(axes: Axes, layout: Layout, path: Sequence[str], font: float) -> None:
    """Draw the walk a little right of the walking direction, so that there and back stay apart."""
    from matplotlib.patheffects import withStroke

    turns: dict[int, list[int]] = {}
    for turn, leg in enumerate(_legs(layout, path), start=1):
        turns.setdefault(leg[-1], []).append(turn)
        a, b = layout.nodes[leg[0]], layout.nodes[leg[-1]]
        length = math.hypot(b.x - a.x, b.y - a.y)
        if length == 0:
            continue
        dx, dy = 0.22 * (b.y - a.y) / length, -0.22 * (b.x - a.x) / length
        axes.annotate("", (b.x + dx, b.y + dy), (a.x + dx, a.y + dy), zorder=6,
                      arrowprops={"arrowstyle": "-|>", "color": _PATH_COLOUR, "lw": 1.5, "shrinkA": 0,
                                  "shrinkB": 2, "mutation_scale": 8})  # fmt: skip
    left = 0.22 * 72 * _inches_per_metre(layout) + 4.0  # clear of an arrow that comes down
    for number, seen in turns.items():
        node = layout.nodes[number]
        axes.annotate(",".join(map(str, seen)), (node.x, node.y), (-left, font * 0.6),
                      textcoords="offset points", fontsize=font * 0.95, color=_PATH_COLOUR, weight="bold", ha="right",
                      zorder=7, path_effects=[withStroke(linewidth=2, foreground="white")])  # fmt: skip


def _finish(axes: Axes, layout: Layout, looks: dict[str, Look], labels: Sequence[str]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    axes.set_xlim(-0.6, layout.width + 0.6)
    axes.set_ylim(-2.2, layout.height + 0.6)
    axes.set_aspect("equal")
    axes.set_xlabel("metres")
    axes.set_ylabel("metres")
    axes.tick_params(labelsize=7)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    bar = 5.0 if layout.width > 15 else 2.0
    left = layout.width - bar
    axes.plot([left, left + bar], [-1.0, -1.0], color="black", lw=2.5, solid_capstyle="butt")
    axes.text(left + bar / 2, -1.25, f"{bar:g} m", ha="center", va="top", fontsize=7)
    axes.set_title(
        f"{layout.name}: {len(layout.nodes)} nodes, {len(layout.sections)} sections, "
        f"{layout.width:.0f} x {layout.height:.0f} m", fontsize=10,
    )  # fmt: skip
    shown = [name for name in looks if name in set(labels)]
    handles: list[Any] = [
        Patch(facecolor=looks[name].colour, hatch=looks[name].hatch, edgecolor="#00000080", lw=0.4, label=name)
        for name in shown if name != PROMOTION
    ]  # fmt: skip
    if PROMOTION in shown:
        handles.append(Line2D([], [], marker="*", ls="", color="#222222", ms=6, label="promotional endcap"))
    handles.append(Line2D([], [], marker="o", ls="-", color="#6d685d", lw=0.7, ms=3, label="standing point, walk"))
    axes.legend(handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8, frameon=False,
                handlelength=2.2, handleheight=1.4)  # fmt: skip
