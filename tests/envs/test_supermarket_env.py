"""``Supermarket-v0``: a well-behaved Gymnasium environment whose every action is usable."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.errors import ConfigError, TaskError
from supermarket_env.rules import codes
from supermarket_env.rules.twins import numba_available

STORES = ("corner", "neighbourhood", "hyper")
MODES = ("plain", pytest.param("compiled", marks=pytest.mark.skipif(not numba_available(), reason="numba is off")))
SAMPLES = 2000


def same(a: Any, b: Any) -> bool:
    """Whether two observations are equal in every byte."""
    return a.keys() == b.keys() and all(
        a[key] == b[key] if isinstance(a[key], str) else a[key].tobytes() == b[key].tobytes() for key in a
    )


def digest(env: SupermarketEnv, steps: int) -> list[Any]:
    """Play sampled actions (from where the action space stands) and return everything that came out."""
    seen: list[Any] = []
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        parts = [v if isinstance(v, str) else v.tobytes() for v in observation.values()]
        seen.append((parts, reward, terminated, truncated, info))
        if terminated:
            seen.append(env.game.line())
            env.reset()
    seen.append(env.game.line() if env.game.done else env.game.events)
    return seen


def silent(env: SupermarketEnv) -> dict[str, Any]:
    """Return the all-zero action."""
    zero: dict[str, Any] = {}
    for name, space in env.action_space.spaces.items():  # type: ignore[attr-defined]
        zero[name] = "" if name == "text" else np.zeros(space.shape, dtype=np.int64) if space.shape else 0
    return zero


# --- the contract ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("track", ["semantic", "text"])
@pytest.mark.parametrize("store", STORES)
def test_the_environment_checker_has_nothing_to_say(store: str, track: str) -> None:
    env = gym.make("supermarket_env:Supermarket-v0", store=store, track=track, mode="plain", render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("mode", MODES)
def test_the_wrapped_environment_passes_its_own_checks_too(mode: str) -> None:
    env = gym.make("supermarket_env:Supermarket-v0", store="corner", mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        observation, _ = env.reset(seed=1)
        for _ in range(5):
            assert env.observation_space.contains(observation)
            observation, *_ = env.step(env.action_space.sample())


@pytest.mark.parametrize("mode", MODES)
def test_equal_seeds_give_equal_bytes(mode: str) -> None:
    first, second = (SupermarketEnv(store="corner", mode=mode) for _ in range(2))
    for env in (first, second):
        env.action_space.seed(5)
        env.reset(seed=9)
    assert digest(first, 50) == digest(second, 50)
    other = SupermarketEnv(store="corner", mode=mode)
    other.action_space.seed(5)
    other.reset(seed=10)
    assert digest(other, 50) != digest(first, 50)


@pytest.mark.skipif(not numba_available(), reason="numba is off")
def test_the_mode_of_the_rules_changes_no_byte() -> None:
    results = []
    for mode in ("plain", "compiled"):
        env = SupermarketEnv(store="neighbourhood", mode=mode)
        env.action_space.seed(2)
        env.reset(seed=2)
        results.append(digest(env, 120))
    assert results[0] == results[1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("track", ["semantic", "text"])
def test_a_pickled_environment_goes_on_with_the_same_bytes(mode: str, track: str) -> None:
    env = SupermarketEnv(store="corner", mode=mode, track=track)
    env.action_space.seed(3)
    env.reset(seed=3)
    for _ in range(4):
        env.step(silent(env))
    copy: SupermarketEnv = pickle.loads(pickle.dumps(env))
    assert digest(copy, 40) == digest(env, 40)


def test_the_task_and_the_luck_can_be_given() -> None:
    env = SupermarketEnv(store="corner", mode="plain")
    task = env.tasks[3]
    by_id, _ = env.reset(options={"task": task.id, "seed": 8})
    by_task, _ = env.reset(options={"task": task, "seed": 8})
    assert same(by_id, by_task)
    assert env.game.seed == 8
    with pytest.raises(TaskError, match="no task 'dev-9999'"):
        env.reset(options={"task": "dev-9999"})
    with pytest.raises(ConfigError, match=r"unknown reset options \['tasks'\]; valid: seed, task"):
        env.reset(options={"tasks": task})


def test_training_tasks_are_drawn_from_the_seed() -> None:
    env = SupermarketEnv(store="corner", suite="train", mode="plain")
    env.reset(seed=4)
    first = env.game.task
    env.reset(seed=4)
    assert env.game.task == first
    env.reset()
    assert env.game.task != first


def test_render_shows_the_latest_exchange() -> None:
    env = SupermarketEnv(store="corner", mode="plain", render_mode="ansi")
    env.reset(seed=1)
    env.step({**silent(env), "text": "Good morning."})
    text = env.render()
    assert "Good morning." in text
    assert text.startswith("turn 1/")
    with pytest.raises(ConfigError, match="render_mode"):
        SupermarketEnv(render_mode="human")


# --- actions and observations ----------------------------------------------------------------------------------------


def test_every_sampled_action_is_usable() -> None:
    env = SupermarketEnv(store="corner", mode="auto")
    env.action_space.seed(11)
    env.reset(seed=11)
    for _ in range(SAMPLES):
        *_, terminated, _, info = env.step(env.action_space.sample())
        if terminated:
            # What the text of noise happens to claim is the one thing that may be held against it.
            faults = [e for e in env.game.events if e["k"] == "fault" and e["kind"] != "act_text_mismatch"]
            assert faults == []
            assert info["reason"] != "assistant_error"
            env.reset()


def test_the_zero_action_is_silence() -> None:
    env = SupermarketEnv(store="corner", mode="plain")
    env.reset(seed=1)
    env.step(silent(env))
    event = next(e for e in env.game.events if e["k"] == "assistant")
    assert event == {"k": "assistant", "turn": 1, "act": "chat", "slots": {}, "text": ""}
    assert [e["k"] for e in env.game.events if e.get("turn") == 1] == ["assistant", "user", "reward"]


def test_a_question_without_an_attribute_asks_for_anything_in_every_mode() -> None:
    for mode in ("plain", "auto"):
        env = SupermarketEnv(store="corner", mode=mode)
        env.reset(seed=1)
        env.step({**silent(env), "act": codes.A_ASK, "need": 1})
        event = next(e for e in env.game.events if e["k"] == "assistant")
        assert event["slots"] == {"need": 1, "attribute": "anything"}


def test_masks_show_what_is_legal() -> None:
    env = SupermarketEnv(store="corner", mode="plain")
    observation, _ = env.reset(seed=1)
    store, view = env.world.store, env.game.view
    for _ in range(12):
        for node, name in enumerate(store.node_ids):
            assert bool(observation["mask_node"][node]) == view.is_legal("move", name)
        for section, name in enumerate(store.section_ids):
            assert bool(observation["mask_section"][section]) == view.is_legal("look", name)
        for p in range(0, env.world.catalogue.n_products, 37):
            assert bool(observation["mask_product"][p]) == view.is_legal("add", env.world.catalogue.ids[p])
        in_cart = {line.product for line in view.cart}
        assert {env.world.catalogue.ids[p] for p in np.flatnonzero(observation["mask_cart"]).tolist()} == in_cart
        assert bool(observation["mask_type"][codes.ACT_CHECKOUT]) == view.is_legal("checkout")
        observation, _, terminated, _, _ = env.step(silent(env))
        if terminated:
            break


def test_observations_are_the_callers_to_change() -> None:
    one, two = (SupermarketEnv(store="corner", mode="plain") for _ in range(2))
    kept = []
    for env in (one, two):
        observation, _ = env.reset(seed=6)
        if env is one:
            for value in observation.values():
                if isinstance(value, np.ndarray):
                    value[...] = 1
        kept.append(env.step(silent(env))[0])
    assert same(*kept)


# --- rewards ---------------------------------------------------------------------------------------------------------


def test_a_trip_of_optimal_length_costs_at_most_a_tenth() -> None:
    env = SupermarketEnv(store="corner", mode="plain")
    for task in env.tasks[:40]:
        env.reset(options={"task": task, "seed": 1})
        optimal = env.game.prepared.optimal_turns
        cost = sum(env.game.turn_reward for _ in range(optimal))
        assert -0.1 - 1e-6 <= cost < -0.0999


def test_reward_is_the_logged_one_and_pays_need_satisfaction_once() -> None:
    env = SupermarketEnv(store="corner", mode="auto")
    paid = 0
    for index, task in enumerate(env.tasks[:12]):
        env.reset(options={"task": task, "seed": index})
        rewards, terminated = [], False
        while not terminated:
            _, reward, terminated, _, info = env.step(silent(env))
            rewards.append(reward)
            assert set(info) <= {"turn", "reason"}
        logged = [e for e in env.game.events if e["k"] == "reward"]
        assert rewards == [e["value"] for e in logged]
        assert all(e["parts"]["need_satisfaction"] == 0.0 for e in logged[:-1])
        last = logged[-1]["parts"]["need_satisfaction"]
        assert 0.0 <= last <= 1.0
        if info["reason"] not in ("checkout", "patience_checkout"):
            assert last == 0.0
        paid += last > 0.0
    assert paid > 0
