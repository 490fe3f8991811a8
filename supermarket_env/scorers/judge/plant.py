"""Known faults planted into clean episodes: what a judge must notice, in the right dimension and in no other.

A planter returns twins of an episode, one for each place where its fault fits, everything else untouched. Clean and
faulty twin together are a pair. The user's side stays as it was: a judge is asked about the assistant's words.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from supermarket_env.events.episode import Episode, Event
from supermarket_env.events.log import validate_episode
from supermarket_env.scorers.judge.preference import judge_proposals
from supermarket_env.scorers.judge.trip import Trip, Turn, read_trip
from supermarket_env.scorers.truth import StoreTruth

_PRICE: Final = re.compile(r"\((\d+)\.(\d\d) EUR\)")
_BRANDS: Final = ("Velvet Orchard", "Quillmoor", "Brackenfjord", "Tallow & Thistle")
_PADDING: Final = (
    "I hope this helps you with what you are doing today.",
    "Of course I am always happy to be of service to you.",
    "Please feel free to take all the time that you may want.",
    "It goes without saying that your wishes matter a great deal to me.",
)
MAX_LIST: Final = 10


class Fault(NamedTuple):
    """One kind of planted fault."""

    name: str
    target: str
    """The dimension that must fall."""
    plant: Callable[[Episode, Trip, StoreTruth], Iterator[Episode]]


class Pair(NamedTuple):
    """A clean episode and its faulty twin."""

    fault: str
    clean: Episode
    faulty: Episode


def plant(fault: Fault, episode: Episode) -> list[Pair]:
    """Return the pairs of an episode, one for each place where the fault fits; none without a store to look up."""
    trip = read_trip(episode)
    if trip.truth is None:
        return []
    return [Pair(fault.name, episode, twin) for twin in fault.plant(episode, trip, trip.truth)]


def pad(episode: Episode) -> Episode:
    """Return the episode with content-free words added to every reply that has words: longer, saying no more."""
    twin = _Twin(episode)
    for place, event in enumerate(e for e in twin.data["events"] if e["k"] == "assistant" and e.get("text")):
        event["text"] = f"{event['text']} {_PADDING[place % len(_PADDING)]}"
    return twin.done()


def disguise(episode: Episode) -> Episode:
    """Return the episode under another assistant's name, without rewards and without what only an evaluator knows.

    A judge that rates it differently has looked at what it must not see.
    """
    twin = _Twin(episode)
    twin.data["agent"] = "somebody"
    twin.data.pop("truth", None)
    twin.data["events"] = [e for e in twin.data["events"] if e["k"] != "reward"]
    return twin.done()


class _Twin:
    """A copy of an episode to be changed."""

    def __init__(self, episode: Episode) -> None:
        self.data = copy.deepcopy(episode.data)

    def event(self, kind: str, turn: int) -> Event | None:
        """Return the last event of a kind in a turn, to be changed in place."""
        found = [e for e in self.data["events"] if e["k"] == kind and e.get("turn") == turn]
        return found[-1] if found else None

    def say_more(self, turn: int, words: str) -> None:
        """Add words to what the assistant says."""
        message = self.event("assistant", turn)
        if message is not None:
            message["text"] = f"{message.get('text') or ''} {words}".strip()

    def put_first(self, turn: int, product: str) -> None:
        """Put a product at the top of the turn's list; a list is made where there was none."""
        shown = self.event("recommend", turn)
        if shown is not None:
            shown["items"] = [product, *(p for p in shown["items"] if p != product)][:MAX_LIST]
            return
        events = self.data["events"]
        place = next(i for i, e in enumerate(events) if e["k"] == "assistant" and e["turn"] == turn)
        events.insert(place + 1, {"k": "recommend", "turn": turn, "items": [product]})

    def done(self) -> Episode:
        """Return the twin as an episode."""
        return validate_episode(self.data, "<planted>", 0)


def _priced(truth: StoreTruth, number: int) -> str:
    record = truth.product(number)
    return f"{record.name} ({record.price_cents / 100:.2f} EUR)"


def _invented_product(episode: Episode, trip: Trip, truth: StoreTruth) -> Iterator[Episode]:
    """Name and list a product that does not exist."""
    for turn in trip.turns:
        if not turn.reply.items or len(turn.reply.items) >= MAX_LIST:
            continue
        kind = truth.product(truth.number(turn.reply.items[0]) or 0).product_type.title()
        brand = _BRANDS[turn.reply.turn % len(_BRANDS)]
        twin = _Twin(episode)
        twin.say_more(turn.reply.turn, f"There is also {brand} Golden {kind} 500 g (1.79 EUR).")
        shown = twin.event("recommend", turn.reply.turn)
        if shown is not None:
            shown["items"] = [*shown["items"], "P99990"]
        yield twin.done()


