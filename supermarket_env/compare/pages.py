"""Comparisons in words: Markdown for people, plain data for programs, CSV beside plots."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from supermarket_env.compare.paired import Comparison, Effect, Flip, Segment
from supermarket_env.compare.trials import TrialPoint
from supermarket_env.compare.values import PRIMARY, VALUES

FLIPS_SHOWN = 10


def comparison_page(
    found: Sequence[Comparison], *, warnings: Iterable[str] = (), family: Sequence[str] = (PRIMARY,)
) -> str:
    """Return all comparisons as Markdown."""
    loud = [f"> **{warning}**" for warning in warnings]
    parts = ["\n>\n".join(loud)] if loud else []
    n_tests = sum(effect.p is not None for one in found for effect in one.effects)
    parts.append(
        f"Tested: {', '.join(family)} in {len(found)} comparison{'s' * (len(found) > 1)}: a family of {n_tests} test"
        f"{'s' * (n_tests != 1)}, adjusted by Holm. Other figures are described, not tested. Intervals are 95 %."
    )
    parts += [one_comparison(comparison) for comparison in found]
    return "\n\n".join(parts) + "\n"


def one_comparison(comparison: Comparison) -> str:
    """Return one comparison as Markdown: verdict, effects, segments, flips."""
    first, second = comparison.first, comparison.second
    if first == second:
        first, second = f"{first} ({comparison.first_run})", f"{second} ({comparison.second_run})"
    lines = [f"## {second} against {first}", "", verdict(comparison), ""]
    set_aside = []
    if comparison.n_unpaired:
        set_aside.append(f"{comparison.n_unpaired} episodes without a partner")
    if comparison.n_infra:
        set_aside.append(f"{comparison.n_infra} pairs with a failure of the simulator")
    lines.append(f"{comparison.n_pairs} pairs" + (f"; left out: {', '.join(set_aside)}" if set_aside else "") + ".")
    heads = ("figure", "unit", first, second, "difference [95 %]", "n tasks", "p (Holm)", "test",
             "P(better) [95 %]", "detectable")  # fmt: skip
    lines += ["", *_table(heads, [_effect_cells(effect) for effect in comparison.effects if effect.n_tasks])]
    lines += ["", "difference = second minus first; detectable = what this many tasks show with 80 % power at 5 %."]
    if comparison.segments:
        parts = ("part", "difference in NS [95 %]", "n tasks")
        rows = [_segment_cells(segment) for segment in comparison.segments]
        lines += ["", "By stratum and store (exploratory):", "", *_table(parts, rows)]
    if comparison.worst is not None:
        name, gap, n = _segment_cells(comparison.worst)
        lines += ["", f"Worst part with 20 tasks or more: {name}, {gap} (n = {n})."]
    lines += ["", *_flip_lines(comparison)]
    return "\n".join(lines)


def verdict(comparison: Comparison) -> str:
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
        better = comparison.second if effect.difference > 0 else comparison.first
        judged = f"p {_p(p)}" + (f": {better} is better" if p is not None and p <= 0.05 else ": no difference shown")
    smallest = ""
    if effect.detectable is not None:
        points = 100 * effect.detectable
        smallest = f" With this suite you can detect {points:.1f} points (of 100) with 80 % power."
    return f"{shown}, {judged}.{smallest}"


def _effect_cells(effect: Effect) -> list[str]:
    digits = VALUES[effect.value].digits
    name = f"**{effect.value}**" if effect.p is not None else effect.value
    tested = "" if effect.p is None else _p(effect.p if effect.p_holm is None else effect.p_holm)
    better = "" if effect.improvement is None else f"{effect.improvement:.2f} "
    return [
        name,
        effect.unit,
        _plain(effect.first, digits),
        _plain(effect.second, digits),
        f"{_signed(effect.difference, digits)} {_range(effect.low, effect.high, digits)}".strip(),
        str(effect.n_tasks) + (f" ({effect.n_undefined} pairs undefined)" if effect.n_undefined else ""),
        tested,
        effect.test or "",
        f"{better}{_range(effect.improvement_low, effect.improvement_high, 2)}",
        _plain(effect.detectable, digits),
    ]


def _segment_cells(segment: Segment) -> list[str]:
    gap = f"{_signed(segment.difference, 3)} {_range(segment.low, segment.high, 3)}".strip()
    return [f"{segment.key} {segment.name}", gap, str(segment.n_tasks)]


def _flip_lines(comparison: Comparison) -> list[str]:
    won = sum(flip.winner == comparison.second for flip in comparison.flips)
    lost = len(comparison.flips) - won
    if comparison.first == comparison.second:
        return [f"{comparison.flip_value} flips in {len(comparison.flips)} pairs."]
    second, first = f"{won} pairs only {comparison.second} completed", f"{lost} only {comparison.first}"
    lines = [f"{comparison.flip_value} flips: {second}, {first}."]
    if not comparison.flips:
        return lines
    shown = comparison.flips[:FLIPS_SHOWN]
    more = f", the {len(shown)} largest" if len(shown) < len(comparison.flips) else ""
    lines += ["", f"Transcripts{more}:", ""]
    for flip in shown:
        gap = "" if flip.difference is None else f" (NS {_signed(flip.difference, 2)})"
        lines.append(f"- {flip.task} trial {flip.trial}: {flip.winner} completes it{gap}")
        for run, episode in ((comparison.first_run, flip.first_id), (comparison.second_run, flip.second_id)):
            lines.append(f"  - `supermarket view {shlex.quote(run)} {shlex.quote(episode)}`")
    return lines


def comparison_data(
    found: Sequence[Comparison], *, warnings: Iterable[str] = (), family: Sequence[str] = (PRIMARY,)
) -> dict[str, Any]:
    """Return all comparisons as JSON-ready data, full precision."""
    return {
        "primary": PRIMARY,
        "family": list(family),
        "warnings": list(warnings),
        "comparisons": [asdict(comparison) for comparison in found],
    }


def effects_csv(found: Sequence[Comparison]) -> str:
    """Return one line per comparison and figure."""
    names = [field.name for field in fields(Effect)]
    rows = [
        [one.second, one.second_run, one.first, one.first_run, *(getattr(effect, name) for name in names)]
        for one in found
        for effect in one.effects
        if effect.n_tasks
    ]
    return csv_text(["second_agent", "second_run", "first_agent", "first_run", *names], rows)


def flips_csv(found: Sequence[Comparison]) -> str:
    """Return one line per flip, all of them."""
    names = [field.name for field in fields(Flip)]
    rows = [[one.first_run, one.second_run, *(getattr(f, name) for name in names)] for one in found for f in one.flips]
    return csv_text(["first_run", "second_run", *names], rows)


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
    return "\n".join([f"Success = {success}; share of tasks (0..1), intervals by resampling tasks.", "",
                      *_table(heads, rows)]) + "\n"  # fmt: skip


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
    return "n/a" if value is None else "< 0.0001" if value < 0.0001 else f"{value:.4f}"
