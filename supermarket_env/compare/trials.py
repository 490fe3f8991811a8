"""Repeated trials of the same tasks: how often all, or any, of k of them succeed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from supermarket_env.compare.sides import Side
from supermarket_env.compare.values import SUCCESSES, value_named
from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.metrics.intervals import task_of
from supermarket_env.stats.spans import share_span


@dataclass(frozen=True, slots=True)
class TrialPoint:
    """One assistant, one k."""

    agent: str
    k: int
    pass_hat: float
    pass_hat_low: float
    pass_hat_high: float
    pass_at: float
    pass_at_low: float
    pass_at_high: float
    n_tasks: int
    n_trials: int
    n_left_out: int
    """Tasks without the full number of trials: the simulator failed in one of them."""


def trial_points(side: Side, success: str = "SR_complete") -> list[TrialPoint]:
    """Return pass^k and pass@k for k = 1 .. trials, with 95 % intervals over tasks.

    Args:
        side: The assistant.
        success: Which figure calls an episode a success.

    Returns:
        One point a k; empty when no task has the figure.

    Raises:
        ConfigError: If the figure is not one of success or failure.
    """
    if success not in SUCCESSES:
        raise ConfigError(unknown_name("success", success, SUCCESSES))
    value = value_named(success)
    wins: dict[tuple[str, ...], list[bool]] = {}
    strata: dict[tuple[str, ...], str | None] = {}
    for row in side.rows:
        found = None if row.infra else value.of(row, side.run.index)
        if found is not None and row.task_id is not None:
            task = task_of(row)
            wins.setdefault(task, []).append(found == 1)
            strata[task] = min(strata.get(task, row.stratum), row.stratum, key=repr)
    if not wins:
        return []
    trials = max(len(results) for results in wins.values())
    whole = {task: sum(results) for task, results in wins.items() if len(results) == trials}
    homes = [strata[task] for task in whole]
    return [_point(side.label, k, whole, homes, trials, len(wins) - len(whole)) for k in range(1, trials + 1)]


def _point(
    agent: str,
    k: int,
    won_of: Mapping[tuple[str, ...], int],
    strata: Sequence[str | None],
    trials: int,
    left_out: int,
) -> TrialPoint:
    total, tasks, wins = math.comb(trials, k), list(won_of), list(won_of.values())
    every = [math.comb(won, k) / total for won in wins]
    some = [1.0 - math.comb(trials - won, k) / total for won in wins]
    hat_low, hat_high = share_span(every, strata=strata, tasks=tasks) or (0.0, 1.0)
    at_low, at_high = share_span(some, strata=strata, tasks=tasks) or (0.0, 1.0)
    return TrialPoint(
        agent=agent,
        k=k,
        pass_hat=math.fsum(every) / len(every),
        pass_hat_low=hat_low,
        pass_hat_high=hat_high,
        pass_at=math.fsum(some) / len(some),
        pass_at_low=at_low,
        pass_at_high=at_high,
        n_tasks=len(wins),
        n_trials=trials,
        n_left_out=left_out,
    )


def spread_of_trials(sides: Sequence[Side]) -> tuple[float, float, int, int] | None:
    """Split the variance of the paired difference in need satisfaction of two sides into tasks and luck.

    Returns:
        Variance between tasks and within them (both of single differences), tasks and trials; ``None`` with fewer than
        two tasks. With one trial a task everything counts as between tasks.
    """
    from supermarket_env.compare.paired import pair_up

    parts: dict[tuple[str, str], list[float]] = {}
    for pair in pair_up(sides[0].rows, sides[1].rows).pairs:
        one, two = pair.first.truth.need_satisfaction, pair.second.truth.need_satisfaction
        if one is not None and two is not None:
            parts.setdefault(pair.task, []).append(two - one)
    if len(parts) < 2:
        return None
    trials = Counter(len(values) for values in parts.values()).most_common(1)[0][0]
    means = [math.fsum(values) / len(values) for values in parts.values()]
    centre = math.fsum(means) / len(means)
    of_means = math.fsum((mean - centre) ** 2 for mean in means) / (len(means) - 1)
    repeated = [values for values in parts.values() if len(values) > 1]
    if not repeated:
        return of_means, 0.0, len(parts), trials
    squares = math.fsum(
        math.fsum((value - math.fsum(values) / len(values)) ** 2 for value in values) for values in repeated
    )
    within = squares / sum(len(values) - 1 for values in repeated)
    return max(0.0, of_means - within / trials), within, len(parts), trials
