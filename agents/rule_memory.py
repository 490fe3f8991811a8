"""What the rule assistant remembers of an episode: per need what it asked, showed and learned from the reactions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.agents.shelf import Shelf
from supermarket_env.dialogue.acts import AssistantMessage, UserResponse
from supermarket_env.dialogue.view import AssistantView, HeardNeed

_CALM_CAUSES = frozenset({"out_of_stock", "not_found", "over_budget"})


@dataclass(slots=True)
class NeedMemory:
    """One mentioned need."""

    ordinal: int
    wishes: tuple[str, ...] = ()
    """Wished attributes in the order they were said."""
    asked: list[str] = field(default_factory=list)
    told_all: bool = False
    """The user had nothing to add."""
    lists: int = 0
    turned_down: bool = False
    """The last list was rejected, so another one is welcome."""
    excluded: set[str] = field(default_factory=set)
    sold_out: bool = False
    """A stock-out was reported and nothing was accepted since."""
    settled: bool = False
    """The user has a product of its own choice."""
    lost: bool = False
    """The user gave up looking for it."""
    dropped: bool = False
    """Given up: put back, or the advice ignored for good."""
    looked: bool = False
    """The user looked at its shelf."""
    waits: int = 0
    """Turns in a row the user stood before the product it had accepted without taking it."""
    hints: int = 0
    """Times it was told to take the accepted product."""
    quiet_until: int = 0
    rests: int = 0


class Memory:
    """The episode so far, updated once a turn by :meth:`learn`."""

    def __init__(self, shelf: Shelf, config: RuleConfig) -> None:
        self._shelf = shelf
        self._config = config
        self._needs: list[NeedMemory] = []
        self.all_told = False
        """The user said that there is nothing else."""
        self.thrift = 1.0
        """Factor on the price weight."""
        self.hush_until = 0
        """No questions before this turn."""
        self.last = AssistantMessage()
        """The assistant's last message."""
        self.annoyed = False
        """The last response was a complaint about the assistant."""
        self._ignored = 0
        self.aim = 0
        """Ordinal of the need the user is led to, 0 for none."""
        self.aim_way = 0
        """Moves that were left to it when the last message was sent."""
        self.goal = ""
        """The goal named last, and when."""
        self.goal_turn = -100
        self.idle = 0
        """Turns in a row with nothing to say."""

    def of(self, ordinal: int) -> NeedMemory:
        """Return the memory of the n-th mentioned need, n >= 1."""
        while len(self._needs) < ordinal:
            self._needs.append(NeedMemory(len(self._needs) + 1))
        return self._needs[ordinal - 1]

    def learn(self, view: AssistantView, heard: Sequence[HeardNeed], response: UserResponse) -> None:
        """Take in the user's response and action to the last message."""
        for fact in response.facts:
            if fact.value is True and fact.need >= 1:
                memo = self.of(fact.need)
                if fact.attribute not in memo.wishes:
                    memo.wishes = (*memo.wishes, fact.attribute)
        for need in heard:
            # On the text track facts reach the belief without passing the response in the same form.
            memo = self.of(need.ordinal)
            if len(memo.wishes) < len(need.wanted):
                memo.wishes = (*memo.wishes, *sorted(need.wanted.difference(memo.wishes)))
        self._learn_answer(response)
        self.annoyed = False
        if response.act == "reject":
            self._learn_rejection(response)
        elif response.act == "accept" and response.need >= 1:
            memo = self.of(response.need)
            memo.sold_out = memo.lost = memo.turned_down = memo.settled = memo.dropped = False
            memo.waits = memo.hints = 0
        elif response.act == "complain":
            self._learn_complaint(view, response)
        self._learn_action(view, heard)

    def _learn_answer(self, response: UserResponse) -> None:
        last = self.last
        if last.act != "ask" or response.act != "answer":
            return
        if last.need == 0:
            self.all_told = not response.facts
        elif last.attribute == "anything" and not response.facts:
            self.of(last.need).told_all = True

    def _learn_rejection(self, response: UserResponse) -> None:
        if response.need < 1:
            if self.last.act == "recommend" and self.last.need >= 1:
                self.of(self.last.need).excluded.update(self.last.items)
            return
        memo = self.of(response.need)
        if response.reason == "have_it_already":
            memo.settled = True
            memo.sold_out = False
            return
        memo.turned_down = True
        items = self.last.items
        for product in response.products:
            memo.excluded.add(product)
            if product in items:
                # A list is read from the top and the best is named: what stands above it was no better.
                memo.excluded.update(items[: items.index(product)])
        if response.reason == "price":
            self.thrift *= 1.5

    def _learn_complaint(self, view: AssistantView, response: UserResponse) -> None:
        if response.cause not in _CALM_CAUSES:
            self.annoyed = True
            self.hush_until = view.turn + self._config.hush
        if response.need < 1:
            return
        memo = self.of(response.need)
        if response.cause == "out_of_stock":
            memo.excluded.update(response.products)
            memo.sold_out = True
            memo.settled = False
            memo.lists = 0
        elif response.cause == "not_found":
            memo.lost = True
            memo.turned_down = True

    def _learn_action(self, view: AssistantView, heard: Sequence[HeardNeed]) -> None:
        action, arg = view.last_action
        if action == "remove":
            self._put_back(arg, heard)
        elif action == "look":
            section = view.store.layout.section_numbers.get(arg, -1)
            for need in heard:
                kind = self._shelf.type_number.get(need.product_type or "", -1)
                if kind >= 0 and section in view.store.type_home_sections[kind]:
                    self.of(need.ordinal).looked = True
        for need in heard:
            if need.accepted is not None and not need.closed and self._shelf.touches(view.node, need.accepted):
                self.of(need.ordinal).waits += action == "wait"
        suggest = self.last.suggest
        if suggest is None or suggest.type != "move" or action != "move" or not self.aim:
            return
        if arg == suggest.arg:
            self._ignored = 0
            return
        self._ignored += 1
        if self._ignored >= self._config.ignored_moves:
            self._ignored = 0
            memo = self.of(self.aim)
            memo.rests += 1
            memo.quiet_until = view.turn + self._config.rest
            memo.dropped = memo.rests >= 2

    def _put_back(self, product: str, heard: Sequence[HeardNeed]) -> None:
        number = self._shelf.catalogue.by_id.get(product, -1)
        if number < 0:
            return
        kind = self._shelf.catalogue.types[self._shelf.type_of[number]].name
        for need in heard:
            if need.product_type == kind:
                self.of(need.ordinal).dropped = True
