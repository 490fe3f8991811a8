"""Layer 3 of a run: play many episodes, in this process or in workers, each into a shard of its own.

Episodes depend on nothing but their unit, so neither the number of workers nor their order changes a byte. Workers are
forked where the platform can: they inherit the compiled rules and the built world.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from supermarket_env.errors import LogError, SupermarketError
from supermarket_env.events.hooks import Hook
from supermarket_env.events.log import finish_episode
from supermarket_env.events.recorder import Recorder
from supermarket_env.metrics.row import EpisodeRow, episode_row
from supermarket_env.run.episode import interrupts_told_apart
from supermarket_env.run.folder import RunFolder, open_shard

CHUNK = 4
"""Units sent to a worker at once: small enough to share out the long episodes, large enough to keep it busy."""

AUTO_WORKERS_MAX = 8


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """One episode to play; agent and task are positions in the run's plan."""

    agent: int
    task: int
    trial: int
    seed: int
    episode_id: str


class Report(NamedTuple):
    """What the parent is told about a finished episode; the episode itself is in the shard."""

    episode_id: str
    reason: str
    turns: int
    wall_s: float
    worker: int
    row: EpisodeRow | None = None
    """What the episode adds to the figures: worked out where it was played, so that nobody need read the log for it."""


class Player(Protocol):
    """Plays units (made by :mod:`supermarket_env.run.build`)."""

    def play(self, unit: WorkUnit) -> dict[str, Any]:
        """Return the log line of a unit's episode."""

    def infra_line(self, unit: WorkUnit, detail: str) -> dict[str, Any]:
        """Return the log line of an episode that could not be logged."""


class WorkerError(SupermarketError, RuntimeError):
    """A worker process ended or failed; the episodes finished so far are kept."""


def no_hooks(shard: Path) -> tuple[Hook, ...]:
    """Return no hooks."""
    return ()


