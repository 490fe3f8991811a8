"""Calibration: the worked cases, the window, and the options."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.cli.calibrate import calibrate_rows
from supermarket_env.errors import ConfigError
from supermarket_env.scorers.calibration import (
    Calibration,
    adjust,
    band_interval,
    calibrate,
    calibrate_satisfaction,
    prediction_powered_mean,
    rescale,
)
from supermarket_env.scorers.calibration.chart import trend
from supermarket_env.scorers.calibration.core import calibrate_deltas

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]
    if case["metric"] == "calibration"
}


def close(value: float | None, expected: float | None) -> bool:
    if value is None or expected is None:
        return value is expected
    return value == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["CAL-1", "CAL-2", "CAL-3"])
def test_golden_case(name: str) -> None:
    given_, expected = CASES[name]["input"], CASES[name]["expected"]
    rows, as_of = given_["rows"], given_["as_of"]
    found = calibrate(rows, as_of)
    variants = {
        "n": found.n,
        "n_up": found.n_up,
        "n_down": found.n_down,
        "upper": found.upper,
        "lower": found.lower,
        "band": found.band,
        "band_nonzero": calibrate(rows, as_of, denominator="nonzero").band,
        "band_trimmed": calibrate(rows, as_of, denominator="trimmed").band,
        "band_requires_both": calibrate(rows, as_of, both_sides=True).band,
        "upper_at_least_30": calibrate(rows, as_of, strict=False).upper,
    }
    for auto in given_["autos"]:
        variants[f"adjusted({auto})"] = adjust(auto, found)
        variants[f"raw({auto})"] = adjust(auto, found).raw
    for key, value in expected.items():
        assert close(variants[key], value), key


def test_golden_satisfaction() -> None:
    given_, expected = CASES["CAL-5"]["input"], CASES["CAL-5"]["expected"]
    found = calibrate_satisfaction(given_["evaluations"], given_["weights"], min_records=given_["min_records"])
    assert [s.auto for s in found.evaluations] == pytest.approx(expected["us_auto"])
    for satisfaction, human in zip(found.evaluations, expected["us_human"], strict=True):
        assert close(satisfaction.human, human)
    assert list(found.calibration.deltas) == pytest.approx(expected["gaps"])
    assert found.calibration[:3] == pytest.approx((expected["upper"], expected["lower"], expected["band"]))
    assert found.adjusted == pytest.approx(expected["us_adjusted"])


def test_golden_scales() -> None:
    given_, expected = CASES["CAL-6"]["input"], CASES["CAL-6"]["expected"]
    assert [rescale(s, lo, hi) for s, lo, hi in given_["scale"]] == pytest.approx(expected["affine"])
    assert [rescale(s, lo, hi, how="proportional") for s, lo, hi in given_["scale"]] == pytest.approx(
        expected["proportional"]
    )


def test_the_window_is_open_at_its_start_and_closed_at_its_end() -> None:
    def n(day: str) -> int:
        return calibrate([{"auto": 3, "human": 4, "labeled": day}], "2026-08-31").n

    assert [n("2026-02-28"), n("2026-03-01"), n("2026-08-31"), n("2026-09-01")] == [0, 1, 1, 0]
    assert calibrate([{"auto": 3, "human": 4, "labeled": date(2026, 8, 1)}], date(2026, 8, 31)).n == 1


def test_labels_of_one_evaluation_are_averaged_before_they_count() -> None:
    rows: list[dict[str, Any]] = [{"id": "a", "auto": 3, "human": h, "labeled": "2026-02-01"} for h in (5, 4)]
    rows += [{"id": "a", "auto": 3, "human": 1, "labeled": "2020-01-01"}, {"id": "b", "auto": 2, "human": [2, 3]}]
    assert calibrate(rows[:3], "2026-03-01").deltas == (1.5,)
    assert calibrate(rows).deltas == pytest.approx((1 / 3, 0.5))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"auto": "3", "human": 4}, "row 0: auto: expected a finite number"),
        ({"auto": 3, "human": True}, "row 0: human"),
        ({"auto": 3, "human": 4, "labeled": "soon"}, "expected a date like 2026-03-12, got 'soon'"),
        ({"auto": 3, "human": 4}, "labeled: expected the date"),
        ({"auto": 3, "human": 4, "labeled": "2026-01-01", "times": 1.5}, "times"),
    ],
)
def test_a_bad_row_is_named(row: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        calibrate([row], "2026-03-01")


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'extremes'"):
        calibrate([], trim="extreme")  # type: ignore[arg-type]


def test_what_is_only_rounding_is_no_difference() -> None:
    deltas = [0.1 + 0.2 - 0.3] * 40  # 5.6e-17 each
    assert deltas[0] > 0
    found = calibrate_deltas(deltas)
    assert (found.n, found.n_up, found.n_down, found.band) == (40, 0, 0, None)


def test_the_satisfaction_takes_the_options_of_a_single_metric() -> None:
    evaluations = [{"auto": {"a": 3.0}, "human": {"a": 3.0 + (k % 2)}, "labeled": "2026-03-01"} for k in range(60)]
    rows = [{"auto": 3.0, "human": 3.0 + (k % 2), "labeled": "2026-03-01"} for k in range(60)]
    for options in ({}, {"strict": False}, {"min_records": 5, "denominator": "nonzero"}, {"both_sides": True}):
        rule: Any = options
        whole = calibrate_satisfaction(evaluations, {"a": 2.0}, "2026-04-01", window_months=2, **rule).calibration
        assert whole == calibrate(rows, "2026-04-01", window_months=2, **rule)
    with pytest.raises(TypeError, match="strickt"):
        calibrate_satisfaction([], {}, strickt=True)  # type: ignore[call-arg]


def test_labels_before_the_window_leave_the_satisfaction_alone() -> None:
    rows = [
        {"id": str(k), "metric": metric, "auto": 3.0, "human": human, "labeled": day}
        for k in range(40)
        for metric in ("a", "b")
        for human, day in ((1.0, "2020-01-01"), (4.0, "2026-03-01"))
    ]
    found = calibrate_rows(rows, "2026-04-01", 6, {}, {})
    assert found["metrics"]["a"]["calibration"].band == 1.0
    assert found["user_satisfaction_weighted"]["calibration"].band == 1.0


def test_trimming_extremes_pulls_the_deviation_towards_zero() -> None:
    rows = [{"auto": 1, "human": 1 + d / 10} for d in range(1, 41)]
    largest, extremes = calibrate(rows).upper, calibrate(rows, trim="extremes").upper
    assert largest is not None
    assert extremes is not None
    assert extremes < calibrate(rows, trim="none").upper < largest  # type: ignore[operator]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-2, 2).map(lambda x: round(x, 2)), max_size=90), st.integers(0, 40))
def test_the_band_is_the_mean_difference_or_nothing(deltas: list[float], least: int) -> None:
    found = calibrate([{"auto": 3.0, "human": 3.0 + d} for d in deltas], min_records=least)
    up, down = sum(3.0 + d - 3.0 > 0 for d in deltas), sum(3.0 + d - 3.0 < 0 for d in deltas)
    assert (found.upper is not None) == (up > least)
    assert (found.lower is not None) == (down > least)
    assert (found.band is None) == (up <= least and down <= least)
    if found.band is not None:
        assert found.band == pytest.approx(sum(deltas) / len(deltas), abs=1e-9)
    assert 1.0 <= adjust(4.9, found) <= 5.0


def test_the_interval_covers_the_band_and_needs_one() -> None:
    found = calibrate([{"auto": 3.0, "human": 3.0 + (1 if k % 3 else -1)} for k in range(120)])
    interval = band_interval(found, resamples=500)
    assert interval is not None
    assert found.band is not None
    assert interval.low < found.band < interval.high
    assert band_interval(calibrate([{"auto": 3, "human": 4}])) is None


def test_prediction_powered_mean_repairs_a_shifted_judge() -> None:
    autos = [2.0 + k % 3 for k in range(900)]
    deltas = [0.5 + (0.1 if k % 2 else -0.1) for k in range(200)]
    found = prediction_powered_mean(autos, deltas)
    assert found is not None
    assert found.estimate == pytest.approx(3.5)
    assert found.low < 3.5 < found.high
    assert found.is_advised
    assert prediction_powered_mean(autos, [0.5]) is None


def test_an_evaluation_counts_once_on_the_chart_however_many_labels_it_has() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "auto": 1.0, "human": 2.0, "evaluated": "2026-03-01"},
        {"id": "a", "auto": 1.0, "human": 4.0, "evaluated": "2026-03-01"},
        {"id": "b", "auto": 5.0, "human": 5.0, "evaluated": "2026-03-01T10:00"},
    ]
    (point,) = trend(rows, Calibration(None, None, 1.0))
    assert (point.n, point.auto, point.human) == (2, 3.0, 4.0)
    assert point.adjusted == (2.0 + 5.0) / 2  # the second is 5 already
    rows.append({"auto": 3.0, "evaluated": "2026-03-01"})
    assert trend(rows, Calibration(None, None, None))[0][1:5] == (3, 3.0, 4.0, 3.0)
