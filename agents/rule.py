"""The rule assistant: asks for what it lacks, recommends, explains, guides step by step, closes.

Each turn it says the first thing that is due, in this order: an answer the user waits for, an offer for something
sold out, another list after a rejection, what the shelf in reach calls for, the next question or list for the nearest
need, the question for further needs, the offer to pay. Whatever it says, the way to the nearest thing still to get
goes along with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from supermarket_env.agents.hearing import latest_response
from supermarket_env.agents.ranking import rank
from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.agents.rule_memory import Memory, NeedMemory
from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.dialogue.acts import AssistantAct, AssistantMessage, Goal, Suggestion, UserResponse
from supermarket_env.dialogue.view import AssistantView, HeardNeed

_FAR = 1_000_000
_IDLE_BEFORE_CLOSING = 3
"""Turns with nothing to say after which an assistant that never asks takes the trip for finished."""


@dataclass(slots=True)
class _Speech:
    """The talking half of a message."""

    act: AssistantAct
    text: str = ""
    need: int = 0
    attribute: str = ""
    products: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    emotion: str = ""


@dataclass(slots=True)
class _Now:
    """What one turn's decisions read."""

    view: AssistantView
    node: int
    turn: int
    heard: Sequence[HeardNeed]
    response: UserResponse
    open: list[tuple[int, HeardNeed, NeedMemory, int]]
    """Needs still to get as (moves to its shelf, need, memory, section), nearest first; section -1 when unknown."""


