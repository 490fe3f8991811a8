"""Macro actions over the native vector environment: ``FlatObservation(MacroActions(env))`` for many rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from supermarket_env.agents.macros import N_MACROS, N_MEMORY, MacroPlayer
from supermarket_env.dialogue.acts import SILENT
from supermarket_env.envs.arguments import is_whole
from supermarket_env.envs.vector_messages import MessageVectorEnv
from supermarket_env.envs.vector_reset import autoreset
from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.rules.observe import OBSERVATION_SIZE
from supermarket_env.wrappers.flat import PARTS
from supermarket_env.wrappers.layer import unit_box
from supermarket_env.wrappers.macro import MASK_PLACES, read_macros

Rows = NDArray[np.float32]
Bools = NDArray[np.bool_]
Info = dict[str, Any]


class MacroVectorEnv(VectorEnv[Rows, NDArray[Any], NDArray[Any]]):
    """N episodes behind ``Discrete`` macros, flat rows and masks, over the native vector environment.

    Observations, masks, rewards and ends are those of ``SyncVectorEnv`` over ``FlatObservation(MacroActions(env))`` to
    the last bit. The masks are in ``infos["action_mask"]``, (num_envs, 49) of 0 and 1, and returned by
    :meth:`action_masks`; a macro that is masked out says nothing.

    Args:
        num_envs: Number of episodes, >= 1.
        mask: ``info`` or ``observation``: the latter adds the mask to the end of the row too.
        list_length: Products in a list, 1..10; None takes that of ``config``.
        config: Thresholds of the rule assistant for ranking and resting, a mapping of ``RuleConfig`` fields.
        autoreset_mode: ``NEXT_STEP``, ``SAME_STEP`` (``infos`` has ``final_obs`` and ``final_info``) or ``DISABLED``
            (``reset(options={"reset_mask": ...})`` resets some).
        render_mode: None only.
        arguments: ``store``, ``catalogue``, ``suite``, ``user``, ``max_turns``, ``mode`` and ``train_tasks`` of
            ``SupermarketVectorEnv``.

    Raises:
        ConfigError: an argument does not fit.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        mask: str = "info",
        list_length: int | None = None,
        config: Mapping[str, Any] | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        if mask not in MASK_PLACES:
            raise ConfigError(unknown_name("place of the mask", mask, MASK_PLACES))
        if render_mode is not None:
            raise ConfigError(f"macros in batches are not rendered: render_mode must be None, got {render_mode!r}")
        if not is_whole(num_envs, 1):
            raise ConfigError(f"num_envs must be a whole number of at least 1, got {num_envs!r:.80}")
        self.num_envs = num_envs
        self.render_mode = None
        self.autoreset_mode = autoreset(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        # How a trip ended must be seen before the row starts anew, so the same step's resets are made here.
        inner = AutoresetMode.DISABLED if self.autoreset_mode == AutoresetMode.SAME_STEP else self.autoreset_mode
        self.envs = MessageVectorEnv(num_envs, autoreset_mode=inner, **arguments)
        self._players = [MacroPlayer(list_length=list_length, config=config) for _ in range(num_envs)]
        self._in_observation = mask == "observation"
        size = OBSERVATION_SIZE + N_MEMORY + (N_MACROS if self._in_observation else 0)
        self.single_observation_space = unit_box(size)
        self.single_action_space = spaces.Discrete(N_MACROS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._masks = np.zeros((num_envs, N_MACROS), dtype=np.int8)
        self._ended = np.zeros(num_envs, dtype=bool)
        self._started = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Rows, Info]:
        """Start episodes; ``seed`` and ``options`` are those of ``SupermarketVectorEnv.reset``.

        Rows that a ``reset_mask`` leaves out go on, and what is returned of them is their present row and mask.

        Raises:
            ConfigError, TaskError: as there.
        """
        observation, info = self.envs.reset(seed=seed, options=options)
        self._started = True
        started = info["_turn"]
        self._look(np.flatnonzero(started), started)
        self._ended &= ~started
        return self._rows(observation), {**info, **self._mask_info(started)}

    def step(self, actions: Any) -> tuple[Rows, NDArray[np.float64], Bools, Bools, Info]:
        """Play one turn of every episode with one macro each.

        Raises:
            ConfigError: ``actions`` is no element of the action space; nothing has happened then.
            ResetNeeded: never reset, or (``DISABLED``) an ended episode was not reset.
            ClosedEnvironmentError: after ``close``.
        """
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed: make a new one")
        macros = read_macros(actions, (self.num_envs,))
        over = self._ended
        if not self._started:
            raise ResetNeeded("the environments were never reset: reset them first")
        if self.autoreset_mode == AutoresetMode.DISABLED and over.any():
            rows = np.flatnonzero(over).tolist()
            raise ResetNeeded(f"environments {rows[:8]} have ended: reset them first (options={{'reset_mask': ...}})")
        messages = [
            SILENT if ended else player.message(macro)
            for player, macro, ended in zip(self._players, macros.tolist(), over.tolist(), strict=True)
        ]
        observation, rewards, terminations, truncations, info = self.envs.say(messages)
        everyone = np.ones(self.num_envs, dtype=bool)
        self._look(range(self.num_envs), over)
        x = self._rows(observation)
        self._ended = terminations | truncations
        if self._ended.any() and self.autoreset_mode == AutoresetMode.SAME_STEP:
            info = self._same_step(x, info)
        return x, rewards, terminations, truncations, {**info, **self._mask_info(everyone)}

    def action_masks(self) -> Bools:
        """Return which macros make sense now, (num_envs, N_MACROS) of bool; number 0 always does."""
        return self._masks.astype(np.bool_)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of every environment's generator, -1 where none was set yet."""
        return self.envs.np_random_seed

    def close_extras(self, **kwargs: Any) -> None:
        """Close the environment below."""
        if hasattr(self, "envs"):  # Gymnasium also closes what was never finished
            self.envs.close()

    # --- parts of a step --------------------------------------------------------------------------------------------

    def _look(self, rows: Any, started: Bools) -> None:
        """Let the players of some rows take in the turn; where an episode has started they forget the last one."""
        views = self.envs.views
        for k in rows:
            player = self._players[k]
            if started[k]:
                player.start(views[k])
            player.look(views[k])
            self._masks[k] = player.mask()

    def _rows(self, observation: dict[str, Any]) -> Rows:
        n = self.num_envs
        parts = [observation[name].reshape(n, -1) for name in PARTS]
        parts.append(np.stack([player.features() for player in self._players]))
        if self._in_observation:
            parts.append(self._masks.astype(np.float32))
        return np.concatenate(parts, axis=1)

    def _mask_info(self, given: Bools) -> Info:
        return {"action_mask": self._masks.copy(), "_action_mask": given.copy()}

    def _same_step(self, x: Rows, info: Info) -> Info:
        """Keep what was last seen of the ended episodes and put the first rows of the next ones in its place."""
        ended = self._ended.copy()
        reasons, turns = info.pop("reason"), info["turn"]
        info.pop("_reason")
        for k in np.flatnonzero(ended).tolist():
            final = {"turn": int(turns[k]), "reason": reasons[k], "action_mask": self._masks[k].copy()}
            info = self._add_info(info, {"final_obs": x[k].copy(), "final_info": final}, k)
        observation, started = self.envs.reset(options={"reset_mask": ended})
        self._look(np.flatnonzero(ended), ended)
        x[ended] = self._rows(observation)[ended]
        turns = turns.copy()
        turns[ended] = started["turn"][ended]
        self._ended = np.zeros(self.num_envs, dtype=bool)
        return {**info, "turn": turns}
