"""The last turns of the dialogue as features, for policies without a memory of their own."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.envs.arguments import is_whole
from supermarket_env.errors import ConfigError
from supermarket_env.rules import codes
from supermarket_env.rules.observe import AT_DIALOGUE, AT_TRIP, DIALOGUE_FEATURES
from supermarket_env.wrappers.layer import AnyEnv, Info, Layer, Step, add_space, add_values, unit_box

_BLOCKS: Final = (
    1,
    len(codes.ASSISTANT_ACTS),
    codes.MAX_NEEDS,
    1,
    len(codes.ACTIONS),
    len(codes.GOAL_KINDS),
    DIALOGUE_FEATURES,
    len(codes.ACTIONS),
)
_AT: Final = tuple(sum(_BLOCKS[:k]) for k in range(len(_BLOCKS)))
TURN_FEATURES: Final = sum(_BLOCKS)
"""Numbers about one turn: it took place; own act, need, length of the list, suggested action, goal; the user's
response (the ``dialogue`` part of the observation) and physical action."""


class History(Layer):
    """Adds ``history``, (turns, TURN_FEATURES) in [0, 1]: the last turns, the latest first, zeros before the first.

    Args:
        env: ``Supermarket-v0``, wrapped or not.
        turns: How many turns, 1..100.

    Raises:
        ConfigError: ``turns`` is out of range, or the observation below is text.
    """

    over = {  # noqa: RUF012 - a class constant, as in Layer
        "TextJson": "its text holds the dialogue already, see TextJson(env, turns=...)",
    }

    def __init__(self, env: AnyEnv, *, turns: int = 4) -> None:
        super().__init__(env, turns=turns)
        if not is_whole(turns, 1, 100):
            raise ConfigError(f"turns must be in 1..100, got {turns!r}")
        self.turns = turns
        self._rows: NDArray[np.float32] = np.zeros((turns, TURN_FEATURES), dtype=np.float32)
        self.observation_space = add_space("History", env.observation_space, "history", unit_box(turns, TURN_FEATURES))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Info]:
        """Start an episode with an empty history."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._begun = True
        self._rows = np.zeros_like(self._rows)
        return add_values(observation, "history", self._rows.copy()), info

    def step(self, action: Any) -> Step:
        """Play a turn and put it in front; raises ``ResetNeeded`` before the first reset."""
        self._must_have_begun()
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._rows = np.concatenate((self._turn(observation)[None], self._rows[:-1]))
        return add_values(observation, "history", self._rows.copy()), reward, terminated, truncated, info

    def _turn(self, observation: Any) -> NDArray[np.float32]:
        row = np.zeros(TURN_FEATURES, dtype=np.float32)
        m = self.game.kernel.m
        row[0] = 1.0
        row[_AT[1] + m.act] = 1.0
        if m.need:
            row[_AT[2] + m.need - 1] = 1.0
        row[_AT[3]] = m.n_items / codes.MAX_ITEMS
        row[_AT[4] + m.sug_type] = 1.0
        row[_AT[5] + m.goal_kind] = 1.0
        # A flat row begins with the relational parts.
        said = observation["dialogue"] if isinstance(observation, dict) else observation[AT_DIALOGUE:AT_TRIP]
        row[_AT[6] : _AT[7]] = said
        row[_AT[7] + codes.ACTIONS.index(self.view.last_action[0])] = 1.0
        return row
