"""Figures per group of episodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.events.episode import Episode
from supermarket_env.metrics.aggregate import aggregate, rows_of
from supermarket_env.metrics.figures import DEFAULT_HORIZONS
from supermarket_env.metrics.pairing import partners_of
from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.metrics.segments import thirds_of

GROUP_KEYS: Final = ("agent", "user", "store", "stratum", "trip")
PERSONA: Final = "persona:"
"""Prefix of the keys that group by a trait of the user: ``persona:familiarity`` gives low, middle and high thirds."""


def check_group_keys(by: Iterable[str]) -> tuple[str, ...]:
    """Return the keys as a tuple.

    Raises:
        ConfigError: If a key is unknown or named twice.
    """
    keys = tuple(by)
    for key in keys:
        if key not in GROUP_KEYS and not (key.startswith(PERSONA) and len(key) > len(PERSONA)):
            raise ConfigError(f"{unknown_name('group key', key, GROUP_KEYS)} Or {PERSONA}TRAIT.")
    if len(set(keys)) < len(keys):
        raise ConfigError(f"group keys must differ, got {', '.join(keys)}")
    return keys


def grouped(
    episodes: Iterable[Episode | Mapping[str, Any]],
    by: Iterable[str] = ("agent",),
    *,
    horizons: Iterable[int] = DEFAULT_HORIZONS,
    intervals: bool = False,
    tolerance: float = 0.0,
) -> dict[str, Any]:
    """Compute the figures of each group of episodes.

    Args:
        episodes: Episodes or decoded lines; may be empty.
        by: Keys among agent, user, store, stratum, trip (the last part of the stratum) and ``persona:TRAIT`` (thirds
            of the trait's values in these episodes); several mean their cross product. Empty: one object, no groups.
        horizons: Offsets h of the goal figures.
        intervals: Add 95 % intervals to each group.
        tolerance: See :func:`supermarket_env.metrics.compute`.

    Returns:
        ``{"groups": [{key: value, ..., figures}]}`` sorted by the keys; without keys the figures themselves.
        Partners for paired figures come from all episodes, whatever their group.

    Raises:
        ConfigError: If a key or horizon is not valid.
        LogError: If a decoded line breaks the contract of the log.
    """
    return grouped_rows(rows_of(episodes, tolerance=tolerance), by, horizons=horizons, intervals=intervals)


def grouped_rows(
    rows: Sequence[EpisodeRow],
    by: Iterable[str] = ("agent",),
    *,
    horizons: Iterable[int] = DEFAULT_HORIZONS,
    intervals: bool = False,
) -> dict[str, Any]:
    """Do what :func:`grouped` does, from rows."""
    keys = check_group_keys(by)
    steps = tuple(horizons)
    index = partners_of(rows)

    def figures(part: Sequence[EpisodeRow]) -> dict[str, Any]:
        result = aggregate(part, horizons=steps, index=index)
        if intervals:
            from supermarket_env.metrics.intervals import interval_part

            result |= interval_part(part, index, steps)
        return result

    if not keys:
        return figures(rows)
    parts: dict[tuple[str | None, ...], list[EpisodeRow]] = {}
    columns = [_values(rows, key) for key in keys]
    for row, *values in zip(rows, *columns, strict=True):
        parts.setdefault(tuple(values), []).append(row)
    order = sorted(parts, key=lambda values: [(value is not None, value or "") for value in values])
    return {"groups": [{**dict(zip(keys, values, strict=True)), **figures(parts[values])} for values in order]}


def _values(rows: Sequence[EpisodeRow], key: str) -> list[str | None]:
    """Return the value of a key for each row; None where it is not known.

    Raises:
        ConfigError: personas are known, but none has this trait.
    """
    if key == "trip":
        return [None if row.stratum is None else row.stratum.rpartition(":")[2] for row in rows]
    if not key.startswith(PERSONA):
        return [getattr(row, key) for row in rows]
    trait = key.removeprefix(PERSONA)
    personas = [row.truth.persona or {} for row in rows]
    known = sorted({name for persona in personas for name in persona})
    if known and trait not in known:
        raise ConfigError(unknown_name("trait", trait, known))
    values = [persona[trait] for persona in personas if trait in persona]
    thirds = iter(thirds_of(values) if values else ())
    return [next(thirds) if trait in persona else None for persona in personas]
