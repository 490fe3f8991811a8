"""An episode as the rules judge reads it: turn by turn, what was known, what was proposed, what it led to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from supermarket_env.catalogue.schema import ATTRIBUTES, Product
from supermarket_env.events.episode import Episode, Event
from supermarket_env.scorers.base import Reply, plain_event, replies_of
from supermarket_env.scorers.claims import claims_of_reply, stock_evidence
from supermarket_env.scorers.facts import Claim
from supermarket_env.scorers.truth import StoreTruth, truth_of

PROPOSING_ACTS = frozenset({"recommend", "confirm", "guide", "chat", "acknowledge", "offer_checkout", "greet"})
"""Acts whose product slots propose something; ``inform``, ``compare`` and ``ask`` talk about what is on the table."""


@dataclass(slots=True)
class KnownNeed:
    """What the user has said of one need so far."""

    ordinal: int
    since: int
    """Turn of its first mention."""
    types: set[str] = field(default_factory=set)
    departments: set[str] = field(default_factory=set)
    brand: str = ""
    size: str = ""
    price_limit: float | None = None
    diets: set[str] = field(default_factory=set)
    wishes: set[str] = field(default_factory=set)
    closed: int | None = None
    """Turn in which something was accepted or taken for it."""

    def copy(self) -> KnownNeed:
        """Return an independent copy."""
        return KnownNeed(
            self.ordinal,
            self.since,
            set(self.types),
            set(self.departments),
            self.brand,
            self.size,
            self.price_limit,
            set(self.diets),
            set(self.wishes),
            self.closed,
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """One assistant turn: what was known before it, what it proposed, what followed."""

    reply: Reply
    claims: tuple[Claim, ...]
    needs: Mapping[int, KnownNeed]
    """Needs by ordinal as known before the reply."""
    allergies: frozenset[str]
    """Allergens the user has named so far."""
    rejected: Mapping[str, int]
    """Products turned down so far and in which turn."""
    carted: frozenset[str]
    """Products put into the cart before the reply."""
    proposed: tuple[str, ...]
    """Ids of the products it proposes, in list, slots, suggestion, goal or words."""
    is_done: bool
    """Whether the user had said before that nothing more is needed."""
    reveals: int
    """Facts newly told in the answer."""
    adds: tuple[str, ...]
    """Products put into the cart in this turn."""

    @property
    def act(self) -> str:
        """The assistant's dialogue act."""
        return str(self.reply.message.get("act") or "chat")

    @property
    def slots(self) -> Mapping[str, Any]:
        """Slots of the message."""
        return slots_of(self.reply.message)

    @property
    def speaks(self) -> bool:
        """Whether the message says, shows or suggests anything."""
        reply = self.reply
        return bool(reply.text or reply.items or reply.suggest or reply.goal or self.act != "chat")

    @property
    def open_needs(self) -> list[KnownNeed]:
        """Needs the user has mentioned and nothing was accepted for."""
        return [need for need in self.needs.values() if need.closed is None]


@dataclass(frozen=True, slots=True)
class Trip:
    """The whole episode."""

    turns: tuple[Turn, ...]
    truth: StoreTruth | None
    needs: Mapping[int, KnownNeed]
    """Needs as known at the end."""
    has_slots: bool
    """Whether the log says what the user meant (acts and slots), not only words."""


def slots_of(event: Event | None) -> Mapping[str, Any]:
    """Return the slots of a message event, empty when it has none."""
    slots = (event or {}).get("slots")
    return slots if isinstance(slots, dict) else {}


def read_trip(episode: Episode) -> Trip:
    """Read an episode; a log without acts and slots gives turns without known needs."""
    truth = truth_of(episode)
    return _TripReader(episode, truth).read()


