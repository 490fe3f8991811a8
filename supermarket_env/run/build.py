"""Layer 2 of a run: from names to objects. The only place that knows all sides.

Everything that can be wrong with a configuration is found here, before the first episode: unknown assistants, stores,
catalogues and suites, constructors that fail, user settings that do not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from supermarket_env.errors import ConfigError, MissingExtraError, SupermarketError, unknown_name
from supermarket_env.llm.runtime import episode_scope
from supermarket_env.run.batch import WorkUnit
from supermarket_env.run.config import AgentEntry, RunConfig, describe_validation
from supermarket_env.run.content import plan_content, world_of
from supermarket_env.run.episode import EpisodeSpec, describe, play_episode
from supermarket_env.run.usage import add_usage

if TYPE_CHECKING:
    from supermarket_env.envs.game import Game
    from supermarket_env.envs.labels import EpisodeLabels
    from supermarket_env.tasks.suites import Suite
    from supermarket_env.user_sim.config import UserConfig

AUTO_COMPILE_EPISODES = 20_000
"""Measured on two cores: a minute to compile, a tenth of a turn's time saved."""


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """One assistant of the run: how to make it and whether it is told the truth."""

    name: str
    target: str
    arguments: Mapping[str, Any]
    privileged: bool
    own: bool
    """Given by import path, not shipped."""


@dataclass(frozen=True, slots=True)
class UserPlan:
    """Who sits in the user's seat: which model, made with which options, and its identity."""

    model: str
    """A shipped name (``scripted``: the rules' own user) or an import path."""
    options: Mapping[str, Any]
    version: str
    content_hash: str


@dataclass(frozen=True)
class RunPlan:
    """A checked run: what will be played, and what it is made of."""

    config: RunConfig
    suite: Suite
    user: UserConfig
    agents: tuple[AgentPlan, ...]
    """The assistants in the order given, the reference last if it was not among them."""
    units: tuple[WorkUnit, ...]
    catalogues: Mapping[str, str] = field(default_factory=dict)
    """Content hashes by name."""
    stores: Mapping[str, str] = field(default_factory=dict)
    """Content hashes by name."""
    seat: UserPlan | None = None
    """The user model; ``None`` is the scripted user."""

    @property
    def user_identity(self) -> dict[str, str]:
        """Name, version and hash of the user, as the manifest holds them."""
        if self.seat is None:
            return {"name": self.user.name, "version": self.user.version, "hash": self.user.content_hash()}
        return {"name": self.user.name, "version": self.seat.version, "hash": self.seat.content_hash}

    @property
    def privileged(self) -> tuple[str, ...]:
        """Names of the assistants that are told the truth."""
        return tuple(agent.name for agent in self.agents if agent.privileged)


def check_names(config: RunConfig) -> None:
    """Check what can be checked without building anything.

    Raises:
        ConfigError: for an unknown assistant or user setting.
    """
    plan_agents(config)
    user_config(config)


def plan_agents(config: RunConfig) -> tuple[AgentPlan, ...]:
    """Return the assistants of a run, the reference included.

    Raises:
        ConfigError: for a name that no shipped assistant has, with the nearest.
    """
    from supermarket_env.agents.registry import AGENTS

    entries = list(config.agents)
    if config.reference is not None and config.reference not in {entry.name for entry in entries}:
        entries.append(AgentEntry(name=config.reference))
    plans = []
    for entry in entries:
        if entry.target is not None:
            if entry.name in AGENTS:
                raise ConfigError(f"agents: {entry.name!r} is the name of a shipped assistant; give yours another name")
            plans.append(AgentPlan(entry.name, entry.target, entry.arguments, entry.privileged, own=True))
        elif entry.name in AGENTS:
            spec = AGENTS[entry.name]
            plans.append(AgentPlan(entry.name, spec.target, {}, spec.privileged, own=False))
        else:
            raise ConfigError(f"agents: {unknown_name('assistant', entry.name, AGENTS)}")
    return tuple(plans)


