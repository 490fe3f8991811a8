"""What a language model may choose from as the user, the form of its answer, and the turn the answer amounts to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from supermarket_env.dialogue.acts import Fact
from supermarket_env.envs.users import UserAction, UserSeat, UserTurn
from supermarket_env.llm.schema import record
from supermarket_env.rules import codes
from supermarket_env.tasks.task import Need

ABOUT_ITEM: Final = frozenset({"accept", "reject", "hesitate", "ask", "request_compare"})
ABOUT_NEED: Final = frozenset({"disclose", "answer"})
NEED_SLOTS: Final = ("product_type", "brand", "size", "quantity", "price_limit", "diet", "allergy", "wishes")
PRODUCT_SLOTS: Final = ("price", "quality", "allergens", "place")
NONE: Final = "none"


class Options(NamedTuple):
    """What is offered in one turn."""

    actions: tuple[UserAction, ...]
    labels: tuple[str, ...]
    items: tuple[str, ...]
    """Ids of the products the assistant shows or names, as they are numbered in the prompt."""


def options_of(seat: UserSeat, most: int) -> Options:
    """Return the actions offered: all that are not about goods first, then goods shown, carted or of a wanted kind.

    Args:
        seat: The user's seat.
        most: How many actions at most; with more the last goods are left out.
    """
    cat = seat.catalogue
    shown = tuple(dict.fromkeys(p for p in (*seat.message.items, *seat.message.products) if p in cat.by_id))[:10]
    hint = seat.message.suggest
    wanted = {name for n in seat.open_needs for name in seat.needs[n - 1].types}
    plain: list[UserAction] = []
    goods: list[tuple[int, UserAction]] = []
    for action in seat.legal_actions():
        if action.type in ("add", "inspect"):
            number = cat.by_id[action.arg]
            named = action.arg in shown or (hint is not None and hint.arg == action.arg)
            if named or cat.types[int(cat.type_idx[number])].name in wanted:
                goods.append((2 * (not named) + (action.type == "inspect"), action))
        elif action.type != "look":
            plain.append(action)
    goods.sort(key=lambda entry: entry[0])
    chosen = [*plain[:most], *(action for _, action in goods)][:most]
    amounts = [_amount(action, seat) for action in chosen]
    return Options(tuple(amounts), tuple(label_of(action, seat) for action in amounts), shown)


def _amount(action: UserAction, seat: UserSeat) -> UserAction:
    """Return an ``add`` with the number of units still wanted of that kind."""
    if action.type != "add":
        return action
    cat = seat.catalogue
    kind = cat.types[int(cat.type_idx[cat.by_id[action.arg]])].name
    wanted = [seat.needs[n - 1].qty for n in seat.open_needs if kind in seat.needs[n - 1].types]
    left = int(cat.stock[cat.by_id[action.arg]])
    return UserAction("add", action.arg, max(1, min([*wanted[:1], left])))


def label_of(action: UserAction, seat: UserSeat) -> str:
    """Return an action in words; products by name, places by what is seen from there."""
    cat, store = seat.catalogue, seat.store
    if action.type in ("add", "inspect", "remove"):
        number = cat.by_id[action.arg]
        price = f", {cat.price_cents[number] / 100:.2f}" if action.type == "add" else ""
        verb = {"add": f"take {action.qty} x", "inspect": "look closely at", "remove": "put back"}[action.type]
        return f"{verb} {cat.names[number]}{price}"
    if action.type == "move":
        node = store.node_ids.index(action.arg)
        seen = [name for c, name in enumerate(store.section_department) if store.reach[node, c]]
        there = ", ".join(dict.fromkeys(seen)) or "the way on"
        return f"walk to {action.arg} ({there})"
    return {"wait": "stay here", "checkout": "pay", "leave": "leave the store without paying"}.get(
        action.type, action.type
    )


def answer_schema(seat: UserSeat, options: Options, words: int) -> dict[str, Any]:
    """Return the form of an answer: only what is possible now can be said in it."""
    needs = [0, *range(1, len(seat.needs) + 1)]
    slots = [NONE, *NEED_SLOTS, *PRODUCT_SLOTS]
    return record(
        {
            "action": {"type": "integer", "enum": list(range(1, len(options.actions) + 1))},
            "act": {"type": "string", "enum": list(codes.USER_ACTS)},
            "item": {"type": "integer", "enum": list(range(len(options.items) + 1))},
            "need": {"type": "integer", "enum": needs},
            "about": {"type": "string", "enum": slots},
            "reason": {"type": "string", "enum": list(codes.REASONS)},
            "say": {"type": "string", "maxLength": words},
        }
    )


def problem_of(data: Mapping[str, Any], seat: UserSeat, options: Options) -> str:
    """Return why an answer of the right form makes no sense; empty when it does."""
    act = data["act"]
    if act in ABOUT_ITEM and act != "request_compare" and not data["item"]:
        return f"act {act} needs the number of a shown product in item" if options.items else f"nothing to {act} here"
    if act in ABOUT_NEED and not data["need"]:
        return f"act {act} needs the number of one of your needs in need"
    told = {data["need"]} if act in ABOUT_NEED or act == "ask_where" else set()
    if names_untold(data["say"], seat, told):
        return "say names something you need that the act does not tell"
    return ""


def names_untold(say: str, seat: UserSeat, told: set[int]) -> bool:
    """Whether words name the product type of a need that was neither mentioned before nor is told by the act."""
    known = {*seat.mentioned, *told}
    open_types = {name for n in known if n for name in seat.needs[n - 1].types}
    shown = seat.message.text.lower()
    low = say.lower()
    for number, need in enumerate(seat.needs, start=1):
        if number in known:
            continue
        for name in need.types:
            if name not in open_types and name not in shown and re.search(rf"\b{re.escape(name)}\b", low):
                return True
    return False


def turn_of(data: Mapping[str, Any], seat: UserSeat, options: Options) -> UserTurn:
    """Return the turn a usable answer amounts to; what it tells of a need is what the task says, never made up."""
    act, about = data["act"], data["about"]
    item = options.items[data["item"] - 1] if data["item"] else ""
    need = int(data["need"])
    facts: tuple[Fact, ...] = ()
    attribute = category = ""
    if act in ABOUT_NEED:
        facts = facts_of(seat.needs[need - 1], need, about, new=need not in seat.mentioned)
        attribute = seat.message.attribute if act == "answer" else ""
    elif act == "ask":
        attribute = about if about in PRODUCT_SLOTS else "price"
    elif act == "ask_where" and not item and need:
        category = seat.needs[need - 1].types[0]
    elif act == "ask_where" and not item:
        act = "chat"
    products = options.items[:3] if act == "request_compare" else (item,) if item and act != "chat" else ()
    return UserTurn(
        act=act,
        action=options.actions[data["action"] - 1],
        facts=facts,
        need=need if act in ABOUT_NEED or act == "ask_where" else 0,
        attribute=attribute,
        products=products,
        category=category,
        reason=data["reason"] if act == "reject" and data["reason"] != NONE else "",
        cause="irrelevant" if act == "complain" else "",
        text=str(data["say"]).strip(),
    )


def facts_of(need: Need, number: int, about: str, *, new: bool) -> tuple[Fact, ...]:
    """Return what is told of a need: its kind when it is new, and what was chosen to be told.

    >>> facts_of(Need(types=("milk",), qty=2), 1, "quantity", new=True)
    (Fact(need=1, attribute='product_type', value='milk'), Fact(need=1, attribute='quantity', value=2))
    """
    told: list[tuple[str, Any]] = [("product_type", need.types[0])] if new or about == "product_type" else []
    values: dict[str, Any] = {
        "brand": need.brand or None,
        "size": need.size or None,
        "quantity": need.qty,
        "price_limit": need.price_limit_cents / 100.0 if need.price_limit_cents else None,
        "diet": need.diets or None,
        "allergy": need.allergens or None,
    }
    if about in values:
        told.append((about, values[about]))
    elif about == "wishes" and need.wants:
        told += [(name, True) for name in need.wants]
    elif not told or about == "wishes":
        told.append(("anything", None))
    return tuple(Fact(number, attribute, value) for attribute, value in told[: codes.MAX_FACTS])
