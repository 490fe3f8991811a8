"""Plays what an audit looks at: the same tasks with good and bad assistants, some episodes twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supermarket_env.errors import CatalogueError, ConfigError, InfrastructureError
from supermarket_env.run.episode import EpisodeSpec, play_episode
from supermarket_env.run.seeding import episode_seed

if TYPE_CHECKING:
    from supermarket_env.catalogue.schema import Catalogue
    from supermarket_env.envs.game import Game
    from supermarket_env.envs.users import UserModel
    from supermarket_env.user_sim.audit import Auditor
    from supermarket_env.user_sim.audit_sheet import Sheet

ASSISTANTS = ("silent", "retrieval", "rule", "spam", "random")
"""Good and bad company: what a user does shows only next to both."""
TWICE = 12
"""Episodes played a second time, with a fresh instance of the model and assistant."""

MakeUser = Callable[[], "UserModel | None"]


@dataclass(frozen=True)
class AuditPlan:
    """What is played for an audit."""

    assistants: Sequence[str] = ASSISTANTS
    suite: str = "dev"
    episodes: int = 40
    """Tasks, each played with every assistant; more than the suite has are played with further luck."""
    seed: int = 0
    twice: int = TWICE
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Further words for the heading of the sheet."""


def audit_user(
    make_user: MakeUser, plan: AuditPlan = AuditPlan(), *, on_episode: Callable[[int, int], None] | None = None
) -> Sheet:
    """Play episodes with a user model and return its score sheet.

    Args:
        make_user: Makes the model (``None`` for the scripted user); called more than once.
        plan: What is played.
        on_episode: Told how many of how many episodes are played.

    Raises:
        ConfigError: No episodes or assistants, or an unknown assistant.
        TaskError: An unknown suite.
        InfrastructureError: No episode came to an end: the simulator, a machine or an endpoint failed in all of them.
    """
    import json

    from supermarket_env.events.log import encode_episode, finish_episode
    from supermarket_env.user_sim.audit import Auditor

    stage = _Stage(make_user, plan)
    auditor = Auditor(catalogue_of)
    twins: list[tuple[bytes, bytes, str]] = []
    total = plan.episodes * len(plan.assistants)
    for k in range(total):
        number, company = divmod(k, len(plan.assistants))
        line = encode_episode(stage.play(number, company))
        episode = finish_episode(json.loads(line))
        auditor.add(episode)
        if len(twins) < plan.twice and k % 3 == 0:
            twins.append((line, encode_episode(stage.play(number, company, again=True)), episode.episode_id))
        if on_episode is not None:
            on_episode(k + 1, total)
    _some_finished(auditor)
    played = {"suite": stage.suite.name, "seed": plan.seed, "assistants": list(plan.assistants), **plan.facts}
    return auditor.sheet(user=stage.user, version=stage.version, played=played, twins=twins)


class _Stage:
    """The games, tasks and assistants of an audit; an episode played again gets a model and an assistant of its own."""

    def __init__(self, make_user: MakeUser, plan: AuditPlan) -> None:
        from supermarket_env.agents.registry import make_agent
        from supermarket_env.tasks.suites import load_suite
        from supermarket_env.user_sim.config import USER_VERSION

        if plan.episodes < 1 or not plan.assistants:
            raise ConfigError(
                f"an audit needs episodes and assistants, got {plan.episodes} and {list(plan.assistants)}"
            )
        self.suite = load_suite(plan.suite)
        self._plan, self._make_user = plan, make_user
        model = make_user()
        self.user, self.version = ("scripted", USER_VERSION) if model is None else (model.name, model.version)
        self._agents = [make_agent(name) for name in plan.assistants]
        self._games: dict[tuple[str, str, bool], Game] = {}

    def play(self, number: int, company: int, *, again: bool = False) -> dict[str, Any]:
        """Return the log line of one task (counted on through the suite, trial by trial) with one assistant."""
        from supermarket_env.agents.registry import make_agent
        from supermarket_env.envs.labels import EpisodeLabels

        tasks = self.suite.tasks
        task, trial = tasks[number % len(tasks)], number // len(tasks)
        name = self._plan.assistants[company]
        labels = EpisodeLabels(
            agent=name, user=self.user, store=task.store, catalogue=task.catalogue, suite=self.suite.name,
            task_id=task.id, trial=trial, stratum=task.stratum,
            episode_id="|".join((name, self.user, task.store, task.id, str(trial))),
        )  # fmt: skip
        seed = episode_seed(self._plan.seed, task.id, trial)
        spec = EpisodeSpec(task, seed, labels, privileged=name == "oracle")
        agent = make_agent(name) if again else self._agents[company]
        return play_episode(self._game(task.catalogue, task.store, again), agent, spec).line

    def _game(self, catalogue: str, store: str, again: bool) -> Game:
        from supermarket_env.envs.game import Game
        from supermarket_env.world import load_world

        key = catalogue, store, again
        if key not in self._games:
            self._games[key] = Game(load_world(catalogue, store), mode="plain", user_model=self._make_user())
        return self._games[key]


def audit_log(path: str) -> Sheet:
    """Return the score sheet of the users in a log or run directory.

    Raises:
        ConfigError: Nothing is there, or it holds several users.
        LogError: The log is broken.
        InfrastructureError: No episode in it came to an end.
    """
    from supermarket_env.events.log import read_log
    from supermarket_env.user_sim.audit import Auditor

    if not Path(path).exists():
        raise ConfigError(f"expected a log or a run directory, got {path!r}, which does not exist")
    episodes = read_log([path]).episodes
    users = sorted({episode.user or "unnamed" for episode in episodes})
    if len(users) != 1:
        raise ConfigError(f"{path!r}: expected the episodes of one user, got {', '.join(users) or 'none'}")
    auditor = Auditor(catalogue_of)
    for episode in episodes:
        auditor.add(episode)
    _some_finished(auditor)
    return auditor.sheet(user=users[0], version="as logged", played={"log": path})


def _some_finished(auditor: Auditor) -> None:
    """Refuse to judge a user of whom no episode is known: no finding would look like no fault."""
    if not auditor.n_episodes:
        why = auditor.why_set_aside or "no reason is logged"
        raise InfrastructureError(f"all {auditor.n_set_aside} episodes failed in the simulator: {why}")


@lru_cache(maxsize=4)
def catalogue_of(name: str | None) -> Catalogue | None:
    """Return a catalogue by the name in a log, or None when it is not at hand."""
    from supermarket_env.catalogue.load import load_catalogue

    if not name:
        return None
    try:
        return load_catalogue(name)
    except (CatalogueError, ImportError, OSError):
        return None