def user_config(config: RunConfig) -> UserConfig:
    """Return the validated configuration of the user model.

    Raises:
        ConfigError: naming the key that does not fit and the nearest valid one.
    """
    from pydantic import create_model

    from supermarket_env.user_sim.config import UserConfig, wording_for

    entry = create_model("UserEntry", __base__=UserConfig, model=(str, "scripted"), options=(dict[str, Any], {}))
    try:
        checked = entry.model_validate(config.user)
    except ValidationError as error:
        raise ConfigError(describe_validation(error, entry, "user.")) from None
    values = {key: value for key, value in config.user.items() if key not in ("model", "options")}
    model = user_model_of(config)[0]
    if model != "scripted" and checked.name == "scripted":
        values["name"] = model.rpartition(".")[2]
    values.setdefault("wording", wording_for(config.track, config.suite.name))
    return UserConfig.model_validate(values)


def user_model_of(config: RunConfig) -> tuple[str, dict[str, Any]]:
    """Return the name and the options of the user model a configuration asks for."""
    return str(config.user.get("model", "scripted")), dict(config.user.get("options") or {})


def plan_user(config: RunConfig, user: UserConfig) -> UserPlan | None:
    """Return who sits in the user's seat; ``None`` for the scripted user.

    Raises:
        ConfigError: If the model is unknown or cannot be built, or a person is to type into several processes.
    """
    from supermarket_env.user_sim.registry import make_user, user_hash

    name, options = user_model_of(config)
    model = make_user(name, options)
    if model is None:
        return None
    if name == "terminal" and config.run.workers != 1:
        raise ConfigError(f"a person types into one process: expected run.workers=1, got {config.run.workers!r}")
    return UserPlan(name, options, model.version, user_hash(user.content_hash(), name, model, options))


def make_agent(agent: AgentPlan) -> Any:
    """Build an assistant.

    Raises:
        ConfigError: If it cannot be imported or constructed, or is no assistant.
    """
    try:
        if agent.own:
            from hydra.utils import instantiate

            made = instantiate({"_target_": agent.target, **agent.arguments}, _convert_="all")
        else:
            from supermarket_env.agents.registry import make_agent as make_shipped

            made = make_shipped(agent.name)
    except SupermarketError:
        raise
    except (Exception, SystemExit) as error:  # a constructor that exits must not end the command as if all were well
        cause = error.__cause__ or error
        hint = "; is the folder of your module on PYTHONPATH?" if isinstance(cause, ImportError) else ""
        raise ConfigError(
            f"agents: {agent.name!r} ({agent.target}) cannot be built: {describe(cause)}{hint}"
        ) from error
    needed = ["reply", "start_privileged" if agent.privileged else "start"]
    missing = [method for method in needed if not callable(getattr(made, method, None))]
    if missing:
        raise ConfigError(
            f"agents: {agent.name!r} ({agent.target}) is no assistant: expected methods {', '.join(needed)}, "
            f"missing {', '.join(missing)}"
        )
    return made


def build_plan(config: RunConfig) -> RunPlan:
    """Load and check everything a run needs.

    Raises:
        SupermarketError: of the fitting kind, for anything wrong in the configuration or the files it names.
    """
    rule_book(config.run.compiled, 0)
    from supermarket_env.scorers.registry import make_scorers

    agents = plan_agents(config)
    user = user_config(config)
    seat = plan_user(config, user)
    for agent in agents:
        make_agent(agent)
    check_models(config)
    make_scorers(config.scorers)
    content = plan_content(config, [agent.name for agent in agents], user.name)
    return RunPlan(config, content.suite, user, agents, content.units, content.catalogues, content.stores, seat)


def check_models(config: RunConfig) -> None:
    """Check that whoever needs a language model has an endpoint, and that nobody expects its episodes on a cluster.

    Raises:
        ConfigError: naming the seat that has none, or the key that does not fit.
    """
    if config.llm is not None and config.run.workers == "ray":
        raise ConfigError(
            "run.workers: episodes with language models run in threads of this process (llm.concurrency of them), "
            "got 'ray'; put the models' server on the cluster instead, and leave run.workers out"
        )
    needing = []
    if user_model_of(config)[0] == "llm":
        needing.append("user")
    if any(entry.name in ("llm", "llm_react") and entry.target is None for entry in config.agents):
        needing.append("assistant")
    if any(isinstance(entry, dict) and entry.get("model") == "llm" for entry in config.scorers):
        needing.append("judge")
    for role in needing:
        if config.llm is None:
            raise ConfigError(f"the {role} needs a language model: add llm=local or another endpoint (docs/llm.md)")
        config.llm.endpoint(role)


