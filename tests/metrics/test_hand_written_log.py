"""A log of three episodes written by hand; every number below was worked out on paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from supermarket_env.events.log import read_log
from supermarket_env.metrics import compute

LOG = Path(__file__).parents[1] / "data" / "three_episodes.jsonl"


def test_figures_of_the_three_episodes() -> None:
    out = compute(read_log(LOG).episodes, horizons=(0, 1))
    third = pytest.approx(100 / 3)
    assert (out["n"], out["n_infra"]) == (3, 0)
    assert out["SR"] == pytest.approx(200 / 3)
    assert out["SR(t)"] == [0.0, third, third, pytest.approx(200 / 3)]
    assert out["first_add(t)"] == [0.0, third, pytest.approx(200 / 3), pytest.approx(200 / 3)]
    assert out["checkout_rate"] == third
    # At risk 3 at turn 1 (one purchase), 2 at turn 2 (one quits), 1 at turn 3 (purchase).
    assert out["1-KM(t)"] == [0.0, pytest.approx(1 / 3), pytest.approx(1 / 3), 1.0]
    assert (out["Turn"], out["Turn_success"], out["Turn_failure"]) == (2.0, 2.0, 2.0)
    # Only the first list counts for a purchase: milk of {milk} at rank 1. The silent purchase has no list.
    assert out["R@5"] == pytest.approx(1 / 3)
    assert out["NDCG@10"] == pytest.approx(1 / 3)
    assert (out["n_lists"], out["n_purchase_without_list"]) == (2, 1)
    assert out["R@5_given_purchase_and_list"] == 1.0
    # Types agree in all three answered suggestions; places in one of two.
    assert (out["AFR"], out["AFR_micro"], out["n_E_V"], out["unanswered"]) == (1.0, 1.0, 2, 0)
    assert (out["LNSR"], out["n_E_D"]) == (0.5, 2)
    # Six actions, three of them moves.
    assert out["AFR_majority"] == 0.5
    assert out["CGV"] == {"0": 0.0, "1": 0.5, "End": 0.5}
    assert (out["n_goals"], out["illegal_rate"]) == (2, 0.0)
    assert out["judge"]["naturalness"]["mean"] == 4.0
    assert out["judge"]["naturalness"]["coverage"] == pytest.approx(1 / 3)
    assert out["beyond"]["need_satisfaction"] is None
    assert out["beyond"]["acceptance_rate"] == 0.5
