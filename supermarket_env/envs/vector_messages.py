"""The native vector environment with a seat at every row: views to decide by, whole messages to say.

Learners act on arrays; assistants, and wrappers that make messages, read a view and say an ``AssistantMessage``.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.envs.game import Game
from supermarket_env.envs.seat import GameView
from supermarket_env.envs.vector import SupermarketVectorEnv
from supermarket_env.envs.vector_actions import WIDTHS, Ints
from supermarket_env.envs.vector_reset import autoreset
from supermarket_env.envs.vector_rows import Batch, RowKernel
from supermarket_env.errors import ConfigError, MessageError
from supermarket_env.rules.draws import P_AGENT, lane
from supermarket_env.rules.rows import to_record

MESSAGES = "messages"
"""Key under which ``say`` hands its messages to ``step``."""


class Onlooker:
    """One row of a batch as the assistant sees it; it moves nothing and writes no log.

    Args:
        game: The game that the rows' games are copies of.
        batch: The rows.
        row: Which one.
    """

    def __init__(self, game: Game, batch: Batch, row: int) -> None:
        self.game = copy.copy(game)
        self.kernel = RowKernel(batch, row)
        self.game.kernel = self.kernel

    @property
    def view(self) -> GameView:
        """What the assistant may know now."""
        return self.game.view

    def begin(self) -> None:
        """Take in the start of an episode."""
        game, kernel = self.game, self.kernel
        kernel.play()
        game.agent_seed = lane(kernel.s.seed_lo, P_AGENT, 0, 0)
        game.turn_limit = kernel.s.max_turns
        game.turn = 0
        game.last_action = ("", "")
        game.shown_response = game.narrator.response(kernel.o)
        game.view = GameView(game)
        game.view.refresh(1, game.turn_limit)

    def follow(self) -> None:
        """Take in a turn that the batch has played."""
        game, kernel = self.game, self.kernel
        kernel.play()
        game.turn += 1
        o = kernel.o
        game.last_action = game.narrator.action_pair(o.action, o.arg)
        game.shown_response = game.narrator.response(o)
        game.view.refresh(game.turn + 1, 0 if kernel.end else game.turn_limit - game.turn)

    def write(self, message: AssistantMessage, row: Any) -> None:
        """Write a message into this row's place of the batch.

        Raises:
            MessageError: it names something that does not exist.
        """
        m = self.kernel.m if self.kernel.rules.compiled else row
        decoded = self.game.decoder.decode(message, m)
        if decoded.fault:
            raise MessageError(f"a message of a vector environment must be sound: {decoded.detail}")
        self.game._complete(m)
        if m is not row:
            to_record(m, row)


class _MessageReader:
    """Stands in for the reader of batched actions: fills the rows from whole messages."""

    def __init__(self, seats: Sequence[Onlooker]) -> None:
        self.seats = seats

    def fill(self, actions: Any, rows: Any, *, compiled: bool) -> dict[str, Ints]:
        """Write one message a row; the columns it returns say that there is nothing more to look up."""
        for seat, message, row in zip(self.seats, actions[MESSAGES], rows, strict=True):
            seat.write(message, row)
        return {name: np.zeros(len(self.seats), dtype=np.int64) for name in WIDTHS}

    def texts(self, actions: Any) -> Sequence[str]:
        """No texts: whole messages are said without words here."""
        return ()

    def look_up_goals(self, given: dict[str, Ints], rows: Any, nodes: Ints) -> None:
        """The app has looked up goals when the messages were written."""


class MessageVectorEnv(SupermarketVectorEnv):
    """``SupermarketVectorEnv`` for assistants: ``views[k]`` is what that of environment k may know, ``say`` answers.

    Without words and logs: the semantic track only. Arguments are those of :class:`SupermarketVectorEnv` but for
    ``texts``, ``record`` and ``hooks``; ``autoreset_mode`` may not be ``SAME_STEP``, which would hide how a trip ended.

    Raises:
        ConfigError: an argument does not fit.
    """

    def __init__(self, num_envs: int = 1, **arguments: Any) -> None:
        if arguments.get("track", "semantic") != "semantic":
            raise ConfigError("messages in batches are for track='semantic'; on the text track use Sync environments")
        if autoreset(arguments.get("autoreset_mode", AutoresetMode.NEXT_STEP)) == AutoresetMode.SAME_STEP:
            raise ConfigError("a reset in the same step hides how a trip ended: use NEXT_STEP or DISABLED")
        super().__init__(num_envs, texts=False, **arguments)
        self._seats = [Onlooker(self.game, self._batch, k) for k in range(num_envs)]
        self._reader: Any = _MessageReader(self._seats)
        self._begun = np.zeros(num_envs, dtype=bool)

    @property
    def views(self) -> list[GameView]:
        """The views, one a row; each is good until the next step."""
        return [seat.view for seat in self._seats]

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start episodes, see :meth:`SupermarketVectorEnv.reset`."""
        found = super().reset(seed=seed, options=options)
        for k in np.flatnonzero(self._begun).tolist():
            self._seats[k].begin()
        self._begun[:] = False
        return found

    def say(self, messages: Sequence[AssistantMessage]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one turn of every episode with one message each; returns what ``step`` does.

        Rows that begin an episode with this step (``NEXT_STEP``) leave their message unheard.

        Raises:
            MessageError: not one message a row, or one that names something unknown; no row has moved then.
            ResetNeeded: see :meth:`SupermarketVectorEnv.step`.
        """
        if len(messages) != self.num_envs:
            raise MessageError(f"expected one message for each of {self.num_envs} environments, got {len(messages)}")
        found = self.step({MESSAGES: messages})
        for seat, begun in zip(self._seats, self._begun.tolist(), strict=True):
            if begun:
                seat.begin()
            else:
                seat.follow()
        self._begun[:] = False
        return found

    def _start(
        self, rows: NDArray[np.intp], trips: Sequence[Any] = (), lucks: Sequence[Any] = (), *, held: bool = False
    ) -> None:
        super()._start(rows, trips, lucks, held=held)
        if hasattr(self, "_begun"):
            self._begun[rows] = True
