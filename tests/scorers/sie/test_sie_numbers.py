"""Worked numbers of SIE: totals, floor, aggregation, agreement, persona, weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.errors import ConfigError
from supermarket_env.scorers import sie
from supermarket_env.scorers.sie.agreement import agreement_of, calibration_round
from supermarket_env.scorers.sie.dimensions import ANCHORS, DIMENSIONS
from supermarket_env.scorers.sie.symptoms import SYMPTOMS, result_symptoms, trend_symptoms
from supermarket_env.scorers.sie.weights import STANDARD, TOOL, weight_set

CASES = json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]
BY_ID = {case["id"]: case for case in CASES if case["metric"] == "SIE"}


def near(value: Any, expected: Any) -> None:
    assert value == (None if expected is None else pytest.approx(expected, abs=1e-6))


@pytest.mark.parametrize("name", ["SIE-1", "SIE-2", "SIE-3", "SIE-4", "SIE-5"])
def test_total_and_floor(name: str) -> None:
    case = BY_ID[name]
    found = sie.sie_total(case["input"]["dims"])
    near(found.total, case["expected"]["total"])
    if "below_floor" in case["expected"]:
        assert found.below_floor == case["expected"]["below_floor"]


def test_raters_within_items_first() -> None:
    case = BY_ID["SIE-6"]
    means = sie.dimension_means(sie.item_means(case["input"]["ratings"]))
    near(means, case["expected"]["dims"])
    near(sie.sie_total(means).total, case["expected"]["total"])


def test_simple_agreement() -> None:
    case = BY_ID["SIE-7"]
    found = sie.simple_agreement(case["input"]["table"])
    near([found.exact, found.within_one], [case["expected"]["exact"], case["expected"]["within_one"]])
    assert found.flags == case["expected"]["flags"]
    assert sie.simple_agreement([[4, 4, 5], [1, None], [2, 4, 3]]).flags == [2]
    assert sie.simple_agreement({}) == (None, None, [])
    assert sie.simple_agreement({"a": [3]}) == (None, None, [])


def test_persona_consistency() -> None:
    scores = [sie.persona_score(*pair) for pair in [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (2, 2), (0, 9)]]
    assert scores == [3, 4, 5, 2, 2, 1, 1]
    bonuses = [sie.persona_bonus(n, stress_held=held) for n, held in [(0, False), (1, True), (2, True), (3, False)]]
    assert bonuses == [0, 0, 1, 1]
    assert sie.persona_bonus(3, stress_held=True) == 2
    for bonus, breaks in [(3, 0), (-1, 0), (0, -1)]:
        with pytest.raises(ValueError, match="expected"):
            sie.persona_score(bonus, breaks)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(1, 5), min_size=5, max_size=5), st.sampled_from([STANDARD, TOOL]))
def test_total_lies_between_the_means_and_the_floor_is_strict(means: list[float], weights: sie.WeightSet) -> None:
    found = sie.sie_total(dict(zip(DIMENSIONS, means, strict=True)), weights)
    assert found.total is not None
    assert min(means) - 1e-9 <= found.total <= max(means) + 1e-9
    assert found.below_floor == [n for n, m in zip(DIMENSIONS, means, strict=True) if m < 2.8 - 1e-9]


def test_a_mean_equal_to_the_floor_passes_however_it_was_added_up() -> None:
    mean = sum([2.8] * 3) / 3  # falls short of 2.8 in floating point
    assert mean < 2.8
    assert sie.sie_total(dict.fromkeys(DIMENSIONS, mean)).below_floor == []


def test_totals_refuse_what_is_no_mean() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'relevance'"):
        sie.sie_total({"relevence": 4})
    with pytest.raises(ValueError, match=r"in \[1, 5\]"):
        sie.sie_total({"relevance": 5.5})
    with pytest.raises(ConfigError, match="sum of 1"):
        sie.sie_total({}, dict.fromkeys(DIMENSIONS, 0.3))
    with pytest.raises(ConfigError, match="missing: empathy"):
        sie.sie_total({}, {name: 0.25 for name in DIMENSIONS if name != "empathy"})


def test_weight_sets_have_a_name_and_a_version(tmp_path: Path) -> None:
    assert weight_set(None) is STANDARD
    assert weight_set("tool@1") is TOOL
    assert set(sie.WEIGHT_SETS) == {"standard@1", "tool@1"}
    with pytest.raises(ConfigError, match="Did you mean 'standard@1'"):
        weight_set("standrd")
    file = tmp_path / "own.json"
    own: dict[str, Any] = {"name": "pharmacy", "version": "2", "weights": dict.fromkeys(DIMENSIONS, 0.2)}
    file.write_text(json.dumps(own), encoding="utf-8")
    assert weight_set(str(file)).label == "pharmacy@2"
    changes: list[tuple[dict[str, Any], str]] = [
        ({"version": ""}, "name and a version"),
        ({"weights": {"empathy": 1}}, "missing"),
        ({"x": 1}, "x"),
    ]
    for change, message in changes:
        file.write_text(json.dumps(own | change), encoding="utf-8")
        with pytest.raises(ConfigError, match=message):
            weight_set(file)


def test_every_dimension_has_five_anchors() -> None:
    assert list(ANCHORS) == list(DIMENSIONS)
    assert all(sorted(ANCHORS[name]) == [1, 2, 3, 4, 5] for name in DIMENSIONS)


def ratings(spread: int, items: int = 10, raters: int = 3) -> dict[str, dict[str, dict[str, float | None]]]:
    return {
        f"i{i}": {
            f"r{r}": dict.fromkeys(DIMENSIONS, float(2 + i % 3 + (spread if r == 0 else 0))) for r in range(raters)
        }
        for i in range(items)
    }


def test_calibration_round() -> None:
    good = calibration_round(ratings(0))
    assert (good.agreement, good.passed, good.to_discuss, good.n_items, good.n_raters) == (1.0, True, [], 10, 3)
    apart = calibration_round(ratings(1))
    assert apart.agreement == pytest.approx(1 / 3)
    assert (apart.within_one, apart.passed, apart.to_discuss) == (1.0, False, [])
    far = calibration_round({"i0": ratings(2)["i0"]})
    assert far.to_discuss == [("i0", name) for name in DIMENSIONS]
    assert not calibration_round(ratings(0, items=9)).passed
    assert not calibration_round(ratings(0, raters=1)).passed


def test_alpha_decides_where_percent_flatters() -> None:
    table = ratings(0, items=12)
    found = agreement_of(table, resamples=50)["empathy"]
    assert (found.exact, found.alpha, found.verdict) == (1.0, 1.0, "good")
    same = {f"i{i}": {r: dict.fromkeys(DIMENSIONS, 4.0) for r in "ab"} for i in range(12)}
    same["i0"]["a"] = dict.fromkeys(DIMENSIONS, 5.0)
    flattered = agreement_of(same, resamples=50)["empathy"]
    assert flattered.exact is not None
    assert flattered.exact > 0.9
    assert flattered.verdict == "poor"
    assert agreement_of({})["empathy"].verdict == "undefined"


def test_symptoms_are_looked_up_only_when_seen() -> None:
    quiet: dict[str, Any] = {"total": 4.5, "users_moved": None, "spread": [], "n_items": 120, "minutes": None}
    assert result_symptoms(**quiet) == []
    assert [s.key for s in result_symptoms(**quiet | {"users_moved": False})] == ["users_unmoved"]
    assert result_symptoms(**quiet | {"users_moved": False, "total": 3.0}) == []
    assert [s.key for s in result_symptoms(**quiet | {"spread": [("i1", "empathy")]})] == ["raters_apart"]
    assert [s.key for s in result_symptoms(**quiet | {"minutes": 180.0})] == ["slow"]
    assert result_symptoms(**quiet | {"minutes": 170.0}) == []
    falls = trend_symptoms([3.6, 3.5], total_change=-0.1, accuracy_change=0.0)
    assert [s.key for s in falls] == ["total_falls"]
    assert trend_symptoms([3.6, 3.5], total_change=-0.1, accuracy_change=None) == []
    assert [s.key for s in trend_symptoms([3.5, 3.6, 3.7], total_change=0.1, accuracy_change=None)] == ["creep"]
    assert trend_symptoms([3.6, 3.5, 3.7], total_change=0.2, accuracy_change=None) == []
    assert len({s.key for s in SYMPTOMS}) == 5