def rule_book(compiled: str | bool, n_units: int) -> str:
    """Return the mode of the rule book, ``compiled`` or ``plain``; both give the same bytes.

    ``auto`` compiles only for long runs: words, assistants and the log take most of a turn played one by one, so that
    compilation, when it is not cached, costs more than it saves below :data:`AUTO_COMPILE_EPISODES`.

    Raises:
        MissingExtraError: If the compiled one is demanded and cannot be made here.
    """
    from supermarket_env.rules.twins import numba_available

    if compiled is False or (compiled == "auto" and n_units < AUTO_COMPILE_EPISODES):
        return "plain"
    if numba_available():
        return "compiled"
    if compiled == "auto":
        return "plain"
    raise MissingExtraError(
        "run.compiled=true needs numba, not switched off by NUMBA_DISABLE_JIT: pip install 'supermarket_env[fast]'"
    )


class GamePlayer:
    """Plays units of a plan, keeping worlds, games and assistants between episodes."""

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._games: dict[tuple[str, str], Game] = {}
        self._agents: dict[int, Any] = {}

    def play(self, unit: WorkUnit) -> dict[str, Any]:
        """Return the log line of a unit's episode."""
        task = self._plan.suite.tasks[unit.task]
        agent = self._plan.agents[unit.agent]
        spec = EpisodeSpec(
            task=task,
            seed=unit.seed,
            labels=self._labels(unit),
            privileged=agent.privileged,
            reply_timeout_s=self._plan.config.limits.reply_timeout_s,
        )
        if unit.agent not in self._agents:
            self._agents[unit.agent] = make_agent(agent)
        with episode_scope(unit.episode_id) as scope:
            played = play_episode(self._game(task.catalogue, task.store), self._agents[unit.agent], spec)
        if played.assistant_failed:
            # Its object may be half way through anything: the next episode gets a new one, in whatever order they come.
            del self._agents[unit.agent]
        return add_usage(played.line, scope.usage)

    def infra_line(self, unit: WorkUnit, detail: str) -> dict[str, Any]:
        """Return the log line of an episode that could not be logged."""
        from supermarket_env.run.episode import unlogged_line

        return unlogged_line(self._labels(unit), unit.seed, detail)

    def warm(self) -> None:
        """Build every game and play one silent episode, so that forked workers inherit worlds and compiled rules."""
        from supermarket_env.agents.registry import make_agent as make_shipped

        for task in self._plan.suite.tasks:
            self._game(task.catalogue, task.store)
        unit = self._plan.units[0]
        task = self._plan.suite.tasks[unit.task]
        silent = make_shipped("silent")
        play_episode(self._game(task.catalogue, task.store), silent, EpisodeSpec(task, unit.seed, self._labels(unit)))

    def _game(self, catalogue: str, store: str) -> Game:
        from supermarket_env.envs.game import Game

        if (catalogue, store) not in self._games:
            from supermarket_env.user_sim.registry import make_user

            config, seat = self._plan.config, self._plan.seat
            self._games[catalogue, store] = Game(
                world_of(catalogue, store),
                track=config.track,
                user=self._plan.user,
                strikes=config.limits.strikes,
                max_turns=config.limits.max_turns,
                mode=rule_book(config.run.compiled, len(self._plan.units)),
                user_model=make_user(seat.model, seat.options) if seat is not None else None,
            )
        return self._games[catalogue, store]

    def _labels(self, unit: WorkUnit) -> EpisodeLabels:
        from supermarket_env.envs.labels import EpisodeLabels

        task = self._plan.suite.tasks[unit.task]
        return EpisodeLabels(
            agent=self._plan.agents[unit.agent].name,
            user=self._plan.user.name,
            store=task.store,
            catalogue=task.catalogue,
            suite=self._plan.suite.name,
            task_id=task.id,
            trial=unit.trial,
            stratum=task.stratum,
            episode_id=unit.episode_id,
        )
