"""``env`` and ``raw_env``: PettingZoo's agent-environment cycle, message and answer one after the other."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import OrderEnforcingWrapper

from supermarket_env.envs.seats import Seats


class SupermarketAECEnv(Seats, AECEnv[str, dict[str, Any], Any]):  # type: ignore[misc]
    """Assistants and users of one store, one acting after the other.

    The cycle is assistant_0, user_0, assistant_1, user_1, ...: an assistant says something, its user hears it, answers
    and acts, then the next pair is on. A user on move sees the message and, in ``info["action_mask"]`` and
    ``mask_action``, what it can do; ``scripted_answer`` is what the scripted user would answer.

    Spaces, rewards and ends are those of ``parallel_env``; rewards come when the user has acted.

    Args:
        max_cycles: Turns after which all are truncated; None for no limit but the game's own.
        render_mode: ``ansi`` or None.
        **options: Arguments of :class:`SharedStore`.

    Raises:
        ConfigError: an argument is out of range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo declares it so
        "name": "supermarket_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(self, *, max_cycles: int | None = None, render_mode: str | None = None, **options: Any) -> None:
        super().__init__()
        self.open_seats(max_cycles, render_mode, options)
        self._seats = {name: (k // 2, k % 2 == 1) for k, name in enumerate(self.possible_agents)}
        self._seen: dict[str, dict[str, Any]] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a trip for every pair; see ``SharedStore.reset`` for ``options``."""
        self.store.reset(seed, options)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {name: {"turn": 0} for name in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection: str | None = None
        self._seen = {}
        self.turn = 0

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees now."""
        found = self._seen.pop(agent, None)
        if found is not None:
            return found
        i, is_user = self._seats[agent]
        return self.store.user_observation(i) if is_user else self.store.eyes[i].observation()

    def step(self, action: Any) -> None:
        """Let the selected agent act; a dead one takes None.

        An assistant's action may also be an ``AssistantMessage``.

        Raises:
            MessageError: ``action`` is no element of the agent's space; nothing has happened then.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        i, is_user = self._seats[agent]
        if is_user:
            answer = self.store.users.read(action)
            self._seen = {}
            self._begin_step(agent)
            self.store.respond(i, answer)
            self._end_turn(i)
        else:
            self.store.games[i].say(self.store.reader, action)
            self._seen = {}
            self._begin_step(agent)
            self._hear(i)
        self._accumulate_rewards()
        self._deads_step_first()

    def _begin_step(self, agent: str) -> None:
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()

    def _hear(self, i: int) -> None:
        """Turn to the user of a pair, who hears the message."""
        user = f"user_{i}"
        self.store.games[i].hear()
        self._seen[user] = self.store.user_observation(i)
        self.infos[user] = self.store.info(i, user=True)
        self.agent_selection = user

    def _end_turn(self, i: int) -> None:
        """Give rewards, end what has ended and turn to the next assistant."""
        games = self.store.games
        reward, done = self.store.reward(i), games[i].done
        for name in (f"assistant_{i}", f"user_{i}"):
            self.rewards[name] = reward
            self.terminations[name] = done
            self.infos[name] = self.store.info(i, user=False)
        later = [j for j in range(i + 1, len(games)) if not games[j].done]
        if later:
            self.agent_selection = f"assistant_{later[0]}"
            return
        self.turn += 1
        if self.max_cycles is not None and self.turn >= self.max_cycles:
            for name in self.agents:
                self.truncations[name] = not self.terminations[name]
        live = [j for j, game in enumerate(games) if not game.done]
        self.agent_selection = f"assistant_{live[0]}" if live else self.agents[0]

    def scripted_answer(self) -> dict[str, Any]:
        """Return the action by which the scripted user would answer in the seat of the user on move.

        Raises:
            RuntimeError: no user is on move.
        """
        i, is_user = self._seats[self.agent_selection]
        if not is_user or self.agent_selection not in self.agents or self.store.games[i].done:
            raise RuntimeError(f"no user is on move: {self.agent_selection} is")
        answer = self.store.games[i].proposal()
        return self.store.users.scripted() if answer is None else self.store.users.write(answer)


def raw_env(**options: Any) -> SupermarketAECEnv:
    """Return the bare cycle; see :class:`SupermarketAECEnv`."""
    return SupermarketAECEnv(**options)


def env(**options: Any) -> OrderEnforcingWrapper[str, dict[str, Any], Any]:
    """Return the cycle with PettingZoo's check of the order of calls; the cycle itself checks the actions."""
    return OrderEnforcingWrapper(SupermarketAECEnv(**options))
