"""The difficulty cards: what they count, and that the page holds one of every suite."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from supermarket_env.tasks.suites import MADE_SUITES, SUITES, load_suite

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def suites() -> ModuleType:
    folder = str(ROOT / "benchmarks")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module("suites")


def test_a_card_counts_what_the_suite_holds(suites: ModuleType) -> None:
    suite = load_suite("robust_dev", n=40)
    card = dict(suites.content(suite))
    assert card["tasks, needs"].startswith(f"40, {sum(len(task.needs) for task in suite.tasks)} ")
    stock = 100 * sum(bool(task.events) for task in suite.tasks) / 40
    assert card["store events"].endswith(f"stock changes {stock:.0f} %")
    assert card["stores"] == "neighbourhood 40"
    assert dict(suites.content(load_suite("dev", n=5)))["store events"] == "none"


def test_a_card_has_the_ladder_and_all_its_gaps(suites: ModuleType) -> None:
    card = suites.card_of(load_suite("robust_dev", n=6))
    lines = dict(card.lines)
    assert {f"NS {name}" for name in suites.LADDER} <= set(lines)
    assert {f"{a} - {b}" for a, b in suites.GAPS} <= set(lines)
    assert lines["user"] == "robust"
    assert all(0.0 <= value <= 1.0 + 1e-6 for scores in card.scores.values() for value in scores)
    assert "### robust_dev" in suites.page([card])


def test_every_named_suite_has_a_card(suites: ModuleType) -> None:
    assert set(suites.ORDER) == {*SUITES, *MADE_SUITES}


def test_no_probe_beats_rule_on_a_robust_suite(suites: ModuleType) -> None:
    probes = importlib.import_module("probes")
    tasks = load_suite("robust_dev", n=30).tasks
    names = ("silent", "rule", "one_item", "checkout_pusher", "near_goal", "re_recommender")
    played = {name: suites.rows(name, tasks, model="robust") for name in names}
    for name, (_, over_rule, _) in probes.bands(played).items():
        assert over_rule.mean < 0.0, name
