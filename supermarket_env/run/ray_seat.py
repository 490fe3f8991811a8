"""The far end of ``run.workers=ray``: what a worker process of the cluster does with a chunk of episodes.

A process keeps its seat between chunks, so that the world, the assistants and the scorers are built once. Its files lie
in a folder of its own and travel back with the chunk: the cluster needs no common file system.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from supermarket_env.errors import SupermarketError
from supermarket_env.events.log import SCORES_FOLDER
from supermarket_env.run.batch import Player, Report, WorkUnit, play_one
from supermarket_env.run.build import GamePlayer, RunPlan
from supermarket_env.run.content import world_of
from supermarket_env.run.folder import open_shard
from supermarket_env.run.scoring import hooks_for
from supermarket_env.tasks.suites import store_key

PACKAGES = ("supermarket_env", "supermarket_env.agents", "supermarket_env.user_sim")
"""Packages whose code must be the same on every machine, for the bytes to be the same."""


class Chunk(NamedTuple):
    """What comes back for some units."""

    lines: bytes
    """The finished episodes, a log line each."""
    scores: dict[str, bytes]
    """Content of the scorers' part files, by the file's name without the shard's."""
    reports: tuple[Report, ...]
    worker: str
    """The process, told apart from every other of the cluster."""
    refusal: str = ""
    """Why nothing was played; everything else is empty then."""


@dataclass(frozen=True)
class Seat:
    """What a process needs to play; sent once a process."""

    key: str
    """Another run has another one."""
    make_player: Callable[[], Player]
    scorers: tuple[Any, ...]
    code: str
    """Hash of the code that asks (:func:`code_hash`)."""


@dataclass(frozen=True)
class PlanPlayer:
    """Makes the player of a checked plan, which travels whole: no suite is drawn a second time."""

    plan: RunPlan

    def __call__(self) -> GamePlayer:
        """Return the player.

        Raises:
            SupermarketError: If this machine has other goods or another store under the same name.
        """
        plan = self.plan
        for catalogue, store, key in sorted(
            {(task.catalogue, task.store, store_key(task.store, task.catalogue)) for task in plan.suite.tasks}
        ):
            if key not in plan.stores:  # behind the last task that is played
                continue
            world = world_of(catalogue, store)
            for kind, ours, theirs in (
                (f"catalogue {catalogue!r}", world.catalogue.content_hash, plan.catalogues[catalogue]),
                (f"store {store!r}", world.store.content_hash, plan.stores[key]),
            ):
                if ours != theirs:
                    raise SupermarketError(f"{kind} is {ours[:12]} here, the run has {theirs[:12]}")
        return GamePlayer(plan)


class _Player:
    """A seat that is taken: player, hooks and a folder for what they write."""

    def __init__(self, seat: Seat) -> None:
        self.key = seat.key
        self._place = tempfile.TemporaryDirectory(prefix="supermarket-")
        self._folder = Path(self._place.name)
        self._shard = self._folder / "episodes-0000.jsonl"
        self._player = seat.make_player()
        self._hooks = hooks_for(seat.scorers, self._folder)(self._shard)

    def play(self, units: Sequence[WorkUnit], worker: str) -> Chunk:
        """Play units and return what was written, leaving nothing behind."""
        with open_shard(self._shard) as recorder:
            reports = tuple(play_one(self._player, unit, recorder, self._hooks, worker=0) for unit in units)
        lines = self._shard.read_bytes()
        self._shard.unlink()
        scores = {}
        for part in sorted((self._folder / SCORES_FOLDER).glob("*")):
            scores[part.name.replace(f".{self._shard.stem}.", ".")] = part.read_bytes()
            part.unlink()
        return Chunk(lines, scores, reports, worker)


_taken: _Player | None = None


def play_chunk(box: Sequence[Any], key: str, units: Sequence[WorkUnit]) -> Chunk:
    """Play units in this process of the cluster.

    Args:
        box: Holds the reference to the seat, which is fetched only if this process has not taken it yet.
        key: The seat's.
        units: What to play.
    """
    global _taken
    import ray

    worker = ray.get_runtime_context().get_worker_id()
    if _taken is None or _taken.key != key:
        seat: Seat = ray.get(box[0])
        if seat.code != code_hash():
            return Chunk(b"", {}, (), worker, f"{_here()} has other code of supermarket_env than the run")
        try:
            _taken = _Player(seat)
        except SupermarketError as error:
            return Chunk(b"", {}, (), worker, f"{_here()}: {error}")
    return _taken.play(units, worker)


@cache
def code_hash() -> str:
    """Return the SHA-256 (hex) of the project's code as it is installed here."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for folder in import_module(package).__path__:
            for file in sorted(Path(folder).rglob("*.py")):
                digest.update(f"{package}/{file.relative_to(folder).as_posix()}\n".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()


def _here() -> str:
    import platform

    return f"machine {platform.node() or 'without name'}"
