"""Six of the eight virtual-agent metrics from the log; the other two need somebody who reads.

Each is a share brought to 1..5 by ``1 + 4 * share``; where the log offers nothing to count, it is unscored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from supermarket_env.catalogue.schema import Product
from supermarket_env.events.episode import Episode
from supermarket_env.metrics.satisfaction import assign, true_needs
from supermarket_env.scorers.base import Score, plain_event, unscored
from supermarket_env.scorers.judge.preference import judge_proposals
from supermarket_env.scorers.judge.repetition import find_repeats
from supermarket_env.scorers.judge.rules import serves_need
from supermarket_env.scorers.judge.trip import KnownNeed, Trip, Turn, record_of, slots_of

PREFIX: Final = "va."

RUBRIC: Final[Mapping[str, str]] = {
    "request_completion": "Identifies what the user wants, collects all it needs for that, and gets the request done.",
    "intent_accuracy": "Understands each request and answers it with the relevant kind of reply.",
    "slot_filling": "Reads the details it needs (kind, brand, size, limits, wishes) out of what the user says.",
    "smooth_flow": "The conversation goes on without deadlock or repetition.",
    "context_retention": "Keeps what was said and uses it later, in later requests too.",
    "truthfulness": "Everything is grounded: nothing invented, misremembered or misunderstood.",
    "conciseness": "No extra or wordy replies that do not serve the user's purpose.",
    "coherence": "Clear logical flow, structure and composition.",
}
"""The eight metrics, in our words."""

METRICS: Final = tuple(RUBRIC)
JUDGED: Final = ("conciseness", "coherence")
"""Unscored without a judge."""

ASSISTED: Final = frozenset({"recommended", "guided", "substitute"})
"""Reasons of a cart entry in which the assistant had a part."""

FITTING_ACTS: Final[Mapping[str, frozenset[str]]] = {
    "ask": frozenset({"inform", "compare"}),
    "ask_where": frozenset({"guide"}),
    "request_compare": frozenset({"compare", "confirm"}),
    "disclose": frozenset({"ask", "recommend", "guide", "confirm", "inform"}),
    "reject": frozenset({"ask", "recommend", "compare", "acknowledge", "confirm", "guide"}),
    "hesitate": frozenset({"compare", "confirm", "ask", "recommend", "inform"}),
    "complain": frozenset({"acknowledge", "guide", "recommend", "inform"}),
}
"""Kinds of reply that each user act calls for; acts that are not here call for nothing."""


def _score(name: str, good: float, total: float, what: str) -> Score:
    if not total:
        return unscored(PREFIX + name, f"the log offers no {what}")
    return Score(PREFIX + name, 1.0 + 4.0 * good / total, explanation=f"{good:g} of {total:g} {what}")


def request_completion(trip: Trip, episode: Episode) -> Score:
    """Needs filled in the end with the assistant's part in them, among the needs that could be filled."""
    needs = true_needs(episode.truth)
    if needs is None:
        return unscored(f"{PREFIX}request_completion", "the log has no truth about the needs")
    helped = {p for turn in trip.turns for p in turn.proposed}
    cart: dict[str, int] = {}
    for event in episode.events:
        if event["k"] != "cart" or event["op"] == "clear":
            cart = {} if event["k"] == "cart" else cart
            continue
        sku = str(event["sku"])
        cart[sku] = cart.get(sku, 0) + (event.get("qty", 1) if event["op"] == "add" else -event.get("qty", 1))
        if event["op"] == "add" and event.get("why") in ASSISTED:
            helped.add(sku)
    cart = {sku: qty for sku, qty in cart.items() if qty > 0}
    fillable = [need for need in needs if need.acceptable]
    units = assign(needs, {sku: qty for sku, qty in cart.items() if sku in helped}).units
    filled = sum(u >= need.wanted for need, u in zip(needs, units, strict=True) if need.acceptable)
    return _score("request_completion", filled, len(fillable), "needs filled with the assistant's help")


def intent_accuracy(trip: Trip, episode: Episode) -> Score:
    """Replies of the kind the user's act called for, among the turns in which it called for one."""
    good = total = 0
    for turn in trip.turns:
        wanted = FITTING_ACTS.get(str((turn.reply.before or {}).get("act")))
        if wanted is None:
            continue
        total += 1
        good += bool(_kinds_of(trip, turn) & wanted)
    return _score("intent_accuracy", good, total, "requests met with the right kind of reply")


