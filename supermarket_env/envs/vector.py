"""``Supermarket-v0`` for many episodes at once: a native Gymnasium vector environment over the same rule book."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from supermarket_env.envs.arguments import check_flag, check_names, is_whole
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.envs.population import population_of
from supermarket_env.envs.reward import cart_value
from supermarket_env.envs.spaces import ActionReader, action_space, observation_space
from supermarket_env.envs.task_source import DRAWN_BELOW, TaskSource, luck, task_number
from supermarket_env.envs.vector_actions import BatchReader, single
from supermarket_env.envs.vector_masks import MaskTable, Taken
from supermarket_env.envs.vector_reset import autoreset, read_reset
from supermarket_env.envs.vector_rows import CHUNK, Batch, RowKernel
from supermarket_env.envs.vector_sets import ObservationSet
from supermarket_env.envs.vector_trips import TripPool
from supermarket_env.errors import ConfigError
from supermarket_env.events.hooks import Hook, HookSet
from supermarket_env.rules import codes
from supermarket_env.tasks.state import seed_lanes
from supermarket_env.world import load_world

Observation = dict[str, Any]
Bools = NDArray[np.bool_]
DRAWN_AHEAD = 32
"""Numbers drawn at once from one environment's generator: the same ones as drawn one by one."""


REASONS = np.array(codes.ENDS, dtype=object)
PAID = np.isin(np.arange(len(codes.ENDS)), (codes.E_CHECKOUT, codes.E_PATIENCE_CHECKOUT))
"""Whether an end means that a cart was paid, by its code."""


