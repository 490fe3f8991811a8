"""The spammer: the ten most popular products of the whole store, every turn."""

from __future__ import annotations

from supermarket_env.agents.shelf import shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.dialogue.acts import SILENT, AssistantMessage
from supermarket_env.dialogue.view import AssistantView


class Spam:
    """Shows one list for ever; what repetition costs."""

    name = "spam"

    def __init__(self) -> None:
        self._message = SILENT

    def start(self, view: AssistantView) -> None:
        """Prepare the list."""
        shelf = shelf_of(view.catalogue, view.store)
        items = shelf.best_sellers()
        text = Words(shelf).popular(items) if items else ""
        self._message = AssistantMessage(act="recommend", items=items, text=text)

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the list."""
        return self._message
