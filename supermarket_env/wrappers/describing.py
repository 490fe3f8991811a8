"""What the assistant knows of a turn, in words and ids, for a language model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from supermarket_env.agents.ranking import rank
from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.dialogue.acts import AssistantMessage, UserResponse
from supermarket_env.dialogue.view import AssistantView, HeardNeed

OFFERED: Final = 5
"""Products named for each open need."""
_WEIGHTS: Final = RuleConfig().weights

INSTRUCTIONS: Final = """\
You are a shopping assistant in a supermarket. You talk to one shopper who walks through the store; you cannot act
yourself. Each turn you are told what the shopper said and did, where they are, what you heard of their needs so far,
and ids of products and places. Help them to get everything they want, within what they can spend, without detours,
and then to pay. Ask when you do not know enough, but do not repeat yourself.

Answer with one JSON object and nothing else. All keys may be left out:
act: chat, greet, ask, recommend, inform, compare, guide, confirm, acknowledge or offer_checkout
need: number of the need it is about
attribute: what you ask for or state; "anything" asks what matters
items: list of at most 10 product ids you recommend, best first
products: ids of the products you state, compare or confirm something about
suggest: {"type": "move", "arg": "<node id>"}, {"type": "look", "arg": "<section id>"}, {"type": "add", "arg": \
"<product id>", "qty": 1} or {"type": "checkout"}: what the shopper should do next
goal: {"kind": "category", "id": "<product type>"}, {"kind": "product", "id": "<product id>"} or {"kind": "landmark", \
"id": "<node id>"}: where they should get to; add the first step as suggest
text: what you say
Examples: {"act": "ask", "need": 1, "attribute": "anything", "text": "What matters to you?"} and
{"act": "recommend", "need": 1, "items": ["<product id>"]}. {} says nothing. A message that is no such object is a
fault; three in a row end the trip.
"""
"""A system prompt for language models; the schema itself is ``message_schema()``."""


def describe_turn(view: AssistantView, *, turns: int, error: str, over: bool) -> str:
    """Return what the assistant knows now; a function of the view and of what was wrong with the last message.

    Args:
        view: The view of the turn about to be played (or of the end).
        turns: How many of the last turns of the dialogue are written out.
        error: The fault of the last message, empty for none.
        over: Whether the trip has ended.
    """
    shelf = shelf_of(view.catalogue, view.store)
    left = "The trip is over." if over else f"Turn {view.turn}; {view.turns_left} more may follow."
    return "\n".join((left, *_lines(view, shelf, turns, error)))


def _lines(view: AssistantView, shelf: Shelf, turns: int, error: str) -> Iterator[str]:
    if error:
        yield f"Your last message was faulty: {error}"
    exchanges = view.transcript.exchanges[-turns:] if turns else []
    if exchanges:
        yield "Last turns:"
        for past in exchanges:
            said = past.response.text or past.response.act or "-"
            did = " ".join(part for part in (past.action, past.arg) if part)
            yield f"  {past.turn}. you: {_own(past.message)} | shopper: {said} | did: {did}"
    yield f"Shopper says: {_said(view.response)}"
    action = " ".join(part for part in view.last_action if part)
    yield f"Shopper did: {action or 'just came in'}."
    yield f"Shopper is at {view.position}; can step to {', '.join(view.legal_moves())}."
    yield f"In view: {', '.join(view.visible) or 'nothing'}."
    yield f"Cart: {_cart(view)}."
    yield _till(view, shelf)
    yield "Needs heard:" if view.heard else "Needs heard: none."
    for need in view.heard:
        yield from _need(view, shelf, need)


def _own(message: AssistantMessage) -> str:
    parts = [message.act, *(f"need {message.need}" for _ in range(message.need > 0)), message.attribute]
    if message.items:
        parts.append(f"items {', '.join(message.items)}")
    if message.suggest is not None:
        parts.append(f"suggest {message.suggest.type} {message.suggest.arg}".rstrip())
    if message.goal is not None:
        parts.append(f"goal {message.goal.kind} {message.goal.id}")
    return " ".join(part for part in parts if part)


def _said(response: UserResponse) -> str:
    """Return the words and, where the track gives them, act, reason and products."""
    notes = [response.act]
    notes += [f"{name} {value}" for name in ("reason", "cause", "attribute") if (value := getattr(response, name))]
    notes += [f"need {response.need}"] if response.need else []
    notes += [f"product {product}" for product in response.products]
    said = f'"{response.text}"' if response.text else ""
    return " ".join(part for part in (said, f"({', '.join(notes)})" if response.act else "") if part) or "nothing"


def _cart(view: AssistantView) -> str:
    total = sum(line.qty * line.price for line in view.cart)
    lines = [f"{line.qty} x {line.product} at {line.price:.2f}" for line in view.cart]
    return f"{'; '.join(lines)}; {total:.2f} in all" if lines else "empty"


def _till(view: AssistantView, shelf: Shelf) -> str:
    step = shelf.step_to_checkout(view.node)
    if not step:
        return "Checkout: here."
    return f"Checkout: landmark {view.store.node_ids[shelf.checkout[view.node]]}, first step {step}."


def _need(view: AssistantView, shelf: Shelf, need: HeardNeed) -> Iterator[str]:
    what = need.product_type or (f"something from {need.department}" if need.department else "something")
    notes = sorted(need.wanted)
    notes += [f"brand {need.brand}"] if need.brand else []
    notes += [f"size {need.size}"] if need.size else []
    notes += [f"quantity {need.quantity}"] if need.quantity else []
    notes += [f"at most {need.price_limit:.2f}"] if need.price_limit else []
    notes += [f"diet {name}" for name in sorted(need.diet)] + [f"no {name}" for name in sorted(need.allergy)]
    notes += [f"turned down {', '.join(need.rejected)}"] if need.rejected else []
    state = "closed" if need.closed else f"accepted {need.accepted}" if need.accepted else "open"
    yield f"  {need.ordinal}. {what}: {'; '.join(notes) or 'nothing special'} [{state}, asked {need.questions} times]"
    if need.closed:
        return
    kind = shelf.type_number.get(need.product_type or "", -1)
    section = -1
    if need.accepted is not None:
        section = shelf.section_of_product(need.accepted)
    elif kind >= 0:
        section = shelf.section_of_type(view.node, kind)
    if section >= 0:
        yield f"     place: {_place(view, shelf, section)}"
    if need.accepted is None and kind >= 0:
        items = rank(
            shelf,
            need,
            _WEIGHTS,
            wishes=tuple(sorted(need.wanted)),
            excluded=frozenset(need.rejected),
            thrift=1.0,
            count=OFFERED,
        )
        goods = [view.catalogue.product(product) for product in items]
        yield "     products: " + (
            "; ".join(f"{g.id} {g.name} {g.price_cents / 100:.2f}" for g in goods) or "none left"
        )


def _place(view: AssistantView, shelf: Shelf, section: int) -> str:
    way = shelf.way[view.node][section]
    name = view.store.section_ids[section]
    if way == 0:
        return f"section {name}, within reach"
    return f"section {name}, {way} step{'s' * (way > 1)} away, first step {shelf.step_to_section(view.node, section)}"


def fault_text(kind: str, detail: str) -> str:
    """Return a fault in one line of at most 300 characters."""
    text = detail if detail.startswith(kind) else f"{kind}: {detail}"
    return " ".join(text.split())[:300]