class SupermarketVectorEnv(VectorEnv[Observation, dict[str, Any], NDArray[Any]]):
    """N independent episodes of ``Supermarket-v0``, stepped together; see :class:`SupermarketEnv` for the game.

    Observations, rewards, ends and ``info`` are those of N scalar environments to the last bit, and so are the log
    lines of recorded rows.

    Args:
        num_envs: Number of episodes, >= 1.
        store, catalogue, suite, track, user, max_turns, mode, texts, train_tasks: As for :class:`SupermarketEnv`.
            ``texts=False`` leaves the words in the observation empty; words are made one environment at a time and
            cost more than all the rest.
        autoreset_mode: ``NEXT_STEP`` (the step after an end resets), ``SAME_STEP`` (``info`` has ``final_obs`` and
            ``final_info``) or ``DISABLED`` (``reset(options={"reset_mask": ...})`` resets some).
        copy: False hands out two sets of arrays in turn instead of new ones: an observation then stays as it is until
            the step after the next one.
        record: Numbers of the environments whose episodes are played in full, with events and ``hooks``; ``games``
            holds them.
        hooks: Hooks of the recorded environments (a ``Recorder`` writes their log, ``StreamingMetrics`` adds up
            figures).

    Raises:
        ConfigError: an argument is out of range or unknown.
    """

    def __init__(
        self,
        num_envs: int = 1,
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
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        record: Iterable[int] = (),
        hooks: Iterable[Hook] = (),
        render_mode: str | None = None,
    ) -> None:
        if not is_whole(num_envs, 1):
            raise ConfigError(f"num_envs must be a whole number of at least 1, got {num_envs!r:.80}")
        check_flag("copy", copy)
        check_flag("texts", texts)
        check_names(store=store, catalogue=catalogue, suite=suite)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be 'ansi' or None, got {render_mode!r}")
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = autoreset(autoreset_mode)
        self.metadata = {"render_modes": ["ansi"], "render_fps": 1, "autoreset_mode": self.autoreset_mode}
        self.copy = copy
        self.world = load_world(catalogue, store)
        self.source = TaskSource(self.world, suite, store, catalogue, train_tasks)
        population = population_of(user, track=track, suite=suite)
        self.game = Game(self.world, track=track, user=population, max_turns=max_turns, texts=texts, mode=mode)
        """The game that the rows' games are copies of; it is never played itself."""
        self.single_action_space = action_space(self.world)
        self.single_observation_space = observation_space(self.world)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._trips = TripPool(self.source, self.game, num_envs)
        kernel = self.game.kernel
        self._batch = Batch(kernel.rules, kernel.tables, kernel.app_tables, num_envs)
        self._reader = BatchReader(self.world, self.single_action_space, self.game.decoder.opening_value, num_envs)
        self._single_reader = ActionReader(self.world, self.game.decoder.opening_value)
        table = MaskTable(self.world)
        self._sets = [ObservationSet(table, num_envs, self._batch) for _ in range(1 if copy else 2)]
        self._at_set = 0
        self._always = np.ones(num_envs, dtype=bool)
        self._no_words = ("",) * num_envs
        self.games: dict[int, Game] = self._row_games(record, hooks)
        self._fresh_rows()

    def _row_games(self, record: Iterable[int], hooks: Iterable[Hook]) -> dict[int, Game]:
        """Return the games of the rows that are played in full: the recorded ones, with words all of them."""
        named = list(record) if isinstance(record, Iterable) else [record]
        if not all(is_whole(k, 0, self.num_envs - 1) for k in named):
            raise ConfigError(f"recorded environments are numbers in 0..{self.num_envs - 1}, got {named!r:.200}")
        recorded = sorted({int(k) for k in named})
        watched = HookSet(hooks)
        if watched and not recorded:
            raise ConfigError("hooks watch recorded environments: name some with record=")
        self.recorded = tuple(recorded)
        games = {}
        for k in range(self.num_envs) if self.game.texts else recorded:
            game = games[k] = copy.copy(self.game)
            game.kernel = RowKernel(self._batch, k)
            game.hooks = watched if k in recorded else HookSet(())
        return games

    def _fresh_rows(self) -> None:
        n = self.num_envs
        self._generators: list[np.random.Generator | None] = [None] * n
        self._seeds = [-1] * n
        self._ahead = np.zeros((n, DRAWN_AHEAD), dtype=np.int64)
        self._used = np.full(n, DRAWN_AHEAD, dtype=np.int64)
        self._turn_reward = np.zeros(n)
        self._n_episode = np.zeros(n, dtype=np.int64)
        self._ended = np.ones(n, dtype=bool)
        self._started = False

    # --- the interface ----------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start episodes.

        Args:
            seed: A number (environment i is seeded with ``seed + i``), one a row (None leaves that row's luck going
                on), or None.
            options: ``task`` (an id or a Task, for all or a list with one a row), ``seed`` (luck of the episode, one
                or a list), ``reset_mask`` ((n,) bool: reset only these; True somewhere).

        Raises:
            ConfigError: a list of another length, an unknown option, a mask of another form, a seed that is none.
            TaskError: a task that is unknown or cannot be played here.
            ClosedEnvironmentError: after ``close``.

        Whatever is refused, no row and no generator has moved then.
        """
        n = self.num_envs
        self._must_be_open()
        pool, named = self._trips, self.source.named
        asked = read_reset(seed, options, n, lambda task: pool.of(named(task)), started=self._started)
        rows = asked.rows
        for k in rows.tolist():
            number = asked.seeds[k]
            if number is not None:
                self._generators[k], self._seeds[k] = seeding.np_random(number)
                self._used[k] = DRAWN_AHEAD
        self._start(rows, asked.trips, asked.lucks)
        self._started = True
        turn, reset = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
        reset[rows] = True
        return self._show(self._move(self._blank(), play=False)), {"turn": turn, "_turn": reset}

    def step(self, actions: dict[str, Any]) -> tuple[Observation, NDArray[np.float64], Bools, Bools, dict[str, Any]]:
        """Play one turn of every episode with a batch of messages.

        Raises:
            MessageError: ``actions`` is no element of the action space; nothing has happened then.
            ResetNeeded: never reset, or (``DISABLED``) an ended episode was not reset.
            ClosedEnvironmentError: after ``close``.
        """
        self._must_be_open()
        if not self._started or (self.autoreset_mode == AutoresetMode.DISABLED and self._ended.any()):
            rows = np.flatnonzero(self._ended).tolist()
            raise ResetNeeded(f"environments {rows[:8]} have ended: reset them first (options={{'reset_mask': ...}})")
        batch = self._batch
        texts = self._reader.texts(actions)
        given = self._reader.fill(actions, batch.messages, compiled=batch.rules.compiled)
        again, begun = self._ended.nonzero()[0], self._ended
        self._start(again, held=True)
        self._reader.look_up_goals(given, batch.messages, batch.state("node"))
        if self.games:  # what they read in the words belongs to the observation (text track)
            batch.play(0, self.num_envs)
            self._play_games(texts, given, ~begun)
        taken = self._blank()
        shown = self._move(taken, begun, play=not self.games)
        terminated = taken.terminated
        info: dict[str, Any] = {"turn": taken.turns, "_turn": self._always.copy()}
        ended = terminated.nonzero()[0]
        self._ended = terminated.copy()
        if len(ended):
            end = batch.state("end")[ended]
            self._reward_trips(ended, end, taken.rewards)
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                info = self._same_step(ended, end, info, shown)
            else:
                info["reason"] = _reasons(ended, end, self.num_envs)
                info["_reason"] = terminated.copy()
        return self._show(shown), taken.rewards, terminated, np.zeros(self.num_envs, dtype=bool), info

    def render(self) -> tuple[str, ...]:
        """Return the latest exchange of every recorded environment as text (``ansi``)."""
        return tuple(self.games[k].render() for k in self.recorded)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of every environment's generator, -1 where none was set yet."""
        return tuple(self._seeds)

    # --- parts of a step --------------------------------------------------------------------------------------------

    def _must_be_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed: make a new one")

    def _start(
        self, rows: NDArray[np.intp], trips: Sequence[Any] = (), lucks: Sequence[Any] = (), *, held: bool = False
    ) -> None:
        """Start the next episode of these rows; what the options ask for goes before what is drawn.

        With ``held`` they play no turn in this step.
        """
        if not len(rows):
            return
        drawn = self._draw(rows)
        numbers, seeds = task_number(drawn), luck(drawn)
        rules = self._batch.rules
        if any(trip is not None for trip in trips):
            wanted = zip(numbers.tolist(), [trips[k] for k in rows.tolist()], strict=True)
            pool = self._trips
            begun = pool.given(rows, [pool.drawn(number) if trip is None else trip for number, trip in wanted])
        else:
            begun = self._trips.draw(rows, numbers, listed=bool(self.games) or not rules.compiled)
        for j, k in enumerate(rows.tolist() if lucks else ()):
            if lucks[k] is not None:
                seeds[j] = lucks[k]
        lanes: Any = seed_lanes(seeds)
        reads_acts = 1 if self.game.track == "semantic" else 0
        self._batch.begin(rows, begun, lanes, reads_acts, codes.E_CHECKOUT if held else 0)
        self._turn_reward[rows] = begun.turn_rewards
        self._n_episode[rows] += 1
        if not held:
            self._ended[rows] = False
        for j, k in enumerate(rows.tolist() if self.games else ()):
            if k in self.games:
                task = begun.trips[j].task
                self.games[k].reset(task, seed=int(seeds[j]), labels=self._labels(k, task, int(seeds[j])))

    def _draw(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return one number of each row's own generator."""
        for k in rows[self._used[rows] == DRAWN_AHEAD].tolist():
            generator = self._generators[k]
            if generator is None:
                generator, self._seeds[k] = seeding.np_random()
                self._generators[k] = generator
            self._ahead[k] = generator.integers(DRAWN_BELOW, size=DRAWN_AHEAD)
            self._used[k] = 0
        drawn = self._ahead[rows, self._used[rows]]
        self._used[rows] += 1
        return drawn

    def _labels(self, k: int, task: Any, seed: int) -> EpisodeLabels:
        world, number = self.world, int(self._n_episode[k]) - 1
        return EpisodeLabels.of(world, self.source.suite, task, self.game.user.name, number, seed)

    def _play_games(self, texts: Sequence[str], given: dict[str, NDArray[np.int64]], running: Bools) -> None:
        """Let the games of the rows played in full take in the turn."""
        for k, game in self.games.items():
            if running[k]:
                game.step_row(self._single_reader.fill, single(given, texts[k], k), texts[k])

    def _reward_trips(self, ended: NDArray[np.intp], end: NDArray[np.int64], reward: NDArray[np.float64]) -> None:
        """Write the last reward of the rows that have paid; the others have that of any turn."""
        paid = ended[PAID[end]]
        if not len(paid):
            return
        batch, worth = self._batch, self._trips.worth
        left = worth.reward(batch.states, paid, self._turn_reward, reward, compiled=batch.rules.compiled)
        if not len(left):
            return
        for k, cart in zip(left.tolist(), batch.carts(left), strict=True):
            prepared = self._trips.prepared(k)
            assert prepared is not None
            value = cart_value(prepared)
            reward[k] = value.reward(cart)
            worth.fill(k, value)

    def _same_step(
        self, ended: NDArray[np.intp], end: NDArray[np.int64], info: dict[str, Any], shown: ObservationSet
    ) -> dict[str, Any]:
        """Keep the last observations and information of the ended rows and start their next episodes."""
        last = self._show(shown)
        turns = info["turn"]
        for k, reason in zip(ended.tolist(), end.tolist(), strict=True):
            final = {"turn": int(turns[k]), "reason": codes.ENDS[reason]}
            seen = {name: copy.copy(values[k]) for name, values in last.items()}
            info = self._add_info(info, {"final_obs": seen, "final_info": final}, k)
        self._start(ended)
        turns[ended] = 0
        spare = self._blank()
        for k in ended.tolist():
            shown.renew(self._other(shown), self._always, self._turn_reward, spare, k, 1)
        return info

    def _blank(self) -> Taken:
        """Return room for what a turn comes to."""
        n = self.num_envs
        return Taken(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool), np.zeros(n))

    def _other(self, shown: ObservationSet) -> ObservationSet:
        """Return the other set of arrays; without ``copy`` there are two."""
        return self._sets[-1] if shown is self._sets[0] else self._sets[0]

    def _move(self, taken: Taken, begun: Bools | None = None, *, play: bool) -> ObservationSet:
        """Play a turn of all rows (with ``play``) and observe them, some rows after the other.

        ``begun``: rows that have been started instead; None for a reset, which lets nothing go on.
        """
        self._at_set = (self._at_set + 1) % len(self._sets)
        shown = self._sets[self._at_set]
        other = self._other(shown)
        fresh = np.zeros(self.num_envs, dtype=bool) if begun is None else begun
        for start in range(0, self.num_envs, CHUNK):
            n = min(CHUNK, self.num_envs - start)
            if play:
                self._batch.play(start, n)
            shown.renew(other, fresh, self._turn_reward, taken, start, n)
        return shown

    def _show(self, shown: ObservationSet) -> Observation:
        """Return these arrays as an observation; with ``copy`` they are the caller's."""
        observation = shown.observation(copied=self.copy)
        if self.game.texts:
            observation["words"] = tuple(self.games[k].last_words for k in range(self.num_envs))
        else:
            observation["words"] = self._no_words
        return observation


def _reasons(ended: NDArray[np.intp], end: NDArray[np.int64], n: int) -> NDArray[Any]:
    """Return why episodes ended (n,), None where they did not."""
    reasons = np.empty(n, dtype=object)
    reasons[ended] = REASONS[end]
    return reasons
