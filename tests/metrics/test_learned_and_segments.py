"""Elicitation by turn and by question, candidates left, unplanned money, extra metres, persona thirds: by hand."""

from __future__ import annotations

from typing import Any

import pytest

from supermarket_env.metrics import compute, grouped
from supermarket_env.metrics.satisfaction import candidate_bits, true_needs
from supermarket_env.metrics.segments import persona_segments, worst_persona_segment

Line = dict[str, Any]

NEEDS: dict[str, Any] = {
    "needs": [
        {"id": "0", "outside": 0.1, "attributes": ["type", "brand"]},
        {"id": "1", "outside": 0.2, "attributes": ["type", "size"]},
    ],
    "acceptable": {"0": ["milk"], "1": ["bread"]},
    "utility": {"0": {"milk": 0.6}, "1": {"bread": 0.6}},
    "U_star": 0.9,
}


def line(*events: dict[str, Any], eid: str = "e", agent: str = "A", end: Any = "checkout", **more: Any) -> Line:
    ending = {"k": "end", "reason": end} if isinstance(end, str) else end
    return {
        "schema": "supermarket.episode/1",
        "episode_id": eid,
        "agent": agent,
        "events": [*events, ending],
        **more,
    }


def ask(turn: int, **slots: str) -> dict[str, Any]:
    return {"k": "assistant", "turn": turn, "act": "ask", "slots": slots}


def told(turn: int, *reveals: str) -> dict[str, Any]:
    return {"k": "user", "turn": turn, "act": "answer", "reveals": list(reveals)}


def add(sku: str, price: float | None = None, qty: int = 1) -> dict[str, Any]:
    return {"k": "cart", "turn": 1, "op": "add", "sku": sku, "qty": qty, "price": price}


def beyond(*lines: Line) -> dict[str, Any]:
    part: dict[str, Any] = compute(lines)["beyond"]
    return part


def test_elicited_by_turn_ends_at_elicited() -> None:
    one = line(told(0, "0.type"), told(2, "0.brand", "1.type", "0.colour"), told(3), eid="1", truth=NEEDS)
    two = line(told(0, "0.type", "0.brand"), told(1, "0.type"), eid="2", truth=NEEDS)
    unknown = line(told(1, "0.type"), eid="3")
    out = beyond(one, two, unknown)
    # Episodes with T = 2 (turns 2 and 3) and T = 1; the curve has the points 0 .. 2.
    assert out["elicited(t)"] == pytest.approx([(1 / 4 + 2 / 4) / 2, (1 / 4 + 2 / 4) / 2, (3 / 4 + 2 / 4) / 2])
    assert out["elicited"] == pytest.approx(out["elicited(t)"][-1])
    assert beyond(unknown)["elicited(t)"] is None
    assert compute([])["beyond"]["elicited(t)"] is None


def test_elicited_by_turn_has_intervals() -> None:
    lines = [line(told(1, "0.type"), eid=str(k), task_id=str(k), truth=NEEDS) for k in range(20)]
    group = grouped(lines, (), intervals=True)
    assert group["intervals"]["elicited(t)"] == [[0.0, 0.0], [0.25, 0.25]]
    few = grouped(lines[:3], (), intervals=True)["intervals"]["elicited(t)"]
    assert few[1][0] < 0.25 < few[1][1], "three equal values do not tell that all tasks are equal"


def test_reveals_per_question_counts_all_questions_and_their_turns_only() -> None:
    asked = line(
        told(0, "0.type"),
        ask(1, need="0", attribute="anything"),
        told(1, "0.brand"),
        ask(2, attribute="anything"),
        told(2, "1.type", "1.size"),
        ask(3, attribute="anything"),
        told(3),
        told(4, "9.odd"),
        truth=NEEDS,
    )
    assert beyond(asked)["reveals_per_question"] == pytest.approx(3 / 3)
    unasked = line(told(1, "0.type", "0.brand"), eid="2", truth=NEEDS)
    assert beyond(asked, unasked)["reveals_per_question"] == pytest.approx(1.0)
    assert beyond(unasked)["reveals_per_question"] is None
    assert beyond(line(ask(1, need="0", attribute="brand"), told(1, "0.brand")))["reveals_per_question"] is None


def candidates(*groups: Any) -> dict[str, Any]:
    first = {**NEEDS["needs"][0], "candidates": list(groups)}
    return {**NEEDS, "needs": [first, NEEDS["needs"][1]]}


