"""``Supermarket-v0``: the assistant's seat as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium as gym

from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.envs.arguments import check_flag, check_names, episode_seed, reset_options
from supermarket_env.envs.eye import AssistantEye
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.envs.population import population_of
from supermarket_env.envs.spaces import ActionReader, Masks, action_space, observation_space
from supermarket_env.envs.task_source import DRAWN_BELOW, TaskSource, luck, task_number
from supermarket_env.errors import ConfigError, MessageError
from supermarket_env.events.hooks import Hook
from supermarket_env.tasks.prepare import prepare
from supermarket_env.tasks.suites import world_of
from supermarket_env.tasks.task import Task

Observation = dict[str, Any]
Action = dict[str, Any]


class SupermarketEnv(gym.Env[Observation, Action]):
    """A shopping assistant helps a simulated user through a supermarket, one message a turn.

    ## Description
    The user walks a store graph, says what it needs, looks at shelves, fills a cart and checks out or walks out. The
    assistant may, each turn, perform one dialogue act, show a ranked list of at most ten products, suggest the user's
    next action and name one goal. It cannot act in the store and cannot end the episode.

    ## Action Space
    ``Dict``: ``act``, ``need``, ``attribute``, ``products`` (3), ``items`` (10), ``suggest_type``, ``suggest_arg``,
    ``goal_kind``, ``goal_id``, ``text``. Product entries are number + 1 with 0 for none. Every element is a usable
    message; the all-zero one says nothing. See ``supermarket_env.envs.spaces.action_space``.

    ## Observation Space
    ``Dict``: relational features in [0, 1] (``needs``, ``candidates``, ``moves``, ``dialogue``, ``trip``), masks of
    legal actions and the user's ``words``. What it says about needs is a function of the dialogue alone; it holds no
    product, node, task or seed number. On the text track the needs come from the rule parser's reading of the words.

    ## Starting State
    The user stands at the entrance and has said its opening line. ``reset(seed=...)`` draws task and luck from that
    seed; ``options={"task": id or Task, "seed": episode seed}`` fixes them.

    ## Rewards
    Need satisfaction (the value of the paid cart as a share of the best possible one, 0..1) when the user pays, minus
    0.1 / optimal turns for every turn. The parts are in the log, never in ``info`` or the observation.

    ## Episode End
    ``terminated`` when the user pays or leaves, or at the task's turn limit (which belongs to the game). ``truncated``
    is always False.

    ## Information
    ``turn`` and, at the end, ``reason``. The log of the finished episode is ``env.unwrapped.game.episode()``.

    ## Arguments
    ``store``, ``catalogue``, ``suite`` (``dev``, ``test`` or ``train``), ``track`` (``semantic`` or ``text``),
    ``user`` (a mapping of :class:`UserConfig` fields), ``max_turns``, ``mode`` (``auto``, ``compiled``, ``plain``),
    ``texts`` (False leaves out the words), ``train_tasks`` (take training tasks from the first so many only),
    ``render_mode`` (``ansi``).

    ## Version History
    * v0: first version; its suites and its user are frozen as v1.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium declares it so
        "render_modes": ["ansi"],
        "render_fps": 1,
    }

    def __init__(
        self,
        *,
        store: str = "neighbourhood",
        catalogue: str = "embedded",
        suite: str = "dev",
        track: str = "semantic",
        user: Mapping[str, Any] | None = None,
        max_turns: int | None = None,
        mode: str = "auto",
        texts: bool = True,
        train_tasks: int | None = None,
        hooks: Iterable[Hook] = (),
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ConfigError(
                f"render_mode must be one of {self.metadata['render_modes']} or None, got {render_mode!r}"
            )
        check_flag("texts", texts)
        check_names(store=store, catalogue=catalogue, suite=suite)
        self.render_mode = render_mode
        self.world = world_of(catalogue, store)  # shared: tasks are then worked out once for all environments
        self.suite_name = suite
        self.source = TaskSource(self.world, suite, store, catalogue, train_tasks)
        self.tasks: tuple[Task, ...] = self.source.tasks
        self.game = Game(
            self.world,
            track=track,
            user=population_of(user, track=track, suite=suite),
            max_turns=max_turns,
            hooks=hooks,
            texts=texts,
            mode=mode,
        )
        self.action_space = action_space(self.world)
        self.observation_space = observation_space(self.world)
        self._reader = ActionReader(self.world, self.game.decoder.opening_value)
        self._eye = AssistantEye(self.game, Masks(self.world.app))
        self._n_episode = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode; see the class docstring for ``seed`` and ``options``.

        Raises:
            ConfigError: an unknown option, an episode seed that is none.
            TaskError: a task that is unknown or cannot be played here.

        Whatever is refused, neither the episode nor the generator has moved then.
        """
        given = reset_options(options, ("seed", "task"))
        named = None if given["task"] is None else self.source.named(given["task"])
        if named is not None:
            prepare(self.world, named, self.game.user)
        chosen = None if given["seed"] is None else episode_seed(given["seed"])
        super().reset(seed=seed)
        # One draw for both, whatever is asked for, so that options never shift what later resets draw.
        drawn = int(self.np_random.integers(DRAWN_BELOW))
        task = self.source.pick(task_number(drawn)) if named is None else named
        chosen = luck(drawn) if chosen is None else chosen
        labels = EpisodeLabels.of(self.world, self.suite_name, task, self.game.user.name, self._n_episode, chosen)
        self._n_episode += 1
        self.game.reset(task, seed=chosen, labels=labels)
        self._eye.reset()
        return self._eye.observation(), {"turn": 0}

    def step(
        self, action: Action | AssistantMessage | MessageError
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one turn with a message of the action space.

        Wrappers may pass an ``AssistantMessage`` in its place, or a ``MessageError`` for a message that failed, which
        is played as a faulty empty one.

        Raises:
            MessageError: ``action`` is no element of the action space; nothing has happened then.
        """
        game = self.game
        if type(action) is not dict and isinstance(action, AssistantMessage | MessageError):
            game.step(action)
        else:
            text = action.get("text", "") if isinstance(action, dict) else ""
            if not isinstance(text, str):
                raise MessageError(f"'text' of the action must be a string, got {text!r:.80}")
            game.step_row(self._reader.fill, action, text)
        self._eye.follow()
        info: dict[str, Any] = {"turn": game.turn}
        if game.done:
            info["reason"] = game.reason
        reward = 0.0 if game.reason == "assistant_error" else game.reward  # that turn was not played
        return self._eye.observation(), reward, game.done, False, info

    def render(self) -> str:
        """Return the latest exchange as text (``ansi``)."""
        return self.game.render()
