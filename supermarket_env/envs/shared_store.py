"""Several users with their assistants in one store: what both PettingZoo environments are made of.

Every pair plays a trip of its own by the rules of the single game. They share the shelves: what one user has put into
its cart, nobody else finds, and what it puts back or leaves behind is there again. Within a turn the pairs follow each
other by number, so that the last packet goes to the lowest number that reaches for it. What was sold out before the
trip belongs to each pair's own task.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from supermarket_env.envs.eye import AssistantEye
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.envs.population import population_of
from supermarket_env.envs.spaces import (
    ActionReader,
    Masks,
    action_space,
    observation_space,
)
from supermarket_env.envs.task_source import DRAWN_BELOW, TaskSource, luck, task_number
from supermarket_env.envs.two_seats import SeatGame, SeatKernel, moved_by
from supermarket_env.envs.user_spaces import UserAnswer, UserReader, user_action_space, user_observation_space
from supermarket_env.errors import ConfigError
from supermarket_env.tasks.suites import world_of

MAX_PAIRS = 16


class SharedStore:
    """The pairs of one store.

    Args:
        pairs: How many users with an assistant each, 1..16.
        store: Name of the layout.
        catalogue: Name of the catalogue.
        suite: Where tasks come from.
        track: ``semantic`` or ``text``.
        user: Fields of :class:`UserConfig`, for all users.
        max_turns: Turn limit of the game; None takes each task's own.
        mode: ``auto``, ``compiled`` or ``plain`` rules.
        texts: Whether words are made.
        train_tasks: Take training tasks from the first so many only; None: fresh ones without end.
        user_views: False leaves the users' observations blank, which saves their making where all users are scripted.

    Raises:
        ConfigError: ``pairs`` is out of range, or another argument is unknown.
    """

    def __init__(
        self,
        *,
        pairs: int = 1,
        store: str = "neighbourhood",
        catalogue: str = "embedded",
        suite: str = "dev",
        track: str = "semantic",
        user: Mapping[str, Any] | None = None,
        max_turns: int | None = None,
        mode: str = "auto",
        texts: bool = True,
        train_tasks: int | None = None,
        user_views: bool = True,
    ) -> None:
        if not 1 <= pairs <= MAX_PAIRS:
            raise ConfigError(f"pairs must be in 1..{MAX_PAIRS}, got {pairs}")
        self.world = world_of(catalogue, store)  # shared: tasks are then worked out once for all environments
        self.suite = suite
        self.source = TaskSource(self.world, suite, store, catalogue, train_tasks)
        population = population_of(user, track=track, suite=suite)
        self.games = [
            SeatGame(self.world, track=track, user=population, max_turns=max_turns, texts=texts, mode=mode)
            for _ in range(pairs)
        ]
        masks = Masks(self.world.app)
        self.eyes = [AssistantEye(game, masks) for game in self.games]
        self.reader = ActionReader(self.world, self.games[0].decoder.opening_value)
        self.users = UserReader(self.world)
        self.spaces: dict[str, tuple[spaces.Dict, spaces.Dict]] = {}
        """Observation and action space by agent."""
        for i in range(pairs):
            self.spaces[f"assistant_{i}"] = observation_space(self.world), action_space(self.world)
            self.spaces[f"user_{i}"] = user_observation_space(self.world), user_action_space(self.world)
        self._free = dict.fromkeys(self.spaces["user_0"][1].spaces)
        self._rng: np.random.Generator | None = None
        self._n_episode = 0
        every_action = np.ones(self.spaces["user_0"][1].spaces["action"].n, dtype=np.int8)  # type: ignore[attr-defined]
        self.masks: list[NDArray[np.int8]] = [every_action] * pairs
        self._blank: dict[str, Any] | None = None
        if not user_views:
            self._blank = {
                name: "" if name == "text" else np.zeros(space.shape or (), dtype=space.dtype)
                for name, space in self.spaces["user_0"][0].spaces.items()
            }
            self._blank["mask_action"] = every_action

    @property
    def agents(self) -> list[str]:
        """All agents in the order in which they act: assistant_0, user_0, assistant_1, ..."""
        return list(self.spaces)

    def reset(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Start a trip for every pair.

        Args:
            seed: Draws tasks and luck; None goes on drawing.
            options: ``tasks`` and ``seeds``: a task (or id) and an episode seed for each pair, None to draw it; for
                pair 0 alone also ``task`` and ``seed``. Others are ignored, as PettingZoo's own checks pass some.

        Raises:
            TaskError: an unknown task id.
            ConfigError: a list has not one entry a pair.
        """
        options = options or {}
        if seed is not None or self._rng is None:
            self._rng = seeding.np_random(seed)[0]
        tasks = self._each(options, "tasks", "task")
        seeds = self._each(options, "seeds", "seed")
        for game, eye, wanted, chosen in zip(self.games, self.eyes, tasks, seeds, strict=True):
            # One draw for both, whatever is asked for, so that options never shift what later resets draw.
            drawn = int(self._rng.integers(DRAWN_BELOW))
            task = self.source.pick(task_number(drawn)) if wanted is None else self.source.named(wanted)
            chosen = luck(drawn) if chosen is None else int(chosen)
            labels = EpisodeLabels.of(self.world, self.suite, task, game.user.name, self._n_episode, chosen)
            self._n_episode += 1
            game.reset(task, seed=chosen, labels=labels)
            eye.reset()

    def _each(self, options: Mapping[str, Any], many: str, one: str) -> list[Any]:
        found = list(options.get(many) or [None] * len(self.games))
        if len(found) != len(self.games):
            raise ConfigError(f"{many} must have {len(self.games)} entries, one a pair, got {len(found)}")
        if one in options:
            found[0] = options[one]
        return found

    def respond(self, i: int, answer: UserAnswer | None) -> None:
        """Play the turn of pair ``i`` with the message said and the user's answer (None: the scripted user's)."""
        game = self.games[i]
        game.respond(answer)
        self.eyes[i].follow()
        for p, dq in game.moved:
            for other in self.games:
                if other is not game and not other.done:
                    other.others_moved(p, dq)

    def reward(self, i: int) -> float:
        """Return the reward of the latest turn of pair ``i``, the same for both of its agents."""
        game = self.games[i]
        return 0.0 if game.reason == "assistant_error" else game.reward

    def user_observation(self, i: int) -> dict[str, Any]:
        """Return the observation of user ``i``, made of new arrays; its mask is ``masks[i]`` too."""
        if self._blank is not None:
            return {name: part.copy() if name != "text" else "" for name, part in self._blank.items()}
        observation = self.games[i].user_sees()
        self.masks[i] = observation["mask_action"]
        return observation

    def infos(self, i: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what ``info`` says to both agents of pair ``i``."""
        game = self.games[i]
        if game.done:
            return self.info(i, user=False), self.info(i, user=True)
        turn = game.turn
        return {"turn": turn}, {"turn": turn, "action_mask": {**self._free, "action": self.masks[i]}}

    def info(self, i: int, *, user: bool) -> dict[str, Any]:
        """Return the info of an agent; a user's has the mask that ``action_space.sample`` takes."""
        game = self.games[i]
        info: dict[str, Any] = {"turn": game.turn}
        if game.done:
            info["reason"] = game.reason
        elif user:
            info["action_mask"] = {**self._free, "action": self.masks[i]}
        return info

    def scripted_answers(self, messages: Mapping[int, Any]) -> dict[int, dict[str, Any]]:
        """Return what the scripted users will answer to these messages (by pair), as elements of the action space.

        Nothing moves: the turn is played on copies, pair after pair, so that what one takes the next one misses.
        """
        copies: dict[int, SeatKernel] = {}
        answers: dict[int, dict[str, Any]] = {}
        for i in messages:
            copies[i] = self.games[i].seats.copy()
        for i in sorted(messages):
            game, kernel = self.games[i], copies[i]
            answer = game.foresee(self.reader, messages[i], kernel)
            if answer is None:
                answers[i] = self.users.scripted()
                continue
            answers[i] = self.users.write(answer)
            kernel.finish(None)
            for p, dq in moved_by(kernel.o, game.bought):
                for j, other in copies.items():
                    if j != i:
                        other.shift(game.prepared.tables, p, dq)
        return answers

    def render(self) -> str:
        """Return the latest exchange of every pair as text."""
        return "\n\n".join(f"pair {i}\n{game.render()}" for i, game in enumerate(self.games))
