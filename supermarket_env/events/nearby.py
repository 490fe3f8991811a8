"""The run directory that was probably meant by a path with nothing there."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

MARKS: Final = ("manifest.json", "episodes.jsonl")
"""A folder with one of these is a run."""

DEFAULT_PLACE: Final = "runs"
"""Where runs go that were not given a place."""

CLOSE: Final = 0.6
"""Likeness from 0 to 1 from which a name is worth suggesting."""


def nearest_run(path: Path) -> str:
    """Return `` Did you mean 'x'?`` with the existing run whose name is closest, or an empty string.

    Looked for beside the path, and in the default place. A run without ``out`` has a hash after its suite's name, so a
    name that goes on after the one given is close.

    >>> nearest_run(Path("nowhere/at/all"))
    ''
    """
    scored = [(_likeness(path.name, run.name), str(run)) for run in _runs_near(path)]
    best = max(scored, key=lambda found: (found[0], found[1]), default=None)
    return f" Did you mean {best[1]!r}?" if best is not None and best[0] >= CLOSE else ""


def _likeness(name: str, other: str) -> float:
    if other.startswith((f"{name}-", f"{name}_")) and name:
        return 1.0
    return SequenceMatcher(None, name, other).ratio()


def _runs_near(path: Path) -> Iterator[Path]:
    for place in dict.fromkeys((path.parent, path.parent / DEFAULT_PLACE, Path(DEFAULT_PLACE), Path())):
        try:
            folders = sorted(folder for folder in place.iterdir() if folder.is_dir())
        except OSError:
            continue
        # A folder of runs, as a sweep leaves one, can be meant as well.
        yield from (f for f in folders if any(next(f.glob(p + mark), None) for mark in MARKS for p in ("", "*/")))
