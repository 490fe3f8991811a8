"""Macros over the native vector environment are those over single ones, row by row and bit by bit."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from supermarket_env.agents.macros import N_MACROS
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.envs.vector_messages import MessageVectorEnv
from supermarket_env.errors import ConfigError, MessageError
from supermarket_env.wrappers import FlatObservation, MacroActions, MacroVectorEnv

SETTINGS: dict[str, Any] = {"store": "corner", "mode": "plain", "suite": "train", "train_tasks": 20}


def native(n: int = 3, **kwargs: Any) -> MacroVectorEnv:
    return MacroVectorEnv(n, **{**SETTINGS, **kwargs})


def side_by_side(n: int = 3, mask: str = "info", mode: AutoresetMode = AutoresetMode.NEXT_STEP) -> SyncVectorEnv:
    def make() -> gym.Env[Any, Any]:
        env = gym.make("supermarket_env:Supermarket-v0", texts=False, **SETTINGS)
        return FlatObservation(MacroActions(env, mask=mask))

    return SyncVectorEnv([make] * n, autoreset_mode=mode)


def sensible(info: dict[str, Any], rng: np.random.Generator) -> Any:
    return (info["action_mask"] * rng.random(info["action_mask"].shape)).argmax(axis=1)


def equal_infos(one: dict[str, Any], two: dict[str, Any]) -> None:
    assert one.keys() == two.keys()
    for key in one:
        if isinstance(one[key], dict):
            equal_infos(one[key], two[key])
        else:
            assert [str(value) for value in one[key]] == [str(value) for value in two[key]], key


@pytest.mark.parametrize(
    ("mode", "mask"),
    [
        (AutoresetMode.NEXT_STEP, "info"),
        (AutoresetMode.SAME_STEP, "info"),
        (AutoresetMode.NEXT_STEP, "observation"),
    ],
)
def test_rows_masks_rewards_and_infos_are_those_of_single_environments(mode: AutoresetMode, mask: str) -> None:
    one, two = side_by_side(mask=mask, mode=mode), native(mask=mask, autoreset_mode=mode)
    assert one.single_observation_space == two.single_observation_space
    assert one.action_space == two.action_space
    (x, info), (y, other) = one.reset(seed=4), two.reset(seed=4)
    rng, ends = np.random.default_rng(0), 0
    for _ in range(70):
        assert x.tobytes() == y.tobytes()
        equal_infos(info, other)
        macros = sensible(info, rng)
        x, rewards, terminated, truncated, info = one.step(macros)
        y, rewards2, terminated2, truncated2, other = two.step(macros)
        assert rewards.tolist() == rewards2.tolist()
        assert terminated.tolist() == terminated2.tolist()
        assert truncated.tolist() == truncated2.tolist()
        ends += int(terminated.sum())
    assert ends >= 3


def test_without_autoreset_some_rows_start_anew_while_the_others_wait() -> None:
    envs = native(autoreset_mode=AutoresetMode.DISABLED)
    x, info = envs.reset(seed=1)
    rng = np.random.default_rng(0)
    ended = np.zeros(3, dtype=bool)
    while not ended.any():
        x, _, ended, _, info = envs.step(sensible(info, rng))
    with pytest.raises(ResetNeeded, match="have ended: reset them first"):
        envs.step(np.zeros(3, dtype=np.int64))
    y, started = envs.reset(options={"reset_mask": ended})
    assert started["_action_mask"].tolist() == ended.tolist()
    assert y[~ended].tobytes() == x[~ended].tobytes()
    assert (started["turn"][ended] == 0).all()
    envs.step(sensible(started, rng))


def test_asked_for_tasks_are_played() -> None:
    single = gym.make("supermarket_env:Supermarket-v0", texts=False, **SETTINGS)
    tasks = [single.unwrapped.source.pick(k) for k in (3, 5)]  # type: ignore[attr-defined]
    x, _ = native(2).reset(options={"task": tasks, "seed": [8, 9]})
    wrapped = FlatObservation(MacroActions(single))
    for k in range(2):
        assert wrapped.reset(options={"task": tasks[k], "seed": 8 + k})[0].tobytes() == x[k].tobytes()


def test_a_pickled_batch_goes_on_with_the_same_bytes() -> None:
    envs = native()
    _, info = envs.reset(seed=2)
    for _ in range(4):
        _, _, _, _, info = envs.step(sensible(info, np.random.default_rng(1)))
    copy = pickle.loads(pickle.dumps(envs))
    for _ in range(30):
        macros = sensible(info, np.random.default_rng(2))
        x, _, _, _, info = envs.step(macros)
        y, _, _, _, other = copy.step(macros)
        assert x.tobytes() == y.tobytes()
        equal_infos(info, other)


def test_masks_are_one_call_away_and_what_they_rule_out_says_nothing() -> None:
    envs, silent = native(), native()
    _, info = envs.reset(seed=6)
    silent.reset(seed=6)
    assert np.array_equal(envs.action_masks(), info["action_mask"] == 1)
    ruled_out = info["action_mask"].argmin(axis=1)
    x, *_ = envs.step(ruled_out)
    y, *_ = silent.step(np.zeros(3, dtype=np.int64))
    assert x.tobytes() == y.tobytes()


@pytest.mark.parametrize(
    ("actions", "match"),
    [
        (np.zeros(2, dtype=np.int64), "expected 3 macro numbers"),
        (np.zeros(3), "got float64"),
        (np.array([0, N_MACROS, 0]), f"in 0..{N_MACROS - 1}"),
        (np.array([0, -1, 0]), "got -1"),
        (None, "got None"),
        ([[0], [0, 1], [0]], "expected 3 macro numbers"),
    ],
)
def test_what_is_no_element_of_the_action_space_is_refused(actions: Any, match: str) -> None:
    envs = native()
    with pytest.raises(ResetNeeded, match="never reset"):
        envs.step(np.zeros(3, dtype=np.int64))
    envs.reset(seed=0)
    with pytest.raises(ConfigError, match=match):
        envs.step(actions)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'observation'"):
        native(mask="observations")
    with pytest.raises(ConfigError, match="track='semantic'"):
        native(track="text")
    with pytest.raises(ConfigError, match="hides how a trip ended"):
        MessageVectorEnv(2, autoreset_mode=AutoresetMode.SAME_STEP, **SETTINGS)
    with pytest.raises(ConfigError, match="not rendered"):
        native(render_mode="ansi")
    with pytest.raises(ConfigError, match=r"unknown autoreset_mode 'Next'; valid: .* Did you mean 'NextStep'"):
        native(autoreset_mode="Next")
    with pytest.raises(ConfigError, match=r"num_envs .* got 1\.5"):
        MacroVectorEnv(1.5, **SETTINGS)  # type: ignore[arg-type]


def test_a_closed_batch_is_not_played() -> None:
    envs = native()
    envs.reset(seed=0)
    envs.close()
    envs.close()
    with pytest.raises(ClosedEnvironmentError):
        envs.step(np.zeros(3, dtype=np.int64))
    with pytest.raises(ClosedEnvironmentError):
        envs.reset()


def test_whole_messages_can_be_said_row_by_row() -> None:
    envs = MessageVectorEnv(2, **SETTINGS)
    envs.reset(seed=3)
    assert [view.turn for view in envs.views] == [1, 1]
    ask = AssistantMessage(act="ask", attribute="anything")
    envs.say([ask, AssistantMessage()])
    assert envs.views[0].response.act == "answer"
    assert [view.turn for view in envs.views] == [2, 2]
    with pytest.raises(MessageError, match="one message for each of 2"):
        envs.say([ask])
    with pytest.raises(MessageError, match="must be sound: unknown_product"):
        envs.say([ask, AssistantMessage(act="recommend", items=("nothing",))])
