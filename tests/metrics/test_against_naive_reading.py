"""The package against a second implementation of the definitions, on random logs."""

from __future__ import annotations

import importlib.util
import itertools
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.events.validate import validate_episode
from supermarket_env.metrics import compute, episode_row


def load(name: str) -> ModuleType:
    """Import a module of this folder (tests are not a package)."""
    spec = importlib.util.spec_from_file_location(f"metric_tests_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


logs, naive = load("random_logs"), load("naive_reading")


def same(value: Any, expected: Any) -> bool:
    if value is None or expected is None:
        return value is None and expected is None
    return math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9)


def check(seed: int) -> None:
    lines = logs.random_lines(seed)
    out = compute(lines, horizons=(0, 1, 2, 4))
    kept = [line for line in lines if naive.reason(line) != "infra_error"]
    assert out["n"] == len(kept)
    assert out["n_infra"] == len(lines) - len(kept)
    wins = [line for line in kept if naive.success(line)]
    expected: dict[str, Any] = {
        "SR": 100 * len(wins) / len(kept) if kept else None,
        "Turn": naive.mean([naive.turns(line) for line in kept]),
        "Turn_success": naive.mean([naive.turns(line) for line in wins]),
        "Turn_failure": naive.mean([naive.turns(line) for line in kept if line not in wins]),
        "checkout_rate": 100 * sum(naive.reason(w) == "checkout" for w in wins) / len(kept) if kept else None,
        "n_lists": sum(len(naive.lists(line)) for line in kept),
        "n_purchase_without_list": sum(not naive.lists(line) for line in wins),
        "R@5_given_purchase_and_list": naive.mean([naive.list_score(w, "R@5") for w in wins if naive.lists(w)]),
    }
    for name in ("R@5", "R@5_capped", "R@5_dedupe_first", "R@5_not_already_in_cart"):
        expected[name] = naive.mean([naive.list_score(line, name) for line in kept])
    for name in ("NDCG@10", "NDCG@10_dedupe_first", "NDCG@10_not_already_in_cart"):
        expected[name] = naive.mean([naive.list_score(line, name) for line in kept])
    expected |= suggestion_part(kept)
    for name, value in expected.items():
        assert same(out[name], value), (seed, name, out[name], value)
    for t in range(len(out["SR(t)"] or [])):
        assert same(out["SR(t)"][t], 100 * sum(naive.turns(w) <= t for w in wins) / len(kept))
    for h, limit in (("0", 0), ("1", 1), ("2", 2), ("4", 4), ("End", math.inf)):
        assert same(out["CGV"][h], naive.cgv(kept, limit)), (seed, h)
        assert same(out["CGV_complete"][h], naive.cgv_complete(kept, limit)), (seed, h)
    excluded = [naive.goals(line)[1] for line in kept]
    assert out["n_goals_excluded"] == {key: sum(e[key] for e in excluded) for key in out["n_goals_excluded"]}
    assert same(out["beyond"]["need_satisfaction"], naive.mean([naive.satisfaction(line) for line in kept])), seed
    assert same(out["beyond"]["NS_uplift"], naive.uplift(kept)), seed


def suggestion_part(kept: list[dict[str, Any]]) -> dict[str, Any]:
    valid = [naive.valid_events(line) for line in kept]
    first = [pair for line in kept for pair in naive.suggestion_events(line)]
    local = [naive.local_events(line)[0] for line in kept]
    return {
        "AFR": naive.mean([naive.mean([naive.followed(s, u) for s, u in v]) for v in valid]),
        "AFR_micro": naive.mean([naive.followed(s, u) for v in valid for s, u in v]),
        "n_E_V": sum(bool(v) for v in valid),
        "illegal_rate": naive.mean([not s.get("legal", True) for s, _ in first]),
        "unanswered": sum(s.get("legal", True) and u is None for s, u in first),
        "LNSR": naive.mean([naive.mean([hit for hit, _ in d]) for d in local]),
        "LNSR_micro": naive.mean([hit for d in local for hit, _ in d]),
        "LNSR_nav_nav": naive.mean([naive.mean([hit for hit, nav in d if nav]) for d in local]),
        "n_E_D": sum(bool(d) for d in local),
        "n_dropped_uncomparable": sum(naive.local_events(line)[1] for line in kept),
    }


@pytest.mark.parametrize("block", range(4))
def test_equal_on_random_logs(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        check(seed)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_curves_never_fall_and_end_at_their_totals(seed: int) -> None:
    out = compute(logs.random_lines(seed), horizons=range(8))
    curve = out["SR(t)"]
    if curve is not None:
        assert all(a <= b for a, b in itertools.pairwise(curve))
        assert math.isclose(curve[-1], out["SR"])
        assert all(100 * km >= sr - 1e-9 for km, sr in zip(out["1-KM(t)"], curve, strict=True))
    for name in ("CGV", "CGV_count", "CGV_km"):
        values = [out[name][str(h)] for h in range(8)] + [out[name]["End"]]
        if values[0] is not None:
            assert all(a <= b + 1e-12 for a, b in itertools.pairwise(values)), name
    assert out["CGV"]["0"] in (None, 0.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_lnsr_is_at_most_afr_on_the_same_events(seed: int) -> None:
    for line in logs.random_lines(seed):
        local = [(s, u) for s, u in naive.valid_events(line) if naive.SCHEMA.get(s["action"]["type"])]
        counts = episode_row(validate_episode(line)).suggestions
        assert counts.local_followed <= sum(naive.followed(s, u) for s, u in local)
        assert counts.local_followed <= counts.followed
        assert counts.local_nav <= counts.local <= counts.valid


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_phases_may_come_in_any_order(seed: int) -> None:
    """Only the order within a kind carries meaning; a writer may interleave kinds as it likes."""
    lines = logs.random_lines(seed, tasks=2)
    rng = np.random.default_rng(seed)
    mixed = []
    for line in lines:
        kinds: dict[str, list[dict[str, Any]]] = {}
        for event in line["events"]:
            kinds.setdefault(event["k"], []).append(event)
        order = rng.permutation([name for name, events in kinds.items() for _ in events])
        mixed.append({**line, "events": [kinds[str(name)].pop(0) for name in order]})
    assert compute(mixed) == compute(lines)
    assert compute(list(reversed(mixed))) == compute(lines)
