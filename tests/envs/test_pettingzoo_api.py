"""PettingZoo's own tests, with warnings as errors but for the accepted ones."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

with warnings.catch_warnings():
    # With pygame installed, PettingZoo's own test module loads one of its games in a way it calls old itself.
    warnings.filterwarnings("ignore", "The old environment creation API", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
    from pettingzoo.test.max_cycles_test import max_cycles_test

import supermarket_env.envs as doors
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.envs import env, parallel_env, raw_env
from supermarket_env.envs.users import legal_actions
from supermarket_env.errors import ConfigError, MessageError
from supermarket_env.rules import codes

ACCEPTED = {
    "Observation is not a NumPy array": "seats see named parts (features, masks, words), as in Supermarket-v0",
    "Observation space for each agent probably should be": "the same: the spaces are Dict",
    "Action space for each agent probably should be": "a message has slots, a list and words: the spaces are Dict",
    "Agents have different observation space sizes": "an assistant and a user see different things; that is the game",
}
"""Warnings of PettingZoo's tests that stand, and why."""
PAIRS = (1, 3)


@contextmanager
def strict() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for start in ACCEPTED:
            warnings.filterwarnings("ignore", message=start)
        yield


def options(pairs: int) -> dict[str, Any]:
    return {"pairs": pairs, "mode": "plain", "store": "corner", "render_mode": "ansi"}


@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("pairs", PAIRS)
def test_api(make: Callable[..., Any], pairs: int) -> None:
    with strict():
        api_test(make(**options(pairs)), num_cycles=40)


@pytest.mark.parametrize("pairs", PAIRS)
def test_parallel_api(pairs: int) -> None:
    with strict():
        parallel_api_test(parallel_env(**options(pairs)), num_cycles=40)


@pytest.mark.parametrize("pairs", PAIRS)
def test_seeds(pairs: int) -> None:
    with strict():
        seed_test(lambda: env(**options(pairs)), num_cycles=20)
        parallel_seed_test(lambda: parallel_env(**options(pairs)), num_cycles=20)


def test_max_cycles() -> None:
    class Plain:
        """The module with plain rules, which need no compiling."""

        @staticmethod
        def env(**given: Any) -> Any:
            return doors.env(**given, mode="plain")

        @staticmethod
        def parallel_env(**given: Any) -> Any:
            return doors.parallel_env(**given, mode="plain")

    with strict():
        max_cycles_test(Plain)


def test_the_accepted_warnings_are_all_met() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        api_test(raw_env(**options(1)), num_cycles=4)
    said = {str(warning.message) for warning in found}
    assert all(any(text.startswith(start) for text in said) for start in ACCEPTED)


def test_the_package_of_doors_does_not_import_pettingzoo() -> None:
    seen = "print('pettingzoo' in sys.modules)"
    code = f"import sys, supermarket_env.envs; {seen}; supermarket_env.envs.env; {seen}"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    with pytest.raises(AttributeError, match="no attribute 'aec_env'"):
        doors.aec_env  # noqa: B018


# --- spaces and masks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("store", ["corner", "hyper"])
def test_masked_samples_are_legal_and_observed_in_their_spaces(store: str) -> None:
    door = raw_env(store=store, mode="plain", pairs=2)
    door.reset(seed=1)
    for name in door.agents:
        door.action_space(name).seed(3)
    for name in door.agent_iter(120):
        seen, _, terminated, truncated, info = door.last()
        assert door.observation_space(name).contains(seen)
        space = door.action_space(name)
        if terminated or truncated:
            door.step(None)
        elif name.startswith("user"):
            action = space.sample(info["action_mask"]) | {"scripted": 0, "qty": 1}
            assert seen["mask_action"][action["action"]] == 1
            if action["action"] in (1, 2):
                action["action"] = 0
            door.step(action)
        else:
            door.step(space.sample())
    for game in door.store.games:
        assert not [e for e in game.events if e["k"] == "fault" and e["who"] == "user"]


def test_the_mask_is_what_the_rules_allow() -> None:
    door = raw_env(store="neighbourhood", mode="plain")
    door.reset(seed=2)
    game, users = door.store.games[0], door.store.users
    silent = AssistantMessage()
    for _ in range(12):
        door.step(silent)
        seen = door.observe("user_0")
        decoder = game.decoder
        tables: Any = {"node": decoder.nodes, "section": decoder.sections, "product": decoder.products}
        numbers = set()
        for action in legal_actions(game):
            code = codes.ACTIONS.index(action.type)
            numbers.add(users.number_of(code, tables[codes.ACTION_PARAM[code]][action.arg] if action.arg else 0))
        assert set(np.flatnonzero(seen["mask_action"]).tolist()) == numbers
        for number in numbers:
            assert users.number_of(*users.action_of(number)) == number
        legal = seen["choices"][:, 0] == 1
        assert all(seen["mask_action"][n] == 1 for n in seen["choice_actions"][legal, 0])
        door.step(door.scripted_answer())
        if game.done:
            break


