"""What a submission says of itself, held against the content its configuration names and against its log.

A submitter checks a run where everything it names can be built. A board does not: it never runs code that an entry
names, and takes from the configuration only what the shipped suites, stores and assistants say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from supermarket_env.compare.manifest import form_problems
from supermarket_env.errors import SupermarketError
from supermarket_env.events.episode import Episode
from supermarket_env.rules.twins import source_hash
from supermarket_env.run.batch import WorkUnit
from supermarket_env.run.build import build_plan, plan_agents, user_config, user_model_of
from supermarket_env.run.config import RunConfig
from supermarket_env.run.content import plan_content
from supermarket_env.run.folder import IDENTITY_KEYS
from supermarket_env.run.manifest import make_manifest

_HASH = re.compile(r"[0-9a-f]{64}")

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Statement(BaseModel):
    """What readers need of ``submission.json``; further keys are let through."""

    model_config = ConfigDict(extra="allow", strict=True)

    form: Annotated[Literal["supermarket.submission/1"], Field(alias="schema")]
    agents: list[str]
    privileged: list[str]
    user: dict[str, Any]
    suite: dict[str, Any]
    n_episodes: int
    costs: dict[str, Amount]
    files: dict[str, str]


def statement_form(statement: Any) -> list[str]:
    """Return a sentence for each entry of ``submission.json`` that is missing or of the wrong kind."""
    return form_problems(_Statement, statement)


def statement_problems(statement: Mapping[str, Any], manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a well-formed statement says that the manifest does not."""
    for key in ("agents", "privileged", "user", "suite", "n_episodes"):
        if statement[key] != manifest[key]:
            yield f"{key}: the statement says {_short(statement[key])}, the manifest {_short(manifest[key])}"
    if set(statement["costs"]) != set(manifest["agents"]):
        yield "costs are not stated for every assistant"


def content_problems(manifest: Mapping[str, Any], episodes: Sequence[Episode], *, builds: bool = True) -> Iterator[str]:
    """Yield what does not agree between the manifest, the content it names and the log.

    Args:
        manifest: One of the right form.
        episodes: The log.
        builds: Build all that the configuration names, own assistants included, and demand the rules and user of this
            version. Off for the runs of others: then nothing of theirs is run, and rules and user need only be named.
    """
    try:
        config = RunConfig.parse(manifest["config"])
        names = [agent.name for agent in plan_agents(config)]
        if config.trials * len(names) > len(episodes):
            yield f"{len(episodes)} episodes, {len(names)} assistants in {config.trials} trials need more"
            return
        ours, units = _built(config) if builds else _named(config)
    except (SupermarketError, KeyError, RecursionError) as error:
        yield f"its configuration cannot be built here: {error}"
        return
    for key, value in ours.items():
        if manifest.get(key) != value:
            yield f"{key}: the manifest says {_short(manifest.get(key))}, its content gives {_short(value)}"
    if not builds:
        yield from _version_problems(manifest, config)
    yield from _log_problems({unit.episode_id: unit.seed for unit in units}, episodes)


def _built(config: RunConfig) -> tuple[dict[str, Any], Sequence[WorkUnit]]:
    plan = build_plan(config)
    ours = json.loads(json.dumps(make_manifest(plan, ())))
    keys = ("config_hash", *IDENTITY_KEYS, "agents", "privileged", "n_episodes")
    return {key: ours[key] for key in keys}, plan.units


def _named(config: RunConfig) -> tuple[dict[str, Any], Sequence[WorkUnit]]:
    agents = plan_agents(config)
    content = plan_content(config, [agent.name for agent in agents], user_config(config).name)
    ours = {
        "config_hash": config.content_hash(),
        "track": config.track,
        "suite": {"name": content.suite.name, "hash": content.suite.content_hash},
        "catalogues": dict(content.catalogues),
        "stores": dict(content.stores),
        "agents": [agent.name for agent in agents],
        "privileged": [agent.name for agent in agents if agent.privileged],
        "reference": config.reference,
        "n_episodes": len(content.units),
    }
    return ours, content.units


