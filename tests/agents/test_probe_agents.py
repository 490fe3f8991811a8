"""The probes do what they are for, keep their bands, and hints can be withheld from any assistant."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from supermarket_env.agents.registry import AGENTS, make_agent
from supermarket_env.agents.withheld import Withheld
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.errors import ConfigError
from supermarket_env.metrics.aggregate import aggregate, rows_of
from supermarket_env.run.episode import EpisodeSpec, play_episode
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.suites import load_suite
from supermarket_env.world import load_world

Trip = Callable[..., Any]
PROBES = ("one_item", "always_move", "near_goal", "repeat_until_yes", "re_recommender", "flatterer")
N = 40


@cache
def game() -> Game:
    return Game(load_world("embedded", "neighbourhood"), texts=False, mode="plain")


@cache
def figures(name: str) -> dict[str, Any]:
    """Return the aggregated figures of a shipped assistant on the first dev tasks."""
    assistant = make_agent(name)
    lines = []
    for task in load_suite("dev", n=N).tasks:
        labels = EpisodeLabels(agent=name, task_id=task.id, episode_id=f"{name}|{task.id}")
        lines.append(play_episode(game(), assistant, EpisodeSpec(task, episode_seed(0, task.id, 0), labels)).line)
    return aggregate(rows_of(lines))


def satisfaction(name: str) -> float:
    return float(figures(name)["beyond"]["need_satisfaction"])


@pytest.mark.parametrize("name", PROBES)
def test_no_probe_beats_rule_and_none_helps(name: str) -> None:
    assert not AGENTS[name].privileged
    assert satisfaction(name) < satisfaction("rule") - 0.2
    assert satisfaction(name) <= satisfaction("silent") + 0.02


def test_each_probe_inflates_what_it_is_after() -> None:
    rule = figures("rule")
    assert figures("re_recommender")["R@5"] > rule["R@5"]
    assert figures("re_recommender")["NDCG@10"] > rule["NDCG@10"]
    assert figures("near_goal")["CGV"]["1"] > rule["CGV"]["1"]
    assert figures("always_move")["AFR"] >= 0.8 * rule["AFR"]
    assert figures("one_item")["R@5"] >= 0.8 * rule["R@5"]


def test_one_item_shows_one_list_and_then_pushes(trip: Trip) -> None:
    for index in range(6):
        messages = trip("one_item", index=index).messages
        assert sum(bool(m.items) for m in messages) <= 1
    assert any(m.act == "offer_checkout" for m in messages)


def test_always_move_suggests_a_legal_step_every_turn(trip: Trip) -> None:
    messages = trip("always_move", index=1).messages
    assert all(m.suggest is not None and m.suggest.type == "move" and m.goal is None for m in messages)


def test_near_goal_names_a_new_shelf_each_time(trip: Trip) -> None:
    goals = [m.goal.id for m in trip("near_goal", index=1).messages if m.goal is not None]
    assert len(goals) > 5
    assert len(set(goals)) == len(goals)


def test_repeat_until_yes_repeats_one_list(trip: Trip) -> None:
    for index in range(8):
        lists = [m.items for m in trip("repeat_until_yes", index=index).messages if m.items]
        if len(lists) > len(set(lists)):
            return
    pytest.fail("no list was ever repeated")


def test_the_re_recommender_shows_the_cart_and_nothing_else(trip: Trip) -> None:
    shown = 0
    for index in range(4):
        played = trip("re_recommender", index=index)
        cart: set[str] = set()
        for message, exchange in zip(played.messages, played.exchanges, strict=False):
            assert set(message.items) <= cart
            shown += bool(message.items)
            cart |= {exchange.arg} if exchange.action == "add" else set()
    assert shown


def test_the_flatterer_never_shows_or_suggests(trip: Trip) -> None:
    messages = trip("flatterer", index=2).messages
    assert all(not m.items and m.suggest is None and m.goal is None and m.text for m in messages)
    assert {m.act for m in messages} <= {"acknowledge", "confirm"}


def test_withheld_lets_everything_pass_but_hints(trip: Trip) -> None:
    bare = trip(Withheld("rule"), index=3)
    assert bare.faults == []
    assert all(m.suggest is None and m.goal is None for m in bare.messages)
    assert any(m.items for m in bare.messages)
    goals = trip(Withheld(of="rule", goals=True), index=3).messages
    assert all(m.suggest is None for m in goals)
    assert any(m.goal is not None for m in goals)


def test_withheld_leaves_an_assistant_without_hints_as_it_is(trip: Trip) -> None:
    assert trip(Withheld("popularity"), index=2).messages == trip("popularity", index=2).messages


def test_withheld_is_made_from_a_run_entry_and_names_what_is_wrong() -> None:
    target = "supermarket_env.agents.withheld.Withheld"
    made = make_agent({"name": "x", "_target_": target, "of": {"name": "rule"}})
    assert made.name == "rule_withheld"
    with pytest.raises(ConfigError, match="Did you mean 'rule'"):
        make_agent({"name": "x", "_target_": target, "of": "rul"})


def test_withheld_oracle_keeps_its_door_to_the_truth() -> None:
    task = load_suite("dev", n=1).tasks[0]
    spec = EpisodeSpec(task, 5, EpisodeLabels(agent="o", task_id=task.id), privileged=True)
    played = play_episode(game(), Withheld("oracle"), spec)
    assert not played.assistant_failed
    assert not [e for e in played.line["events"] if e["k"] in ("suggest", "goal", "fault")]
