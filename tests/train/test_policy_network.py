"""The trained policy as NumPy arrays: what it sees, what it may say, and that it is an ordinary assistant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.macros import MACROS, MAX_NEEDS, N_MACROS
from supermarket_env.agents.policy_network import PolicyNetwork
from supermarket_env.agents.ppo import Ppo
from supermarket_env.envs.game import Game
from supermarket_env.errors import ConfigError
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.task import Task
from supermarket_env.train.config import TrainConfig
from supermarket_env.train.layout import BLINDS, OBSERVATION, index_arrays
from supermarket_env.train.stack import make_env

Maker = Callable[..., PolicyNetwork]


def observation(seed: int = 1) -> Any:
    return np.random.Generator(np.random.Philox(seed)).random(OBSERVATION, dtype=np.float32)


def test_the_index_arrays_cover_every_macro_once() -> None:
    arrays = index_arrays()
    numbers = sorted([*arrays["need_macros"].ravel().tolist(), *arrays["trip_macros"].tolist()])
    assert numbers == list(range(N_MACROS))
    for j, row in enumerate(arrays["need_macros"], start=1):
        assert all(f"_need_{j}" in MACROS[k] for k in row)
    assert len({*arrays["need_at"].ravel().tolist()} & {*arrays["trip_at"].tolist()}) == 0
    assert max(arrays["need_at"].max(), arrays["trip_at"].max()) < OBSERVATION


def test_probabilities_are_a_distribution_over_what_is_allowed(network: Maker) -> None:
    policy, mask = network(), np.zeros(N_MACROS, dtype=bool)
    mask[[0, 3, 40]] = True
    shares = policy.probabilities(observation(), mask)
    assert shares.sum() == pytest.approx(1.0)
    assert set(np.flatnonzero(shares)) <= {0, 3, 40}
    assert policy.choose(observation(), mask) == int(np.argmax(shares))
    flat = policy.probabilities(observation(), mask, temperature=1e6)
    assert flat[[0, 3, 40]] == pytest.approx([1 / 3] * 3, abs=1e-3)


def test_needs_are_treated_alike(network: Maker) -> None:
    policy, x = network(), observation()
    at, macros = policy.arrays["need_at"], policy.arrays["need_macros"]
    swapped = x.copy()
    swapped[at[[0, 5]]] = x[at[[5, 0]]]
    before, after = policy.logits(x), policy.logits(swapped)
    assert after[macros[0]] == pytest.approx(before[macros[5]], abs=1e-5)
    assert after[macros[5]] == pytest.approx(before[macros[0]], abs=1e-5)
    assert after[policy.arrays["trip_macros"]] == pytest.approx(before[policy.arrays["trip_macros"]], abs=1e-5)


@pytest.mark.parametrize("blind", BLINDS)
def test_a_blind_policy_does_not_react_to_what_is_hidden(network: Maker, blind: str) -> None:
    policy, mask = network(blind), np.ones(N_MACROS, dtype=bool)
    hidden = policy.arrays["hidden"]
    x = observation()
    other = x.copy()
    other[hidden] = 1.0 - other[hidden]
    assert np.array_equal(policy.probabilities(x, mask), policy.probabilities(other, mask))
    assert policy.probabilities(x, mask)[policy.arrays["forbidden"]].sum() == 0.0
    assert (len(hidden) == 0) is (blind == "none")
    assert policy.probabilities(x, mask)[0] > 0.0  # saying nothing is always left
    assert np.array_equal(x, observation())  # the caller's arrays stay as they are


def test_blind_to_dialogue_means_no_macro_about_a_need() -> None:
    forbidden = {MACROS[k] for k in index_arrays("dialogue")["forbidden"]}
    assert sum("_need_" in name for name in forbidden) == 5 * MAX_NEEDS
    assert {"silent", "ask_for_more", "offer_checkout_on_the_way"}.isdisjoint(forbidden)
    with pytest.raises(ConfigError, match="dialogue"):
        index_arrays("dialog")


def test_a_saved_policy_is_the_same_one(network: Maker, tmp_path: Path) -> None:
    policy, mask = network(thresholds={"list_length": 7}), np.ones(N_MACROS, dtype=bool)
    policy.save(tmp_path / "deep" / "policy.npz")
    again = PolicyNetwork.load(tmp_path / "deep" / "policy.npz")
    assert np.array_equal(again.probabilities(observation(), mask), policy.probabilities(observation(), mask))
    assert again.thresholds == {"list_length": 7}
    assert Ppo(tmp_path / "deep").player.list_length == 7


def test_files_that_are_no_policy_are_refused(network: Maker, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        Ppo(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(ConfigError, match="cannot be read"):
        Ppo(tmp_path / "text.npz")
    np.savez(tmp_path / "arrays.npz", a=np.zeros(3))
    with pytest.raises(ConfigError, match="cannot be read"):
        Ppo(tmp_path / "arrays.npz")
    policy = network()
    with pytest.raises(ConfigError, match="other macro"):
        PolicyNetwork(policy.arrays, {"macros": ["silent"]})
    arrays = {name: array for name, array in policy.arrays.items() if name != "need.w"}
    with pytest.raises(ConfigError, match=r"need\.w"):
        PolicyNetwork(arrays, policy.meta)


@pytest.mark.parametrize("blind", ["none", "position"])
def test_the_assistant_does_what_the_policy_does_in_its_training_environment(
    network: Maker, game: Game, tasks: list[Task], blind: str
) -> None:
    """One code: the same observations, masks and messages on both sides of the door."""
    thresholds = {"list_length": 8, "weights": {"price": 0.5}}
    policy = network(blind, thresholds=thresholds)
    assistant = Ppo(network=policy, words=False)
    config = TrainConfig(stores=("corner",), mode="plain", thresholds=thresholds, blind=blind)
    env = make_env(config, "corner")
    for task in tasks[:5]:
        seed = episode_seed(0, task.id, 0)
        view = game.reset(task, seed=seed)
        assistant.start(view)
        while not game.done:
            view = game.step(assistant.reply(view))
        x, info = env.reset(seed=0, options={"task": task, "seed": seed})
        done = False
        while not done:
            x, _, done, _, info = env.step(policy.choose(x, info["action_mask"]))
        there = env.unwrapped.game  # type: ignore[attr-defined]
        assert there.episode()["events"] == game.episode()["events"]


def test_the_shipped_policy_plays_and_repeats_itself(game: Game, tasks: list[Task]) -> None:
    lines = []
    for _ in range(2):
        assistant = Ppo()
        view = game.reset(tasks[0], seed=5)
        assistant.start(view)
        while not game.done:
            view = game.step(assistant.reply(view))
        lines.append(game.line())
    assert lines[0] == lines[1]
    assert not any(event["k"] == "fault" for event in game.events)
