"""Comparisons: effects by hand, which test is used, Holm over the declared family, flips, segments, pairing."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest

from supermarket_env.compare.pages import comparison_page, effects_csv, flips_csv
from supermarket_env.compare.paired import MCNEMAR, SIGN_FLIP, compare_pair, compare_sides, pair_up
from supermarket_env.compare.sides import Run, Side
from supermarket_env.compare.values import value_named
from supermarket_env.errors import ConfigError
from supermarket_env.metrics import compute
from supermarket_env.metrics.aggregate import rows_of
from supermarket_env.stats import mcnemar_exact, wilson_interval

Sides = Callable[..., list[Side]]


def test_effects_are_mean_differences_over_tasks_with_trials_averaged_first(sides: Sides) -> None:
    one, two = sides([[0.2, 0.4], [0.5, 0.5], [0.0, 0.0]], [[0.4, 0.6], [0.5, 0.7], [0.0, 0.0]])
    effect = compare_pair(one, two).effect("NS_uplift")
    assert (effect.n_tasks, effect.n_pairs) == (3, 6)
    assert effect.difference == pytest.approx((0.2 + 0.1 + 0.0) / 3)
    assert effect.first == pytest.approx((0.3 + 0.5 + 0.0) / 3)
    assert effect.test == SIGN_FLIP
    assert effect.p == 0.5, "two differences of three are not zero: the sign vectors that go as far are half of all"
    assert effect.improvement == pytest.approx((1 + 1 + 0.5) / 3), "trials averaged: two tasks are won, one is a tie"
    assert effect.n_differ == 2


def test_need_satisfaction_and_its_uplift_have_one_probability_of_being_better(make_run: Callable[..., Run]) -> None:
    """Both differ by the same number on every task, whatever the reference did in each trial."""
    run = make_run({"silent": [[0.1, 0.6], [0.3, 0.0]], "a": [[0.2, 0.4], [0.5, 0.5]], "b": [[0.3, 0.35], [0.4, 0.5]]})
    found = compare_pair(Side(run, "a"), Side(run, "b"))
    assert found.effect("NS").improvement == found.effect("NS_uplift").improvement == 0.5


def test_a_test_that_contradicts_its_interval_is_marked_and_explained(sides: Sides) -> None:
    """Five of 25 tasks differ, all one way: no sign flip of five can reach 5 %, whatever resampling says."""
    one, two = sides([[0.5, 0.5]] * 25, [[0.5, 0.9]] * 5 + [[0.5, 0.5]] * 20)
    found = compare_sides([one, two])
    effect = found[0].effect("NS_uplift")
    assert effect.disagrees
    assert effect.p == pytest.approx(0.0625, abs=0.003)
    page = comparison_page(found)
    assert "**NS_uplift (0..1)**!" in page
    assert "5 of 25 tasks differ" in page
    assert "interval and test disagree" not in comparison_page(
        compare_sides(sides([[0.1, 0.1]] * 25, [[0.5, 0.5]] * 25))
    )


def test_the_reference_has_no_uplift_of_its_own(make_run: Callable[..., Run]) -> None:
    run = make_run({"silent": [[0.1]] * 3, "a": [[0.2], [0.3], [0.5]]})
    page = comparison_page(compare_sides([Side(run, name) for name in run.agents]))
    row = next(line for line in page.splitlines() if "**NS_uplift" in line)
    assert [cell.strip() for cell in row.split("|")][2:4] == ["n/a", "0.233"]


def test_less_is_better_where_it_is(sides: Sides) -> None:
    one, two = sides([[0.5]], [[0.5]])
    assert compare_pair(one, two).effect("Turn").improvement == 0.5


def test_coming_to_the_checkout_with_nothing_is_no_purchase_there() -> None:
    events = [{"k": "user", "turn": 1, "act": "chat", "text": ""}, {"k": "end", "reason": "checkout"}]
    bought = [{"k": "cart", "turn": 1, "op": "add", "sku": "p"}, *events]
    lines = [
        {"schema": "supermarket.episode/1", "episode_id": str(n), "agent": "a", "events": what}
        for n, what in enumerate((events, bought))
    ]
    rows = rows_of(lines)
    of = value_named("checkout_rate").of
    assert [of(row, {}) for row in rows] == [0.0, 1.0]
    assert compute(lines)["checkout_rate"] == 50.0


def test_a_share_with_one_trial_takes_mcnemar_and_keeps_a_width(sides: Sides) -> None:
    a, b = [[1.0]] * 5 + [[0.0]] * 12, [[1.0]] * 3 + [[0.0]] * 2 + [[1.0]] * 10 + [[0.0]] * 2
    effect = compare_pair(*sides(a, b), family=["SR_complete"]).effect("SR_complete")
    assert effect.test == MCNEMAR
    assert effect.p == mcnemar_exact(2, 10)
    assert effect.difference == pytest.approx(100 * 8 / 17)
    same = compare_pair(*sides(a, a), family=["SR_complete"]).effect("SR_complete")
    assert same.p == 1.0
    assert same.low is not None
    assert same.high is not None
    assert same.low < -1 < 1 < same.high, "no pair differs, yet 17 tasks do not prove a difference of 0"


def test_a_share_with_several_trials_takes_the_sign_flip(sides: Sides) -> None:
    one, two = sides([[1.0, 0.0]] * 4, [[1.0, 1.0]] * 4)
    assert compare_pair(one, two, family=["SR_complete"]).effect("SR_complete").test == SIGN_FLIP


def test_only_the_declared_family_is_tested_and_holm_counts_all_of_it(make_run: Callable[..., Run]) -> None:
    zero = [[0.0]] * 8
    run = make_run({"silent": zero, "a": [[0.5]] * 8, "b": [[0.4]] * 8})
    all_sides = [Side(run, name) for name in run.agents]
    found = compare_sides(all_sides, family=["NS_uplift", "Turn"], all_pairs=True)
    assert [(c.second, c.first) for c in found] == [("a", "silent"), ("b", "silent"), ("b", "a")]
    effects = [effect for c in found for effect in c.effects]
    assert {effect.value for effect in effects if effect.p is not None} == {"NS_uplift", "Turn"}
    first = found[0].effect("NS_uplift")
    assert first.p == 2 / 2**8
    assert first.p_holm == pytest.approx(6 * 2 / 2**8), "three comparisons of two figures make a family of six"
    assert len(compare_sides(all_sides)) == 2, "by default each is compared with the first only"


def test_flips_name_both_transcripts_largest_first(sides: Sides) -> None:
    found = compare_pair(*sides([[1.0], [0.2], [0.9]], [[0.5], [1.0], [1.0]]))
    assert [(f.task, f.winner) for f in found.flips] == [("t001", "b"), ("t000", "a"), ("t002", "b")]
    assert found.flips[0].first_id == "a|u|s|t001|0"
    assert found.flips[0].second_id == "b|u|s|t001|0"
    assert len(flips_csv([found]).splitlines()) == 4


def test_pairs_with_a_failure_of_the_simulator_are_set_aside(make_run: Callable[..., Run]) -> None:
    from supermarket_env.compare.paired import Pairing  # the type is part of what is promised

    lines = [line for agent in ("a", "b") for line in _lines(agent, [0.5, 0.5, 0.5])]
    lines[0]["events"] = [{"k": "end", "reason": "infra_error"}]
    rows = rows_of(lines[:5])
    found = pair_up([r for r in rows if r.agent == "a"], [r for r in rows if r.agent == "b"])
    assert isinstance(found, Pairing)
    assert (len(found.pairs), found.n_infra, found.n_unpaired) == (1, 1, 1)


def test_forced_sides_in_other_stores_are_paired_by_task() -> None:
    one = rows_of([{**line, "store": "s"} for line in _lines("a", [0.5, 0.5])])
    two = rows_of([{**line, "store": "t"} for line in _lines("b", [0.5])])
    found = pair_up(one, two)
    assert (len(found.pairs), found.n_unpaired) == (1, 1)


def _lines(agent: str, values: list[float]) -> list[dict[str, Any]]:
    events = [{"k": "end", "reason": "left"}]
    return [
        {"schema": "supermarket.episode/1", "episode_id": f"{agent}{k}", "agent": agent, "task_id": f"t{k}",
         "events": list(events)}
        for k, _ in enumerate(values)
    ]  # fmt: skip


def test_nothing_in_common_and_unknown_figures_are_refused(sides: Sides, make_run: Callable[..., Run]) -> None:
    one, two = sides([[0.5]], [[0.5]])
    other = make_run({"a": []})
    with pytest.raises(ConfigError, match="no task and trial in common"):
        compare_pair(one, Side(other, "a"))
    with pytest.raises(ConfigError, match="SR_complete"):
        compare_sides([one, two], family=["SR_completed"])
    with pytest.raises(ConfigError, match="two sides or more"):
        compare_sides([one])


def test_the_page_shows_n_unit_interval_and_what_can_be_detected(sides: Sides) -> None:
    found = compare_sides(sides([[0.2], [0.4], [0.1], [0.5]], [[0.3], [0.8], [0.3], [0.9]]))
    warnings = ["NOT COMPARABLE, forced: user"]
    page = comparison_page(found, warnings=warnings)
    assert all("NOT COMPARABLE" in line for line in page.splitlines() if line.startswith((">", "## ", "NS_uplift")))
    assert page.count("NOT COMPARABLE") == 3
    assert "n = 4 tasks" in page
    assert "you can detect" in page
    assert "a family of 1 test," in page
    heads = "".join(line for line in page.splitlines() if line.startswith("| figure"))
    words = ("difference [95 %]", "n tasks", "P(better) [95 %]", "detects", "test", "| p ", "Holm")
    assert all(word in heads for word in words)
    assert "**NS_uplift (0..1)**" in page
    assert max(len(line) for line in page.splitlines() if line.startswith("|")) <= 80
    rows = list(csv.DictReader(io.StringIO(effects_csv(found, warnings=warnings))))
    assert {row["flag"] for row in rows} == {"NOT COMPARABLE"}
    assert {row["flag"] for row in csv.DictReader(io.StringIO(effects_csv(found)))} == {""}


def test_both_p_values_are_shown_where_several_tests_are_adjusted(make_run: Callable[..., Run]) -> None:
    run = make_run({"silent": [[0.0]] * 8, "a": [[0.5]] * 8, "b": [[0.4]] * 8})
    page = comparison_page(compare_sides([Side(run, name) for name in run.agents]))
    assert "p = 0.0156 with Holm over 2 tests: a is better" in page
    assert "| sign flip | 0.0078 | 0.0156 |" in page


def test_a_part_that_holds_every_task_is_no_part(sides: Sides) -> None:
    found = compare_pair(*sides([[0.2]] * 25, [[0.3]] * 25))
    assert found.segments == (), "one store and one stratum hold all tasks"
    assert found.worst is None
    assert "Worst part: no stratum" in comparison_page([found])


def test_equal_differences_have_a_width_or_none_is_claimed(sides: Sides) -> None:
    found = compare_pair(*sides([[0.5]] * 25, [[0.5]] * 25))
    ns, turns = found.effect("NS"), found.effect("Turn")
    assert ns.low is not None
    assert ns.low == pytest.approx(-wilson_interval(0, 25).high)  # type: ignore[union-attr]
    assert ns.improvement_low is not None
    assert ns.improvement_low < 0.5 < (ns.improvement_high or 0)
    assert (turns.difference, turns.low) == (0.0, None), "turns have no largest value"
    assert "+0.00 [n/a]" in comparison_page([found])