@pytest.mark.parametrize(
    ("reveals", "bits"),
    [
        ((), 0.0),
        (("0.type",), 0.0),
        (("0.type", "0.brand"), 2.0),  # 2 of 8 products are of the brand
        (("0.brand",), 0.0),  # a brand without a type narrows nothing down yet
        (("0.type", "1.size"), 0.0),
    ],
)
def test_candidate_bits(reveals: tuple[str, ...], bits: float) -> None:
    truth = candidates([2, []], [6, ["brand"]])
    assert beyond(line(told(1, *reveals), truth=truth))["candidate_bits"] == pytest.approx(bits)


def test_candidate_bits_where_nothing_fits_or_nothing_is_logged() -> None:
    needs = true_needs(candidates([8, ["brand"]]))
    assert needs is not None
    assert candidate_bits(needs, {"0.type", "0.brand"}) == pytest.approx(3.0)
    assert beyond(line(told(1, "0.type"), truth=NEEDS))["candidate_bits"] is None
    junk = candidates("x", [0, []], [True, []], [4])
    assert beyond(line(told(1, "0.type"), truth=junk))["candidate_bits"] is None


def test_unplanned_spend_and_extra_metres_against_silent() -> None:
    def trip(agent: str, task: str, walked: float, *cart: dict[str, Any], reason: str = "checkout") -> Line:
        end = {"k": "end", "reason": reason, "walked_m": walked}
        who = {"user": "u", "store": "s", "task_id": task, "trial": 0}
        return line(*cart, agent=agent, eid=agent + task, end=end, truth=NEEDS, **who)

    lines = [
        trip("rule", "1", 50.0, add("milk", 1.0), add("sweets", 2.5, qty=2)),
        trip("rule", "2", 70.0, add("bread", 2.0)),
        trip("rule", "3", 10.0, add("sweets", 9.0), reason="left"),
        trip("silent", "1", 80.0, add("sweets", 2.0)),
        trip("silent", "2", 60.0, add("milk", 1.0)),
    ]
    groups = {group["agent"]: group["beyond"] for group in grouped(lines, ("agent",))["groups"]}
    assert groups["rule"]["unplanned_spend"] == pytest.approx(5.0 / 3)
    assert groups["rule"]["unplanned_spend_extra"] == pytest.approx(((5.0 - 2.0) + 0.0) / 2)
    assert groups["rule"]["walked_extra"] == pytest.approx((-30.0 + 10.0) / 2)
    assert groups["silent"]["walked_extra"] is None
    assert groups["silent"]["unplanned_spend_extra"] is None
    assert beyond(line(add("sweets"), truth=NEEDS))["unplanned_spend"] is None  # no price
    assert beyond(line(add("milk"), truth=NEEDS))["unplanned_spend"] == 0.0
    assert beyond(line(add("sweets", 1.0)))["unplanned_spend"] is None  # no truth


def test_walking_turns() -> None:
    acts = [
        {"k": "user", "turn": t, "action": {"type": kind, "params": {}}}
        for t, kind in ((1, "move"), (2, "wait"), (3, "move"), (3, "move"))
    ]
    out = beyond(line(*acts))
    assert (out["walking_turns"], out["talk_turns"]) == (2.0, 1.0)


def shoppers(n: int, traits: dict[str, Any]) -> list[Line]:
    """Episodes k = 0 .. n - 1, the first half of which buys nothing."""
    return [
        line(
            *([add("milk")] if 2 * k >= n else []),
            eid=str(k),
            truth={**NEEDS, "persona": {name: value(k) for name, value in traits.items()}},
        )
        for k in range(n)
    ]


def test_persona_thirds() -> None:
    lines = shoppers(6, {"patience": float, "trust": lambda k: 0.5, "temper": lambda k: -float(k)})
    out = beyond(*lines)["need_satisfaction_by_persona"]
    share = 0.5 / 0.9
    assert sorted(out) == ["patience", "temper"]  # everybody's trust is the same
    assert out["patience"] == pytest.approx({"low": 0.0, "middle": share / 2, "high": share})
    assert out["temper"] == pytest.approx({"low": share, "middle": share / 2, "high": 0.0})
    assert beyond(*lines)["worst_persona_segment"] is None  # thirds of two episodes are too small


def test_worst_persona_segment_names_the_weakest_large_third() -> None:
    out = beyond(*shoppers(60, {"patience": float}))["worst_persona_segment"]
    assert out == {"key": "patience", "value": "low", "n": 20, "need_satisfaction": 0.0}
    assert worst_persona_segment([]) is None


def test_equal_trait_values_stay_in_one_third() -> None:
    from supermarket_env.metrics import rows_of

    thirds = persona_segments(rows_of(shoppers(6, {"patience": lambda k: float(k > 0)})))["patience"]
    assert [len(thirds[name]) for name in ("low", "middle", "high")] == [1, 0, 5]