def worker_count(wanted: int | str, n_units: int) -> int:
    """Return how many processes to use for ``n_units`` episodes: never more than there is work for."""
    if wanted == "auto":
        try:
            available = len(os.sched_getaffinity(0))
        except AttributeError:  # not on every platform
            available = os.cpu_count() or 1
        wanted = min(available, AUTO_WORKERS_MAX)
    return max(1, min(int(wanted), -(-n_units // CHUNK)))


def play_units(
    units: Sequence[WorkUnit],
    make_player: Callable[[], Player],
    folder: RunFolder,
    *,
    workers: int,
    on_report: Callable[[Report], None],
    on_started: Callable[[], None] = lambda: None,
    make_hooks: Callable[[Path], Sequence[Hook]] = no_hooks,
) -> None:
    """Play all units and write them to shards of the folder.

    Args:
        units: What to play.
        make_player: Called once a process. With forked workers it may be a closure over what the parent has built;
            elsewhere it must be picklable.
        folder: The open run directory.
        workers: Number of processes; 1 plays in this one.
        on_report: Called in this process for every finished episode.
        on_started: Called once the workers run (threads may be started only then).
        make_hooks: Called once a process with the path of its shard; the hooks are given every finished episode.

    Raises:
        WorkerError: If a worker dies or fails outside an episode.
        KeyboardInterrupt: On Ctrl-C; workers are stopped first, and lose the episodes in flight.
    """
    if not units:
        return
    if workers == 1:
        on_started()
        player, shard = make_player(), folder.new_shard()
        hooks = make_hooks(shard)
        with open_shard(shard) as recorder, interrupts_told_apart():
            for unit in units:
                on_report(play_one(player, unit, recorder, hooks, worker=0))
        return
    _play_parallel(
        units,
        make_player,
        folder,
        workers=workers,
        on_report=on_report,
        on_started=on_started,
        make_hooks=make_hooks,
    )


def play_one(player: Player, unit: WorkUnit, recorder: Recorder, hooks: Sequence[Hook] = (), *, worker: int) -> Report:
    """Play a unit, write its episode and tell the hooks; an episode that cannot stand in a log becomes a fault."""
    started = time.perf_counter()
    line = player.play(unit)
    try:
        episode = finish_episode(line)
        recorder.on_episode_end(episode)
    except LogError as error:  # nothing of it is in the file: a line is encoded before it is written
        detail = ascii(f"the episode cannot stand in a log: {error}")[1:-1]
        episode = finish_episode(player.infra_line(unit, detail))
        recorder.on_episode_end(episode)
    wall_s = time.perf_counter() - started
    for hook in hooks:
        hook.on_episode_end(episode)
    events = episode.data["events"]
    turns = max((event["turn"] for event in events if event["k"] == "user"), default=0)
    reason = next((event["reason"] for event in reversed(events) if event["k"] == "end"), "")
    return Report(unit.episode_id, reason, turns, wall_s, worker, episode_row(episode))


def _play_parallel(
    units: Sequence[WorkUnit],
    make_player: Callable[[], Player],
    folder: RunFolder,
    *,
    workers: int,
    on_report: Callable[[Report], None],
    on_started: Callable[[], None],
    make_hooks: Callable[[Path], Sequence[Hook]],
) -> None:
    forks = sys.platform.startswith("linux")
    context: Any = multiprocessing.get_context("fork" if forks else "spawn")
    processes: list[BaseProcess] = []
    pipes: dict[Connection, BaseProcess] = {}
    try:
        for number in range(workers):
            ours, theirs = context.Pipe()
            # A fork inherits our ends of all pipes; while it holds one, the death of this process goes unnoticed.
            inherited = [*pipes, ours] if forks else []
            process = context.Process(
                target=_work,
                args=(theirs, inherited, make_player, folder.new_shard(), number, os.getpid(), make_hooks),
                daemon=True,
            )
            process.start()
            theirs.close()
            processes.append(process)
            pipes[ours] = process
        on_started()
        _hand_out(deque(units), pipes, on_report)
    finally:
        for pipe in pipes:
            pipe.close()
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(timeout=5.0)
            if process.is_alive():
                process.kill()


def _hand_out(
    queue: deque[WorkUnit], pipes: dict[Connection, BaseProcess], on_report: Callable[[Report], None]
) -> None:
    """Send units to whoever has little left, until all are reported."""
    in_hand: dict[Connection, int] = dict.fromkeys(pipes, 0)

    def feed(pipe: Connection) -> None:
        while queue and in_hand[pipe] <= CHUNK:
            chunk = [queue.popleft() for _ in range(min(CHUNK, len(queue)))]
            in_hand[pipe] += len(chunk)
            try:
                pipe.send(chunk)
            except OSError:  # the worker is gone: its last words, or the lack of them, are read below
                return

    for pipe in pipes:
        feed(pipe)
    while any(in_hand.values()):
        for ready in wait([pipe for pipe, count in in_hand.items() if count]):
            pipe = cast(Connection, ready)
            try:
                answer = pipe.recv()
            except (EOFError, ConnectionError):
                process = pipes[pipe]
                process.join(timeout=1.0)
                raise WorkerError(
                    f"a worker process ended unexpectedly (exit code {process.exitcode}) with "
                    f"{in_hand[pipe]} episodes in hand; finished episodes are kept, the same command resumes"
                ) from None
            if isinstance(answer, str):
                raise WorkerError(f"a worker failed outside an episode; finished episodes are kept:\n{answer}")
            in_hand[pipe] -= 1
            on_report(Report(*answer))
            feed(pipe)


def _work(
    pipe: Connection,
    inherited: Sequence[Connection],
    make_player: Callable[[], Player],
    shard: Path,
    number: int,
    parent: int,
    make_hooks: Callable[[Path], Sequence[Hook]],
) -> None:
    """Play units until the parent is gone or closes the pipe."""
    for other in inherited:
        other.close()
    gc.freeze()  # what was inherited stays: looking through it again and again would copy its pages
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        player, hooks = make_player(), make_hooks(shard)
        with open_shard(shard) as recorder:
            while True:
                for unit in pipe.recv():
                    # After a kill -9 of the parent nobody else tells us to stop.
                    if os.getppid() != parent:
                        return
                    pipe.send(tuple(play_one(player, unit, recorder, hooks, worker=number)))
    except (EOFError, BrokenPipeError, ConnectionError):
        return
    except BaseException:
        try:
            pipe.send(traceback.format_exc())
        except OSError:
            return
