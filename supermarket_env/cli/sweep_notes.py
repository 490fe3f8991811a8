"""What became of the jobs of a sweep, written down where every launcher's processes can reach it.

A small file a job in a hidden folder of the sweep, which goes away with the end of the command. A job that has begun
and neither ended nor failed is one whose process died.
"""

from __future__ import annotations

import json
import os
import platform
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

FOLDER = ".sweep"

HYDRAS = "multirun.yaml"
"""Hydra's own file in the folder of a sweep."""


@dataclass(frozen=True, slots=True)
class Note:
    """One job."""

    sweep: str
    """What tells this sweep's notes from those that an earlier, killed one left behind."""
    job: int
    """Its number in the sweep."""
    command: str
    """What plays it again."""
    state: Literal["begun", "done", "failed"] = "begun"
    reason: str = ""

    def done(self) -> Note:
        """Return the note of the job at its end."""
        return replace(self, state="done")

    def failed(self, reason: str) -> Note:
        """Return the note of the job that failed."""
        return replace(self, state="failed", reason=reason)


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes of one sweep; it may travel to other processes."""

    folder: Path
    sweep: str

    @classmethod
    @contextmanager
    def kept(cls, base: Path) -> Iterator[Notes]:
        """Keep notes in a folder below ``base`` meanwhile; nothing of them is left afterwards, nor of killed sweeps."""
        notes = cls(base.absolute() / FOLDER, f"{platform.node()}|{os.getpid()}|{uuid.uuid4().hex}")
        notes.folder.mkdir(parents=True, exist_ok=True)
        for file, note in notes._all():
            if _is_abandoned(note.sweep):
                file.unlink(missing_ok=True)
        try:
            yield notes
        finally:
            for file, _ in notes._mine():
                file.unlink(missing_ok=True)
            (notes.folder / HYDRAS).unlink(missing_ok=True)
            with suppress(OSError):  # another sweep in the same folder has notes in it
                notes.folder.rmdir()

    def begin(self, job: int, command: str) -> Note:
        """Note that a job begins; return its note."""
        note = Note(self.sweep, job, command)
        self.write(note)
        return note

    def write(self, note: Note) -> None:
        """Write a job's note, in place of an earlier one."""
        file = self.folder / f"{note.sweep.rpartition('|')[2]}-{note.job}.json"
        beside = file.with_suffix(".tmp")
        beside.write_text(json.dumps(asdict(note)), encoding="utf-8")
        beside.replace(file)

    def read(self) -> list[Note]:
        """Return this sweep's notes in the order in which they were last written."""
        return [note for _, note in self._mine()]

    def any_failed(self) -> bool:
        """Whether a job has failed already."""
        return any(note.state == "failed" for note in self.read())

    def _mine(self) -> list[tuple[Path, Note]]:
        return [(file, note) for file, note in self._all() if note.sweep == self.sweep]

    def _all(self) -> list[tuple[Path, Note]]:
        found = []
        for file in self.folder.glob("*.json"):
            with suppress(OSError, ValueError, TypeError):  # gone or replaced meanwhile, or of another version
                note = Note(**json.loads(file.read_text(encoding="utf-8")))
                found.append((file.stat().st_mtime_ns, file, note))
        return [(file, note) for _, file, note in sorted(found, key=lambda entry: entry[0])]


def _is_abandoned(sweep: str) -> bool:
    """Whether the command of a sweep ran on this machine and is gone."""
    node, _, rest = sweep.partition("|")
    number = rest.partition("|")[0]
    if node != platform.node() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:  # somebody else's process
        return False
    return False
