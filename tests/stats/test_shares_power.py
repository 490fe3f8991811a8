"""The interval of paired shares against Newcombe's published examples; sample sizes against the known formulas."""

from __future__ import annotations

import numpy as np
import pytest

from supermarket_env.stats.power import arms_needed, detectable_difference, pairs_needed, tasks_needed
from supermarket_env.stats.shares import paired_share_interval


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [((36, 12, 2, 0), 0.0569, 0.3404), ((54, 0, 0, 0), -0.0664, 0.0664), ((0, 30, 0, 0), 0.8395, 1.0)],
)
def test_newcombe(table: tuple[int, int, int, int], low: float, high: float) -> None:
    found = paired_share_interval(*table)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_the_interval_is_mirrored_when_the_sides_are() -> None:
    one, two = paired_share_interval(5, 7, 2, 6), paired_share_interval(5, 2, 7, 6)
    assert one is not None
    assert two is not None
    assert (one.low, one.high) == pytest.approx((-two.high, -two.low))
    assert paired_share_interval(0, 0, 0, 0) is None
    with pytest.raises(ValueError, match="0 or more"):
        paired_share_interval(-1, 0, 0, 0)


def test_known_sizes() -> None:
    assert (arms_needed(0.5, 0.55), arms_needed(0.5, 0.6)) == (1565, 388)
    assert (pairs_needed(0.2, 0.05), pairs_needed(0.2, 0.1)) == (626, 155)
    assert detectable_difference(0.4, 1) is None


def test_the_planned_power_is_reached() -> None:
    n = tasks_needed(0.4, 0.1)
    generator = np.random.default_rng(1)
    samples = generator.normal(0.1, 0.4, size=(4000, n))
    z = samples.mean(axis=1) / (samples.std(axis=1, ddof=1) / np.sqrt(n))
    assert abs(float((np.abs(z) > 1.96).mean()) - 0.8) < 0.03
    assert detectable_difference(0.4, n) == pytest.approx(0.1, rel=0.01)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="power"):
        tasks_needed(0.4, 0.1, power=1.0)
    with pytest.raises(ValueError, match="difference"):
        tasks_needed(0.4, 0.0)
    with pytest.raises(ValueError, match="discordance"):
        pairs_needed(0.01, 0.05)
    with pytest.raises(ValueError, match="different"):
        arms_needed(0.5, 0.5)
