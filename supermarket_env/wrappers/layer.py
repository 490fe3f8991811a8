"""What all wrappers share: how they find the game below, which of them may follow which, and how features are added."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from supermarket_env.dialogue.view import AssistantView
from supermarket_env.envs.game import Game
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.errors import ConfigError

AnyEnv = gym.Env[Any, Any]
Info = dict[str, Any]
Step = tuple[Any, Any, bool, bool, Info]

ORDER: Final = "PotentialShaping, History, then one of MacroActions / CandidateRanking / TextJson, then FlatObservation"
"""From the environment outwards; leave out what is not needed. Other orders work where they mean something."""


class Layer(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """A wrapper of ``Supermarket-v0``.

    ``over`` names the wrappers that may not lie below it, with the reason and the right order.

    Raises:
        ConfigError: the environment below is not ``Supermarket-v0``, or a wrapper lies below that does not fit.
    """

    over: ClassVar[dict[str, str]] = {}

    def __init__(self, env: AnyEnv, **recorded: Any) -> None:
        gym.utils.RecordConstructorArgs.__init__(self, **recorded)
        gym.Wrapper.__init__(self, env)
        self._begun = False
        name = type(self).__name__
        if not isinstance(env.unwrapped, SupermarketEnv):
            raise ConfigError(f"{name} wraps Supermarket-v0 and wrappers of it, got {env.unwrapped!r:.200}")
        below = layers(env)
        for other in below:
            if other == name:
                raise ConfigError(f"{name} is already below; take one of the two away")
            if other in self.over:
                raise ConfigError(
                    f"{name} cannot lie over {other}: {self.over[other]}. The right order, from the environment "
                    f"outwards, is {ORDER}; here it is {' > '.join((*below, name))}"
                )

    def _must_have_begun(self) -> None:
        """Refuse a step before this wrapper's first reset, which one of the environment below does not stand for.

        Raises:
            ResetNeeded: never reset.
        """
        if not self._begun:
            raise ResetNeeded(f"{type(self).__name__} was never reset: call reset first")

    @property
    def game(self) -> Game:
        """The game of the environment below; for the assistant's side read ``view`` only."""
        return self.env.unwrapped.game  # type: ignore[attr-defined, no-any-return]

    @property
    def view(self) -> AssistantView:
        """What the assistant may know now."""
        return self.game.view


def layers(env: AnyEnv) -> tuple[str, ...]:
    """Return the names of this package's wrappers around the game, innermost first."""
    found = []
    while isinstance(env, gym.Wrapper):
        if isinstance(env, Layer):
            found.append(type(env).__name__)
        env = env.env
    return tuple(reversed(found))


def unit_box(*shape: int) -> spaces.Box:
    """Return the space of features in [0, 1] (float32)."""
    return spaces.Box(0.0, 1.0, shape, np.float32)


def add_space(layer: str, space: spaces.Space[Any], name: str, added: spaces.Space[Any]) -> spaces.Space[Any]:
    """Return ``space`` with one more entry: a key of a dict, or the end of a flat row.

    Raises:
        ConfigError: ``space`` can take no features (it is text).
    """
    if isinstance(space, spaces.Dict):
        return spaces.Dict({**space.spaces, name: added})
    if isinstance(space, spaces.Box) and len(space.shape) == 1:
        return unit_box(space.shape[0] + int(np.prod(added.shape or ())))
    raise ConfigError(f"{layer} adds numbers to the observation, which is {space!r:.80} here; take TextJson away")


def add_values(observation: Any, name: str, values: NDArray[Any]) -> Any:
    """Return an observation with the values of :func:`add_space`'s entry."""
    if isinstance(observation, dict):
        return {**observation, name: values}
    return np.concatenate((observation, values.reshape(-1).astype(np.float32, copy=False)))
