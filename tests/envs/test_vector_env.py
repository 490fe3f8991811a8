"""The vector environment: N episodes at once are N scalar environments, to the last bit."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.envs.vector import SupermarketVectorEnv
from supermarket_env.errors import ConfigError, LogError, MessageError, TaskError
from supermarket_env.events.hooks import Hook
from supermarket_env.events.log import encode_episode
from supermarket_env.events.recorder import Recorder
from supermarket_env.rules import codes
from supermarket_env.rules.twins import numba_available

MODES = ("plain", pytest.param("compiled", marks=pytest.mark.skipif(not numba_available(), reason="numba is off")))
RESETS = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
OPTIONS: dict[str, Any] = {"store": "corner", "mode": "plain", "max_turns": 12}


class Lines(Hook):
    """Keeps the log lines of finished episodes."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def on_episode_end(self, episode: Any) -> None:
        self.lines.append(encode_episode(episode))


def same(a: Any, b: Any) -> bool:
    """Whether two observations or infos hold the same bytes."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray) and a.dtype == object:
        return a.shape == b.shape and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return bool(a == b)


def actions_of(env: Any, seed: int) -> Any:
    """Return a batch of sampled actions, drawn so that all acts, hints and goals come up and many are usable."""
    rng = np.random.default_rng(seed)
    n, world = env.num_envs, SupermarketEnv(**OPTIONS).world
    products = world.catalogue.n_products
    items = rng.integers(1, products + 1, (n, codes.MAX_ITEMS)) * (rng.random((n, codes.MAX_ITEMS)) < 0.5)
    asks = rng.random((n, codes.MAX_PRODUCTS)) < 0.6
    return {
        "act": rng.integers(len(codes.ASSISTANT_ACTS), size=n),
        "need": rng.integers(codes.MAX_NEEDS + 1, size=n),
        "attribute": rng.integers(len(world.slot_names), size=n),
        "products": rng.integers(1, products + 1, (n, codes.MAX_PRODUCTS)) * asks,
        "items": items * (rng.random((n, 1)) < 0.3),
        "suggest_type": rng.integers(len(codes.ACTIONS), size=n),
        "suggest_arg": rng.integers(40, size=n),
        "goal_kind": rng.integers(len(codes.GOAL_KINDS), size=n),
        "goal_id": rng.integers(40, size=n),
        "text": tuple("hello" if x < 0.2 else "" for x in rng.random(n)),
    }


def silent(env: SupermarketVectorEnv) -> dict[str, Any]:
    """Return the batch of silent messages."""
    spaces: Any = env.single_action_space
    zero: dict[str, Any] = {
        name: np.zeros((env.num_envs, *(space.shape or ())), dtype=np.int64)
        for name, space in spaces.spaces.items()
        if name != "text"
    }
    return {**zero, "text": ("",) * env.num_envs}


def scalars(n: int, resets: AutoresetMode = AutoresetMode.NEXT_STEP, **options: Any) -> SyncVectorEnv:
    return SyncVectorEnv([lambda: SupermarketEnv(**{**OPTIONS, **options})] * n, autoreset_mode=resets)


def batch(n: int, **options: Any) -> SupermarketVectorEnv:
    return SupermarketVectorEnv(n, **{**OPTIONS, **options})


def play_both(a: Any, b: Any, steps: int, seed: Any = 5) -> None:
    """Step both through the same messages and hold everything that comes out against each other."""
    first, second = a.reset(seed=seed), b.reset(seed=seed)
    assert same(first[0], second[0])
    assert same(first[1], second[1])
    for step in range(steps):
        actions = actions_of(b, step)
        for k, (x, y) in enumerate(zip(a.step(actions), b.step(actions), strict=True)):
            assert same(x, y), (step, ("observation", "reward", "terminated", "truncated", "info")[k])


# --- parity --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize("mode", MODES)
def test_the_batch_is_a_row_of_scalar_environments(mode: str, reset: AutoresetMode) -> None:
    play_both(scalars(3, reset, mode=mode), batch(3, mode=mode, autoreset_mode=reset), 30)


@pytest.mark.parametrize("options", [{"track": "text"}, {"texts": False}, {"suite": "train", "train_tasks": 2}])
def test_the_batch_is_a_row_of_scalar_environments_with_options(options: dict[str, Any]) -> None:
    play_both(scalars(2, **options), batch(2, **options), 16)


def test_compiled_and_plain_batches_are_equal() -> None:
    if not numba_available():
        pytest.skip("numba is off")
    play_both(batch(7, texts=False, mode="compiled"), batch(7, texts=False), 25)


def test_async_environments_over_the_scalar_one_are_equal_too() -> None:
    # Gymnasium's shared memory reads texts once and never again: without it, words arrive.
    several = AsyncVectorEnv([lambda: SupermarketEnv(**OPTIONS)] * 2, shared_memory=False)
    try:
        play_both(several, batch(2), 14, seed=[3, 9])
    finally:
        several.close()


@pytest.mark.parametrize("n", [1, 5])
def test_recorded_rows_write_the_lines_of_scalar_environments(n: int) -> None:
    hook = Lines()
    env = batch(n, record=[0, n - 1], hooks=[hook], texts=True)
    env.reset(seed=11)
    given = []
    for step in range(28):
        given.append(actions_of(env, step))
        env.step(given[-1])
    expected: dict[int, list[bytes]] = {}
    for k in {0, n - 1}:
        alone = SupermarketEnv(**OPTIONS)
        alone.reset(seed=11 + k)
        lines = expected[k] = []
        over = False
        for actions in given:
            if over:
                alone.reset()
                over = False
                continue
            over = alone.step({name: column[k] for name, column in actions.items()})[2]
            if over:
                lines.append(alone.game.line())
    assert sorted(hook.lines) == sorted(line for lines in expected.values() for line in lines)
    assert len(hook.lines) >= 2


# --- resets --------------------------------------------------------------------------------------------------------


def test_partial_reset_starts_only_the_masked_rows() -> None:
    own_limits: dict[str, Any] = {"max_turns": None}
    a, b = scalars(3, AutoresetMode.DISABLED, **own_limits), batch(3, autoreset_mode="Disabled", **own_limits)
    for env in (a, b):
        env.reset(seed=2)
    ended = np.zeros(3, dtype=bool)
    partial = 0
    for step in range(40):
        if ended.any():
            partial += not ended.all()
            assert same(*(env.reset(options={"reset_mask": ended.copy()}) for env in (a, b)))
        actions = actions_of(b, step)
        one, two = a.step(actions), b.step(actions)
        assert all(same(x, y) for x, y in zip(one, two, strict=True))
        ended = two[2]
    assert partial


def test_ended_rows_must_be_reset_when_nothing_does_it() -> None:
    env = batch(2, autoreset_mode=AutoresetMode.DISABLED, max_turns=1)
    with pytest.raises(gym.error.ResetNeeded):
        env.step(silent(env))
    env.reset(seed=0)
    env.step(silent(env))
    with pytest.raises(gym.error.ResetNeeded, match=r"\[0, 1\]"):
        env.step(silent(env))


def test_seeds_by_row_and_tasks_by_row() -> None:
    env = batch(3)
    tasks = [task.id for task in env.source.tasks[:3]]
    env.reset(seed=[4, None, 6], options={"task": tasks, "seed": [1, 2, 3]})
    assert [env.games[k].task.id for k in range(3)] == tasks
    assert [env.games[k].seed for k in range(3)] == [1, 2, 3]
    assert env.np_random_seed[0] == 4
    assert env.np_random_seed[2] == 6
    alone = SupermarketEnv(**OPTIONS)
    first, _ = alone.reset(seed=4, options={"task": tasks[0], "seed": 1})
    again, _ = env.reset(seed=[4, 5, 6], options={"task": tasks[0], "seed": 1})
    assert same({name: value[0] for name, value in again.items()}, first)


def test_bad_resets_are_refused() -> None:
    env = batch(2)
    with pytest.raises(ConfigError, match="2 environments"):
        env.reset(seed=[1])
    with pytest.raises(ConfigError, match="unknown reset options"):
        env.reset(options={"tasks": 1})
    with pytest.raises(TaskError, match="no task"):
        env.reset(options={"task": "nothing"})
    env.reset(seed=1)
    for mask in (np.zeros(2, dtype=bool), np.ones(3, dtype=bool), [True, False]):
        with pytest.raises(ConfigError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("texts", [True, False])
@pytest.mark.parametrize(
    "wrong",
    [
        {"options": {"task": "nope"}},
        {"options": {"task": [None, "nope"]}},
        {"options": {"seed": -1}},
        {"options": {"seed": [1, 1.7]}},
        {"options": {"seed": "x"}},
        {"options": {"tasks": 1}},
        {"options": [1]},
        {"options": {"reset_mask": np.zeros(2, dtype=bool)}},
        {"seed": [5, -1]},
        {"seed": [5, "x"]},
        {"seed": 1.5},
        {"seed": -1},
    ],
)
def test_a_refused_reset_moves_no_row_and_no_generator(wrong: Any, texts: bool) -> None:
    env, twin = batch(2, texts=texts), batch(2, texts=texts)
    for one in (env, twin):
        one.reset(seed=3)
    with pytest.raises((ConfigError, TaskError)):
        env.reset(**{"seed": 9, **wrong})
    assert env.np_random_seed == twin.np_random_seed
    actions = actions_of(env, 0)
    assert all(same(x, y) for x, y in zip(env.step(actions), twin.step(actions), strict=True))
    assert same(env.reset(), twin.reset())


def test_rows_that_stay_may_have_no_seed() -> None:
    env = batch(2)
    env.reset(seed=[1, 2])
    env.reset(seed=[7, -1], options={"reset_mask": np.array([True, False])})
    assert env.np_random_seed == (7, 2)


def test_a_closed_batch_is_not_played() -> None:
    env = batch(2)
    env.reset(seed=1)
    env.close()
    env.close()
    with pytest.raises(gym.error.ClosedEnvironmentError, match="make a new one"):
        env.step(silent(env))
    with pytest.raises(gym.error.ClosedEnvironmentError):
        env.reset(seed=1)


def test_an_open_recorder_does_not_go_along_in_a_pickle(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log.jsonl") as recorder:
        env = batch(2, record=[0], hooks=[recorder])
        with pytest.raises(LogError, match="an open recorder cannot be pickled"):
            pickle.dumps(env)


# --- actions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [("act", 99), ("items", -1), ("products", 10**6), ("need", 1.5), ("goal_kind", 7), ("suggest_arg", -3)],
)
def test_what_is_no_action_is_refused_and_nothing_happens(name: str, value: Any) -> None:
    env = batch(2, texts=False)
    env.reset(seed=1)
    good = silent(env)
    with pytest.raises(MessageError, match=name):
        env.step({**good, name: good[name] + value})
    with pytest.raises(MessageError, match=name):
        env.step({key: part for key, part in good.items() if key != name})
    assert env.step(good)[4]["turn"].tolist() == [1, 1]


@pytest.mark.parametrize("texts", [True, False])
@pytest.mark.parametrize("wrong", [("a",), (), ("a", "b", "c"), None, 3, "ab", (1, 2), ("a", None)], ids=str)
def test_texts_that_are_none_are_refused_and_nothing_happens(wrong: Any, texts: bool) -> None:
    env, twin = batch(2, texts=texts), batch(2, texts=texts)
    for one in (env, twin):
        one.reset(seed=3)
    with pytest.raises(MessageError, match="'text' of the batched action"):
        env.step({**actions_of(env, 0), "text": wrong})
    for step in range(3):
        actions = actions_of(env, step)
        assert all(same(x, y) for x, y in zip(env.step(actions), twin.step(actions), strict=True))


def test_texts_may_come_as_a_list_or_an_array() -> None:
    env, twin, third = batch(2), batch(2), batch(2)
    for one in (env, twin, third):
        one.reset(seed=3)
    good = {**silent(env), "text": ("Good morning.", "")}
    seen = env.step(good)
    assert all(same(x, y) for x, y in zip(seen, twin.step({**good, "text": list(good["text"])}), strict=True))
    assert all(same(x, y) for x, y in zip(seen, third.step({**good, "text": np.array(good["text"])}), strict=True))
    assert env.games[0].events == third.games[0].events


def test_the_spaces_hold_what_comes_and_goes() -> None:
    env = batch(3)
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    env.action_space.seed(1)
    for _ in range(14):
        action = env.action_space.sample()
        assert env.action_space.contains(action)
        observation, reward, *_ = env.step(action)
        assert env.observation_space.contains(observation)
        assert reward.dtype == np.float64


# --- doors, copies, memory -----------------------------------------------------------------------------------------


def test_make_vec_takes_the_batched_environment() -> None:
    env = gym.make_vec(
        "supermarket_env:Supermarket-v0",
        num_envs=4,
        vectorization_mode="vector_entry_point",
        store="corner",
        mode="plain",
    )
    assert isinstance(env.unwrapped, SupermarketVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    env.reset(seed=1)
    env.close()


@pytest.mark.parametrize("mode", MODES)
def test_pickled_in_mid_episode_it_goes_on_the_same(mode: str) -> None:
    env = batch(3, mode=mode, record=[1])
    env.reset(seed=8)
    for step in range(5):
        env.step(actions_of(env, step))
    twin = pickle.loads(pickle.dumps(env))
    for step in range(5, 30):
        actions = actions_of(env, step)
        assert all(same(x, y) for x, y in zip(env.step(actions), twin.step(actions), strict=True))
    assert env.games[1].events == twin.games[1].events


def test_without_copies_an_observation_stays_for_one_more_step() -> None:
    copied, lent = batch(2, texts=False), batch(2, texts=False, copy=False)
    last = copied.reset(seed=3)[0]
    kept = lent.reset(seed=3)[0]
    for step in range(30):
        actions = actions_of(lent, step)
        now, here = copied.step(actions)[0], lent.step(actions)[0]
        assert same(last, kept)
        assert same(now, here)
        last, kept = now, here


@pytest.mark.parametrize(
    "options",
    [
        {"num_envs": 0},
        {"num_envs": 1.5},
        {"num_envs": "2"},
        {"record": [5]},
        {"record": "ab"},
        {"record": [0.5]},
        {"record": 0.5},
        {"hooks": [Hook()]},
        {"record": [0], "hooks": [object()]},
        {"train_tasks": 3},
        {"suite": "train", "train_tasks": "x"},
        {"max_turns": "x"},
        {"copy": "x"},
        {"texts": 1},
        {"autoreset_mode": "x"},
        {"render_mode": "human"},
    ],
)
def test_bad_arguments_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        SupermarketVectorEnv(**{"num_envs": 2, **OPTIONS, "texts": False, **options})
