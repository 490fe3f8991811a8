"""The scripted user in ``user_0``'s seat plays what ``Supermarket-v0`` plays, a foreign one what ``UserModel`` does."""

from __future__ import annotations

import pickle
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.registry import AGENTS, OFFLINE, make_agent
from supermarket_env.dialogue.acts import Fact
from supermarket_env.envs import parallel_env, raw_env
from supermarket_env.envs.aec import SupermarketAECEnv
from supermarket_env.envs.game import Game
from supermarket_env.envs.parallel import SupermarketParallelEnv
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.envs.users import UserAction, UserSeat, UserTurn
from supermarket_env.errors import SupermarketError
from supermarket_env.rules import codes
from supermarket_env.rules.twins import numba_available

STORES = ("corner", "neighbourhood", "hyper")
NAMES = [name for name in OFFLINE if not AGENTS[name].privileged]
TRIPS = 20
MODES = ("plain", pytest.param("compiled", marks=pytest.mark.skipif(not numba_available(), reason="numba is off")))


def numberless(line: bytes) -> bytes:
    """Return a log line without the running number of the episode, which counts the resets of its door."""
    return re.sub(rb'"episode_id":"([^"]*)\|\d+\.', rb'"episode_id":"\1|', line, count=1)


@cache
def doors(store: str, mode: str, track: str = "semantic") -> tuple[SupermarketEnv, Any, SupermarketParallelEnv]:
    options: dict[str, Any] = {"store": store, "mode": mode, "track": track}
    return SupermarketEnv(**options), raw_env(**options), parallel_env(**options)


def through_gym(env: SupermarketEnv, name: str, options: dict[str, Any]) -> bytes:
    agent = make_agent(name)
    env.reset(options=options)
    agent.start(env.game.view)
    while not env.game.done:
        env.step(agent.reply(env.game.view))
    return numberless(env.game.line())


def through_cycle(env: SupermarketAECEnv, name: str, options: dict[str, Any]) -> bytes:
    agent = make_agent(name)
    env.reset(options=options)
    game = env.store.games[0]
    agent.start(game.view)
    while not game.done:
        env.step(agent.reply(game.view))
        env.step(env.scripted_answer())
    return numberless(game.line())


def through_parallel(env: SupermarketParallelEnv, name: str, options: dict[str, Any], *, let: bool = False) -> bytes:
    agent = make_agent(name)
    env.reset(options=options)
    game = env.store.games[0]
    agent.start(game.view)
    while env.agents:
        messages = {"assistant_0": agent.reply(game.view)}
        answers = {"user_0": env.store.users.scripted()} if let else env.scripted_answers(messages)
        env.step({**messages, **answers})
    return numberless(game.line())


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", NAMES)
def test_all_doors_write_the_same_bytes(name: str, store: str) -> None:
    try:
        make_agent(name)
    except (ImportError, SupermarketError) as error:
        pytest.skip(f"{name} needs an extra: {error}")
    single, cycle, parallel = doors(store, "auto")
    for k in range(TRIPS):
        options = {"task": single.tasks[(7 * k + len(name)) % len(single.tasks)], "seed": 1000 + k}
        line = through_gym(single, name, options)
        assert through_cycle(cycle, name, options) == line
        assert through_parallel(parallel, name, options) == line


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("track", ["semantic", "text"])
def test_plain_and_compiled_seats_agree_on_both_tracks(mode: str, track: str) -> None:
    single, _, _ = doors("neighbourhood", "plain", track)
    _, cycle, parallel = doors("neighbourhood", mode, track)
    for k in range(3):
        options = {"task": single.tasks[k], "seed": k}
        line = through_gym(single, "rule", options)
        assert through_cycle(cycle, "rule", options) == line
        assert through_parallel(parallel, "rule", options) == line
        assert through_parallel(parallel, "rule", options, let=True) == line


def test_the_seed_deals_the_same_trips_as_the_gymnasium_door() -> None:
    single, cycle, parallel = doors("corner", "plain")
    single.reset(seed=5)
    cycle.reset(seed=5)
    parallel.reset(seed=5)
    games = [single.game, cycle.store.games[0], parallel.store.games[0]]
    assert len({(game.task.id, game.seed) for game in games}) == 1
    single.reset()
    parallel.reset()
    assert single.game.seed == parallel.store.games[0].seed


