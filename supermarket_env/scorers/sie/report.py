"""Results and comparisons as plain text, with enough digits to work the total out again."""

from __future__ import annotations

from collections.abc import Sequence

from supermarket_env.scorers.sie.compare import Change, Comparison
from supermarket_env.scorers.sie.dimensions import DIMENSIONS
from supermarket_env.scorers.sie.result import Mean, Scores, SieResult
from supermarket_env.scorers.sie.symptoms import Symptom


def _number(value: float | None, digits: int = 4) -> str:
    return "n/a" if value is None else f"{value:.{digits}f}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def result_text(result: SieResult) -> str:
    """Return one result: all five dimensions, the total, what blocks, sub-scores, agreement, symptoms."""
    weights = result.weights
    lines = [
        f"{result.system}: {result.verdict}"
        + (f" ({', '.join(result.below_floor)} below 2.8)" if result.below_floor else ""),
        f"  {result.overall.n_items} items, {result.n_raters} raters, weights {weights.label}, "
        f"anchors {result.anchors}",
        f"  {'dimension':<14} {'weight':>6} {'mean':>7} {'95 % interval':>17} {'items':>6} {'short':>7} {'long':>7} "
        f"{'exact':>6} {'within 1':>8} {'alpha':>6}",
    ]
    for name in DIMENSIONS:
        mean, agreement = result.overall.dims[name], result.agreement[name]
        lines.append(
            f"  {name:<14} {weights.weights[name]:>6.2f} {_number(mean.mean):>7} {_interval(mean.low, mean.high):>17} "
            f"{mean.n:>6} {_number(result.short.dims[name].mean):>7} {_number(result.long.dims[name].mean):>7} "
            f"{_number(agreement.exact, 2):>6} {_number(agreement.within_one, 2):>8} {_number(agreement.alpha, 3):>6} "
            f"{agreement.verdict}"
        )
    overall = result.overall
    lines.append(
        f"  {'total':<14} {'':>6} {_number(overall.total):>7} {_interval(overall.total_low, overall.total_high):>17} "
        f"{'':>6} {_number(result.short.total):>7} {_number(result.long.total):>7}"
    )
    if overall.total is None:
        missing = [name for name in DIMENSIONS if overall.dims[name].mean is None]
        lines.append(f"  no total: nobody graded {', '.join(missing)}")
    against = f": {'; '.join(result.publication_reasons)}" if result.publication_reasons else ""
    lines.append(f"  for publication: {result.publication}{against}")
    lines += _strata_lines(result)
    if result.traps.n_items:
        lines.append(f"  traps ({result.traps.n_items} items, in no figure above): {_means(result.traps)}")
    lines += [f"  note: {note}" for note in result.notes]
    lines += [f"  warning: {warning}" for warning in result.warnings]
    lines += symptom_lines(result.symptoms)
    return "\n".join(lines)


def _strata_lines(result: SieResult) -> list[str]:
    if result.strata is None:
        return []
    return [f"  {name} ({part.n_items} items): {_means(part)}" for name, part in result.strata.items()]


def _means(scores: Scores) -> str:
    def shown(mean: Mean) -> str:
        return _number(mean.mean, 3)

    return ", ".join(f"{name} {shown(scores.dims[name])}" for name in DIMENSIONS)


def symptom_lines(symptoms: Sequence[Symptom]) -> list[str]:
    """Return the look-up table's rows for the signs seen."""
    return [f"  sign: {s.sign} ({s.detail}) -> {s.remedy}" for s in symptoms]


def comparison_text(found: Comparison) -> str:
    """Return one comparison: changes on common items, what fell, the verdict."""
    lines = [
        f"{found.old} -> {found.new}: {found.verdict} ({found.n_common} common items)",
        f"  {'dimension':<14} {'old':>7} {'new':>7} {'change':>8} {'95 % interval':>17} {'items':>6}",
    ]
    lines += [_change_line(name, found.dims[name]) for name in DIMENSIONS]
    lines.append(_change_line("total", found.total))
    if found.regressions:
        lines.append(f"  regression: {', '.join(found.regressions)} fell, whatever the total did")
    if found.below_floor:
        lines.append(f"  floor: {', '.join(found.below_floor)} below 2.8, fix first")
    lines += [f"  warning: {warning}" for warning in found.warnings]
    return "\n".join(lines + symptom_lines(found.symptoms))


def _change_line(name: str, change: Change) -> str:
    delta = "n/a" if change.delta is None else f"{change.delta:+.4f}"
    return (
        f"  {name:<14} {_number(change.old):>7} {_number(change.new):>7} {delta:>8} "
        f"{_interval(change.low, change.high):>17} {change.n:>6}"
    )
