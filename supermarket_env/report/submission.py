"""Checked, packed runs: what a leaderboard accepts as an entry.

A submission is a zip file with the run's manifest, its whole log, its figures, and ``submission.json``, which names the
hash of each. Nothing in it is believed: the figures are computed again from the log, on the way in and whenever a
leaderboard is made.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from supermarket_env.compare.sides import Run, read_manifest, read_run
from supermarket_env.errors import ConfigError, SupermarketError
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import read_episodes, read_log
from supermarket_env.metrics import grouped
from supermarket_env.run.build import build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.folder import IDENTITY_KEYS
from supermarket_env.run.manifest import make_manifest

SCHEMA: Final = "supermarket.submission/1"
FILES: Final = ("manifest.json", "metrics.json", "episodes.jsonl")
SUBMISSION: Final = "submission.json"
MAX_UNPACKED: Final = 4 * 1024**3
"""Bytes a submission may unpack to."""

_DATE = (2000, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Submission:
    """An entry of a leaderboard, checked."""

    source: str
    run: Run
    metrics: Mapping[str, Any]
    statement: Mapping[str, Any]


def check_run(run: Path, *, costs: Mapping[str, float] | None = None) -> dict[str, Any]:
    """Check a finished run and return its statement.

    Args:
        run: The run directory.
        costs: Cost a trip of assistants whose log holds none, by name.

    Returns:
        The content of ``submission.json``.

    Raises:
        ConfigError: Naming everything that keeps the run out.
        RunFolderError: If it is no run.
        LogError: If its log breaks the contract.
    """
    manifest = read_manifest(run)
    missing = [name for name in FILES if not (run / name).is_file()]
    if missing:
        raise ConfigError(f"{run}: not a finished run, missing: {', '.join(missing)}")
    episodes = list(read_episodes(run))
    problems = [*_content_problems(manifest, episodes), *_user_problems(manifest, episodes)]
    problems += _metrics_problems(run / "metrics.json", run)
    stated, cost_problems = _costs(manifest, episodes, costs or {})
    problems += cost_problems
    if problems:
        listed = "\n  ".join(problems)
        raise ConfigError(f"{run} cannot be submitted:\n  {listed}")
    return {
        "schema": SCHEMA,
        "agents": list(manifest["agents"]),
        "privileged": list(manifest["privileged"]),
        "user": manifest["user"],
        "suite": manifest["suite"],
        "n_episodes": len(episodes),
        "costs": stated,
        "files": {name: _sha256((run / name).read_bytes()) for name in FILES},
    }


def _content_problems(manifest: Mapping[str, Any], episodes: Sequence[Episode]) -> Iterator[str]:
    """Yield what does not agree between the manifest, the content it names and the log."""
    try:
        plan = build_plan(RunConfig.parse(manifest["config"]))
    except (SupermarketError, KeyError) as error:
        yield f"its configuration cannot be built here: {error}"
        return
    ours = json.loads(json.dumps(make_manifest(plan, ())))
    for key in ("config_hash", *IDENTITY_KEYS, "agents", "privileged", "n_episodes"):
        if manifest.get(key) != ours[key]:
            yield f"{key}: the manifest says {str(manifest.get(key))[:80]}, its content gives {str(ours[key])[:80]}"
    expected = {unit.episode_id: unit.seed for unit in plan.units}
    found = {episode.episode_id: episode for episode in episodes}
    if lacking := sorted(expected.keys() - found.keys()):
        yield f"{len(lacking)} episodes are missing, first {lacking[0]!r}"
    if extra := sorted(found.keys() - expected.keys()):
        yield f"{len(extra)} episodes are no part of the run, first {extra[0]!r}"
    common = sorted(expected.keys() & found.keys())
    if other := [name for name in common if found[name].data.get("seed") != expected[name]]:
        yield f"{len(other)} episodes have another seed than the run's, first {other[0]!r}"
    if failed := [episode.episode_id for episode in episodes if episode.reason == "infra_error"]:
        yield f"{len(failed)} episodes failed in the simulator, first {failed[0]!r}; run the same command again"


def _user_problems(manifest: Mapping[str, Any], episodes: Sequence[Episode]) -> Iterator[str]:
    user = manifest.get("user")
    lacking = [key for key in ("name", "version", "hash") if not (isinstance(user, dict) and user.get(key))]
    if lacking or not isinstance(user, dict):
        yield f"the user model is not named: {', '.join(lacking)} missing"
        return
    others = sorted({str(episode.user) for episode in episodes} - {user["name"]})
    if others:
        yield f"the log has other users than the manifest's {user['name']!r}: {', '.join(others)}"


def _metrics_problems(file: Path, log: Path) -> Iterator[str]:
    """Yield a sentence if the stored figures are not those of the log."""
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        yield f"{file.name} is no JSON ({error})"
        return
    computed = rescored(log)
    if stored != computed:
        yield f"{file.name} is not what the log gives: {_first_difference(stored, computed)}"


def rescored(log: Path) -> dict[str, Any]:
    """Return the figures of a log as a run's ``metrics.json`` holds them, computed anew."""
    result = grouped(read_log([log]).episodes, ("agent",), intervals=True)
    plain: dict[str, Any] = json.loads(json.dumps(result, allow_nan=False))
    return plain


