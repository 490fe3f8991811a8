"""What the user's needs are and what has been said of them, turn by turn, from the log and its truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from supermarket_env.events.episode import Episode, Event

_WARNINGS: Final = frozenset({"allergy", "diet"})
_PLAIN: Final = frozenset({"type", "qty"})


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _lists(value: Any) -> dict[str, list[str]]:
    """Lists of ids by name; whatever else a hand-written log has there is left out."""
    if not isinstance(value, Mapping):
        return {}
    return {str(name): [str(item) for item in _listed(row)] for name, row in value.items()}


class NeedBook:
    """Which need an ordinal of the dialogue means, what of it is known, and whether it is still open.

    Feed it the user's events in order with :meth:`hear` and cart events with :meth:`change_cart`.

    Args:
        episode: A finished episode; without truth everything is unknown.
    """

    def __init__(self, episode: Episode) -> None:
        truth = episode.truth or {}
        listed = truth.get("needs")
        needs = [need for need in listed if isinstance(need, Mapping)] if isinstance(listed, list) else []
        self.attributes = {str(n.get("id")): frozenset(map(str, _listed(n.get("attributes")))) for n in needs}
        self.wanted = {str(n.get("id")): n["qty"] if type(n.get("qty")) is int else 1 for n in needs}
        self.acceptable = _lists(truth.get("acceptable"))
        self.violates = _lists(truth.get("violates"))
        self.has_truth = bool(self.acceptable)
        self._of_ordinal: dict[int, str] = {}
        self._known: dict[str, set[str]] = {}
        self._cart: dict[str, int] = {}
        self.said: dict[int, set[str]] = {}
        """Attributes the user has spoken of, by ordinal (in words of the dialogue)."""
        self.warned_of: set[str] = set()
        """Allergens and diets the user has named."""

    def hear(self, event: Event) -> None:
        """Take in a user event: reveals, facts and the ordinals they belong to."""
        slots = event.get("slots") or {}
        facts = [fact for fact in slots.get("facts") or () if isinstance(fact, Mapping)]
        ordinals: list[int] = []
        for fact in facts:
            if fact.get("attribute") in _WARNINGS:
                value = fact.get("value")
                self.warned_of |= set(map(str, _listed(value))) if isinstance(value, list | tuple) else {str(value)}
            ordinal = fact.get("need")
            if type(ordinal) is int and ordinal:
                self.said.setdefault(ordinal, set()).add(str(fact.get("attribute")))
                if ordinal not in ordinals:
                    ordinals.append(ordinal)
        if type(slots.get("need")) is int and slots["need"] and not ordinals:
            ordinals.append(slots["need"])
        ids: list[str] = []
        for reveal in event.get("reveals") or ():
            name, _, attribute = str(reveal).partition(".")
            self._known.setdefault(name, set()).add(attribute)
            if name not in ids:
                ids.append(name)
        taken = set(self._of_ordinal.values())
        fresh_ids = [name for name in ids if name not in taken]
        fresh_ordinals = [ordinal for ordinal in ordinals if ordinal not in self._of_ordinal]
        self._of_ordinal.update(zip(fresh_ordinals, fresh_ids, strict=False))

    def change_cart(self, event: Event) -> None:
        """Take in a cart event."""
        if event["op"] == "clear":
            self._cart.clear()
            return
        sku, qty = str(event.get("sku")), int(event.get("qty") or 1)
        self._cart[sku] = max(0, self._cart.get(sku, 0) + (qty if event["op"] == "add" else -qty))

    def need_id(self, ordinal: Any) -> str | None:
        """Return the need behind an ordinal, None if it is not known which."""
        return self._of_ordinal.get(ordinal) if type(ordinal) is int else None

    def is_open(self, need: str) -> bool:
        """Whether the cart holds fewer acceptable units than wanted."""
        units = sum(self._cart.get(sku, 0) for sku in self.acceptable.get(need) or ())
        return units < self.wanted.get(need, 1)

    def open_needs(self) -> list[str]:
        """Return the fillable needs still open."""
        return [need for need in self.acceptable if self.acceptable[need] and self.is_open(need)]

    def is_ambiguous(self, need: str | None) -> bool:
        """Whether a wish leaves something to ask: an attribute of the need has not been told yet."""
        if need is None:
            return True
        return bool(self.attributes.get(need, frozenset()) - _PLAIN - self._known.get(need, set()))

    def forbidden(self, items: Sequence[str]) -> dict[str, list[str]]:
        """Return the products that break a hard constraint of the household, with what they break."""
        return {item: list(self.violates[item]) for item in items if self.violates.get(item)}
