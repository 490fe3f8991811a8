"""A store that was rearranged: the assistant sees its old map, everything else is true. And stock events in the log."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.registry import make_agent
from supermarket_env.dialogue.acts import AssistantMessage, Goal
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.events.validate import validate_episode
from supermarket_env.tasks.suites import load_suite
from supermarket_env.tasks.task import StockEvent, Task
from supermarket_env.world import World, load_world

TASK = load_suite("dev").tasks[0]


@pytest.fixture(scope="module")
def moved() -> World:
    return load_world("embedded", "neighbourhood+moved1")


@pytest.fixture(scope="module")
def game(moved: World) -> Game:
    return Game(moved, mode="plain", texts=False)


def moved_product(world: World) -> int:
    homes, shown = world.store.home_section, world.app.store.home_section
    return int(np.flatnonzero((homes != shown) & (world.store.endcap_section < 0))[0])


def test_a_store_as_planned_is_its_own_map() -> None:
    world = load_world("embedded", "corner")
    assert world.app is world


def test_the_view_holds_the_old_map_and_the_walls_are_true(game: Game, moved: World) -> None:
    view = game.reset(TASK, seed=1)
    assert view.store is moved.app.store is load_world("embedded", "neighbourhood").store
    assert view.store.node_ids == moved.store.node_ids
    p = moved_product(moved)
    assert view.store.home_section[p] != moved.store.home_section[p]


@pytest.mark.parametrize("kind", ["product", "category"])
def test_goals_are_looked_up_in_the_map_and_judged_by_the_truth(game: Game, moved: World, kind: str) -> None:
    game.reset(TASK, seed=1)
    p = moved_product(moved)
    target = moved.catalogue.ids[p] if kind == "product" else moved.catalogue.products[p].product_type
    game.step(AssistantMessage(act="guide", goal=Goal(kind=kind, id=target)))
    goal = next(e for e in game.events if e["k"] == "goal")
    section = moved.store.layout.section_numbers[goal["target"]]
    t = int(moved.catalogue.type_idx[p])
    assert goal["goal"] == f"{kind}:{target}"
    assert section in moved.app.store.type_home_sections[t]
    assert section not in moved.store.type_home_sections[t]
    assert goal["relevant"] is False or t not in moved.store.section_types[section]


def test_claims_about_places_are_judged_by_the_truth(game: Game, moved: World) -> None:
    game.reset(TASK, seed=1)
    p = moved_product(moved)
    game.step(AssistantMessage(act="inform", attribute="place", products=(moved.catalogue.ids[p],)))
    (claim,) = next(e for e in game.events if e["k"] == "assistant")["claims"]
    assert claim["true"] is False


def test_the_numeric_observation_is_made_of_the_map(moved: World) -> None:
    rows = {}
    for world in (moved, moved.app):
        game = Game(world, mode="plain", texts=False)
        game.reset(TASK, seed=1)
        rows[world] = game.kernel.observation()
    assert np.array_equal(rows[moved], rows[moved.app])


def play(game: Game, agent_name: str, task: Task, seed: int) -> dict[str, Any]:
    agent: Any = make_agent(agent_name)
    view = game.reset(task, seed=seed, labels=EpisodeLabels(task_id=task.id))
    if agent_name == "oracle":
        agent.start_privileged(view, game.truth())
    else:
        agent.start(view)
    while not game.done:
        view = game.step(agent.reply(view))
    return game.episode()


def test_the_oracle_knows_where_things_stand(game: Game) -> None:
    tasks = [task for task in load_suite("dev").tasks[:12] if len(task.needs) <= 4]
    lines = [play(game, "oracle", task, 3) for task in tasks]
    needs = [e["parts"].get("need_satisfaction", 0.0) for line in lines for e in line["events"] if e["k"] == "reward"]
    assert sum(needs) / len(tasks) > 0.9
    assert all("homes" in line["truth"] for line in lines)


def test_stock_events_are_logged_with_what_is_left() -> None:
    world = load_world("embedded", "neighbourhood")
    game = Game(world, mode="plain", texts=False)
    game.reset(TASK, seed=1)
    ids = world.catalogue.ids
    best = [ids[p] for p, _ in game.prepared.best_cart.lines]
    events = (*(StockEvent(turn=1, product=p, left=0) for p in best), StockEvent(turn=3, product=best[0], left=4))
    task = TASK.model_copy(update={"events": events})
    line = play(game, "rule", task, 1)
    validate_episode(line)
    logged = [(e["turn"], e["sku"], e["left"]) for e in line["events"] if e["k"] == "stock"]
    assert logged[: len(best)] == [(1, p, 0) for p in best]
    assert (3, best[0], 4) in logged
    bought = {e["sku"] for e in line["events"] if e["k"] == "cart" and e["op"] == "add"}
    assert not bought & set(best[1:])
