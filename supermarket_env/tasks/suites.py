"""Suites of tasks: frozen files for development and test, fresh ones for training, and the same seeds elsewhere.

A suite file is JSON Lines, one task a line, gzipped when its name ends so; its content hash is the SHA-256 of the
unzipped text, kept in a small JSON file beside it and checked on load.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from supermarket_env.catalogue.offers import split_week
from supermarket_env.errors import TaskError, unknown_name
from supermarket_env.tasks.draws import seed_of
from supermarket_env.tasks.event_plan import QUIET, ROBUST, EventPlan
from supermarket_env.tasks.sample import STANDARD, Dials, sample_task
from supermarket_env.tasks.task import Task
from supermarket_env.world import World, load_world

SUITE_VERSION: Final = "v1"
TRAIN_LAYOUTS: Final = 32
"""Training tasks go round ``generated:1`` to ``generated:32``; test layouts start at 101."""


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive tasks of a suite that are drawn alike."""

    n: int
    stratum: str
    stores: tuple[str, ...] = ("neighbourhood",)
    """Taken in turn."""
    held_out_types: bool = False
    held_out_personas: bool = False
    events: EventPlan = QUIET
    """What happens in the stores."""


_ROBUST_TEST: Final = replace(ROBUST, first_variant=5)
"""Offer weeks and maps that ``robust_dev`` never shows."""

SUITES: Final[dict[str, tuple[Block, ...]]] = {
    "dev": (Block(200, "{trip}"),),
    "test": (
        Block(200, "standard:{trip}"),
        Block(100, "unseen_layout:{trip}", stores=tuple(f"generated:{k}" for k in range(101, 111))),
        Block(100, "unseen_categories:{trip}", held_out_types=True),
        Block(100, "unseen_personas:{trip}", held_out_personas=True),
    ),
    "robust_dev": (Block(200, "{trip}", events=ROBUST),),
    "robust_test": (
        Block(300, "standard:{trip}", events=_ROBUST_TEST),
        Block(100, "unseen_categories:{trip}", held_out_types=True, events=_ROBUST_TEST),
        Block(100, "unseen_personas:{trip}", held_out_personas=True, events=_ROBUST_TEST),
    ),
}
"""The frozen suites; all are made for the embedded catalogue."""
FROZEN_CATALOGUE: Final = "embedded"
MADE_SUITES: Final = ("journey_dev", "journey_test")
"""Suites that are made on demand from an optional package, for their own catalogue."""

SEGMENT_PREFIX: Final = "segment_"
"""Suites of the segments (``supermarket_env.tasks.segments``) are drawn on demand; their names begin so."""


@dataclass(frozen=True)
class Suite:
    """Tasks with a name and a content hash."""

    name: str
    """``dev``, or ``dev@hyper@instacart`` for the same seeds in another store or catalogue."""
    tasks: tuple[Task, ...]
    content_hash: str
    """Hex SHA-256 of the tasks, whatever ``n`` is: of those in ``tasks``."""
    version: str = SUITE_VERSION
    catalogue_hashes: dict[str, str] = field(default_factory=dict)
    """Content hashes of the catalogues it was made for, by name; empty when not known."""
    store_hashes: dict[str, str] = field(default_factory=dict)
    """Of the stocked stores, by ``store_key``."""

    def __len__(self) -> int:
        return len(self.tasks)

    def task(self, task_id: str) -> Task:
        """Return the task with this id.

        Raises:
            TaskError: There is none; names the nearest.
        """
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise TaskError(unknown_name(f"task of suite {self.name}", task_id, [task.id for task in self.tasks]))

    def strata(self) -> dict[str, int]:
        """Return the number of tasks by stratum, by name."""
        return dict(sorted(Counter(task.stratum for task in self.tasks).items()))


@lru_cache(maxsize=32)
def world_of(catalogue: str, store: str) -> World:
    """Return the world of two names; the last few are kept in the process."""
    return load_world(catalogue, store)


def store_key(store: str, catalogue: str) -> str:
    """Return the name under which the hash of a stocked store is kept: a store in an offer week has another one.

    >>> store_key("corner", "embedded"), store_key("corner", "embedded+week2")
    ('corner', 'corner@embedded+week2')
    """
    return f"{store}@{catalogue}" if split_week(catalogue)[1] else store


