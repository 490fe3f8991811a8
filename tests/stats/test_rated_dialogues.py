"""Real people's satisfaction ratings: agreement, a predictor, calibration out of sample; skipped without the data."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.stats import icc, krippendorff_alpha, paired_correlation

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT.parent / "shared" / "data" / "satisfaction_sgd.txt"

pytestmark = pytest.mark.skipif(not FILE.is_file(), reason=f"no {FILE.name} beside the project")


@pytest.fixture(scope="module")
def page() -> Any:
    folder = str(ROOT / "benchmarks")
    sys.path.insert(0, folder)
    try:
        return import_module("satisfaction")
    finally:
        sys.path.remove(folder)


@pytest.fixture(scope="module")
def sample(page: Any) -> Any:
    return page.whole_sample(page.read_dialogues(FILE))


def test_every_dialogue_is_rated_by_several_people(sample: Any) -> None:
    assert len(sample.grades) == 400
    assert all(3 <= len(row) <= 7 and all(1 <= grade <= 5 for grade in row) for row in sample.grades)


def test_annotators_agree_better_than_chance_and_far_from_well(sample: Any) -> None:
    most = max(len(row) for row in sample.grades)
    alpha = krippendorff_alpha([[row[r] if r < len(row) else None for row in sample.grades] for r in range(most)])
    assert alpha is not None
    assert 0.1 < alpha < 0.5
    block = [row for row in sample.grades if len(row) == 3]
    single, averaged = icc(block, "1,1"), icc(block, "1,k")
    assert single is not None
    assert averaged == pytest.approx(3 * single / (1 + 2 * single))  # Spearman and Brown


def test_a_simple_predictor_orders_unseen_dialogues(page: Any, sample: Any) -> None:
    predicted = page.out_of_fold(sample)
    rho = paired_correlation(predicted.tolist(), sample.human.tolist()).spearman
    assert rho is not None
    assert rho > 0.1


def test_calibration_holds_out_of_sample(page: Any, sample: Any) -> None:
    generator = np.random.default_rng(0)
    biased = np.clip(sample.human + 0.8 + generator.normal(0, 0.5, len(sample.human)), 1, 5)
    found = page.calibration_of(biased, sample.human, splits=60)
    assert found.error_after < 0.15 < found.error_before
    assert found.single_after < found.single_before
    assert found.band_covers > 0.85
    assert found.powered_covers > 0.85
