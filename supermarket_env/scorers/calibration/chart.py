"""The trend chart: automatic, human and adjusted scores by evaluation date, with the two envelopes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.calibration.core import CHART_RECORDS, Calibration, adjust
from supermarket_env.scorers.calibration.scale import clamp, mean

LINES: Final = (
    ("auto", "automatic", "#0072B2", "-", "o"),
    ("human", "human", "#000000", "--", "s"),
    ("adjusted", "adjusted", "#D55E00", "-.", "^"),
)


class TrendPoint(NamedTuple):
    """Means over the distinct evaluations of one date."""

    date: str
    n: int
    auto: float
    human: float | None
    """Mean label of the labelled evaluations; None without any."""
    adjusted: float
    """Mean of the adjusted scores, each kept within 1..5."""
    upper: float | None
    """Automatic mean plus the upper deviation; None without one."""
    lower: float | None


def trend(rows: Iterable[Mapping[str, Any]], calibration: Calibration) -> list[TrendPoint]:
    """Return one point a date of evaluation, in order of the dates; rows without a date or score are left out.

    Args:
        rows: Evaluations with ``evaluated`` (a date), ``auto`` and, where labelled, ``human``, on the scale 1..5.
            Rows of one ``id`` are labels of one evaluation: it counts once, with the mean of its labels, on the day
            its first row names.
        calibration: Their calibration.
    """
    seen: dict[tuple[str, str], tuple[str, float, list[float]]] = {}
    for place, row in enumerate(rows):
        if row.get("evaluated") and row.get("auto") is not None:
            key = ("id", str(row["id"])) if row.get("id") is not None else ("row", str(place))
            known = seen.setdefault(key, (str(row["evaluated"])[:10], float(row["auto"]), []))
            if row.get("human") is not None:
                known[2].append(float(row["human"]))
    by_date: dict[str, list[tuple[float, list[float]]]] = {}
    for date, auto, labels in seen.values():
        by_date.setdefault(date, []).append((auto, labels))
    points = []
    for date in sorted(by_date):
        autos = [auto for auto, _ in by_date[date]]
        humans = [mean(labels) for _, labels in by_date[date] if labels]
        auto = mean(autos)
        points.append(
            TrendPoint(
                date,
                len(autos),
                auto,
                mean(humans) if humans else None,
                mean([float(adjust(one, calibration)) for one in autos]),
                None if calibration.upper is None else clamp(auto + calibration.upper),
                None if calibration.lower is None else clamp(auto + calibration.lower),
            )
        )
    return points


def draw_trend(points: list[TrendPoint], calibration: Calibration, out: Path, *, title: str, is_grey: bool) -> Path:
    """Draw the trend chart.

    Args:
        points: At least one point.
        calibration: Decides which lines there are: the adjusted one only with enough labels.
        out: Picture to write; the ending decides the format.
        title: What was evaluated.
        is_grey: Draw the adjusted line in grey: its band is not told apart from 0.

    Raises:
        ConfigError: If there is no point or the picture cannot be written.
    """
    if not points:
        raise ConfigError("a trend chart needs evaluations with a date (evaluated) and an automatic score")
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.6), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    places = range(len(points))
    for name, label, colour, style, marker in LINES:
        if name == "adjusted" and (not calibration.is_calibrated or calibration.n < CHART_RECORDS):
            continue
        drawn = [(x, value) for x, p in zip(places, points, strict=True) if (value := getattr(p, name)) is not None]
        shade = "#9A9A9A" if name == "adjusted" and is_grey else colour
        axes.plot(
            *zip(*drawn, strict=True), color=shade, linestyle=style, marker=marker, ms=4, label=label
        ) if drawn else None
    for name, label in (("upper", "automatic + upper deviation"), ("lower", "automatic + lower deviation")):
        values = [getattr(point, name) for point in points]
        if values[0] is not None:
            axes.plot(places, values, color="#0072B2", linestyle=":", linewidth=1.0, alpha=0.7, label=label)
    step = max(1, len(points) // 12)
    axes.set_xticks(list(places)[::step], [point.date for point in points][::step], rotation=30, ha="right", fontsize=8)
    axes.set_ylim(0.9, 5.1)
    axes.set_ylabel("score (1 to 5)")
    axes.set_xlabel("date of evaluation")
    axes.grid(visible=True, axis="y", linewidth=0.4, alpha=0.5)
    axes.set_title(title, fontsize=10.5)
    axes.legend(frameon=False, fontsize=8, loc="lower left")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        metadata: dict[str, Any] = {"Software": None} if out.suffix == ".png" else {}
        with mpl.rc_context({"svg.hashsalt": "trend"}):
            figure.savefig(out, metadata=metadata)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{out}: cannot write the picture ({error})") from None
    return out