def load_suite(name: str, *, store: str | None = None, catalogue: str | None = None, n: int | None = None) -> Suite:
    """Load a suite.

    Args:
        name: ``dev``, ``test``, one of ``MADE_SUITES``, ``train`` (needs ``n``), or the path of a ``.jsonl`` or
            ``.jsonl.gz`` file.
        store: Play it in this store instead of its own: the same task seeds are then drawn anew for it, checked and
            cached. None: its own.
        catalogue: The same for the catalogue.
        n: Only the first n tasks, >= 0; None for all.

    Raises:
        TaskError: Unknown suite, a broken file (the message names file, line and field), or no tasks can be drawn for
            that store and catalogue.
        MissingExtraError: The suite needs an optional package that is not installed.
    """
    if n is not None and n < 0:
        raise TaskError(f"the number of tasks must be 0 or more, got {n}")
    if name == "train":
        return _train_suite(n, store, catalogue)
    if name.endswith((".jsonl", ".jsonl.gz")):
        if store is not None or catalogue is not None:
            raise TaskError(f"{name}: a suite file is for its own store and catalogue; it cannot be moved to others")
        return _first(_read_suite(Path(name), Path(name).name.split(".jsonl")[0]), n)
    if name in MADE_SUITES:
        from supermarket_env.tasks.journey import journey_suite

        return journey_suite(name, store, catalogue, n)
    if name.startswith(SEGMENT_PREFIX):
        from supermarket_env.tasks.segments import segment_suite

        return _first(segment_suite(name, store, catalogue), n)
    if name not in SUITES:
        valid = [*SUITES, *MADE_SUITES, "train"]
        raise TaskError(unknown_name("suite", name, valid) + " Or give the path of a .jsonl file.")
    if _is_own(name, store, catalogue):
        return _first(_frozen_suite(name), n)
    from supermarket_env.tasks.moved import moved_suite

    return moved_suite(name, store, catalogue or FROZEN_CATALOGUE, n)


def _is_own(name: str, store: str | None, catalogue: str | None) -> bool:
    own = {place for block in SUITES[name] for place in block.stores}
    return catalogue in (None, FROZEN_CATALOGUE) and (store is None or own == {store})


def train_task(index: int, *, store: str | None = None, catalogue: str | None = None, dials: Dials = STANDARD) -> Task:
    """Return training task number ``index``: a fresh one for every index >= 0, the same in every process.

    Args:
        index: Its number.
        store: Where; None goes round the training layouts.
        catalogue: With which goods; None for the embedded ones.
        dials: Difficulty.

    Raises:
        TaskError: A negative index, or no such task can be drawn there.
    """
    if index < 0:
        raise TaskError(f"the index of a training task must be 0 or more, got {index}")
    place = store or f"generated:{1 + index % TRAIN_LAYOUTS}"
    goods = catalogue or FROZEN_CATALOGUE
    task = sample_task(world_of(goods, place), seed=seed_of("train", index), id=f"train-{index:06d}", dials=dials)
    return task.model_copy(update={"store": place, "catalogue": goods})


def _train_suite(n: int | None, store: str | None, catalogue: str | None) -> Suite:
    if n is None:
        raise TaskError("suite 'train' has no end: say how many tasks are wanted")
    tasks = tuple(train_task(k, store=store, catalogue=catalogue) for k in range(n))
    name = "train" if store is None and catalogue is None else f"train@{store or 'own'}@{catalogue or FROZEN_CATALOGUE}"
    return Suite(name, tasks, content_hash(tasks))


def make_task(name: str, index: int, *, store: str | None = None, catalogue: str = FROZEN_CATALOGUE) -> Task:
    """Draw task ``index`` of a frozen suite anew, in its own store or another one.

    Raises:
        TaskError: Unknown suite, an index beyond its end, or no task can be drawn.
    """
    if name not in SUITES:
        raise TaskError(unknown_name("suite", name, SUITES))
    first = 0
    for block in SUITES[name]:
        if 0 <= index - first < block.n:
            place = store or block.stores[(index - first) % len(block.stores)]
            task = sample_task(
                world_of(catalogue, place),
                seed=seed_of(name, index),
                id=f"{name}-{index:04d}",
                stratum=block.stratum,
                held_out_types=block.held_out_types,
                held_out_personas=block.held_out_personas,
            )
            task = task.model_copy(update={"store": place, "catalogue": catalogue})
            if block.events.quiet:
                return task
            from supermarket_env.tasks.events import with_events

            return with_events(task, block.events)
        first += block.n
    raise TaskError(f"suite {name!r} has tasks 0 to {first - 1}, not {index}")


