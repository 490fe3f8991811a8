"""Two probes that repeat: one until the user says yes, one what the user has chosen already."""

from __future__ import annotations

from supermarket_env.agents.retrieval import Retrieval
from supermarket_env.agents.shelf import shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.dialogue.acts import SILENT, AssistantMessage
from supermarket_env.dialogue.view import AssistantView

_AGAIN_AFTER = 3
"""Turns after which the cart is shown once more though nothing has changed."""


class RepeatUntilYes:
    """Shows the honest first list for a need and shows it again, unchanged, every turn until something is accepted."""

    name = "repeat_until_yes"

    def __init__(self) -> None:
        self._retrieval = Retrieval()
        self._lists: dict[int, AssistantMessage] = {}

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        self._retrieval.start(view)
        self._lists = {}

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the list for the need mentioned first that has no yes yet."""
        fresh = self._retrieval.reply(view)
        if fresh.items:
            self._lists.setdefault(fresh.need, fresh)
        for need in view.heard:
            if need.accepted is None and not need.closed and need.ordinal in self._lists:
                return self._lists[need.ordinal]
        return SILENT


class ReRecommender:
    """Recommends what lies in the cart: lists of things that are bought for certain and help nobody."""

    name = "re_recommender"

    def __init__(self) -> None:
        self._words: Words
        self._seen: tuple[str, ...] = ()
        self._shown_at = 0
        self._times = 0

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        self._words = Words(shelf_of(view.catalogue, view.store))
        self._seen, self._shown_at, self._times = (), 0, 0

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the cart as a list when it has changed or was not shown for a while, its order turned on."""
        cart = tuple(line.product for line in view.cart)[-10:]
        if not cart or (cart == self._seen and view.turn - self._shown_at < _AGAIN_AFTER):
            return SILENT
        self._seen, self._shown_at = cart, view.turn
        self._times += 1
        turn = self._times % len(cart)
        items = cart[turn:] + cart[:turn]
        return AssistantMessage(act="recommend", items=items, text=self._words.popular(items))
