"""Reading and writing episode logs: single files, run directories, shards and later scores.

A log is JSON lines, one finished episode a line. A last line without line end that does not parse is a torn write and
ignored; everything else that breaks the contract is refused with file, line, field and reason (or, in lenient mode,
skipped and counted).
"""

from __future__ import annotations

import gc
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from supermarket_env.errors import LogError
from supermarket_env.events.episode import Episode, Event, sort_events
from supermarket_env.events.nearby import nearest_run
from supermarket_env.events.validate import refuse, validate_episode, validate_events

__all__ = [
    "EPISODES_FILE",
    "Episode",
    "Event",
    "Log",
    "canonical",
    "collector_paused",
    "decode_line",
    "encode_canonical",
    "encode_episode",
    "episode_files",
    "finish_episode",
    "read_episodes",
    "read_log",
    "sort_events",
    "validate_episode",
]

EPISODES_FILE: Final = "episodes.jsonl"
SHARDS: Final = "episodes-*.jsonl"
SCORES_FOLDER: Final = "scores"

_DECODER = msgspec.json.Decoder()
_ENCODER = msgspec.json.Encoder()


@dataclass
class Log:
    """What was read from one or more paths.

    Attributes:
        episodes: The episodes in the order read.
        unknown_kinds: Events of kinds this reader does not know, by kind.
        unknown_keys: Keys this reader does not know, as ``key`` or ``kind.key``.
        torn: Torn last lines ignored.
        duplicates: Repeated identical lines ignored.
        skipped: In lenient mode, the messages of the lines left out.
        unmatched_scores: Score lines whose episode is not in the log.
    """

    episodes: list[Episode] = field(default_factory=list)
    unknown_kinds: Counter[str] = field(default_factory=Counter)
    unknown_keys: Counter[str] = field(default_factory=Counter)
    torn: int = 0
    duplicates: int = 0
    skipped: list[str] = field(default_factory=list)
    unmatched_scores: int = 0


def decode_line(raw: bytes) -> Any:
    """Decode one JSON line.

    Raises:
        ValueError: If it is not JSON. (NaN and Infinity are let through, as Python's own writer may have put them
            into a judge's score; the checks of the fields deal with them.)
    """
    try:
        return _DECODER.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return json.loads(raw.decode("utf-8"))


def episode_files(path: str | Path) -> list[Path]:
    """Return the log files of a path: itself, or for a run directory ``episodes.jsonl``, else its shards (sorted).

    Raises:
        LogError: If there is nothing to read.
    """
    path = Path(path)
    if path.is_dir():
        merged = path / EPISODES_FILE
        if merged.is_file():
            return [merged]
        shards = sorted(path.glob(SHARDS))
        if not shards:
            raise LogError(f"{path}: expected a run directory with {EPISODES_FILE} or {SHARDS}; it has neither")
        return shards
    if not path.is_file():
        raise LogError(f"{path}: no such file or run directory.{nearest_run(path)}")
    return [path]


def read_episodes(path: str | Path) -> Iterator[Episode]:
    """Yield the episodes of a log file or run directory (later scores merged), in order.

    Raises:
        LogError: If the log breaks its contract.
    """
    yield from read_log([path]).episodes


def read_log(paths: str | Path | Iterable[str | Path], *, lenient: bool = False) -> Log:
    """Read log files and run directories.

    Args:
        paths: One path or several; each is a unit of its own in which episode ids are unique.
        lenient: Skip and count lines that would be refused.

    Returns:
        The episodes with counts of what was ignored; no episodes for an empty file.

    Raises:
        LogError: If a line breaks the contract and ``lenient`` is off, or a path does not exist.
    """
    with collector_paused():
        return _read_paths([paths] if isinstance(paths, str | Path) else paths, lenient=lenient)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector: decoded lines hold no cycles, yet their many objects set it off again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _read_paths(paths: Iterable[str | Path], *, lenient: bool) -> Log:
    log = Log()
    for path in paths:
        seen: dict[str, Episode] = {}
        for file in episode_files(path):
            _read_file(file, seen, log, lenient=lenient)
        folder = Path(path) / SCORES_FOLDER
        if folder.is_dir():
            for scores in sorted(folder.glob("*.jsonl")):
                _merge_scores(scores, seen, log, lenient=lenient)
        log.episodes.extend(seen.values())
    return log


def _lines(file: Path, log: Log, *, lenient: bool) -> Iterator[tuple[int, Any]]:
    """Yield (line number, decoded value) of a JSON-lines file; blank lines are passed over."""
    try:
        stream = file.open("rb")
    except OSError as error:
        raise LogError(f"{file}: cannot be read ({error.strerror})") from error
    with stream:
        for number, raw in enumerate(stream, start=1):
            if raw.isspace():
                continue
            try:
                value = decode_line(raw)
            except (ValueError, RecursionError) as error:
                if not raw.endswith(b"\n") and (number > 1 or raw.startswith(b"{")):  # else it never was a log
                    log.torn += 1
                    return
                _problem(log, lenient, f"{file}, line {number}, line: not JSON ({error})")
                continue
            yield number, value


