"""Scorers in a run: live at the end of each episode, and later from its log, with the same lines.

While a run goes on, each process appends the lines of its episodes to part files. At the end they become one scores
file a scorer, sorted by episode; what is missing (a run killed between an episode and its scores) is scored from the
log then. A scorer that fails on an episode leaves a fault there and goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from supermarket_env.compare.manifest import MANIFEST, read_manifest
from supermarket_env.errors import LogError, RunFolderError
from supermarket_env.events.episode import Episode
from supermarket_env.events.hooks import Hook
from supermarket_env.events.log import SCORES_FOLDER, decode_line, encode_canonical, episode_files, read_log
from supermarket_env.run.lock import folder_lock
from supermarket_env.scorers import Scorer, impl_of, make_scorers
from supermarket_env.scorers.files import read_scores, scores_path, write_scores
from supermarket_env.scorers.judge.endpoint import recordings_in
from supermarket_env.scorers.sheets import Scored, is_scorable, score_episode
from supermarket_env.scorers.truth import check_hashes
from supermarket_env.tasks.suites import store_key

PART = ".part"
_ADDING, _REPLACING = "score", "replace"
"""What part files of a call on a finished log are named after."""

NoteTiming = Callable[[Mapping[str, Any]], None]


class ScoreHook(Hook):
    """Scores every finished episode and appends the lines to part files."""

    def __init__(self, scorers: Sequence[Scorer], folder: Path, part: str) -> None:
        """Set up the hook of one process.

        Args:
            scorers: What scores.
            folder: The run directory.
            part: Name of this process's part files, its own.
        """
        self._scorers = tuple(scorers)
        self._folder = folder / SCORES_FOLDER
        self._part = part

    def on_episode_end(self, episode: Episode) -> None:
        """Score the episode."""
        if not is_scorable(episode):
            return
        for scorer in self._scorers:
            scored = score_episode(scorer, episode)
            entry = {"line": scored.line, "seconds": round(scored.seconds, 6)}
            self._folder.mkdir(parents=True, exist_ok=True)
            with (self._folder / f"{impl_of(scorer)}.{self._part}{PART}").open("ab") as stream:
                stream.write(encode_canonical(entry))


def score_hooks(entries: Sequence[Any], folder: Path, shard: Path) -> tuple[Hook, ...]:
    """Return the hooks of a process: none without scorers."""
    return (ScoreHook(make_scorers(entries), folder, shard.stem),) if entries else ()


def hooks_for(entries: Sequence[Any], folder: Path) -> Callable[[Path], tuple[Hook, ...]]:
    """Return what makes the hooks of a process from the path of its shard."""
    return partial(score_hooks, tuple(entries), folder)


def has_scores(folder: Path, entries: Sequence[Any]) -> bool:
    """Whether every scorer's file is there and nothing waits in part files."""
    return all(
        scores_path(folder, impl_of(scorer)).is_file() and not _part_files(folder, impl_of(scorer))
        for scorer in make_scorers(entries)
    )


class ScoreCount(NamedTuple):
    """What was done for one scorer."""

    impl: str
    path: Path
    n_kept: int
    """Episodes whose scores were there."""
    n_scored: int
    n_failed: int


def collect_scores(folder: Path, entries: Sequence[Any], note_timing: NoteTiming) -> list[ScoreCount]:
    """Turn part files into scores files and score what they lack, from the merged log of a run.

    Args:
        folder: The run directory, its episodes merged.
        entries: The scorers of the run.
        note_timing: Told the seconds of every episode scored.
    """
    scorers = make_scorers(entries)
    parts = {impl_of(scorer): _read_parts(folder, impl_of(scorer)) for scorer in scorers}
    for impl, found in parts.items():
        for line, seconds in found:
            note_timing({"scorer": impl, "episode_id": line["episode_id"], "wall_s": seconds})
    known = {impl: {str(line["episode_id"]): line for line, _ in found} for impl, found in parts.items()}
    return _score_log(folder, folder, scorers, note_timing, known)


