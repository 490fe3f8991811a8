"""Simulated figures beside published facts about shoppers: reading trips from logs, measuring, judging.

The measures read the event log and a plan of the shop, so that they work for any user model and for logs from
elsewhere. :func:`judge` gives each fact of :data:`~supermarket_env.user_sim.realism_facts.FACTS` its figure, an
interval (95 %, resampling trips) and a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal

from supermarket_env.events.types import PAID_REASONS
from supermarket_env.user_sim.realism_facts import FACTS, Fact
from supermarket_env.user_sim.realism_measures import MEASURES, Measured, Trips, resampled

Verdict = Literal["holds", "fails", "too few", "reported", "uncalibrated", "not expressible"]

FEWEST: Final = 30
"""Observations below which a figure is not judged."""


@dataclass(frozen=True)
class Shop:
    """What a log does not say about the place: goods and ways, by id."""

    brand: Mapping[str, str]
    kind: Mapping[str, str]
    """Product type by product."""
    price: Mapping[str, float]
    node_kind: Mapping[str, str]
    passed: Mapping[tuple[str, str], tuple[str, ...]]
    """Standing points passed by a move, its ends left out; may lack moves that pass none."""
    metres: Mapping[tuple[str, str], float]
    """Shortest walk between two standing points."""
    checkouts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Take:
    """One product put into the cart."""

    product: str
    kind: str
    brand: str
    price: float
    qty: int
    planned: bool
    kept: bool
    """Still in the cart at the end."""
    node: str


@dataclass(frozen=True, slots=True)
class Trip:
    """One episode as the measures see it."""

    stratum: str
    paid: bool
    moves: int
    turns: int
    walked_m: float
    tour_m: float | None
    """Shortest tour for what was bought; None without a purchase or when the log does not say."""
    ordered_m: float | None
    """Shortest walk through the places where it was taken, in that order."""
    nodes: frozenset[str]
    """Standing points passed."""
    coverage: float | None
    """Their share of all; None when the log does not say where the user stood."""
    takes: tuple[Take, ...]
    """Each product once, in the order of the first time it was taken."""
    sold_out: tuple[tuple[str, str], ...]
    """(product, what followed) for each need whose product was sold out: nothing, same_brand or other_brand."""
    budget: float | None
    planned_cost: float | None
    told: tuple[int, int]
    """Facts told in the opening line, and at all."""
    hints: tuple[int, int]
    """Legal hints against the user's own plan that were followed, and all of them."""

    @property
    def bought(self) -> tuple[Take, ...]:
        """What was paid for."""
        return tuple(take for take in self.takes if take.kept) if self.paid else ()


def read_trip(line: Mapping[str, Any], shop: Shop) -> Trip:
    """Return the trip of a log line.

    Args:
        line: A valid line, events in any order of turns.
        shop: The shop it took place in.
    """
    events = line["events"]
    users = [event for event in events if event["k"] == "user"]
    end: Mapping[str, Any] = next((event for event in events if event["k"] == "end"), {"reason": "infra_error"})
    seen = sorted((event for event in events if event["k"] == "obs"), key=lambda event: event["step"])
    walk = [str(event["at"]) for event in seen if event.get("at")]
    paid = end["reason"] in PAID_REASONS
    takes = _takes(events, shop, walk)
    truth = line.get("truth") or {}
    plan = truth.get("best_cart")
    acted = [user for user in users if user.get("action")]
    places = [take.node for take in takes if take.kept and take.node]
    nodes = frozenset(walk).union(*(shop.passed.get(step, ()) for step in pairwise(walk)))
    return Trip(
        stratum=str(line.get("stratum") or ""),
        paid=paid,
        moves=sum(user["action"]["type"] == "move" for user in acted),
        turns=len(acted),
        walked_m=math.fsum(float(user.get("path_m") or 0.0) for user in acted),
        tour_m=end.get("tour_m") if paid else None,
        ordered_m=_ordered(walk, places, shop) if paid else None,
        nodes=nodes,
        coverage=len(nodes) / len(shop.node_kind) if nodes and shop.node_kind else None,
        takes=takes,
        sold_out=_sold_out(users, takes, shop, truth),
        budget=truth.get("budget"),
        planned_cost=math.fsum(shop.price.get(sku, 0.0) * qty for sku, qty in plan) if plan else None,
        told=_told(users),
        hints=_hints(events),
    )


