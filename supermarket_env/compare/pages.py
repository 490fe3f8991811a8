"""Comparisons in words: Markdown for people, plain data for programs, CSV beside plots."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from supermarket_env.compare.paired import Comparison, Effect, Flip, Segment
from supermarket_env.compare.sides import NOT_COMPARABLE, flag_of
from supermarket_env.compare.trials import TrialPoint
from supermarket_env.compare.values import PRIMARY, VALUES
from supermarket_env.metrics.row import SILENT
from supermarket_env.stats.spans import FEW

FLIPS_SHOWN = 10


def comparison_page(
    found: Sequence[Comparison], *, warnings: Iterable[str] = (), family: Sequence[str] = (PRIMARY,)
) -> str:
    """Return all comparisons as Markdown; tables fit a terminal of 80 columns with short names."""
    warnings = list(warnings)
    parts = ["\n>\n".join(f"> **{warning}**" for warning in warnings)] if warnings else []
    n_tests = _n_tests(found)
    parts.append(
        f"Tested: {', '.join(family)} in {len(found)} comparison{'s' * (len(found) > 1)}: a family of {n_tests} test"
        f"{'s' * (n_tests != 1)}, adjusted by Holm. Other figures are described, not tested. Intervals are 95 %."
    )
    forced = bool(flag_of(warnings))
    parts += [one_comparison(comparison, n_tests=n_tests, forced=forced) for comparison in found]
    if any(name.endswith("*") for one in found for name in (one.first, one.second)):
        parts.append("\\* told the hidden truth: a ceiling, not a competitor")
    return "\n\n".join(parts) + "\n"


def _n_tests(found: Sequence[Comparison]) -> int:
    return sum(effect.p is not None for one in found for effect in one.effects)


def _names(comparison: Comparison) -> tuple[str, str]:
    """Return what the two sides are called: the run is added where the assistants have one name."""
    first, second = comparison.first, comparison.second
    if first == second:
        return f"{first} ({comparison.first_run})", f"{second} ({comparison.second_run})"
    return first, second


def one_comparison(comparison: Comparison, *, n_tests: int = 1, forced: bool = False) -> str:
    """Return one comparison as Markdown: verdict, effects, segments, flips.

    Args:
        comparison: What was found.
        n_tests: Tests in the family of the whole call.
        forced: Whether the runs should not have been compared; the heading and the verdict say so.
    """
    first, second = _names(comparison)
    flag = f" ({NOT_COMPARABLE})" if forced else ""
    lines = [f"## {second} against {first}{flag}", "", verdict(comparison, n_tests=n_tests) + flag, ""]
    set_aside = []
    if comparison.n_unpaired:
        set_aside.append(f"{comparison.n_unpaired} episodes without a partner")
    if comparison.n_infra:
        set_aside.append(f"{comparison.n_infra} pairs with a failure of the simulator")
    known = [effect for effect in comparison.effects if effect.n_tasks]
    n_tasks = max((effect.n_tasks for effect in known), default=0)
    counted = f"{comparison.n_pairs} pairs of {n_tasks} tasks"
    lines.append(counted + (f"; left out: {', '.join(set_aside)}" if set_aside else "") + ".")
    cells = [_effect_cells(effect, comparison) for effect in known]
    lines += ["", *_table(("figure", first, second, "difference [95 %]", "n tasks"), cells)]
    heads = ("figure", "P(better) [95 %]", "detects", "test", "p", "Holm")
    lines += ["", *_table(heads, map(_test_cells, known)), ""]
    lines += _legend(known, n_tasks, reference=SILENT in (comparison.first, comparison.second))
    if comparison.segments:
        parts = ("part", "difference in NS [95 %]", "n tasks")
        rows = [_segment_cells(segment) for segment in comparison.segments]
        lines += ["", "By stratum and store (0..1, exploratory):", "", *_table(parts, rows)]
    if comparison.worst is not None:
        name, gap, n = _segment_cells(comparison.worst)
        lines += ["", f"Worst part with 20 tasks or more: {name}, NS {gap} (n = {n} tasks; exploratory)."]
    else:
        lines += ["", "Worst part: no stratum, store or third of a user trait holds 20 tasks and not all of them."]
    lines += ["", *_flip_lines(comparison)]
    return "\n".join(lines)


def _legend(known: Sequence[Effect], n_tasks: int, *, reference: bool = False) -> list[str]:
    """Return what the columns of the two tables mean, and what is special in these."""
    lines = [
        "difference = second minus first, of means over tasks. P(better): the second does better on a task, its trials "
        "averaged; ties one half. detects: the difference this many tasks show with 80 % power at 5 %, in the unit of "
        "the figure."
    ]
    if n_tasks < FEW:
        lines.append(f"Fewer than {FEW} tasks: intervals are Student's t.")
    if reference:
        lines.append(f"{PRIMARY} of {SILENT} is n/a: it is what the others are measured against, 0 in the difference.")
    lines += [
        f"! {effect.value}: interval and test disagree (p = {_p(effect.p)} before Holm): {effect.n_differ} of "
        f"{effect.n_tasks} tasks differ. With few the interval is approximate and the test is not: go by the test."
        for effect in known
        if effect.disagrees
    ]
    if any(effect.low is None for effect in known):
        lines.append("n/a: the difference is the same in every task, so that nothing tells how far it may be off.")
    return lines


def verdict(comparison: Comparison, *, n_tests: int = 1) -> str:
    """Return one sentence on the primary figure."""
    effect = comparison.effect(PRIMARY)
    if effect.difference is None:
        return f"{PRIMARY} is undefined: no pair has the truth of its task."
    shown = (
        f"{PRIMARY} {_signed(effect.difference, 3)} {_range(effect.low, effect.high, 3)} (n = {effect.n_tasks} tasks)"
    )
    if effect.p_holm is None and effect.p is None:
        judged = "not in the declared family, not tested"
    else:
        p = effect.p if effect.p_holm is None else effect.p_holm
        first, second = _names(comparison)
        better = second if effect.difference > 0 else first
        adjusted = f" with Holm over {n_tests} tests" if n_tests > 1 else ""
        judged = f"{_p_words(p)}{adjusted}"
        judged += f": {better} is better" if p is not None and p <= 0.05 else ": no difference shown"
    smallest = ""
    if effect.detectable is not None:
        points = 100 * effect.detectable
        smallest = f" With this suite you can detect {points:.1f} points (of 100) with 80 % power."
    return f"{shown}, {judged}.{smallest}"


def _effect_cells(effect: Effect, comparison: Comparison) -> list[str]:
    digits = VALUES[effect.value].digits
    name = f"{effect.value} ({effect.unit})"
    # The reference has no uplift of its own: the 0 is there for the difference alone.
    first, second = (
        "n/a" if effect.value == PRIMARY and side == SILENT else _plain(value, digits)
        for side, value in ((comparison.first, effect.first), (comparison.second, effect.second))
    )
    return [
        (f"**{name}**" if effect.p is not None else name) + ("!" if effect.disagrees else ""),
        first,
        second,
        f"{_signed(effect.difference, digits)} {_range(effect.low, effect.high, digits) or '[n/a]'}",
        str(effect.n_tasks) + (f" ({effect.n_undefined} pairs undefined)" if effect.n_undefined else ""),
    ]


def _test_cells(effect: Effect) -> list[str]:
    better = "" if effect.improvement is None else f"{effect.improvement:.2f} "
    return [
        effect.value,
        f"{better}{_range(effect.improvement_low, effect.improvement_high, 2)}",
        _plain(effect.detectable, VALUES[effect.value].digits),
        (effect.test or "-").partition(",")[0],
        "-" if effect.p is None else _p(effect.p),
        "-" if effect.p is None else _p(effect.p if effect.p_holm is None else effect.p_holm),
    ]


def _segment_cells(segment: Segment) -> list[str]:
    gap = f"{_signed(segment.difference, 3)} {_range(segment.low, segment.high, 3)}".strip()
    return [f"{segment.key} {segment.name}", gap, str(segment.n_tasks)]


def _flip_lines(comparison: Comparison) -> list[str]:
    won = sum(flip.second_won for flip in comparison.flips)
    lost = len(comparison.flips) - won
    first, second = _names(comparison)
    counts = f"{won} only {second} completed, {lost} only {first}"
    lines = [f"{comparison.flip_value} flips: of {comparison.n_pairs} pairs, {counts}."]
    if not comparison.flips:
        return lines
    shown = comparison.flips[:FLIPS_SHOWN]
    more = f", the {len(shown)} largest" if len(shown) < len(comparison.flips) else ""
    lines += ["", f"Transcripts{more}:", ""]
    for flip in shown:
        gap = "" if flip.difference is None else f" (NS {_signed(flip.difference, 2)})"
        winner = second if flip.second_won else first
        lines.append(f"- {flip.task} trial {flip.trial}: {winner} completes it{gap}")
        for run, episode in ((comparison.first_run, flip.first_id), (comparison.second_run, flip.second_id)):
            lines.append(f"  - `supermarket view {shlex.quote(run)} {shlex.quote(episode)}`")
    return lines


def comparison_data(
    found: Sequence[Comparison], *, warnings: Iterable[str] = (), family: Sequence[str] = (PRIMARY,)
) -> dict[str, Any]:
    """Return all comparisons as JSON-ready data, full precision."""
    warnings = list(warnings)
    return {
        "primary": PRIMARY,
        "family": list(family),
        "flag": flag_of(warnings),
        "warnings": warnings,
        "comparisons": [asdict(comparison) for comparison in found],
    }


def effects_csv(found: Sequence[Comparison], *, warnings: Iterable[str] = ()) -> str:
    """Return one line per comparison and figure, each with the flag of a forced comparison."""
    names = [field.name for field in fields(Effect)]
    flag = flag_of(warnings)
    rows = [
        [flag, one.second, one.second_run, one.first, one.first_run, *(getattr(effect, name) for name in names)]
        for one in found
        for effect in one.effects
        if effect.n_tasks
    ]
    return csv_text(["flag", "second_agent", "second_run", "first_agent", "first_run", *names], rows)


def flips_csv(found: Sequence[Comparison], *, warnings: Iterable[str] = ()) -> str:
    """Return one line per flip, all of them, each with the flag of a forced comparison."""
    names, flag = [field.name for field in fields(Flip)], flag_of(warnings)
    rows = [
        [flag, one.first_run, one.second_run, *(getattr(f, name) for name in names)] for one in found for f in one.flips
    ]
    return csv_text(["flag", "first_run", "second_run", *names], rows)


def trials_page(points: Sequence[TrialPoint], success: str) -> str:
    """Return pass^k and pass@k as a Markdown table."""
    heads = ("assistant", "k", "pass^k [95 %]", "pass@k [95 %]", "n tasks", "trials")
    rows = [
        [
            point.agent,
            str(point.k),
            f"{point.pass_hat:.3f} {_range(point.pass_hat_low, point.pass_hat_high, 3)}",
            f"{point.pass_at:.3f} {_range(point.pass_at_low, point.pass_at_high, 3)}",
            str(point.n_tasks) + (f" ({point.n_left_out} left out)" if point.n_left_out else ""),
            str(point.n_trials),
        ]
        for point in points
    ]
    about = f"Success = {success}; share of tasks (0..1). Intervals: 95 %, over tasks."
    return "\n".join([about, "", *_table(heads, rows)]) + "\n"


def trials_csv(points: Sequence[TrialPoint]) -> str:
    """Return pass^k and pass@k as CSV."""
    names = [field.name for field in fields(TrialPoint)]
    return csv_text(names, [[getattr(point, name) for name in names] for point in points])


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV, full precision; ``None`` is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    return out.getvalue()


def rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return mappings as CSV, a column for every key in the order of first sight."""
    head = list(dict.fromkeys(key for row in rows for key in row))
    return csv_text(head, [[row.get(key) for key in head] for row in rows])


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table padded so that it reads well in a terminal too."""
    body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    head = [cell.replace("|", "\\|") for cell in heads]
    widths = [max(len(row[i]) for row in [head, *body]) for i in range(len(head))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
             for row in [head, *body]]  # fmt: skip
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


def markdown_rows(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join(_table(heads, rows)) + "\n"


def _plain(value: float | None, digits: int) -> str:
    return "n/a" if value is None else f"{value:.{digits}f}"


def _signed(value: float | None, digits: int) -> str:
    return "n/a" if value is None else f"{value:+.{digits}f}"


def _range(low: float | None, high: float | None, digits: int) -> str:
    return "" if low is None or high is None else f"[{low:.{digits}f}, {high:.{digits}f}]"


def _p(value: float | None) -> str:
    return "n/a" if value is None else "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _p_words(value: float | None) -> str:
    return "p < 0.0001" if value is not None and value < 0.0001 else f"p = {_p(value)}"
