"""What the assistant can see is a function of the dialogue, the map and the user's visible actions: nothing hidden."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.registry import make_agent
from supermarket_env.catalogue.schema import ATTRIBUTES
from supermarket_env.envs.game import Game
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.suites import load_suite
from supermarket_env.tasks.task import Need, Task
from supermarket_env.world import World, load_world

MAX_TURNS = 30
"""The turn limit follows from the hidden best cart and is public by the rules of the game: twins are given the same."""
TASKS = 24


@pytest.fixture(scope="module")
def world() -> World:
    return load_world("embedded", "neighbourhood")


# --- twins: tasks that differ only in what has not been disclosed ----------------------------------------------------


def other_brand(need: Need, brands: tuple[str, ...]) -> Need:
    return need.model_copy(update={"brand": next(b for b in brands if b not in ("", need.brand))})


def changed(need: Need, kind: str, world: World) -> Need:
    """Return a need that differs in one hidden field."""
    if kind == "brand":
        return other_brand(need, tuple(world.catalogue.brands))
    if kind == "weights":
        return need.model_copy(
            update={"wants": {name: w * (1.5 + k) for k, (name, w) in enumerate(need.wants.items())}}
        )
    if kind == "wishes":
        unused = [name for name in ATTRIBUTES if name not in need.wants]
        return need.model_copy(update={"wants": {unused[0]: 1.0}})
    if kind == "limit":
        return need.model_copy(update={"price_limit_cents": need.price_limit_cents + 200})
    if kind == "importance":
        return need.model_copy(update={"weight": need.weight * 2.0})
    if kind == "outside":
        return need.model_copy(update={"outside_quantile": 0.9 if need.outside_quantile < 0.7 else 0.2})
    raise AssertionError(kind)


def twin(task: Task, kind: str, world: World) -> Task:
    """Return the task with one undisclosed field changed (id and all the rest alike)."""
    if kind == "budget":
        return task.model_copy(update={"budget_cents": task.budget_cents + 2000})
    if kind == "taste":
        return task.model_copy(update={"seed": task.seed ^ 0x5A5A5A})
    if kind == "last_need":
        spare = next(t.name for t in world.catalogue.types if all(t.name not in n.types for n in task.needs))
        return task.model_copy(update={"needs": (*task.needs[:-1], Need(types=(spare,)))})
    return task.model_copy(update={"needs": tuple(changed(need, kind, world) for need in task.needs)})


def emitted(event: Mapping[str, Any]) -> tuple[Any, ...]:
    """What the user does that can be seen and heard: act, slots, words and action."""
    return event["act"], str(event["slots"]), event["text"], str(event.get("action"))


def walk_public(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield every public leaf reachable from a view (catalogue, store and methods aside)."""
    assert depth < 12, path
    if value is None or isinstance(value, str | int | float | bool | np.generic):
        yield path, value
    elif isinstance(value, np.ndarray):
        yield path, value.tobytes()
    elif isinstance(value, Mapping):
        for key in value:
            yield from walk_public(value[key], f"{path}.{key}", depth + 1)
    elif isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield from walk_public(item, f"{path}[{k}]", depth + 1)
    elif isinstance(value, set | frozenset):
        yield path, sorted(map(str, value))
    elif hasattr(value, "model_dump"):
        yield from walk_public(value.model_dump(), path, depth + 1)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from walk_public(getattr(value, field.name), f"{path}.{field.name}", depth + 1)
    else:
        for name in dir(type(value)):
            if not name.startswith("_") and name not in ("catalogue", "store"):
                item = getattr(value, name)
                if not callable(item):
                    yield from walk_public(item, f"{path}.{name}", depth + 1)


def contents(view: Any) -> list[tuple[str, Any]]:
    """Return everything an assistant can read from its view, and what it gets from its methods."""
    return [*walk_public(view), ("legal_moves", tuple(view.legal_moves()))]


KINDS = ("brand", "weights", "wishes", "limit", "importance", "outside", "budget", "taste", "last_need")


@pytest.mark.parametrize("track", ["semantic", "text"])
@pytest.mark.parametrize("kind", KINDS)
def test_views_are_alike_while_the_user_acts_alike(kind: str, track: str, world: World) -> None:
    """Two games side by side; the same messages go into both until the users first part."""
    games = [Game(world, track=track, mode="plain", max_turns=MAX_TURNS) for _ in range(2)]
    compared = 0
    for k, task in enumerate(load_suite("dev", n=TASKS).tasks):
        agent: Any = make_agent(("retrieval", "rule", "silent")[k % 3])
        pair = task, twin(task, kind, world)
        assert pair[0] != pair[1]
        views = [game.reset(t, seed=episode_seed(0, task.id, 0)) for game, t in zip(games, pair, strict=True)]
        agent.start(views[0])
        while True:
            last = [next(e for e in reversed(game.events) if e["k"] == "user") for game in games]
            if emitted(last[0]) != emitted(last[1]):
                break
            assert contents(views[0]) == contents(views[1])
            compared += 1
            if games[0].done or games[1].done:
                break
            message = agent.reply(views[0])
            for game in games:
                game.step(message)
    assert compared > TASKS, "some turns must be alike for this to mean anything"


