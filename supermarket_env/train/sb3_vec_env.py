"""A Gymnasium vector environment as a Stable-Baselines3 ``VecEnv`` (extra ``rl``).

Stable-Baselines3 has a vector interface of its own and takes none of Gymnasium's. The adapter passes terminal
observations, infos and action masks on; the episodes themselves are the vector environment's affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from supermarket_env.errors import ConfigError, MissingExtraError

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError("Sb3VecEnv needs Stable-Baselines3: pip install 'supermarket_env[rl]'") from error

MASK = "action_mask"
"""Key of the action masks in the vector environment's infos."""
MASK_METHOD = "action_masks"
"""What sb3-contrib calls to get them."""


class Sb3VecEnv(VecEnv):  # type: ignore[misc, unused-ignore]
    """Adapts a ``gymnasium.vector.VectorEnv`` (native, Sync or Async) for Stable-Baselines3.

    * An episode that ends is followed by the first observation of the next one; the last observation is in
      ``infos[i]["terminal_observation"]``, and ``infos[i]["TimeLimit.truncated"]`` tells truncation from termination.
    * ``infos`` is a list of dicts, one an environment, made of the vector environment's batched infos.
    * ``env_method("action_masks")`` gives the masks of the latest observations, which the infos carry as
      ``action_mask``; so it costs nothing and works for environments in other processes.

    Args:
        envs: The vector environment. It must reset ended episodes in the same step (``AutoresetMode.SAME_STEP``) or
            not at all (``DISABLED``; the adapter then resets them by ``reset_mask``).

    Raises:
        ConfigError: It is no vector environment, or resets in the next step, which Stable-Baselines3 cannot follow.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        if not isinstance(envs, VectorEnv):
            raise ConfigError(f"Sb3VecEnv wraps a gymnasium.vector.VectorEnv, got {type(envs).__name__}")
        mode = envs.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        if mode not in (AutoresetMode.SAME_STEP, AutoresetMode.DISABLED):
            raise ConfigError(
                f"Sb3VecEnv needs a vector environment with autoreset_mode SAME_STEP or DISABLED, got {mode.value}; "
                "make it with vector_kwargs={'autoreset_mode': AutoresetMode.SAME_STEP}"
            )
        self.envs = envs
        self._resets = mode == AutoresetMode.DISABLED
        self._actions: Any = None
        self._masks: Any = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Any:
        """Start all episodes with the seeds of ``seed()``; returns the batched observations."""
        seeds: Any = None if all(seed is None for seed in self._seeds) else list(self._seeds)
        observations, infos = self.envs.reset(seed=seeds)
        self.reset_infos = [self._info_of(infos, i) for i in range(self.num_envs)]
        self._masks = infos.get(MASK)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: np.ndarray[Any, Any]) -> None:
        """Take the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Play the step; returns batched observations, rewards, dones and a list of infos."""
        observations, rewards, terminations, truncations, batched = self.envs.step(self._actions)
        dones = np.logical_or(terminations, truncations)
        infos = [self._info_of(batched, i) for i in range(self.num_envs)]
        masks = batched.get(MASK)
        if dones.any():
            ended: list[int] = np.flatnonzero(dones).tolist()
            if self._resets:
                last = {i: _copied(observations, i) for i in ended}
                observations, fresh = self.envs.reset(options={"reset_mask": dones})
                first_masks = fresh.get(MASK)
                if masks is not None and first_masks is not None:
                    masks = np.array(masks)
                    masks[dones] = np.stack([first_masks[i] for i in ended])
            else:
                last = {i: batched["final_obs"][i] for i in ended}
                for i in ended:
                    infos[i] = {**infos[i], **self._info_of(batched["final_info"], i)}
            for i in ended:
                infos[i].pop("final_obs", None)
                infos[i].pop("final_info", None)
                infos[i]["terminal_observation"] = last[i]
        for i in range(self.num_envs):
            infos[i]["TimeLimit.truncated"] = bool(truncations[i] and not terminations[i])
        self._masks = masks
        return observations, np.asarray(rewards, dtype=np.float32), dones, infos

    def action_masks(self) -> np.ndarray[Any, Any]:
        """Return the masks of the latest observations, (num_envs, n) of bool.

        Raises:
            ConfigError: The environments have none.
        """
        if self._masks is None:
            raise ConfigError(
                f"the environments' infos hold no {MASK!r}: wrap them in supermarket_env.wrappers.MacroActions"
            )
        return np.stack([np.asarray(mask, dtype=np.bool_) for mask in self._masks])

    def close(self) -> None:
        """Close the vector environment."""
        self.envs.close()

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the environments have an attribute; ``action_masks`` when their infos carry masks."""
        if attr_name == MASK_METHOD and self._masks is not None:
            return True
        try:
            self.get_attr(attr_name)
        except AttributeError:
            return False
        return True

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the environments (of the vector environment, repeated, when only that has it)."""
        chosen = list(self._get_indices(indices))
        get = getattr(self.envs, "get_attr", None)
        if get is None:
            return [getattr(self.envs, attr_name)] * len(chosen)
        values = get(attr_name)
        return [values[i] for i in chosen]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the environments.

        Raises:
            ConfigError: The vector environment is a native one, or not all environments are meant.
        """
        set_ = getattr(self.envs, "set_attr", None)
        chosen = list(self._get_indices(indices))
        if set_ is None or len(chosen) != self.num_envs:
            raise ConfigError("attributes can be set for all environments of a Sync or Async vector environment only")
        set_(attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of the environments; ``action_masks`` is answered from the latest infos."""
        chosen = list(self._get_indices(indices))
        if method_name == MASK_METHOD and self._masks is not None:
            masks = self.action_masks()
            return [masks[i] for i in chosen]
        call = getattr(self.envs, "call", None)
        if call is None:
            raise AttributeError(f"{type(self.envs).__name__} has no method {method_name!r} per environment")
        values = call(method_name, *method_args, **method_kwargs)
        return [values[i] for i in chosen]

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: Any = None) -> list[bool]:
        """Return whether each environment has a wrapper; False where the environments cannot be reached."""
        envs: Sequence[Any] = getattr(self.envs, "envs", [None] * self.num_envs)
        return [_is_wrapped(envs[i], wrapper_class) for i in self._get_indices(indices)]

    @staticmethod
    def _info_of(batched: dict[str, Any], i: int) -> dict[str, Any]:
        """Return the info of one environment; ``_key`` says which environments gave ``key``."""
        found = {}
        for key, values in batched.items():
            if key.startswith("_") or key in ("final_obs", "final_info"):
                continue
            given = batched.get(f"_{key}")
            if given is None or given[i]:
                found[key] = Sb3VecEnv._info_of(values, i) if isinstance(values, dict) else values[i]
        return found


def _is_wrapped(env: Any, wrapper_class: type[Any]) -> bool:
    while isinstance(env, gym.Wrapper):
        if isinstance(env, wrapper_class):
            return True
        env = env.env
    return False


def _copied(observations: Any, i: int) -> Any:
    """Return an independent copy of one environment's observation, before a reset overwrites it."""
    if isinstance(observations, dict):
        return {key: _copied(values, i) for key, values in observations.items()}
    return np.array(observations[i]) if isinstance(observations, np.ndarray) else observations[i]
