"""The popularity assistant: best sellers of the product type said last, nothing personal."""

from __future__ import annotations

from supermarket_env.agents.hearing import latest_response
from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.dialogue.acts import SILENT, AssistantMessage
from supermarket_env.dialogue.view import AssistantView, HeardNeed

LIST_LENGTH = 10


class Popularity:
    """Shows the top ten within the last product type said: once a type, and again only after a rejection.

    Rejected products leave the list, so that the second list is another one. Silent before a type is said.
    """

    name = "popularity"

    def __init__(self) -> None:
        self._shelf: Shelf
        self._words: Words
        self._known: dict[int, str] = {}

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        self._shelf = shelf_of(view.catalogue, view.store)
        self._words = Words(self._shelf)
        self._known = {}

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return a list when a new type was said or a list turned down, else the empty message."""
        heard = view.heard
        said: HeardNeed | None = None
        for need in heard:
            if need.product_type is not None and self._known.get(need.ordinal) != need.product_type:
                self._known[need.ordinal] = need.product_type
                said = need
        if said is not None:
            return self._list(said, again=False)
        response = latest_response(view)
        if response.act == "reject" and 1 <= response.need <= len(heard):
            need = heard[response.need - 1]
            if need.product_type is not None and need.accepted is None and not need.closed:
                return self._list(need, again=True)
        return SILENT

    def _list(self, need: HeardNeed, *, again: bool) -> AssistantMessage:
        kind = need.product_type
        if kind is None or kind not in self._shelf.type_number:
            return SILENT
        number = self._shelf.type_number[kind]
        gone = set(need.rejected)
        items = tuple(g.id for g in self._shelf.popular(number) if g.id not in gone)[:LIST_LENGTH]
        if not items:
            return SILENT
        text = self._words.offer(kind, items, need.ordinal, again=again)
        return AssistantMessage(act="recommend", need=need.ordinal, items=items, text=text)
