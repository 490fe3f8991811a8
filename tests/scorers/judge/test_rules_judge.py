"""The rules judge on hand-written trips: each dimension's fault, its unscored cases, and its blind spots."""

from __future__ import annotations

from typing import Any

import pytest

from supermarket_env.scorers import make_scorer
from supermarket_env.scorers.base import WORDING_NOTE


def rate(episode: Any) -> dict[str, Any]:
    return {score.dim: score.value for score in make_scorer("judge").score(episode).scores}


def shown(turn: int, *items: str) -> dict[str, Any]:
    return {"k": "recommend", "turn": turn, "items": list(items)}


def milk_trip(log: Any, *middle: dict[str, Any], allergy: tuple[str, ...] = ()) -> Any:
    facts = {"allergy": list(allergy)} if allergy else {}
    opening = log.user(0, "disclose", "Milk please", **log.wants(1, "fresh milk", **facts))
    return log.episode(opening, *middle)


def test_a_silent_assistant_has_nothing_to_judge_but_its_silence(log: Any) -> None:
    found = rate(milk_trip(log, *[e for t in (1, 2, 3) for e in (log.says(t), log.user(t))]))
    assert found["informativeness"] == 1
    assert {dim for dim, value in found.items() if value is not None} == {"informativeness"}


def test_rules_do_not_pretend_to_read(log: Any) -> None:
    sheet = make_scorer("judge").score(log.episode(log.says(1, "Hi"), log.user(1), agent="rule"))
    for dim in ("naturalness", "overall_satisfaction"):
        score = sheet.of(dim)
        assert score is not None
        assert score.value is None
        assert score.notes == (WORDING_NOTE,)
        assert "reads" in score.reason


def test_a_good_trip_is_rated_excellent_everywhere(log: Any) -> None:
    product = log.carried("fresh milk")
    name = log.truth().catalogue.product(product).name
    found = rate(
        milk_trip(
            log,
            log.says(1, f"I suggest {log.priced(product)}.", "recommend", need=1),
            shown(1, product),
            log.user(1, "ask", "How much?", need=1, attribute="price", products=[product]),
            log.says(
                2, f"{name} costs {log.priced(product).rpartition('(')[2]}".rstrip(")"), "inform", products=[product]
            ),
            log.user(2, "accept", "Good", need=1, products=[product]),
            log.says(3, "Do you need anything else?", "ask", attribute="anything"),
            log.user(3, "answer", "No", attribute="anything"),
        )
    )
    assert {v for d, v in found.items() if d not in ("naturalness", "overall_satisfaction")} == {5}


def test_a_named_allergen_in_a_list_caps_preference_alignment(log: Any) -> None:
    safe, unsafe = log.carried("muesli", without="nuts"), log.carried("muesli", allergen="nuts")

    def trip(*items: str) -> Any:
        opening = log.user(0, "disclose", "Muesli", **log.wants(1, "muesli", allergy=["nuts"]))
        return log.episode(opening, log.says(1, "Look", "recommend", need=1), shown(1, *items), log.user(1))

    assert rate(trip(safe))["preference_alignment"] == 5
    assert rate(trip(safe, unsafe))["preference_alignment"] <= 2


def test_insisting_on_what_was_refused_costs_alignment_not_repetition(log: Any) -> None:
    first, second = log.carried("fresh milk"), log.carried("fresh milk", skip=1)

    def trip(*again: str) -> Any:
        return milk_trip(
            log,
            log.says(1, "This one", "recommend", need=1),
            shown(1, first),
            log.user(1, "reject", "No", need=1, products=[first], reason="price"),
            log.says(2, "Or these", "recommend", need=1),
            shown(2, *again),
            log.user(2),
        )

    adapting, insisting = rate(trip(second)), rate(trip(second, first))
    assert insisting["preference_alignment"] < adapting["preference_alignment"]
    assert insisting["non_repetition"] == adapting["non_repetition"]


def test_the_same_question_twice_costs_a_point(log: Any) -> None:
    def trip(second: str) -> Any:
        return milk_trip(
            log,
            log.says(1, "Which brand?", "ask", need=1, attribute="brand"),
            log.user(1, "answer", "Any", need=1, attribute="brand"),
            log.says(2, "And?", "ask", need=1, attribute=second),
            log.user(2, "answer", "Any", need=1, attribute=second),
        )

    assert rate(trip("size"))["non_repetition"] == 5
    assert rate(trip("brand"))["non_repetition"] == 4


def test_a_route_missed_once_may_be_shown_again(log: Any) -> None:
    def trip(times: int) -> Any:
        events = []
        for turn in range(1, times + 1):
            step = {"k": "suggest", "turn": turn, "action": {"type": "move", "params": {"node": "N002"}}}
            events += [log.says(turn, f"Walk to N002, {turn}."), step, log.user(turn)]
        return milk_trip(log, *events)

    assert rate(trip(3))["non_repetition"] == 5
    assert rate(trip(9))["non_repetition"] <= 3


def test_urging_to_pay_with_open_needs_is_pushy(log: Any) -> None:
    pay = {"k": "suggest", "turn": 1, "action": {"type": "checkout", "params": {}}}
    found = rate(milk_trip(log, log.says(1, "Pay now", "offer_checkout"), pay, log.user(1)))
    assert found["proactiveness"] == 1


@pytest.mark.parametrize("answer", ["inform", "guide", "chat"])
def test_a_question_about_a_price_wants_that_price(log: Any, answer: str) -> None:
    product = log.carried("fresh milk")
    asked = log.user(0, "ask", "How much?", attribute="price", products=[product])
    slots = {"products": [product]} if answer == "inform" else {}
    found = rate(log.episode(asked, log.says(1, "Well", answer, **slots), log.user(1)))
    assert found["informativeness"] == (5 if answer == "inform" else 1)


def test_words_alone_are_judged_for_claims_and_repetition_only(log: Any) -> None:
    words = [{"k": "user", "turn": t, "text": "hm"} for t in (0, 1, 2)]
    text = f"I suggest {log.priced(log.carried('fresh milk'))}."
    found = rate(log.episode(words[0], log.says(1, text), words[1], log.says(2, text), words[2]))
    assert found["groundedness"] == 5
    assert found["non_repetition"] is not None
    assert found["preference_alignment"] is None


def test_a_question_is_known_by_its_words_when_the_act_does_not_say(log: Any) -> None:
    def trip(second: str) -> Any:
        return milk_trip(log, log.says(1, "Which brand do you like?"), log.user(1), log.says(2, second), log.user(2))

    assert rate(trip("Which size do you like?"))["non_repetition"] == 5
    assert rate(trip("Which brand do you like? Or not?"))["non_repetition"] == 4