@dataclass(frozen=True)
class Request:
    """Scores wanted of a finished log."""

    source: Path
    """Run directory or log file."""
    folder: Path
    """Where ``scores/`` goes: the run directory itself, or another folder."""
    entries: tuple[Any, ...]
    replace: bool = False
    """Score anew what is there already."""


class ScoresExistError(RunFolderError):
    """Everything asked for is scored already."""


def score_log(
    request: Request,
    note_timing: NoteTiming = lambda entry: None,
    finish: Callable[[Sequence[ScoreCount]], None] | None = None,
) -> list[ScoreCount]:
    """Score a log without playing anything.

    Existing scores are kept and only what is missing is added, so that the same call goes on where one was killed:
    every episode's line is written as it is scored. If nothing is missing at all it is refused unless ``replace`` is
    given; a scores file with lines of another log is refused in any case, and stays as it is.

    Args:
        request: What is wanted.
        note_timing: Told the seconds of every episode scored.
        finish: Called with the folder still locked, to write what is derived from the scores.

    Raises:
        ScoresExistError: If the scores of every scorer are there already and complete.
        RunFolderError: If a scores file holds the scores of another log, or another process is at work in the folder.
        SupermarketError: If the log, its manifest or a scorer's options are broken.
    """
    scorers = make_scorers(request.entries)
    _check_manifest(request.source)
    episode_files(request.source)  # a log that does not exist must not leave a folder for its scores
    with folder_lock(request.folder), recordings_in(request.folder):
        fresh = {impl_of(scorer): _left_lines(request, impl_of(scorer)) for scorer in scorers}
        counts = _score_log(request.source, request.folder, scorers, note_timing, fresh, request)
        if finish is not None:
            finish(counts)
    return counts


def _left_lines(request: Request, impl: str) -> dict[str, dict[str, Any]]:
    """Return the lines that a call which was killed left; scoring anew begins without them.

    A killed call that replaced scores left the old file whole: its new lines belong to it alone.
    """
    for part in _part_files(request.folder, impl):
        if request.replace or part.name.startswith(f"{impl}.{_REPLACING}"):
            part.unlink()
    return {str(line["episode_id"]): line for line, _ in _read_parts(request.folder, impl)}


def _score_log(
    source: Path,
    folder: Path,
    scorers: Sequence[Scorer],
    note_timing: NoteTiming,
    fresh: Mapping[str, Mapping[str, dict[str, Any]]],
    request: Request | None = None,
) -> list[ScoreCount]:
    # Files, not the directory: scores that are there already must not be part of what is scored.
    episodes = [e for file in episode_files(source) for e in read_log([file]).episodes if is_scorable(e)]
    wanted = {episode.episode_id for episode in episodes}
    plans = []
    for scorer in scorers:
        path = scores_path(folder, impl_of(scorer))
        mine = fresh.get(impl_of(scorer), {})
        replaced = request is not None and request.replace
        there = read_scores(path)
        if request is not None:
            _check_same_log(path, {**there, **mine}, scorer, episodes, request)
        kept = {} if replaced else {k: v for k, v in {**there, **mine}.items() if k in wanted}
        plans.append((scorer, path, kept, path.is_file() and not replaced and not mine and wanted <= kept.keys()))
    if request is not None and all(complete for *_, complete in plans):
        _, path, kept, _ = plans[0]
        raise ScoresExistError(
            f"{path}: these scores exist already ({len(kept)} episodes); replace=true scores anew, "
            "another version or option makes a file of its own"
        )
    return [
        ScoreCount(impl_of(scorer), path, len(kept), 0, 0)
        if complete
        else _write(scorer, path, kept, episodes, note_timing, _new_part(folder, scorer, request))
        for scorer, path, kept, complete in plans
    ]


