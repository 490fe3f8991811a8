from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.mme.composition import (
    Negatives,
    composite,
    crs_average,
    crs_power,
    crs_weights,
    is_informative,
)
from supermarket_env.scorers.mme.submetric import Bounds, percentile_bounds, specificity
from supermarket_env.scorers.mme.weights import mean_of, rank_correlation

CASES = json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]
CORRELATIONS = st.lists(st.one_of(st.none(), st.floats(-1, 1)), min_size=1, max_size=8)


def golden(identity: str) -> dict[str, Any]:
    return next(dict(case) for case in CASES if case["id"] == identity)


@pytest.mark.parametrize("identity", ["CRS-1", "CRS-3", "CRS-4"])
def test_golden_weights(identity: str) -> None:
    case = golden(identity)
    for way, expected in case["expected"].items():
        found = crs_power(case["input"]["S"]) if way == "power" else crs_weights(case["input"]["S"], 2, way)
        assert found == pytest.approx(expected if way == "power" else tuple(expected))


def test_golden_average() -> None:
    case = golden("CRS-2")
    found = crs_average(case["input"]["datasets"], **{"power": case["params"]["d"]})
    assert {name: list(row) for name, row in found.items()} == {
        name: pytest.approx(row) for name, row in case["expected"]["average"].items()
    }


def test_golden_composite() -> None:
    case = golden("CRS-5")
    found = [composite(row, case["input"]["weights"]) for row in case["input"]["scores"]]
    assert found == pytest.approx(case["expected"]["composite"])
    assert rank_correlation(found, case["input"]["human"]) == pytest.approx(case["expected"]["spearman"])


@pytest.mark.parametrize("identity", ["CRS-6", "CRS-7"])
def test_golden_specificity(identity: str) -> None:
    case = golden(identity)
    found = specificity(case["input"]["logp"])
    assert found is not None
    for name, value in case["expected"].items():
        if name.startswith("norm_"):
            part = name.removeprefix("norm_")
            assert Bounds(*case["input"]["bounds"][part]).scaled(getattr(found, part)) == pytest.approx(value)
        else:
            assert getattr(found, name) == pytest.approx(value)


def test_average_of_two_datasets_with_a_negative() -> None:
    table = {"a": {"q": [0.4, -0.2]}, "b": {"q": [0.3, 0.3]}}
    assert crs_average(table)["q"] == pytest.approx((0.75, 0.25))


@settings(deadline=None, max_examples=80)
@given(CORRELATIONS, st.integers(1, 6))
def test_clipped_weights_are_shares_in_the_order_of_the_correlations(values: list[float | None], power: int) -> None:
    found = crs_weights(values, power)
    assert sum(found) == pytest.approx(1)
    assert min(found) >= 0
    if is_informative(values) and max(v or 0 for v in values) > 1e-3:
        plain = [max(v or 0.0, 0.0) for v in values]
        for a, x in zip(found, plain, strict=True):
            for b, y in zip(found, plain, strict=True):
                assert x <= y or a >= b


@settings(deadline=None, max_examples=80)
@given(CORRELATIONS)
def test_signed_weights_keep_the_sign(values: list[float | None]) -> None:
    if any(abs(v or 0) > 1e-3 for v in values):
        found = crs_weights(values, 2, "signed")
        assert sum(map(abs, found)) == pytest.approx(1)
        assert all(weight * (value or 0) >= 0 for weight, value in zip(found, values, strict=True))


def test_power_grows_until_one_weight_is_a_third() -> None:
    flat = [0.30, 0.29, 0.28, 0.27, 0.26, 0.25, 0.24]
    power = crs_power(flat)
    assert power == 10 or (max(crs_weights(flat, power)) >= 1 / 3 > max(crs_weights(flat, power - 1)))


@pytest.mark.parametrize(
    ("correlations", "power", "negatives", "told"),
    [
        ([0.1], 2, "clipp", "Did you mean 'clip'"),
        ([0.1], 0, "clip", "above 0"),
        ([1.5], 2, "clip", "-1 to 1"),
        ([-0.5], 1.5, "literal", "whole number"),
    ],
)
def test_bad_options_are_refused(correlations: list[float], power: float, negatives: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        crs_weights(correlations, power, cast("Negatives", negatives))


def test_datasets_of_different_width_are_refused() -> None:
    with pytest.raises(ConfigError, match="expected 2 correlations"):
        crs_average({"a": {"q": [0.1, 0.2]}, "b": {"q": [0.1]}})


def test_missing_values_leave_the_others_their_proportions() -> None:
    assert composite([0.2, None, 0.8], [0.2, 0.5, 0.3]) == pytest.approx((0.2 * 0.2 + 0.8 * 0.3) / 0.5)
    assert composite([None, None], [0.5, 0.5]) is None
    assert composite([None, 0.4], [1.0, 0.0]) is None
    assert mean_of([None, 0.4, 0.6]) == pytest.approx(0.5)
    assert mean_of([None]) is None
    with pytest.raises(ConfigError, match="expected 2 values"):
        composite([0.1], [0.5, 0.5])


def test_specificity_without_tokens_and_of_impossible_ones() -> None:
    assert specificity([]) is None
    with pytest.raises(ConfigError, match="at most 0"):
        specificity([0.5])
    found = specificity([-5000.0])
    assert found is not None
    assert math.isfinite(found.ppl)


def test_bounds_never_leave_zero_to_one() -> None:
    found = percentile_bounds([float(v) for v in range(101)])
    assert found == pytest.approx((1.0, 99.0))
    assert [found.scaled(v) for v in (-5, 50, 500)] == pytest.approx([0, 0.5, 1])
    assert Bounds(2, 2).scaled(3) == 0.5
    with pytest.raises(ConfigError, match="finite"):
        percentile_bounds([math.nan])


def test_rank_correlation_of_too_little_is_undefined() -> None:
    assert rank_correlation([0.1, 0.2], [1, 2]) is None
    assert rank_correlation([0.1, 0.1, 0.1], [1, 2, 3]) is None
    assert rank_correlation([0.1, None, 0.2, 0.3], [1, 9, 2, 3]) == pytest.approx(1)