def _problem(log: Log, lenient: bool, message: str) -> None:
    if not lenient:
        raise LogError(message)
    log.skipped.append(message)


def _read_file(file: Path, seen: dict[str, Episode], log: Log, *, lenient: bool) -> None:
    name = str(file)
    for number, value in _lines(file, log, lenient=lenient):
        try:
            episode = validate_episode(
                value, name, number, unknown_kinds=log.unknown_kinds, unknown_keys=log.unknown_keys
            )
            first = seen.get(episode.episode_id)
            if first is None:
                seen[episode.episode_id] = episode
            elif first.data == episode.data:
                log.duplicates += 1
            else:
                reason = f"duplicate {episode.episode_id!r} that differs from line {first.line} of {first.file}"
                refuse(name, number, "episode_id", reason)
        except LogError as error:
            _problem(log, lenient, str(error))


def _merge_scores(file: Path, seen: dict[str, Episode], log: Log, *, lenient: bool) -> None:
    """Add the judge events and values of a later scorer to their episodes."""
    name = str(file)
    for number, value in _lines(file, log, lenient=lenient):
        try:
            if type(value) is not dict or type(value.get("episode_id")) is not str:
                refuse(name, number, "episode_id", "a score line needs an object with the id of its episode")
            raw = value.get("events", [])
            if type(raw) is not list:
                refuse(name, number, "events", "expected a list of events")
            events = validate_events(raw, name, number, unknown_kinds=log.unknown_kinds)
            if any(event["k"] == "end" for event in events):
                refuse(name, number, "events", "a score line cannot end an episode")
            episode = seen.get(value["episode_id"])
            if episode is None:
                log.unmatched_scores += 1
                continue
            if events:
                episode.events = sort_events(episode.events + events)
            episode.values[file.stem] = value.get("values")
        except LogError as error:
            _problem(log, lenient, str(error))


def canonical(value: Any) -> Any:
    """Return a JSON value as the log holds it: floats with at most 9 significant digits, tuples as lists.

    Key order stays; numpy scalars become Python numbers; negative zero becomes zero.

    Raises:
        LogError: If a float is not finite, a key is no string or a value has no JSON form.

    >>> canonical({"a": 0.1 + 0.2, "b": (1, True, None)})
    {'a': 0.3, 'b': [1, True, None]}
    """
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        return _short_float(value)
    if kind is dict:
        for key in value:
            if type(key) is not str:
                raise LogError(f"a log key must be a string, got {key!r}")
        return {key: canonical(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [item if type(item) is str else canonical(item) for item in value]
    return _canonical_other(value)


def _short_float(value: float) -> float:
    if not math.isfinite(value):
        raise LogError(f"a log holds finite numbers only, got {value!r}")
    return float(f"{value:.9g}") + 0.0


def _canonical_other(value: Any) -> Any:
    """Subclasses of JSON types (string enums, named tuples) and numpy scalars."""
    if isinstance(value, str):
        return str.__str__(value)
    bases: tuple[type[Any], ...] = (int, float, dict, list, tuple)
    for base in bases:
        if isinstance(value, base):
            return canonical(base(value))
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "ndim", None) == 0:
        return canonical(item())
    raise LogError(f"a log cannot hold a {type(value).__name__}: {value!r}")


def encode_episode(episode: Episode | dict[str, Any]) -> bytes:
    """Return the episode as one canonical JSON line, line end included.

    Equal episodes give equal bytes: keys in the order given, floats with at most 9 significant digits.

    Raises:
        LogError: If a value cannot stand in a log (not finite, no JSON form, a text with lone surrogates).
    """
    if isinstance(episode, Episode):
        data = episode.data if episode.canonical else canonical(episode.data)
    else:
        data = canonical(episode)
    try:
        return _ENCODER.encode(data) + b"\n"
    except UnicodeEncodeError as error:
        raise LogError(f"a log cannot hold a text with half a character: {error}") from None


def encode_canonical(data: dict[str, Any]) -> bytes:
    """Return a log line of data whose writer already keeps to the canonical form (``canonical(data) == data``)."""
    return _ENCODER.encode(data) + b"\n"


def finish_episode(data: dict[str, Any]) -> Episode:
    """Return a finished episode exactly as a reader of the log would see it.

    Writers pass this object to the hooks' ``on_episode_end``, so that figures computed live and figures computed from
    the file are the same to the last bit.

    Raises:
        LogError: If the episode breaks the contract of the log.
    """
    episode = validate_episode(canonical(data), "<live>", 0)
    episode.canonical = True
    return episode
