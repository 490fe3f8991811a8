"""A frozen suite made harder or easier: the same seeds, drawn anew with the difficulty dials turned."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from supermarket_env.errors import TaskError, unknown_name
from supermarket_env.tasks.draws import seed_of
from supermarket_env.tasks.sample import STANDARD, Dials, sample_task
from supermarket_env.tasks.suites import (
    FROZEN_CATALOGUE,
    SUITE_VERSION,
    SUITES,
    Suite,
    content_hash,
    load_suite,
    train_task,
    world_of,
)
from supermarket_env.tasks.task import Task

_SHORT: Final = {"n_needs": "needs"}


def dialled_suite(
    name: str, dials: Dials, *, store: str | None = None, catalogue: str | None = None, n: int | None = None
) -> Suite:
    """Return a suite with its dials turned; with :data:`STANDARD` dials the suite itself.

    Args:
        name: A frozen suite, or ``train`` (needs ``n``).
        dials: Difficulty.
        store: Play it in this store; None: its own ones.
        catalogue: With these goods; None: the embedded ones.
        n: Only the first n tasks are drawn, >= 0; None for all.

    Returns:
        The suite, named after what was turned (``dev~familiarity=0.3``); its content hash is that of its tasks.

    Raises:
        TaskError: An unknown suite, a task file (its tasks are drawn already), or no such task can be drawn.
    """
    if dials == STANDARD:
        return load_suite(name, store=store, catalogue=catalogue, n=n)
    if name not in SUITES and name != "train":
        raise TaskError(unknown_name("suite to turn dials of", name, [*SUITES, "train"]))
    if n is not None and n < 0:
        raise TaskError(f"the number of tasks must be 0 or more, got {n}")
    if name == "train":
        if n is None:
            raise TaskError("suite 'train' has no end: say how many tasks are wanted")
        tasks = tuple(train_task(k, store=store, catalogue=catalogue, dials=dials) for k in range(n))
    else:
        tasks = _draw(name, dials, store, catalogue or FROZEN_CATALOGUE, n)
    moved = f"@{store or 'own'}@{catalogue or FROZEN_CATALOGUE}" if store or catalogue else ""
    return Suite(f"{name}{moved}~{describe_dials(dials)}", tasks, content_hash(tasks), SUITE_VERSION)


def describe_dials(dials: Dials) -> str:
    """Return what was turned, as names show it.

    >>> describe_dials(Dials(n_needs=5, familiarity=-0.2))
    'needs=5,familiarity=-0.2'
    """
    turned = [(f.name, getattr(dials, f.name)) for f in fields(dials) if getattr(dials, f.name) != f.default]
    return ",".join(f"{_SHORT.get(name, name)}={value:g}" for name, value in turned)


def _draw(name: str, dials: Dials, store: str | None, catalogue: str, n: int | None) -> tuple[Task, ...]:
    tasks: list[Task] = []
    for block in SUITES[name]:
        for k in range(block.n):
            index = len(tasks)
            if n is not None and index >= n:
                return tuple(tasks)
            place = store or block.stores[k % len(block.stores)]
            task = sample_task(
                world_of(catalogue, place), seed=seed_of(name, index), id=f"{name}-{index:04d}", stratum=block.stratum,
                dials=dials, held_out_types=block.held_out_types, held_out_personas=block.held_out_personas,
            )  # fmt: skip
            tasks.append(task.model_copy(update={"store": place, "catalogue": catalogue}))
    return tuple(tasks)
