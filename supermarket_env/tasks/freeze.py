"""Making the frozen suite files: ``python -m supermarket_env.tasks.freeze [NAME ...]``.

The same version of the package makes the same bytes: the text is canonical and the gzip header carries no time.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from pathlib import Path

from supermarket_env.tasks.suites import SUITE_VERSION, SUITES, make_task, store_key, suite_size, suite_text, world_of
from supermarket_env.tasks.task import Task


def data_folder() -> Path:
    """Return the folder of the frozen suites inside the package."""
    return Path(__file__).parent / "data"


def freeze(name: str, folder: Path) -> Path:
    """Draw a suite and write ``<name>.jsonl.gz`` and its record ``<name>.json``.

    Returns:
        The suite file.

    Raises:
        TaskError: Unknown suite, or a task cannot be drawn.
    """
    tasks = tuple(make_task(name, k) for k in range(suite_size(name) if name in SUITES else 1))
    text = suite_text(tasks)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.jsonl.gz"
    file.write_bytes(gzip.compress(text, compresslevel=9, mtime=0))
    record = {
        "suite": name,
        "version": SUITE_VERSION,
        "tasks": len(tasks),
        "content_hash": hashlib.sha256(text).hexdigest(),
        **_places(tasks),
    }
    (folder / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return file


def _places(tasks: tuple[Task, ...]) -> dict[str, dict[str, str]]:
    catalogues, stores = {}, {}
    for catalogue, store in sorted({(task.catalogue, task.store) for task in tasks}):
        world = world_of(catalogue, store)
        catalogues[catalogue] = world.catalogue.content_hash
        stores[store_key(store, catalogue)] = world.store.content_hash
    return {"catalogues": catalogues, "stores": stores}


def main(names: list[str]) -> None:
    """Freeze the named suites, all of them by default."""
    for name in names or list(SUITES):
        print(freeze(name, data_folder()))


if __name__ == "__main__":
    main(sys.argv[1:])
