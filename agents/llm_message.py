"""The form in which a language model answers as the assistant, and the message that an answer amounts to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from supermarket_env.dialogue.acts import AssistantMessage, Goal, Suggestion
from supermarket_env.dialogue.view import AssistantView
from supermarket_env.llm.schema import record

if TYPE_CHECKING:
    from supermarket_env.agents.llm_tools import Tools

ACTS: Final = (
    "chat", "greet", "ask", "recommend", "inform", "compare", "guide", "confirm", "acknowledge", "offer_checkout",
)  # fmt: skip
SLOTS: Final = (
    "none", "anything", "product_type", "brand", "size", "quantity", "price_limit", "diet", "allergy", "price",
    "quality", "allergens", "place",
)  # fmt: skip
WORDS: Final = 200
NO_PRODUCT: Final = "none"


def message_schema(shown: Sequence[str], tools: Sequence[str] = ()) -> dict[str, Any]:
    """Return the form of an answer; products can only be among those that were found.

    Args:
        shown: Ids of products the model has been shown.
        tools: Look-ups it may ask for instead; then ``tool`` and ``query`` come first.
    """
    products = [NO_PRODUCT, *shown]
    fields: dict[str, dict[str, Any]] = {}
    if tools:
        fields["tool"] = {"type": "string", "enum": ["none", *tools]}
        fields["query"] = {"type": "string", "maxLength": 80}
    fields |= {
        "act": {"type": "string", "enum": list(ACTS)},
        "need": {"type": "integer", "minimum": 0, "maximum": 8},
        "about": {"type": "string", "enum": list(SLOTS)},
        "items": {"type": "array", "items": {"type": "string", "enum": products}, "maxItems": 4},
        "lead_to": {"type": "string", "enum": [*products, "checkout"]},
        "say": {"type": "string", "maxLength": WORDS},
    }
    return record(fields)


def problem_of(data: Mapping[str, Any], view: AssistantView, shown: Sequence[str]) -> str:
    """Return why an answer of the right form makes no sense; empty when it does."""
    if data.get("tool", "none") != "none":
        return ""
    items = [item for item in data["items"] if item != NO_PRODUCT]
    if data["act"] in ("recommend", "inform", "compare") and not items:
        return f"act {data['act']} needs products in items" if shown else "no products were found: ask or chat"
    if data["need"] > len(view.heard):
        return f"need is at most {len(view.heard)}: the user has named no more"
    return ""


def message_of(data: Mapping[str, Any], view: AssistantView, tools: Tools) -> AssistantMessage:
    """Return the message of a usable answer; the next step to where it leads is looked up on the map."""
    act, about = data["act"], data["about"]
    items = tuple(dict.fromkeys(item for item in data["items"] if item != NO_PRODUCT))
    goal, suggest = lead(data["lead_to"], view, tools)
    attribute = "" if about == "none" else about
    if act == "ask" and not attribute:
        attribute = "anything"
    if act in ("inform", "compare") and attribute not in ("price", "quality", "allergens", "place"):
        attribute = "price"
    return AssistantMessage(
        act=act,
        text=str(data["say"]).strip(),
        need=data["need"],
        attribute=attribute if act in ("ask", "inform", "compare") else "",
        products=items[:1] if act == "inform" else items[:3] if act in ("compare", "confirm") else (),
        items=items if act == "recommend" else (),
        suggest=suggest,
        goal=goal,
    )


def lead(target: str, view: AssistantView, tools: Tools) -> tuple[Goal | None, Suggestion | None]:
    """Return goal and next move towards a product or the checkout; nothing for ``none``."""
    if target == NO_PRODUCT:
        return None, None
    if target == "checkout":
        step = tools.shelf.step_to_checkout(view.node)
        node = view.store.node_ids[tools.shelf.checkout[view.node]]
        hint = Suggestion(type="move", arg=step) if step else Suggestion(type="checkout")
        return Goal(kind="landmark", id=node), hint
    section = tools.shelf.section_of_product(target)
    if section < 0:
        return None, None
    step = tools.shelf.step_to_section(view.node, section)
    hint = Suggestion(type="move", arg=step) if step else Suggestion(type="add", arg=target)
    return Goal(kind="product", id=target), hint
