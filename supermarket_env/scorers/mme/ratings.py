"""Rated replies from a JSON file: a list of objects with context, response and human scores."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError, unknown_name

SEPARATOR: Final = "|||"
"""Stands between the utterances of a context."""
KEYS: Final = ("Dataset", "Context", "Response", "HumanScores")
LOWEST, HIGHEST = 1.0, 5.0


@dataclass(frozen=True, slots=True)
class RatedReply:
    """One reply in its context, with what people gave it."""

    dataset: str
    context: tuple[str, ...]
    response: str
    scores: tuple[float, ...]
    """1 to 5, one a person; at least one."""

    @property
    def human(self) -> float:
        """The mean of the people's scores."""
        return sum(self.scores) / len(self.scores)


def load_ratings(path: Path) -> tuple[RatedReply, ...]:
    """Read rated replies.

    Args:
        path: A JSON list of objects with ``Dataset``, ``Context`` (utterances separated by ``|||``), ``Response`` and
            ``HumanScores`` (numbers from 1 to 5: a list, or a string that holds one).

    Returns:
        The replies in file order, at least one.

    Raises:
        ConfigError: When the file is absent, no such list, or an entry breaks the format; the message names the entry.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: expected JSON: {error}") from error
    if not isinstance(data, list) or not data:
        raise ConfigError(f"{path}: expected a list of rated replies, got {type(data).__name__}")
    return tuple(_reply(path, number, entry) for number, entry in enumerate(data))


def _reply(path: Path, number: int, entry: Any) -> RatedReply:
    where = f"{path}: entry {number}"
    if not isinstance(entry, Mapping):
        raise ConfigError(f"{where}: expected an object, got {type(entry).__name__}")
    for key in KEYS:
        if key not in entry:
            raise ConfigError(f"{where}: no {key!r}; expected {', '.join(KEYS)}")
    texts = [entry[key] for key in KEYS[:3]]
    if not all(isinstance(text, str) for text in texts):
        raise ConfigError(f"{where}: Dataset, Context and Response must be texts")
    context = tuple(part.strip() for part in texts[1].split(SEPARATOR) if part.strip())
    return RatedReply(texts[0], context, texts[2], _scores(where, entry["HumanScores"]))


def _scores(where: str, given: Any) -> tuple[float, ...]:
    if isinstance(given, str):
        try:
            given = ast.literal_eval(given)
        except (ValueError, SyntaxError) as error:
            raise ConfigError(f"{where}: HumanScores: expected a list of numbers, got {given!r}") from error
    values = list(given) if isinstance(given, (list, tuple)) else []
    if not values or any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in values):
        raise ConfigError(f"{where}: HumanScores: expected a list of numbers, got {given!r}")
    if not all(LOWEST <= value <= HIGHEST for value in values):
        raise ConfigError(f"{where}: HumanScores: expected numbers from 1 to 5, got {values!r}")
    return tuple(float(value) for value in values)


def only_datasets(replies: Sequence[RatedReply], names: Sequence[str]) -> tuple[RatedReply, ...]:
    """Return the replies of the named datasets, all without names.

    Raises:
        ConfigError: For a dataset that is not there.
    """
    known = list(dict.fromkeys(reply.dataset for reply in replies))
    for name in names:
        if name not in known:
            raise ConfigError(unknown_name("dataset", name, known))
    return tuple(reply for reply in replies if not names or reply.dataset in names)
