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
    from supermarket_env.scorers.calibration.run_scores import RunScores


def calibrate(
    labels: Annotated[
        Path, typer.Argument(metavar="LABELS", help="CSV or JSON lines: human, auto, id, metric, labeled.")
    ],
    run: Annotated[Path | None, typer.Option(help="Run directory with the automatic scores, found by id.")] = None,
    scorer: Annotated[str, typer.Option(help="Scores file of the run: <name>@<version>.")] = "virtual_agent@1",
    as_of: Annotated[str | None, typer.Option(help="Date of the calibration; all labels without it.")] = None,
    months: Annotated[int, typer.Option(help="Months of the window before it.", min=1)] = 6,
    min_records: Annotated[int, typer.Option(help="A deviation needs more differences than this.", min=0)] = 30,
    at_least: Annotated[bool, typer.Option("--at-least", help="As many as that are enough.")] = False,
    trim: Annotated[str, typer.Option(help="largest, extremes or none")] = "largest",
    denominator: Annotated[str, typer.Option(help="all, nonzero or trimmed")] = "all",
    both_sides: Annotated[bool, typer.Option("--both-sides", help="Demand both deviations.")] = False,
    auto_scale: Annotated[str, typer.Option(help="Lowest,highest automatic score.")] = "1,5",
    human_scale: Annotated[str, typer.Option(help="Lowest,highest label.")] = "1,5",
    weights: Annotated[
        str, typer.Option(help='Weights of the satisfaction: {"metric": weight}; default the run\'s, else 1.')
    ] = "",
    chart: Annotated[Path | None, typer.Option(help="Trend chart to write.")] = None,
    chart_metric: Annotated[str, typer.Option(help="Metric of the chart; by default the first.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Calibrate automatic scores to human labels: deviations, error band, adjusted scores, weighted satisfaction."""
    from supermarket_env.scorers.calibration.labels import read_labels, with_autos
    from supermarket_env.scorers.calibration.run_scores import read_run_scores

    rows = read_labels(labels, auto_scale=_scale("auto", auto_scale), human_scale=_scale("human", human_scale))
    known = None if run is None else read_run_scores(run, scorer)
    if known is not None:
        rows = with_autos(rows, known.scores, labels)
    options: dict[str, Any] = {
        "min_records": min_records,
        "strict": not at_least,
        "trim": trim,
        "denominator": denominator,
        "both_sides": both_sides,
    }
    try:
        result = calibrate_rows(rows, as_of, months, options, _weights(weights), known)
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(f"{labels}: {error}") from None
    if chart is not None:
        _draw(rows, result, chart, chart_metric)
    print(json.dumps(_plain(result), allow_nan=False) if as_json else as_text(result))


def calibrate_rows(
    rows: list[dict[str, Any]],
    as_of: str | None,
    months: int,
    options: dict[str, Any],
    weights: dict[str, float],
    run: RunScores | None = None,
) -> dict[str, Any]:
    """Return calibration, band interval and prediction-powered estimate of each metric, and of the satisfaction.

    Args:
        rows: Labelled evaluations, and those nobody labelled.
        as_of: Date of the calibration; None counts all labels.
        months: Months of the window before it.
        options: Options of the calibration.
        weights: Weights of the satisfaction; empty for the default.
        run: Scores of a run, whose metrics take part in the satisfaction though nobody labelled them.

    Raises:
        ConfigError: If a weight belongs to no metric.
        ValueError: If a row or an option is not valid.
    """
    from supermarket_env.scorers.calibration import LIMITS
    from supermarket_env.scorers.calibration import calibrate as fit
    from supermarket_env.scorers.calibration import calibrate_satisfaction as fit_satisfaction
    from supermarket_env.scorers.calibration.run_scores import satisfaction_weights

    metrics: dict[str, Any] = {}
    names = list(dict.fromkeys(row["metric"] for row in rows))
    for name in names:
        chosen = [row for row in rows if row["metric"] == name]
        # One score an evaluation, however many people labelled it.
        autos = {_evaluation(r, k): float(r["auto"]) for k, r in enumerate(chosen) if r.get("auto") is not None}
        metrics[name] = _summary(fit(chosen, as_of, window_months=months, **options), list(autos.values()))
    result: dict[str, Any] = {"as_of": as_of, "metrics": metrics, "limits": list(LIMITS)}
    used = satisfaction_weights(weights, names, run)
    if weights or len(used) > 1:
        whole = fit_satisfaction(_evaluations(rows, as_of, months, run), used, as_of, window_months=months, **options)
        autos_of_users = [one.auto for one in whole.evaluations if one.auto is not None]
        result["user_satisfaction_weighted"] = {
            "weights": used,
            "n": len(whole.evaluations),
            **_summary(whole.calibration, autos_of_users),
        }
    return result


def _evaluation(row: dict[str, Any], place: int) -> tuple[str, str]:
    """Return which evaluation a row belongs to; a row without an id is one of its own."""
    return ("id", str(row["id"])) if row.get("id") is not None else ("row", str(place))


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
        # The mean of what each score becomes: near the ends of the scale less than mean + band.
        "adjusted_mean": math.fsum(adjust(auto, fitted) for auto in autos) / len(autos) if autos else None,
        "prediction_powered": None if powered is None else powered._asdict(),
    }


def _evaluations(
    rows: list[dict[str, Any]], as_of: str | None, months: int, run: RunScores | None
) -> list[dict[str, Any]]:
    """Gather the rows of each evaluation: scores by metric, its labels in the window averaged, their last date."""
    from supermarket_env.scorers.calibration.core import in_window
    from supermarket_env.scorers.calibration.run_scores import bare

    found: dict[tuple[str, str], dict[str, Any]] = {}

    def of(key: tuple[str, str]) -> dict[str, Any]:
        return found.setdefault(key, {"auto": {}, "labels": {}, "labeled": None})

    for place, row in enumerate(rows):
        one, metric = of(_evaluation(row, place)), row["metric"] if run is None else bare(row["metric"])
        one["auto"].setdefault(metric, row.get("auto"))
        if row.get("human") is not None and in_window(row.get("labeled"), as_of, months):
            one["labels"].setdefault(metric, []).append(row["human"])
            one["labeled"] = max(filter(None, (one["labeled"], row.get("labeled"))), default=None)
    for (name, metric), value in (run.scores if run is not None else {}).items():
        of(("id", name))["auto"].setdefault(metric, value)
    return [
        {
            "auto": one["auto"],
            "human": {name: math.fsum(v) / len(v) for name, v in one["labels"].items()},
            **({"labeled": one["labeled"]} if one["labeled"] else {}),
        }
        for one in found.values()
    ]


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
    except (ValueError, AttributeError, TypeError, RecursionError):
        weights = {}
    if not weights:
        raise ConfigError(f'--weights: expected an object like {{"coherence": 2}}, got {text!r}')
    for name, weight in weights.items():
        if not 0 <= weight < math.inf:
            raise ConfigError(f"--weights: {name}: expected a number of 0 or more, got {weight!r}")
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
    parts = [*result["metrics"].items(), *([("user_satisfaction_weighted", whole)] if whole else [])]
    for name, found in parts:
        fitted, interval = found["calibration"], found["band_interval"]
        lines.append(
            f"{name}: {fitted.n} labelled of {found['n_auto']} evaluations ({fitted.n_up} above, {fitted.n_down} below)"
        )
        if found.get("weights"):
            shown = ", ".join(f"{metric} {weight:g}" for metric, weight in found["weights"].items())
            lines.append(f"  weighted mean of {shown}")
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
