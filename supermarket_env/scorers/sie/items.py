"""Items to be rated: a user message with at least two turns before it, and the replies of the systems under test."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.sie.dimensions import ANCHORS_VERSION

SCHEMA: Final = "supermarket.sie-items/1"
MIN_CONTEXT: Final = 2
"""Turns an item must have before its user message; a reply without context cannot be rated."""

STRATA: Final = ("pre_sale", "complaint", "small_talk", "vague", "emotional")
Stratum = Literal["pre_sale", "complaint", "small_talk", "vague", "emotional"]

SHORT_UP_TO: Final = 3
LONG_FROM: Final = 8


class Turn(BaseModel):
    """One utterance of the context."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["user", "assistant"]
    text: Annotated[str, Field(min_length=1)]


class Source(BaseModel):
    """Where a reply was logged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    episode_id: str
    turn: int


class Item(BaseModel):
    """One thing to rate: what was said before, the user's message, and one reply for each system."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    stratum: Stratum
    turn: Annotated[int, Field(ge=1)]
    """Turn of the reply: up to 3 is a short dialogue, from 8 on a long one."""
    context: tuple[Turn, ...]
    """At least two utterances before the user's message, oldest first."""
    user: Annotated[str, Field(min_length=1)]
    replies: Mapping[str, str]
    """Reply by system; a silent system's reply is the empty text."""
    sources: Mapping[str, Source] = {}
    trap: bool = False
    """A deliberately odd message ("heh"); rated and reported apart."""
    emotion: bool | None = None
    """Whether the user shows an emotion; False makes empathy not applicable, None leaves it to the raters."""
    notes: tuple[str, ...] = ()

    @field_validator("context")
    @classmethod
    def _needs_context(cls, value: tuple[Turn, ...]) -> tuple[Turn, ...]:
        if len(value) < MIN_CONTEXT:
            raise ValueError(
                f"expected at least {MIN_CONTEXT} turns of context before the user's message, got {len(value)}"
            )
        return value

    @property
    def stage(self) -> Literal["short", "middle", "long"]:
        """Whether the reply stands early (turns 1 to 3), late (turn 8 on) or between."""
        return "short" if self.turn <= SHORT_UP_TO else "long" if self.turn >= LONG_FROM else "middle"


class ItemSet(BaseModel):
    """A set of items with its history."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_: Annotated[Literal["supermarket.sie-items/1"], Field(alias="schema")] = "supermarket.sie-items/1"
    anchors: str = ANCHORS_VERSION
    status: Literal["publishable", "minimum_viable", "too_small"]
    seed: int
    cycle: Annotated[int, Field(ge=0)] = 0
    """Times the set was rotated."""
    items: tuple[Item, ...]
    retired: tuple[str, ...] = ()
    """Ids that were once in the set and never come back."""

    @model_validator(mode="after")
    def _distinct(self) -> ItemSet:
        ids = [item.id for item in self.items]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"item ids must be distinct, twice: {', '.join(twice[:5])}")
        return self

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of all systems with a reply, sorted."""
        return tuple(sorted({name for item in self.items for name in item.replies}))


def item_id(context: Iterable[tuple[str, str]], user: str) -> str:
    """Return the identity of a prompt: equal context and message, equal id, whatever the reply.

    Args:
        context: (role, text) of the turns before.
        user: The user's message.
    """
    text = json.dumps([list(context), user], ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place + ': ' if place else ''}{first['msg'].removeprefix('Value error, ')}"


def read_items(path: Path) -> ItemSet:
    """Read a set of items.

    Raises:
        ConfigError: If the file is none; the message names the item and the field. Items without two turns of context
            are refused.
    """
    data = _read_json(path)
    try:
        return ItemSet.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{path}: {_first_problem(error)}") from None


def read_item_list(path: Path) -> list[Item]:
    """Read loose items (traps, items written by hand): a JSON list, or an object with ``items``.

    Raises:
        ConfigError: As in :func:`read_items`.
    """
    data = _read_json(path)
    entries = data.get("items") if isinstance(data, dict) else data
    if not isinstance(entries, list):
        raise ConfigError(f"{path}: expected a list of items")
    items = []
    for position, entry in enumerate(entries):
        try:
            items.append(Item.model_validate(with_id(entry)))
        except ValidationError as error:
            raise ConfigError(f"{path}, item {position + 1}: {_first_problem(error)}") from None
    return items


def shipped_traps() -> list[Item]:
    """Return the trap items that come with the package; systems have still to answer them."""
    with as_file(files("supermarket_env.scorers.sie") / "data" / "traps.json") as path:
        return read_item_list(path)


def with_id(entry: Any) -> Any:
    """Return an item's data with the id of its prompt filled in where it has none."""
    if isinstance(entry, dict) and "id" not in entry:
        turns = [turn for turn in entry.get("context") or () if isinstance(turn, dict)]
        context = [(str(turn.get("role")), str(turn.get("text"))) for turn in turns]
        return {**entry, "id": item_id(context, str(entry.get("user")))}
    return entry


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: expected a JSON file with items ({error})") from None


def write_items(items: ItemSet, path: Path) -> None:
    """Write a set of items as JSON, one stable form for equal sets."""
    data = items.model_dump(mode="json", by_alias=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def add_replies(items: ItemSet, system: str, replies: Mapping[str, str]) -> ItemSet:
    """Return the set with a further system's replies to its prompts.

    Args:
        items: The set.
        system: Name of the system.
        replies: Reply by item id; items without one stay without.

    Raises:
        ConfigError: If an id is not in the set, or the system has a reply there already.
    """
    known = {item.id: item for item in items.items}
    for name in replies:
        if name not in known:
            raise ConfigError(f"replies of {system!r}: no item {name!r} in the set")
        if system in known[name].replies:
            raise ConfigError(f"replies of {system!r}: item {name!r} has a reply of it already")
    made = tuple(
        item.model_copy(update={"replies": {**item.replies, system: replies[item.id]}}) if item.id in replies else item
        for item in items.items
    )
    return items.model_copy(update={"items": made})
