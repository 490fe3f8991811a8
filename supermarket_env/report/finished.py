"""A finished run as its readers need it: manifest and figures of the right form, and a log that they can be of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from supermarket_env.compare.manifest import form_problems, read_manifest
from supermarket_env.errors import RunFolderError
from supermarket_env.events.log import EPISODES_FILE
from supermarket_env.events.types import SCHEMA as EPISODE_SCHEMA

METRICS: Final = "metrics.json"
_BEGINNING: Final = f'{{"schema":"{EPISODE_SCHEMA}",'.encode()
"""How the game writes a line; others may write the same data otherwise."""


class _Group(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    agent: str
    n: Annotated[int, Field(ge=0)]
    n_infra: Annotated[int, Field(ge=0)] = 0
    intervals: dict[str, Any] | None = None


class _Metrics(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    groups: list[_Group]


class _Head(msgspec.Struct):
    schema: str


_HEADS: Final = msgspec.json.Decoder(_Head)


def read_finished(run: Path, *, check_log: bool = True) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the figures and the manifest of a finished run.

    Args:
        run: The run directory.
        check_log: Hold both against the log: it must be whole, of the schema this version reads, and have as many
            episodes as the manifest and the figures say. Off for who has just written it.

    Returns:
        The content of ``metrics.json`` and of ``manifest.json``.

    Raises:
        RunFolderError: If one of them is missing or damaged, or is not of the log that lies beside it.
    """
    manifest = read_manifest(run)
    file = run / METRICS
    try:
        metrics = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RunFolderError(f"{run}: expected a finished run directory with a {METRICS} ({error})") from None
    if problems := form_problems(_Metrics, metrics):
        raise RunFolderError(
            f"{file}: damaged: {'; '.join(problems)}. Without the file, the command that made the run writes it anew"
        )
    if check_log:
        _check_log(run, manifest, metrics)
    return metrics, manifest


def _check_log(run: Path, manifest: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    log = run / EPISODES_FILE
    if not log.is_file():
        raise RunFolderError(f"{run}: its {EPISODES_FILE} is missing; without a log its figures cannot be trusted")
    found = _count_episodes(log)
    told = sum(group["n"] + group.get("n_infra", 0) for group in metrics["groups"])
    for name, number in (("manifest.json", manifest["n_episodes"]), (METRICS, told)):
        if number != found:
            raise RunFolderError(
                f"{run}: {EPISODES_FILE} has {found} episodes, {name} says {number}: the figures are not those of this "
                "log; the command that made the run plays what is missing"
            )


def _count_episodes(log: Path) -> int:
    """Return how many episodes a log has.

    Raises:
        RunFolderError: If a line is no episode of the schema this version reads.
    """
    try:
        with log.open("rb") as stream:
            return sum(_is_episode(log, number, raw) for number, raw in enumerate(stream, start=1))
    except OSError as error:
        raise RunFolderError(f"{log}: cannot be read ({error.strerror or error})") from error


def _is_episode(log: Path, number: int, raw: bytes) -> bool:
    """Whether a line counts: blank ones and a torn last one do not, anything else must be an episode."""
    is_whole = raw.endswith(b"\n")
    if is_whole and raw.startswith(_BEGINNING):
        return True
    if raw.isspace():
        return False
    try:
        schema = _HEADS.decode(raw).schema
    except (msgspec.DecodeError, UnicodeDecodeError):
        if not is_whole:
            return False
        raise RunFolderError(f"{log}, line {number}: not an episode") from None
    if schema != EPISODE_SCHEMA:
        raise RunFolderError(f"{log}, line {number}: expected schema {EPISODE_SCHEMA!r}, got {schema!r}")
    return True
