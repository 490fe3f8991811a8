"""``parallel_env``: PettingZoo's parallel API, one step a turn of every pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo import ParallelEnv

from supermarket_env.envs.seats import Seats


class SupermarketParallelEnv(Seats, ParallelEnv[str, dict[str, Any], Any]):  # type: ignore[misc]
    """Assistants and users of one store, all acting at once.

    A step plays one turn of every pair that is still shopping, in the order of their numbers. Acting at once means that
    a user's answer is chosen before it hears this turn's message: what it sees is the message of the turn before. With
    ``scripted`` 1 in its action the scripted user answers, which does hear it; ``scripted_answers`` tells beforehand
    what that will be. Where users must hear before they answer, use ``env``.

    An assistant's spaces are those of ``Supermarket-v0``, a user's ``user_action_space`` and
    ``user_observation_space``. Both agents of a pair get the same reward, and end together: ``terminated`` when the
    trip ends, ``truncated`` after ``max_cycles`` turns.

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
        "is_parallelizable": True,
    }

    def __init__(self, *, max_cycles: int | None = None, render_mode: str | None = None, **options: Any) -> None:
        self.open_seats(max_cycles, render_mode, options)
        self._pairs = [(i, f"assistant_{i}", f"user_{i}", game) for i, game in enumerate(self.store.games)]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Start a trip for every pair; see ``SharedStore.reset`` for ``options``."""
        self.store.reset(seed, options)
        self.agents = list(self.possible_agents)
        self.turn = 0
        seen: dict[str, dict[str, Any]] = {}
        infos: dict[str, dict[str, Any]] = {}
        for i, assistant, user, _ in self._pairs:
            self._show(i, assistant, user, seen, infos)
        return seen, infos

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, dict[str, Any]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play one turn of every pair; ``actions`` has an entry for every agent.

        An assistant's may also be an ``AssistantMessage``.

        Raises:
            KeyError: a live agent has no action.
            MessageError: an action is no element of its space; nothing has happened then.
        """
        store = self.store
        if not self.agents:
            return {}, {}, {}, {}, {}
        live = [pair for pair in self._pairs if not pair[3].done]
        try:
            answers = [store.users.read(actions[user]) for _, _, user, _ in live]
            for _, assistant, _, game in live:
                game.say(store.reader, actions[assistant])
        except KeyError as error:
            raise KeyError(f"no action for {error}; every live agent acts: {', '.join(self.agents)}") from None
        for pair, answer in zip(live, answers, strict=True):
            store.respond(pair[0], answer)
        self.turn += 1
        ended = truncated = self.max_cycles is not None and self.turn >= self.max_cycles
        seen: dict[str, dict[str, Any]] = {}
        rewards: dict[str, float] = {}
        terminations: dict[str, bool] = {}
        truncations: dict[str, bool] = {}
        infos: dict[str, dict[str, Any]] = {}
        for i, assistant, user, game in live:
            done = game.done
            ended |= done
            rewards[assistant] = rewards[user] = store.reward(i)
            terminations[assistant] = terminations[user] = done
            truncations[assistant] = truncations[user] = truncated and not done
            self._show(i, assistant, user, seen, infos)
        if ended:
            self.agents = [] if truncated else [name for name in self.agents if not terminations[name]]
        return seen, rewards, terminations, truncations, infos

    def _show(self, i: int, assistant: str, user: str, seen: dict[str, Any], infos: dict[str, Any]) -> None:
        """Note the observations and infos of both agents of a pair."""
        store = self.store
        seen[assistant] = store.eyes[i].observation()
        seen[user] = store.user_observation(i)
        infos[assistant], infos[user] = store.infos(i)

    def scripted_answers(self, actions: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the actions by which the scripted users will answer these assistants' messages in this turn.

        ``env.step({**messages, **env.scripted_answers(messages)})`` plays what ``Supermarket-v0`` plays.
        """
        messages = {
            i: actions[f"assistant_{i}"] for i in range(len(self.store.games)) if f"assistant_{i}" in self.agents
        }
        return {f"user_{i}": answer for i, answer in self.store.scripted_answers(messages).items()}


def parallel_env(**options: Any) -> SupermarketParallelEnv:
    """Return the parallel environment; see :class:`SupermarketParallelEnv`."""
    return SupermarketParallelEnv(**options)