class _TripReader:
    def __init__(self, episode: Episode, truth: StoreTruth | None) -> None:
        self._episode = episode
        self._truth = truth
        self._evidence = stock_evidence(episode)
        self._needs: dict[int, KnownNeed] = {}
        self._allergies: set[str] = set()
        self._rejected: dict[str, int] = {}
        self._carted: set[str] = set()
        self._done = False
        self._adds: dict[int, list[str]] = {}
        for event in episode.events:
            if event["k"] == "cart" and event.get("op") == "add":
                self._adds.setdefault(event["turn"], []).append(str(event.get("sku")))

    def read(self) -> Trip:
        opening = next((e for e in self._episode.events if e["k"] == "user" and e["turn"] == 0), None)
        if opening is not None:
            self._hear(plain_event(opening))
        turns = []
        for reply in replies_of(self._episode):
            claims = tuple(claims_of_reply(reply, self._truth, self._evidence))
            adds = tuple(self._adds.get(reply.turn, ()))
            before = Turn(
                reply=reply,
                claims=claims,
                needs={k: need.copy() for k, need in self._needs.items()},
                allergies=frozenset(self._allergies),
                rejected=dict(self._rejected),
                carted=frozenset(self._carted),
                proposed=self._proposed(reply, claims),
                is_done=self._done,
                reveals=len((reply.after or {}).get("reveals") or ()),
                adds=adds,
            )
            turns.append(before)
            if reply.after is not None:
                self._hear(reply.after)
            self._take(adds, reply.turn)
        has_slots = any(e["k"] == "user" and (e.get("slots") or e.get("act")) for e in self._episode.events)
        return Trip(tuple(turns), self._truth, self._needs, has_slots)

    def _proposed(self, reply: Reply, claims: Iterable[Claim]) -> tuple[str, ...]:
        found = list(reply.items)
        act = str(reply.message.get("act") or "chat")
        if act in PROPOSING_ACTS:
            found += map(str, slots_of(reply.message).get("products") or ())
            found += [c.product for c in claims if c.kind == "product" and c.source == "text" and c.true]
        if reply.suggest is not None and reply.suggest["action"]["type"] == "add":
            found.append(str((reply.suggest["action"].get("params") or {}).get("product")))
        return tuple(dict.fromkeys(found))

    def _hear(self, event: Event) -> None:
        act, slots, turn = str(event.get("act") or ""), slots_of(event), event["turn"]
        facts = slots.get("facts")
        for fact in facts if isinstance(facts, list) else ():
            if isinstance(fact, dict):
                self._learn(fact, turn)
        need = slots.get("need")
        if isinstance(need, int) and need > 0:
            self._needs.setdefault(need, KnownNeed(need, turn))
        products = [str(p) for p in slots.get("products") or ()]
        if act == "reject":
            for product in products:
                self._rejected.setdefault(product, turn)
        elif act == "accept":
            for product in products:
                self._rejected.pop(product, None)
            if isinstance(need, int) and need in self._needs and self._needs[need].closed is None:
                self._needs[need].closed = turn
        answers_more = act == "answer" and not facts and not need and slots.get("attribute") == "anything"
        self._done = answers_more or act == "bye" or (self._done and not facts)

    def _learn(self, fact: Mapping[str, Any], turn: int) -> None:
        ordinal, name, value = fact.get("need"), str(fact.get("attribute") or ""), fact.get("value")
        if name == "allergy" and isinstance(value, list | tuple):
            self._allergies |= {str(v) for v in value}
        if not isinstance(ordinal, int) or ordinal < 1:
            return
        need = self._needs.setdefault(ordinal, KnownNeed(ordinal, turn))
        if value is None:
            return
        if name == "product_type":
            need.types.add(str(value))
        elif name == "department":
            need.departments.add(str(value))
        elif name == "brand":
            need.brand = str(value)
        elif name == "size":
            need.size = str(value)
        elif name == "price_limit" and isinstance(value, int | float):
            need.price_limit = float(value)
        elif name == "diet" and isinstance(value, list | tuple):
            need.diets |= {str(v) for v in value}
        elif name in ATTRIBUTES and value is True:
            need.wishes.add(name)

    def _take(self, adds: Iterable[str], turn: int) -> None:
        for product in adds:
            self._carted.add(product)
            self._rejected.pop(product, None)
            record = record_of(self._truth, product)
            if record is None:
                continue
            for need in self._needs.values():
                if need.closed is None and record.product_type in need.types:
                    need.closed = turn
                    break


def record_of(truth: StoreTruth | None, product: str) -> Product | None:
    """Return a product's record, None when the store is not at hand or has no such product."""
    number = truth.number(product) if truth is not None else None
    return truth.product(number) if truth is not None and number is not None else None
