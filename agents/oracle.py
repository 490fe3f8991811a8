"""The oracle: told the truth, it recommends the best cart need by need. A ceiling, not a competitor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from supermarket_env.agents.hearing import latest_response
from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.dialogue.acts import AssistantAct, AssistantMessage, Goal, Suggestion, UserResponse
from supermarket_env.dialogue.view import AssistantView
from supermarket_env.errors import ConfigError

_OFFERS_PER_PRODUCT = 4


@dataclass(slots=True)
class _Target:
    """One line of the best cart."""

    product: str
    qty: int
    need: str
    others: tuple[str, ...]
    """Further acceptable products of the need, best first."""
    offers: int = 0
    offered_at: int = -100
    accepted: bool = False
    done: bool = False
    section: int = -1


class Oracle:
    """Offers each product of the best cart in a list of its own, walks the user from shelf to shelf, then to the till.

    It must be started by :meth:`start_privileged`. It never asks; the truth it gets is the log's ``truth`` object.
    """

    name = "oracle"

    def __init__(self) -> None:
        self._shelf: Shelf
        self._words: Words
        self._targets: list[_Target] = []
        self._goal = ""
        self._goal_turn = -100

    def start(self, view: AssistantView) -> None:
        """Refuse: without the truth there is no oracle.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError("the oracle is privileged: start it with start_privileged(view, truth)")

    def start_privileged(self, view: AssistantView, truth: Mapping[str, Any]) -> None:
        """Begin an episode with the hidden truth of the task (``best_cart``, ``acceptable``).

        Where stock changes during the trip it goes for the best of what stays on the shelf (``lasting_cart``), and
        where the map is out of date for where things truly stand (``homes``).
        """
        self._shelf = shelf_of(view.catalogue, view.store)
        self._words = Words(self._shelf)
        self._goal, self._goal_turn = "", -100
        self._targets = []
        acceptable = truth["acceptable"]
        self._homes: Mapping[str, str] = truth.get("homes", {})
        places = view.store.layout.section_numbers
        for product, qty in truth.get("lasting_cart", truth["best_cart"]):
            need = next((key for key, products in acceptable.items() if product in products), "")
            others = tuple(p for p in acceptable.get(need, ()) if p != product)
            home = places.get(self._homes.get(product, ""), -1)  # given where the map is out of date
            section = home if home >= 0 else self._shelf.section_of_product(product)
            target = _Target(product, int(qty), need, others, section=section)
            self._targets.append(target)

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the next offer, the way to what was accepted, or the offer to pay."""
        response = latest_response(view)
        self._learn(view, response)
        node = view.node
        pending = [t for t in self._targets if not t.done]
        pending.sort(key=lambda t: self._shelf.way[node][t.section])
        return self._speak(view, response, pending) if pending else self._to_pay(view)

    def _learn(self, view: AssistantView, response: UserResponse) -> None:
        bought = {line.product: line.qty for line in view.cart}
        action, arg = view.last_action
        for target in self._targets:
            if bought.get(target.product, 0) >= target.qty or (action == "remove" and arg == target.product):
                target.done = True
            if response.act == "accept" and response.products[:1] == (target.product,):
                target.accepted = True
            elif response.act == "accept" and response.products and response.products[0] in target.others:
                target.accepted = False
            elif response.act == "complain" and target.product in response.products:
                target.accepted = False
                target.offers = min(target.offers, _OFFERS_PER_PRODUCT - 1)
                target.done = response.cause == "out_of_stock"

    def _speak(self, view: AssistantView, response: UserResponse, pending: list[_Target]) -> AssistantMessage:
        """Return the offer or answer that is due, with the way to the nearest product."""
        turn, node = view.turn, view.node
        aim = pending[0]
        act: AssistantAct = "guide"
        text = ""
        items: tuple[str, ...] = ()
        products: tuple[str, ...] = ()
        attribute = ""
        if response.act == "ask" and response.products:
            act, products, attribute = "inform", response.products[:1], response.attribute or "price"
            text = self._words.inform(view.catalogue.product(products[0]), attribute)
        elif response.act in ("hesitate", "request_compare") and response.products:
            act, products = "confirm", response.products[:1]
            text = self._words.confirm(products[0], turn)
        else:
            due = self._due(pending, turn)
            if due is not None:
                act, items = "recommend", self._items(due)
                kind = view.catalogue.product(due.product).product_type
                text = self._words.offer(kind, items, turn, again=due.offers > 0)
                due.offers += 1
                due.offered_at = turn
        goal, suggest = self._way(view, aim, node)
        way = self._words.way(goal, suggest)
        return AssistantMessage(
            act=act,
            text=f"{text} {way}" if text and way else text or way,
            need=response.need if products else 0,
            attribute=attribute,
            products=products,
            items=items,
            suggest=suggest,
            goal=goal,
        )

    def _due(self, pending: list[_Target], turn: int) -> _Target | None:
        """Return the nearest product that still has to be offered, None when all are accepted."""
        busy = set()
        for target in pending:
            if target.need in busy:
                continue
            # Two products for one need are offered one after the other: an accepted need hears no lists.
            busy.add(target.need)
            if target.accepted or target.offers >= _OFFERS_PER_PRODUCT or turn - target.offered_at < 2:
                continue
            return target
        return None

    def _items(self, target: _Target) -> tuple[str, ...]:
        """Return the product alone at first, later with another one below it, so that the list is a new one."""
        return (
            (target.product, *target.others[target.offers - 1 : target.offers]) if target.offers else (target.product,)
        )

    def _way(self, view: AssistantView, aim: _Target, node: int) -> tuple[Goal | None, Suggestion | None]:
        if self._shelf.touch[node][aim.section]:
            legal = aim.product in self._homes or view.is_legal("add", aim.product)
            return None, Suggestion(type="add", arg=aim.product, qty=aim.qty) if legal else None
        goal = None
        if self._goal != aim.product or view.turn - self._goal_turn >= 4 or view.response.act == "ask_where":
            self._goal, self._goal_turn = aim.product, view.turn
            home = self._homes.get(aim.product)
            goal = Goal(kind="section", id=home) if home else Goal(kind="product", id=aim.product)
        return goal, Suggestion(type="move", arg=self._shelf.step_to_section(node, aim.section))

    def _to_pay(self, view: AssistantView) -> AssistantMessage:
        step = self._shelf.step_to_checkout(view.node)
        suggest = Suggestion(type="move", arg=step) if step else Suggestion(type="checkout")
        goal = None
        till = view.store.node_ids[self._shelf.checkout[view.node]]
        if step and (self._goal != till or view.turn - self._goal_turn >= 4):
            self._goal, self._goal_turn = till, view.turn
            goal = Goal(kind="landmark", id=till)
        text = f"{self._words.checkout(view.turn)} {self._words.way(goal, suggest)}".strip()
        return AssistantMessage(act="offer_checkout", text=text, suggest=suggest, goal=goal)
