"""Potential-based shaping: the order of policies stays, only the way the reward comes changes."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.wrappers import MacroActions, PotentialShaping
from supermarket_env.wrappers.shaping import POTENTIALS


def make(suite: str = "train", **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("supermarket_env:Supermarket-v0", store="corner", mode="plain", suite=suite, **kwargs)


DISCOUNT = 0.9
POLICIES = ("silent", "first", "last", "random", "eager")
SEEDS = range(5)


def turns_so_far(game: Any) -> float:
    """A potential that is not 0 at the start and grows to the end."""
    return 3.0 + float(game.turn)


def play(env: Any, policy: str, seed: int, max_turns: int = 200) -> tuple[list[float], int]:
    """Return the rewards of an episode and the turns it took."""
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)
    rewards: list[float] = []
    done = False
    while not done and len(rewards) < max_turns:
        choices = np.flatnonzero(info["action_mask"])
        macro = {"silent": 0, "first": choices[:2][-1], "last": choices[-1]}.get(policy)
        if macro is None:
            macro = rng.choice(choices)
            if policy == "eager" and len(choices) > 1:
                macro = choices[1 + len(rewards) % (len(choices) - 1)]
        _, reward, done, _, info = env.step(int(macro))
        rewards.append(float(reward))
    return rewards, len(rewards)


def discounted(rewards: list[float]) -> float:
    return sum(reward * DISCOUNT**k for k, reward in enumerate(rewards))


def added_by(potential: Any, wrap: Any = PotentialShaping) -> dict[int, set[float]]:
    """Return, per seed, what shaping adds to the discounted return of each policy (rounded)."""
    shaped = MacroActions(wrap(make(), discount=DISCOUNT, potential=potential))
    bare = MacroActions(make())
    return {
        seed: {
            round(discounted(play(shaped, policy, seed)[0]) - discounted(play(bare, policy, seed)[0]), 9)
            for policy in POLICIES
        }
        for seed in SEEDS
    }


@pytest.mark.parametrize("potential", [*POTENTIALS, turns_so_far])
def test_shaping_adds_the_same_to_the_return_of_every_policy(potential: Any) -> None:
    added = added_by(potential)
    assert all(len(values) == 1 for values in added.values()), added
    start = -4.0 + 1.0 if potential is turns_so_far else 0.0  # minus the potential before turn 1
    assert {value for values in added.values() for value in values} == {start}


def test_the_check_sees_a_shaping_that_forgets_the_end() -> None:
    class Forgetful(PotentialShaping):
        def step(self, action: Any) -> Any:
            observation, reward, terminated, truncated, info = self.env.step(action)
            there = self._potential()
            shaped = float(reward) + self.discount * there - self._here
            self._here = there
            return observation, shaped, terminated, truncated, info

    assert any(len(values) > 1 for values in added_by("cart_satisfaction", Forgetful).values())


def test_the_best_of_some_policies_stays_the_best() -> None:
    shaped = MacroActions(PotentialShaping(make(), discount=DISCOUNT))
    bare = MacroActions(make())
    means = [
        {policy: float(np.mean([discounted(play(env, policy, seed)[0]) for seed in SEEDS])) for policy in POLICIES}
        for env in (bare, shaped)
    ]
    assert sorted(POLICIES, key=means[0].__getitem__) == sorted(POLICIES, key=means[1].__getitem__)


def test_shaping_pays_before_the_checkout() -> None:
    """Without shaping every reward before the last is the turn's cost."""
    shaped = MacroActions(PotentialShaping(make(), discount=1.0))
    early = [reward for seed in SEEDS for reward in play(shaped, "eager", seed)[0][:-1]]
    assert max(early) > 0.05


def test_a_cut_episode_ends_at_potential_zero_too() -> None:
    cut = gym.wrappers.TimeLimit(make(), max_episode_steps=4)
    env = MacroActions(PotentialShaping(cut, discount=DISCOUNT, potential=turns_so_far))
    env.reset(seed=1)
    rewards = []
    truncated = False
    while not truncated:
        _, reward, _, truncated, _ = env.step(0)
        rewards.append(float(reward))
    bare = MacroActions(make())
    unshaped, _ = play(bare, "silent", 1, max_turns=4)
    assert len(rewards) == 4
    assert discounted(rewards) - discounted(unshaped) == pytest.approx(-3.0)


def test_only_training_can_be_shaped() -> None:
    with pytest.raises(ConfigError, match="suite='train', got suite='dev'"):
        PotentialShaping(make("dev"))
    with pytest.raises(ConfigError, match="discount must be in"):
        PotentialShaping(make(), discount=0.0)
    with pytest.raises(ConfigError, match="Did you mean 'cart_satisfaction'"):
        PotentialShaping(make(), potential="cart_satisfact")
    env = PotentialShaping(make(), potential=lambda game: float("nan"))
    with pytest.raises(ConfigError, match="must be finite"):
        env.reset(seed=0)


def test_the_potential_shows_in_the_reward_alone() -> None:
    shaped, bare = MacroActions(PotentialShaping(make())), MacroActions(make())
    for env in (shaped, bare):
        env.reset(seed=2)
    for _ in range(10):
        ours, theirs = shaped.step(0), bare.step(0)
        assert ours[4].keys() == theirs[4].keys()
        assert ours[0].keys() == theirs[0].keys()
        if ours[2]:
            break
