"""The checkout pusher: sends the user to the till and offers to pay, whatever was said."""

from __future__ import annotations

from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.dialogue.acts import AssistantMessage, Goal, Suggestion
from supermarket_env.dialogue.view import AssistantView


class CheckoutPusher:
    """Offers checkout every turn with the way there; what pushing costs."""

    name = "checkout_pusher"

    def __init__(self) -> None:
        self._shelf: Shelf
        self._words: Words

    def start(self, view: AssistantView) -> None:
        """Take the map."""
        self._shelf = shelf_of(view.catalogue, view.store)
        self._words = Words(self._shelf)

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the offer to pay with the next step towards the nearest checkout."""
        step = self._shelf.step_to_checkout(view.node)
        suggest = Suggestion(type="move", arg=step) if step else Suggestion(type="checkout")
        goal = Goal(kind="landmark", id=view.store.node_ids[self._shelf.checkout[view.node]]) if step else None
        text = f"{self._words.checkout(view.turn)} {self._words.way(goal, suggest)}"
        return AssistantMessage(act="offer_checkout", text=text, suggest=suggest, goal=goal)
