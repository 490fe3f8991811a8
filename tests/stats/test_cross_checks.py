"""The statistics against independent libraries on thousands of random inputs: ties, gaps, degenerate ones."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
import pytest
import scipy.stats
from ir_measures import Qrel, R, ScoredDoc, calc_aggregate, nDCG
from statsmodels.stats import inter_rater, multitest, proportion
from statsmodels.stats.contingency_tables import mcnemar

from supermarket_env import stats
from supermarket_env.metrics.ranking import ndcg_at, recall_at

MANY = 1000
SOME = 300


def draws(purpose: int, count: int) -> Iterator[np.random.Generator]:
    for number in range(count):
        yield np.random.default_rng([purpose, number])


def same(ours: float | None, theirs: float) -> bool:
    if ours is None:
        return not math.isfinite(theirs)
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)


def sample(rng: np.random.Generator, n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Values with many ties, a few, none or no variance; huge, tiny, or ties of fractions that binary cannot hold."""
    kind = rng.integers(7)
    if kind == 0:
        return rng.integers(0, 3, n).astype(np.float64)
    if kind == 1:
        return rng.integers(0, 20, n).astype(np.float64)
    if kind == 2:
        return rng.normal(size=n) * math.pow(10.0, int(rng.integers(-8, 9)))
    if kind == 3:
        return np.array([1 / 3, 2 / 3])[rng.integers(0, 2, n)]
    if kind == 4:
        return np.array([1e6, 1e6 + 0.1, 1e6 + 0.2])[rng.integers(0, 3, n)]
    return rng.normal(size=n) if kind == 5 else np.full(n, 0.1)


def test_correlations_are_scipys() -> None:
    undefined = 0
    for rng in draws(1, MANY):
        n = int(rng.integers(2, 12))
        x, y = sample(rng, n), sample(rng, n)
        found = stats.paired_correlation(x.tolist(), y.tolist())
        tau = stats.kendall_tau_b(x.tolist(), y.tolist())
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert (found.pearson, found.spearman, tau) == (None, None, None)
            undefined += 1
            continue
        # The last digits of r are scipy's own rounding where the mean is a million times the spread.
        assert found.pearson == pytest.approx(scipy.stats.pearsonr(x, y).statistic, abs=1e-7)
        assert same(found.spearman, scipy.stats.spearmanr(x, y).statistic)
        assert same(tau, scipy.stats.kendalltau(x, y).statistic)
    assert undefined > 50


def test_gaps_are_left_out_pairwise() -> None:
    for rng in draws(2, SOME):
        n = int(rng.integers(4, 12))
        x, y = rng.normal(size=n), rng.integers(0, 4, n).astype(np.float64)
        keep = rng.random((2, n)) > 0.3
        first = {str(i): float(x[i]) if keep[0, i] else None for i in range(n)}
        second = {str(i): float(y[i]) for i in range(n) if keep[1, i]}
        both = keep.all(axis=0)
        found = stats.paired_correlation(first, second)
        assert found.n == both.sum()
        if both.sum() < 2 or np.ptp(y[both]) == 0:
            assert found.pearson is None
        else:
            assert same(found.pearson, scipy.stats.pearsonr(x[both], y[both]).statistic)


def test_the_permutation_p_is_scipys() -> None:
    for rng in draws(3, 40):
        n = int(rng.integers(3, 6))
        x, y = rng.integers(0, 5, n).astype(np.float64), rng.normal(size=n)
        if np.ptp(x) == 0:
            continue

        def statistic(first: Any, second: Any = y) -> float:
            return abs(float(np.corrcoef(first, second)[0, 1]))

        theirs = scipy.stats.permutation_test(
            (x,), statistic, permutation_type="pairings", alternative="greater", n_resamples=np.inf
        ).pvalue
        assert stats.correlation_p(x.tolist(), y.tolist()) == pytest.approx(theirs, abs=1e-9)


def test_alpha_is_krippendorffs() -> None:
    undefined = 0
    for rng in draws(4, MANY):
        raters, items = rng.integers(2, 6), rng.integers(1, 12)
        data = rng.integers(1, int(rng.integers(2, 6)) + 1, (raters, items)).astype(np.float64)
        data[rng.random(data.shape) < rng.choice([0.0, 0.3, 0.7])] = np.nan
        level = ("nominal", "ordinal", "interval")[rng.integers(3)]
        ours = stats.krippendorff_alpha([[None if v != v else v for v in row] for row in data], level)
        pairable = data[:, (~np.isnan(data)).sum(axis=0) >= 2]
        if np.unique(pairable[~np.isnan(pairable)]).size < 2:
            assert ours is None
            undefined += 1
            continue
        measured: Any = level
        theirs = krippendorff.alpha(pairable, level_of_measurement=measured)
        assert same(ours, float(theirs)), (data, level)
    assert undefined > 20


