"""What a reset of the vector environment asks for: read and checked as a whole before any row moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from supermarket_env.envs.arguments import episode_seed, generator_seed, is_whole, reset_options
from supermarket_env.envs.vector_trips import Trip
from supermarket_env.errors import ConfigError, unknown_name

OPTIONS: Final = ("reset_mask", "seed", "task")


class Asked(NamedTuple):
    """One entry a row in each of the lists; None: nothing is asked for."""

    rows: NDArray[np.intp]
    """Numbers of the rows to reset."""
    seeds: list[int | None]
    trips: list[Trip | None]
    lucks: list[int | None]


def autoreset(mode: Any) -> AutoresetMode:
    """Return when ended episodes of a vector environment start anew.

    Raises:
        ConfigError: there is no such mode.
    """
    try:
        return AutoresetMode(mode)
    except ValueError:
        raise ConfigError(unknown_name("autoreset_mode", str(mode), [m.value for m in AutoresetMode])) from None


def read_reset(seed: Any, options: Any, n: int, trip_of: Callable[[Any], Trip], *, started: bool) -> Asked:
    """Return what is asked for; only entries of rows that are reset count.

    Args:
        seed: As ``reset`` takes it.
        options: As ``reset`` takes them.
        n: Number of rows.
        trip_of: Makes the trip of a task or of its id; changes nothing else.
        started: Whether all rows were reset before.

    Raises:
        ConfigError: a list of another length, an unknown option, a mask of another form, a seed that is none.
        TaskError: a task that is unknown or cannot be played here.
    """
    given = reset_options(options, OPTIONS)
    rows = _masked(given["reset_mask"], n, started=started)
    seeds = _each(seed, n, "seed")
    if is_whole(seed, 0):
        seeds = [int(seed) + k for k in range(n)]
    tasks, lucks = _each(given["task"], n, "task"), _each(given["seed"], n, "seed")
    asked = Asked(rows, [None] * n, [None] * n, [None] * n)
    trips: dict[int, Trip] = {}  # by identity: a task for all is worked out once
    for k in rows.tolist():
        if seeds[k] is not None:
            asked.seeds[k] = generator_seed(seeds[k])
        if lucks[k] is not None:
            asked.lucks[k] = episode_seed(lucks[k])
        task = tasks[k]
        if task is not None:
            trip = trips.get(id(task))
            asked.trips[k] = trips[id(task)] = trip_of(task) if trip is None else trip
    return asked


def _masked(mask: Any, n: int, *, started: bool) -> NDArray[np.intp]:
    if mask is None:
        return np.arange(n)
    good = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (n,)
    if not good or not mask.any():
        raise ConfigError(f"reset_mask is a bool array of shape ({n},) with a True, got {mask!r:.200}")
    if not started and not mask.all():
        raise ConfigError("the first reset is one of all environments")
    return np.flatnonzero(mask)


def _each(value: Any, n: int, name: str) -> list[Any]:
    """Return one value a row: a list as it is, anything else for all."""
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        if len(value) != n:
            raise ConfigError(f"{name} as a list needs one entry for each of {n} environments, got {len(value)}")
        return list(value)
    return [value] * n
