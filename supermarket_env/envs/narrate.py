"""From the rows of a turn to what others read: the user's response with names, and the events of the log."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from supermarket_env.catalogue.schema import allergen_names, attribute_names
from supermarket_env.dialogue.acts import SILENT, AssistantMessage, Fact, Goal, Suggestion, UserResponse
from supermarket_env.rules import codes
from supermarket_env.tasks.prepare import reveal_name
from supermarket_env.world import World

Event = dict[str, Any]

NOTHING_SAID = UserResponse(act="chat")
KEPT_ACTIONS = 16384


def short(x: float) -> float:
    """Return ``x`` with at most 9 significant digits, as the log holds floats.

    >>> short(0.1 + 0.2), short(-0.0)
    (0.3, 0.0)
    """
    return float(f"{x:.9g}") if x else 0.0


_short_metres = lru_cache(maxsize=4096)(short)
"""A store has a handful of move lengths; moods in contrast are new numbers every turn."""


class Narrator:
    """Names for the numbers of one world."""

    def __init__(self, world: World) -> None:
        cat, store = world.catalogue, world.store
        self.world = world
        self.product = cat.ids
        self.type = [kind.name for kind in cat.types]
        self.department = cat.departments
        self.brand = cat.brands
        self.slot = world.slot_names
        self.node = store.node_ids
        self.section = store.section_ids
        self.price = [cents / 100.0 for cents in world.price_cents]
        self.args: dict[str, Any] = {"node": self.node, "section": self.section, "product": self.product}
        landmarks = store.landmarks
        self.visible = [
            [self.section[c] for c in range(store.n_sections) if store.visible[a, c]]
            + [self.node[b] for b in landmarks if store.sees_node[a, b]]
            for a in range(store.n_nodes)
        ]
        self._actions: dict[tuple[int, int, int], Event] = {}
        self._felt = self._felt_short = (0.0, 0.0)

    def value(self, slot: int, number: int) -> Any:
        """Return the named value of a fact; ``None`` for "no preference"."""
        if number == codes.NO_PREFERENCE:
            return None
        if slot == codes.S_TYPE:
            return self.type[number - 1]
        if slot == codes.S_DEPARTMENT:
            return self.department[number - 1]
        if slot == codes.S_BRAND:
            return self.brand[number - 1]
        if slot == codes.S_SIZE:
            return codes.SIZE_CLASSES[number]
        if slot == codes.S_QUANTITY:
            return number
        if slot == codes.S_PRICE_LIMIT:
            return number / 100.0
        if slot == codes.S_DIET:
            return tuple(sorted(attribute_names(number)))
        if slot == codes.S_ALLERGY:
            return tuple(sorted(allergen_names(number)))
        return True

    def facts(self, o: Any) -> tuple[Fact, ...]:
        """Return the facts of a response."""
        slots, value = self.slot, self.value
        told = zip(o.fact_need[: o.n_facts], o.fact_slot, o.fact_value, strict=False)
        return tuple([Fact(need, slots[slot], value(slot, number)) for need, slot, number in told])

    def response(self, o: Any) -> UserResponse:
        """Return the response of an outcome row, without words."""
        if o.act == codes.U_CHAT and not (o.need or o.n_facts or o.slot or o.category or o.reason or o.cause):
            return NOTHING_SAID
        return UserResponse(
            act=codes.USER_ACTS[o.act],
            need=o.need,
            facts=self.facts(o) if o.n_facts else (),
            attribute=self.slot[o.slot] if o.slot else "",
            products=tuple(self.product[p] for p in o.products if p >= 0) if o.products[0] >= 0 else (),
            category=self.type[o.category - 1] if o.category else "",
            reason=codes.REASONS[o.reason] if o.reason else "",
            cause=codes.CAUSES[o.cause] if o.cause else "",
        )

    def action(self, action: int, arg: int, qty: int) -> Event:
        """Return ``{type, params}`` of an action; equal actions share one object, which is not to be changed."""
        key = (action, arg, qty)
        found = self._actions.get(key)
        if found is None:
            if len(self._actions) >= KEPT_ACTIONS:
                self._actions.clear()
            found = self._actions[key] = self._action(action, arg, qty)
        return found

    def action_pair(self, action: int, arg: int) -> tuple[str, str]:
        """Return (type, id of its parameter) of an action."""
        param = codes.ACTION_PARAM[action]
        return codes.ACTIONS[action], self.args[param][arg] if param else ""

    def _action(self, action: int, arg: int, qty: int) -> Event:
        param = codes.ACTION_PARAM[action]
        if not param:
            return {"type": codes.ACTIONS[action], "params": {}}
        params: dict[str, Any] = {param: self.args[param][arg]}
        if codes.ACTION_HAS_QTY[action]:
            params["qty"] = qty
        return {"type": codes.ACTIONS[action], "params": params}

    def assistant_event(self, turn: int, m: Any, o: Any, text: str) -> Event:
        """Return the ``assistant`` event of a message row."""
        if not (m.act or m.need or m.slot) and m.products[0] < 0:
            return {"k": "assistant", "turn": turn, "act": codes.ASSISTANT_ACTS[0], "slots": {}, "text": text}
        event: Event = {"k": "assistant", "turn": turn, "act": codes.ASSISTANT_ACTS[m.act]}
        slots: dict[str, Any] = {}
        if m.need:
            slots["need"] = m.need
        if m.slot:
            slots["attribute"] = self.slot[m.slot]
        if m.products[0] >= 0:
            slots["products"] = [self.product[p] for p in m.products if p >= 0]
        if m.act == codes.A_INFORM and o.claim >= 0:
            said = self.field_value(m.slot, m.value)
            slots["value"] = said
            event["claims"] = [
                {
                    "kind": self.slot[m.slot],
                    "product": self.product[m.products[0]],
                    "said": said,
                    "true": o.claim == 1,
                }
            ]
        event["slots"] = slots
        event["text"] = text
        return event

    def message(self, m: Any, text: str) -> AssistantMessage:
        """Return a message row as a message (the numeric door's counterpart of ``Decoder.decode``)."""
        if not (text or m.act or m.n_items or m.sug_type or m.goal_kind):
            return SILENT
        suggest = None
        if m.sug_type:
            param = codes.ACTION_PARAM[m.sug_type]
            arg = self.args[param][m.sug_arg] if param else ""
            suggest = Suggestion.model_construct(type=codes.ACTIONS[m.sug_type], arg=arg, qty=max(1, m.sug_qty))  # type: ignore[arg-type]
        goal = None
        if m.goal_kind:
            kind, name = self.goal_name(m)
            goal = Goal.model_construct(kind=kind, id=name)  # type: ignore[arg-type]
        return AssistantMessage.model_construct(
            act=codes.ASSISTANT_ACTS[m.act],
            text=text,
            need=m.need,
            attribute=self.slot[m.slot] if m.slot else "",
            products=tuple(self.product[p] for p in m.products if p >= 0),
            items=tuple(self.product[p] for p in m.items[: m.n_items]),
            suggest=suggest,
            goal=goal,
        )

    def field_value(self, slot: int, number: int) -> Any:
        """Return the named value of a product field (the inverse of ``Decoder.number_of``)."""
        if slot == codes.S_PRICE:
            return number / 100.0
        if slot == codes.S_UNIT_PRICE:
            return number / 1000.0
        if slot == codes.S_QUALITY:
            return round(1.0 + 4.0 * number / 100.0, 2)
        if slot == codes.S_ALLERGENS:
            return sorted(allergen_names(number))
        if slot in (codes.S_BRAND, codes.S_TYPE, codes.S_PLACE):
            names: Any = {codes.S_BRAND: self.brand, codes.S_TYPE: self.type, codes.S_PLACE: self.section}[slot]
            return names[number] if 0 <= number < len(names) else None
        if slot == codes.S_SIZE:
            return codes.SIZE_CLASSES[number]
        return bool(number)

    def suggest_event(self, turn: int, m: Any, o: Any) -> Event:
        """Return the ``suggest`` event of a message row."""
        event: Event = {
            "k": "suggest",
            "turn": turn,
            "action": self.action(m.sug_type, m.sug_arg, m.sug_qty),
            "legal": o.sug_legal == 1,
        }
        if o.has_progress:
            event["progress"] = short(o.progress)
        return event

    def goal_event(self, turn: int, m: Any, o: Any, said: Any) -> Event:
        """Return the ``goal`` event; ``said`` is the goal as the assistant wrote it (kind, id)."""
        kind, name = said
        event: Event = {"k": "goal", "turn": turn, "goal": f"{kind}:{name}"}
        if o.goal_section >= 0:
            event["target"] = self.section[o.goal_section]
        elif o.goal_node >= 0:
            event["target"] = self.node[o.goal_node]
        else:
            event["target"] = name
            event["eligible"] = False
            return event
        if kind == "product":
            event["product"] = name
        event["eligible"] = True
        event["d_min"] = o.goal_moves
        event["relevant"] = o.goal_relevant == 1
        return event

    def goal_name(self, m: Any) -> tuple[str, str]:
        """Return (kind, id) of the goal in a message row."""
        kind = codes.GOAL_KINDS[m.goal_kind]
        if m.goal_id < 0:
            return kind, ""
        names: Any = {
            codes.G_SECTION: self.section,
            codes.G_PRODUCT: self.product,
            codes.G_CATEGORY: self.type,
            codes.G_LANDMARK: self.node,
        }[m.goal_kind]
        return kind, names[m.goal_id]

    def user_slots(self, response: UserResponse) -> dict[str, Any]:
        """Return the slots of a response as the log holds them."""
        slots: dict[str, Any] = {}
        if response.need:
            slots["need"] = response.need
        if response.facts:
            slots["facts"] = [
                {
                    "need": f.need,
                    "attribute": f.attribute,
                    "value": list(f.value) if type(f.value) is tuple else f.value,
                }
                for f in response.facts
            ]
        for name in ("attribute", "category", "reason", "cause"):
            value = getattr(response, name)
            if value:
                slots[name] = value
        if response.products:
            slots["products"] = list(response.products)
        return slots

    def reveals(self, o: Any) -> list[str]:
        """Return ``"<need id>.<name>"`` of the facts told for the first time."""
        return [
            f"{o.fact_id[k]}.{reveal_name(o.fact_slot[k])}"
            for k in range(o.n_facts)
            if o.fact_new[k] == 1 and o.fact_value[k] != codes.NO_PREFERENCE
        ]

    def user_event(self, turn: int, o: Any, response: UserResponse, text: str) -> Event:
        """Return the ``user`` event of a turn."""
        action = self.action(o.action, o.arg, o.qty)
        trust, irritation = self._mood(o.trust, o.irritation)
        event: Event
        if o.would == o.action and o.would_arg == o.arg and o.would_qty == o.qty:
            event = {
                "k": "user",
                "turn": turn,
                "act": response.act,
                "slots": {} if response is NOTHING_SAID else self.user_slots(response),
                "text": text,
                "action": action,
                "legal": True,
                "would": action,
                "path_m": _short_metres(o.metres),
                "trust": trust,
                "irritation": irritation,
            }
        else:
            event = {
                "k": "user",
                "turn": turn,
                "act": response.act,
                "slots": self.user_slots(response),
                "text": text,
                "action": action,
                "legal": True,
            }
            if o.would:
                event["would"] = self.action(o.would, o.would_arg, o.would_qty)
            event["path_m"] = _short_metres(o.metres)
            event["trust"], event["irritation"] = trust, irritation
        if o.n_facts:
            event["reveals"] = self.reveals(o)
        return event

    def _mood(self, trust: float, irritation: float) -> tuple[float, float]:
        """Return both as the log holds them; most turns leave them as they were."""
        if (trust, irritation) != self._felt:
            self._felt = trust, irritation
            self._felt_short = short(trust), short(irritation)
        return self._felt_short

    def cart_event(self, turn: int, o: Any) -> Event:
        """Return the ``cart`` event of an add or remove."""
        return {
            "k": "cart",
            "turn": turn,
            "op": "add" if o.cart_op == 1 else "remove",
            "sku": self.product[o.cart_p],
            "qty": o.cart_q,
            "price": self.price[o.cart_p],
            "why": codes.WHYS[o.cart_why],
        }
