"""The manifest of a run as all readers take it: read and checked once, so that nobody meets half a manifest later."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from supermarket_env.errors import RunFolderError
from supermarket_env.events.nearby import nearest_run

MANIFEST: Final = "manifest.json"
SHOWN: Final = 8
"""Runs named when a folder of runs stands where one run is expected."""
SCHEMA: Final = "supermarket.run/1"


class _Form(BaseModel):
    """A part of a manifest; further keys are let through."""

    model_config = ConfigDict(extra="allow", strict=True)


class _Named(_Form):
    name: str


class _Config(_Form):
    agents: list[Any]
    seed: int
    trials: int
    limits: dict[str, Any]
    suite: dict[str, Any]


class _Manifest(_Form):
    form: Annotated[Literal["supermarket.run/1"], Field(alias="schema")]
    package_version: str | None
    comparability: str
    config: _Config
    config_hash: str
    track: str
    user: _Named
    suite: _Named
    catalogues: dict[str, str]
    stores: dict[str, str]
    rules: str
    agents: Annotated[list[str], Field(min_length=1)]
    privileged: list[str]
    reference: str | None = None
    n_episodes: Annotated[int, Field(ge=0)]
    metric_definition: str


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of a run directory, every entry that readers rely on being there and of its kind.

    Raises:
        RunFolderError: If there is none, or it is no manifest of a run; each entry that does not fit is named.
    """
    check_run_folder(path)
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RunFolderError(f"{path}: expected a run directory with a {MANIFEST} ({error})") from None
    problems = manifest_problems(manifest)
    if problems:
        raise RunFolderError(f"{path}: {MANIFEST} is not that of a run: {'; '.join(problems)}")
    checked: dict[str, Any] = manifest
    return checked


def check_run_folder(path: Path) -> None:
    """Refuse what is no run directory with the runs that may be meant: those inside it, or the nearest by name.

    Raises:
        RunFolderError: If there is no manifest.
    """
    if (path / MANIFEST).is_file():
        return
    if not path.exists():
        raise RunFolderError(f"{path}: no such run directory.{nearest_run(path)}")
    inside = find_runs(path)
    if not inside:
        raise RunFolderError(f"{path}: expected a run directory with a {MANIFEST}")
    listed = ", ".join(map(str, inside[:SHOWN])) + (", ..." if len(inside) > SHOWN else "")
    raise RunFolderError(f"{path} is no run but holds {len(inside)}; name one of them: {listed}")


def find_runs(folder: Path) -> list[Path]:
    """Return the run directories at or below a folder, sorted; nothing is looked for inside a run."""
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if MANIFEST in files:
            folders.clear()
            found.append(Path(place))
    return sorted(found)


def manifest_problems(data: Any) -> list[str]:
    """Return a sentence for each entry that does not fit the form of a manifest; empty if all do.

    >>> manifest_problems([1])
    ['expected an object, got [1]']
    """
    return form_problems(_Manifest, data)


def form_problems(model: type[BaseModel], data: Any) -> list[str]:
    """Return a sentence for each entry of decoded JSON that does not fit a model: place, what was expected, what came.

    Empty if everything fits.
    """
    if not isinstance(data, dict):
        return [f"expected an object, got {data!r:.60}"]
    try:
        model.model_validate(data)
    except ValidationError as error:
        return [_sentence(problem) for problem in error.errors(include_url=False)]
    return []


def _sentence(problem: Any) -> str:
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "missing":
        return f"{place} is missing"
    message = problem["msg"].partition(" or instance of ")[0].replace("Input should be ", "expected ")
    message = message.replace("a valid dictionary", "an object").replace("a valid integer", "an integer")
    return f"{place}: {message.replace('a valid ', 'a ')}, got {problem['input']!r:.60}"
