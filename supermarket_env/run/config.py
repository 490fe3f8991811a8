"""The validated form of a run's configuration, and its hash.

Hydra composes YAML and overrides into plain data (:mod:`supermarket_env.run.compose`); :class:`RunConfig` checks that
data once, before the first episode. Code behind this module never sees Hydra's own types.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from supermarket_env.errors import ConfigError, nearest, unknown_name
from supermarket_env.llm.config import TRANSPORT_KEYS, LLMConfig

UNHASHED_KEYS = (
    "out",
    "run.workers",
    "run.ray",
    "run.ray.address",
    "run.dry_run",
    "run.progress",
    "run.compiled",
    "run.reuse",
    "run.fail_fast",
)
"""Keys that cannot change what is simulated: they are left out of the configuration's hash."""

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$"
"""Names that become part of an episode id; `|` separates its parts and must not occur."""


def is_hashed(key: str) -> bool:
    """Whether a dotted key can change what is simulated."""
    if key.startswith("llm."):
        return key.partition(".")[2].partition(".")[0] not in TRANSPORT_KEYS and key.rpartition(".")[2] not in (
            TRANSPORT_KEYS
        )
    return key not in UNHASHED_KEYS


class _Section(BaseModel):
    """A part of the configuration: read-only, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: Any, field: ValidationInfo) -> Any:
        """Refuse ``seed=true``, which would be taken for 1."""
        taken = cls.model_fields[str(field.field_name)].annotation
        if isinstance(value, bool) and taken is not bool and bool not in get_args(taken):
            raise ValueError("expected no truth value")
        return value


class AgentEntry(BaseModel):
    """One assistant of a run: a shipped name, or a name with an import path and constructor arguments.

    Extra keys are the constructor's keyword arguments and need ``_target_``.
    """

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)

    name: Annotated[str, Field(pattern=NAME_PATTERN, max_length=80)]
    target: Annotated[str | None, Field(alias="_target_")] = None
    privileged: bool = False
    """An own assistant that asks to be told the truth; marked in every table."""

    @model_validator(mode="before")
    @classmethod
    def _accept_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _check_arguments(self) -> AgentEntry:
        extra = sorted(self.arguments)
        if self.target is None and (extra or self.privileged):
            keys = ", ".join(extra or ["privileged"])
            raise ValueError(f"a shipped assistant takes no further keys (got {keys}); give _target_ with them")
        return self

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Keyword arguments of the constructor."""
        return dict(self.model_extra or {})

    @model_serializer(mode="plain")
    def _plain(self) -> Any:
        if self.target is None:
            return self.name
        out: dict[str, Any] = {"name": self.name, "_target_": self.target, **self.arguments}
        if self.privileged:
            out["privileged"] = True
        return out


class NamedSource(_Section):
    """A store or a catalogue; no name means the one the suite was frozen for."""

    name: str | None = None


class DialsConfig(_Section):
    """Difficulty of the tasks; anything but the defaults draws the suite's tasks anew from their own seeds."""

    n_needs: Annotated[int, Field(ge=1, le=8)] | None = None
    """Needs a trip; ``None``: by the kind of trip."""
    ambiguity: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    """Share of vague needs in ordinary trips."""
    familiarity: Annotated[float, Field(ge=-1.0, le=1.0)] = 0.0
    """Added to the trait."""
    disclosure: Annotated[float, Field(ge=-1.0, le=1.0)] = 0.0
    """Added to the trait."""


class EventsConfig(_Section):
    """What happens in the store during a trip, drawn from the seed of each task; off by default."""

    promotions: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    """Probability that a trip falls in an offer week."""
    stock_changes: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    """Probability, per need, that a popular product sells out during the trip."""
    refills: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    """Probability, per need, that a sold-out product is filled up during the trip."""
    map_errors: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    """Probability that the assistant's map is out of date."""
    first_variant: Annotated[int, Field(ge=1, le=996)] = 1
    """The offer weeks and maps in use are this one and the next three."""


