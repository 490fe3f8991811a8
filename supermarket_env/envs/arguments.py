"""Numbers, switches and seeds that a caller hands over: taken as they are or refused, never cut to fit."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, Final

from supermarket_env.errors import ConfigError, nearest

LUCK_BELOW: Final = 2**62
"""Seeds of an episode's luck are smaller."""


def is_whole(value: Any, least: int, most: int | None = None) -> bool:
    """Whether a value is a whole number in least..most; True and False are none, whole numbers of numpy are.

    >>> is_whole(3, 1), is_whole(3.0, 1), is_whole("3", 1), is_whole(True, 1), is_whole(0, 1), is_whole(9, 1, 8)
    (True, False, False, False, False, False)
    """
    if isinstance(value, bool):
        return False
    try:
        number = operator.index(value)
    except TypeError:
        return False
    return least <= number and (most is None or number <= most)


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False.

    Raises:
        ConfigError: naming the argument.
    """
    if not isinstance(value, bool):
        raise ConfigError(f"{name} must be True or False, got {value!r:.80}")


def check_names(**names: Any) -> None:
    """Refuse names (of stores, suites, paths of files) that are no text.

    Raises:
        ConfigError: naming the argument.
    """
    for name, value in names.items():
        if not isinstance(value, str):
            raise ConfigError(f"{name} must be a name or path as text, got {value!r:.80}")


def generator_seed(value: Any) -> int:
    """Return a seed of a random generator.

    Raises:
        ConfigError: it is no whole number >= 0.
    """
    if not is_whole(value, 0) and not isinstance(value, bool):
        raise ConfigError(f"a seed is a whole number >= 0, got {value!r:.80}")
    return operator.index(value)


def episode_seed(value: Any) -> int:
    """Return the seed of an episode's luck.

    Raises:
        ConfigError: it is no whole number in [0, 2**62).
    """
    if not is_whole(value, 0, LUCK_BELOW - 1) and not isinstance(value, bool):
        raise ConfigError(f"an episode seed is an integer in [0, 2**62), got {value!r:.80}")
    return operator.index(value)


def reset_options(options: Any, valid: Iterable[str]) -> dict[str, Any]:
    """Return the options of a reset, those left out as None.

    Raises:
        ConfigError: they are no mapping, or one of them is unknown.
    """
    names = sorted(valid)
    if options is None:
        return dict.fromkeys(names)
    if not isinstance(options, Mapping):
        raise ConfigError(f"reset options are a dict with {', '.join(names)}, got {options!r:.80}")
    unknown = [name for name in options if name not in names]
    if unknown:
        raise ConfigError(
            f"unknown reset options {unknown}; valid: {', '.join(names)}.{nearest(str(unknown[0]), names)}"
        )
    return {name: options.get(name) for name in names}
