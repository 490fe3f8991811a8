"""Recall and NDCG against an independent library on random lists."""

from __future__ import annotations

import numpy as np
import pytest

from supermarket_env.metrics.ranking import list_scores, ndcg_at, recall_at

ir_measures = pytest.importorskip("ir_measures")


def test_agrees_with_ir_measures() -> None:
    rng = np.random.default_rng(0)
    products = [f"p{i}" for i in range(40)]
    qrels, run = [], []
    lists: dict[str, tuple[list[str], set[str]]] = {}
    for number in range(300):
        query = str(number)
        items = [str(p) for p in rng.permutation(products)[: int(rng.integers(1, 15))]]
        relevant = {str(p) for p in rng.permutation(products)[: int(rng.integers(1, 14))]}
        lists[query] = (items, relevant)
        qrels += [ir_measures.Qrel(query, p, 1) for p in relevant]
        # Strictly falling scores: the library would break ties by name.
        run += [ir_measures.ScoredDoc(query, p, float(100 - rank)) for rank, p in enumerate(items)]
    recall, ndcg = ir_measures.R @ 5, ir_measures.nDCG @ 10
    checked = 0
    for metric in ir_measures.iter_calc([recall, ndcg], qrels, run):
        items, relevant = lists[metric.query_id]
        ours = recall_at(items, relevant) if metric.measure == recall else ndcg_at(items, relevant)
        assert ours == pytest.approx(metric.value, abs=1e-9)
        checked += 1
    assert checked == 600


def test_scores_in_one_go_are_those_one_by_one() -> None:
    rng = np.random.default_rng(1)
    products = [f"p{i}" for i in range(30)]
    for _ in range(2000):
        items = [str(p) for p in rng.choice(products, int(rng.integers(0, 15)))]  # repeats included
        relevant = {str(p) for p in rng.permutation(products)[: int(rng.integers(0, 14))]}
        expected = recall_at(items, relevant), recall_at(items, relevant, capped=True), ndcg_at(items, relevant)
        assert list_scores(items, relevant) == expected
        assert list_scores(tuple(items), frozenset(relevant)) == expected


def test_no_relevant_products_is_undefined() -> None:
    assert recall_at(["a"], set()) is None
    assert ndcg_at(["a"], set()) is None
    assert recall_at([], {"a"}) == 0.0