class SuiteConfig(_Section):
    """Which tasks are played."""

    name: Annotated[str, Field(min_length=1)] = "dev"
    episodes: Annotated[int, Field(ge=1)] | None = 100
    """Tasks per agent, the first ones in the order of the file; ``None`` means all."""
    dials: DialsConfig = DialsConfig()
    """Difficulty; written down only where it was turned, so that runs without it keep their hash."""
    events: EventsConfig = EventsConfig()
    """Store events that are added to the suite's own; written down only where some are asked for."""

    @model_serializer(mode="wrap")
    def _without_what_is_off(self, dump: Any) -> dict[str, Any]:
        data: dict[str, Any] = dump(self)
        if self.dials == DialsConfig():
            data.pop("dials", None)
        if self.events == EventsConfig():
            data.pop("events", None)
        return data


class LimitsConfig(_Section):
    """What ends an episode early."""

    max_turns: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Turn limit; ``None`` means the task's own."""
    strikes: Annotated[int, Field(ge=1, le=1000)] = 3
    """Faulty messages in a row that end the episode as the assistant's failure."""
    reply_timeout_s: Annotated[float, Field(gt=0, le=86400)] | None = 10.0
    """Seconds an assistant may think about one message; ``None`` means no limit."""


class RayConfig(_Section):
    """Where ``run.workers=ray`` plays."""

    address: Annotated[str, Field(min_length=1)] | None = None
    """As ``ray.init`` takes it: ``local``, ``auto``, ``HOST:PORT`` or ``ray://HOST:PORT``; ``None`` leaves the choice
    to Ray: ``RAY_ADDRESS``, else the cluster running on this machine, else one of its own for this process."""


class ExecutionConfig(_Section):
    """How the run is carried out; nothing here changes an episode."""

    workers: Annotated[int, Field(ge=1, le=1024)] | Literal["auto", "ray"] = "auto"
    """Worker processes; ``auto`` takes the processors this process may use, at most 8; ``ray`` those of a cluster."""
    ray: RayConfig = RayConfig()
    """The cluster; written down only where something is said about it."""
    dry_run: bool = False
    """Check everything, print the plan, play nothing."""
    progress: bool = True
    """Show a progress bar when standard error is a terminal."""
    compiled: Literal["auto"] | bool = "auto"
    """Compiled rule book: in long runs if numba is there (auto), always, or never; the bytes are the same."""
    reuse: Literal["auto"] | bool = "auto"
    """Take finished episodes over from runs in the same folder: in sweeps (auto), always, or never."""
    fail_fast: bool = False
    """Begin no further job of a sweep once one has failed."""

    @model_serializer(mode="wrap")
    def _without_default_cluster(self, dump: Any) -> dict[str, Any]:
        data: dict[str, Any] = dump(self)
        if self.ray == RayConfig():
            data.pop("ray", None)
        return data


class RunConfig(_Section):
    """Everything that defines a run."""

    agents: tuple[AgentEntry, ...] = tuple(
        AgentEntry(name=name) for name in ("silent", "popularity", "retrieval", "rule", "oracle")
    )
    reference: Literal["silent"] | None = "silent"
    """Assistant that uplift is measured against; it is played in a group of its own if ``agents`` lacks it."""
    scorers: tuple[str | dict[str, Any], ...] = ()
    """Names of shipped scorers, or objects with a name and options; they score each episode as it ends."""
    track: Literal["semantic", "text"] = "semantic"
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    trials: Annotated[int, Field(ge=1, le=10_000)] = 1
    """Episodes per agent and task, each with its own seed."""
    out: str | None = None
    """Run directory, relative to the working directory."""
    limits: LimitsConfig = LimitsConfig()
    run: ExecutionConfig = ExecutionConfig()
    store: NamedSource = NamedSource()
    catalogue: NamedSource = NamedSource()
    suite: SuiteConfig = SuiteConfig()
    user: dict[str, Any] = Field(default_factory=lambda: {"name": "scripted"})
    """Handed on to the user model's own configuration, which validates it."""
    llm: LLMConfig | None = None
    """Endpoints of language models; written down only where there are any."""

    @model_serializer(mode="wrap")
    def _without_no_models(self, dump: Any) -> dict[str, Any]:
        data: dict[str, Any] = dump(self)
        if self.llm is None:
            data.pop("llm", None)
        return data

    @field_validator("agents", mode="before")
    @classmethod
    def _accept_single(cls, value: Any) -> Any:
        return [value] if isinstance(value, str | dict) else value

    @field_validator("agents", mode="after")
    @classmethod
    def _check_agents(cls, agents: tuple[AgentEntry, ...]) -> tuple[AgentEntry, ...]:
        names = [agent.name for agent in agents]
        if not names:
            raise ValueError("expected at least one assistant, got none")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"each assistant needs a name of its own; given twice: {', '.join(twice)}")
        return agents

    @field_validator("scorers", mode="after")
    @classmethod
    def _check_scorers(cls, scorers: tuple[str | dict[str, Any], ...]) -> tuple[str | dict[str, Any], ...]:
        from supermarket_env.scorers.registry import SCORERS

        for entry in scorers:
            name = entry if isinstance(entry, str) else entry.get("name")
            own = isinstance(entry, dict) and entry.get("_target_") is not None
            if not own and name not in SCORERS:
                raise ValueError(unknown_name("scorer", str(name), SCORERS))
        return scorers

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> RunConfig:
        """Return the validated configuration.

        Raises:
            ConfigError: naming each key that does not fit, what came, and the nearest valid key.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise ConfigError(describe_validation(error, cls)) from None

    def resolved(self) -> dict[str, Any]:
        """Return the configuration as JSON-ready data with every key present."""
        return self.model_dump(mode="json")

    def content_hash(self) -> str:
        """Return the SHA-256 (hex) of the keys that define what is simulated."""
        kept = {key: value for key, value in flatten(self.resolved()).items() if is_hashed(key)}
        text = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def flatten(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested mappings as dotted keys; lists and empty mappings stay values.

    >>> flatten({"run": {"workers": 2}, "agents": ["rule"]})
    {'run.workers': 2, 'agents': ['rule']}
    """
    out: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and value:
            out.update(flatten(value, f"{name}."))
        else:
            out[name] = value
    return out


