"""The realism report: the table of facts, the measures on trips written by hand, and the verdict."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.user_sim import realism_measures as measures
from supermarket_env.user_sim.realism import Finding, Shop, judge, passed, read_trip, verdict_line, verdict_of
from supermarket_env.user_sim.realism_facts import FACTS, ROLES, Fact, around
from supermarket_env.user_sim.realism_measures import MEASURES, Measured

# Four standing points in a row, 5 m apart: door A, perimeter B, aisle C, checkout D; a move may pass one of them.
PLACE = {"A": 0.0, "B": 5.0, "C": 10.0, "D": 15.0}
SHOP = Shop(
    brand={"m1": "Alm", "m2": "Berg", "m3": "Alm", "b1": "Korn", "gum": "Pop"},
    kind={"m1": "milk", "m2": "milk", "m3": "milk", "b1": "bread", "gum": "gum"},
    price={"m1": 1.0, "m2": 2.0, "m3": 1.5, "b1": 3.0, "gum": 0.5},
    node_kind={"A": "entrance", "B": "perimeter", "C": "aisle", "D": "checkout"},
    passed={("A", "C"): ("B",), ("B", "D"): ("C",)},
    metres={(a, b): abs(x - y) for a, x in PLACE.items() for b, y in PLACE.items()},
    checkouts=("D",),
)


def user(turn: int, action: str, path_m: float = 0.0, **more: Any) -> dict[str, Any]:
    return {"k": "user", "turn": turn, "act": "chat", "action": {"type": action, "params": {}}, "path_m": path_m} | more


def add(turn: int, sku: str, why: str = "self_found", qty: int = 1) -> dict[str, Any]:
    return {"k": "cart", "turn": turn, "op": "add", "sku": sku, "qty": qty, "price": SHOP.price[sku], "why": why}


def obs(step: int, at: str) -> dict[str, Any]:
    return {"k": "obs", "step": step, "visible": [], "at": at}


def a_trip() -> dict[str, Any]:
    """Bread at C, back to B for gum, on to the checkout: 10 + 5 + 10 m; m1 was sold out, m3 bought instead."""
    sold_out: dict[str, Any] = {
        "act": "complain",
        "slots": {"cause": "out_of_stock", "products": ["m1"]},
        "reveals": ["0.size"],
    }
    return {
        "stratum": "browse",
        "events": [
            obs(0, "A"), {"k": "user", "turn": 0, "act": "disclose", "reveals": ["0.type", "1.type", "1.brand"]},
            user(1, "move", 10.0), obs(1, "C"), user(2, "add"), add(2, "b1", qty=2), obs(2, "C"),
            user(3, "wait", **sold_out), obs(3, "C"), user(4, "add"), add(4, "m3"), obs(4, "C"),
            user(5, "move", 5.0), obs(5, "B"), user(6, "add"), add(6, "gum", "impulse"), obs(6, "B"),
            user(7, "move", 10.0), obs(7, "D"), user(8, "checkout"), obs(8, "D"),
            {"k": "end", "reason": "checkout", "tour_m": 15.0},
        ],
        "truth": {
            "budget": 9.0, "best_cart": [["b1", 2], ["m1", 1]],
            "needs": [{"types": ["milk"]}, {"types": ["bread"]}],
        },
    }  # fmt: skip


def one(name: str, line: dict[str, Any] | None = None) -> Measured | None:
    trip = read_trip(line or a_trip(), SHOP)
    measure = MEASURES[name]
    return measures.resampled(
        measure.rows(measures.Trips([trip], [trip], [trip], ([trip], [trip])), SHOP), measure.combine, resamples=5
    )


@pytest.mark.parametrize(
    ("name", "value", "n"),
    [
        ("unplanned_share", 1 / 3, 3),
        ("unplanned_drift", 1.0, 1),
        ("budget_room", 1.0, 1),
        ("coverage", 1.0, 1),
        ("coverage_large", 1.0, 1),
        # Extra metres: none by the order (C, C, B, D is 10 + 5 + 10 = 25 against 15), all 10 of them are the order's.
        ("travel_part", 0.0, 10),
        ("perimeter_preference", 1.0, 1),
        ("handling_share", 5 / 8, 8),
        ("small_trips", 1.0, 1),
        ("met_sold_out", 1 / 3, 3),
        ("sold_out_nothing", 0.0, 1),
        ("sold_out_same_brand", 1.0, 1),
        ("sold_out_other_brand", 0.0, 1),
        ("told_at_once", 3 / 4, 4),
    ],
)
def test_figures_of_a_trip_on_paper(name: str, value: float, n: int) -> None:
    found = one(name)
    assert found is not None
    assert found.value == pytest.approx(value)
    assert found.n == n


def test_a_trip_as_read() -> None:
    trip = read_trip(a_trip(), SHOP)
    assert (trip.moves, trip.turns, trip.walked_m, trip.ordered_m, trip.tour_m) == (3, 8, 25.0, 25.0, 15.0)
    assert [(t.product, t.qty, t.planned, t.node) for t in trip.bought] == [
        ("b1", 2, True, "C"),
        ("m3", 1, True, "C"),
        ("gum", 1, False, "B"),
    ]
    assert trip.planned_cost == 7.0
    assert trip.nodes == {"A", "B", "C", "D"}


def test_who_leaves_has_bought_nothing_and_needs_no_tour() -> None:
    line = a_trip()
    line["events"][-1] = {"k": "end", "reason": "patience", "turn": 8}
    line["events"].insert(-1, {"k": "cart", "turn": 8, "op": "clear"})
    trip = read_trip(line, SHOP)
    assert (trip.bought, trip.paid, trip.tour_m, trip.ordered_m) == ((), False, None, None)
    assert one("travel_part", line) is None
    assert one("small_trips", line) is None
    assert trip.sold_out == (("m1", "nothing"),)


def test_hints_count_when_they_are_legal_and_against_the_plan() -> None:
    move = {"type": "move", "params": {"node": "B"}}
    wait = {"type": "wait", "params": {}}
    events: list[dict[str, Any]] = []
    for turn, (done, would, legal) in enumerate(
        [(move, wait, True), (wait, wait, True), (move, move, True), (move, wait, False)], start=1
    ):
        events += [{"k": "suggest", "turn": turn, "action": move, "legal": legal}]
        events += [{"k": "user", "turn": turn, "act": "chat", "action": done, "would": would}]
    trip = read_trip({"events": [*events, {"k": "end", "reason": "left"}]}, SHOP)
    assert trip.hints == (1, 2)


def test_elasticity_from_two_price_worlds() -> None:
    # Odds of the first half: 1/2 when it is dearer, 2 when the other is: log(1/4) over 2 log(1.25).
    found = measures.elasticity(np.array([[10.0, 20.0, 20.0, 10.0]]))
    assert found.value == pytest.approx(math.log(0.25) / (2 * math.log(1.25)))
    assert math.isnan(measures.elasticity(np.array([[0.0, 20.0, 20.0, 10.0]])).value)


def test_slope_and_rank_correlation() -> None:
    rows = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]])
    assert measures.slope(rows).value == pytest.approx(2.0)
    assert measures.rank_correlation(rows).value == pytest.approx(1.0)
    assert math.isnan(measures.slope(rows[:1]).value)


def test_empty_handed_are_compared_with_buyers_of_the_same_trips() -> None:
    # Type 1: buyers 10 moves, one empty-handed 18; type 2: a buyer of 40 without counterpart.
    rows = np.array([[1.0, 1.0, 10.0], [1.0, 0.0, 18.0], [2.0, 1.0, 40.0]])
    found = measures.standardised_gap(rows)
    assert found.value == pytest.approx(0.8)
    assert found.n == 1


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9)), min_size=1, max_size=30))
def test_an_interval_holds_no_nan_and_repeats(pairs: list[tuple[int, int]]) -> None:
    rows = np.array([(min(a, b), b) for a, b in pairs], dtype=np.float64)
    first = measures.resampled(rows, measures.ratio, resamples=20)
    assert first == measures.resampled(rows, measures.ratio, resamples=20)
    assert first is not None
    assert 0.0 <= first.low <= first.high <= 1.0


# --- the table ---------------------------------------------------------------------------------------------------


def test_every_fact_is_complete() -> None:
    assert len({fact.id for fact in FACTS}) == len(FACTS)
    for fact in FACTS:
        assert fact.role in ROLES
        assert fact.text
        assert fact.note or fact.role in ("held_out", "tune"), fact.id
        assert (fact.role == "not_expressible") == (not fact.measure), fact.id
        assert fact.measure in ("", *MEASURES), fact.id
        assert bool(fact.source) != (fact.role == "uncalibrated"), fact.id
        if fact.held_to:
            assert math.isfinite(fact.low) or math.isfinite(fact.high), fact.id
    assert {int("".join(c for c in fact.id if c.isdigit())) for fact in FACTS} == set(range(1, 16))
    assert set(MEASURES) == {fact.measure for fact in FACTS} - {""}


def test_half_of_the_facts_tune_and_half_are_held_out() -> None:
    roles = [fact.role for fact in FACTS if fact.held_to]
    assert roles.count("tune") == roles.count("held_out")


def test_tolerances_follow_the_rule() -> None:
    by_id = {fact.id: fact for fact in FACTS}
    assert (by_id["12a"].low, by_id["12a"].high) == around(-2.62, share=False)
    assert (by_id["11d"].low, by_id["11d"].high) == around(0.26, share=True) == (0.195, 0.325)
    assert by_id["4a"].tolerance == "below 0.5"


# --- verdicts ----------------------------------------------------------------------------------------------------

FACT = Fact("1", "words", "about a half", "somebody", "tune", "coverage", 0.4, 0.6)


@pytest.mark.parametrize(
    ("role", "measured", "expected"),
    [
        ("tune", Measured(0.5, 0.4, 0.6, 30), "holds"),
        ("held_out", Measured(0.6, 0.5, 0.7, 30), "fails"),
        ("tune", Measured(0.5, 0.4, 0.6, 29), "too few"),
        ("tune", None, "too few"),
        ("disputed", Measured(0.9, 0.8, 1.0, 30), "reported"),
        ("uncalibrated", Measured(0.9, 0.8, 1.0, 30), "uncalibrated"),
        ("not_expressible", None, "not expressible"),
    ],
)
def test_verdicts(role: Any, measured: Measured | None, expected: str) -> None:
    assert verdict_of(dataclasses.replace(FACT, role=role), measured) == expected


def test_a_user_passes_when_nothing_it_is_held_to_fails() -> None:
    out = dataclasses.replace(FACT, id="2", role="disputed")
    good = (Finding(FACT, Measured(0.5, 0.4, 0.6, 99), "holds"), Finding(out, Measured(9, 9, 9, 99), "reported"))
    assert passed(good)
    assert verdict_line("me", good) == ("PASS: realism of me: 1 of 1 tuned facts hold, 0 of 0 held-out facts hold")
    bad = (*good, Finding(dataclasses.replace(FACT, id="3", role="held_out"), None, "too few"))
    assert not passed(bad)
    assert verdict_line("me", bad).endswith("0 of 1 held-out facts hold (3 too few)")


def test_without_trips_nothing_can_be_judged() -> None:
    found = judge(measures.Trips(), SHOP)
    assert all(finding.measured is None for finding in found)
    assert not passed(found)
