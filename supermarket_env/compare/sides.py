"""One side of a comparison: an assistant of a run; and whether two runs may be compared at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from supermarket_env.compare.manifest import read_manifest
from supermarket_env.errors import ConfigError, nearest
from supermarket_env.events.log import read_log
from supermarket_env.metrics.aggregate import rows_of
from supermarket_env.metrics.pairing import partners_of
from supermarket_env.metrics.row import EpisodeRow, PairKey

MUST_AGREE: Final = ("catalogues", "stores", "suite", "track", "user", "rules", "metric_definition")
"""Entries of the manifest that must be the same; else the difference is not one between assistants."""

LIMITS: Final = ("max_turns", "strikes")
"""Limits of the configuration that must be the same as well."""


NOT_COMPARABLE: Final = "NOT COMPARABLE"
"""How the warnings of a forced comparison begin, and what its results are marked with."""


@dataclass(frozen=True)
class Run:
    """A finished run: its manifest and one row an episode."""

    path: Path
    manifest: Mapping[str, Any]
    rows: tuple[EpisodeRow, ...] = field(repr=False)

    @cached_property
    def index(self) -> Mapping[PairKey, Sequence[EpisodeRow]]:
        """The reference assistant's episodes by what a partner must share."""
        return partners_of(self.rows)

    @property
    def agents(self) -> tuple[str, ...]:
        """The assistants of the run, in the order of its manifest."""
        return tuple(self.manifest["agents"])

    def rows_of(self, agent: str) -> tuple[EpisodeRow, ...]:
        """Return the episodes of one assistant."""
        return tuple(row for row in self.rows if row.agent == agent)


@dataclass(frozen=True)
class Side:
    """One assistant of one run."""

    run: Run
    agent: str

    @property
    def label(self) -> str:
        """The assistant's name, a star added if it is told the truth."""
        return f"{self.agent}*" if self.agent in self.run.manifest.get("privileged", ()) else self.agent

    @cached_property
    def rows(self) -> tuple[EpisodeRow, ...]:
        """Its episodes."""
        return self.run.rows_of(self.agent)


def read_run(path: Path) -> Run:
    """Read a run directory.

    Raises:
        RunFolderError: If it is none.
        LogError: If its log breaks the contract.
    """
    manifest = read_manifest(path)
    return Run(path, manifest, tuple(rows_of(read_log([path]).episodes)))


def split_word(word: str) -> tuple[Path, str | None]:
    """Split ``RUN[:AGENT]``.

    >>> split_word("runs/a:rule")
    (PosixPath('runs/a'), 'rule')
    """
    if Path(word).is_dir():
        return Path(word), None
    path, colon, agent = word.rpartition(":")
    return (Path(path), agent) if colon and path and "/" not in agent else (Path(word), None)


def read_sides(words: Sequence[str]) -> list[Side]:
    """Read the sides of a comparison, each run once.

    Args:
        words: ``RUN`` or ``RUN:AGENT``; without an assistant the run's only one besides its reference.

    Raises:
        ConfigError: If an assistant is missing or cannot be guessed, naming those there are.
        RunFolderError: If a run is none.
    """
    runs: dict[Path, Run] = {}
    sides = []
    for word in words:
        path, agent = split_word(word)
        key = path.resolve()
        if key not in runs:
            runs[key] = read_run(path)
        sides.append(Side(runs[key], agent_of(runs[key], agent)))
    return sides


def whole_run(word: str) -> list[str]:
    """Return every assistant of a run as ``RUN:AGENT``, its reference (or first assistant) in front.

    Raises:
        RunFolderError: If it is no run.
    """
    manifest = read_manifest(Path(word))
    base = manifest.get("reference") or manifest["agents"][0]
    return [f"{word}:{name}" for name in (base, *(name for name in manifest["agents"] if name != base))]


def agent_of(run: Run, agent: str | None) -> str:
    """Return the assistant meant in a run.

    Raises:
        ConfigError: If it is not in the run, or none is named and several could be meant.
    """
    names = run.agents
    if agent is not None:
        if agent not in names:
            listed = ", ".join(names)
            raise ConfigError(f"{run.path} has no assistant {agent!r}; it has {listed}.{nearest(agent, names)}")
        return agent
    others = [name for name in names if name != run.manifest.get("reference")] or list(names)
    if len(others) > 1:
        choices = ", ".join(f"{run.path}:{name}" for name in others)
        raise ConfigError(f"{run.path} has several assistants; say which: {choices}")
    return others[0]


def unlike(one: Mapping[str, Any], two: Mapping[str, Any]) -> list[str]:
    """Return one sentence for each thing that must agree between two manifests and does not."""
    found = [
        f"{key}: {_short(one.get(key))} against {_short(two.get(key))}"
        for key in MUST_AGREE
        if one.get(key) != two.get(key)
    ]
    for key in LIMITS:
        ours, theirs = (manifest.get("config", {}).get("limits", {}).get(key) for manifest in (one, two))
        if ours != theirs:
            found.append(f"limits.{key}: {ours} against {theirs}")
    return found


def luck_note(one: Mapping[str, Any], two: Mapping[str, Any]) -> str | None:
    """Return a sentence if two runs had different seeds: the same tasks, but not the same luck."""
    ours, theirs = one.get("config", {}).get("seed"), two.get("config", {}).get("seed")
    if ours == theirs:
        return None
    return f"run seeds {ours} and {theirs} differ: pairs share their task, not their luck, and intervals are wider"


def check_alike(sides: Sequence[Side], *, force: bool = False) -> list[str]:
    """Check that all sides can be compared with the first.

    Args:
        sides: Two or more sides.
        force: Return what does not agree instead of refusing.

    Returns:
        Warnings to show with every result; empty when all is well.

    Raises:
        ConfigError: If something does not agree and ``force`` is off.
    """
    problems: list[str] = []
    notes: list[str] = []
    first = sides[0].run
    for side in sides[1:]:
        problems += [f"{first.path} and {side.run.path}: {what}" for what in unlike(first.manifest, side.run.manifest)]
        note = luck_note(first.manifest, side.run.manifest)
        notes += [f"{first.path} and {side.run.path}: {note}"] if note else []
    for side in sides:
        wanted = side.run.manifest.get("n_episodes")
        if isinstance(wanted, int) and len(side.run.rows) < wanted:
            notes.append(f"{side.run.path} is unfinished: {len(side.run.rows)} of {wanted} episodes")
    problems, notes = list(dict.fromkeys(problems)), list(dict.fromkeys(notes))
    if problems and not force:
        lines = "\n  ".join(problems)
        raise ConfigError(f"these runs cannot be compared:\n  {lines}\n--force compares them all the same, flagged")
    return [*(f"{NOT_COMPARABLE}, forced: {problem}" for problem in problems), *notes]


def flag_of(warnings: Iterable[str]) -> str:
    """Return what marks every result of a forced comparison, empty for runs that may be compared."""
    return NOT_COMPARABLE if any(warning.startswith(NOT_COMPARABLE) for warning in warnings) else ""


def _short(value: Any) -> str:
    """Return a manifest's entry in a few characters: names and the beginnings of hashes."""
    if isinstance(value, Mapping):
        parts = []
        for key, inner in list(value.items())[:3]:
            text = str(inner)
            parts.append(f"{key} {text[:12] if len(text) > 24 else text}")
        return "{" + ", ".join(parts) + (", ..." if len(value) > 3 else "") + "}"
    text = str(value)
    return text[:12] if len(text) > 24 else text
