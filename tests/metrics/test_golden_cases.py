"""Worked cases: metrics of hand-made logs against expected numbers."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.events.validate import validate_episode
from supermarket_env.metrics import compute, episode_row
from supermarket_env.metrics.judge import pooled_rating
from supermarket_env.metrics.ranking import ndcg_at
from supermarket_env.metrics.trace import trace_episode

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]
FAMILIES = ("SR", "Turn", "recommendation", "AFR", "LNSR", "CGV", "survival", "judge")
LOG_CASES = [case for case in CASES if case["metric"] in FAMILIES]

RENAMED = {
    "checkout": "checkout_rate",
    "N": "n",
    "E_V": "n_E_V",
    "E_D": "n_E_D",
    "G": "n_goals",
    "dropped": "n_dropped_uncomparable",
}


def read(name: str, out: dict[str, Any], case: dict[str, Any]) -> Any:
    """Return the value the project gives for a name of the worked cases."""
    episodes = [validate_episode(line) for line in case["input"]["episodes"]]
    rows = [episode_row(episode) for episode in episodes]
    if name == "T":
        return [row.turns for row in rows]
    if name == "M":
        return [row.n_lists for row in rows]
    if name == "G_count":
        return out["n_goals"] + out["n_goals_excluded"]["already_visible"]
    if name in ("mean", "coverage"):
        return out["judge"][case["params"]["dim"]][name]
    if name == "pooled":
        return pooled_rating(rows, case["params"]["dim"])
    if name == "NDCG@10_naive_duplicates":
        trace = trace_episode(episodes[0])
        return ndcg_at(trace.lists[0].items, set(trace.cart), credit_repeats=True)
    if name == "LNSR_tol10":
        return compute(episodes, tolerance=10)["LNSR"]
    if name.startswith("instant("):
        step = int(name[8:-1])
        return sum(
            g.target in trace_episode(e).views[g.turn - 1 + step]
            for e in episodes
            for g in episode_row(e).goals.counted
        )
    if name.startswith(("SR(", "first_add(", "1-KM(")):
        key, t = name[:-1].split("(")
        curve = out[f"{key}(t)"]
        return None if curve is None else curve[min(int(t), len(curve) - 1)]
    if name.startswith("CGV("):
        horizon, _, variant = name[4:].partition(")")
        return out["CGV" + variant][horizon]
    return out[RENAMED.get(name, name)]


@pytest.mark.parametrize("case", LOG_CASES, ids=lambda case: case["id"])
def test_worked_case(case: dict[str, Any]) -> None:
    out = compute(case["input"]["episodes"], horizons=(0, 1, 2, 3, 4, 5, 10))
    for name, expected in case["expected"].items():
        assert_close(read(name, out, case), expected, name)


def assert_close(value: Any, expected: Any, name: str) -> None:
    if isinstance(expected, list):
        assert len(value) == len(expected), name
        for one, other in zip(value, expected, strict=True):
            assert_close(one, other, name)
    elif expected is None:
        assert value is None, name
    else:
        assert value is not None, name
        assert math.isclose(value, expected, abs_tol=1e-6), (name, value, expected)


def test_all_families_present() -> None:
    assert {case["metric"] for case in LOG_CASES} == set(FAMILIES)
