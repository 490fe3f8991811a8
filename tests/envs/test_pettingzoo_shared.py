"""Several pairs in one store: one shelf for all, the last packet goes to one."""

from __future__ import annotations

from typing import Any

import pytest

from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.envs import parallel_env, raw_env
from supermarket_env.envs.parallel import SupermarketParallelEnv
from supermarket_env.envs.two_seats import SeatGame
from supermarket_env.events.log import finish_episode
from supermarket_env.rules import codes
from supermarket_env.rules.codes import MAX_SHIFTED
from supermarket_env.rules.place import left_on_shelf
from supermarket_env.rules.twins import numba_available

MODES = ("plain", pytest.param("compiled", marks=pytest.mark.skipif(not numba_available(), reason="numba is off")))
SILENT = AssistantMessage()


def left(game: SeatGame, p: int) -> int:
    return left_on_shelf(game.prepared.tables, game.kernel.s, p)


def do(door: SupermarketParallelEnv, *choices: tuple[int, int, int]) -> None:
    """Let every live user do (action, argument, quantity)."""
    users = door.store.users
    actions: dict[str, Any] = {}
    for i, (code, arg, qty) in enumerate(choices):
        actions[f"assistant_{i}"] = SILENT
        number = users.number_of(code, arg)
        actions[f"user_{i}"] = users.scripted() | {"scripted": 0, "action": number, "qty": qty}
    door.step({name: actions[name] for name in door.agents})


def walk_to_shelf(door: SupermarketParallelEnv) -> tuple[int, int]:
    """Lead all users to the first acceptable product of user 0 that is in stock for all; return it and its stock."""
    store = door.store.world.store
    games = door.store.games
    p = next(
        p
        for p in games[0].prepared.values[0].acceptable
        if min(left(game, p) for game in games) > 0 and store.home_section[p] >= 0
    )
    section = int(store.home_section[p])
    goal = int(store.nearest_node[games[0].kernel.node][section])
    while games[0].kernel.node != goal:
        to = int(store.next_move[games[0].kernel.node][goal])
        do(door, *[(codes.ACT_MOVE, to, 0)] * len(games))
    return p, left(games[0], p)


def two(mode: str, pairs: int = 2) -> SupermarketParallelEnv:
    door = parallel_env(store="corner", mode=mode, pairs=pairs)
    task = door.store.source.tasks[0]
    door.reset(options={"tasks": [task] * pairs, "seeds": [1] * pairs})
    return door


@pytest.mark.parametrize("mode", MODES)
def test_the_last_packet_goes_to_one(mode: str) -> None:
    door = two(mode)
    p, stock = walk_to_shelf(door)
    a, b = door.store.games
    do(door, (codes.ACT_ADD, p, stock), (codes.ACT_ADD, p, 1))
    assert a.bought == {p: stock}
    assert p not in b.bought
    faults = [e for e in b.events if e["k"] == "fault" and e["who"] == "user"]
    assert faults[-1]["kind"] == "illegal_action"
    assert [(e["sku"], e["left"]) for e in b.events if e["k"] == "stock"] == [(a.narrator.product[p], 0)]
    assert door.store.user_observation(1)["mask_action"][door.store.users.number_of(codes.ACT_ADD, p)] == 0


@pytest.mark.parametrize("mode", MODES)
def test_what_is_put_back_or_left_behind_is_there_again(mode: str) -> None:
    door = two(mode)
    p, stock = walk_to_shelf(door)
    a, b = door.store.games
    do(door, (codes.ACT_ADD, p, stock), (codes.ACT_WAIT, 0, 0))
    assert (left(a, p), left(b, p)) == (0, 0)
    if stock > 1:
        do(door, (codes.ACT_REMOVE, p, 1), (codes.ACT_ADD, p, 1))
        assert (a.bought[p], b.bought[p]) == (stock - 1, 1)
    if not a.done:
        do(door, (codes.ACT_LEAVE, 0, 0), (codes.ACT_WAIT, 0, 0))
    assert a.done
    assert left(b, p) == stock - b.bought.get(p, 0)
    assert door.agents == ["assistant_1", "user_1"]


@pytest.mark.parametrize("mode", MODES)
def test_units_are_conserved_whatever_happens(mode: str) -> None:
    door = parallel_env(store="corner", mode=mode, pairs=4)
    door.reset(seed=11)
    for name in door.possible_agents:
        door.action_space(name).seed(5)
    games = door.store.games
    opening = [int(x) for x in door.store.world.store.stock]
    while door.agents:
        door.step({name: door.action_space(name).sample() for name in door.agents})
        for p in {p for game in games for p in game.bought}:
            held = sum(game.bought.get(p, 0) for game in games)
            for game in games:
                if not game.done:
                    assert left(game, p) in (0, opening[p] - held)
            assert held <= opening[p]


def test_all_orders_of_playing_give_the_same_trips() -> None:
    """The cycle and the parallel environment, with the scripted users in their seats."""
    for seed in range(3):
        cycle, parallel = (
            raw_env(store="corner", mode="plain", pairs=3),
            parallel_env(store="corner", mode="plain", pairs=3),
        )
        cycle.reset(seed=seed)
        parallel.reset(seed=seed)
        for name in cycle.agent_iter():
            if cycle.terminations[name]:
                cycle.step(None)
            else:
                cycle.step(SILENT if name.startswith("assistant") else cycle.scripted_answer())
        while parallel.agents:
            messages = {name: SILENT for name in parallel.agents if name.startswith("assistant")}
            parallel.step({**messages, **parallel.scripted_answers(messages)})
        for one, other in zip(cycle.store.games, parallel.store.games, strict=True):
            assert one.line() == other.line()
            assert not [e for e in one.events if e["k"] == "fault"]
            finish_episode(one.episode())


def test_a_pair_alone_is_not_touched_by_pairs_that_take_other_goods() -> None:
    alone = parallel_env(store="corner", mode="plain")
    shared = parallel_env(store="corner", mode="plain", pairs=2)
    tasks = alone.store.source.tasks
    alone.reset(options={"task": tasks[0], "seed": 9})
    shared.reset(options={"tasks": tasks[:2], "seeds": [9, 10]})
    free = alone.store.users.scripted()
    for door in (alone, shared):
        while door.agents:
            door.step({name: SILENT if name.startswith("assistant") else free for name in door.agents})
    ones = [[e for e in door.store.games[0].events if e["k"] != "stock"] for door in (alone, shared)]
    assert ones[0] == ones[1]


@pytest.mark.parametrize("mode", MODES)
def test_a_full_memory_forgets_the_most_plentiful(mode: str) -> None:
    door = two(mode)
    game = door.store.games[1]
    stocked = [p for p in range(len(game.types)) if left(game, p) > 1][: MAX_SHIFTED + 1]
    for p in stocked:
        game.seats.shift(game.prepared.tables, p, -left(game, p))
    s = game.kernel.s
    assert s.n_shifted == MAX_SHIFTED
    assert left(game, stocked[-1]) == 0
    game.seats.shift(game.prepared.tables, stocked[-1], 1)
    assert left(game, stocked[-1]) == 1
