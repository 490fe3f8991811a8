"""Preference alignment by rules: what is proposed against what the user has said, and adapting after a no."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from supermarket_env.catalogue.schema import Product
from supermarket_env.scorers.base import Score, unscored
from supermarket_env.scorers.judge.grades import at_least_one, by_share
from supermarket_env.scorers.judge.trip import KnownNeed, Trip, Turn, record_of
from supermarket_env.scorers.truth import StoreTruth

FITTING: Final = (0.25, 0.5, 0.7, 0.88)
PATIENCE: Final = 4
"""Turns an assistant may take until its first proposal for a stated need."""
CENT: Final = 0.005


class Proposal(NamedTuple):
    """How one turn's proposals agree with what is known."""

    turn: int
    fit: float
    """0 (not at all) to 1."""
    forbidden: tuple[str, ...]
    """Products that hold a named allergen or break a named diet."""
    insisted: tuple[str, ...]
    """Products proposed again although they were turned down."""


def preference_alignment(trip: Trip) -> Score:
    """Grade proposals by fit; a forbidden product caps the grade at 2, insisting on a refused one at 3."""
    found = [p for turn in trip.turns if (p := judge_proposals(turn, trip.truth)) is not None]
    if not found:
        return unscored("preference_alignment", "nothing was proposed after the user had stated a need")
    ignored = _ignored_needs(trip)
    fit = math.fsum(p.fit for p in found) / (len(found) + ignored)
    forbidden = [name for p in found for name in p.forbidden]
    insisted = [name for p in found for name in p.insisted]
    grade = by_share(fit, FITTING)
    if forbidden:
        grade = min(grade - 1, 2 if sum(bool(p.forbidden) for p in found) == 1 else 1)
    if insisted:
        grade = min(grade - 1, 3 if len(insisted) == 1 else 2)
    words = (
        f"{len(found)} proposals, fit {fit:.2f}, {len(forbidden)} forbidden products, "
        f"{len(insisted)} refused products offered again, {ignored} stated needs without any proposal"
    )
    return Score("preference_alignment", at_least_one(grade), explanation=words, is_rating=True)


def _ignored_needs(trip: Trip) -> int:
    """Count the needs stated early enough that were never met by a proposal, nor settled by the user alone."""
    if trip.truth is None:
        return 0
    offered = {
        record.product_type for turn in trip.turns for p in turn.proposed if (record := record_of(trip.truth, p))
    }
    last = trip.turns[-1].reply.turn
    return sum(
        bool(need.types) and need.closed is None and need.since + PATIENCE <= last and offered.isdisjoint(need.types)
        for need in trip.needs.values()
    )


def judge_proposals(turn: Turn, truth: StoreTruth | None) -> Proposal | None:
    """Return how a turn's proposals agree with what was known; None when there is nothing to hold them against."""
    if not turn.proposed or not turn.needs:
        return None
    records = [record for product in turn.proposed if (record := record_of(truth, product)) is not None]
    insisted = tuple(p for p in turn.proposed if p in turn.rejected)
    if not records:
        return Proposal(turn.reply.turn, 0.0, (), insisted) if truth is not None or insisted else None
    forbidden = tuple(record.id for record in records if _is_forbidden(record, turn))
    fit = max(_fit(record, turn, truth) for record in records)
    strays = sum(_need_for(record, turn) is None for record in records) / len(records)
    return Proposal(turn.reply.turn, fit * (1.0 - 0.5 * strays), forbidden, insisted)


def _need_for(record: Product, turn: Turn) -> KnownNeed | None:
    """Return the stated need a product is of, those still open first; None when it is of none."""
    fitting = [
        need
        for need in turn.needs.values()
        if record.product_type in need.types
        or (not need.types and (not need.departments or record.department in need.departments))
    ]
    return min(fitting, key=lambda need: (need.closed is not None, need.ordinal), default=None)


def _is_forbidden(record: Product, turn: Turn) -> bool:
    if turn.allergies & record.allergens:
        return True
    need = _need_for(record, turn)
    return need is not None and not need.diets <= record.diets | record.attributes


def _fit(record: Product, turn: Turn, truth: StoreTruth | None) -> float:
    """Return the share of what can be had of the stated wishes that a product has; 0 when no need is of its kind."""
    need = _need_for(record, turn)
    if need is None or truth is None:
        return 0.0
    wishes = _wishes(need)
    if not wishes:
        return 1.0
    best = best_share(need, truth)
    return min(1.0, _share(record, need) / best) if best > 0 else 1.0


def _wishes(need: KnownNeed) -> int:
    return len(need.wishes) + bool(need.brand) + (need.price_limit is not None)


def _share(record: Product, need: KnownNeed) -> float:
    met = len(need.wishes & (record.attributes | record.diets))
    met += bool(need.brand) and record.brand == need.brand
    met += need.price_limit is not None and record.price_cents / 100.0 <= need.price_limit + CENT
    return met / _wishes(need)


def best_share(need: KnownNeed, truth: StoreTruth) -> float:
    """Return the largest share of a need's wishes that one product on the shelves has; 0 without such products."""
    best = 0.0
    for name in sorted(need.types):
        number = truth.type_numbers.get(name)
        for p in truth.catalogue.products_of(number) if number is not None else ():
            if truth.is_carried(p):
                best = max(best, _share(truth.product(p), need))
                if best == 1.0:
                    return best
    return best