def _wrong_price(episode: Episode, trip: Trip, truth: StoreTruth) -> Iterator[Episode]:
    """Say another price than the shelf's, clearly off."""
    for turn in trip.turns:
        match = _PRICE.search(turn.reply.text)
        if match is None:
            continue
        cents = int(match.group(1)) * 100 + int(match.group(2))
        other = max(9, round(cents * 0.6))
        twin = _Twin(episode)
        message = twin.event("assistant", turn.reply.turn)
        if message is not None:
            said = f"({other // 100}.{other % 100:02d} EUR)"
            message["text"] = f"{message['text'][: match.start()]}{said}{message['text'][match.end() :]}"
        yield twin.done()


def _wrong_aisle(episode: Episode, trip: Trip, truth: StoreTruth) -> Iterator[Episode]:
    """Send the user to a shelf that does not hold the goods."""
    sections = truth.store.section_ids
    for turn in trip.turns:
        goal = turn.reply.goal
        kind, _, name = str((goal or {}).get("goal") or "").partition(":")
        if goal is None or kind not in ("product", "category") or goal["target"] not in turn.reply.text:
            continue
        number = truth.number(name)
        right = truth.sections_of_type(name) if kind == "category" else truth.sections_of(number or 0)
        wrong = [s for s in sections if s not in right]
        other = wrong[(turn.reply.turn * 7 + len(name)) % len(wrong)]
        twin = _Twin(episode)
        message = twin.event("assistant", turn.reply.turn)
        if message is not None:
            message["text"] = message["text"].replace(goal["target"], other)
        yield twin.done()


def _repeated_question(episode: Episode, trip: Trip, truth: StoreTruth) -> Iterator[Episode]:
    """Ask once more what was asked before, in a turn that had little to say."""
    asked: Turn | None = None
    for turn in trip.turns:
        if turn.act == "ask" and turn.slots.get("need"):
            asked = turn
            continue
        quiet = not turn.reply.items and turn.reply.goal is None and turn.act in ("chat", "guide")
        before = turn.reply.before or {}
        if asked is None or not quiet or before.get("act") not in ("chat", "accept", "answer", "thank"):
            continue
        twin = _Twin(episode)
        message = twin.event("assistant", turn.reply.turn)
        if message is not None:
            question = str(asked.reply.text).partition("?")[0] + "?"
            message.update(act="ask", slots=dict(asked.slots), text=f"{question} {turn.reply.text}".strip())
        yield twin.done()


def _is_clean(trip: Trip, truth: StoreTruth) -> bool:
    """Whether no proposal of a trip holds anything forbidden or refused: such a trip is no clean twin."""
    found = [judge_proposals(turn, truth) for turn in trip.turns]
    return not any(proposal is not None and (proposal.forbidden or proposal.insisted) for proposal in found)


def _ignored_allergy(episode: Episode, trip: Trip, truth: StoreTruth) -> Iterator[Episode]:
    """List a product with an allergen the user has named, at the top, honestly priced."""
    if not _is_clean(trip, truth):
        return
    for turn in trip.turns:
        if not turn.reply.items or not turn.allergies:
            continue
        kind = truth.type_numbers[truth.product(truth.number(turn.reply.items[0]) or 0).product_type]
        unsafe = [
            p
            for p in truth.catalogue.products_of(kind)
            if truth.is_carried(p) and turn.allergies & truth.product(p).allergens
        ]
        if not unsafe:
            continue
        product = unsafe[turn.reply.turn % len(unsafe)]
        twin = _Twin(episode)
        twin.put_first(turn.reply.turn, truth.catalogue.ids[product])
        twin.say_more(turn.reply.turn, f"Or take {_priced(truth, product)}.")
        yield twin.done()


def _pushy_after_refusal(episode: Episode, trip: Trip, truth: StoreTruth) -> Iterator[Episode]:
    """Insist on what the user has just turned down."""
    if not _is_clean(trip, truth):
        return
    for turn in trip.turns:
        before = turn.reply.before or {}
        if before.get("act") != "reject" or not (before.get("slots") or {}).get("products"):
            continue
        product = str(before["slots"]["products"][0])
        number = truth.number(product)
        if number is None or product in turn.reply.items:
            continue
        twin = _Twin(episode)
        twin.put_first(turn.reply.turn, product)
        twin.say_more(turn.reply.turn, f"You really should take {_priced(truth, number)}.")
        message = twin.event("assistant", turn.reply.turn)
        if message is not None and not turn.reply.items:
            message["act"] = "recommend"
        yield twin.done()


FAULTS: Final[Mapping[str, Fault]] = {
    fault.name: fault
    for fault in (
        Fault("invented_product", "groundedness", _invented_product),
        Fault("wrong_price", "groundedness", _wrong_price),
        Fault("wrong_aisle", "groundedness", _wrong_aisle),
        Fault("repeated_question", "non_repetition", _repeated_question),
        Fault("ignored_allergy", "preference_alignment", _ignored_allergy),
        Fault("pushy_after_refusal", "preference_alignment", _pushy_after_refusal),
    )
}
"""The planted faults by name."""
