"""Plots made from ``metrics.json`` alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.report.look import styles_of
from supermarket_env.report.tables import Group, agent_order, groups_of, stored_intervals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("sr_vs_turn",)

_PANELS = (
    ("SR(t)", ("SR(t)",), "bought something by turn t"),
    ("SR_complete(t)", ("beyond", "SR_complete(t)"), "bought everything that was wanted by turn t"),
)


def save_plot(
    kind: str,
    metrics: Mapping[str, Any],
    out: Path,
    *,
    title: str,
    agents: Sequence[str] = (),
    privileged: Collection[str] = (),
) -> Path:
    """Draw a plot of the given kind.

    Args:
        kind: One of :data:`KINDS`.
        metrics: Content of ``metrics.json`` (grouped by agent).
        out: Picture to write; the ending decides the format (.png, .svg, .pdf).
        title: What was run on what.
        agents: Order of the curves.
        privileged: Assistants marked with a star.

    Raises:
        ConfigError: For an unknown kind, or a picture that cannot be written.
    """
    if kind not in KINDS:
        raise ConfigError(unknown_name("kind of plot", kind, KINDS))
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    groups = agent_order(groups_of(metrics), agents)
    figure = Figure(figsize=(11.0, 5.2), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    with mpl.rc_context({"font.size": 10, "svg.hashsalt": kind}):
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (name, path, meaning) in zip(panels, _PANELS, strict=True):
            _draw_curves(axes, groups, path, privileged)
            axes.set_title(f"{name}: {meaning}", fontsize=10.5)
        panels[0].set_ylabel("share of trips (%)")
        handles, labels = panels[0].get_legend_handles_labels()
        if handles:
            columns = len(handles) if len(handles) <= 5 else 4
            figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, handlelength=4)
        figure.suptitle(f"Success by turn with 95 % bands - {title}", fontsize=11.5)
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(out, metadata={"Date": None} if out.suffix in (".svg", ".pdf") else None)
        except (OSError, ValueError) as error:
            raise ConfigError(f"{out}: the picture cannot be written ({error})") from error
    return out


def _draw_curves(axes: Axes, groups: Sequence[Group], path: Sequence[str], privileged: Collection[str]) -> None:
    """Draw one panel: a curve with its band for each assistant, the final value at its end."""
    horizon = max((len(curve_of(group, path)) - 1 for group in groups), default=1)
    horizon = max(horizon, 1)
    ends: list[tuple[float, str, str]] = []
    styles = styles_of([str(group.get("agent", "all")) for group in groups])
    for number, group in enumerate(groups):
        curve = curve_of(group, path)
        if not curve:
            continue
        colour, line, marker = styles[number]
        name = str(group.get("agent", "all")) + ("*" if group.get("agent") in privileged else "")
        # After its longest trip a curve stays where it is: drawn on to the common end.
        values = curve + [curve[-1]] * (horizon + 1 - len(curve))
        low, high = band_of(group, path, values)
        turns = range(horizon + 1)
        axes.fill_between(turns, low, high, step=None, color=colour, alpha=0.10, linewidth=0)
        axes.plot(
            turns,
            values,
            color=colour,
            linestyle=line,
            marker=marker,
            markersize=5,
            markevery=(number * max(1, horizon // 40), max(1, horizon // 8)),
            markerfacecolor="white",
            linewidth=1.8,
            label=f"{name} (n = {group['n']})",
        )
        ends.append((values[-1], f"{name} {round(values[-1], 1):g}", colour))
    axes.set_xlim(0, horizon)
    axes.set_ylim(0, 104)
    axes.set_xlabel("t (turns)")
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if not ends:
        axes.text(0.5, 0.5, "n/a: undefined for every assistant", ha="center", transform=axes.transAxes)
    for place, (value, label, colour) in zip(spread([end[0] for end in ends], gap=4.6), ends, strict=True):
        axes.annotate(
            label,
            xy=(horizon, value),
            xytext=(horizon * 1.035, place),
            va="center",
            fontsize=9,
            color="#222222",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 0},
        )


def success_rows(metrics: Mapping[str, Any], agents: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return every number of the picture: a row an assistant, curve and turn, with the ends of its band."""
    rows = []
    for group in agent_order(groups_of(metrics), agents):
        for name, path, _ in _PANELS:
            values = curve_of(group, path)
            low, high = band_of(group, path, values) if values else ([], [])
            rows += [
                {"agent": group.get("agent", "all"), "n": group["n"], "curve": name, "turn": turn, "percent": value,
                 "low": low[turn], "high": high[turn]}
                for turn, value in enumerate(values)
            ]  # fmt: skip
    return rows


def curve_of(group: Group, path: Sequence[str]) -> list[float]:
    """Return a curve of a group in percent by turn, empty when it is undefined."""
    value: Any = group
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return [float(v) for v in value] if isinstance(value, list) and None not in value else []


def band_of(group: Group, path: Sequence[str], values: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return the lower and upper ends of a curve at each turn, in percent: those of the file, else Wilson's."""
    stored = stored_intervals(group, path)
    if isinstance(stored, list) and stored and all(isinstance(pair, list) and None not in pair for pair in stored):
        pairs = [(float(low), float(high)) for low, high in stored]
        pairs += [pairs[-1]] * (len(values) - len(pairs))
    else:
        pairs = [_wilson(value, int(group["n"])) for value in values]
    pairs[0] = (values[0], values[0])  # nobody has bought anything before the first turn: that is no estimate
    return [low for low, _ in pairs], [high for _, high in pairs]


def _wilson(percent: float, n: int) -> tuple[float, float]:
    from supermarket_env.stats import wilson_interval

    bounds = wilson_interval(round(percent / 100.0 * n), n)
    return (percent, percent) if bounds is None else (100.0 * bounds.low, 100.0 * bounds.high)


def spread(values: Sequence[float], *, gap: float, low: float = 0.0, high: float = 104.0) -> list[float]:
    """Return places for labels: as near to their values as a minimal distance allows, order kept.

    >>> spread([50.0, 50.0, 90.0], gap=4.0)
    [48.0, 52.0, 90.0]
    """
    order = sorted(range(len(values)), key=lambda i: values[i])
    blocks: list[tuple[list[int], float]] = []
    for i in order:
        blocks.append(([i], values[i]))
        # Blocks that would overlap become one, centred on the mean of its members.
        while len(blocks) > 1 and _top(blocks[-2], gap) + gap > _bottom(blocks[-1], gap):
            members = blocks[-2][0] + blocks[-1][0]
            blocks[-2:] = [(members, _centre([values[m] for m in members], gap, low, high))]
    places = [0.0] * len(values)
    for members, centre in blocks:
        for rank, member in enumerate(members):
            places[member] = centre + (rank - (len(members) - 1) / 2) * gap
    return places


def _centre(values: Sequence[float], gap: float, low: float, high: float) -> float:
    half = (len(values) - 1) / 2 * gap
    return min(max(sum(values) / len(values), low + half), high - half)


def _top(block: tuple[list[int], float], gap: float) -> float:
    return block[1] + (len(block[0]) - 1) / 2 * gap


def _bottom(block: tuple[list[int], float], gap: float) -> float:
    return block[1] - (len(block[0]) - 1) / 2 * gap
