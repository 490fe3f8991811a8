"""``run.workers=ray``: the episodes of a run on a Ray cluster, this process keeping the books.

Chunks of episodes go out as Ray tasks and come back as log lines, which are written here: the run directory, resuming
and the bytes are those of any other run. A task whose process or machine dies is played again by Ray.
"""

from __future__ import annotations

import logging
import os
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from supermarket_env.errors import ConfigError, MissingExtraError
from supermarket_env.events.log import SCORES_FOLDER
from supermarket_env.run.batch import Player, Report, WorkerError, WorkUnit
from supermarket_env.run.config import RayConfig
from supermarket_env.run.folder import RunFolder
from supermarket_env.run.ray_seat import Chunk, Seat, code_hash, play_chunk

CHUNK_S = 1.0
"""Seconds a chunk should take: much more than sending it, little enough to lose."""

CHUNK_MAX = 64

QUEUED_PER_CPU = 2
"""Chunks under way for each processor: one being played and one waiting, so that nobody waits for this process."""

LOOK_AGAIN_S = 5.0
"""How often the cluster is asked for its size: machines come and go."""

RETRIES = 3
"""How often a chunk is played again whose process died."""


ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # no statistics are sent to anybody unless the user says so
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # the default of the releases to come; else every run warns of it
    "RAY_worker_niceness": "0",  # the episodes are the work here: by default they yield to everything else
}
"""What Ray is told unless the user told it something else."""


def connect(where: RayConfig) -> Any:
    """Return Ray, connected to the cluster; one started here lives as long as this process.

    Raises:
        MissingExtraError: If Ray is not installed.
        ConfigError: If there is no cluster at the address.
    """
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise MissingExtraError("run.workers=ray needs Ray: pip install 'supermarket_env[ray]'") from None
    if not ray.is_initialized():
        asked = where.address or os.environ.get("RAY_ADDRESS")
        try:
            ray.init(address=where.address, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise ConfigError(
                f"run.ray.address: no Ray cluster at {asked!r} ({reason}); expected local, auto, HOST:PORT or "
                "ray://HOST:PORT"
            ) from None
    return ray


def play_on_ray(
    units: Sequence[WorkUnit],
    make_player: Callable[[], Player],
    folder: RunFolder,
    *,
    where: RayConfig,
    scorers: Sequence[Any],
    on_report: Callable[[Report], None],
    on_started: Callable[[], None] = lambda: None,
) -> None:
    """Play all units on a cluster and write them to a shard of the folder.

    Args:
        units: What to play.
        make_player: Called once a process of the cluster; it travels there, and so must be picklable.
        folder: The open run directory.
        where: The cluster.
        scorers: The run's scorers, which score each episode where it was played.
        on_report: Called in this process for every finished episode.
        on_started: Called once the cluster is there.

    Raises:
        MissingExtraError: If Ray is not installed.
        ConfigError: If there is no cluster, or a machine of it has other code or content.
        WorkerError: If a chunk was lost over and over again, or failed outside an episode.
        KeyboardInterrupt: On Ctrl-C; chunks under way are given up, what came back is kept.
    """
    if not units:
        return
    ray = connect(where)
    on_started()
    # Held for the whole run: once the last reference is gone, processes that join later could not take their seat.
    key = uuid.uuid4().hex
    seat = ray.put(Seat(key, make_player, tuple(scorers), code_hash()))
    task = ray.remote(play_chunk).options(num_cpus=1, max_retries=RETRIES, name="supermarket episodes")
    todo, pace = deque(units), _Pace(len(units))
    under_way: dict[Any, list[WorkUnit]] = {}
    books = _Books(folder, on_report)
    try:
        while todo or under_way:
            while todo and len(under_way) < pace.room(ray):
                chunk = [todo.popleft() for _ in range(min(len(todo), pace.chunk(ray)))]
                under_way[task.remote([seat], key, chunk)] = chunk
            ready, _ = ray.wait(list(under_way), num_returns=1)
            for ref in ready:
                found = _result(ray, ref, under_way[ref])
                del under_way[ref]
                books.enter(found)
                pace.note(found.reports)
    finally:
        books.close()
        for ref in under_way:
            ray.cancel(ref, force=True)


def _result(ray: Any, ref: Any, units: Sequence[WorkUnit]) -> Chunk:
    """Return what a task brought back.

    Raises:
        ConfigError: If a machine refused to play.
        WorkerError: If it brought back nothing.
    """
    kept = "finished episodes are kept, the same command resumes"
    try:
        found: Chunk = ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        raise WorkerError(f"a worker failed outside an episode; {kept}:\n{error}") from None
    except ray.exceptions.RayError as error:
        reason = str(error).strip().partition("\n")[0]
        raise WorkerError(
            f"the process that played episodes {units[0].episode_id!r} to {units[-1].episode_id!r} died "
            f"{1 + RETRIES} times ({type(error).__name__}: {reason}); {kept}"
        ) from None
    if found.refusal:
        raise ConfigError(f"run.workers=ray: {found.refusal}")
    return found


class _Pace:
    """How much to send: chunks of about a second, two for each processor the cluster has at the moment."""

    def __init__(self, n_units: int) -> None:
        self._n_units = n_units
        self._seconds = 0.0
        self._n = 0
        self._cpus = 1
        self._asked = float("-inf")

    def room(self, ray: Any) -> int:
        """Return how many chunks may be under way."""
        now = time.monotonic()
        if now - self._asked > LOOK_AGAIN_S:
            self._asked, self._cpus = now, max(1, int(ray.cluster_resources().get("CPU", 1)))
        return QUEUED_PER_CPU * self._cpus

    def chunk(self, ray: Any) -> int:
        """Return how many episodes go into the next chunk."""
        fair = -(-self._n_units // self.room(ray))
        if not self._n:
            return min(2, fair)
        return max(1, min(CHUNK_MAX, fair, round(CHUNK_S * self._n / max(self._seconds, 1e-9))))

    def note(self, reports: Sequence[Report]) -> None:
        """Learn how long episodes take."""
        self._seconds += sum(report.wall_s for report in reports)
        self._n += len(reports)


class _Books:
    """Writes what comes back into the run directory."""

    def __init__(self, folder: RunFolder, on_report: Callable[[Report], None]) -> None:
        shard = folder.new_shard()
        self._stem = shard.stem
        self._scores = folder.path / SCORES_FOLDER
        self._stream = shard.open("ab", buffering=0)
        self._on_report = on_report
        self._workers: dict[str, int] = {}

    def enter(self, chunk: Chunk) -> None:
        """Write a chunk's episodes, then their scores, then tell of them."""
        left = memoryview(chunk.lines)
        while left:
            left = left[self._stream.write(left) or 0 :]
        for name, content in chunk.scores.items():
            self._scores.mkdir(parents=True, exist_ok=True)
            stem, _, ending = name.rpartition(".")
            with (self._scores / f"{stem}.{self._stem}.{ending}").open("ab") as stream:
                stream.write(content)
        worker = self._workers.setdefault(chunk.worker, len(self._workers))
        for report in chunk.reports:
            self._on_report(report._replace(worker=worker))

    def close(self) -> None:
        """Close the shard."""
        self._stream.close()