def test_an_illegal_action_is_a_counted_fault_and_replaced() -> None:
    door = raw_env(store="corner", mode="plain")
    door.reset(seed=1)
    door.step(AssistantMessage())
    door.step(door.store.users.scripted() | {"scripted": 0, "action": 1})
    faults = [e for e in door.store.games[0].events if e["k"] == "fault"]
    assert [(e["who"], e["kind"], e["detail"]) for e in faults] == [
        ("user", "illegal_action", "checkout  : not legal now")
    ]


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given", [{"pairs": 0}, {"pairs": 17}, {"max_cycles": 0}, {"render_mode": "human"}, {"mode": "fast"}]
)
def test_wrong_arguments_are_refused(given: dict[str, Any]) -> None:
    for make in (raw_env, parallel_env):
        with pytest.raises(ConfigError):
            make(store="corner", **given)


BROKEN: tuple[dict[str, Any], ...] = (
    {},
    {"act": 99},
    {"action": 10**9},
    {"qty": 100},
    {"scripted": 2},
    {"action": -1},
    {"facts": np.zeros((2, 2), dtype=np.int64)},
    {"facts": np.zeros((3, 4), dtype=np.int64)},
    {"products": np.zeros(4, dtype=np.int64)},
    {"products": [0, 0, 0]},
    {"products": np.array([10**6, 0, 0])},
    {"text": 3},
    {"need": "milk"},
)


@pytest.mark.parametrize("change", BROKEN)
def test_a_broken_user_action_changes_nothing(change: dict[str, Any]) -> None:
    door = raw_env(store="corner", mode="plain")
    door.reset(seed=1)
    door.step(AssistantMessage())
    good = door.scripted_answer()
    before = len(door.store.games[0].events)
    with pytest.raises(MessageError, match="no element of the action space"):
        door.step({**good, **change} if change else {})
    assert len(door.store.games[0].events) == before
    door.step(good)
    assert door.store.games[0].turn == 1


def test_a_number_outside_its_space_is_named() -> None:
    users = raw_env(store="corner", mode="plain").store.users
    with pytest.raises(MessageError, match=r"qty is 100, must be in 0\.\.99"):
        users.read({**users.scripted(), "scripted": 0, "qty": 100})
    with pytest.raises(MessageError, match="scripted is 2, must be 0 or 1"):
        users.read({**users.scripted(), "scripted": 2})


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.float64])
def test_an_answer_is_read_in_every_width(kind: type[np.generic]) -> None:
    users = raw_env(store="corner", mode="plain").store.users
    silent = users.scripted() | {"scripted": 0}
    facts, products = silent["facts"].astype(kind), silent["products"].astype(kind)
    read = users.read({**silent, "facts": facts, "products": products})
    assert read is not None
    assert read == users.read(silent)
    facts[1] = 2, 1
    products[2] = 7
    told = users.read({**silent, "facts": facts, "products": products})
    assert told is not None
    assert told.row[9:] == [6, -1, -1, 1, 1, 1, *[0] * 10]
    assert told.row[:9] == read.row[:9]


@pytest.mark.parametrize("mode", ["plain", "auto"])
def test_what_was_seen_stays_as_it_was(mode: str) -> None:
    door = parallel_env(store="corner", mode=mode)
    seen, _ = door.reset(seed=3)
    answer = {"assistant_0": AssistantMessage(), "user_0": door.store.users.scripted()}
    kept = []
    for _ in range(6):
        kept.append((seen, pickle.dumps(seen)))
        seen = door.step(answer)[0]
    assert all(pickle.dumps(before) == as_seen for before, as_seen in kept)
    parts = seen["user_0"]
    for name, part in parts.items():  # no part lies over another one, and all can be written to
        if name != "text":
            others = {other: held.copy() for other, held in parts.items() if other not in (name, "text")}
            part[...] = 1
            assert all(np.array_equal(parts[other], held) for other, held in others.items())


def test_a_missing_action_is_named() -> None:
    door = parallel_env(store="corner", mode="plain", pairs=2)
    door.reset(seed=1)
    with pytest.raises(KeyError, match="assistant_0"):
        door.step({})
    with pytest.raises(ConfigError, match="2 entries"):
        door.reset(options={"seeds": [1]})
    cycle = raw_env(store="corner", mode="plain")
    cycle.reset(seed=1)
    with pytest.raises(RuntimeError, match="no user is on move"):
        cycle.scripted_answer()


def test_both_agents_of_a_pair_share_reward_and_end() -> None:
    door = parallel_env(store="corner", mode="plain", pairs=2, render_mode="ansi")
    door.reset(seed=4)
    free = door.store.users.scripted()
    totals = dict.fromkeys(door.possible_agents, 0.0)
    while door.agents:
        actions: dict[str, Any] = {
            name: AssistantMessage() if name.startswith("assistant") else free for name in door.agents
        }
        _, rewards, terminations, truncations, infos = door.step(actions)
        for name, reward in rewards.items():
            totals[name] += reward
            assert not truncations[name]
            assert ("reason" in infos[name]) == terminations[name]
        for i in range(2):
            assert rewards.get(f"assistant_{i}") == rewards.get(f"user_{i}")
    for i, game in enumerate(door.store.games):
        logged = sum(e["value"] for e in game.events if e["k"] == "reward")
        assert totals[f"user_{i}"] == pytest.approx(logged)
    text = door.render()
    assert text is not None
    assert "pair 1" in text
    assert door.step({}) == ({}, {}, {}, {}, {})