def _kinds_of(trip: Trip, turn: Turn) -> set[str]:
    """Return the kinds a reply is of; a list or a way counts only when it is one for something still needed."""
    kinds = {turn.act} - {"recommend", "guide"}
    if turn.proposed and any(serves_need(trip, turn, need) for need in turn.needs):
        kinds.add("recommend")
    if turn.reply.goal is not None and turn.reply.goal.get("relevant") is not False:
        kinds.add("guide")
    return kinds


def slot_filling(trip: Trip, episode: Episode) -> Score:
    """Things the user told of a need that a later proposal for it took up."""
    told = [
        (event["turn"], fact["need"], fact["attribute"], fact["value"])
        for event in episode.events
        if event["k"] == "user"
        for fact in slots_of(plain_event(event)).get("facts", ())
        if fact["value"] is not None
    ]
    told = [fact for fact in told if fact[2] not in ("quantity", "anything")]
    if trip.truth is None:
        return unscored(f"{PREFIX}slot_filling", "the log does not name a store to check against")
    used = sum(any(_takes_up(trip, turn, fact) for turn in trip.turns if turn.reply.turn > fact[0]) for fact in told)
    return _score("slot_filling", used, len(told), "told details taken up")


def _takes_up(trip: Trip, turn: Turn, fact: tuple[int, int, str, Any]) -> bool:
    """Whether a turn proposes something of the need that has what was told."""
    _, ordinal, name, value = fact
    need = turn.needs.get(ordinal)
    if need is None:
        return False
    if name in ("product_type", "department") and turn.reply.goal is not None and trip.truth is not None:
        target = turn.reply.goal.get("target")
        if any(target in trip.truth.sections_of_type(kind) for kind in need.types):
            return True
    return any(
        record is not None and (record.product_type in need.types or not need.types) and _has(record, name, value, need)
        for record in (record_of(trip.truth, product) for product in turn.proposed)
    )


def _has(record: Product, name: str, value: Any, need: KnownNeed) -> bool:
    if name == "product_type":
        return record.product_type == str(value)
    if name == "department":
        return record.department == str(value)
    if name == "brand":
        return record.brand == str(value)
    if name == "price_limit":
        return record.price_cents / 100.0 <= float(value) + 0.005
    if name == "diet":
        return set(value) <= record.diets | record.attributes
    if name == "allergy":
        return not set(value) & record.allergens
    if name == "size":
        return True  # size classes belong to the game's tables; any pack of the kind takes it up
    return name in record.attributes | record.diets


def smooth_flow(trip: Trip, episode: Episode) -> Score:
    """Speaking turns that neither repeat anything nor stall."""
    spoken = sum(turn.speaks for turn in trip.turns)
    return _score("smooth_flow", spoken - len(find_repeats(trip).turns), spoken, "turns without repetition or stall")


def context_retention(trip: Trip, episode: Episode) -> Score:
    """Questions not yet answered and proposals within what is known, among all questions and proposals."""
    good = total = 0
    for turn in trip.turns:
        if turn.act == "ask" and turn.slots.get("need"):
            total += 1
            good += not _is_redundant(turn)
        proposal = judge_proposals(turn, trip.truth)
        if proposal is not None:
            total += 1
            good += not proposal.forbidden and not proposal.insisted and proposal.fit > 0
    return _score("context_retention", good, total, "questions and proposals that keep to what was said")


def _is_redundant(turn: Turn) -> bool:
    """Whether a question asks for what the user has told already."""
    need = turn.needs.get(turn.slots.get("need") or 0)
    attribute = str(turn.slots.get("attribute") or "")
    if attribute == "allergy":
        return bool(turn.allergies)
    if need is None:
        return False
    known: Mapping[str, bool] = {
        "product_type": bool(need.types),
        "brand": bool(need.brand),
        "size": bool(need.size),
        "price_limit": need.price_limit is not None,
        "diet": bool(need.diets),
    }
    return known.get(attribute, attribute in need.wishes)


def truthfulness(trip: Trip, episode: Episode) -> Score:
    """Claims that are true, among those that can be checked."""
    claims = [claim.true for turn in trip.turns for claim in turn.claims if claim.true is not None]
    return _score("truthfulness", sum(claims), len(claims), "claims true")


RULES: Final[Mapping[str, Callable[[Trip, Episode], Score]]] = {
    "request_completion": request_completion,
    "intent_accuracy": intent_accuracy,
    "slot_filling": slot_filling,
    "smooth_flow": smooth_flow,
    "context_retention": context_retention,
    "truthfulness": truthfulness,
}
"""The metrics the log decides."""