def _version_problems(manifest: Mapping[str, Any], config: RunConfig) -> Iterator[str]:
    """Another version's rules and user make a board of their own; under our rules our user must be ours."""
    user = manifest["user"]
    for place, value in (("rules", manifest["rules"]), ("user.hash", user.get("hash"))):
        if not isinstance(value, str) or not _HASH.fullmatch(value):
            yield f"{place}: expected 64 hexadecimal digits, got {_short(value)}"
    named = user_config(config)
    if user["name"] != named.name:
        yield f"user.name: the manifest says {_short(user['name'])}, its configuration gives {named.name!r}"
    scripted = user_model_of(config)[0] == "scripted"
    if scripted and manifest["rules"] == source_hash() and user.get("hash") != named.content_hash():
        yield f"user.hash: the manifest says {_short(user.get('hash'))}, under its rules it is {named.content_hash()}"


def _log_problems(expected: Mapping[str, int], episodes: Sequence[Episode]) -> Iterator[str]:
    found = {episode.episode_id: episode for episode in episodes}
    if lacking := sorted(expected.keys() - found.keys()):
        yield f"{len(lacking)} episodes are missing, first {lacking[0]!r}"
    if extra := sorted(found.keys() - expected.keys()):
        yield f"{len(extra)} episodes are no part of the run, first {extra[0]!r}"
    common = sorted(expected.keys() & found.keys())
    if other := [name for name in common if found[name].data.get("seed") != expected[name]]:
        yield f"{len(other)} episodes have another seed than the run's, first {other[0]!r}"
    if odd := [name for name in common if name != _id_of(found[name].data)]:
        yield f"{len(odd)} episodes are not what their id says, first {odd[0]!r}"
    if failed := [episode.episode_id for episode in episodes if episode.reason == "infra_error"]:
        yield f"{len(failed)} episodes failed in the simulator, first {failed[0]!r}; run the same command again"


def _id_of(line: Mapping[str, Any]) -> str:
    return "|".join(str(line.get(key)) for key in ("agent", "user", "store", "task_id", "trial"))


def user_problems(manifest: Mapping[str, Any], episodes: Sequence[Episode]) -> Iterator[str]:
    """Yield what is missing of the user model's name, and the users of the log that are not it."""
    user = manifest.get("user")
    lacking = [key for key in ("name", "version", "hash") if not (isinstance(user, dict) and user.get(key))]
    if lacking or not isinstance(user, dict):
        yield f"the user model is not named: {', '.join(lacking)} missing"
        return
    others = sorted({str(episode.user) for episode in episodes} - {user["name"]})
    if others:
        yield f"the log has other users than the manifest's {user['name']!r}: {', '.join(others)}"


def figure_differences(stored: Any, computed: Any, place: str = "") -> Iterator[tuple[str, bool]]:
    """Yield what stored figures do not share with those computed from the log.

    Args:
        stored: The content of ``metrics.json``.
        computed: The same from the log, by this version.
        place: Where in it these parts stand.

    Yields:
        A sentence, and whether it is a contradiction. A figure that only this version computes is none: the run was
        made before there was that figure.
    """
    if isinstance(stored, dict) and isinstance(computed, dict):
        for key in [*computed, *(key for key in stored if key not in computed)]:
            inner = f"{place}.{key}" if place else key
            if key not in stored:
                yield f"{inner} is not stored", False
            elif key not in computed:
                yield f"{inner} says {_short(stored[key])}, the log gives no such figure", True
            else:
                yield from figure_differences(stored[key], computed[key], inner)
    elif isinstance(stored, list) and isinstance(computed, list) and len(stored) == len(computed):
        for number, (one, two) in enumerate(zip(stored, computed, strict=True)):
            name = two.get("agent", number) if isinstance(two, dict) else number
            yield from figure_differences(one, two, f"{place}[{name}]")
    elif stored != computed or isinstance(stored, bool) != isinstance(computed, bool):
        yield f"{place or 'all'} says {_short(stored)}, the log gives {_short(computed)}", True


def _short(value: Any) -> str:
    return str(value)[:80]
