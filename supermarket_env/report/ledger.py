"""The ledger of a run: faults, how trips ended, tokens and money, each with its n and 95 % interval."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.report.tables import UNDEFINED
from supermarket_env.stats import bootstrap_ci, wilson_interval
from supermarket_env.stats.spans import mean_span, share_span

PARTIES: Final = ("assistant", "user", "judge", "infra")
RESAMPLES: Final = 2000
_FIRST: Final = ("assistant", "n<br><small>trips</small>")


class Ledger(NamedTuple):
    """A table whose cells are HTML."""

    head: list[str]
    rows: list[list[str]]


def faults_of(groups: Sequence[tuple[str, Sequence[EpisodeRow]]]) -> Ledger:
    """Return the faults of a run: how many, and in how many of the trips.

    Args:
        groups: Each assistant's name and its episodes, in the order of the rows.
    """
    head = [*_FIRST, *(f"{party} faults<br><small>count; trips</small>" for party in PARTIES)]
    head += ["words against slots<br><small>count; trips</small>", "false claims<br><small>count; claims</small>"]
    rows = []
    for name, group in groups:
        cells = [_counted(group, [row.faults[k] for row in group]) for k in range(len(PARTIES))]
        cells += [_counted(group, [row.text_mismatches for row in group]), _claims(group)]
        rows.append([html.escape(name), str(len(group)), *cells])
    return Ledger(head, rows)


def ends_of(groups: Sequence[tuple[str, Sequence[EpisodeRow]]]) -> Ledger:
    """Return how the trips of a run ended, and what they took in tokens and money.

    Args:
        groups: Each assistant's name and its episodes, in the order of the rows.
    """
    ends = sorted({row.reason for _, group in groups for row in group})
    head = [*_FIRST, *(f"{html.escape(end)}<br><small>count; trips</small>" for end in ends)]
    head += [f"{name}<br><small>sum; a trip</small>" for name in ("tokens in", "tokens out", "cost")]
    rows = []
    for name, group in groups:
        cells = [_counted(group, [int(row.reason == end) for row in group]) for end in ends]
        cells += [_summed(group, figure) for figure in ("tokens_in", "tokens_out", "cost")]
        rows.append([html.escape(name), str(len(group)), *cells])
    return Ledger(head, rows)


def by_task(group: Sequence[EpisodeRow], numbers: Sequence[float]) -> list[float]:
    """Return the mean of each task over its trials; trips without a task stand for themselves."""
    parts: dict[tuple[str, str], list[float]] = {}
    for row, number in zip(group, numbers, strict=True):
        parts.setdefault((str(row.store), row.task_id or row.episode_id), []).append(number)
    return [math.fsum(values) / len(values) for values in parts.values()]


def _counted(group: Sequence[EpisodeRow], counts: Sequence[int]) -> str:
    """Return a count over all trips and the share of trips that have any."""
    hits = [float(count > 0) for count in counts]
    span = share_span(by_task(group, hits), resamples=RESAMPLES)
    return _cell(f"{sum(counts)}", f"{100 * sum(hits) / len(hits):.0f} %", span, 100.0, 0)


def _claims(group: Sequence[EpisodeRow]) -> str:
    """Return the false claims of all and their share; trips are resampled with all their claims."""
    claiming = [row for row in group if row.n_claims]
    if not claiming:
        return "0 of 0"
    false, claims = sum(row.false_claims for row in claiming), sum(row.n_claims for row in claiming)
    span = bootstrap_ci(
        [float(row.false_claims) for row in claiming],
        [float(row.n_claims) for row in claiming],
        tasks=[(str(row.store), row.task_id or row.episode_id) for row in claiming],
        resamples=RESAMPLES,
    )
    if span is None or span.low == span.high:  # none or all of them: claims of one trip count as one
        span = wilson_interval(len(claiming) * false / claims, len(claiming))
    return _cell(f"{false} of {claims}", f"{100 * false / claims:.0f} %", span, 100.0, 0)


def _summed(group: Sequence[EpisodeRow], name: str) -> str:
    known = [row for row in group if getattr(row, name) is not None]
    if not known:
        return UNDEFINED
    values = [float(getattr(row, name)) for row in known]
    total = math.fsum(values)
    span = mean_span(by_task(known, values), resamples=RESAMPLES)
    few = "" if len(known) == len(group) else f" (n = {len(known)})"
    return _cell(f"{total:g}", f"{total / len(known):.4g}{few}", span, 1.0, 4 if name == "cost" else 0)


def _cell(count: str, share: str, span: tuple[float, float] | None, scale: float, digits: int) -> str:
    bounds = f" [{scale * span[0]:.{digits}f}, {scale * span[1]:.{digits}f}]" if span is not None else ""
    return f"{count}<br><small>{share}{bounds}</small>"
