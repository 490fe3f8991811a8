"""The environments a macro policy is trained in: tasks from a pool, macros, a flat row, and what it must not see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.events.types import PAID_REASONS
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.suites import train_task
from supermarket_env.tasks.task import Task
from supermarket_env.train.config import TrainConfig
from supermarket_env.train.layout import index_arrays
from supermarket_env.wrappers import FlatObservation, MacroActions

AnyEnv = gym.Env[Any, Any]

_pooled_task = lru_cache(maxsize=65536)(train_task)


class TaskPool(gym.Wrapper[Any, Any, Any, Any]):
    """Starts every episode with a training task of a pool, drawn from the environment's own generator.

    Args:
        env: ``Supermarket-v0``, wrapped or not.
        n: Size of the pool.
        first: Number of its first task in the training stream.
        same_luck: Play each task with the luck of a run of seed 0, as demonstrations are, instead of a new one.
    """

    def __init__(self, env: AnyEnv, *, n: int, first: int = 0, same_luck: bool = False) -> None:
        super().__init__(env)
        self._same_luck = same_luck
        self._n, self._first = n, first
        self._rng = np.random.Generator(np.random.Philox(0))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; with ``options["task"]`` that task is played."""
        if seed is not None:
            self._rng = np.random.Generator(np.random.Philox(seed))
        options = dict(options or {})
        if "task" not in options:
            task = options["task"] = self.task(int(self._rng.integers(self._n)))
            if self._same_luck:
                options["seed"] = episode_seed(0, task.id, 0)
        return self.env.reset(seed=seed, options=options)

    def task(self, k: int) -> Task:
        """Return task ``k`` of the pool."""
        world = self.env.unwrapped.world  # type: ignore[attr-defined]
        return _pooled_task(self._first + k, store=world.store.name, catalogue=world.catalogue.name)


class Compared(gym.Wrapper[Any, Any, Any, Any]):
    """Plays pooled tasks with the luck they were shown with, and subtracts at the end what the teacher earned there.

    A constant of the trip is subtracted, whatever the policy does: a control variate, which leaves the best policy
    the best.

    Args:
        env: An environment over a :class:`TaskPool`.
        totals: Reward of the teacher by task id.
    """

    def __init__(self, env: AnyEnv, totals: Mapping[str, float]) -> None:
        super().__init__(env)
        self._totals = totals

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play a turn."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated:
            reward = float(reward) - self._totals[self.env.unwrapped.game.task.id]  # type: ignore[attr-defined]
        return observation, reward, terminated, truncated, info


class SuccessReward(gym.Wrapper[Any, Any, Any, Any]):
    """Pays 1 when the user buys anything, else nothing: what maximising the success rate alone asks for."""

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a turn."""
        observation, _, terminated, truncated, info = self.env.step(action)
        return observation, float(info.get("reason") in PAID_REASONS), terminated, truncated, info


class Blinded(gym.Wrapper[Any, Any, Any, Any]):
    """Sets what a policy must not see to 0 and takes macros away; lies over ``FlatObservation``.

    Args:
        env: A flat macro environment.
        blind: One of ``supermarket_env.train.layout.BLINDS``.
    """

    def __init__(self, env: AnyEnv, blind: str) -> None:
        super().__init__(env)
        arrays = index_arrays(blind)
        self._hidden, self._forbidden = arrays["hidden"], arrays["forbidden"]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._seen(observation), self._allowed(info)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play a turn."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._seen(observation), reward, terminated, truncated, self._allowed(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which macros it may choose now."""
        mask: NDArray[np.bool_] = self.env.get_wrapper_attr("action_masks")()
        mask[self._forbidden] = False
        return mask

    def _seen(self, observation: Any) -> Any:
        observation[self._hidden] = 0.0
        return observation

    def _allowed(self, info: dict[str, Any]) -> dict[str, Any]:
        info["action_mask"][self._forbidden] = 0
        return info


def make_env(config: TrainConfig, store: str, totals: Mapping[str, float] | None = None) -> AnyEnv:
    """Return one training environment; with ``totals`` (the teacher's rewards by task) a compared one."""
    env: AnyEnv = SupermarketEnv(store=store, suite="train", user=config.user, mode=config.mode, texts=False)
    compared = totals is not None and config.reward == "need_satisfaction"
    n = len(totals) if compared and totals is not None else config.tasks
    env = TaskPool(env, n=n, first=config.first_task, same_luck=compared)
    if compared and totals is not None:
        env = Compared(env, totals)
    if config.reward == "success":
        env = SuccessReward(env)
    env = FlatObservation(MacroActions(env, config=config.threshold_fields()))
    return env if config.blind == "none" else Blinded(env, config.blind)


def make_envs(config: TrainConfig, totals: Mapping[str, float] | None = None) -> SyncVectorEnv:
    """Return the training environments of a run as one vector environment; ``totals`` as in :func:`make_env`."""
    makers: list[Callable[[], AnyEnv]] = [
        partial(make_env, config, config.stores[k % len(config.stores)], totals) for k in range(config.n_envs)
    ]
    return SyncVectorEnv(makers, copy=True, autoreset_mode=AutoresetMode.SAME_STEP)
