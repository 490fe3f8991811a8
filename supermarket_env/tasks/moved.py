"""A frozen suite in another store or with another catalogue: the same seeds, drawn anew, checked and cached.

The cache lives in the user's cache directory. Its file names carry hashes of everything the tasks depend on, the
sampler's own source included, so that an old file is never taken for a new one.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
from importlib import resources
from pathlib import Path
from typing import Final

from supermarket_env.errors import TaskError
from supermarket_env.tasks.suites import (
    SUITE_VERSION,
    SUITES,
    Suite,
    content_hash,
    make_task,
    parse_tasks,
    suite_size,
    suite_text,
    world_of,
)
from supermarket_env.tasks.task import Task
from supermarket_env.tasks.validate import check_task
from supermarket_env.user_sim.config import UserConfig

_SOURCES: Final = (
    "draft.py", "draws.py", "event_plan.py", "events.py", "held_out.py", "recipes.py", "sample.py", "solve.py",
    "state.py", "suites.py", "task.py",
)  # fmt: skip
_kept: dict[str, Suite] = {}


def cache_folder() -> Path:
    """Return the folder of cached suites: ``$XDG_CACHE_HOME``, else ``~/.cache``, then ``supermarket_env/suites``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "supermarket_env" / "suites"


def moved_suite(name: str, store: str | None, catalogue: str, n: int | None = None) -> Suite:
    """Return a suite drawn for another store or catalogue.

    Args:
        name: A frozen suite.
        store: The store; None keeps each task's own.
        catalogue: The catalogue.
        n: Only the first n tasks are drawn; None for all.

    Raises:
        TaskError: No task can be drawn there, or a drawn one fails its check.
        SupermarketError: The store or catalogue does not exist.
    """
    count = suite_size(name) if n is None else min(n, suite_size(name))
    stores = sorted({place for block in SUITES[name] for place in block.stores}) if store is None else [store]
    worlds = {place: world_of(catalogue, place) for place in stores}
    place = store or (stores[0] if len(stores) == 1 else "own")
    title = f"{name}@{place}@{catalogue}"
    hashes = [worlds[p].store.content_hash for p in stores]
    goods = worlds[stores[0]].catalogue.content_hash
    key = _key(title, str(count), goods, *hashes)
    if key not in _kept:
        tasks = read_cached(key, count) or _draw(name, store, catalogue, count, key)
        catalogue_hashes, store_hashes = {catalogue: goods}, dict(zip(stores, hashes, strict=True))
        _kept[key] = Suite(title, tasks, content_hash(tasks), SUITE_VERSION, catalogue_hashes, store_hashes)
    return _kept[key]


def _key(*parts: str) -> str:
    digest = hashlib.sha256("\n".join([SUITE_VERSION, UserConfig().content_hash(), *parts]).encode())
    folder = resources.files("supermarket_env.tasks")
    for source in _SOURCES:
        digest.update((folder / source).read_bytes())
    return digest.hexdigest()


def _draw(name: str, store: str | None, catalogue: str, count: int, key: str) -> tuple[Task, ...]:
    tasks = tuple(make_task(name, k, store=store, catalogue=catalogue) for k in range(count))
    for task in tasks:
        failures = check_task(world_of(catalogue, task.store), task)
        if failures:
            raise TaskError(f"task {task.id} in store {task.store!r} with catalogue {catalogue!r}: {failures[0]}")
    write_cached(key, tasks)
    return tasks


def read_cached(key: str, count: int) -> tuple[Task, ...]:
    """Return the cached tasks, () when there are none; a damaged file counts as none."""
    file = cache_folder() / f"{key}.jsonl.gz"
    try:
        digest, _, text = gzip.decompress(file.read_bytes()).partition(b"\n")
        if hashlib.sha256(text).hexdigest().encode() != digest:
            return ()
        tasks = parse_tasks(text, file.name)
    except (OSError, EOFError, ValueError):
        return ()
    return tasks if len(tasks) == count else ()


def write_cached(key: str, tasks: tuple[Task, ...]) -> None:
    """Write the cache file by rename; a folder that cannot be written only costs the next process the drawing."""
    text = suite_text(tasks)
    packed = gzip.compress(hashlib.sha256(text).hexdigest().encode() + b"\n" + text, mtime=0)
    try:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as part:
            part.write(packed)
        os.replace(part.name, folder / f"{key}.jsonl.gz")
    except OSError:
        return
