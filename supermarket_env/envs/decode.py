"""From an assistant's message to the row the rules read; what does not fit is dropped and named.

The usable parts of a message are kept: an unknown product leaves the list, a list is cut at ten, an unknown goal is no
goal. A message with anything dropped is a faulty one (one fault a message, all reasons in its detail).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from supermarket_env.catalogue.schema import ALLERGENS
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.dialogue.consistency import clean_text
from supermarket_env.errors import nearest
from supermarket_env.rules import codes
from supermarket_env.world import World

ACT_CODE = {name: k for k, name in enumerate(codes.ASSISTANT_ACTS)}
ACTION_CODE = {name: k for k, name in enumerate(codes.ACTIONS)}
GOAL_CODE = {name: k for k, name in enumerate(codes.GOAL_KINDS)}


class Decoded(NamedTuple):
    """A message as shown: cleaned text, the kept items, and what was wrong with it."""

    text: str
    items: tuple[str, ...]
    fault: str
    """Kind of the fault, empty for none."""
    detail: str


NOTHING = Decoded("", (), "", "")


class Decoder:
    """Turns messages into rows for one world."""

    def __init__(self, world: World) -> None:
        self.products = world.catalogue.by_id
        self.nodes = world.store.layout.node_numbers
        self.sections = world.store.layout.section_numbers
        self.types = {kind.name: t for t, kind in enumerate(world.catalogue.types)}
        self.brands = {name: k for k, name in enumerate(world.catalogue.brands)}
        self.slots = {name: k for k, name in enumerate(world.slot_names)}
        self.world = world

    def decode(self, message: AssistantMessage, m: Any) -> Decoded:
        """Fill row ``m`` from ``message``; returns what is shown and what was dropped."""
        wrong: list[tuple[str, str]] = []
        clear_message(m)
        m.act = ACT_CODE[message.act]
        m.need = message.need
        text = message.text
        if text:
            text, changed = clean_text(text)
            if changed:
                wrong.append(("bad_text", "control or non Latin-1 characters, or too long: cleaned and cut"))
        if message.attribute:
            slot = self.slots.get(message.attribute, 0)
            if slot == 0:
                wrong.append(("unknown_attribute", f"{message.attribute!r}.{nearest(message.attribute, self.slots)}"))
            m.slot = slot
        for k, product in enumerate(message.products[: codes.MAX_PRODUCTS]):
            number = self._product(product, wrong)
            m.products[k] = number
        if len(message.products) > codes.MAX_PRODUCTS:
            wrong.append(("too_many_products", f"{len(message.products)} product slots, at most {codes.MAX_PRODUCTS}"))
        items = self._items(message.items, m, wrong)
        if m.act == codes.A_INFORM:
            self._value(message, m, wrong)
        if message.suggest is not None:
            self._suggestion(message.suggest, m, wrong)
        if message.goal is not None:
            self._goal(message.goal, m, wrong)
        if not wrong:
            return Decoded(text, items, "", "")
        return Decoded(text, items, wrong[0][0], "; ".join(f"{kind}: {why}"[:300] for kind, why in wrong[:8]))

    def _product(self, product: str, wrong: list[tuple[str, str]]) -> int:
        number = self.products.get(product, -1)
        if number < 0:
            wrong.append(("unknown_product", f"{product!r:.80} is not in catalogue {self.world.catalogue.name!r}"))
        return number

    def _items(self, items: tuple[str, ...], m: Any, wrong: list[tuple[str, str]]) -> tuple[str, ...]:
        if not items:
            return ()
        if len(items) > codes.MAX_ITEMS:
            wrong.append(("too_many_items", f"{len(items)} items, at most {codes.MAX_ITEMS}"))
        kept: list[str] = []
        for product in items[: codes.MAX_ITEMS]:
            number = self._product(product, wrong)
            if number >= 0:
                m.items[len(kept)] = number
                kept.append(product)
        m.n_items = len(kept)
        return tuple(kept)

    def _suggestion(self, suggest: Any, m: Any, wrong: list[tuple[str, str]]) -> None:
        action = ACTION_CODE[suggest.type]
        param = codes.ACTION_PARAM[action]
        number = 0
        if param:
            table = {"node": self.nodes, "section": self.sections, "product": self.products}[param]
            number = table.get(suggest.arg, -1)
            if number < 0:
                wrong.append(("unknown_suggestion", f"{suggest.type} wants a {param} id, got {suggest.arg!r:.80}"))
                return
        m.sug_type = action
        m.sug_arg = number
        m.sug_qty = suggest.qty if codes.ACTION_HAS_QTY[action] else 0

    def _goal(self, goal: Any, m: Any, wrong: list[tuple[str, str]]) -> None:
        """An ordinary node or an unknown id stays a goal, but an ineligible one: it is logged, nobody can use it."""
        kind = GOAL_CODE[goal.kind]
        m.goal_kind = kind
        m.goal_id = -1
        if kind == codes.G_SECTION:
            m.goal_id = self.sections.get(goal.id, -1)
        elif kind == codes.G_PRODUCT:
            m.goal_id = self.products.get(goal.id, -1)
        elif kind == codes.G_CATEGORY:
            m.goal_id = self.types.get(goal.id, -1)
        else:
            number = self.nodes.get(goal.id, -1)
            if number in self.world.store.landmarks:
                m.goal_id = number
        if m.goal_id < 0:
            wrong.append(("unknown_goal", f"no {goal.kind} {goal.id!r:.80} in store {self.world.store.name!r}"))

    def _value(self, message: AssistantMessage, m: Any, wrong: list[tuple[str, str]]) -> None:
        """The stated value of ``inform`` as a number; without one the catalogue's opening value is stated."""
        p = m.products[0]
        if p < 0 or m.slot == 0:
            m.value = -1
            return
        if message.value is None:
            m.value = self.opening_value(p, m.slot)
            return
        try:
            m.value = self.number_of(m.slot, message.value)
        except (ValueError, TypeError, OverflowError):
            wrong.append(("bad_value", f"{message.value!r:.80} is no value of {message.attribute}"))
            m.value = -1

    def opening_value(self, p: int, slot: int) -> int:
        """Return the catalogue's number for a field of product ``p`` (stock as at opening), -1 when it has none."""
        prod = self.world.lists.prod[p]
        if slot == codes.S_STOCK:
            return 1 if prod.stock > 0 else 0
        if slot >= codes.SLOT_ATTRIBUTE:
            return int(((prod.attrs | prod.diets) >> (slot - codes.SLOT_ATTRIBUTE)) & 1)
        if slot == codes.S_QUALITY:
            return int(prod.quality * 100.0 + 0.5)
        fields = {
            codes.S_PRICE: "price",
            codes.S_UNIT_PRICE: "unit_price",
            codes.S_BRAND: "brand",
            codes.S_SIZE: "size_class",
            codes.S_TYPE: "typ",
            codes.S_ALLERGENS: "allergens",
            codes.S_PLACE: "section",
        }
        return int(getattr(prod, fields[slot])) if slot in fields else -1

    def number_of(self, slot: int, value: Any) -> int:
        """Return a stated value as the rules compare it.

        Raises:
            ValueError: the value does not belong to the slot.
        """
        if slot in (codes.S_PRICE, codes.S_UNIT_PRICE, codes.S_QUALITY):
            number = float(value)
            if not math.isfinite(number):
                raise ValueError("not finite")
            if slot == codes.S_PRICE:
                return round(number * 100)
            return round(number * 1000) if slot == codes.S_UNIT_PRICE else round((number - 1.0) / 4.0 * 100)
        if slot == codes.S_BRAND:
            return self.brands.get(str(value), -2)
        if slot == codes.S_SIZE:
            return codes.SIZE_CLASSES.index(str(value))
        if slot == codes.S_TYPE:
            return self.types.get(str(value), -2)
        if slot == codes.S_PLACE:
            return self.sections.get(str(value), -2)
        if slot == codes.S_ALLERGENS:
            names = [] if value in ("", "none") else str(value).replace(" ", "").split(",")
            return sum(1 << ALLERGENS.index(name) for name in names)
        if isinstance(value, bool) or value in (0, 1):
            return int(value)
        if isinstance(value, str) and value.lower() in ("yes", "no", "true", "false"):
            return 1 if value.lower() in ("yes", "true") else 0
        raise ValueError(f"{value!r} is neither yes nor no")


def clear_message(m: Any) -> None:
    """Make row ``m`` the silent message."""
    m.act = 0
    m.need = 0
    m.slot = 0
    m.value = -1
    m.products[0] = m.products[1] = m.products[2] = -1
    m.n_items = 0
    m.sug_type = 0
    m.sug_arg = 0
    m.sug_qty = 0
    m.goal_kind = 0
    m.goal_id = -1
