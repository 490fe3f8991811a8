"""Look-ups of the language model as an assistant by the servers' own function calling.

A turn is a conversation of its own: the situation, then each call with what it found. To answer is a function too, so
that every answer is a call and its form can be held to. Ids of calls have nine characters, which some models insist on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from supermarket_env.agents.llm_message import message_schema
from supermarket_env.agents.llm_prompt import RULES, Memory, Message, fitted
from supermarket_env.agents.llm_tools import TOOLS
from supermarket_env.dialogue.view import AssistantView
from supermarket_env.llm.functions import function
from supermarket_env.llm.schema import record

REPLY: Final = "reply"
_TEXT: Final = {"type": "string", "maxLength": 80}
_ARGUMENTS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "search": {"words": _TEXT},
    "details": {"product": _TEXT},
    "where": {"what": _TEXT},
    "path": {"what": _TEXT},
    "compare": {"products": {"type": "array", "items": _TEXT, "maxItems": 3}},
}
_ANSWER: Final = (
    "Answer the customer. need: number of the need, or 0; about: what you ask or tell, or none; items: ids of products "
    "you show; lead_to: id of the product you lead to, checkout, or none; say: your words."
)
_LEAST_CHARS: Final = 1000


class LookUp(NamedTuple):
    """A look-up of this turn."""

    tool: str
    arguments: Mapping[str, Any]
    found: str
    """What it found, in words."""

    @property
    def query(self) -> str:
        """The arguments as the words of a query."""
        return query_of(self.arguments)


def query_of(arguments: Mapping[str, Any]) -> str:
    """Return the arguments of a call as the words of a query.

    >>> query_of({"products": ["P00001", "P00002"]})
    'P00001 P00002'
    """
    return " ".join(
        str(part) for value in arguments.values() for part in (value if isinstance(value, list) else [value])
    )


def functions(shown: Sequence[str], *, last: bool) -> list[dict[str, Any]]:
    """Return the functions on offer: the look-ups unless it is the ``last`` question, and the answer."""
    looks = [] if last else [function(name, TOOLS[name], record(_ARGUMENTS[name])) for name in TOOLS]
    return [*looks, function(REPLY, _ANSWER, message_schema(shown))]


def native_prompt(view: AssistantView, memory: Memory, notes: Sequence[LookUp], *, last: bool) -> list[Message]:
    """Return the conversation of a turn so far."""
    told: list[Message] = []
    for number, note in enumerate(notes):
        name = f"call{number:05d}"
        called = {"name": note.tool, "arguments": json.dumps(dict(note.arguments))}
        told.append(
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": name, "type": "function", "function": called}],
            }
        )
        told.append({"role": "tool", "tool_call_id": name, "content": note.found})
    room = memory.max_chars - sum(len(note.found) + len(note.query) for note in notes)
    what = f"Call {REPLY} now." if last else f"Look things up if you need to, then call {REPLY}."
    system = f"{RULES} Never answer without calling a function."
    return [*fitted(view, memory._replace(max_chars=max(room, _LEAST_CHARS)), system, [what]), *told]
