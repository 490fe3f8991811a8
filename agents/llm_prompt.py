"""What a language model is told as the assistant: the dialogue, what is known of each need, where the user is.

On long trips only the last exchanges stand word for word; what was said before is kept as the list of needs. Words of
the user and labels stand between marks and are called what they are: never orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from supermarket_env.agents.llm_tools import TOOLS
from supermarket_env.dialogue.view import AssistantView, HeardNeed
from supermarket_env.llm.quoting import NOTE, quoted

if TYPE_CHECKING:
    from supermarket_env.agents.llm_tools import Tools

Message = dict[str, Any]
_WORDS: Final = 400

RULES: Final = (
    "You are a shopping assistant in an app and help one customer through a supermarket: find out what is needed, "
    "show fitting products, lead the way, and to the checkout at the end. Speak briefly. State only facts you are "
    f"given. {NOTE}"
)
_FORM: Final = (
    "Answer as JSON: act, need (number of the need, or 0), about (what you ask or tell, or none), items (ids of "
    "products you show), lead_to (id of the product you lead to, checkout, or none), say (your words)."
)


class Memory(NamedTuple):
    """How much of the dialogue is told word for word."""

    history: int
    """Exchanges."""
    max_chars: int
    """Of the whole prompt."""


def need_words(need: HeardNeed) -> str:
    """Return what was said of a need in a line."""
    parts = [need.product_type or need.department or "something"]
    parts += sorted(name.replace("_", " ") for name in need.wanted | need.diet)
    parts += [f"without {name.replace('_', ' ')}" for name in sorted(need.allergy)]
    for word, value in (("brand", need.brand), ("size", need.size), ("quantity", need.quantity)):
        if value:
            parts.append(f"{word} {value}")
    if need.price_limit:
        parts.append(f"at most {need.price_limit:.2f}")
    state = "done" if need.closed else f"said yes to {need.accepted}" if need.accepted else "open"
    if need.rejected:
        state += f", turned down {', '.join(need.rejected[-3:])}"
    return f"{need.ordinal}. {', '.join(parts)} ({state})"


def situation(view: AssistantView) -> str:
    """Return needs, place, cart and time left."""
    needs = "\n".join(need_words(need) for need in view.heard) or "nothing yet"
    cat = view.catalogue
    cart = ", ".join(f"{line.qty} x {cat.names[cat.by_id[line.product]]}" for line in view.cart) or "empty"
    return f"Needs so far:\n{needs}\nCart: {cart}\nThe customer is at {view.position}; {view.turns_left} turns left."


def dialogue(view: AssistantView, exchanges: int) -> list[str]:
    """Return the last exchanges as lines, the customer's last words at the end."""
    transcript = view.transcript
    lines = []
    kept = transcript.exchanges[-exchanges:] if exchanges else []
    if len(kept) == len(transcript.exchanges):
        lines.append(f"Customer: {quoted(transcript.opening.text, _WORDS)}")
    for exchange in kept:
        lines.append(f"You: {exchange.message.text or '(' + exchange.message.act + ')'}")
        response = exchange.response
        meant = f" [{response.act}]" if response.act else ""
        did = f"{exchange.action} {exchange.arg}".strip()
        lines.append(f"Customer{meant}: {quoted(response.text, _WORDS)} ({did})")
    if not kept and transcript.exchanges:
        lines.append(f"Customer: {quoted(view.response.text, _WORDS)}")
    return lines


def fitted(view: AssistantView, memory: Memory, system: str, rest: Sequence[str]) -> list[Message]:
    """Return the prompt with as many exchanges as fit."""
    kept = memory.history
    while True:
        user = "\n".join([*dialogue(view, kept), situation(view), *rest])
        if kept == 0 or len(system) + len(user) <= memory.max_chars:
            return [{"role": "system", "content": system}, {"role": "user", "content": user}]
        kept -= 1


def single_prompt(view: AssistantView, memory: Memory, tools: Tools, shown: Sequence[str]) -> list[Message]:
    """Return the question of a turn with the products that were found for it."""
    found = "\n".join(tools.describe(p) for p in shown) or "none"
    return fitted(view, memory, RULES, [f"Products found:\n{found}", _FORM])


def react_prompt(view: AssistantView, memory: Memory, notes: Sequence[tuple[str, str]], *, last: bool) -> list[Message]:
    """Return the next question of a turn: look something up, or answer."""
    system = RULES
    if not last:
        listed = "\n".join(f"- {words}" for words in TOOLS.values())
        system += f"\nYou can look things up before you answer (tool and query; tool none to answer now):\n{listed}"
    rest = [f"Looked up {call}:\n{found}" for call, found in notes]
    rest.append(_FORM if last else f"{_FORM} With a tool, the other fields do not matter yet.")
    return fitted(view, memory, system, rest)
