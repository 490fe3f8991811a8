"""Worked numbers, library cross-checks and rules of the statistics."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env import stats
from supermarket_env.errors import ConfigError
from supermarket_env.metrics import rows_of
from supermarket_env.metrics.judge import rating_of
from supermarket_env.stats.bootstrap import cluster_strata, exact_columns, ratio_intervals, resample_counts
from supermarket_env.stats.correlation import mid_ranks, unpaired_names

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]
BY_ID = {case["id"]: case for case in CASES if case["metric"] in ("stats", "correlation")}


def near(value: Any, expected: Any) -> None:
    assert value == (None if expected is None else pytest.approx(expected, abs=1e-6))


@pytest.mark.parametrize("name", ["CORR-1", "CORR-2", "CORR-3", "CORR-5"])
def test_correlation_cases(name: str) -> None:
    case = BY_ID[name]
    if "episodes" in case["input"]:
        conditions = []
        for judge in case["params"]["judges"]:
            scores: dict[str, list[float]] = {}
            for row in rows_of(case["input"]["episodes"]):
                rating = rating_of(row, case["params"]["dim"], judge)
                assert rating is not None
                scores.setdefault(row.agent, []).append(rating)
            conditions.append({agent: sum(values) / len(values) for agent, values in scores.items()})
        found = stats.paired_correlation(*conditions)
    else:
        found = stats.paired_correlation(case["input"]["x"], case["input"]["y"])
    for key, expected in case["expected"].items():
        near(getattr(found, key), expected)


def test_correlation_drops_unpaired_assistants() -> None:
    x, y = {"a": 1.0, "b": 2.0, "c": 3.0}, {"a": 5.0, "b": 4.0, "d": 1.0}
    found = stats.paired_correlation(x, y)
    assert found.n == 2
    near(found.pearson, -1.0)
    near(found.spearman, -1.0)
    assert unpaired_names(x, y) == ["c", "d"]
    assert stats.paired_correlation({"a": 1.0}, {"a": 1.0}) == (None, None, 1)
    with pytest.raises(ValueError, match="two mappings"):
        stats.paired_correlation(x, [1.0])


def test_permutation_p_of_a_correlation() -> None:
    near(stats.correlation_p([1, 2, 3], [1, 2, 3]), 2 / 6)
    near(stats.correlation_p([1, 2, 3, 4], [1, 4, 9, 16], "spearman"), 2 / 24)
    assert stats.correlation_p([1, 1], [1, 2]) is None
    many = list(range(12))
    assert stats.correlation_p(many, many) == pytest.approx(1 / 10_001)


def test_reliability() -> None:
    case = BY_ID["STAT-1"]
    pairs = [(successes, trials) for trials, successes in case["input"]["rows"]]
    for k in (1, 2, 4, 8):
        near(stats.pass_hat_k(pairs, k), case["expected"][f"pass^{k}"])
    near(stats.pass_at_k(pairs, 2), case["expected"]["pass@2"])
    near(stats.pass_at_k(pairs, 8), case["expected"]["pass@8"])
    trials = np.array([[1] * 8, [1] * 4 + [0] * 4, [0] * 8])
    near(stats.pass_hat_k(trials, 2), case["expected"]["pass^2"])
    assert stats.pass_hat_k([], 1) is None
    refused: list[tuple[Any, int]] = [
        ([(1, 2), (1, 3)], 1),
        ([(1, 2)], 3),
        ([(3, 2)], 1),
        ([(1, 2)], 0),
        ([[2, 0, 1]], 1),
    ]
    for bad, k in refused:
        with pytest.raises(ValueError, match="expected"):
            stats.pass_hat_k(bad, k)


def test_paired_tests() -> None:
    near(stats.mcnemar_exact(10, 3), BY_ID["STAT-2"]["expected"]["p"])
    assert stats.mcnemar_exact(0, 0) == 1.0
    near(stats.mcnemar_exact(4, 9), scipy.stats.binomtest(4, 13).pvalue)
    near(stats.sign_flip_test([1.0, 2.0, 3.0]), 0.25)
    assert stats.sign_flip_test([]) is None
    assert stats.sign_flip_test([0.0, 0.0]) == 1.0
    near(stats.sign_flip_test([0.1, 0.2, -0.3]), 1.0)
    many = np.random.default_rng(1).normal(0.5, 1.0, 40)
    exact = scipy.stats.permutation_test((many,), np.mean, permutation_type="samples", n_resamples=20_000, rng=0).pvalue
    assert stats.sign_flip_test(many) == pytest.approx(exact, abs=0.005)
    assert stats.sign_flip_test(many) == stats.sign_flip_test(many)


def test_bootstrap_of_three_values() -> None:
    case = BY_ID["STAT-4"]
    interval = stats.bootstrap_ci(case["input"]["d"])
    assert interval == (case["expected"]["lo"], case["expected"]["hi"])
    assert stats.bootstrap_ci([]) is None
    assert stats.bootstrap_ci([0.0, 0.0], [0.0, 0.0]) is None
    with pytest.raises(ValueError, match="denominators"):
        stats.bootstrap_ci([1.0], [1.0, 2.0])
    with pytest.raises(ConfigError):
        stats.bootstrap_ci([1.0], level=1.0)


def test_wilson() -> None:
    case = BY_ID["STAT-5"]
    near(list(stats.wilson_interval(7, 10) or ()), case["expected"]["ci"])
    library = scipy.stats.binomtest(3, 40).proportion_ci(0.9, method="wilson")
    near(list(stats.wilson_interval(3, 40, 0.9) or ()), [library.low, library.high])
    assert stats.wilson_interval(0, 0) is None
    near(list(stats.wilson_interval(0, 5) or ()), [0.0, 0.434482])
    with pytest.raises(ValueError, match="0 <= k <= n"):
        stats.wilson_interval(3, 2)


def test_holm() -> None:
    near(stats.holm(BY_ID["STAT-6"]["input"]["p"]), BY_ID["STAT-6"]["expected"]["p"])
    assert stats.holm([]) == []
    with pytest.raises(ValueError, match="p values"):
        stats.holm([1.5])


def test_rank_agreement() -> None:
    case = BY_ID["STAT-7"]
    near(stats.kendall_tau_b(case["input"]["x"], case["input"]["y"]), case["expected"]["tau"])
    assert stats.kendall_tau_b([1, 1], [1, 2]) is None
    near(stats.kendall_w([[1, 2, 3], [1, 2, 3], [2, 1, 3]]), 0.7777777)
    near(stats.kendall_w([[1, 2, 3], [3, 2, 1]]), 0.0)
    assert stats.kendall_w([[1, 1], [1, 1]]) is None


def test_rater_agreement() -> None:
    near(stats.quadratic_weighted_kappa(BY_ID["STAT-9"]["input"]["table"]), BY_ID["STAT-9"]["expected"]["kappa"])
    assert stats.quadratic_weighted_kappa([[5, 0], [0, 0]]) is None
    for level, expected in BY_ID["STAT-10"]["expected"].items():
        near(stats.krippendorff_alpha(BY_ID["STAT-10"]["input"]["data"], level), expected)
    assert stats.krippendorff_alpha([[1, None], [None, 2]]) is None
    assert stats.krippendorff_alpha([[1, 1], [1, 1]]) is None
    for kind, expected in BY_ID["STAT-11"]["expected"].items():
        near(stats.icc(BY_ID["STAT-11"]["input"]["x"], kind), expected)
    assert stats.icc([[1, 2]]) is None
    with pytest.raises(ConfigError, match="valid"):
        stats.icc([[1, 2]], "B,1")
    with pytest.raises(ConfigError, match="ordinal"):
        stats.krippendorff_alpha([[1]], "ordnal")


def test_robust_mean_and_improvement() -> None:
    near(stats.iqm(BY_ID["STAT-12"]["input"]["v"]), BY_ID["STAT-12"]["expected"]["iqm"])
    near(stats.iqm(np.arange(40.0).reshape(8, 5)), scipy.stats.trim_mean(np.arange(40.0), 0.25))
    assert stats.iqm([]) is None
    near(stats.probability_of_improvement([2, 3, 1], [1, 2, 1]), 6.5 / 9)
    near(stats.probability_of_improvement([[1, 5], [2, 5]], [[1, 5], [1, 9]]), (0.75 + 0.25) / 2)
    assert stats.probability_of_improvement([], []) is None
    with pytest.raises(ValueError, match="equal tasks"):
        stats.probability_of_improvement([1], [[1]])


def test_position_bias_of_a_judge() -> None:
    rows = [("A", "A"), ("B", "B"), ("tie", "tie"), ("A", "A"), *[("A", "B")] * 3, ("B", "A")]
    found = stats.position_bias(rows)
    assert (found.consistency, found.first, found.second) == (0.5, 3, 1)
    near(found.p, 0.625)
    assert stats.position_bias([]) == (None, 0, 0, None)


def test_paired_difference() -> None:
    found = stats.paired_difference({"1": 0.5, "2": 0.75, "x": 1.0}, {"1": 0.25, "2": 0.25, "y": 0.0})
    assert (found.mean, found.n, found.low, found.high) == (0.375, 2, 0.25, 0.5)
    near(found.p, 0.5)
    trials = stats.paired_difference([1.0, 0.0, 1.0], [0.0, 0.0, 0.0], tasks=["a", "a", "b"])
    assert (trials.mean, trials.n) == (0.75, 2)
    assert stats.paired_difference({}, {}) == (None, None, None, None, 0)


def test_trials_of_a_task_are_resampled_together() -> None:
    values, tasks = [0.0, 0.0, 1.0, 1.0], ["a", "a", "b", "b"]
    apart, together = stats.bootstrap_ci(values), stats.bootstrap_ci(values, tasks=tasks)
    assert together == (0.0, 1.0)
    strata = stats.bootstrap_ci(values, tasks=tasks, strata=tasks)
    assert strata == (0.5, 0.5)
    assert apart is not None


def test_bootstrap_agrees_with_scipy() -> None:
    values = np.random.default_rng(3).gamma(2.0, size=60)
    ours = stats.bootstrap_ci(values)
    theirs = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=10_000, method="percentile", rng=1
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.03)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_bootstrap_does_not_depend_on_the_order(values: list[float], random: Any) -> None:
    tasks = [f"t{i}" for i in range(len(values))]
    order = list(range(len(values)))
    random.shuffle(order)
    first = stats.bootstrap_ci(values, tasks=tasks, resamples=200)
    second = stats.bootstrap_ci([values[i] for i in order], tasks=[tasks[i] for i in order], resamples=200)
    assert first == second
    assert first is not None
    assert min(values) - 1e-6 <= first.low <= first.high <= max(values) + 1e-6


def test_sums_of_resamples_are_exact() -> None:
    values = exact_columns(np.random.default_rng(0).normal(size=(500, 3)))
    counts = resample_counts([np.arange(500)], 20)
    fast = counts @ values
    slow = [[math.fsum(c * v for c, v in zip(row, column, strict=True)) for column in values.T] for row in counts]
    assert (fast == np.array(slow)).all()


def test_strata_keep_their_sizes() -> None:
    numbers, groups = cluster_strata(["b", "a", "b", "c"], ["y", "x", "y", "x"])
    assert numbers.tolist() == [1, 0, 1, 2]
    assert [group.tolist() for group in groups] == [[0, 2], [1]]
    counts = resample_counts(groups, 50)
    assert (counts[:, [0, 2]].sum(axis=1) == 2).all()
    assert (counts[:, 1] == 1).all()


def test_the_largest_of_a_family_is_resampled_as_such() -> None:
    nums, dens = np.array([[1.0, 0.0], [0.0, 1.0]]), np.ones((2, 2))
    found = ratio_intervals(nums, dens, resample_counts([np.arange(2)], 500), families=[[0, 1]])
    assert (found.low[0], found.high[0]) == (0.5, 1.0)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=30))
def test_mid_ranks_are_scipys(values: list[int]) -> None:
    array = np.array(values, dtype=float)
    assert mid_ranks(array).tolist() == scipy.stats.rankdata(array).tolist()


NAN, INFINITE = math.nan, math.inf


def test_what_is_missing_is_left_out_of_pairs() -> None:
    """None and NaN are the same gap, in sequences and mappings, and an assistant without numbers has no mean."""
    whole = stats.paired_correlation([1.0, 2.0, 4.0], [2.0, 1.0, 5.0])
    for gap in (None, NAN):
        assert stats.paired_correlation([1.0, gap, 2.0, 4.0, 3.0], [2.0, 9.0, 1.0, 5.0, gap]) == whole
        assert stats.kendall_tau_b([1.0, gap, 2.0], [1.0, 7.0, 2.0]) == 1.0
        assert stats.correlation_p([1, 2, 3, gap], [1, 2, 3, 9]) == pytest.approx(2 / 6)
        x, y = {"a": 1.0, "b": gap, "c": 2.0, "d": 4.0}, {"a": 2.0, "b": 9.0, "c": 1.0, "d": 5.0}
        assert stats.paired_correlation(x, y) == whole
        assert unpaired_names(x, y) == ["b"]
        episodes: dict[str, list[float | None]] = {"a": [1.0, gap], "b": [2.0], "c": [gap]}
        found = stats.compare_conditions(episodes, {"a": [1.0], "b": [3.0], "c": [0.0]}, resamples=10)
        assert (found.n, found.dropped) == (2, ["c"])


def test_infinite_values_are_refused() -> None:
    for call in (stats.paired_correlation, stats.kendall_tau_b, stats.correlation_p):
        with pytest.raises(ValueError, match="infinite"):
            call([1.0, INFINITE, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="finite numbers and gaps"):
        stats.krippendorff_alpha([[1.0, INFINITE], [1.0, 2.0]])


@pytest.mark.parametrize("bad", [NAN, INFINITE, None])
def test_gaps_are_refused_where_none_can_be_handled(bad: float | None) -> None:
    table: Any = [[bad, 1.0], [1.0, 2.0]]
    calls: list[Any] = [
        stats.icc,
        stats.kendall_w,
        stats.iqm,
        stats.iqm_interval,
        stats.quadratic_weighted_kappa,
        lambda values: stats.performance_profile(values, [0.5]),
        lambda values: stats.probability_of_improvement(values, [[1.0, 2.0]]),
        lambda values: stats.bootstrap_ci(values[0]),
        lambda values: stats.bootstrap_ci([1.0, 2.0], values[0]),
        lambda values: stats.bca_interval(values[0]),
        lambda values: stats.sign_flip_test(values[0]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="finite"):
            call(table)


@pytest.mark.parametrize("seed", range(5))
def test_an_interval_of_agreement_holds_the_coefficient_and_the_percentiles(seed: int) -> None:
    """Three assistants far apart: resampled coefficients are all below the one seen, which the interval must reach."""
    generator = np.random.default_rng(seed)
    x = {name: list(mean + generator.normal(0, 1, 12)) for name, mean in (("a", 0.0), ("b", 1.0), ("c", 2.0))}
    # The means of y lie on a line through those of x, so that Pearson's r is 1 and every resample has less.
    y = {name: [float(np.mean(row)) - 1, float(np.mean(row)) + 1] for name, row in x.items()}
    found = stats.compare_conditions(x, y, resamples=400)
    assert found.pearson == pytest.approx(1.0)
    for value, bounds in ((found.pearson, found.pearson_interval), (found.spearman, found.spearman_interval)):
        assert value is not None
        assert bounds is not None
        assert -1.0 <= bounds.low <= value <= bounds.high <= 1.0
    narrow = stats.compare_conditions(x, y, resamples=400, level=0.05)
    assert narrow.pearson is not None
    assert narrow.pearson_interval is not None
    assert narrow.pearson_interval.high == narrow.pearson, "an end that does not reach the coefficient is moved out"
    assert narrow.pearson_interval.low < narrow.pearson
