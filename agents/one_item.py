"""The one-item probe: one honest list for the first need, then nothing but the way to the till."""

from __future__ import annotations

from supermarket_env.agents.retrieval import Retrieval
from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.dialogue.acts import SILENT, AssistantMessage, Goal, Suggestion
from supermarket_env.dialogue.view import AssistantView

_PATIENCE = 12
"""Turns after the list before it pushes towards the till with an empty cart too."""


class OneItem:
    """Gets the user to buy one thing and pay: a purchase a trip, a short list hit, and needs left open."""

    name = "one_item"

    def __init__(self) -> None:
        self._retrieval = Retrieval()
        self._shelf: Shelf
        self._words: Words
        self._listed_at = 0

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        self._shelf = shelf_of(view.catalogue, view.store)
        self._words = Words(self._shelf)
        self._retrieval.start(view)
        self._listed_at = 0

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the one list, then the way to the product that was accepted, then the offer to pay."""
        if not self._listed_at:
            message = self._retrieval.reply(view)
            if message.items:
                self._listed_at = view.turn
                return message
            return SILENT
        accepted = next((need.accepted for need in view.heard if need.accepted is not None and not need.closed), None)
        if view.cart or view.turn - self._listed_at > _PATIENCE:
            return self._push(view)
        return SILENT if accepted is None else self._lead(view, accepted)

    def _lead(self, view: AssistantView, product: str) -> AssistantMessage:
        section = self._shelf.section_of_product(product)
        if section < 0:
            return SILENT
        step = self._shelf.step_to_section(view.node, section)
        goal = Goal(kind="product", id=product) if step else None
        suggest = Suggestion(type="move", arg=step) if step else Suggestion(type="add", arg=product)
        return AssistantMessage(act="guide", goal=goal, suggest=suggest, text=self._words.way(goal, suggest, section))

    def _push(self, view: AssistantView) -> AssistantMessage:
        step = self._shelf.step_to_checkout(view.node)
        suggest = Suggestion(type="move", arg=step) if step else Suggestion(type="checkout")
        text = f"{self._words.checkout(view.turn)} {self._words.way(None, suggest)}"
        return AssistantMessage(act="offer_checkout", text=text, suggest=suggest)
