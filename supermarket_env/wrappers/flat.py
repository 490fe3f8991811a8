"""The relational observation as one flat row of numbers, for policies with a plain network."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from supermarket_env.errors import ConfigError
from supermarket_env.wrappers.layer import ORDER, AnyEnv, Info, Layer, Step, unit_box

PARTS: Final = ("needs", "candidates", "moves", "dialogue", "trip")
"""The relational parts, in the order of ``AssistantView.relational()``."""
ADDED: Final = ("history", "memory", "products", "list_due", "candidate_mask", "action_mask")
"""What wrappers below may have added, in this order."""


class FlatObservation(Layer):
    """Replaces the observation by a ``Box`` of [0, 1]: the relational parts, then what wrappers below added.

    Left out are the words and the masks of legal actions over nodes, sections and products, whose length depends on
    the store; so the row has the same length and meaning in every store.

    Raises:
        ConfigError: the observation below is text.
    """

    def __init__(self, env: AnyEnv) -> None:
        super().__init__(env)
        space = env.observation_space
        if not isinstance(space, spaces.Dict):
            raise ConfigError(
                f"FlatObservation needs the numeric observation, which is {space!r:.80} here; from the environment "
                f"outwards the order is {ORDER}, and TextJson takes no FlatObservation"
            )
        self.parts = tuple(name for name in (*PARTS, *ADDED) if name in space.spaces)
        sizes = [int(np.prod(space.spaces[name].shape or ())) for name in self.parts]
        self.observation_space = unit_box(sum(sizes))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[Any], Info]:
        """Start an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._begun = True
        return self.observation(observation), info

    def step(self, action: Any) -> Step:
        """Play a turn; raises ``ResetNeeded`` before the first reset."""
        self._must_have_begun()
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self.observation(observation), reward, terminated, truncated, info

    def observation(self, observation: dict[str, Any]) -> NDArray[np.float32]:
        """Return the flat row of an observation."""
        return np.concatenate([np.asarray(observation[name], np.float32).reshape(-1) for name in self.parts])
