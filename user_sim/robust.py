"""The user of the robust suites: noisy in most trips, adversarial in the others; the episode's seed says which."""

from __future__ import annotations

from typing import Final

from supermarket_env.envs.users import UserSeat, UserTurn
from supermarket_env.errors import ConfigError
from supermarket_env.user_sim.adversarial import Adversarial
from supermarket_env.user_sim.keyed import KeyedDraws
from supermarket_env.user_sim.noisy import Noisy

_MODEL: Final = 3
_WHO: Final = 0


class Robust:
    """A noisy or an adversarial user, drawn once a trip.

    Args:
        adversarial: Share of trips with the adversarial user, in [0, 1].

    Raises:
        ConfigError: the share is not in [0, 1].
    """

    name = "robust"
    version = "1"

    def __init__(self, *, adversarial: float = 0.25) -> None:
        if not 0.0 <= adversarial <= 1.0:
            raise ConfigError(f"robust user: adversarial must be a share in [0, 1], got {adversarial!r}")
        self.adversarial = adversarial
        self._noisy, self._hostile = Noisy(), Adversarial()
        self._chosen: Noisy | Adversarial = self._noisy

    def start(self, seat: UserSeat) -> None:
        """Begin an episode."""
        hostile = KeyedDraws(seat.seed, _MODEL).happens(self.adversarial, _WHO, 0)
        self._chosen = self._hostile if hostile else self._noisy
        self._chosen.start(seat)

    def respond(self, seat: UserSeat) -> UserTurn:
        """Return what the user of this trip says and does."""
        return self._chosen.respond(seat)

    def reword(self, seat: UserSeat, words: str) -> str:
        """Return the words as the user of this trip types them."""
        return self._chosen.reword(seat, words)
