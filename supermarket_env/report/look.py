"""The one style of all pictures: colours, line styles, axes, and files (picture, its vector twin, numbers as CSV).

The Okabe-Ito colours are told apart by most people; line styles, markers and hatches carry the same distinction for
print in grey.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from supermarket_env.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK: Final = "#222222"
FAINT: Final = "#dddddd"
FORMATS: Final = (".png", ".svg", ".pdf")
GREYS: Final = "cividis"
"""Colour map of heat maps: even in lightness, so that it prints in grey."""


class Style(NamedTuple):
    """How one assistant or series looks in every picture."""

    colour: str
    line: Any
    marker: str


STYLES: Final[tuple[Style, ...]] = (
    Style("#000000", "-", "o"),
    Style("#E69F00", (0, (5, 1.5)), "s"),
    Style("#0072B2", (0, (3, 1, 1, 1)), "^"),
    Style("#D55E00", "-", "D"),
    Style("#009E73", (0, (1, 1)), "v"),
    Style("#CC79A7", (0, (7, 2, 1, 2)), "P"),
    Style("#56B4E9", (0, (4, 4)), "X"),
    Style("#7F7F7F", "-", "*"),
)

# The shipped ladder keeps its looks in every picture, so that figures of two runs can be laid side by side.
_OWN_STYLE = {"silent": 0, "popularity": 1, "retrieval": 2, "rule": 3, "oracle": 4}


def styles_of(names: Sequence[str]) -> list[Style]:
    """Return a style for each name: its own for the shipped ladder, the free ones in order for the others."""
    plain = [name.rstrip("*") for name in names]
    taken = {_OWN_STYLE[name] for name in plain if name in _OWN_STYLE}
    free = [k for k in range(len(STYLES)) if k not in taken] or list(range(len(STYLES)))
    others = list(dict.fromkeys(name for name in plain if name not in _OWN_STYLE))
    return [STYLES[_OWN_STYLE[name] if name in _OWN_STYLE else free[others.index(name) % len(free)]] for name in plain]


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches, attached to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def tidy(axes: Axes, *, grid: str = "both") -> None:
    """Give axes the common look: a faint grid behind, no box."""
    if grid in ("x", "y", "both"):
        axes.grid(visible=True, axis=grid, color=FAINT, linewidth=0.6)  # type: ignore[arg-type]
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def outlined(width: float = 2.5) -> list[Any]:
    """Return the path effects that keep text readable where it crosses lines."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=width, foreground="white")]


def undefined(axes: Axes, text: str = "n/a: undefined for everyone") -> None:
    """Say in the middle of empty axes why they are empty."""
    axes.text(0.5, 0.5, text, ha="center", va="center", transform=axes.transAxes, color=INK)


def legend_below(figure: Figure, *panels: Axes) -> None:
    """Put one legend for all panels below the figure, each label once, in as many columns as fit its width."""
    found: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if found:
        # Points: a letter about 6, the line 40 with its gap, the space between columns 22.
        room = figure.get_figwidth() * 72 - 10
        columns = max(1, min(len(found), int(room / (62 + 6.2 * max(map(len, found))))))
        columns = math.ceil(len(found) / math.ceil(len(found) / columns))  # rows of like length
        figure.legend(
            list(found.values()),
            list(found),
            loc="outside lower center",
            ncols=columns,
            frameon=False,
            handlelength=4,
        )


def save_figure(figure: Figure, out: Path, rows: Sequence[Mapping[str, Any]]) -> list[Path]:
    """Save a picture, its twin (vector beside PNG, PNG beside vector) and its numbers.

    Args:
        figure: What to save.
        out: Picture to write: .png, .svg or .pdf.
        rows: Every number drawn, one mapping a line of ``<out>.csv``.

    Returns:
        The files written: the picture, the twin, the CSV.

    Raises:
        ConfigError: For another ending, or files that cannot be written.
    """
    import matplotlib as mpl

    from supermarket_env.compare.pages import rows_csv

    if out.suffix not in FORMATS:
        raise ConfigError(f"{out}: expected a picture ending in {', '.join(FORMATS)}")
    twin = out.with_suffix(".svg" if out.suffix == ".png" else ".png")
    table = out.with_suffix(".csv")
    undated: dict[str, dict[str, Any]] = {
        ".png": {"Software": None},
        ".svg": {"Date": None},
        ".pdf": {"CreationDate": None},
    }
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context({"svg.hashsalt": "supermarket"}):
            for file in (out, twin):
                figure.savefig(file, metadata=undated[file.suffix])
        table.write_text(rows_csv(rows), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{out}: the picture cannot be written ({error.strerror or error})") from error
    return [out, twin, table]
