"""The spread of a graded figure: interquartile mean, profile, BCa interval, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from supermarket_env.cli import main
from supermarket_env.compare.profile import GRADED, THRESHOLDS, profile_page, profiles_of
from supermarket_env.compare.sides import Side
from supermarket_env.errors import ConfigError
from supermarket_env.stats import bca_interval

Sides = Callable[..., list[Side]]


def test_the_spread_is_that_of_all_scores_and_the_difference_that_of_tasks(sides: Sides) -> None:
    one, two = profiles_of(sides([[0.2, 0.4], [0.5, 0.5], [0.0, 0.0]], [[0.4, 0.6], [0.5, 0.7], [0.0, 0.0]]), "NS")
    assert (two.n_tasks, two.n_scores) == (3, 6)
    assert two.iqm == pytest.approx((0.0 + 0.4 + 0.5 + 0.6) / 4), "a quarter of six, rounded down, off each end"
    assert two.iqm is not None
    assert two.iqm_low is not None
    assert two.iqm_high is not None
    assert two.iqm_low <= two.iqm <= two.iqm_high
    assert two.shares is not None
    assert two.shares[THRESHOLDS.index(0.5)] == pytest.approx(2 / 6), "above, not at"
    assert one.difference is None
    assert two.difference == pytest.approx((0.2 + 0.1 + 0.0) / 3)
    bounds = bca_interval([0.2, 0.1, 0.0])
    assert bounds is not None
    assert (two.bca_low, two.bca_high) == pytest.approx((bounds.low, bounds.high))
    page = profile_page([one, two])
    assert page.startswith("## Spread of NS\n")
    assert "(base)" in page


def test_one_trial_a_task_gives_no_interval_of_the_interquartile_mean(sides: Sides) -> None:
    found = profiles_of(sides([[0.2], [0.6]], [[0.2], [0.6]]), "NS")
    assert [one.iqm for one in found] == pytest.approx([0.4, 0.4])
    assert [one.iqm_low for one in found] == [None, None]
    assert (found[1].difference, found[1].bca_low) == (0.0, None), "without any spread there is no interval"


@pytest.mark.parametrize(("name", "told"), [("SR", "no graded score"), ("Turn", "no graded score"), ("NSS", "unknown")])
def test_shares_and_counts_have_no_profile(sides: Sides, name: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        profiles_of(sides([[0.2]], [[0.2]]), name)
    assert "NS" in GRADED


def test_the_command_shows_it_where_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    words = ["agents=[silent,rule]", "suite.episodes=3", "run.workers=1", f"out={run}"]

    def called(*what: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(list(what))
        assert not ended.value.code
        return capsys.readouterr().out

    called("run", *words)
    assert "Spread of NS" not in called("compare", str(run))
    assert "## Spread of NS" in called("compare", str(run), "--profile", "NS")
    (silent, rule) = json.loads(called("compare", str(run), "--profile", "NS", "--json"))["profiles"]
    assert (silent["agent"], rule["n_tasks"], len(rule["shares"])) == ("silent", 3, 10)
