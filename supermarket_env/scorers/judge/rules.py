"""The judge that needs no reader: five dimensions from slots, claims and events, the other two unscored.

Every grade follows from counts that stand in its explanation. Naturalness and overall satisfaction need somebody who
reads; no rule here pretends to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from supermarket_env.scorers.base import Score, unscored
from supermarket_env.scorers.judge.dimensions import DIMENSIONS
from supermarket_env.scorers.judge.grades import at_least_one, by_share
from supermarket_env.scorers.judge.preference import preference_alignment
from supermarket_env.scorers.judge.repetition import non_repetition
from supermarket_env.scorers.judge.trip import Trip, Turn, read_trip, slots_of

__all__ = ["RULES", "read_trip", "rule_scores"]

MANY_CLAIMS: Final = 20
SERVE_WITHIN: Final = 4
"""Turns in which a stated need should meet something concrete."""
INFORMED: Final = (0.15, 0.4, 0.65, 0.9)
MOVING: Final = (0.1, 0.25, 0.4, 0.55)


def groundedness(trip: Trip) -> Score:
    """Grade the share of claims that are true; one false claim costs a point among many claims, else two."""
    claims = [claim for turn in trip.turns for claim in turn.claims if claim.true is not None]
    if not claims:
        where = "nothing was claimed that could be checked" if trip.truth else "the log does not name a store to check"
        return unscored("groundedness", where)
    false = [claim for claim in claims if claim.true is False]
    share = len(false) / len(claims)
    if not false:
        grade = 5
    elif len(false) == 1:
        grade = 4 if len(claims) >= MANY_CLAIMS else 3
    else:
        grade = 5 - by_share(share, (0.02, 0.1, 0.3, 1.1))
    said = "; ".join(f"turn {c.turn}: {c.kind} of {c.product or 'a place'} = {c.said}" for c in false[:5])
    words = f"{len(false)} of {len(claims)} claims untrue" + (f" ({said})" if said else "")
    return Score("groundedness", at_least_one(grade), explanation=words, is_rating=True)


def informativeness(trip: Trip) -> Score:
    """Grade the share of questions answered and of stated needs that met something concrete soon."""
    asked = answered = 0
    for turn in trip.turns:
        question = turn.reply.before
        if question is not None and question.get("act") in _ANSWERS:
            asked += 1
            answered += _ANSWERS[question["act"]](turn)
    stated = list(trip.needs.values())
    served = sum(_is_served(trip, need.ordinal, need.since) for need in stated)
    total = asked + len(stated)
    if not total or not trip.turns:
        return unscored("informativeness", "the user asked nothing and stated no need")
    words = f"{answered} of {asked} questions answered, {served} of {len(stated)} stated needs met something concrete"
    grade = by_share((answered + served) / total, INFORMED)
    return Score("informativeness", grade, explanation=words, is_rating=True)


def _answers_field(turn: Turn) -> bool:
    """An answer names the product asked about, or a field of it, with a value."""
    wanted = set(map(str, slots_of(turn.reply.before).get("products") or ()))
    field = slots_of(turn.reply.before).get("attribute")
    if any(c.product in wanted and (c.kind == field or c.kind != "product") for c in turn.claims):
        return True
    return turn.act in ("inform", "compare") and bool(wanted & set(map(str, turn.slots.get("products") or ())))


def _answers_where(turn: Turn) -> bool:
    """An answer to "where" shows a place or a way."""
    return turn.reply.goal is not None or any(claim.kind == "place" for claim in turn.claims)


def _answers_comparison(turn: Turn) -> bool:
    """A comparison says something of two products, or advises one of those asked about."""
    wanted = set(map(str, slots_of(turn.reply.before).get("products") or ()))
    said = {claim.product for claim in turn.claims if claim.kind != "place"} | set(turn.proposed)
    return turn.act == "compare" or len(said & wanted) >= 2 or (turn.act == "confirm" and bool(said & wanted))


_ANSWERS: Final[Mapping[str, Callable[[Turn], bool]]] = {
    "ask": _answers_field,
    "ask_where": _answers_where,
    "request_compare": _answers_comparison,
}


def _is_served(trip: Trip, ordinal: int, since: int) -> bool:
    """Whether within a few turns of its mention a need met a fitting product or its shelf."""
    for turn in trip.turns:
        if not since < turn.reply.turn <= since + SERVE_WITHIN or ordinal not in turn.needs:
            continue
        if serves_need(trip, turn, ordinal):
            return True
    return False


def serves_need(trip: Trip, turn: Turn, ordinal: int) -> bool:
    """Whether a turn shows a product of the need's type, or the shelf it stands on."""
    types = turn.needs[ordinal].types
    if trip.truth is None or not types:
        return bool(turn.proposed) and turn.slots.get("need") == ordinal
    for product in turn.proposed:
        number = trip.truth.number(product)
        if number is not None and trip.truth.product(number).product_type in types:
            return True
    target = (turn.reply.goal or {}).get("target")
    return target is not None and any(target in trip.truth.sections_of_type(name) for name in types)


