"""Intervals of few tasks: Student's t, no strata of one task, the same as in a comparison."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from scipy.stats import t

from supermarket_env.metrics import grouped
from supermarket_env.stats.bootstrap import bootstrap_ci
from supermarket_env.stats.spans import mean_span


def line(task: int, trial: int = 0, *, turns: int = 1, stratum: str = "a", paid: bool = True) -> dict[str, Any]:
    talk = [{"k": "assistant", "turn": turn} for turn in range(1, turns + 1)]
    add = [{"k": "cart", "turn": turns, "op": "add", "sku": "a"}] if paid else []
    return {
        "schema": "supermarket.episode/1",
        "episode_id": f"{task}|{trial}",
        "agent": "a",
        "task_id": str(task),
        "trial": trial,
        "stratum": stratum,
        "events": [*talk, *add, {"k": "end", "reason": "checkout"}],
    }


def intervals(lines: list[dict[str, Any]]) -> Any:
    return grouped(lines, (), intervals=True)["intervals"]


def student(values: list[float]) -> list[float]:
    half = t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / len(values) ** 0.5
    return [max(0.0, statistics.mean(values) - half), statistics.mean(values) + half]


def test_below_twenty_tasks_a_mean_has_students_interval_whatever_the_strata() -> None:
    turns = [3, 5, 9, 4]
    lines = [line(k, turns=n, stratum=str(k)) for k, n in enumerate(turns)]
    assert intervals(lines)["Turn"] == pytest.approx(student([float(n) for n in turns]))


def test_trials_of_a_task_are_one_value() -> None:
    turns = [(3, 5), (9, 4), (2, 2)]
    lines = [line(k, trial, turns=n) for k, pair in enumerate(turns) for trial, n in enumerate(pair)]
    assert intervals(lines)["Turn"] == pytest.approx(student([4.0, 6.5, 2.0]))


def test_equal_values_of_few_tasks_have_no_interval_without_ends() -> None:
    assert intervals([line(k, turns=4) for k in range(5)])["Turn"] is None
    assert intervals([line(k, turns=4) for k in range(20)])["Turn"] == [4.0, 4.0]


def test_values_equal_but_for_rounding_are_equal() -> None:
    low, high = mean_span([1.0, 1.0 + 4e-10, 1.0 - 3e-10], ends=(0.0, 1.0)) or (1.0, 1.0)
    assert low < 0.6, "three equal values do not make a certainty"
    assert high == pytest.approx(1.0)


def test_small_strata_are_not_resampled_by_themselves() -> None:
    turns = [1 + (7 * k) % 11 for k in range(24)]
    single = intervals([line(k, turns=n, stratum=str(k)) for k, n in enumerate(turns)])["Turn"]
    one = intervals([line(k, turns=n, stratum="a") for k, n in enumerate(turns)])["Turn"]
    assert single == one
    assert single[1] - single[0] > 1.0


def test_large_strata_are_resampled_within() -> None:
    """The strata explain nearly everything, so that resampling within them is much narrower."""
    turns = [5 * (k % 2) + 1 + (k % 3 == 0) for k in range(24)]
    strata = [str(k % 2) for k in range(24)]
    found = intervals([line(k, turns=n, stratum=s) for k, (n, s) in enumerate(zip(turns, strata, strict=True))])["Turn"]
    names = [("task", "None", "None", str(k)) for k in range(24)]
    expected = bootstrap_ci([float(n) for n in turns], tasks=names, strata=strata)
    assert found == list(expected or ())
    assert found[1] - found[0] < 0.5


def test_values_that_differ_between_strata_alone_have_a_width() -> None:
    lines = [line(k, turns=1 + 4 * (k % 2), stratum=str(k % 2)) for k in range(24)]
    low, high = intervals(lines)["Turn"]
    assert high - low > 1.0


def test_a_share_of_several_trials_with_few_differing_tasks_is_wilsons() -> None:
    lines = [line(k, trial, paid=k > 0 or trial == 0) for k in range(25) for trial in range(2)]
    low, high = intervals(lines)["SR"]
    assert low < 90.0
    assert 98.0 < high < 100.0
