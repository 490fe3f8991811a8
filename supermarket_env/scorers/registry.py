"""The shipped scorers by name, and how one is built with its options.

The table is data: a scorer's module is imported when it is made. A module named here has a function
``make_scorer(**options)`` that returns a :class:`~supermarket_env.scorers.base.Scorer` and raises
:class:`~supermarket_env.errors.ConfigError` (or TypeError for an unknown option) before anything is scored.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple

from supermarket_env.errors import ConfigError, nearest, unknown_name
from supermarket_env.scorers.base import Scorer

_HERE: Final = "supermarket_env.scorers"
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")


class ScorerSpec(NamedTuple):
    """One shipped scorer."""

    name: str
    module: str
    description: str


_SPECS: Final = (
    ScorerSpec("judge", f"{_HERE}.judge.scorer", "the seven dialogue dimensions by rules, a language model or people"),
    ScorerSpec("sie", f"{_HERE}.sie.scorer", "five human-likeness dimensions with a floor"),
    ScorerSpec("mme", f"{_HERE}.mme.scorer", "seven reply-level sub-metrics and their composite"),
    ScorerSpec("grade", f"{_HERE}.grade.scorer", "correct, partial or bad, reply by reply"),
    ScorerSpec("virtual_agent", f"{_HERE}.virtual_agent.scorer", "eight metrics of a service conversation, 1 to 5"),
)

SCORERS: Final[Mapping[str, ScorerSpec]] = {spec.name: spec for spec in _SPECS}
"""All shipped scorers."""


def make_scorer(entry: str | Mapping[str, Any]) -> Scorer:
    """Build a scorer.

    Args:
        entry: A shipped name, or a mapping with ``name`` and the scorer's options; with ``_target_`` (an import path)
            besides, a scorer of your own, made by calling the target with the options.

    Raises:
        ConfigError: If the name, the target or an option is unknown, or the scorer refuses its options.

    >>> make_scorer("jugde")
    Traceback (most recent call last):
    ...
    supermarket_env.errors.ConfigError: scorers: unknown scorer 'jugde'; valid: judge, sie, mme, grade, virtual_agent. \
Did you mean 'judge'?
    """
    options: dict[str, Any] = {"name": entry} if isinstance(entry, str) else dict(entry)
    name = options.pop("name", None)
    if not isinstance(name, str) or not name:
        raise ConfigError(f"scorers: expected a name or an object with a name, got {entry!r}")
    target = options.pop("_target_", None)
    if target is None and name not in SCORERS:
        raise ConfigError(f"scorers: {unknown_name('scorer', name, SCORERS)}")
    path = f"{SCORERS[name].module}.make_scorer" if target is None else str(target)
    scorer: Scorer = _call(name, _load(name, path), options)
    if label_of(scorer) is None:
        raise ConfigError(
            f"scorers: {name!r} is no scorer: expected score(episode), and a name and a version of letters, digits and "
            f"_ . + - (got {getattr(scorer, 'name', None)!r} and {getattr(scorer, 'version', None)!r})"
        )
    return scorer


def label_of(scorer: Any) -> str | None:
    """Return ``<name>@<version>``, None for what is no scorer or cannot name a file."""
    parts = (getattr(scorer, "name", None), getattr(scorer, "version", None))
    usable = all(isinstance(part, str) and _FILE_NAME.fullmatch(part) for part in parts)
    return f"{parts[0]}@{parts[1]}" if usable and callable(getattr(scorer, "score", None)) else None


def make_scorers(entries: Any) -> tuple[Scorer, ...]:
    """Build several scorers.

    Args:
        entries: Names and mappings, see :func:`make_scorer`.

    Raises:
        ConfigError: As for one, or if two would write to the same file.
    """
    scorers = tuple(make_scorer(entry) for entry in entries)
    labels = [f"{scorer.name}@{scorer.version}" for scorer in scorers]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ConfigError(f"scorers: given twice: {', '.join(twice)}")
    return scorers


def _load(name: str, path: str) -> Callable[..., Any]:
    module, _, attribute = path.rpartition(".")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"scorers: {name!r} ({path}) cannot be imported: {error}") from error
    if not callable(found):
        raise ConfigError(f"scorers: {name!r} ({path}) cannot be called")
    result: Callable[..., Any] = found
    return result


def _call(name: str, make: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    try:
        parameters = dict(inspect.signature(make).parameters)
    except (TypeError, ValueError):
        parameters = {}
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    if parameters and not open_ended:
        for option in options:
            if option not in parameters:
                valid = ", ".join(parameters) or "none"
                raise ConfigError(
                    f"scorers: {name!r} has no option {option!r}; valid: {valid}.{nearest(option, parameters)}"
                )
    try:
        return make(**options)
    except ConfigError as error:
        raise ConfigError(f"scorers: {name!r}: {error}") from error
    except (TypeError, ValueError) as error:
        raise ConfigError(f"scorers: {name!r} refuses its options: {error}") from error
