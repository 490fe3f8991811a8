"""``supermarket calibrate``: automatic scores against human labels."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supermarket_env.errors import ConfigError, unknown_name

if TYPE_CHECKING:
    from supermarket_env.scorers.calibration import Calibration


def calibrate(
    labels: Annotated[
        Path, typer.Argument(metavar="LABELS", help="CSV or JSON lines: human, auto, id, metric, labeled.")
    ],
    run: Annotated[Path | None, typer.Option(help="Run directory with the automatic scores, found by id.")] = None,
    scorer: Annotated[str, typer.Option(help="Scores file of the run: <name>@<version>.")] = "virtual_agent@1",
    as_of: Annotated[str | None, typer.Option(help="Date of the calibration; all labels without it.")] = None,
    months: Annotated[int, typer.Option(help="Months of the window before it.")] = 6,
    min_records: Annotated[int, typer.Option(help="A deviation needs more differences than this.")] = 30,
    at_least: Annotated[bool, typer.Option("--at-least", help="As many as that are enough.")] = False,
    trim: Annotated[str, typer.Option(help="largest, extremes or none")] = "largest",
    denominator: Annotated[str, typer.Option(help="all, nonzero or trimmed")] = "all",
    both_sides: Annotated[bool, typer.Option("--both-sides", help="Demand both deviations.")] = False,
    auto_scale: Annotated[str, typer.Option(help="Lowest,highest automatic score.")] = "1,5",
    human_scale: Annotated[str, typer.Option(help="Lowest,highest label.")] = "1,5",
    weights: Annotated[str, typer.Option(help='Weights of the satisfaction, as {"metric": weight}.')] = "",
    chart: Annotated[Path | None, typer.Option(help="Trend chart to write.")] = None,
    chart_metric: Annotated[str, typer.Option(help="Metric of the chart; by default the first.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Calibrate automatic scores to human labels: deviations, error band, adjusted scores, weighted satisfaction."""
    from supermarket_env.scorers.calibration.labels import read_labels, with_autos

    rows = read_labels(labels, auto_scale=_scale("auto", auto_scale), human_scale=_scale("human", human_scale))
    if run is not None:
        rows = with_autos(rows, _autos(run, scorer), labels)
    options: dict[str, Any] = {
        "min_records": min_records,
        "strict": not at_least,
        "trim": trim,
        "denominator": denominator,
        "both_sides": both_sides,
    }
    try:
        result = calibrate_rows(rows, as_of, months, options, _weights(weights))
    except ValueError as error:
        raise ConfigError(f"{labels}: {error}") from None
    if chart is not None:
        _draw(rows, result, chart, chart_metric)
    print(json.dumps(_plain(result), allow_nan=False) if as_json else as_text(result))


def calibrate_rows(
    rows: list[dict[str, Any]], as_of: str | None, months: int, options: dict[str, Any], weights: dict[str, float]
) -> dict[str, Any]:
    """Return calibration, band interval and prediction-powered estimate of each metric, and of the satisfaction.

    Raises:
        ValueError: If a row or an option is not valid.
    """
    from supermarket_env.scorers.calibration import LIMITS
    from supermarket_env.scorers.calibration import calibrate as fit
    from supermarket_env.scorers.calibration import calibrate_satisfaction as fit_satisfaction

    metrics: dict[str, Any] = {}
    names = list(dict.fromkeys(row["metric"] for row in rows))
    for name in names:
        chosen = [row for row in rows if row["metric"] == name]
        # One score an evaluation, however many people labelled it.
        autos = {str(r.get("id", k)): float(r["auto"]) for k, r in enumerate(chosen) if r.get("auto") is not None}
        metrics[name] = _summary(fit(chosen, as_of, window_months=months, **options), list(autos.values()))
    result: dict[str, Any] = {"as_of": as_of, "metrics": metrics, "limits": list(LIMITS)}
    if len(names) > 1 or weights:
        used = weights or dict.fromkeys(names, 1.0)
        whole = fit_satisfaction(_evaluations(rows, as_of, months), used, as_of, window_months=months, **options)
        autos_of_users = [one.auto for one in whole.evaluations if one.auto is not None]
        result["user_satisfaction_weighted"] = {
            "weights": used,
            "n": len(whole.evaluations),
            **_summary(whole.calibration, autos_of_users),
        }
    return result


def _summary(fitted: Calibration, autos: list[float]) -> dict[str, Any]:
    """Return a calibration with its interval, the means before and after, and the prediction-powered estimate.

    Args:
        fitted: The calibration.
        autos: The automatic score of every evaluation, labelled or not.
    """
    from supermarket_env.scorers.calibration import adjust, band_interval, prediction_powered_mean

    mean = math.fsum(autos) / len(autos) if autos else None
    interval = band_interval(fitted)
    powered = prediction_powered_mean(autos, list(fitted.deltas))
    return {
        "calibration": fitted,
        "band_interval": interval,
        "is_established": interval is not None and not interval.low <= 0.0 <= interval.high,
        "n_auto": len(autos),
        "auto_mean": mean,
        "adjusted_mean": None if mean is None else float(adjust(mean, fitted)),
        "prediction_powered": None if powered is None else powered._asdict(),
    }


