"""Planted faults and the other checks of a judge, on a few played trips."""

from __future__ import annotations

import copy
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.events.log import validate_episode
from supermarket_env.scorers import Score, ScoreSheet, make_scorer
from supermarket_env.scorers.judge import checks
from supermarket_env.scorers.judge.dimensions import DIMENSIONS
from supermarket_env.scorers.judge.plant import FAULTS, disguise, pad, plant
from supermarket_env.scorers.judge.trip import read_trip
from supermarket_env.tasks.suites import load_suite

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture(scope="module")
def benchmark() -> Any:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec = importlib.util.spec_from_file_location("planted_faults", BENCHMARKS / "planted_faults.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARKS))
    return module


@pytest.fixture(scope="module")
def trips(benchmark: Any) -> list[Any]:
    allergic = load_suite("segment_allergic").tasks[:5]
    return [episode for name in ("rule", "retrieval") for episode in benchmark.play(name, allergic)]


def test_each_fault_lowers_its_dimension_and_no_other(trips: list[Any]) -> None:
    found = {check.fault: check for check in checks.check_faults(make_scorer("judge"), trips, per_fault=6)}
    for check in found.values():
        if check.n:
            assert check.holds, check
            assert check.target_fell == 1.0 or check.fault == "repeated_question"
    for name in ("invented_product", "wrong_price", "wrong_aisle", "repeated_question"):
        assert found[name].n == 6


def test_planting_changes_the_twin_alone(trips: list[Any]) -> None:
    episode = trips[0]
    before = repr(episode.data)
    for fault in FAULTS.values():
        for pair in plant(fault, episode):
            assert pair.faulty.data != episode.data
            assert [e for e in pair.faulty.events if e["k"] == "user"] == [
                e for e in episode.events if e["k"] == "user"
            ]
    assert repr(episode.data) == before


def test_the_rules_judge_is_blind_stable_and_indifferent_to_padding(trips: list[Any]) -> None:
    judge = make_scorer("judge")
    assert checks.check_leakage(judge, trips[:4]).holds
    assert all(
        check.identical in (None, 1.0) for check in checks.check_stability([judge, make_scorer("judge")], trips[:3])
    )
    assert all(check.change in (None, 0.0) for check in checks.check_padding(judge, trips[:4], resamples=50))
    assert disguise(trips[0]).truth is None


def _first(events: list[dict[str, Any]], kind: str, turn: int) -> dict[str, Any]:
    return next(event for event in events if event["k"] == kind and event["turn"] == turn)


def unknown_id(events: list[dict[str, Any]], turn: Any, truth: Any) -> None:
    _first(events, "recommend", turn.reply.turn)["items"].insert(0, "X-1")


def another_brand(events: list[dict[str, Any]], turn: Any, truth: Any) -> None:
    record = truth.product(truth.number(turn.reply.items[0]))
    message = _first(events, "assistant", turn.reply.turn)
    message["text"] = message["text"].replace(record.name, f"Glimmerwood Royal {record.product_type.title()}")


def dearer(events: list[dict[str, Any]], turn: Any, truth: Any) -> None:
    record = truth.product(truth.number(turn.reply.items[0]))
    _first(events, "assistant", turn.reply.turn)["text"] += f" {record.name} costs {record.price_cents / 50:.2f} euros."


def elsewhere(events: list[dict[str, Any]], turn: Any, truth: Any) -> None:
    record = truth.product(truth.number(turn.reply.items[0]))
    wrong = next(s for s in truth.store.section_ids if s not in truth.sections_of_type(record.product_type))
    _first(events, "assistant", turn.reply.turn)["text"] += f" {wrong} is where the {record.product_type} is."


@pytest.mark.parametrize("spoil", [unknown_id, another_brand, dearer, elsewhere])
def test_untruths_of_other_wordings_lower_groundedness_alone(trips: list[Any], spoil: Any) -> None:
    """The faults of the check are one wording of many: the judge must not know them by their words."""
    judge, seen = make_scorer("judge"), 0
    for episode in trips:
        trip = read_trip(episode)
        turn = next((turn for turn in trip.turns if turn.reply.items), None)
        if turn is None:
            continue
        data = copy.deepcopy(episode.data)
        spoil(data["events"], turn, trip.truth)
        before, after = checks.ratings_of(judge, episode), checks.ratings_of(judge, validate_episode(data, "<t>", 0))
        assert (before.pop("groundedness") or 0) > (after.pop("groundedness") or 5)
        assert before == after
        seen += 1
    assert seen >= 8


class Halo:
    """A bad judge: likes long texts and one name, and gives the same grade everywhere."""

    name = "halo"
    version = "1"

    def score(self, episode: Any) -> ScoreSheet:
        words = sum(len(str(e.get("text")).split()) for e in episode.events if e["k"] == "assistant")
        grade = 5 if episode.agent == "rule" else 1 + min(3, words // 60)
        return ScoreSheet(tuple(Score(dim, grade, is_rating=True) for dim in DIMENSIONS))


def test_a_bad_judge_is_found_out(trips: list[Any]) -> None:
    leak = checks.check_leakage(Halo(), trips)
    assert not leak.holds
    assert not any(check.holds for check in checks.check_faults(Halo(), trips[:2], per_fault=2))
    halo = checks.check_halo(Halo(), trips)
    assert halo is not None
    assert halo > 0.9
    nameless = [disguise(trip) for trip in trips]
    longer = checks.check_padding(Halo(), nameless, resamples=50)
    assert any(check.change is not None and check.change > 0 and (check.slope or 0) > 0 for check in longer)
    assert pad(trips[0]).data != trips[0].data


def test_agreement_with_people_and_love_of_ones_own() -> None:
    judge: dict[str, checks.Ratings] = {
        f"e{k}": {**dict.fromkeys(DIMENSIONS), "naturalness": float(1 + k % 5)} for k in range(20)
    }
    same = {name: {"naturalness": [r["naturalness"] or 0.0] * 2} for name, r in judge.items()}
    found = {check.dim: check for check in checks.check_validity(judge, same, resamples=50)}
    assert found["naturalness"].alpha == pytest.approx(1.0)
    assert found["naturalness"].human_alpha == pytest.approx(1.0)
    assert found["groundedness"].n == 0
    rows = [
        {"judge_family": "a", "agent_family": family, "judge": score, "human": 3}
        for family, score in (("a", 5), ("a", 4), ("b", 3), ("b", 3))
    ]
    assert checks.self_preference(rows) == (1.5, 2, 2)
    assert checks.self_preference([]).difference is None


def test_probes_are_held_against_rule(benchmark: Any) -> None:
    level = {"rule": dict.fromkeys(DIMENSIONS, 4.0)}
    same = level | {name: dict.fromkeys(DIMENSIONS, 4.0) for name in benchmark.PROBES}
    assert benchmark.above_rule(same) == []
    assert benchmark.above_rule(same | {"spam": dict.fromkeys(DIMENSIONS, 4.1)})[0].startswith("spam: informativeness")
