"""Potential-based reward shaping for training: earlier reward, the same best policies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from supermarket_env.envs.game import Game
from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.wrappers.layer import AnyEnv, Info, Layer, Step

Potential = Callable[[Game], float]


def cart_satisfaction(game: Game) -> float:
    """Return the need satisfaction that paying now would bring (0..1); hidden truth, like the reward itself."""
    return game.need_satisfaction()


def heard_needs_closed(game: Game) -> float:
    """Return the share of the needs mentioned so far that are closed (0..1); 0 without any."""
    heard = game.view.heard
    return sum(need.closed for need in heard) / len(heard) if heard else 0.0


POTENTIALS: Final[Mapping[str, Potential]] = {
    "cart_satisfaction": cart_satisfaction,
    "heard_needs_closed": heard_needs_closed,
}


class PotentialShaping(Layer):
    """Adds ``discount * potential(next state) - potential(state)`` to every reward.

    The potential is 0 at every end, so the discounted sum of what is added over an episode is minus the potential of
    the first state whatever the policy does: no policy gains on another by it (Ng, Harada and Russell, 1999). It is
    for training alone: only the suite ``train`` can be shaped. The potential shows in the reward and nowhere else.

    Args:
        env: ``Supermarket-v0`` with ``suite="train"``, wrapped or not.
        discount: The learner's own discount, in (0, 1]; with another one the policies are not the same any more.
        potential: A name of ``POTENTIALS`` or a function of the game that returns a finite number.

    Raises:
        ConfigError: an argument does not fit, or the suite is not ``train``.
    """

    def __init__(
        self, env: AnyEnv, *, discount: float = 0.99, potential: str | Potential = "cart_satisfaction"
    ) -> None:
        super().__init__(env, discount=discount, potential=potential)
        suite = env.unwrapped.suite_name  # type: ignore[attr-defined]
        if suite != "train":
            raise ConfigError(
                f"PotentialShaping is for training, where the figures are not compared: make the environment with "
                f"suite='train', got suite={suite!r}"
            )
        if not 0.0 < discount <= 1.0:
            raise ConfigError(f"discount must be in (0, 1], got {discount!r}")
        if isinstance(potential, str):
            if potential not in POTENTIALS:
                raise ConfigError(unknown_name("potential", potential, POTENTIALS))
            potential = POTENTIALS[potential]
        self.discount = discount
        self.potential = potential
        self._here = 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Info]:
        """Start an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._begun = True
        self._here = self._potential()
        return observation, info

    def step(self, action: Any) -> Step:
        """Play a turn; the reward is the shaped one.

        Raises:
            ConfigError: the potential is not finite.
            ResetNeeded: never reset.
        """
        self._must_have_begun()
        observation, reward, terminated, truncated, info = self.env.step(action)
        there = 0.0 if terminated or truncated else self._potential()
        shaped = float(reward) + self.discount * there - self._here
        self._here = there
        return observation, shaped, terminated, truncated, info

    def _potential(self) -> float:
        value = float(self.potential(self.game))
        if not math.isfinite(value):
            raise ConfigError(f"the potential {self.potential!r:.80} must be finite, got {value!r}")
        return value
