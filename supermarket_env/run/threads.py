"""Many episodes at once in threads of this process, for assistants and users that wait for a language model.

Each thread has a player, a shard and hooks of its own, as a worker process has; episodes depend on nothing but their
unit and on recorded answers, so how many are in flight changes no byte.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from pathlib import Path

from supermarket_env.events.hooks import Hook
from supermarket_env.run.batch import Player, Report, WorkUnit, play_one
from supermarket_env.run.folder import RunFolder, open_shard

_POLL_S = 0.2


def play_threaded(
    units: Sequence[WorkUnit],
    make_player: Callable[[], Player],
    folder: RunFolder,
    *,
    threads: int,
    on_report: Callable[[Report], None],
    make_hooks: Callable[[Path], Sequence[Hook]],
    on_stop: Callable[[], None] = lambda: None,
) -> None:
    """Play all units in threads and write them to shards of the folder.

    Args:
        units: What to play.
        make_player: Called once a thread.
        folder: The open run directory.
        threads: Episodes in flight.
        on_report: Called in this thread for every finished episode.
        make_hooks: Called once a thread with the path of its shard.
        on_stop: Called once when no further episode shall begin because something went wrong.

    Raises:
        RunStop: If an episode met one; those in flight are given up, finished ones are kept.
        KeyboardInterrupt: On Ctrl-C.
    """
    todo: queue.SimpleQueue[WorkUnit] = queue.SimpleQueue()
    for unit in units:
        todo.put(unit)
    done: queue.SimpleQueue[Report | BaseException | None] = queue.SimpleQueue()
    stop = threading.Event()

    def work(number: int, shard: Path) -> None:
        try:
            player, hooks = make_player(), make_hooks(shard)
            with open_shard(shard) as recorder:
                while not stop.is_set():
                    try:
                        unit = todo.get_nowait()
                    except queue.Empty:
                        break
                    done.put(play_one(player, unit, recorder, hooks, worker=number))
        except BaseException as error:
            done.put(error)
        else:
            done.put(None)

    workers = []
    for number in range(max(1, min(threads, len(units)))):
        context = copy_context()
        worker = threading.Thread(target=context.run, args=(work, number, folder.new_shard()), daemon=True)
        workers.append(worker)
        worker.start()
    failure: BaseException | None = None
    running = len(workers)
    try:
        while running:
            try:
                found = done.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if isinstance(found, Report):
                on_report(found)
                continue
            running -= 1
            if found is not None and failure is None:
                failure = found
                stop.set()
                on_stop()
    except BaseException:
        stop.set()
        on_stop()
        for worker in workers:
            worker.join(timeout=5.0)
        raise
    if failure is not None:
        raise failure
