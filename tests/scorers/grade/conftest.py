"""Hand-written dialogues to grade, as the fixture ``grading``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from supermarket_env.events.episode import Episode
from supermarket_env.events.validate import validate_episode
from supermarket_env.scorers.grade import grade_episode
from supermarket_env.scorers.grade.turns import ReplyGrade

TRUTH: dict[str, Any] = {
    "needs": [
        {"id": "7", "qty": 1, "attributes": ["type", "organic"]},
        {"id": "3", "qty": 2, "attributes": ["type", "qty"]},
    ],
    "acceptable": {"7": ["milk", "oat"], "3": ["bread"]},
    "violates": {"nutty": ["nuts"]},
}
WISH: dict[str, Any] = {
    "text": "Milk, please.",
    "act": "disclose",
    "slots": {"need": 1, "facts": [{"need": 1, "attribute": "product_type", "value": "milk"}]},
    "reveals": ["7.type"],
}


def episode(turns: list[dict[str, Any]], *, truth: Any = TRUTH, truth_turns: Any = ()) -> Episode:
    """Turns as {"user": fields of the user before, "reply": fields, and optionally items, goal, suggest, cart}."""
    events: list[dict[str, Any]] = []
    for number, turn in enumerate(turns):
        events.append({"k": "user", "turn": number, **turn["user"]})
        events += [{"k": "cart", "turn": number, "op": "add", **row} for row in turn.get("cart", ())]
        events.append({"k": "assistant", "turn": number + 1, **turn["reply"]})
        if "items" in turn:
            events.append({"k": "recommend", "turn": number + 1, "items": turn["items"]})
        events += [{"k": kind, "turn": number + 1, **turn[kind]} for kind in ("goal", "suggest") if kind in turn]
    events.append({"k": "end", "reason": "left"})
    line: dict[str, Any] = {"schema": "supermarket.episode/1", "episode_id": "e", "agent": "own", "events": events}
    if truth is not None:
        line["truth"] = {**truth, "turns": list(truth_turns)}
    return validate_episode(line, "<test>", 1)


def graded(*turns: dict[str, Any], **options: Any) -> ReplyGrade:
    return grade_episode(episode(list(turns), **options)).grades[-1]


def said(act: str | None, text: str = "Well.", claims: Any = (), **slots: Any) -> dict[str, Any]:
    return {"act": act, "text": text, "slots": slots, "claims": list(claims)}


def answer_to(user: dict[str, Any], reply: dict[str, Any], **more: Any) -> ReplyGrade:
    """The grade of a reply to a later message, after the wish for milk."""
    truth_turns = more.pop("truth_turns", ())
    first = {"user": WISH, "reply": said("recommend", need=1), "items": ["milk"]}
    return graded(first, {"user": user, "reply": reply, **more}, truth_turns=truth_turns)


@pytest.fixture(scope="session")
def grading() -> SimpleNamespace:
    return SimpleNamespace(wish=WISH, episode=episode, graded=graded, said=said, answer_to=answer_to)