def proactiveness(trip: Trip) -> Score:
    """Grade the share of turns that moved the trip on while something was to do; pushing lowers the grade."""
    chances = moved = pushed = 0
    for turn in trip.turns:
        if _is_pushy(turn):
            pushed += 1
        if not turn.open_needs and turn.is_done:
            continue
        chances += 1
        moved += moves_on(trip, turn)
    if not chances or not any(turn.speaks for turn in trip.turns):
        reason = "nothing was left to do" if not chances else "the assistant never spoke"
        return unscored("proactiveness", reason)
    grade = by_share(moved / chances, MOVING)
    if pushed:
        grade = min(grade - 1, 3) if pushed <= 2 else min(grade - 2, 2)
    words = f"{moved} of {chances} turns with something to do moved the trip on, {pushed} pushed"
    return Score("proactiveness", at_least_one(grade), explanation=words, is_rating=True)


def moves_on(trip: Trip, turn: Turn) -> bool:
    """Whether a turn brought the trip forward: something learned, chosen, shown for an open need, or a step nearer."""
    reply = turn.reply
    if not turn.speaks:
        return False
    if turn.reveals and turn.act == "ask":
        return True
    if reply.after is not None and reply.after.get("act") == "accept":
        return True
    if turn.proposed and any(serves_need(trip, turn, need.ordinal) for need in turn.open_needs):
        return not set(turn.proposed) <= set(turn.rejected) | turn.carted
    if reply.suggest is not None and reply.suggest.get("legal", True) and _is_nearer(turn):
        return True
    question = reply.before
    return question is not None and question.get("act") in _ANSWERS and _ANSWERS[question["act"]](turn)


def _is_nearer(turn: Turn) -> bool:
    """Whether a suggested step leads towards what is needed, by the log's own measure."""
    suggest = turn.reply.suggest or {}
    progress = suggest.get("progress")
    if isinstance(progress, int | float):
        return progress > 0 and (turn.reply.goal is None or turn.reply.goal.get("relevant") is not False)
    return suggest.get("action", {}).get("type") in ("add", "look", "checkout") and not _is_pushy(turn)


def _is_pushy(turn: Turn) -> bool:
    """Whether a turn urges the user to pay or leave while needs are open, or lists goods after "nothing else"."""
    suggest = turn.reply.suggest
    kind = suggest["action"]["type"] if suggest is not None else ""
    open_needs = turn.open_needs
    if (kind in ("checkout", "leave") or turn.act == "offer_checkout") and open_needs and not turn.is_done:
        return True
    if turn.is_done and not open_needs and turn.reply.items:
        question = turn.reply.before
        return question is None or question.get("act") not in (*_ANSWERS, "disclose", "complain", "hesitate")
    return False


RULES: Final[Mapping[str, Callable[[Trip], Score]]] = {
    "informativeness": informativeness,
    "groundedness": groundedness,
    "preference_alignment": preference_alignment,
    "proactiveness": proactiveness,
    "non_repetition": non_repetition,
}
"""The dimensions that rules can judge honestly."""


def rule_scores(trip: Trip) -> list[Score]:
    """Return one score for each of the seven dimensions, in their order.

    Args:
        trip: The episode as read by :func:`~supermarket_env.scorers.judge.trip.read_trip`.
    """
    found = []
    for dim in DIMENSIONS:
        rule = RULES.get(dim)
        if rule is None:
            found.append(unscored(dim, "needs a judge who reads the words; rules cannot tell"))
        elif not trip.turns:
            found.append(unscored(dim, "the assistant had no turn"))
        elif not trip.has_slots and dim != "groundedness" and dim != "non_repetition":
            found.append(unscored(dim, "the log holds words only, not what the user meant"))
        else:
            found.append(rule(trip))
    return found
