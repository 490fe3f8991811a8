"""How an assistant's scores are spread: interquartile mean, performance profile, a BCa interval of the difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from supermarket_env.compare.paired import pair_up
from supermarket_env.compare.sides import Side
from supermarket_env.compare.values import VALUES, Value, value_named
from supermarket_env.errors import ConfigError
from supermarket_env.stats import bca_interval, iqm, iqm_interval, performance_profile

THRESHOLDS: Final = tuple(step / 10 for step in range(10))
GRADED: Final = tuple(name for name, value in VALUES.items() if value.bounded and not value.binary)
"""Figures with a distribution worth looking at: the interquartile mean of yes and no is coarse."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The scores of one side in one figure."""

    agent: str
    run: str
    value: str
    n_tasks: int
    n_scores: int
    """Episodes with the figure, all trials of all tasks."""
    iqm: float | None
    """Mean of the middle half of these scores."""
    iqm_low: float | None
    """95 %, trials resampled within their task; None unless every task has the same number of trials, two or more."""
    iqm_high: float | None
    thresholds: tuple[float, ...]
    shares: tuple[float, ...] | None
    """Share of the scores above each threshold."""
    difference: float | None
    """Mean over common tasks of this side minus the first; None for the first itself."""
    bca_low: float | None
    """95 %, bias-corrected and accelerated, tasks resampled; None where all tasks differ alike."""
    bca_high: float | None


def profiles_of(sides: Sequence[Side], name: str) -> list[Profile]:
    """Return the spread of a figure for each side.

    Args:
        sides: Sides that may be compared; the first is the base of the differences.
        name: One of :data:`GRADED`.

    Raises:
        ConfigError: If the figure is unknown or not graded, or a side has no task in common with the first.
    """
    value = value_named(name)
    if name not in GRADED:
        raise ConfigError(f"--profile: {name!r} is no graded score from 0 to 1; valid: {', '.join(GRADED)}")
    return [_profile(side, value, None if side is sides[0] else sides[0]) for side in sides]


def _profile(side: Side, value: Value, base: Side | None) -> Profile:
    tasks: dict[tuple[str, str], list[float]] = {}
    for row in side.rows:
        score = None if row.infra else value.of(row, side.run.index)
        if score is not None:
            tasks.setdefault((str(row.store), str(row.task_id)), []).append(score)
    scores = [score for trials in tasks.values() for score in trials]
    sizes = {len(trials) for trials in tasks.values()}
    even = len(sizes) == 1 and min(sizes) > 1
    spread = iqm_interval([list(run) for run in zip(*tasks.values(), strict=True)]) if even else None
    shares = performance_profile(scores, THRESHOLDS)
    differences = [] if base is None else _differences(base, side, value)
    bca = bca_interval(differences) if differences else None
    return Profile(
        agent=side.label,
        run=str(side.run.path),
        value=value.name,
        n_tasks=len(tasks),
        n_scores=len(scores),
        iqm=iqm(scores),
        iqm_low=None if spread is None else spread.low,
        iqm_high=None if spread is None else spread.high,
        thresholds=THRESHOLDS,
        shares=None if shares is None else tuple(shares),
        difference=math.fsum(differences) / len(differences) if differences else None,
        bca_low=None if bca is None else bca.low,
        bca_high=None if bca is None else bca.high,
    )


def _differences(first: Side, second: Side, value: Value) -> list[float]:
    """Return second minus first of each common task, trials averaged first."""
    tasks: dict[tuple[str, str], list[float]] = {}
    for pair in pair_up(first.rows, second.rows).pairs:
        one, two = value.of(pair.first, first.run.index), value.of(pair.second, second.run.index)
        if one is not None and two is not None:
            tasks.setdefault(pair.task, []).append(two - one)
    return [math.fsum(trials) / len(trials) for trials in tasks.values()]


def profile_data(found: Sequence[Profile]) -> list[dict[str, Any]]:
    """Return profiles as JSON-ready data."""
    return [asdict(profile) for profile in found]


def profile_page(found: Sequence[Profile]) -> str:
    """Return profiles of one figure as Markdown."""
    from supermarket_env.compare.pages import markdown_rows

    heads = ["assistant", "IQM [95 %]", "difference [95 %, BCa]", "tasks", "scores", *(f">{t:g}" for t in THRESHOLDS)]
    rows = [
        [
            one.agent,
            _with_range(one.iqm, one.iqm_low, one.iqm_high, ""),
            "(base)" if one is found[0] else _with_range(one.difference, one.bca_low, one.bca_high, "+"),
            str(one.n_tasks),
            str(one.n_scores),
            *("n/a" if one.shares is None else f"{share:.2f}" for share in one.shares or THRESHOLDS),
        ]
        for one in found
    ]
    about = (
        "IQM: mean of the middle half of all scores; its interval resamples the trials of each task and needs two or "
        "more. >x: share of scores above x. difference: mean over common tasks, minus the base; tasks resampled."
    )
    return f"## Spread of {found[0].value}\n\n{markdown_rows(heads, rows)}\n{about}\n"


def _with_range(value: float | None, low: float | None, high: float | None, sign: str) -> str:
    shown = "n/a" if value is None else f"{value:{sign}.3f}"
    return shown if low is None or high is None else f"{shown} [{low:.3f}, {high:.3f}]"
