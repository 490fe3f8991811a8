"""The eight virtual-agent metrics: each from a trip that shows it, and the satisfaction they add up to."""

from __future__ import annotations

from typing import Any

import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.scorers import make_scorer
from supermarket_env.scorers.virtual_agent.metrics import METRICS


def values(episode: Any, **options: Any) -> dict[str, Any]:
    sheet = make_scorer({"name": "virtual_agent", **options}).score(episode)
    return {score.dim.removeprefix("va."): score.value for score in sheet.scores}


def trip(log: Any, *middle: Any, truth: Any = None, **facts: Any) -> Any:
    extra = {"truth": truth} if truth is not None else {}
    opening = log.user(0, "disclose", "Milk please", **log.wants(1, "fresh milk", **facts))
    return log.episode(opening, *middle, **extra)


def listed(turn: int, *items: str) -> dict[str, Any]:
    return {"k": "recommend", "turn": turn, "items": list(items)}


def test_all_eight_and_the_satisfaction_are_named(log: Any) -> None:
    found = values(trip(log, log.says(1, "Hi"), log.user(1)))
    assert list(found) == [*METRICS, "user_satisfaction_weighted"]
    assert found["conciseness"] is None
    assert found["coherence"] is None


def test_a_request_is_completed_with_the_assistants_part_only(log: Any) -> None:
    milk = log.carried("fresh milk")
    truth = {
        "needs": [{"id": "0", "qty": 1, "weight": 1.0, "outside": 0.1}],
        "acceptable": {"0": [milk]},
        "utility": {"0": {milk: 0.9}},
    }

    def bought(why: str, *shown: str) -> Any:
        add = {"k": "cart", "turn": 1, "op": "add", "sku": milk, "why": why}
        lists = [listed(1, *shown)] if shown else []
        return values(trip(log, log.says(1, "Look"), *lists, log.user(1), add, truth=truth))["request_completion"]

    assert bought("recommended") == 5.0
    assert bought("self_found") == 1.0
    assert bought("self_found", milk) == 5.0
    assert values(trip(log, log.says(1, "Hi"), log.user(1)))["request_completion"] is None


def test_intent_wants_the_right_kind_of_reply(log: Any) -> None:
    milk, muesli = log.carried("fresh milk"), log.carried("muesli")
    assert values(trip(log, log.says(1, "Look", "recommend"), listed(1, milk), log.user(1)))["intent_accuracy"] == 5.0
    assert values(trip(log, log.says(1, "Look", "recommend"), listed(1, muesli), log.user(1)))["intent_accuracy"] == 1.0
    assert values(trip(log, log.says(1, "You are great"), log.user(1)))["intent_accuracy"] == 1.0


def test_slots_are_filled_when_a_proposal_takes_them_up(log: Any) -> None:
    milk = log.carried("fresh milk")
    brand = log.truth().catalogue.product(milk).brand
    good = trip(log, log.says(1, "Look", "recommend", need=1), listed(1, milk), log.user(1), brand=brand)
    bad = trip(log, log.says(1, "Look", "recommend", need=1), listed(1, milk), log.user(1), brand="No Such Brand")
    assert values(good)["slot_filling"] == 5.0
    assert values(bad)["slot_filling"] == 3.0


def test_asking_for_what_was_told_is_not_kept_in_mind(log: Any) -> None:
    def asked(attribute: str) -> Any:
        episode = trip(log, log.says(1, "?", "ask", need=1, attribute=attribute), log.user(1), brand="Some")
        return values(episode)["context_retention"]

    assert asked("size") == 5.0
    assert asked("brand") == 1.0


def test_truthfulness_is_the_share_of_true_claims(log: Any) -> None:
    milk = log.carried("fresh milk")
    wrong = log.truth().catalogue.product(milk).name + " costs 99.99 EUR."
    assert values(trip(log, log.says(1, wrong), log.user(1)))["truthfulness"] == 3.0


def test_repetition_breaks_the_flow(log: Any) -> None:
    events = [e for turn in (1, 2) for e in (log.says(turn, "?", "ask", need=1, attribute="size"), log.user(turn))]
    assert values(trip(log, *events))["smooth_flow"] == 3.0


def test_a_judge_fills_in_what_only_a_reader_can_score(log: Any) -> None:
    def model(messages: Any, *, seed: int, temperature: float) -> str:
        assert "wordy" in messages[1]["content"]
        return '{"conciseness": 2, "coherence": 4}'

    found = values(trip(log, log.says(1, "Hi"), log.user(1)), model=model, samples=2)
    assert (found["conciseness"], found["coherence"]) == (2.0, 4.0)


def test_the_satisfaction_is_the_weighted_mean_of_what_is_scored(log: Any) -> None:
    episode = trip(log, log.says(1, "You are great"), log.user(1))
    found = values(episode)
    scored = [v for k, v in found.items() if v is not None and k != "user_satisfaction_weighted"]
    assert found["user_satisfaction_weighted"] == pytest.approx(sum(scored) / len(scored))
    only = values(episode, weights={"smooth_flow": 2})
    assert only["user_satisfaction_weighted"] == only["smooth_flow"]
    names = {make_scorer({"name": "virtual_agent", "weights": {"smooth_flow": w}}).version for w in (1, 2)}
    assert len(names | {make_scorer("virtual_agent").version}) == 3


@pytest.mark.parametrize("weights", [{"flow": 1}, {"smooth_flow": -1}, {"smooth_flow": True}, {"smooth_flow": 0}])
def test_bad_weights_are_refused(weights: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="virtual_agent"):
        make_scorer({"name": "virtual_agent", "weights": weights})