def _takes(events: Sequence[Mapping[str, Any]], shop: Shop, walk: Sequence[str]) -> tuple[Take, ...]:
    held: dict[str, int] = {}
    first: dict[str, Mapping[str, Any]] = {}
    for event in (event for event in events if event["k"] == "cart"):
        sku, qty = str(event.get("sku")), int(event.get("qty", 1))
        if event["op"] == "clear":
            held = dict.fromkeys(held, 0)
        elif event["op"] == "add":
            first.setdefault(sku, event)
            held[sku] = held.get(sku, 0) + qty
        else:
            held[sku] = held.get(sku, 0) - qty
    return tuple(
        Take(
            product=sku,
            kind=shop.kind.get(sku, ""),
            brand=shop.brand.get(sku, ""),
            price=float(event.get("price") or shop.price.get(sku, 0.0)),
            qty=held[sku] if held[sku] > 0 else int(event.get("qty", 1)),
            planned=event.get("why") != "impulse",
            kept=held[sku] > 0,
            node=walk[min(event["turn"] - 1, len(walk) - 1)] if walk and event["turn"] >= 1 else "",
        )
        for sku, event in first.items()
    )


def _ordered(walk: Sequence[str], places: Sequence[str], shop: Shop) -> float | None:
    """Return the shortest walk from the door through the places to the nearest checkout."""
    if not walk or not places:
        return None
    steps = [walk[0], *places]
    legs = [shop.metres.get(step, math.inf) for step in pairwise(steps)]
    out = min((shop.metres.get((steps[-1], c), math.inf) for c in shop.checkouts), default=math.inf)
    total = math.fsum(legs) + out
    return None if math.isinf(total) else total


def _sold_out(
    users: Sequence[Mapping[str, Any]], takes: Sequence[Take], shop: Shop, truth: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    """Return the first sold-out product of each need and what was bought for that need besides it."""
    found: list[tuple[str, str]] = []
    seen: set[frozenset[str]] = set()
    for user in users:
        slots = user.get("slots") or {}
        if user.get("act") != "complain" or slots.get("cause") != "out_of_stock" or not slots.get("products"):
            continue
        product = slots["products"][0]
        kind = shop.kind.get(product, "")
        group = next((frozenset(n["types"]) for n in truth.get("needs", ()) if kind in n["types"]), frozenset({kind}))
        if group in seen:
            continue
        seen.add(group)
        others = [t for t in takes if t.kept and t.planned and t.kind in group and t.product != product]
        same = any(take.brand == shop.brand.get(product) for take in others)
        found.append((product, "nothing" if not others else "same_brand" if same else "other_brand"))
    return tuple(found)


def _told(users: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    counts = [(user["turn"], len(user.get("reveals") or ())) for user in users]
    return sum(n for turn, n in counts if turn == 0), sum(n for _, n in counts)


def _hints(events: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return the legal hints that the user would not have carried out anyway: followed, and all."""
    hints = {e["turn"]: e["action"] for e in events if e["k"] == "suggest" and e.get("legal", True)}
    followed = against = 0
    for user in (event for event in events if event["k"] == "user" and event["turn"] in hints):
        hint = hints[user["turn"]]
        if user.get("would") is not None and user["would"] != hint:
            against += 1
            followed += user.get("action") == hint
    return followed, against


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact with its simulated figure."""

    fact: Fact
    measured: Measured | None
    """None when it cannot be expressed or nothing was observed."""
    verdict: Verdict


def verdict_of(fact: Fact, measured: Measured | None) -> Verdict:
    """Return the verdict on a figure; see the roles of :data:`~supermarket_env.user_sim.realism_facts.ROLES`."""
    if fact.role == "not_expressible":
        return "not expressible"
    if fact.role == "uncalibrated":
        return "uncalibrated"
    if fact.role == "disputed":
        return "reported"
    if measured is None or measured.n < FEWEST:
        return "too few"
    return "holds" if fact.low < measured.value < fact.high else "fails"


def judge(trips: Trips, shop: Shop, *, facts: Sequence[Fact] = FACTS) -> tuple[Finding, ...]:
    """Measure and judge every fact.

    Args:
        trips: The trips; where a part is empty, the facts about it cannot be judged.
        shop: The shop of all but the ``large`` ones.
        facts: The facts to judge.
    """
    found = []
    for fact in facts:
        measured = None
        if fact.measure:
            measure = MEASURES[fact.measure]
            measured = resampled(measure.rows(trips, shop), measure.combine)
        found.append(Finding(fact, measured, verdict_of(fact, measured)))
    return tuple(found)


def passed(findings: Sequence[Finding]) -> bool:
    """Return whether every fact the simulation is held to holds (one that cannot be judged does not)."""
    return all(finding.verdict == "holds" for finding in findings if finding.fact.held_to)


def verdict_line(user: str, findings: Sequence[Finding]) -> str:
    """Return the verdict on a user in one line."""
    parts = []
    for role, words in (("tune", "tuned"), ("held_out", "held-out")):
        mine = [finding for finding in findings if finding.fact.role == role]
        holding = sum(finding.verdict == "holds" for finding in mine)
        parts.append(f"{holding} of {len(mine)} {words} facts hold")
    lacking = [f"{f.fact.id} {f.verdict}" for f in findings if f.fact.held_to and f.verdict != "holds"]
    head = "PASS" if passed(findings) else "FAIL"
    return f"{head}: realism of {user}: {', '.join(parts)}" + (f" ({', '.join(lacking)})" if lacking else "")
