"""The part of an episode's row that needs the truth: satisfaction, elicitation, budget."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from supermarket_env.metrics.ranking import RECALL_CUT
from supermarket_env.metrics.satisfaction import (
    TrueNeed,
    assign,
    candidate_bits,
    list_hits,
    list_regret,
    open_needs,
    true_needs,
)
from supermarket_env.metrics.trace import Trace, finite


@dataclass(slots=True)
class TruthRow:
    """Figures of one episode against the truth; None where the log does not say enough."""

    need_satisfaction: float | None = None
    cart_satisfaction: float | None = None
    regret: float | None = None
    hard_violations: int | None = None
    complete: bool | None = None
    need_hit: float | None = None
    """Share of the lists with something acceptable for an open need; 0 without lists."""
    need_regret: float | None = None
    regret_skipped: int = 0
    """Lists left out of ``need_regret``."""
    early_lists: int = 0
    judged_lists: int = 0
    """Lists ``early_lists`` was counted over."""
    elicited: float | None = None
    elicited_at: tuple[tuple[int, float], ...] = ()
    """(turn, share of all attributes made known in it), by turn; empty when ``elicited`` is None or 0."""
    learned_by_asking: int | None = None
    """Attributes first made known in a turn with a question."""
    candidate_bits: float | None = None
    """Halvings of the set of products that fit what is known of a need, mean over the needs."""
    unplanned_spend: float | None = None
    """Money paid for products that serve no need."""
    persona: Mapping[str, float] | None = None
    overrun: float | None = None
    tour_m: float | None = None


NO_TRUTH = TruthRow()


def truth_row(trace: Trace, truth: Mapping[str, Any], *, paid: bool, reason: str) -> TruthRow:
    """Return the figures of one episode that need its truth.

    Args:
        trace: The episode.
        truth: Its truth as logged; any part may be missing.
        paid: Whether it ended in a payment.
        reason: Why it ended.
    """
    row = TruthRow(tour_m=finite(truth.get("tour_m")), overrun=_overrun(trace, truth, paid=paid))
    row.persona = _persona(truth)
    violates = truth.get("violates")
    if isinstance(violates, dict):
        row.hard_violations = sum(1 for product in trace.cart if violates.get(product))
    needs = true_needs(truth)
    if needs is None:
        return row
    best = finite(truth.get("U_star"))
    assignment = assign(needs, trace.cart)
    utility = assignment.utility if paid else 0.0
    if best is not None:
        row.regret = best - utility
        if best > 0:
            row.need_satisfaction = max(0.0, utility) / best
            row.cart_satisfaction = 0.0 if reason == "assistant_error" else max(0.0, assignment.utility) / best
    filled = all(units >= need.wanted for need, units in zip(needs, assignment.units, strict=True) if need.acceptable)
    row.complete = paid and filled and not row.hard_violations
    _read_reveals(row, trace, needs)
    row.unplanned_spend = _unplanned(trace, needs, paid=paid)
    _read_lists(row, trace, needs)
    return row


def _read_reveals(row: TruthRow, trace: Trace, needs: Sequence[TrueNeed]) -> None:
    """When the needs' attributes became known, and how many of them in a turn with a question."""
    names = {f"{need.need_id}.{attribute}" for need in needs for attribute in need.attributes}
    if not names:
        return
    turns = Counter(trace.reveals[name] for name in names.intersection(trace.reveals))
    row.elicited = turns.total() / len(names)
    row.elicited_at = tuple((turn, turns[turn] / len(names)) for turn in sorted(turns))
    row.learned_by_asking = sum(turns[turn] for turn in set(trace.asked_turns))
    row.candidate_bits = candidate_bits(needs, trace.reveals)


def _persona(truth: Mapping[str, Any]) -> Mapping[str, float] | None:
    persona = truth.get("persona")
    if not isinstance(persona, dict):
        return None
    return {str(name): number for name, value in persona.items() if (number := finite(value)) is not None}


def _unplanned(trace: Trace, needs: Sequence[TrueNeed], *, paid: bool) -> float | None:
    """Money paid for products that no need accepts; None without the price of one of them."""
    if not paid:
        return 0.0
    costs = []
    for product, quantity in trace.cart.items():
        if any(product in need.acceptable for need in needs):
            continue
        price = trace.prices.get(product)
        if price is None:
            return None
        costs.append(price * quantity)
    return math.fsum(costs)


def _read_lists(row: TruthRow, trace: Trace, needs: Sequence[TrueNeed]) -> None:
    """Hits, regrets and earliness of the lists against the needs open when they were shown."""
    hits, regrets = 0, []
    for shown in trace.lists:
        opened = open_needs(needs, shown.cart_before)
        top = shown.items[:RECALL_CUT]
        hits += list_hits(opened, top)
        loss = list_regret(opened, top)
        if loss is None:
            row.regret_skipped += 1
        else:
            regrets.append(loss)
        row.early_lists += not _informed(trace, opened, shown.turn) and not list_hits(opened, shown.items)
    row.judged_lists = len(trace.lists)
    row.need_hit = hits / max(1, len(trace.lists))
    row.need_regret = math.fsum(regrets) / len(regrets) if regrets else None


def _informed(trace: Trace, opened: Sequence[TrueNeed], turn: int) -> bool:
    """Whether some open need had an attribute besides its type made known before this turn."""
    return any(
        attribute != "type" and trace.reveals.get(f"{need.need_id}.{attribute}", turn) < turn
        for need in opened
        for attribute in need.attributes
    )


def _overrun(trace: Trace, truth: Mapping[str, Any], *, paid: bool) -> float | None:
    """Money paid above the budget; None without a budget or without the price of something bought."""
    budget = finite(truth.get("budget"))
    if budget is None:
        return None
    if not paid:
        return 0.0
    costs = []
    for product, quantity in trace.cart.items():
        price = trace.prices.get(product)
        if price is None:
            return None
        costs.append(price * quantity)
    # Prices are whole cents: what floats add below that is no overrun.
    return max(0.0, round(math.fsum(costs) - budget, 6))
