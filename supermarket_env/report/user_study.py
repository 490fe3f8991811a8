"""Whether a ranking of assistants holds under other users: Kendall's tau between conditions, with its uncertainty."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from supermarket_env.errors import ConfigError
from supermarket_env.stats import Interval, kendall_tau_b
from supermarket_env.stats.bootstrap import RESAMPLES, SEED

Values = Mapping[str, Mapping[str, Sequence[float]]]
"""assistant -> task -> values of its episodes there."""


class RankingAgreement(NamedTuple):
    """Agreement of two users about the order of the assistants."""

    first: str
    second: str
    tau: float | None
    """Kendall's tau-b over assistant means; None where undefined."""
    interval: Interval | None
    """95 %, tasks resampled together for all assistants and both users."""
    assistants: tuple[str, ...]
    n_tasks: int
    resamples_undefined: int


def compare_users(
    values: Mapping[str, Values],
    *,
    leave_out: Collection[str] = (),
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[RankingAgreement]:
    """Compare the order of the assistants under each pair of users.

    Args:
        values: By user; every user must have played some of the same tasks with some of the same assistants.
        leave_out: Assistants left out (probes and privileged ones widen the range).
        resamples: Bootstrap resamples.
        seed: Seed of the bootstrap.

    Raises:
        ConfigError: If two users share fewer than two assistants or no task.
    """
    found = []
    for first, second in combinations(values, 2):
        a, b = values[first], values[second]
        names = tuple(sorted(name for name in a if name in b and name not in leave_out))
        if len(names) < 2:
            raise ConfigError(f"{first} and {second}: expected at least two common assistants, got {len(names)}")
        tasks = sorted(set.intersection(*(set(run[name]) for run in (a, b) for name in names)))
        if not tasks:
            raise ConfigError(f"{first} and {second}: no task was played by {', '.join(names)} under both users")
        tables = [np.array([[np.mean(run[name][task]) for task in tasks] for name in names]) for run in (a, b)]
        tau = kendall_tau_b(tables[0].mean(axis=1).tolist(), tables[1].mean(axis=1).tolist())
        draws = np.random.default_rng(seed).integers(0, len(tasks), size=(resamples, len(tasks)))
        taus = [
            kendall_tau_b(tables[0][:, draw].mean(axis=1).tolist(), tables[1][:, draw].mean(axis=1).tolist())
            for draw in draws
        ]
        defined = [value for value in taus if value is not None]
        bounds = np.percentile(defined, [2.5, 97.5]).tolist() if defined and tau is not None else None
        interval = None if bounds is None else Interval(bounds[0], bounds[1])
        found.append(RankingAgreement(first, second, tau, interval, names, len(tasks), resamples - len(defined)))
    return found