def suite_size(name: str) -> int:
    """Return the number of tasks of a frozen suite."""
    return sum(block.n for block in SUITES[name])


def suite_text(tasks: tuple[Task, ...]) -> bytes:
    """Return the file content of tasks: one JSON object a line."""
    lines = [json.dumps(task.model_dump(mode="json"), separators=(",", ":"), ensure_ascii=False) for task in tasks]
    return "".join(line + "\n" for line in lines).encode()


def content_hash(tasks: tuple[Task, ...]) -> str:
    """Return the hex SHA-256 of the file content of tasks."""
    return hashlib.sha256(suite_text(tasks)).hexdigest()


def _first(suite: Suite, n: int | None) -> Suite:
    if n is None or n >= len(suite.tasks):
        return suite
    tasks = suite.tasks[:n]
    return Suite(suite.name, tasks, content_hash(tasks), suite.version, suite.catalogue_hashes, suite.store_hashes)


@lru_cache(maxsize=8)
def _frozen_suite(name: str) -> Suite:
    folder = resources.files("supermarket_env.tasks") / "data"
    return _read_suite(folder / f"{name}.jsonl.gz", name, folder / f"{name}.json")


def _read_suite(file: Path | Traversable, name: str, beside: Traversable | None = None) -> Suite:
    """Read a suite file; with ``beside`` its recorded content hash must agree."""
    label = file.name if beside is not None else str(file)
    text = _unzipped(file, label)
    digest = hashlib.sha256(text).hexdigest()
    record: dict[str, Any] = {}
    if beside is not None:
        record = _record(beside)
        if record["content_hash"] != digest:
            raise TaskError(
                f"{label}: content hash is {digest[:16]}..., {beside.name} says {record['content_hash'][:16]}...; "
                "the file was changed after it was frozen"
            )
    return Suite(
        name,
        parse_tasks(text, label),
        digest,
        record.get("version", SUITE_VERSION),
        record.get("catalogues", {}),
        record.get("stores", {}),
    )


def _unzipped(file: Path | Traversable, label: str) -> bytes:
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise TaskError(f"{label}: cannot be read ({error.strerror or error})") from None
    if not file.name.endswith(".gz"):
        return raw
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error) as error:
        raise TaskError(f"{label}: is no intact gzip file ({error})") from None


def _record(beside: Traversable) -> dict[str, Any]:
    try:
        record = json.loads(beside.read_text(encoding="utf-8"))
        if not isinstance(record, dict) or not isinstance(record.get("content_hash"), str):
            raise ValueError("no content_hash")
    except (OSError, ValueError) as error:
        raise TaskError(f"{beside.name}: no record of a frozen suite ({error})") from None
    return record


def parse_tasks(text: bytes, label: str) -> tuple[Task, ...]:
    """Read tasks from the content of a suite file.

    Args:
        text: UTF-8 JSON Lines; blank lines are skipped.
        label: Name of the file, for messages.

    Raises:
        TaskError: A broken line (file, line, field and reason), or an id that occurs twice.
    """
    tasks: list[Task] = []
    lines_of: dict[str, int] = {}
    for number, line in enumerate(text.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            task = Task.model_validate_json(line)
        except ValidationError as error:
            raise TaskError(f"{label}, line {number}, {_first_problem(error)}") from None
        if task.id in lines_of:
            raise TaskError(f"{label}, line {number}, field id: {task.id!r} is the id of line {lines_of[task.id]} too")
        lines_of[task.id] = number
        tasks.append(task)
    return tuple(tasks)


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    came = "" if problem["type"] in ("missing", "json_invalid") else f", got {str(problem['input'])[:80]!r}"
    return f"field {place or '(whole line)'}: {problem['msg']}{came}"
