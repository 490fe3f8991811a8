"""Conformance checks for what you plug in: an assistant, a user population, a metric, a scorer.

    from supermarket_env.testing import check_assistant
    check_assistant(MyAssistant)

Each check returns nothing when all is well and raises ``AssertionError`` with what was expected and what came. They
play a few short trips in the smallest store and take a few seconds.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from supermarket_env.agents.registry import make_agent
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.envs.game import TRACKS, Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import finish_episode
from supermarket_env.run.seeding import episode_seed
from supermarket_env.scorers import Scorer, ScoreSheet
from supermarket_env.scorers.registry import label_of
from supermarket_env.scorers.sheets import line_of
from supermarket_env.tasks.suites import load_suite
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.user_sim.persona import TRAIT_TABLE
from supermarket_env.world import load_world

STORE = "corner"
Factory = Callable[[], Any]
Metric = Callable[[Sequence[Episode]], Any]


def check_assistant(factory: Factory, *, store: str = STORE, trips: int = 3) -> None:
    """Check that an assistant keeps to the interface of ``supermarket_env.dialogue.view.Assistant``.

    On both tracks it must return messages without a single fault, start afresh with every episode (an instance that has
    served others says the same as a new one), and say the same again in the same episode.

    Args:
        factory: Makes an assistant without arguments; usually the class.
        store: Name of the store the trips take place in.
        trips: Number of dev tasks played, at least 2.

    Raises:
        AssertionError: naming the first thing that does not hold, with track, task and turn.
    """
    if trips < 2:
        raise ValueError(f"at least 2 trips are needed to see a fresh start, got {trips}")
    first = factory()
    for part in ("start", "reply"):
        if not callable(getattr(first, part, None)):
            raise AssertionError(f"an assistant needs a method {part}(view); {first!r} has none")
    name = getattr(first, "name", None)
    if not isinstance(name, str) or not name:
        raise AssertionError(f"an assistant needs a name that is not empty, got {name!r}")
    tasks = load_suite("dev", store=store, n=trips).tasks
    for track in TRACKS:
        game = Game(load_world("embedded", store), track=track)
        used = factory()
        lines = [_play(game, used, task, name) for task in tasks]
        again = _play(game, used, tasks[0], name)
        if again != lines[0]:
            raise AssertionError(
                f"{name}, track {track}: the same episode went another way the second time; start(view) must forget "
                f"everything of earlier episodes. {_difference(lines[0], again)}"
            )
        fresh = _play(game, factory(), tasks[-1], name)
        if fresh != lines[-1]:
            raise AssertionError(
                f"{name}, track {track}: a new assistant says something else than one that has served before; draw "
                f"random numbers from view.agent_seed only. {_difference(lines[-1], fresh)}"
            )


def _play(game: Game, assistant: Any, task: Task, name: str) -> bytes:
    """Play one task and return its log line; the first fault or exception is the finding."""
    labels = EpisodeLabels(agent=name, task_id=task.id, stratum=task.stratum)
    view = game.reset(task, seed=episode_seed(0, task.id, 0), labels=labels)
    where = f"{name}, track {game.track}, task {task.id}"
    try:
        assistant.start(view)
        while not game.done:
            message = assistant.reply(view)
            if not isinstance(message, AssistantMessage | Mapping | str):
                raise AssertionError(
                    f"{where}, turn {view.turn}: expected an AssistantMessage, a mapping of its fields or text, "
                    f"got {message!r:.200}"
                )
            view = game.step(message)
            fault = next((event for event in reversed(game.events) if event["k"] == "fault"), None)
            if fault is not None:
                raise AssertionError(f"{where}, turn {game.turn}: fault {fault['kind']}: {fault['detail']}")
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{where}, turn {game.turn + 1}: {type(error).__name__}: {error}") from error
    return game.line()


def _difference(one: bytes, two: bytes) -> str:
    """Return where two log lines part, in words."""
    first, second = json.loads(one)["events"], json.loads(two)["events"]
    for a, b in zip(first, second, strict=False):
        if a != b:
            return f"First difference: {json.dumps(a):.200} against {json.dumps(b):.200}"
    return f"One has {len(first)} events, the other {len(second)}"


def check_user_config(config: UserConfig | Mapping[str, Any], *, store: str = STORE, trips: int = 4) -> None:
    """Check that a user population can be played: it validates, its trips end, and equal seeds give equal bytes.

    Args:
        config: A configuration or a mapping of its fields.
        store: Name of the store.
        trips: Number of dev tasks played with a silent and a searching assistant.

    Raises:
        AssertionError: A trait is out of its range, a trip does not end by itself, cannot be logged, or differs the
            second time.
        pydantic.ValidationError: A field or value does not fit.
    """
    user = config if isinstance(config, UserConfig) else UserConfig.model_validate(dict(config))
    if UserConfig.model_validate(user.model_dump()) != user:
        raise AssertionError("a configuration must survive being written and read")
    for trait in TRAIT_TABLE:
        value = user.traits.get(trait.name, trait.minimum)
        if not trait.minimum <= value <= trait.maximum:
            raise AssertionError(f"trait {trait.name!r} must be in [{trait.minimum}, {trait.maximum}], got {value!r}")
    tasks = load_suite("dev", store=store, n=trips).tasks
    world = load_world("embedded", store)
    for name in ("silent", "retrieval"):
        for task in tasks:
            lines = []
            for _ in range(2):
                game = Game(world, user=user)
                lines.append(_play(game, make_agent(name), task, name))
                finish_episode(game.episode())
                if game.reason in ("", "infra_error", "assistant_error"):
                    raise AssertionError(f"task {task.id} ended as {game.reason!r}")
            if lines[0] != lines[1]:
                raise AssertionError(f"task {task.id} with {name}: {_difference(*lines)}")


def check_metric(function: Metric, *, store: str = STORE, trips: int = 4) -> None:
    """Check that a metric is a pure function of the log.

    It must give the same figure twice and for any order of the episodes, change nothing, stay finite (or ``None`` for
    "undefined"), and take an empty log.

    Args:
        function: Takes a sequence of episodes and returns a number, ``None``, or a mapping of names to such.
        store: Name of the store the episodes come from.
        trips: Number of dev tasks, each played with two assistants.

    Raises:
        AssertionError: naming the first thing that does not hold.
    """
    episodes = _some_episodes(store, trips)
    before = copy.deepcopy([episode.data for episode in episodes])
    figure = function(episodes)
    _check_figure(figure, "figure")
    if [episode.data for episode in episodes] != before:
        raise AssertionError("a metric must not change the episodes it is given")
    if function(episodes) != figure:
        raise AssertionError("a metric must give the same figure twice")
    turned = function(episodes[::-1])
    if turned != figure:
        raise AssertionError(
            f"the order of episodes must not matter (sum with math.fsum): {figure!r} against {turned!r}"
        )
    try:
        empty = function([])
    except Exception as error:
        raise AssertionError(f"a metric must take an empty log, it raised {type(error).__name__}: {error}") from error
    _check_figure(empty, "figure of an empty log")


def check_scorer(factory: Callable[[], Scorer], *, store: str = STORE, trips: int = 2) -> None:
    """Check that a scorer keeps to its contract.

    It must have a usable name and version, give a :class:`~supermarket_env.scorers.ScoreSheet` for every finished
    episode (silent assistants, episodes that break off and logs written by hand included), the same one every time and
    from every instance, say why a dimension is unscored, rate from 1 to 5, and not change the episode.

    Args:
        factory: Makes the scorer; called several times.
        store: Name of the store the episodes come from.
        trips: Number of dev tasks, each played with two assistants.

    Raises:
        AssertionError: naming the first thing that does not hold.
    """
    scorer, other = factory(), factory()
    if label_of(scorer) is None or label_of(scorer) != label_of(other):
        raise AssertionError(
            "a scorer needs a name and a version of letters, digits and _ . + -, equal in all instances"
        )
    hand_written = {
        "schema": "supermarket.episode/1",
        "episode_id": "by hand",
        "agent": "somebody",
        "events": [{"k": "assistant", "turn": 1, "text": "Hello"}, {"k": "end", "reason": "assistant_error"}],
    }
    nothing = {**hand_written, "episode_id": "nothing", "events": [{"k": "end", "reason": "left"}]}
    for episode in [*_some_episodes(store, trips), finish_episode(hand_written), finish_episode(nothing)]:
        before = copy.deepcopy(episode.data)
        sheet = scorer.score(episode)
        if not isinstance(sheet, ScoreSheet):
            raise AssertionError(f"expected a ScoreSheet for {episode.episode_id!r}, got {type(sheet).__name__}")
        _check_scores(sheet, episode)
        line = line_of(scorer, episode, sheet)
        if line != line_of(scorer, episode, scorer.score(episode)) or line != line_of(
            other, episode, other.score(episode)
        ):
            raise AssertionError(f"{episode.episode_id!r}: the same episode must always give the same scores")
        if episode.data != before:
            raise AssertionError(f"{episode.episode_id!r}: a scorer must not change the episode")


def _check_scores(sheet: ScoreSheet, episode: Episode) -> None:
    for score in sheet.scores:
        place = f"{episode.episode_id!r}, {score.dim}"
        if score.value is None and not score.reason:
            raise AssertionError(f"{place}: an unscored dimension needs a reason")
        numeric = isinstance(score.value, int | float) and not isinstance(score.value, bool)
        if score.is_rating and score.value is not None and not (numeric and 1 <= float(score.value) <= 5):
            raise AssertionError(f"{place}: expected a rating from 1 to 5, got {score.value!r}")


def _some_episodes(store: str, trips: int) -> list[Episode]:
    """Play a few trips with a silent and an honest assistant."""
    game = Game(load_world("embedded", store))
    episodes = []
    for name in ("silent", "retrieval"):
        for task in load_suite("dev", store=store, n=trips).tasks:
            _play(game, make_agent(name), task, name)
            episodes.append(finish_episode(game.episode()))
    return episodes


def _check_figure(value: Any, place: str) -> None:
    if isinstance(value, Mapping):
        for key, part in value.items():
            if not isinstance(key, str):
                raise AssertionError(f"{place}: names of figures are strings, got {key!r}")
            _check_figure(part, f"{place}.{key}")
    elif value is not None and not (isinstance(value, int | float) and math.isfinite(value)):
        raise AssertionError(f"{place}: expected a finite number or None, got {value!r}")
