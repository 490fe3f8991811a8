"""Plays the trips behind the realism report: fresh training tasks, users left alone, and two price worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from supermarket_env.errors import ConfigError
from supermarket_env.run.batch import WorkUnit
from supermarket_env.run.build import GamePlayer, RunPlan, build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.seeding import episode_seed

if TYPE_CHECKING:
    from supermarket_env.user_sim.realism import Finding, Shop, Trip
    from supermarket_env.world import World

Seeds = Literal["tune", "final"]

FIRST_TASK: Final[dict[Seeds, int]] = {"tune": 500_000, "final": 2_000_000}
"""First training task of the population: other ones to choose defaults by than to judge them by."""
STORE: Final = "neighbourhood"
LARGE_STORE: Final = "hyper"
PART: Final = 4
"""One trip in so many is played again with hints, and as many in the full-size store."""
SILENT, HINTING = 0, 1
"""Positions of the assistants ``silent`` and ``rule`` in the plan."""
Progress = Callable[[str, int, int], None]
"""Called with what is played, how many trips are done, and how many there are."""


@dataclass(frozen=True)
class Study:
    """A judged population."""

    user: str
    user_hash: str
    store: str
    catalogue: str
    n_trips: int
    seeds: Seeds
    findings: tuple[Finding, ...]


def study(
    config: RunConfig,
    n_trips: int,
    *,
    seeds: Seeds = "final",
    store: str | None = None,
    progress: Progress | None = None,
) -> Study:
    """Play the population and judge every fact.

    Args:
        config: Whose ``user`` is judged; suite and assistants of it are not used.
        n_trips: Trips of users left alone, at least 1.
        seeds: Which tasks: those for choosing defaults, or those kept for the verdict.
        store: Another store than the default one.
        progress: Told now and then how far it is.

    Raises:
        ConfigError: A number of trips below 1, or a configuration that cannot be played.
    """
    from supermarket_env.user_sim.realism import judge
    from supermarket_env.user_sim.realism_measures import RISE, Trips, first_half

    if n_trips < 1:
        raise ConfigError(f"the number of trips must be 1 or more, got {n_trips}")
    place, part = store or STORE, max(1, n_trips // PART)
    base = _base_plan(config)
    player = _Player(_with_tasks(base, n_trips, seeds, place), progress)
    large = _Player(_with_tasks(base, part, seeds, LARGE_STORE), progress)
    world, tables = player.world()
    brands = world.catalogue.brands
    halves = []
    alone, hinted = player.trips("alone", SILENT, n_trips), player.trips("with hints", HINTING, part)
    for first in (True, False):
        chosen = [p for p, b in enumerate(world.catalogue.brand_idx) if first_half(brands[b]) is first]
        with dearer(tables, chosen, RISE):
            halves.append(player.trips("dearer brands", SILENT, n_trips))
    trips = Trips(alone, hinted, large.trips("full-size store", SILENT, part), (halves[0], halves[1]))
    return Study(
        user=base.user.name,
        user_hash=base.user_identity["hash"],
        store=world.store.name,
        catalogue=world.catalogue.name,
        n_trips=n_trips,
        seeds=seeds,
        findings=judge(trips, shop_of(world)),
    )


class _Player(GamePlayer):
    """Plays the trips of a plan in one store."""

    def __init__(self, plan: RunPlan, progress: Progress | None) -> None:
        super().__init__(plan)
        self._progress = progress

    def world(self) -> tuple[World, Any]:
        """Return the world and the tables its game plays by."""
        task = self._plan.suite.tasks[0]
        game = self._game(task.catalogue, task.store)
        return game.world, game.kernel.tables

    def trips(self, label: str, agent: int, n: int) -> list[Trip]:
        """Play the first ``n`` tasks with an assistant."""
        from supermarket_env.user_sim.realism import read_trip

        shop = shop_of(self.world()[0])
        found = []
        for unit in [unit for unit in self._plan.units if unit.agent == agent][:n]:
            found.append(read_trip(self.play(unit), shop))
            if self._progress is not None:
                self._progress(label, len(found), n)
        return found


def _base_plan(config: RunConfig) -> RunPlan:
    """Return a checked plan with the user of ``config`` and the two assistants."""
    data = config.resolved() | {"agents": ["silent", "rule"], "suite": {"name": "dev", "episodes": 1}}
    data["run"] = data["run"] | {"compiled": False, "workers": 1}
    return build_plan(RunConfig.parse(data))


def _with_tasks(base: RunPlan, n: int, seeds: Seeds, store: str) -> RunPlan:
    from supermarket_env.tasks.suites import Suite, content_hash, train_task

    first = FIRST_TASK[seeds]
    tasks = tuple(train_task(first + k, store=store) for k in range(n))
    units = tuple(
        WorkUnit(
            agent=agent,
            task=k,
            trial=0,
            seed=episode_seed(base.config.seed, task.id, 0),
            episode_id=f"{base.agents[agent].name}|{base.user.name}|{task.store}|{task.id}|0",
        )
        for agent in (SILENT, HINTING)
        for k, task in enumerate(tasks)
    )
    return replace(base, suite=Suite("train", tasks, content_hash(tasks)), units=units)


def shop_of(world: World) -> Shop:
    """Return what the measures need to know about a world."""
    from supermarket_env.user_sim.realism import Shop

    cat, store = world.catalogue, world.store
    nodes = store.layout.nodes
    ids = [node.id for node in nodes]
    return Shop(
        brand={pid: cat.brands[cat.brand_idx[p]] for p, pid in enumerate(cat.ids)},
        kind={pid: cat.types[cat.type_idx[p]].name for p, pid in enumerate(cat.ids)},
        price={pid: world.price_cents[p] / 100.0 for p, pid in enumerate(cat.ids)},
        node_kind={node.id: node.kind for node in nodes},
        passed={
            (ids[a], ids[move.node]): tuple(ids[b] for b in move.passed)
            for a in range(len(ids))
            for move in store.move_targets[a]
        },
        metres={(a, b): float(store.dist_m[i, j]) for i, a in enumerate(ids) for j, b in enumerate(ids)},
        checkouts=tuple(ids[c] for c in store.checkouts),
    )


@contextmanager
def dearer(tables: Any, products: Sequence[int], factor: float) -> Iterator[None]:
    """Raise the prices of some products in a game's plain tables, and put the old ones back afterwards.

    Relative prices rise with them against the old medians; tasks, budgets and outside options stay as they are.
    """
    old = [(p, tables.prod[p].price, tables.prod[p].rel_price) for p in products]
    try:
        for p, price, relative in old:
            tables.prod[p].price = round(price * factor)
            tables.prod[p].rel_price = min(1.5, (1.0 + relative) * factor - 1.0)
        yield
    finally:
        for p, price, relative in old:
            tables.prod[p].price, tables.prod[p].rel_price = price, relative
