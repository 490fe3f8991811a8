"""Kendall's tau between users, by hand."""

from __future__ import annotations

import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.report.user_study import compare_users


def values(**means: float) -> dict[str, dict[str, list[float]]]:
    return {name: {f"t{k}": [mean] for k in range(8)} for name, mean in means.items()}


def test_equal_orders_agree_and_turned_ones_do_not() -> None:
    scripted = values(a=0.1, b=0.2, c=0.3)
    (same,) = compare_users({"scripted": scripted, "llm": values(a=0.5, b=0.6, c=0.9)}, resamples=50)
    assert same.tau == 1.0
    assert same.interval == (1.0, 1.0)
    (turned,) = compare_users({"scripted": scripted, "llm": values(a=0.9, b=0.6, c=0.5)}, resamples=50)
    assert turned.tau == -1.0
    (part,) = compare_users({"scripted": scripted, "llm": values(a=0.5, b=0.4, c=0.9)}, resamples=50)
    assert part.tau == pytest.approx(1 / 3)


def test_without_common_ground_nothing_is_compared() -> None:
    with pytest.raises(ConfigError, match="common assistants"):
        compare_users({"x": values(a=0.1), "y": values(b=0.1)})
    other = {name: {"other": [0.1]} for name in "ab"}
    with pytest.raises(ConfigError, match="no task"):
        compare_users({"x": values(a=0.1, b=0.2), "y": other})