class Rule:
    """The honest strong baseline; everything it knows was said, stands in the catalogue or is on the map.

    Args:
        config: Thresholds, as a :class:`RuleConfig` or a mapping of its fields.
        name: Name in logs and tables.

    Raises:
        ConfigError: A threshold is unknown or out of range.
    """

    def __init__(self, config: RuleConfig | Mapping[str, Any] | None = None, name: str = "rule") -> None:
        self.name = name
        self.config = RuleConfig.parse(config)
        self._shelf: Shelf
        self._words: Words
        self._memory: Memory

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        self._shelf = shelf_of(view.catalogue, view.store)
        self._words = Words(self._shelf)
        self._memory = Memory(self._shelf, self.config)

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the message of this turn."""
        heard = view.heard
        response = latest_response(view)
        memory = self._memory
        memory.learn(view, heard, response)
        now = _Now(view, view.node, view.turn, heard, response, [])
        now.open = self._open_needs(now)
        speech = (
            self._explain(now)
            or self._replace_sold_out(now)
            or self._listen(now)
            or self._list_again(now)
            or self._at_shelf(now)
            or self._next_topic(now)
            or self._ask_for_more(now)
            or self._close(now)
            or _Speech("acknowledge" if memory.annoyed else "guide", emotion="annoyed" if memory.annoyed else "")
        )
        message = self._with_way(now, speech)
        memory.last = message
        return message

    # --- what is still to get ---------------------------------------------------------------------------------------

    def _open_needs(self, now: _Now) -> list[tuple[int, HeardNeed, NeedMemory, int]]:
        found = []
        for need in now.heard:
            memo = self._memory.of(need.ordinal)
            if need.closed or memo.dropped:
                continue
            section = self._section(now.node, need)
            found.append((self._shelf.way[now.node][section] if section >= 0 else _FAR, need, memo, section))
        if len(found) > 1:
            found.sort(key=lambda entry: (entry[0], entry[1].ordinal))
        return found

    def _section(self, node: int, need: HeardNeed) -> int:
        if need.accepted is not None:
            return self._shelf.section_of_product(need.accepted)
        kind = self._shelf.type_number.get(need.product_type or "", -1)
        return self._shelf.section_of_type(node, kind) if kind >= 0 else -1

    # --- talking ----------------------------------------------------------------------------------------------------

    def _explain(self, now: _Now) -> _Speech | None:
        """Answer a question about a product, compare, or advise who hesitates."""
        response, words = now.response, self._words
        products = tuple(p for p in response.products if p in self._shelf.catalogue.by_id)
        if not self.config.explain or not products:
            return None
        catalogue = self._shelf.catalogue
        if response.act == "ask":
            field = response.attribute or "price"
            text = words.inform(catalogue.product(products[0]), field)
            return _Speech("inform", text, response.need, field, products[:1])
        if response.act == "request_compare" and len(products) > 1:
            field = response.attribute or "price"
            text = words.compare([catalogue.product(p) for p in products], field)
            return _Speech("compare", text, response.need, field, products)
        if response.act in ("hesitate", "request_compare"):
            return _Speech("confirm", words.confirm(products[0], now.turn), response.need, products=products[:1])
        return None

    def _replace_sold_out(self, now: _Now) -> _Speech | None:
        for _, need, memo, _ in now.open:
            if memo.sold_out and need.accepted is None:
                return self._list(now, need, memo, substitute=True)
        return None

    def _listen(self, now: _Now) -> _Speech | None:
        """Say nothing new while the user stands idle before what it chose: it may have something to say about it."""
        for way, need, memo, _ in now.open:
            if way > 0:
                break
            if need.accepted is not None and memo.waits >= self.config.listen_after:
                memo.waits = 0
                return _Speech("guide")
        return None

    def _list_again(self, now: _Now) -> _Speech | None:
        """Another list after a rejection, or for something the user could not find."""
        for _, need, memo, _ in now.open:
            if memo.turned_down and need.accepted is None and not memo.settled:
                memo.turned_down = False
                return self._list(now, need, memo)
        return None

    def _at_shelf(self, now: _Now) -> _Speech | None:
        """The user stands where it has to choose: time for a list."""
        for way, need, memo, _ in now.open:
            if way > 0:
                break
            if need.accepted is None and not memo.settled and (memo.looked or memo.asked) and memo.lists == 0:
                return self._list(now, need, memo)
        return None

    def _next_topic(self, now: _Now) -> _Speech | None:
        """The next question or list for the nearest need that lacks one."""
        for way, need, memo, _ in now.open:
            if need.accepted is not None or memo.settled or (memo.lists > 0 and not self.config.paging):
                continue
            speech = self._question(now, need, memo, way) or self._list(now, need, memo)
            if speech is not None:
                return speech
        return None

    def _question(self, now: _Now, need: HeardNeed, memo: NeedMemory, way: int) -> _Speech | None:
        config = self.config
        if not config.ask or memo.lists or now.turn < self._memory.hush_until:
            return None
        thing = need.product_type or need.department or "list"
        if need.product_type is None:
            attribute = "product_type" if "product_type" not in memo.asked else ""
        elif memo.told_all or len(memo.asked) >= config.questions_per_need or (way == 0 and memo.asked):
            attribute = ""
        else:
            attribute = next((a for a in config.questions if a not in memo.asked and not _known(need, a)), "")
        if not attribute:
            return None
        memo.asked.append(attribute)
        return _Speech("ask", self._words.ask(thing, attribute, now.turn), need.ordinal, attribute)

    def _list(self, now: _Now, need: HeardNeed, memo: NeedMemory, *, substitute: bool = False) -> _Speech | None:
        config = self.config
        if not config.recommend or need.product_type is None or memo.lists >= config.lists_per_need:
            return None
        items = self._ranked(now, need, memo)
        if not items:
            return None
        memo.lists += 1
        if config.paging:
            memo.excluded.update(items)
        if substitute:
            text = self._words.substitute(need.product_type, items, now.turn)
        else:
            text = self._words.offer(need.product_type, items, now.turn, again=memo.lists > 1)
        return _Speech("recommend", text, need.ordinal, items=items)

    def _ranked(self, now: _Now, need: HeardNeed, memo: NeedMemory) -> tuple[str, ...]:
        """Return the products of the next list, best first; empty when there are none left."""
        return rank(
            self._shelf,
            need,
            self.config.weights,
            wishes=memo.wishes,
            excluded=memo.excluded.union(need.rejected),
            thrift=self._memory.thrift,
            count=self.config.list_length,
        )

    def _ask_for_more(self, now: _Now) -> _Speech | None:
        memory, config = self._memory, self.config
        if not (config.ask and config.ask_for_more) or memory.all_told or now.turn < memory.hush_until:
            return None
        if memory.last.act == "ask" and memory.last.need == 0 and now.response.act != "answer":
            return None
        return _Speech("ask", self._words.ask_for_more(now.turn), attribute="anything")

    def _close(self, now: _Now) -> _Speech | None:
        """Offer to pay when everything that was mentioned is got or given up."""
        memory = self._memory
        if any(not memo.lost for _, _, memo, _ in now.open) or not now.view.cart:
            memory.idle = 0
            return None
        memory.idle += 1
        if not memory.all_told and (self.config.ask or memory.idle < _IDLE_BEFORE_CLOSING):
            return None
        return _Speech("offer_checkout", self._words.checkout(now.turn))

    # --- the way ----------------------------------------------------------------------------------------------------

    def _with_way(self, now: _Now, speech: _Speech) -> AssistantMessage:
        """Return the message with goal and suggestion added."""
        goal: Goal | None = None
        suggest: Suggestion | None = None
        section = -1
        if self.config.guide:
            if speech.act == "offer_checkout":
                goal, suggest = self._way_to_pay(now)
            else:
                goal, suggest, section = self._way_to_need(now)
        act: AssistantAct = speech.act
        text = speech.text
        if act == "guide" and goal is None and suggest is None:
            act = "chat"
        if act == "acknowledge":
            text = self._words.sorry(now.turn)
        way = self._words.way(goal, suggest, section)
        return AssistantMessage(
            act=act,
            text=f"{text} {way}" if text and way else text or way,
            need=speech.need,
            attribute=speech.attribute,
            products=speech.products,
            emotion=speech.emotion,
            items=speech.items,
            suggest=suggest,
            goal=goal,
        )

    def _way_to_pay(self, now: _Now) -> tuple[Goal | None, Suggestion]:
        self._memory.aim = 0
        step = self._shelf.step_to_checkout(now.node)
        if not step:
            return None, Suggestion(type="checkout")
        till = now.view.store.node_ids[self._shelf.checkout[now.node]]
        return self._goal(now, Goal(kind="landmark", id=till), asked=False), Suggestion(type="move", arg=step)

    def _way_to_need(self, now: _Now) -> tuple[Goal | None, Suggestion | None, int]:
        """Return goal, suggestion and the goal's section for the need asked for, or else the nearest."""
        memory = self._memory
        memory.aim = 0
        asked = now.response.need if now.response.act == "ask_where" else 0
        chosen = None
        for entry in now.open:
            _, need, memo, section = entry
            if section < 0 or (memo.lost and need.accepted is None) or memo.quiet_until > now.turn:
                continue
            if need.ordinal == asked:
                chosen = entry
                break
            chosen = chosen or entry
        if chosen is None:
            return None, None, -1
        way, need, memo, section = chosen
        memory.aim = need.ordinal
        goal = None
        if not memo.settled:
            target = (
                Goal(kind="product", id=need.accepted)
                if need.accepted is not None
                else Goal(kind="category", id=need.product_type or "")
            )
            goal = self._goal(now, target, asked=need.ordinal == asked) if way > 0 or need.ordinal == asked else None
        if way > 0:
            step = self._shelf.step_to_section(now.node, section)
            return goal, Suggestion(type="move", arg=step), section
        return goal, self._shelf_hint(now, need, memo, section), section

    def _goal(self, now: _Now, goal: Goal, *, asked: bool) -> Goal | None:
        """Return the goal unless it was named a moment ago."""
        memory = self._memory
        if goal.id == memory.goal and now.turn - memory.goal_turn < self.config.goal_gap and not asked:
            return None
        memory.goal, memory.goal_turn = goal.id, now.turn
        return goal

    def _shelf_hint(self, now: _Now, need: HeardNeed, memo: NeedMemory, section: int) -> Suggestion | None:
        if not self.config.shelf_hints:
            return None
        if need.accepted is not None:
            # Without the quantity a hint to take one would cut a larger need short.
            if memo.hints < 2 and (need.quantity or memo.told_all) and now.view.is_legal("add", need.accepted):
                memo.hints += 1
                return Suggestion(type="add", arg=need.accepted, qty=need.quantity or 1)
            return None
        if memo.settled or memo.sold_out:
            return None
        return Suggestion(type="look", arg=now.view.store.section_ids[section])


def _known(need: HeardNeed, attribute: str) -> bool:
    """Return whether an attribute of a need was already said or is of no matter."""
    if attribute in need.no_preference:
        return True
    if attribute == "anything":
        return False
    if attribute in ("diet", "allergy"):
        return bool(getattr(need, attribute))
    if attribute in ("brand", "size", "quantity", "price_limit", "product_type"):
        return getattr(need, attribute) is not None
    return attribute in need.wanted or attribute in need.unwanted
