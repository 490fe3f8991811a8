"""pass^k and pass@k by hand, and the split of the spread into tasks and luck."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from supermarket_env.compare.pages import trials_csv, trials_page
from supermarket_env.compare.sides import Run, Side
from supermarket_env.compare.trials import spread_of_trials, trial_points
from supermarket_env.errors import ConfigError
from supermarket_env.metrics.groups import grouped_rows
from supermarket_env.stats import wilson_interval


def test_pass_of_three_tasks_by_hand(make_run: Callable[..., Run]) -> None:
    run = make_run({"a": [[1.0] * 8, [1.0] * 4 + [0.5] * 4, [0.0] * 8]})
    points = trial_points(Side(run, "a"))
    hat = {point.k: point.pass_hat for point in points}
    assert [round(hat[k], 6) for k in (1, 2, 4, 8)] == [0.5, 0.404762, 0.338095, 0.333333]
    assert round(points[1].pass_at, 6) == 0.595238
    assert all(p.pass_hat_low <= p.pass_hat <= p.pass_hat_high for p in points)
    assert len(trials_page(points, "SR_complete").splitlines()) == 12
    assert trials_csv(points).startswith("agent,k,pass_hat")


@pytest.mark.parametrize("n_tasks", [8, 25, 60])
def test_one_trial_has_the_interval_of_the_table_of_the_run(make_run: Callable[..., Run], n_tasks: int) -> None:
    """One figure, one interval: pass^1 is the share that the run's table calls SR_complete."""
    run = make_run({"a": [[1.0, float(k % 3 > 0), 0.5, float(k % 2)] for k in range(n_tasks)]})
    table = grouped_rows(run.rows, ("agent",), intervals=True)["groups"][0]
    point = trial_points(Side(run, "a"))[0]
    assert 100 * point.pass_hat == pytest.approx(table["beyond"]["SR_complete"])
    assert [100 * point.pass_hat_low, 100 * point.pass_hat_high] == pytest.approx(table["intervals"]["SR_complete"])


def test_tasks_without_all_trials_are_left_out_and_counted(make_run: Callable[..., Run]) -> None:
    (point, _) = trial_points(Side(make_run({"a": [[1.0, 1.0], [0.0]]}), "a"))
    assert (point.pass_hat, point.n_tasks, point.n_left_out) == (1.0, 1, 1)


def test_all_or_none_of_all_trials_keep_a_width(make_run: Callable[..., Run]) -> None:
    points = trial_points(Side(make_run({"a": [[1.0, 1.0]] * 25}), "a"))
    low, high = wilson_interval(25, 25)  # type: ignore[misc]
    assert {(p.pass_hat_low, p.pass_hat_high, p.pass_at_low) for p in points} == {(low, high, low)}


def test_what_is_no_success_is_refused(make_run: Callable[..., Run]) -> None:
    with pytest.raises(ConfigError, match="valid: SR_complete"):
        trial_points(Side(make_run({"a": [[1.0]]}), "a"), "Turn")


def test_spread_between_and_within_tasks(make_run: Callable[..., Run]) -> None:
    run = make_run({"a": [[0.0, 0.0], [0.0, 0.0]], "b": [[0.2, 0.4], [0.6, 0.8]]})
    found = spread_of_trials([Side(run, "a"), Side(run, "b")])
    assert found is not None
    between, within, tasks, trials = found
    assert (tasks, trials) == (2, 2)
    assert within == pytest.approx(0.02)
    assert between == pytest.approx(0.08 - 0.02 / 2)
