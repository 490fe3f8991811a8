"""The user of an environment from the keyword ``user``: refused with the key, what is valid there and the nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.user_sim.config import UserConfig, wording_for


def population_of(user: Mapping[str, Any] | None, *, track: str, suite: str) -> UserConfig:
    """Return the users an environment draws from.

    Args:
        user: Fields of :class:`UserConfig`; None or empty for the default user.
        track: The track, which with the suite decides on the phrasings unless ``user`` does.
        suite: The suite.

    Raises:
        ConfigError: If a field is unknown or its value does not fit; all such fields are named.

    >>> population_of({"trait": {"trust": 1.0}}, track="semantic", suite="dev")
    Traceback (most recent call last):
    ...
    supermarket_env.errors.ConfigError: user: unknown key 'trait'; valid: name, mechanisms, traits, ranges, \
impulse_by_trip, draw_keys, wording. Did you mean 'traits'?
    """
    if not isinstance(user, Mapping | None):
        raise ConfigError(f"user: expected a mapping of fields, got {user!r:.80}")
    try:
        return UserConfig.model_validate({"wording": wording_for(track, suite), **(user or {})})
    except ValidationError as error:
        raise ConfigError("user: " + "; ".join(_problem(dict(found)) for found in error.errors())) from None


def _problem(found: Mapping[str, Any]) -> str:
    place = tuple(str(part) for part in found["loc"])
    if found["type"] == "extra_forbidden":
        head = "".join(f"{part}." for part in place[:-1])
        valid = [f"{head}{name}" for name in _fields(place[:-1])]
        return unknown_name("key", f"{head}{place[-1]}", valid).rstrip(".")
    return f"{'.'.join(place)}: got {found['input']!r:.120}, {found['msg'].removeprefix('Value error, ')}"


def _fields(place: Sequence[str]) -> list[str]:
    """Return the names of the fields of a section of the configuration."""
    model: type[BaseModel] = UserConfig
    for part in place:
        inner = model.model_fields[part].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        model = inner
    return list(model.model_fields)
