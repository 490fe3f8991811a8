"""Candidate re-ranking: the carrier leads, the policy orders, the wrapper makes the list."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from supermarket_env.agents.rule import Rule
from supermarket_env.errors import ConfigError, MessageError
from supermarket_env.wrappers import CandidateRanking
from supermarket_env.wrappers.retrieval import PRODUCT_FEATURES


def make(suite: str = "train", **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("supermarket_env:Supermarket-v0", store="corner", mode="plain", suite=suite, **kwargs)


FALLING = np.linspace(1.0, -1.0, 50, dtype=np.float32)
COLUMN = {name: k for k, name in enumerate(PRODUCT_FEATURES)}


def until_a_list(env: Any, seed: int) -> tuple[Any, Any]:
    """Play on until the carrier wants to show a list."""
    observation, info = env.reset(seed=seed)
    done = False
    while not done:
        if observation["list_due"][0]:
            return observation, info
        observation, _, done, _, info = env.step(env.action_space.sample())
    raise AssertionError("the carrier showed no list")


def test_falling_scores_play_the_carriers_own_trip() -> None:
    ranked: Any = CandidateRanking(make("dev"))
    bare: Any = make("dev")
    for seed in range(4):
        ranked.reset(seed=seed)
        bare.reset(seed=seed)
        rule, game = Rule(), bare.unwrapped.game
        rule.start(game.view)
        done = False
        while not done:
            message = rule.reply(game.view)
            bare.unwrapped.step(message)
            done = ranked.step(FALLING)[2]
            assert ranked.unwrapped.game.last_message.items == message.items
        assert game.done
        assert ranked.unwrapped.game.reward == game.reward


def test_candidates_are_different_carried_products_the_carriers_first() -> None:
    env: Any = CandidateRanking(make())
    observation, info = until_a_list(env, 1)
    view = env.view
    assert env.candidates[: len(env._message.items)] == env._message.items
    assert len(set(env.candidates)) == len(env.candidates) == 50
    numbers = [view.catalogue.by_id[product] for product in env.candidates]
    assert (view.store.home_section[numbers] >= 0).all()
    assert info["candidate_mask"].sum() == len(env.candidates)
    rows = observation["products"]
    assert rows[:, COLUMN["exists"]].sum() == len(env.candidates)
    assert rows[0, COLUMN["carrier_rank"]] == 1.0
    assert 0 < rows[:, COLUMN["of_heard_type"]].sum() < len(env.candidates)


def test_the_list_follows_the_scores() -> None:
    env: Any = CandidateRanking(make(), list_length=3)
    until_a_list(env, 2)
    candidates = env.candidates
    scores = np.full(50, -1.0, dtype=np.float32)
    scores[[7, 0, 4]] = (1.0, 0.5, 0.2)
    env.step(scores)
    message = env.unwrapped.game.last_message
    assert message.items == (candidates[7], candidates[0], candidates[4])
    assert message.text == ""


@pytest.mark.parametrize("due", [True, False])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2.0, -1.5])
def test_scores_outside_the_space_are_refused_and_nothing_happens(value: float, due: bool) -> None:
    env: Any = CandidateRanking(make(), carrier="rule" if due else "silent")
    if due:
        until_a_list(env, 2)
    else:
        env.reset(seed=2)
    game = env.unwrapped.game
    before = len(game.events)
    scores = np.zeros(50, dtype=np.float32)
    scores[49] = value
    with pytest.raises(MessageError, match=r"expected numbers in -1\.\.1"):
        env.step(scores)
    assert len(game.events) == before
    env.step(np.ones(50, dtype=np.float32))


@pytest.mark.parametrize("value", [-1, 51, 10**9])
def test_orders_outside_the_space_are_refused_and_nothing_happens(value: int) -> None:
    env: Any = CandidateRanking(make(), action="order")
    until_a_list(env, 2)
    before = len(env.unwrapped.game.events)
    with pytest.raises(MessageError, match=r"expected integers in 0\.\.50"):
        env.step(np.array([1, 2, 3, 4, value]))
    with pytest.raises(MessageError, match="expected integers"):
        env.step(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert len(env.unwrapped.game.events) == before
    env.step(np.array([50, 0, 0, 0, 0]))


def test_an_order_is_read_rank_by_rank() -> None:
    env: Any = CandidateRanking(make(), action="order")
    until_a_list(env, 3)
    candidates = env.candidates
    env.step(np.array([3, 0, 3, 1, 3]))
    assert env.unwrapped.game.last_message.items == (candidates[2], candidates[0])
    until_a_list(env, 3)
    env.step(np.zeros(5, dtype=np.int64))
    message = env.unwrapped.game.last_message
    assert (message.items, message.act) == ((), "chat")


def test_without_a_list_due_the_action_changes_nothing() -> None:
    one: Any = CandidateRanking(make())
    two: Any = CandidateRanking(make())
    rng = np.random.default_rng(0)
    observation, _ = one.reset(seed=5)
    two.reset(seed=5)
    done = False
    while not done:
        other = FALLING if observation["list_due"][0] else rng.uniform(-1, 1, 50).astype(np.float32)
        observation, _, done, _, _ = one.step(FALLING)
        two.step(other)
    assert one.unwrapped.game.line() == two.unwrapped.game.line()


@pytest.mark.parametrize("carrier", ["popularity", "retrieval", "spam", "silent"])
def test_other_carriers_work(carrier: str) -> None:
    env: Any = CandidateRanking(make(), carrier=carrier)
    env.action_space.seed(0)
    observation, _ = env.reset(seed=1)
    done, due = False, 0.0
    while not done:
        due += observation["list_due"][0]
        assert env.observation_space.contains(observation)
        observation, _, done, _, _ = env.step(env.action_space.sample())
    assert (due > 0) == (carrier != "silent")
    assert not any(event["k"] == "fault" for event in env.unwrapped.game.events)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ConfigError, match="told the hidden truth"):
        CandidateRanking(make(), carrier="oracle")
    with pytest.raises(ConfigError, match="unknown assistant 'ruel'"):
        CandidateRanking(make(), carrier="ruel")
    with pytest.raises(ConfigError, match="Did you mean 'scores'"):
        CandidateRanking(make(), action="score")
    with pytest.raises(ConfigError, match="candidates must be in"):
        CandidateRanking(make(), candidates=3)
    with pytest.raises(ConfigError, match="the carrier is the name"):
        CandidateRanking(make(), carrier=3)  # type: ignore[arg-type]
    env: Any = CandidateRanking(make())
    env.reset(seed=0)
    turn = env.unwrapped.game.turn
    for action in (np.zeros(3), "best first", None, [["a"] * 50], [[1.0], [1.0, 2.0]]):
        with pytest.raises(MessageError, match=r"shape \(50,\)"):
            env.step(action)
    assert env.unwrapped.game.turn == turn