class Stranger:
    """Answers by a rule of its own: acts in turn, tells facts, walks and takes what is first in the legal actions."""

    name = "stranger"
    version = "1"

    def start(self, seat: UserSeat) -> None:
        pass

    def respond(self, seat: UserSeat) -> UserTurn:
        legal = seat.legal_actions()
        action = legal[(5 * seat.turn) % len(legal)]
        if seat.turn % 7 == 0:
            action = UserAction("checkout")  # mostly impossible: a counted fault
        if action.type == "leave":
            action = UserAction("wait")
        act = codes.USER_ACTS[seat.turn % len(codes.USER_ACTS)]
        need = 1 + seat.turn % len(seat.needs)
        facts = (Fact(need, "product_type", seat.needs[need - 1].types[0]),) if seat.turn % 3 == 1 else ()
        products = seat.message.items[:1]
        return UserTurn(act=act, action=action, facts=facts, need=need, products=products, reason="price")


def as_element(env: Any, turn: UserTurn) -> dict[str, Any]:
    """Return a user model's turn as an element of the user's action space."""
    store = env.store
    decoder = store.games[0].decoder
    element: dict[str, Any] = store.users.scripted() | {"scripted": 0}
    code = codes.ACTIONS.index(turn.action.type)
    tables: Any = {"node": decoder.nodes, "section": decoder.sections, "product": decoder.products}
    arg = tables[codes.ACTION_PARAM[code]][turn.action.arg] if turn.action.arg else 0
    element |= {"act": codes.USER_ACTS.index(turn.act), "need": turn.need, "qty": turn.action.qty}
    element |= {"action": store.users.number_of(code, arg), "reason": codes.REASONS.index(turn.reason)}
    for k, fact in enumerate(turn.facts):
        element["facts"][k] = fact.need, decoder.slots[fact.attribute]
    for k, product in enumerate(turn.products):
        element["products"][k] = decoder.products[product] + 1
    assert env.action_space("user_0").contains(element)
    return element


@pytest.mark.parametrize("mode", MODES)
def test_a_foreign_user_plays_as_a_user_model_does(mode: str) -> None:
    _, cycle, _ = doors("neighbourhood", mode)
    turns: list[UserTurn] = []

    class Kept(Stranger):
        def respond(self, seat: UserSeat) -> UserTurn:
            turns.append(super().respond(seat))
            return turns[-1]

    for k in range(4):
        task = doors("neighbourhood", "plain")[0].tasks[k]
        turns.clear()
        game = Game(cycle.store.world, user=cycle.store.games[0].user, user_model=Kept())
        agent = make_agent("retrieval")
        cycle.reset(options={"task": task, "seed": k})
        seated = cycle.store.games[0]
        agent.start(game.reset(task, seed=k, labels=seated.labels))
        while not game.done:
            game.step(agent.reply(game.view))
        assert any(e["k"] == "fault" and e["who"] == "user" for e in game.events)
        agent.start(seated.view)
        for turn in turns:
            cycle.step(agent.reply(seated.view))
            cycle.step(as_element(cycle, turn))
        assert seated.done
        assert seated.line() == game.line()


@pytest.mark.parametrize("mode", MODES)
def test_pickled_in_the_middle_it_goes_on_the_same(mode: str) -> None:
    env = parallel_env(store="corner", mode=mode, pairs=2)
    env.reset(seed=3)
    rng = np.random.default_rng(0)

    def play(door: SupermarketParallelEnv, actions: list[dict[str, Any]]) -> list[bytes]:
        for action in actions:
            if door.agents:
                door.step(action)
        return [repr(game.events).encode() for game in door.store.games]

    for name in env.agents:
        env.action_space(name).seed(int(rng.integers(1000)))
    sampled = [{name: env.action_space(name).sample() for name in env.possible_agents} for _ in range(6)]
    play(env, sampled[:3])
    copy = pickle.loads(pickle.dumps(env))
    assert play(copy, sampled[3:]) == play(env, sampled[3:])


@pytest.mark.skipif(not numba_available(), reason="numba is off")
def test_plain_and_compiled_users_see_the_same() -> None:
    seen: list[list[bytes]] = []
    for mode in ("plain", "compiled"):
        _, cycle, _ = doors("hyper", mode)
        seen.append([])
        for k in range(2):
            agent = make_agent("retrieval")
            cycle.reset(options={"task": cycle.store.source.tasks[k], "seed": k})
            game = cycle.store.games[0]
            agent.start(game.view)
            while not game.done:
                cycle.step(agent.reply(game.view))
                view = cycle.observe("user_0")
                seen[-1] += [repr(part).encode() if isinstance(part, str) else part.tobytes() for part in view.values()]
                cycle.step(cycle.scripted_answer())
    assert seen[0] == seen[1]
    assert len(seen[0]) > 100