def _evaluations(rows: list[dict[str, Any]], as_of: str | None, months: int) -> list[dict[str, Any]]:
    """Gather the rows of each evaluation: scores by metric, its labels in the window averaged, their last date."""
    from supermarket_env.scorers.calibration.core import in_window

    found: dict[str, dict[str, Any]] = {}
    for place, row in enumerate(rows):
        one = found.setdefault(str(row.get("id", f"row {place}")), {"auto": {}, "labels": {}, "labeled": None})
        one["auto"][row["metric"]] = row.get("auto")
        if row.get("human") is not None and in_window(row.get("labeled"), as_of, months):
            one["labels"].setdefault(row["metric"], []).append(row["human"])
            one["labeled"] = max(filter(None, (one["labeled"], row.get("labeled"))), default=None)
    return [
        {
            "auto": one["auto"],
            "human": {name: math.fsum(v) / len(v) for name, v in one["labels"].items()},
            **({"labeled": one["labeled"]} if one["labeled"] else {}),
        }
        for one in found.values()
    ]


def _autos(run: Path, scorer: str) -> dict[tuple[str, str], float]:
    """Return the automatic scores of a run by (episode, metric); metrics go by their names with and without prefix."""
    from supermarket_env.scorers.files import read_scores, scores_path
    from supermarket_env.scorers.sheets import value_in

    path = scores_path(run, scorer)
    if not path.is_file():
        have = sorted(p.stem for p in path.parent.glob("*.jsonl"))
        raise ConfigError(
            f"{path}: no such scores; there are: {', '.join(have) or 'none'} (supermarket score makes them)"
        )
    found: dict[tuple[str, str], float] = {}
    for name, line in read_scores(path).items():
        values = line.get("values") or {}
        for score in values.get("scores") or ():
            value = value_in(values, score["dim"])
            if value is not None:
                found[name, score["dim"]] = found[name, score["dim"].rpartition(".")[2]] = value
    return found


def _scale(name: str, text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise ConfigError(f"--{name}-scale: expected two numbers like 1,5, got {text!r}") from None
    if not low < high:
        raise ConfigError(f"--{name}-scale: expected the lower number first, got {text!r}")
    return low, high


def _weights(text: str) -> dict[str, float]:
    if not text:
        return {}
    try:
        weights = {str(name): float(weight) for name, weight in json.loads(text).items()}
    except (ValueError, AttributeError, TypeError):
        raise ConfigError(f'--weights: expected an object like {{"coherence": 2}}, got {text!r}') from None
    return weights


def _draw(rows: list[dict[str, Any]], result: dict[str, Any], out: Path, metric: str) -> None:
    from supermarket_env.scorers.calibration.chart import draw_trend, trend

    if not result["metrics"]:
        raise ConfigError("a trend chart needs at least one evaluation")
    name = metric or next(iter(result["metrics"]))
    if name not in result["metrics"]:
        raise ConfigError(f"--chart-metric: {unknown_name('metric', name, result['metrics'])}")
    found = result["metrics"][name]
    points = trend([row for row in rows if row["metric"] == name], found["calibration"])
    draw_trend(points, found["calibration"], out, title=f"{name} by date", is_grey=not found["is_established"])


def _plain(result: Any) -> Any:
    """Return the result as JSON-ready data."""
    if isinstance(result, dict):
        return {key: _plain(value) for key, value in result.items()}
    if hasattr(result, "deltas"):
        return {key: value for key, value in result._asdict().items() if key != "deltas"}
    if hasattr(result, "_asdict"):
        return [*result]
    return result


def as_text(result: dict[str, Any]) -> str:
    """Return the result as a short report, its limits last."""
    lines = []
    whole = result.get("user_satisfaction_weighted")
    for name, found in [*result["metrics"].items(), *([("user_satisfaction_weighted", whole)] if whole else [])]:
        fitted, interval = found["calibration"], found["band_interval"]
        lines.append(
            f"{name}: {fitted.n} labelled of {found['n_auto']} evaluations ({fitted.n_up} above, {fitted.n_down} below)"
        )
        if not fitted.is_calibrated:
            lines.append("  uncalibrated: too few differences on either side; adjusted = automatic")
        else:
            bounds = f" [{interval.low:+.3f}, {interval.high:+.3f}]" if interval is not None else ""
            known = "" if found["is_established"] else "  (not established: its interval covers 0)"
            lines.append(f"  error band {fitted.band:+.3f}{bounds}{known}")
            lines.append(f"  deviations: upper {_number(fitted.upper)}, lower {_number(fitted.lower)}")
            lines.append(f"  mean: automatic {_number(found['auto_mean'])}, adjusted {_number(found['adjusted_mean'])}")
        powered = found["prediction_powered"]
        if powered is not None and powered["is_advised"]:
            lines.append(
                f"  better with so many labels: prediction-powered mean {powered['estimate']:.3f} "
                f"[{powered['low']:.3f}, {powered['high']:.3f}]"
            )
    lines += ["", "limits:", *(f"  - {limit}" for limit in result["limits"])]
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"
