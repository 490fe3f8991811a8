"""Checked, packed runs: what a leaderboard accepts as an entry.

A submission is a zip file with the run's manifest, its whole log, its scores if it has any, its figures, and
``submission.json``, which names the hash of each. Nothing in it is believed: the figures are computed again from the
log, on the way in and whenever a leaderboard is made; scores as far as that is possible
(:mod:`supermarket_env.report.submitted_scores`).
"""

from __future__ import annotations

import hashlib
import json
import lzma
import math
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from supermarket_env.compare.manifest import read_manifest
from supermarket_env.compare.sides import Run, read_run
from supermarket_env.errors import ConfigError, SupermarketError
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import read_episodes, read_log
from supermarket_env.metrics import grouped
from supermarket_env.report.submission_content import (
    content_problems,
    figure_differences,
    statement_form,
    statement_problems,
    user_problems,
)
from supermarket_env.report.submitted_scores import SCORES_NAME, check_scores, scores_names

SCHEMA: Final = "supermarket.submission/1"
FILES: Final = ("manifest.json", "metrics.json", "episodes.jsonl")
"""Files of every submission; those of scores come on top."""
SUBMISSION: Final = "submission.json"
MAX_UNPACKED: Final = 4 * 1024**3
"""Bytes a submission may unpack to."""

_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
)
"""What zipfile raises for damaged, encrypted or oddly packed files."""

_DATE = (2000, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Submission:
    """An entry of a leaderboard, checked."""

    source: str
    run: Run
    metrics: Mapping[str, Any]
    """Computed from the log now."""
    statement: Mapping[str, Any]
    n_not_compared: int = 0
    """Figures this version computes that its ``metrics.json`` does not have."""


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
    problems = [*content_problems(manifest, episodes), *user_problems(manifest, episodes)]
    ways, score_problems = check_scores(run, manifest["config"].get("scorers") or ())
    problems += score_problems
    different, n_not_compared = _metrics_problems(run / "metrics.json", rescored(run))
    problems += different
    stated, cost_problems = _costs(manifest, episodes, costs or {})
    problems += cost_problems
    if problems:
        listed = "\n  ".join(problems)
        raise ConfigError(f"{run} cannot be submitted:\n  {listed}")
    statement = {
        "schema": SCHEMA,
        "agents": list(manifest["agents"]),
        "privileged": list(manifest["privileged"]),
        "user": manifest["user"],
        "suite": manifest["suite"],
        "n_episodes": len(episodes),
        "costs": stated,
    }
    if n_not_compared:
        statement["n_not_compared"] = n_not_compared
    if ways:  # nothing is said about scores without any, so that such a run packs to the bytes it always had
        statement["scores"] = ways
    names = (*FILES, *scores_names(run))
    return {**statement, "files": {name: _sha256((run / name).read_bytes()) for name in names}}


def _metrics_problems(file: Path, computed: Mapping[str, Any]) -> tuple[list[str], int]:
    """Return a sentence if the stored figures are not those of the log, and how many could not be compared."""
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        return [f"{file.name} is no JSON ({error})"], 0
    found = list(figure_differences(stored, computed))
    wrong = [what for what, contradicts in found if contradicts]
    problems = [f"{file.name} is not what the log gives: {wrong[0]}"] if wrong else []
    return problems, len(found) - len(wrong)


def rescored(log: Path) -> dict[str, Any]:
    """Return the figures of a log as a run's ``metrics.json`` holds them, computed anew."""
    result = grouped(read_log([log]).episodes, ("agent",), intervals=True)
    plain: dict[str, Any] = json.loads(json.dumps(result, allow_nan=False))
    return plain


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
        if not 0 <= found[agent] < math.inf:
            problems.append(f"{agent}: expected a cost of 0 or more a trip, its log gives {found[agent]}")
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
            texts |= {name: (run / name).read_bytes() for name in statement["files"]}
            for name, content in texts.items():
                packed.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_LZMA)
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written ({error.strerror or error})") from error
    return statement


def read_submission(file: Path) -> Submission:
    """Read a submission and check it again: hashes, content, seeds, figures from the log, names and costs.

    Nothing that it names is run: own assistants are known by their names alone.

    Raises:
        ConfigError: If it is no readable zip file, its log breaks the contract, or anything in it does not agree; the
            message begins with the file.
    """
    with _unpacked(file) as folder:
        try:
            return _checked(file, folder)
        except SupermarketError as error:
            # The folder is gone when this is read: what is wrong is in the file.
            reason = str(error).replace(f"{folder}/", "").replace(f"{folder}: ", "")
            raise ConfigError(f"{file}: {reason}") from None


def _checked(file: Path, folder: Path) -> Submission:
    try:
        statement = json.loads((folder / SUBMISSION).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{SUBMISSION} is damaged ({error})") from None
    if problems := statement_form(statement):
        raise ConfigError(f"{SUBMISSION} is damaged: {'; '.join(problems)}")
    hashes = statement["files"]
    names = (*FILES, *scores_names(folder))
    altered = [name for name in names if hashes.get(name) != _sha256((folder / name).read_bytes())]
    altered += sorted(hashes.keys() - set(names))
    if altered:
        raise ConfigError(f"altered after packing: {', '.join(altered)}")
    run = read_run(folder)
    episodes = list(read_episodes(folder))
    metrics = rescored(folder)
    different, n_not_compared = _metrics_problems(folder / "metrics.json", metrics)
    problems = [
        *content_problems(run.manifest, episodes, builds=False),
        *user_problems(run.manifest, episodes),
        *statement_problems(statement, run.manifest),
    ]
    if not problems:  # what names the scorers of the run is in order
        problems += check_scores(folder, run.manifest["config"].get("scorers") or ())[1]
    problems += different
    if problems:
        raise ConfigError("; ".join(problems))
    return Submission(file.name, run, metrics, statement, n_not_compared)


@contextmanager
def _unpacked(file: Path) -> Iterator[Path]:
    """Give the files of a submission in a folder of their own; names and sizes are checked first."""
    with tempfile.TemporaryDirectory() as place:
        try:
            with zipfile.ZipFile(file) as packed:
                members = packed.infolist()
                names = sorted(info.filename for info in members)
                expected = {*FILES, SUBMISSION, *(name for name in names if SCORES_NAME.fullmatch(name))}
                if names != sorted(expected):
                    odd = sorted(set(names) ^ expected) or [name for name in names if names.count(name) > 1]
                    raise ConfigError(f"{file}: expected {', '.join((*FILES, SUBMISSION))}; differing: {odd[0]!r}")
                if sum(info.file_size for info in members) > MAX_UNPACKED:
                    raise ConfigError(f"{file}: unpacks to more than {MAX_UNPACKED} bytes")
                packed.extractall(place)
        except ConfigError:
            raise
        except _UNREADABLE as error:
            raise ConfigError(f"{file}: no readable zip file ({error})") from None
        yield Path(place)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
