"""Macro actions: ``Discrete`` choices of whole messages with a mask of those that make sense."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from supermarket_env.agents.macros import MACROS, N_MACROS, N_MEMORY, MacroPlayer
from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.wrappers.layer import AnyEnv, Info, Layer, Step, add_space, add_values, unit_box

MASK_PLACES: Final = ("info", "observation")


def read_macros(actions: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return macro numbers as an array of integers.

    Args:
        actions: What came.
        shape: The shape it must have: () for one number, (n,) for one a row.

    Raises:
        ConfigError: another shape, no integers, or a number outside 0..N_MACROS-1.
    """
    what = f"{shape[0]} macro numbers" if shape else "one macro number"
    try:
        macros = np.asarray(actions)
    except ValueError:  # rows of different lengths make no array
        raise ConfigError(f"expected {what}, got {actions!r:.80}") from None
    if macros.shape != shape or macros.dtype.kind not in "iu":
        came = f"{macros.dtype} of shape {macros.shape}" if macros.dtype.kind in "iufb" else f"{actions!r:.80}"
        raise ConfigError(f"expected {what}, got {came}")
    if macros.min() < 0 or macros.max() >= N_MACROS:
        raise ConfigError(f"a macro is a number in 0..{N_MACROS - 1}, got {macros.min()}..{macros.max()}")
    return macros


class MacroActions(Layer):
    """Replaces the action space by ``Discrete(N_MACROS)``; names are in ``supermarket_env.agents.macros.MACROS``.

    Which macros make sense now is in ``info["action_mask"]`` and returned by :meth:`action_masks` (the name that
    sb3-contrib looks for); a macro that is masked out says nothing. The observation gets one more entry, ``memory``:
    what the macros remember of the dialogue (``N_MEMORY`` numbers in [0, 1]). All of it is a function of the
    assistant's view.

    Args:
        env: ``Supermarket-v0``, wrapped or not.
        mask: ``info`` or ``observation``: the latter adds the mask to the observation too, as ``action_mask``.
        list_length: Products in a list, 1..10; None takes that of ``config``.
        words: Whether messages carry text.
        config: Thresholds of the rule assistant for ranking and resting, a mapping of ``RuleConfig`` fields.

    Raises:
        ConfigError: an argument does not fit, or another wrapper that makes messages lies below.
    """

    over = {  # noqa: RUF012 - a class constant, as in Layer
        "CandidateRanking": "it makes the messages already",
        "TextJson": "it makes the messages already",
    }

    def __init__(
        self,
        env: AnyEnv,
        *,
        mask: str = "info",
        list_length: int | None = None,
        words: bool = False,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(env, mask=mask, list_length=list_length, words=words, config=config)
        if mask not in MASK_PLACES:
            raise ConfigError(unknown_name("place of the mask", mask, MASK_PLACES))
        self.player = MacroPlayer(list_length=list_length, words=words, config=config)
        self._in_observation = mask == "observation"
        self.action_space = spaces.Discrete(N_MACROS)
        space = add_space("MacroActions", env.observation_space, "memory", unit_box(N_MEMORY))
        if self._in_observation:
            space = add_space("MacroActions", space, "action_mask", spaces.MultiBinary(N_MACROS))
        self.observation_space = space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Info]:
        """Start an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._begun = True
        self.player.start(self.view)
        return self._seen(observation, info)

    def step(self, action: Any) -> Step:
        """Play a turn with the message of macro ``action``.

        Raises:
            ConfigError: ``action`` is outside the action space; nothing has happened then.
            ResetNeeded: never reset.
        """
        self._must_have_begun()
        macro = int(read_macros(action, ()))
        observation, reward, terminated, truncated, info = self.env.step(self.player.message(macro))
        observation, info = self._seen(observation, info)
        return observation, reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which macros make sense now, (N_MACROS,) of bool; number 0 always does."""
        return self.player.mask().astype(np.bool_)

    @property
    def macro_names(self) -> tuple[str, ...]:
        """Names of the actions."""
        return MACROS

    def _seen(self, observation: Any, info: Info) -> tuple[Any, Info]:
        self.player.look(self.view)
        mask = self.player.mask()
        observation = add_values(observation, "memory", self.player.features())
        if self._in_observation:
            observation = add_values(observation, "action_mask", mask)
        return observation, {**info, "action_mask": mask.copy()}