def test_weighted_kappa_is_statsmodels() -> None:
    for rng in draws(5, SOME):
        size = int(rng.integers(2, 6))
        table = rng.integers(0, 6, (size, size)) * rng.integers(0, 2, (size, size))
        ours = stats.quadratic_weighted_kappa(table)
        if ours is None:
            used = (table.sum(axis=0) + table.sum(axis=1)) > 0
            assert used.sum() < 2
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = inter_rater.cohens_kappa(table, wt="quadratic").kappa
        assert same(ours, float(theirs))


def residual(design: Any, y: Any) -> float:
    return float(((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2).sum())


def test_icc_follows_from_the_variance_table() -> None:
    """Two-way mean squares by least squares on dummies, an independent way to the same table."""
    for rng in draws(6, SOME):
        n, k = int(rng.integers(2, 9)), int(rng.integers(2, 6))
        x = rng.integers(1, 6, (n, k)).astype(np.float64)
        rows = np.kron(np.eye(n), np.ones((k, 1)))
        columns = np.kron(np.ones((n, 1)), np.eye(k))

        left = [residual(design, x.ravel()) for design in (np.hstack([rows, columns]), columns, rows)]
        error = left[0] / ((n - 1) * (k - 1))
        ms_rows = (left[1] - left[0]) / (n - 1)
        ms_columns = (left[2] - left[0]) / (k - 1)
        within = left[2] / (n * (k - 1))
        expected = {
            "1,1": (ms_rows - within, ms_rows + (k - 1) * within),
            "A,1": (ms_rows - error, ms_rows + (k - 1) * error + k * (ms_columns - error) / n),
            "C,k": (ms_rows - error, ms_rows),
        }
        for kind, (top, bottom) in expected.items():
            ours = stats.icc(x, kind)
            if ours is None or bottom < 1e-9:
                assert bottom < 1e-6
            else:
                assert ours == pytest.approx(top / bottom, abs=1e-6)


def test_concordance_is_friedmans() -> None:
    for rng in draws(7, SOME):
        raters, items = int(rng.integers(3, 6)), int(rng.integers(3, 8))
        x = rng.integers(0, int(rng.integers(2, 9)), (raters, items)).astype(np.float64)
        ours = stats.kendall_w(x)
        if ours is None:
            assert (np.ptp(x, axis=1) == 0).all()
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chi = scipy.stats.friedmanchisquare(*x.T).statistic
        assert ours == pytest.approx(chi / (raters * (items - 1)), abs=1e-9)


def test_mcnemar_is_statsmodels() -> None:
    for b in range(30):
        for c in range(30):
            theirs = mcnemar([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
            assert same(stats.mcnemar_exact(b, c), float(min(1.0, theirs)))


def test_wilson_is_statsmodels() -> None:
    for rng in draws(8, MANY):
        n = int(rng.integers(1, 400))
        k, level = int(rng.integers(0, n + 1)), float(rng.uniform(0.5, 0.999))
        theirs = proportion.proportion_confint(k, n, alpha=1 - level, method="wilson")
        assert stats.wilson_interval(k, n, level) == pytest.approx(theirs, abs=1e-9)


def test_adjusted_p_values_are_statsmodels() -> None:
    for rng in draws(9, MANY):
        p = rng.choice([0.0, 0.01, 0.02, 0.5, 1.0, *rng.random(3)], int(rng.integers(1, 9))).tolist()
        ours = stats.benjamini_hochberg(p)
        assert ours == pytest.approx(multitest.multipletests(p, method="fdr_bh")[1].tolist(), abs=1e-12)
    assert stats.benjamini_hochberg([]) == []
    for rng in draws(14, 8):
        p = rng.choice([0.0, 0.02, *rng.random(5)], int(rng.integers(1, 9))).tolist()
        assert stats.holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1].tolist(), abs=1e-12)


def test_holm_is_the_closed_test_of_bonferroni() -> None:
    """A hypothesis falls when every intersection it is part of does: the largest p of those is its adjusted p."""
    for rng in draws(15, SOME):
        n = int(rng.integers(1, 7))
        p = rng.choice([0.0, 0.01, 0.02, 0.5, 1.0, *rng.random(3)], n)
        adjusted = np.zeros(n)
        for mask in range(1, 2**n):
            part = np.array([bool(mask >> i & 1) for i in range(n)])
            adjusted[part] = np.maximum(adjusted[part], min(1.0, part.sum() * p[part].min()))
        assert stats.holm(p.tolist()) == pytest.approx(adjusted.tolist(), abs=1e-12)


def test_sign_flips_are_scipys() -> None:
    for rng in draws(10, 40):
        x = rng.integers(-3, 4, int(rng.integers(2, 8))).astype(np.float64)
        theirs = scipy.stats.permutation_test(
            (x,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
        ).pvalue
        ours = stats.sign_flip_test(x)
        assert ours is not None
        # scipy doubles the smaller tail; for a symmetric set of sign vectors both are the same.
        assert ours == pytest.approx(min(1.0, theirs), abs=1e-9)


def test_robust_means_are_scipys() -> None:
    for rng in draws(11, MANY):
        x = sample(rng, int(rng.integers(1, 30)))
        assert same(stats.iqm(x), float(scipy.stats.trim_mean(x, 0.25)))
        y = sample(rng, int(rng.integers(1, 10)))
        u = scipy.stats.mannwhitneyu(x, y).statistic if len(x) else 0.0
        assert same(stats.probability_of_improvement(x, y), float(u) / (len(x) * len(y)))


def test_pass_hat_k_is_the_share_of_all_subsets() -> None:
    for rng in draws(12, SOME):
        tasks, trials = int(rng.integers(1, 5)), int(rng.integers(1, 7))
        x = rng.integers(0, 2, (tasks, trials))
        k = int(rng.integers(1, trials + 1))
        subsets = [list(c) for c in combinations(range(trials), k)]
        every = np.mean([[row[s].all() for s in subsets] for row in x])
        some = np.mean([[row[s].any() for s in subsets] for row in x])
        assert same(stats.pass_hat_k(x, k), float(every))
        assert same(stats.pass_at_k(x, k), float(some))


def test_ranking_is_ir_measures() -> None:
    for rng in draws(13, MANY):
        items = [f"d{i}" for i in rng.permutation(15)[: int(rng.integers(1, 13))]]
        relevant = {f"d{i}" for i in rng.permutation(15)[: int(rng.integers(1, 13))]}
        run = [ScoredDoc("q", item, float(len(items) - rank)) for rank, item in enumerate(items)]
        theirs = calc_aggregate([R @ 5, nDCG @ 10], [Qrel("q", item, 1) for item in relevant], run)
        assert same(recall_at(items, relevant), theirs[R @ 5])
        assert same(ndcg_at(items, relevant), theirs[nDCG @ 10])


def test_intervals_of_alpha_and_of_means() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 6, 40)
    data = np.clip(truth + rng.integers(-1, 2, (3, 40)), 1, 5)
    alpha, interval = stats.krippendorff_alpha(data), stats.alpha_interval(data, resamples=300)
    assert alpha is not None
    assert interval is not None
    assert interval.low < alpha < interval.high
    assert interval == stats.alpha_interval(data, resamples=300)
    assert stats.alpha_interval([[1, 1], [1, 1]], resamples=20) is None
    values = rng.gamma(2.0, size=60)
    bca = stats.bca_interval(values, resamples=2000)
    plain = stats.bootstrap_ci(values)
    assert bca is not None
    assert plain is not None
    assert bca.low > plain.low  # skewed to the right: both bounds move up
    assert stats.bca_interval([1.0, 1.0]) is None
    runs = rng.random((6, 20))
    bounds = stats.iqm_interval(runs, resamples=300)
    assert bounds is not None
    assert bounds.low < (stats.iqm(runs) or 0.0) < bounds.high
    assert stats.iqm_interval(np.zeros((0, 3))) is None
    with pytest.raises(ValueError, match="runs, tasks"):
        stats.iqm_interval([1.0])
    assert stats.performance_profile([], [0.0]) is None


def test_conditions_with_and_without_probes() -> None:
    rng = np.random.default_rng(1)
    means = {"silent": 0.0, "a": 0.50, "b": 0.55, "c": 0.52, "d": 0.58, "oracle": 1.0}
    x = {name: (mean + rng.normal(0, 0.05, 50)).tolist() for name, mean in means.items()}
    y = {name: (mean + rng.normal(0, 0.05, 50)).tolist() for name, mean in means.items()}
    y["late"] = [1.0]
    full = stats.compare_conditions(x, y, resamples=300)
    part = stats.compare_conditions(x, y, leave_out=("silent", "oracle"), resamples=300)
    assert full.pearson is not None
    assert part.pearson is not None
    assert full.pearson > 0.99
    assert (full.n, part.n, full.few, part.few) == (6, 4, False, True)
    assert (full.dropped, part.left_out) == (["late"], ["oracle", "silent"])
    assert full.pearson_interval is not None
    assert part.pearson_interval is not None
    assert (
        part.pearson_interval.high - part.pearson_interval.low > full.pearson_interval.high - full.pearson_interval.low
    )
    assert full.p_spearman == pytest.approx(2 / math.factorial(6), abs=0.02)
    nothing = stats.compare_conditions({"a": []}, {"a": [1.0]})
    assert (nothing.pearson, nothing.pearson_interval, nothing.n, nothing.dropped) == (None, None, 0, ["a"])
    flat = stats.compare_conditions({"a": [1.0], "b": [1.0]}, {"a": [1.0], "b": [2.0]}, resamples=20)
    assert (flat.pearson, flat.pearson_interval, flat.resamples_undefined) == (None, None, 20)
