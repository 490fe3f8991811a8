"""Episodes of neighbouring runs that are exactly those of this run, so that nothing is played twice in a sweep.

An episode is a function of its assistant, user, task, trial, seed, limits, track, and the content and rules behind
them. Two runs may differ in which assistants, how many tasks and how many trials they play, and still share episodes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from supermarket_env.errors import SupermarketError
from supermarket_env.events.log import decode_line, episode_files
from supermarket_env.run.config import flatten, is_hashed
from supermarket_env.run.folder import IDENTITY_KEYS, MANIFEST_FILE

FREE_KEYS = frozenset({"agents", "reference", "trials", "suite.episodes", "scorers"})
"""Keys in which two runs with common episodes may differ."""

PARTIAL = ("catalogues", "stores")
"""Identities by name: a run with fewer tasks may know fewer of them."""


def reusable_lines(
    manifest: Mapping[str, Any], wanted: Collection[str], own: Path, *, neighbours: Path | None = None
) -> Iterator[bytes]:
    """Yield the log lines of wanted episodes that neighbouring runs have already finished.

    Args:
        manifest: That of the run about to be played.
        wanted: Ids of the episodes it still lacks.
        own: Its directory.
        neighbours: Folder with the other run directories; by default the one its own lies in.

    Yields:
        Whole lines, each id once; none of them an infrastructure failure.
    """
    left = set(wanted)
    root = own.parent if neighbours is None else neighbours
    for file in sorted(root.glob(f"*/{MANIFEST_FILE}")):
        if not left:
            return
        if file.parent.resolve() == own.resolve():
            continue
        theirs = _read(str(file), file.stat().st_mtime_ns)
        shared = shared_agents(manifest, theirs) if theirs is not None else frozenset()
        if shared:
            for name, raw in _lines(file.parent, left, shared):
                left.discard(name)
                yield raw


def shared_agents(one: Mapping[str, Any], two: Mapping[str, Any]) -> frozenset[str]:
    """Return the assistants whose episodes mean the same in two runs; none if anything else differs."""
    try:
        ours, theirs = flatten(one["config"]), flatten(two["config"])
        keys = {key for key in (ours.keys() | theirs.keys()) - FREE_KEYS if is_hashed(key)}
        if any(ours.get(key) != theirs.get(key) for key in keys):
            return frozenset()
        if any(one[key] != two[key] for key in IDENTITY_KEYS if key not in PARTIAL):
            return frozenset()
        for key in PARTIAL:
            common = one[key].keys() & two[key].keys()
            if any(one[key][name] != two[key][name] for name in common):
                return frozenset()
        entries, others = _entries(one), _entries(two)
    except (KeyError, TypeError, AttributeError):  # a manifest of another kind: nothing to share
        return frozenset()
    return frozenset(name for name, entry in entries.items() if others.get(name) == entry)


def _entries(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return what defines each assistant of a run, the reference included."""
    found = {}
    for entry in manifest["config"]["agents"]:
        name = entry if isinstance(entry, str) else entry["name"]
        found[name] = json.dumps(entry, sort_keys=True)
    for name in manifest["agents"]:
        found.setdefault(name, json.dumps(name))
    return found


@lru_cache(maxsize=4096)
def _read(file: str, changed: int) -> dict[str, Any] | None:
    """Read a manifest once per change; ``None`` if it is none."""
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _lines(folder: Path, wanted: Collection[str], agents: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Yield id and line of the wanted episodes of a neighbour; a torn or broken line is passed over."""
    try:
        files = episode_files(folder)
    except SupermarketError:
        return
    for file in files:
        with file.open("rb") as stream:
            for raw in stream:
                if not raw.endswith(b"\n"):
                    break
                try:
                    data = decode_line(raw)
                    name, agent = data["episode_id"], data["agent"]
                    ends = [event["reason"] for event in data["events"] if event["k"] == "end"]
                except (ValueError, KeyError, TypeError):
                    continue
                if name in wanted and agent in agents and ends and ends[-1] != "infra_error":
                    yield name, raw


def finished_beside(manifest: Mapping[str, Any], wanted: Collection[str], own: Path) -> set[str]:
    """Return the ids of wanted episodes that neighbouring runs have already finished."""
    return {str(decode_line(raw)["episode_id"]) for raw in reusable_lines(manifest, wanted, own)}