def _first_difference(stored: Any, computed: Any, place: str = "") -> str:
    if isinstance(stored, dict) and isinstance(computed, dict):
        for key in [*computed, *stored]:
            if stored.get(key, ...) != computed.get(key, ...):
                return _first_difference(stored.get(key), computed.get(key), f"{place}.{key}" if place else key)
    if isinstance(stored, list) and isinstance(computed, list) and len(stored) == len(computed):
        for number, (one, two) in enumerate(zip(stored, computed, strict=True)):
            if one != two:
                name = computed[number].get("agent", number) if isinstance(computed[number], dict) else number
                return _first_difference(one, two, f"{place}[{name}]")
    return f"{place or 'all'} says {str(stored)[:60]}, the log gives {str(computed)[:60]}"


def _costs(
    manifest: Mapping[str, Any], episodes: Sequence[Episode], stated: Mapping[str, float]
) -> tuple[dict[str, float], list[str]]:
    """Return the cost a trip of each assistant, and what is missing."""
    own = {e["name"] for e in manifest["config"]["agents"] if isinstance(e, dict) and e.get("_target_")}
    found: dict[str, float] = {}
    problems = []
    for agent in manifest["agents"]:
        mine = [episode for episode in episodes if episode.agent == agent]
        calls = [event for episode in mine for event in episode.events if event["k"] == "usage"]
        if nameless := sum(not call.get("model") for call in calls):
            problems.append(f"{agent}: {nameless} of {len(calls)} model calls do not name their model")
        known = [call["cost"] for call in calls if call.get("cost") is not None]
        if len(known) < len(calls) and agent not in stated:
            missing = len(calls) - len(known)
            problems.append(f"{agent}: {missing} model calls have no cost; state one with --cost {agent}=AMOUNT")
        elif not calls and agent in own and agent not in stated:
            problems.append(f"{agent}: no cost is logged; state it with --cost {agent}=AMOUNT a trip (0 if free)")
        found[agent] = float(stated[agent]) if agent in stated else sum(known) / max(1, len(mine))
    return found, problems


def pack(run: Path, out: Path, *, costs: Mapping[str, float] | None = None) -> dict[str, Any]:
    """Check a run and write it as a zip file, the same bytes for the same run; return the statement.

    Raises:
        SupermarketError: As :func:`check_run`; also if the file cannot be written.
    """
    statement = check_run(run, costs=costs)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        # LZMA: a third of what the usual method leaves of a log.
        with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as packed:
            texts = {SUBMISSION: (json.dumps(statement, indent=1, ensure_ascii=False) + "\n").encode()}
            texts |= {name: (run / name).read_bytes() for name in FILES}
            for name, content in texts.items():
                packed.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_LZMA)
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written ({error.strerror or error})") from error
    return statement


def read_submission(file: Path) -> Submission:
    """Read a submission and check it again: hashes, figures from the log, names and costs.

    Raises:
        ConfigError: If anything in it does not agree.
        LogError: If its log breaks the contract.
    """
    with _unpacked(file) as folder:
        try:
            statement = json.loads((folder / SUBMISSION).read_text(encoding="utf-8"))
            hashes = dict(statement["files"])
            schema = statement["schema"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{file}: {SUBMISSION} is missing or damaged ({error!r})") from None
        if schema != SCHEMA:
            raise ConfigError(f"{file}: expected schema {SCHEMA!r}, got {schema!r}")
        altered = [name for name in FILES if hashes.get(name) != _sha256((folder / name).read_bytes())]
        if altered:
            raise ConfigError(f"{file}: altered after packing: {', '.join(altered)}")
        run = read_run(folder)
        config = RunConfig.parse(run.manifest["config"])
        if config.content_hash() != run.manifest["config_hash"]:
            raise ConfigError(f"{file}: config_hash is not that of the configuration")
        problems = [*_metrics_problems(folder / "metrics.json", folder),
                    *_user_problems(run.manifest, list(read_episodes(folder)))]  # fmt: skip
        costs = statement.get("costs")
        if not isinstance(costs, dict) or set(costs) != set(run.agents):
            problems.append("costs are not stated for every assistant")
        if len(run.rows) != run.manifest["n_episodes"]:
            problems.append(f"{len(run.rows)} episodes, the manifest says {run.manifest['n_episodes']}")
        if problems:
            raise ConfigError(f"{file}: " + "; ".join(problems))
        metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    return Submission(file.name, run, metrics, statement)


@contextmanager
def _unpacked(file: Path) -> Iterator[Path]:
    """Give the files of a submission in a folder of their own; names and sizes are checked first."""
    with tempfile.TemporaryDirectory() as place:
        try:
            with zipfile.ZipFile(file) as packed:
                members = {info.filename: info for info in packed.infolist()}
                unknown = sorted(set(members) ^ {*FILES, SUBMISSION})
                if unknown:
                    raise ConfigError(f"{file}: expected {', '.join((*FILES, SUBMISSION))}; differing: {unknown[0]!r}")
                if sum(info.file_size for info in members.values()) > MAX_UNPACKED:
                    raise ConfigError(f"{file}: unpacks to more than {MAX_UNPACKED} bytes")
                packed.extractall(place)
        except (OSError, zipfile.BadZipFile) as error:
            raise ConfigError(f"{file}: no readable zip file ({error})") from None
        yield Path(place)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
