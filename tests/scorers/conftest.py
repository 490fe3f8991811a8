"""Small hand-written episodes in the terms of the embedded catalogue and the corner store, as the fixture ``log``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from supermarket_env.events.episode import Episode
from supermarket_env.events.log import validate_episode
from supermarket_env.scorers.truth import StoreTruth, load_truth


def truth() -> StoreTruth:
    return load_truth("embedded", "corner")


def carried(kind: str | None = None, *, allergen: str = "", without: str = "", skip: int = 0) -> str:
    """Return the id of a carried product, of a type, with or without an allergen."""
    found = truth()
    for number in range(found.catalogue.n_products):
        record = found.product(number)
        if not found.is_carried(number) or (kind is not None and record.product_type != kind):
            continue
        if (allergen and allergen not in record.allergens) or (without and without in record.allergens):
            continue
        if skip == 0:
            return record.id
        skip -= 1
    raise LookupError("the corner store has no such product")


def priced(product: str) -> str:
    record = truth().catalogue.product(product)
    return f"{record.name} ({record.price_cents / 100:.2f} EUR)"


def user(turn: int, act: str = "chat", text: str = "", **slots: Any) -> dict[str, Any]:
    action = slots.pop("action", {"type": "wait", "params": {}})
    reveals = slots.pop("reveals", [])
    event: dict[str, Any] = {"k": "user", "turn": turn, "act": act, "slots": slots, "text": text, "reveals": reveals}
    if turn:
        event["action"] = action
    return event


def says(turn: int, text: str = "", act: str = "chat", **slots: Any) -> dict[str, Any]:
    return {"k": "assistant", "turn": turn, "act": act, "slots": slots, "text": text}


def wants(ordinal: int, kind: str, **facts: Any) -> dict[str, Any]:
    """Return the slots with which a user states a need."""
    told = [{"need": ordinal, "attribute": "product_type", "value": kind}]
    told += [{"need": ordinal, "attribute": name, "value": value} for name, value in facts.items()]
    return {"need": ordinal, "facts": told}


def episode(*events: dict[str, Any], agent: str = "mine", reason: str = "left", **extra: Any) -> Episode:
    return validate_episode(
        {
            "schema": "supermarket.episode/1",
            "episode_id": extra.pop("episode_id", "e"),
            "agent": agent,
            "store": "corner",
            "catalogue": "embedded",
            "events": [*events, {"k": "end", "reason": reason}],
            **extra,
        },
        "<test>",
        1,
    )


@pytest.fixture(scope="session")
def log() -> SimpleNamespace:
    return SimpleNamespace(
        truth=truth, carried=carried, priced=priced, user=user, says=says, wants=wants, episode=episode
    )
