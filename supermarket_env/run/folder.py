"""The run directory: one owner at a time, whole lines only, and the same bytes however often a run was interrupted.

While a run goes on, each worker appends finished episodes to a shard ``episodes-NNNN.jsonl``. At the end the shards
become ``episodes.jsonl``, sorted by ``episode_id`` and written beside it before it takes its name. A process killed at
any moment therefore leaves either the shards or the whole file, and loses at most the episodes in flight.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

import msgspec

from supermarket_env.errors import LogError, RunFolderError
from supermarket_env.events.log import EPISODES_FILE
from supermarket_env.events.recorder import Recorder
from supermarket_env.run.config import differing_keys
from supermarket_env.run.lock import LOCK_FILE, take_lock

MANIFEST_FILE = "manifest.json"
TIMINGS_FILE = "timings.jsonl"
SHARD_PATTERN = "episodes-*.jsonl"

IDENTITY_KEYS = ("package_version", "metric_definition", "track", "user", "rules", "suite", "catalogues", "stores")
"""Entries of the manifest besides the configuration that must not change while a folder is in use."""


class _Mark(msgspec.Struct):
    """What an index needs of an event."""

    k: str
    reason: Any = None


class _Head(msgspec.Struct):
    """What an index needs of an episode: decoding no more than this is several times faster."""

    episode_id: str
    events: list[_Mark]


_HEADS = msgspec.json.Decoder(_Head)


class _Line(NamedTuple):
    """Where one finished episode stands."""

    file: Path
    offset: int
    length: int
    is_infra: bool


class RunFolder:
    """A run directory, locked while open. Use it as a context manager."""

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        """Open or create the directory for a run.

        Args:
            path: The directory.
            manifest: What describes the run: ``config`` (resolved), ``config_hash`` and the identity keys.

        Raises:
            RunFolderError: If it belongs to another run (the keys that differ are named), to another program, cannot
                be written, or is in use by another process.
        """
        self.path = path
        self._lock: IO[str] | None = None
        self._timings: IO[str] | None = None
        self._timings_lock = threading.Lock()
        self._index: dict[str, _Line] = {}
        self._next_shard = 0
        try:
            _refuse_foreign(path)
            path.mkdir(parents=True, exist_ok=True)
            self._lock = take_lock(path)
            self._check_manifest(manifest)
            self._load()
        except OSError as error:
            self.close()
            raise RunFolderError(f"{path}: cannot be used as a run directory ({error.strerror or error})") from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the directory; closing twice is harmless."""
        for stream in (self._timings, self._lock):
            if stream is not None:
                stream.close()
        self._timings = self._lock = None

    @property
    def finished(self) -> frozenset[str]:
        """Ids of the episodes that are done for good (``infra_error`` ones are not)."""
        return frozenset(name for name, line in self._index.items() if not line.is_infra)

    @property
    def merged(self) -> Path:
        """The one file of all episodes."""
        return self.path / EPISODES_FILE

    def is_complete(self, expected: Iterable[str]) -> bool:
        """Whether the merged file exists and nothing is left to play or to merge."""
        return self.merged.is_file() and not any(self.path.glob(SHARD_PATTERN)) and self.finished >= set(expected)

    def check_expected(self, expected: Iterable[str]) -> None:
        """Refuse a folder that holds episodes this run does not have.

        Raises:
            RunFolderError: naming the first such episode.
        """
        foreign = sorted(set(self._index) - set(expected))
        if foreign:
            raise RunFolderError(
                f"{self.path}: holds {len(foreign)} episodes that are no part of this run: {foreign[0]!r}"
            )

    def new_shard(self) -> Path:
        """Return the path of a shard nobody has written to."""
        path = self.path / f"episodes-{self._next_shard:04d}.jsonl"
        self._next_shard += 1
        return path

    def adopt(self, lines: Iterable[bytes]) -> int:
        """Take over finished episodes of other runs, whole lines as they stand; return how many."""
        count = 0
        shard = self.new_shard()
        with shard.open("wb") as out:
            for line in lines:
                out.write(line.rstrip(b"\r\n") + b"\n")
                count += 1
        if count:
            self._index = dict(self._read_index())
        else:
            shard.unlink()
        return count

    def note_timing(self, entry: Mapping[str, Any]) -> None:
        """Append one line to ``timings.jsonl``: what may differ between two equal runs."""
        with self._timings_lock:
            if self._timings is None:
                file = self.path / TIMINGS_FILE
                torn = file.is_file() and file.stat().st_size > 0 and not _ends_with_newline(file)
                self._timings = file.open("a", encoding="utf-8", buffering=1)
                if torn:
                    self._timings.write("\n")
            self._timings.write(json.dumps(entry) + "\n")

    def merge(self, expected: Iterable[str]) -> Path:
        """Make the one sorted file of all episodes and remove the shards.

        Raises:
            RunFolderError: If an expected episode is missing.
        """
        self._index = dict(self._read_index())
        wanted = sorted(expected)
        missing = [name for name in wanted if name not in self._index]
        if missing:
            raise RunFolderError(f"{self.path}: {len(missing)} episodes are missing, first {missing[0]!r}")
        files: dict[Path, IO[bytes]] = {}
        index: dict[str, _Line] = {}
        offset = 0
        try:
            with _Replacement(self.merged) as out:
                for name in wanted:
                    line = self._index[name]
                    if line.file not in files:
                        files[line.file] = line.file.open("rb")
                    files[line.file].seek(line.offset)
                    length = out.write(files[line.file].read(line.length).rstrip(b"\r\n") + b"\n")
                    index[name] = _Line(self.merged, offset, length, line.is_infra)
                    offset += length
        finally:
            for stream in files.values():
                stream.close()
        self._remove_shards()
        self._index = index
        return self.merged

    def write(self, name: str, text: str) -> Path:
        """Write a small derived file in one step."""
        target = self.path / name
        with _Replacement(target) as out:
            out.write(text.encode())
        return target

    def _check_manifest(self, manifest: Mapping[str, Any]) -> None:
        file = self.path / MANIFEST_FILE
        if not file.is_file() or self._is_empty():
            self.write(MANIFEST_FILE, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
            return
        try:
            theirs = json.loads(file.read_text(encoding="utf-8"))
            config, config_hash = theirs["config"], theirs["config_hash"]
            if not isinstance(config, dict):
                raise TypeError(f"config is a {type(config).__name__}")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise RunFolderError(f"{file}: damaged, expected a run's manifest ({error}); choose another out") from None
        if config_hash != manifest["config_hash"]:
            keys = differing_keys(manifest["config"], config)
            raise RunFolderError(
                f"{self.path}: holds a run with another configuration; different: {', '.join(keys) or 'unknown'}. "
                "Choose another out, or delete the folder."
            )
        plain = json.loads(json.dumps(manifest))
        changed = [key for key in ("schema", *IDENTITY_KEYS) if plain.get(key) != theirs.get(key)]
        if changed:
            raise RunFolderError(
                f"{self.path}: holds a run of the same configuration with other content; different: "
                f"{', '.join(changed)}. Choose another out, or delete the folder."
            )

    def _is_empty(self) -> bool:
        """Whether not one episode was written yet, so that nothing is lost if the manifest is replaced."""
        return not self.merged.is_file() and not any(file.stat().st_size for file in self.path.glob(SHARD_PATTERN))

    def _load(self) -> None:
        """Index what is there, drop leftovers of a write that did not finish, and make room for new shards."""
        for leftover in self.path.glob("*.tmp"):
            leftover.unlink()
        self._index = dict(self._read_index())
        shards = sorted(self.path.glob(SHARD_PATTERN))
        if any(line.is_infra and line.file in shards for line in self._index.values()):
            self._rewrite_without_infra(shards)
            self._index = dict(self._read_index())
        numbers = [int(stem) for shard in shards if (stem := shard.stem.rpartition("-")[2]).isdigit()]
        self._next_shard = max(numbers, default=-1) + 1

    def _read_index(self) -> Iterator[tuple[str, _Line]]:
        """Yield the finished episodes; later ones win only over ``infra_error`` ones."""
        best: dict[str, _Line] = {}
        files = [self.merged] if self.merged.is_file() else []
        for file in [*files, *sorted(self.path.glob(SHARD_PATTERN))]:
            for name, line in _index_file(file):
                if name not in best or best[name].is_infra:
                    best[name] = line
        yield from best.items()

    def _rewrite_without_infra(self, shards: list[Path]) -> None:
        """Take the episodes to be redone out of the shards, so that no id stands in two of them."""
        for shard in shards:
            kept = [line for _, line in _index_file(shard) if not line.is_infra]
            raw = shard.read_bytes()
            with _Replacement(shard) as out:
                for line in kept:
                    out.write(raw[line.offset : line.offset + line.length].rstrip(b"\r\n") + b"\n")

    def _remove_shards(self) -> None:
        for shard in self.path.glob(SHARD_PATTERN):
            shard.unlink()


def open_shard(path: Path) -> Recorder:
    """Return the recorder that appends finished episodes to a shard."""
    return Recorder(path)


def _index_file(file: Path) -> Iterator[tuple[str, _Line]]:
    """Yield id and place of every whole episode of a file; a torn last line is passed over.

    Raises:
        LogError: If a line with its line end is not an episode.
    """
    offset = 0
    with file.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            place, offset = offset, offset + len(raw)
            if raw.isspace():
                continue
            try:
                head = _HEADS.decode(raw)
                reason = next(event.reason for event in reversed(head.events) if event.k == "end")
                if type(reason) is not str:
                    raise msgspec.ValidationError("an end without its reason")
            except (msgspec.ValidationError, StopIteration):
                raise LogError(f"{file}, line {number}: not an episode; the run directory is damaged") from None
            except (msgspec.DecodeError, UnicodeDecodeError):
                if not raw.endswith(b"\n"):
                    return
                raise LogError(f"{file}, line {number}: not JSON; the run directory is damaged") from None
            yield head.episode_id, _Line(file, place, len(raw), reason == "infra_error")


def _refuse_foreign(path: Path) -> None:
    """Refuse a path that is no directory, or a directory with somebody else's files.

    Raises:
        RunFolderError: naming what stands in the way.
    """
    if not path.exists():
        return
    if not path.is_dir():
        raise RunFolderError(f"{path}: expected a directory, it is a file; choose another out")
    entries = sorted(entry.name for entry in path.iterdir() if entry.name != LOCK_FILE)
    ours = {MANIFEST_FILE, f"{MANIFEST_FILE}.tmp"}
    if entries and not ours & set(entries):
        raise RunFolderError(
            f"{path}: not a run directory (no {MANIFEST_FILE}, but {entries[0]!r}); choose an empty or new folder"
        )


class _Replacement:
    """Write a file beside its final name; on success it takes the name in one step."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._beside = target.with_name(f"{target.name}.tmp")

    def __enter__(self) -> IO[bytes]:
        self._stream = self._beside.open("wb")
        return self._stream

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self._stream.close()
        if kind is not None:
            self._beside.unlink(missing_ok=True)
            return
        self._beside.replace(self._target)
        with suppress(OSError):  # some file systems cannot sync a directory; the rename itself has happened
            handle = os.open(self._target.parent, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _ends_with_newline(file: Path) -> bool:
    with file.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"
