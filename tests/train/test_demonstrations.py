"""Demonstrations: a trip played again from its log is the same trip, and what was said has a macro."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.macros import MACROS, MacroPlayer
from supermarket_env.agents.registry import make_agent
from supermarket_env.agents.rule import Rule
from supermarket_env.dialogue.acts import AssistantMessage, Goal
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.errors import LogError
from supermarket_env.events.log import encode_episode, read_log
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.task import Task
from supermarket_env.train.demonstrations import UNKNOWN, demonstrate, from_logs, macro_of, messages_of, replay
from supermarket_env.train.layout import OBSERVATION


def played(game: Game, task: Task, assistant: Any) -> dict[str, Any]:
    labels = EpisodeLabels(
        agent=assistant.name, task_id=task.id, suite="train", episode_id=f"{assistant.name}|{task.id}"
    )
    view = game.reset(task, seed=episode_seed(0, task.id, 0), labels=labels)
    assistant.start(view)
    while not game.done:
        view = game.step(assistant.reply(view))
    return game.episode()


@pytest.mark.parametrize("name", ["rule", "retrieval", "random"])
def test_the_messages_of_a_log_make_the_same_trip(game: Game, tasks: list[Task], name: str) -> None:
    for task in tasks[:4]:
        line = played(game, task, make_agent(name))
        view = game.reset(task, seed=int(line["seed"]))
        for message in messages_of(line["events"]):
            view = game.step(message)
        assert game.done
        again = [{k: v for k, v in e.items() if k != "text"} for e in game.episode()["events"]]
        before = [{k: v for k, v in e.items() if k != "text"} for e in line["events"]]
        drop = [e for e in before if e["k"] == "fault"]
        if not drop:
            assert again == before
        assert view.turn > 1


def test_nearly_all_that_rule_says_has_a_macro(game: Game, tasks: list[Task], player: MacroPlayer) -> None:
    data = demonstrate(game, Rule(), tasks, player)
    assert data.observations.shape == (len(data.macros), OBSERVATION)
    assert data.coverage > 0.97
    shown = np.flatnonzero(data.macros >= 0)
    assert data.masks[shown, data.macros[shown]].all()
    assert data.observations.min() >= 0.0
    assert data.observations.max() <= 1.0


def test_returns_are_what_is_still_to_come(game: Game, tasks: list[Task], player: MacroPlayer) -> None:
    line = played(game, tasks[0], Rule())
    rewards = [event["value"] for event in line["events"] if event["k"] == "reward"]
    data = replay(game, tasks[0], int(line["seed"]), messages_of(line["events"]), player)
    assert data.returns[0] == pytest.approx(sum(rewards), abs=1e-5)
    assert data.returns[-1] == pytest.approx(rewards[-1], abs=1e-5)


def test_logs_are_cloned_from_files(game: Game, tasks: list[Task], player: MacroPlayer, tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    file.write_bytes(b"".join(encode_episode(played(game, task, Rule())) + b"\n" for task in tasks[:3]))
    log = read_log(file)
    by_id = {task.id: task for task in tasks}
    data = from_logs(game, log.episodes, by_id, player)
    direct = demonstrate(game, Rule(), tasks[:3], player)
    assert np.array_equal(data.macros, direct.macros)
    assert np.array_equal(data.observations, direct.observations)
    with pytest.raises(LogError, match="not among"):
        from_logs(game, log.episodes, {}, player)
    with pytest.raises(LogError, match="no demonstrations"):
        from_logs(game, [], by_id, player)


def test_a_log_of_another_trip_is_refused(game: Game, tasks: list[Task], player: MacroPlayer) -> None:
    line = played(game, tasks[0], Rule())
    with pytest.raises(LogError, match="does not end"):
        replay(game, tasks[0], int(line["seed"]), messages_of(line["events"])[:-1], player)


def test_what_no_macro_says_is_unknown(game: Game, tasks: list[Task], player: MacroPlayer) -> None:
    view = game.reset(tasks[0], seed=1)
    player.start(view)
    player.look(view)
    assert macro_of(AssistantMessage(), player) == MACROS.index("silent")
    assert macro_of(AssistantMessage(act="ask", need=8, attribute="anything"), player) == UNKNOWN
    assert macro_of(AssistantMessage(act="offer_checkout"), player) == UNKNOWN  # nothing in the cart yet
    more = AssistantMessage(act="ask", attribute="anything")
    assert MACROS[macro_of(more, player)] == "ask_for_more"
    kind = view.heard[0].product_type
    if kind is not None:
        led = AssistantMessage(act="guide", goal=Goal(kind="category", id=kind))
        assert MACROS[macro_of(led, player)] == "guide_need_1"
