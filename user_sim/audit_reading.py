"""What the audit needs of a logged episode: turn by turn what was said to the user, what it said and what it did.

Read from events and truth alone, so that any log can be audited, whoever played it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from supermarket_env.events.episode import Episode
from supermarket_env.rules.codes import SLOTS

_REVEAL_NAMES: Final = {"product_type": "type"}
_NEED_ID: Final = re.compile(r"^(.*)\.([^.]+)$")
_NOT_ABOUT_NEEDS: Final = frozenset({"anything", "none"})
Cart = dict[str, int]


class Stated(NamedTuple):
    """One fact the user stated."""

    turn: int
    need: int
    """Ordinal of the need as the listener counts, from 1."""
    need_id: str | None
    """Id of the need in the truth; None when the log does not tell."""
    attribute: str
    value: Any


@dataclass(slots=True)
class Turn:
    """One turn: the message, the answer and what the user had at that time."""

    turn: int
    act: str = ""
    """The assistant's act."""
    slots: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    items: tuple[str, ...] = ()
    hint: tuple[str, str] = ("", "")
    goal: str = ""
    user: Mapping[str, Any] = field(default_factory=dict)
    """The ``user`` event; empty when the user did not answer."""
    spent: float = 0.0
    """Price of the cart before the turn."""
    cart: Cart = field(default_factory=dict)
    """Units by product before the turn."""
    known: frozenset[str] = frozenset()
    """Products shown, named, suggested, handled or taken up to the user's words."""

    @property
    def message(self) -> tuple[Any, ...]:
        """What the assistant said and showed, prose aside."""
        return self.act, repr(sorted(self.slots.items())), self.items, self.hint, self.goal

    @property
    def user_act(self) -> str:
        """The user's act; empty when there was none."""
        return str(self.user.get("act") or "")

    @property
    def user_slots(self) -> Mapping[str, Any]:
        """The slots of the user's act."""
        return self.user.get("slots") or {}

    @property
    def user_text(self) -> str:
        """The user's words."""
        return str(self.user.get("text") or "")


@dataclass(slots=True)
class Reading:
    """One episode as the audit sees it."""

    episode: Episode
    turns: list[Turn]
    """Turn 0 is the opening line."""
    facts: list[Stated]
    needs: Mapping[str, Mapping[str, Any]]
    """True needs by id; empty in logs without truth."""
    need_ids: Mapping[int, str]
    """Need id by ordinal of mention."""
    faults: list[Mapping[str, Any]]
    """Lines of the fault ledger about the user."""
    final_cart: Cart

    @property
    def last_turn(self) -> int:
        """Number of the last turn."""
        return self.turns[-1].turn if self.turns else 0


def read_episode(episode: Episode) -> Reading:
    """Return an episode turn by turn; hand-written logs lack what they lack."""
    turns: dict[int, Turn] = {}
    faults: list[Mapping[str, Any]] = []
    cart: Cart = {}
    spent, known = 0.0, set[str]()
    for event in episode.events:
        kind, number = event["k"], event.get("turn")
        if type(number) is not int or kind == "end":
            continue
        if number not in turns:
            turns[number] = Turn(number, spent=spent, cart=dict(cart))
        turn = turns[number]
        if kind == "cart":
            spent += _apply(event, cart)
            known |= {str(event["sku"])} if event.get("sku") else set()
        elif kind == "fault" and event["who"] == "user":
            faults.append(event)
        else:
            _note(turn, event, known)
    played = [turns[number] for number in sorted(turns) if turns[number].user or turns[number].act]
    needs, facts, need_ids = _needs(episode), [], dict[int, str]()
    for turn in played:
        facts += _facts(turn, need_ids)
    return Reading(episode, played, facts, needs, need_ids, faults, {p: n for p, n in cart.items() if n > 0})


def _apply(event: Mapping[str, Any], cart: Cart) -> float:
    """Change the cart; return the change of its price."""
    if event["op"] == "clear":
        cart.clear()
        return 0.0
    sign, qty, sku = 1 if event["op"] == "add" else -1, int(event.get("qty") or 1), str(event["sku"])
    cart[sku] = cart.get(sku, 0) + sign * qty
    return sign * qty * float(event.get("price") or 0.0)


