"""The retrieval assistant: a text search on what the user said, and directions when asked where."""

from __future__ import annotations

from supermarket_env.agents.hearing import latest_response
from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.dialogue.acts import SILENT, AssistantMessage, Goal, Suggestion, UserResponse
from supermarket_env.dialogue.view import AssistantView, HeardNeed
from supermarket_env.errors import ConfigError


class Retrieval:
    """Searches the catalogue with the user's words and shows what fits best within the type.

    One list a need when its type is said, another after a rejection (without what was turned down). Asks nothing,
    keeps nothing in mind but the words; a question for the way is answered with the goal and the next move.
    """

    name = "retrieval"

    def __init__(self, list_length: int = 5) -> None:
        if not 1 <= list_length <= 10:
            raise ConfigError(f"retrieval: list_length must be in 1..10, got {list_length!r}")
        self._length = list_length
        self._shelf: Shelf
        self._words: Words
        self._said: dict[int, str] = {}
        self._listed: dict[int, str] = {}

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        self._shelf = shelf_of(view.catalogue, view.store)
        self._words = Words(self._shelf)
        self._said = {}
        self._listed = {}

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return directions, a list, or nothing."""
        heard = view.heard
        response = latest_response(view)
        self._note(response)
        if response.act == "ask_where":
            answer = self._directions(view, response)
            if answer is not None:
                return answer
        if response.act == "reject" and 1 <= response.need <= len(heard):
            need = heard[response.need - 1]
            if need.accepted is None and not need.closed and response.reason != "have_it_already":
                return self._list(view, need, again=True)
        for need in heard:
            open_now = need.accepted is None and not need.closed and need.product_type is not None
            if open_now and self._listed.get(need.ordinal) != need.product_type:
                return self._list(view, need, again=False)
        return SILENT

    def _note(self, response: UserResponse) -> None:
        """Keep the words that name a need: they are the query."""
        for fact in response.facts:
            self._said[fact.need] = f"{self._said.get(fact.need, '')} {_words_of(fact.attribute, fact.value)}".strip()

    def _list(self, view: AssistantView, need: HeardNeed, *, again: bool) -> AssistantMessage:
        kind = need.product_type
        if kind is None:
            return SILENT
        self._listed[need.ordinal] = kind
        query = self._said.get(need.ordinal, "") or kind
        wanted = self._length + len(need.rejected)
        home = self._shelf.home
        found = view.catalogue.search(query, wanted + self._length, product_type=kind)
        ids = view.catalogue.ids
        items = tuple(ids[p] for p in found if home[p] >= 0 and ids[p] not in need.rejected)[: self._length]
        if not items:
            return SILENT
        text = self._words.offer(kind, items, need.ordinal, again=again)
        return AssistantMessage(act="recommend", need=need.ordinal, items=items, text=text)

    def _directions(self, view: AssistantView, response: UserResponse) -> AssistantMessage | None:
        goal: Goal | None = None
        section = -1
        if response.products:
            section = self._shelf.section_of_product(response.products[0])
            goal = Goal(kind="product", id=response.products[0])
        elif response.category in self._shelf.type_number:
            section = self._shelf.section_of_type(view.node, self._shelf.type_number[response.category])
            goal = Goal(kind="category", id=response.category)
        if goal is None or section < 0:
            return None
        step = self._shelf.step_to_section(view.node, section)
        suggest = Suggestion(type="move", arg=step) if step else None
        return AssistantMessage(
            act="guide", need=response.need, goal=goal, suggest=suggest, text=self._words.way(goal, suggest, section)
        )


def _words_of(attribute: str, value: object) -> str:
    """Return the search words of one fact: names as they are, a wished attribute by its name."""
    if value is None or value is False or attribute in ("quantity", "price_limit", "department", "allergy"):
        return ""
    if value is True:
        return attribute.replace("_", " ")
    if isinstance(value, tuple):
        return " ".join(str(v).replace("_", " ") for v in value)
    return str(value)
