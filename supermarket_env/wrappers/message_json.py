"""The JSON form of a message: its schema, and a reader that never raises."""

from __future__ import annotations

import json
import re
from typing import Any, Final, get_args

from supermarket_env.catalogue.schema import ATTRIBUTES
from supermarket_env.dialogue.acts import MAX_TEXT, MAX_UNITS, ActionType, AssistantAct, AssistantMessage, GoalKind
from supermarket_env.errors import MessageError
from supermarket_env.rules import codes

MAX_JSON: Final = 20_000
"""Characters of JSON that are read; longer ones are a fault."""
_FENCE: Final = re.compile(r"\A```(?:json|JSON)?[ \t]*\r?\n(.*)\n```\Z", re.DOTALL)


def message_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a message, for constrained output and for people.

    All keys may be left out; ``{}`` says nothing. Unknown keys are refused.
    """
    ids = {"type": "array", "items": {"type": "string"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Message of the shopping assistant",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "act": {
                "type": "string",
                "enum": list(get_args(AssistantAct)),
                "default": "chat",
                "description": "The dialogue act.",
            },
            "text": {"type": "string", "maxLength": MAX_TEXT, "description": "What is said, in plain words."},
            "need": {
                "type": "integer",
                "minimum": 0,
                "maximum": codes.MAX_NEEDS,
                "default": 0,
                "description": "Number of the need it is about, as numbered in the observation; 0 for none.",
            },
            "attribute": {
                "type": "string",
                "enum": ["", *codes.SLOTS[1:], *ATTRIBUTES],
                "description": "What is asked for (ask), stated (inform) or compared (compare).",
            },
            "value": {
                "type": ["string", "number", "boolean", "null"],
                "description": "The value that inform states; null states the catalogue's.",
            },
            "products": {
                **ids,
                "maxItems": codes.MAX_PRODUCTS,
                "description": "Ids of the products that inform, compare or confirm speaks about.",
            },
            "emotion": {"type": "string", "description": "The user's mood as the assistant takes it."},
            "items": {
                **ids,
                "maxItems": codes.MAX_ITEMS,
                "description": "A ranked list of product ids, best first.",
            },
            "suggest": {
                "type": ["object", "null"],
                "additionalProperties": False,
                "required": ["type"],
                "properties": {
                    "type": {"type": "string", "enum": list(get_args(ActionType))},
                    "arg": {
                        "type": "string",
                        "description": "Node id for move, section id for look, product id for inspect, add, remove.",
                    },
                    "qty": {"type": "integer", "minimum": 1, "maximum": MAX_UNITS},
                },
                "description": "What the user should do next.",
            },
            "goal": {
                "type": ["object", "null"],
                "additionalProperties": False,
                "required": ["kind", "id"],
                "properties": {
                    "kind": {"type": "string", "enum": list(get_args(GoalKind))},
                    "id": {
                        "type": "string",
                        "description": "Section id, product id, name of a product type, or node id of a landmark.",
                    },
                },
                "description": "Where the user should get to.",
            },
        },
    }


def read_message(reply: Any) -> AssistantMessage | MessageError:
    """Return the message that a reply holds, or the error that says what is wrong with it; never raises.

    The reply is one JSON object as in :func:`message_schema`, with space or one code fence around it.
    """
    if not isinstance(reply, str):
        return MessageError(f"expected text with one JSON object, got {type(reply).__name__}")
    text = reply.strip()
    if len(text) > MAX_JSON:
        return MessageError(f"expected at most {MAX_JSON} characters of JSON, got {len(text)}")
    fenced = _FENCE.match(text)
    if fenced:
        text = fenced[1].strip()
    if not text:
        return MessageError("expected one JSON object, got an empty reply; {} says nothing")
    try:
        found = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        return MessageError("not JSON: nested too deeply")
    except ValueError as error:
        return MessageError(f"not JSON: {error}; got {text[:80]!r}")
    if not isinstance(found, dict):
        return MessageError(f"expected a JSON object, got {type(found).__name__}: {text[:80]!r}")
    try:
        return AssistantMessage.parse(found)
    except MessageError as error:
        return error


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