def _new_part(folder: Path, scorer: Scorer, request: Request | None) -> Path:
    """Return a part file that nobody has written to, for the lines of this call."""
    way = _REPLACING if request is not None and request.replace else _ADDING
    impl = impl_of(scorer)
    taken = {part.name for part in _part_files(folder, impl)}
    names = (f"{impl}.{way}-{number:04d}{PART}" for number in count())
    return folder / SCORES_FOLDER / next(name for name in names if name not in taken)


def _check_same_log(
    path: Path, there: Mapping[str, dict[str, Any]], scorer: Scorer, episodes: Sequence[Episode], request: Request
) -> None:
    """Refuse a scores file of another log: writing would delete its lines, or keep them under this log's episodes.

    Two logs may share episode ids (the same tasks with another user, say). Scorers say the same of the same episode, so
    the lines of a few episodes tell whose they are; a run directory holds nobody else's.
    """
    wanted = {episode.episode_id for episode in episodes}
    advice = "another out=FOLDER keeps both"
    if foreign := sorted(there.keys() - wanted):
        raise RunFolderError(
            f"{path}: holds the scores of {len(foreign)} episodes that are not in {request.source}, first "
            f"{foreign[0]!r}; they would be lost: {advice}"
        )
    if request.replace or request.folder.resolve() == request.source.resolve():
        return
    common = [episode for episode in episodes if episode.episode_id in there]
    for episode in common[:: max(1, len(common) // 3)][:3]:
        scored = score_episode(scorer, episode)
        if not scored.failed and scored.line != there[episode.episode_id]:
            raise RunFolderError(
                f"{path}: its scores of {episode.episode_id!r} are not those of the episode in {request.source}, so "
                f"they are of another log: {advice}"
            )


def _write(
    scorer: Scorer,
    path: Path,
    kept: dict[str, dict[str, Any]],
    episodes: Iterable[Episode],
    note_timing: NoteTiming,
    part: Path,
) -> ScoreCount:
    """Score what is not kept, each line into the part file at once, and make the scores file of all."""
    impl = impl_of(scorer)
    lines, n_scored, n_failed = dict(kept), 0, 0
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb", buffering=0) as stream:
            for episode in episodes:
                if episode.episode_id in kept:
                    continue
                scored: Scored = score_episode(scorer, episode)
                seconds = round(scored.seconds, 6)
                stream.write(encode_canonical({"line": scored.line, "seconds": seconds}))
                lines[episode.episode_id] = scored.line
                n_scored, n_failed = n_scored + 1, n_failed + scored.failed
                note_timing({"scorer": impl, "episode_id": episode.episode_id, "wall_s": seconds})
    except OSError as error:
        raise RunFolderError(f"{part}: cannot be written ({error.strerror or error})") from error
    write_scores(path, lines.values())
    for left in _part_files(path.parent.parent, impl):
        left.unlink()
    return ScoreCount(impl, path, len(kept), n_scored, n_failed)


def _check_manifest(source: Path) -> None:
    """Refuse to check claims of a run against another catalogue or store than it was played with."""
    if not (source / MANIFEST).is_file():
        return
    manifest = read_manifest(source)
    named = {
        (episode.catalogue, episode.store)
        for file in episode_files(source)
        for episode in read_log([file]).episodes
        if episode.catalogue and episode.store
    }
    for catalogue, store in sorted(named):
        known = manifest["stores"].get(store_key(store, catalogue))
        check_hashes(manifest["catalogues"], {store: known} if known else {}, [(catalogue, store)])


def _part_files(folder: Path, impl: str) -> list[Path]:
    return sorted(p for p in (folder / SCORES_FOLDER).glob(f"*{PART}") if p.name.startswith(f"{impl}."))


def _read_parts(folder: Path, impl: str) -> list[tuple[dict[str, Any], float]]:
    found = []
    for file in _part_files(folder, impl):
        for raw in file.read_bytes().splitlines(keepends=True):
            try:
                entry = decode_line(raw)
                found.append((entry["line"], float(entry["seconds"])))
            except (ValueError, KeyError, TypeError):
                if raw.endswith(b"\n"):
                    raise LogError(f"{file}: damaged; delete it, and its episodes are scored from the log") from None
    return found