def differing_keys(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Return the dotted keys in which two resolved configurations differ, unhashed keys left out.

    >>> differing_keys({"seed": 0, "out": "a"}, {"seed": 1, "out": "b"})
    ['seed']
    """
    left, right = flatten(ours), flatten(theirs)
    absent = object()
    keys = [key for key in sorted({*left, *right}) if is_hashed(key)]
    return [key for key in keys if left.get(key, absent) != right.get(key, absent)]


def model_keys(model: type[BaseModel], prefix: str = "") -> list[str]:
    """Return the dotted keys a pydantic model accepts, sections included."""
    keys: list[str] = []
    for name, info in model.model_fields.items():
        keys.append(f"{prefix}{name}")
        inner = info.annotation
        parts = [part for part in get_args(inner) if part is not type(None)]
        if len(parts) == 1:  # a section that may be left out
            inner = parts[0]
        if isinstance(inner, type) and issubclass(inner, BaseModel) and inner is not AgentEntry:
            keys += model_keys(inner, f"{prefix}{name}.")
    return keys


def describe_validation(error: ValidationError, model: type[BaseModel], prefix: str = "") -> str:
    """Return one line per key that does not fit: key, problem, what came, nearest valid key."""
    valid = model_keys(model, prefix)
    problems: dict[str, list[str]] = {}
    for problem in error.errors():
        key = prefix + ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            siblings = _siblings(valid, key)
            problems[f"unknown key {key!r}"] = [f"valid here: {', '.join(siblings)}.{nearest(key, siblings)}"]
            continue
        place = _known_part(key, valid).rstrip(".")  # no name: the section as a whole
        message = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "literal_error":
            options = re.findall(r"'([^']*)'", message)
            message += f".{nearest(problem['input'], options)}"
        problems.setdefault(f"{place}: got {problem['input']!r:.120}", []).append(message)
    return "configuration: " + "\n".join(f"{what}; {' or '.join(dict.fromkeys(why))}" for what, why in problems.items())


def _known_part(key: str, valid: Iterable[str]) -> str:
    """Return ``key`` without the names of union members that pydantic appends to places."""
    if key.partition(".")[0] == "agents":
        return key
    known = [name for name in valid if key == name or key.startswith(f"{name}.")]
    return max(known, key=len, default=key)


def _siblings(keys: Iterable[str], key: str) -> list[str]:
    """Return the valid keys that share the parent of ``key``."""
    parent, _, _ = key.rpartition(".")
    depth = key.count(".")
    return [k for k in keys if k.count(".") == depth and k.rpartition(".")[0] == parent]