@pytest.mark.parametrize("kind", KINDS)
def test_observations_and_infos_are_alike_while_the_user_acts_alike(kind: str, world: World) -> None:
    doors = [SupermarketEnv(mode="plain", max_turns=MAX_TURNS, render_mode="ansi") for _ in range(2)]
    doors[0].action_space.seed(5)
    compared = 0
    for task in load_suite("dev", n=12).tasks:
        pair = task, twin(task, kind, world)
        luck = episode_seed(0, task.id, 0)
        seen = [door.reset(seed=1, options={"task": t, "seed": luck}) for door, t in zip(doors, pair, strict=True)]
        results: list[Any] = [(obs, None, False, False, info) for obs, info in seen]
        for _ in range(MAX_TURNS):
            last = [next(e for e in reversed(door.game.events) if e["k"] == "user") for door in doors]
            if emitted(last[0]) != emitted(last[1]):
                break
            (a, _, _, _, info_a), (b, _, _, _, info_b) = results
            assert list(walk_public(a)) == list(walk_public(b))
            assert info_a == info_b
            assert doors[0].render() == doors[1].render()
            compared += 1
            if doors[0].game.done or doors[1].game.done:
                break
            action = doors[0].action_space.sample()
            results = [door.step(action) for door in doors]
    assert compared > 12


def test_the_comparison_notices_a_leak(world: World) -> None:
    """Views that hold one hidden number more are told apart."""
    task = load_suite("dev", n=1).tasks[0]
    game = Game(world, mode="plain", max_turns=MAX_TURNS)
    honest, leaking = [], []
    for one in (task, twin(task, "budget", world)):
        view = game.reset(one, seed=1)

        class Leaking:
            response = view.response
            budget = one.budget_cents

        honest.append(list(walk_public(view)))
        leaking.append(list(walk_public(Leaking())))
    assert honest[0] == honest[1]
    assert leaking[0] != leaking[1]


# --- nothing of the truth anywhere -----------------------------------------------------------------------------------

TRUTH_WORDS = (
    "u_star",
    "best_cart",
    "acceptable",
    "utility",
    "outside",
    "tour_m",
    "truth",
    "reward",
    "regret",
    "persona",
)


@pytest.mark.parametrize("agent", ["silent", "retrieval", "rule", "random"])
def test_no_truth_and_no_unshown_target_in_view_or_words(agent: str, world: World) -> None:
    game = Game(world, mode="plain")
    for task in load_suite("dev", n=25).tasks:
        assistant: Any = make_agent(agent)
        view = game.reset(task, seed=episode_seed(0, task.id, 0))
        assistant.start(view)
        targets = {world.catalogue.ids[p] for products in game.prepared.acceptable.values() for p in products}
        public: set[str] = set()
        while not game.done:
            message = assistant.reply(view)
            public |= {*message.items, *message.products}
            if message.suggest is not None:
                public.add(message.suggest.arg)
            if message.goal is not None:
                public.add(message.goal.id)
            view = game.step(message)
            public.add(view.last_action[1])
            if view.response.cause == "out_of_stock":
                public |= set(view.response.products)
            for path, value in contents(view):
                assert not any(word in path.lower() for word in TRUTH_WORDS), path
                if isinstance(value, str):
                    hidden = {p for p in targets - public if p in value.split() or p == value}
                    assert not hidden, f"{path}: {value!r} names a target nobody showed"


def test_infos_and_observations_hold_no_truth(world: World) -> None:
    door = SupermarketEnv(mode="plain")
    door.action_space.seed(2)
    allowed = set(door.observation_space.spaces)  # type: ignore[attr-defined]
    for task in load_suite("dev", n=6).tasks:
        obs, info = door.reset(seed=1, options={"task": task.id})
        done = False
        while not done:
            assert set(obs) == allowed
            assert set(info) <= {"turn", "reason"}
            for path, value in walk_public(obs):
                if isinstance(value, str):
                    assert not any(p in value.split() for p in world.catalogue.ids), (path, value)
            obs, reward, done, truncated, info = door.step(door.action_space.sample())
            assert isinstance(reward, float)
            assert truncated is False


def test_what_is_seen_of_needs_is_what_was_said(world: World) -> None:
    """Before a need is mentioned nothing of it is in the observation; a slot is known only after it was told."""
    door = SupermarketEnv(mode="plain")
    nothing = {key: np.zeros_like(value) for key, value in door.action_space.sample().items() if key != "text"}
    for task in load_suite("dev", n=40).tasks:
        obs, _ = door.reset(seed=1, options={"task": task.id})
        told: dict[int, set[str]] = {}
        done = False
        while not done:
            event = next(e for e in reversed(door.game.events) if e["k"] == "user")
            for fact in event["slots"].get("facts", ()):
                told.setdefault(fact["need"], set()).add(fact["attribute"])
            for i in range(8):
                row = obs["needs"][i]
                slots = told.get(i + 1, set())
                if not slots:
                    continue
                assert bool(row[2]) == ("department" in slots)
                assert bool(row[4]) <= ("brand" in slots)
                assert bool(row[7]) <= ("price_limit" in slots)
                assert bool(row[8]) <= ("diet" in slots)
                assert bool(row[9]) <= ("allergy" in slots)
            mentioned = int(obs["needs"][:, 0].sum())
            assert mentioned == door.game.kernel.s.n_mentioned
            assert not obs["needs"][mentioned:].any()
            assert not obs["candidates"][mentioned:].any()
            obs, _, done, _, _ = door.step(nothing | {"text": ""})