def _note(turn: Turn, event: Mapping[str, Any], known: set[str]) -> None:
    """Enter one event into its turn; ``known`` grows by the products it brings to everybody's eyes."""
    kind = event["k"]
    if kind == "assistant":
        turn.act, turn.slots = str(event.get("act") or ""), event.get("slots") or {}
        turn.text = str(event.get("text") or "")
        known |= set(map(str, turn.slots.get("products", ())))
    elif kind == "recommend":
        turn.items = tuple(event["items"])
        known |= set(turn.items)
    elif kind == "suggest":
        turn.hint = _action(event["action"])
        known |= {turn.hint[1]}
    elif kind == "goal":
        turn.goal = str(event.get("goal") or event["target"])
        known |= {str(event["product"])} if event.get("product") else set()
    elif kind == "user":
        turn.user = event
        if isinstance(event.get("action"), dict):
            name, arg = _action(event["action"])
            known |= {arg} if name in ("add", "inspect", "remove") else set()
        if (event.get("slots") or {}).get("cause") == "out_of_stock":  # an empty place on the shelf is there to be seen
            known |= set(map(str, event["slots"].get("products", ())))
        turn.known = frozenset(known)


def _action(action: Mapping[str, Any]) -> tuple[str, str]:
    params = action.get("params") or {}
    return str(action["type"]), str(next((value for key, value in params.items() if key != "qty"), ""))


def _needs(episode: Episode) -> dict[str, Mapping[str, Any]]:
    needs = (episode.truth or {}).get("needs")
    listed: Sequence[Any] = needs if isinstance(needs, list) else ()
    return {str(need.get("id", n)): need for n, need in enumerate(listed) if isinstance(need, dict)}


def _facts(turn: Turn, need_ids: dict[int, str]) -> list[Stated]:
    """Return the facts of a turn; what is revealed for the first time tells which need an ordinal means."""
    said = [f for f in turn.user_slots.get("facts", ()) if f.get("attribute") not in _NOT_ABOUT_NEEDS]
    reveals = [match.groups() for entry in turn.user.get("reveals") or () if (match := _NEED_ID.match(entry))]
    for fact in said:
        name = _REVEAL_NAMES.get(fact["attribute"], fact["attribute"])
        for need_id, revealed in reveals:
            if revealed != name or need_ids.get(fact["need"], need_id) != need_id:
                continue
            if fact["need"] in need_ids or need_id not in need_ids.values():
                need_ids[fact["need"]] = need_id
                reveals.remove((need_id, revealed))
                break
    return [
        Stated(turn.turn, f["need"], need_ids.get(f["need"]), str(f["attribute"]), _plain(f.get("value"))) for f in said
    ]


def _plain(value: Any) -> Any:
    """Return a value that compares: lists as sorted tuples, False as nothing."""
    if isinstance(value, list | tuple):
        return tuple(sorted(map(str, value))) or None
    return None if value is False or value == "none" else value


def true_fact(need: Mapping[str, Any], attribute: str, department: str | None) -> Any:
    """Return what is true of a need for a slot; None is "no preference".

    Args:
        need: The need from the truth.
        attribute: Slot or catalogue attribute.
        department: Department of its first product type, None when not known.
    """
    hard = [str(entry).partition(":") for entry in need.get("hard", ())]
    listed = {
        kind: tuple(sorted(name for label, _, name in hard if label == kind)) or None for kind in ("diet", "allergen")
    }
    values = {
        "product_type": need.get("type"),
        "department": department,
        "brand": need.get("brand") or None,
        "size": need.get("size") or None,
        "quantity": need.get("qty"),
        "price_limit": need.get("price_limit"),
        "diet": listed["diet"],
        "allergy": listed["allergen"],
    }
    if attribute in values:
        return values[attribute]
    if attribute in SLOTS:
        return None
    return True if attribute in need.get("soft", {}) or attribute in (listed["diet"] or ()) else None
