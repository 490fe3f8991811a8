"""The adapter for Stable-Baselines3: terminal observations, infos and masks (skipped without the extra ``rl``)."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from supermarket_env.errors import ConfigError
from supermarket_env.train.config import TrainConfig
from supermarket_env.train.stack import make_env, make_envs
from supermarket_env.wrappers import FlatObservation, MacroActions, MacroVectorEnv

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from supermarket_env.train.sb3_vec_env import Sb3VecEnv


class Counting(gym.Env[Any, Any]):
    """Counts its steps in the observation; ends after ``end`` steps, by truncation when ``cut``."""

    observation_space = spaces.Box(0.0, 1000.0, (1,), np.float32)
    action_space = spaces.Discrete(3)

    def __init__(self, end: int, cut: bool = False) -> None:
        self.end, self.cut, self.n, self.episode = end, cut, 0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.n, self.episode = 0, self.episode + 1
        return self._x(), {"action_mask": self.mask(), "episode_number": self.episode}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.n += 1
        over = self.n == self.end
        info = {"action_mask": self.mask(), "n": self.n}
        return self._x(), float(action), over and not self.cut, over and self.cut, info

    def mask(self) -> Any:
        return np.array([1, self.n % 2, 1], dtype=np.int8)

    def answer(self, plus: int) -> int:
        return self.end + plus

    def _x(self) -> Any:
        return np.array([100.0 * self.episode + self.n], dtype=np.float32)


def adapted(mode: AutoresetMode) -> Sb3VecEnv:
    makers = [partial(Counting, 3), partial(Counting, 5, cut=True)]
    return Sb3VecEnv(SyncVectorEnv(makers, autoreset_mode=mode))


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_an_ended_episode_hands_over_its_last_observation(mode: AutoresetMode) -> None:
    envs = adapted(mode)
    assert envs.reset().ravel().tolist() == [100.0, 100.0]
    for k in range(1, 6):
        x, rewards, dones, infos = envs.step(np.array([1, 2]))
        assert rewards.tolist() == [1.0, 2.0]
        assert dones.tolist() == [k == 3, k == 5]
        masks = np.stack(envs.env_method("action_masks"))
        assert masks.dtype == np.bool_
        assert masks[:, 1].tolist() == [int(v) % 100 % 2 == 1 for v in x.ravel()]  # of the observation just given
        assert len(infos) == 2
    # the first ended by itself at 3 and began anew, the second was cut at 5
    assert x.ravel().tolist() == [202.0, 200.0]
    assert infos[1]["terminal_observation"].tolist() == [105.0]
    assert infos[1]["TimeLimit.truncated"] is True
    assert infos[1]["n"] == 5
    assert "terminal_observation" not in infos[0]
    assert infos[0]["TimeLimit.truncated"] is False
    assert "final_obs" not in infos[1]
    envs.close()


def test_attributes_and_methods_reach_the_environments() -> None:
    envs = adapted(AutoresetMode.SAME_STEP)
    envs.reset()
    assert envs.get_attr("end") == [3, 5]
    assert envs.get_attr("end", indices=1) == [5]
    assert envs.env_method("answer", 10) == [13, 15]
    assert envs.env_method("answer", 10, indices=[1]) == [15]
    envs.set_attr("cut", True)
    assert envs.get_attr("cut") == [True, True]
    assert envs.has_attr("action_masks")
    assert not envs.has_attr("nothing_of_the_kind")
    assert envs.env_is_wrapped(gym.Wrapper) == [False, False]
    with pytest.raises(ConfigError, match="all environments"):
        envs.set_attr("cut", True, indices=0)


def test_what_sb3_cannot_follow_is_refused() -> None:
    with pytest.raises(ConfigError, match="SAME_STEP"):
        adapted(AutoresetMode.NEXT_STEP)
    with pytest.raises(ConfigError, match="VectorEnv"):
        Sb3VecEnv(Counting(3))  # type: ignore[arg-type]


def test_seeds_make_the_same_trips() -> None:
    config = TrainConfig(n_envs=2, tasks=4, stores=("corner",), mode="plain", thresholds="rule")
    runs = []
    for _ in range(2):
        envs = Sb3VecEnv(make_envs(config))
        envs.seed(7)
        rows = [envs.reset()]
        rng = np.random.Generator(np.random.Philox(3))
        for _ in range(30):
            masks = np.stack(envs.env_method("action_masks"))
            rows.append(envs.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))[0])
        runs.append(np.stack(rows))
        envs.close()
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0][0][0], runs[0][0][1])  # the environments do not play the same task


def test_the_masks_are_those_of_the_environment() -> None:
    config = TrainConfig(n_envs=1, tasks=4, stores=("corner",), mode="plain", thresholds="rule", blind="position")
    env = make_env(config, "corner")
    _, info = env.reset(seed=1)
    assert np.array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"].astype(bool))


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_the_native_vector_environment_hands_over_what_single_ones_do(mode: AutoresetMode) -> None:
    settings: dict[str, Any] = {"store": "corner", "mode": "plain", "suite": "train", "train_tasks": 20}

    def single() -> gym.Env[Any, Any]:
        return FlatObservation(MacroActions(gym.make("supermarket_env:Supermarket-v0", texts=False, **settings)))

    pair = [
        Sb3VecEnv(SyncVectorEnv([single] * 3, autoreset_mode=mode)),
        Sb3VecEnv(MacroVectorEnv(3, autoreset_mode=mode, **settings)),
    ]
    for envs in pair:
        envs.seed(5)
    shown = [envs.reset() for envs in pair]
    rng, ended = np.random.default_rng(0), 0
    for _ in range(60):
        assert np.array_equal(shown[0], shown[1])
        masks = [np.stack(envs.env_method("action_masks")) for envs in pair]
        assert np.array_equal(masks[0], masks[1])
        macros = (masks[0] * rng.random(masks[0].shape)).argmax(axis=1)
        steps = [envs.step(macros) for envs in pair]
        shown = [step[0] for step in steps]
        assert np.array_equal(steps[0][1], steps[1][1])
        assert np.array_equal(steps[0][2], steps[1][2])
        for one, two in zip(steps[0][3], steps[1][3], strict=True):
            assert one.keys() == two.keys()
            assert ("terminal_observation" in one) == ("reason" in one or "final_info" in one)
            if "terminal_observation" in one:
                assert np.array_equal(one["terminal_observation"], two["terminal_observation"])
        ended += int(steps[0][2].sum())
    assert ended >= 3
