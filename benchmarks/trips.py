"""Thousands of trips with good, bad and hostile assistants: what never happens, and how far users get alone.

    python benchmarks/trips.py                    # 5,000 audited episodes; rewrites its tables in docs/user.md
    python benchmarks/trips.py --episodes 300 --dry

Nobody walks through a shelf, takes what is out of stock, pays above budget, walks out with goods, or contradicts
itself. Besides: how often ``rule`` ends in a purchase, its turns against the oracle's, and the need satisfaction of
users left alone (``silent``) by trip type and layout. Exit code 1 when a condition fails.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from behaviours import DOUBLES
from trip_audit import Auditor
from user_page import agent_of, play, table, write_table

from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.metrics.aggregate import rows_of
from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.rules.codes import TRIPS
from supermarket_env.tasks.suites import load_suite
from supermarket_env.tasks.task import Task
from supermarket_env.world import load_world

PAID = ("checkout", "patience_checkout")
STORES = ("corner", "neighbourhood", "hyper")


class Hostile:
    """Two unusable messages, then a random one, and again: everything wrong that may come through the door."""

    name = "hostile"

    def __init__(self) -> None:
        self._random: Any = make_agent("random")

    def start(self, view: Any) -> None:
        self._random.start(view)

    def reply(self, view: Any) -> Any:
        junk: tuple[Any, ...] = (
            None,
            "\x00\x1b[2J" + "nonsense " * 200,
            {"act": "recommend", "items": ["no such product"] * 11},
            {"act": "inform", "products": list(view.catalogue.ids[:1]), "attribute": "price", "value": float("nan")},
            {"act": "guide", "goal": {"kind": "landmark", "id": "nowhere"}, "suggest": {"type": "move", "arg": "moon"}},
            {"act": ["list"], "items": {"a": {"b": {}}}},
            {"act": "recommend", "items": list(view.catalogue.ids[view.turn : view.turn + 11])},
            {"act": "ask", "need": 99, "attribute": "colour"},
            {"act": "guide", "suggest": {"type": "add", "arg": view.catalogue.ids[view.turn], "qty": 99}},
            {"act": "guide", "suggest": {"type": "checkout"}},
            42,
        )
        if view.turn % 3 == 0:
            return self._random.reply(view)
        return junk[(view.turn + view.agent_seed) % len(junk)]


CAST: dict[str, Callable[[], Any]] = {**DOUBLES, "hostile": Hostile}
MIXED = ("silent", "rule", "random", "hostile", "retrieval", "spam", "checkout_pusher", "oracle", "liar", "pager")


def audit(tasks: Sequence[Task], n: int, mode: str = "auto") -> tuple[list[str], Counter[str]]:
    """Play ``n`` episodes, assistants and tasks in turn; return the violations and the ends of the trips."""
    games = {store: Game(load_world("embedded", store), texts=False, mode=mode) for store in {t.store for t in tasks}}
    auditors = {store: Auditor(game) for store, game in games.items()}
    agents = [agent_of(name, CAST) for name in MIXED]
    violations: list[str] = []
    ends: Counter[str] = Counter()
    for k in range(n):
        task = tasks[(k // len(agents)) % len(tasks)]
        game, auditor = games[task.store], auditors[task.store]
        trial = k // (len(agents) * len(tasks))
        play(game, agents[k % len(agents)], task, begin=auditor.begin, watch=auditor.watch, trial=trial)
        violations += auditor.violations
        ends[game.reason] += 1
    return violations, ends


def play_all(name: str, tasks: Sequence[Task], mode: str = "auto") -> list[EpisodeRow]:
    """Return one row a task, all tasks in one store."""
    game = Game(load_world("embedded", tasks[0].store), texts=False, mode=mode)
    agent = agent_of(name, CAST)
    lines = []
    for task in tasks:
        play(game, agent, task)
        lines.append(game.episode())
    return rows_of(lines)


def by_trip(rows: Sequence[EpisodeRow], value: Callable[[EpisodeRow], float]) -> dict[str, float]:
    """Return the mean of a figure by trip type, ``all`` last."""
    groups: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        for name in (str(row.stratum), "all"):
            groups[name].append(value(row))
    return {name: sum(groups[name]) / len(groups[name]) for name in (*TRIPS, "all") if name in groups}


def satisfaction(row: EpisodeRow) -> float:
    """Return the need satisfaction of an episode, 0 without a purchase."""
    return row.truth.need_satisfaction or 0.0


def alone_table(mode: str, n: int) -> tuple[str, float]:
    """Return the table of users left alone by trip and layout, and their mean in ``neighbourhood``."""
    figures = {
        store: by_trip(play_all("silent", load_suite("dev", store=store).tasks[:n], mode), satisfaction)
        for store in STORES
    }
    rows = [[trip, *(f"{figures[store].get(trip, float('nan')):.2f}" for store in STORES)] for trip in (*TRIPS, "all")]
    return table(("trip", *STORES), rows), figures["neighbourhood"]["all"]


def turns_table(mode: str, n: int) -> tuple[str, float, float]:
    """Return the table of turns of ``rule`` and ``oracle``, the worst ratio, and the share of trips ``rule`` pays."""
    tasks = load_suite("dev").tasks[:n]
    rule, oracle = play_all("rule", tasks, mode), play_all("oracle", tasks, mode)
    a, b = by_trip(rule, lambda row: row.turns), by_trip(oracle, lambda row: row.turns)
    paid = by_trip(rule, lambda row: float(row.paid))
    rows = [[trip, f"{a[trip]:.1f}", f"{b[trip]:.1f}", f"{a[trip] / b[trip]:.2f}", f"{paid[trip]:.0%}"] for trip in a]
    head = ("trip", "turns of `rule`", "turns of `oracle`", "ratio", "`rule`: trips paid")
    return table(head, rows), max(a[trip] / b[trip] for trip in a), paid["all"]


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--episodes", type=int, default=5000)
    parser.add_argument("--tasks", type=int, default=200, help="dev tasks for the tables")
    parser.add_argument("--mode", default="auto", choices=("auto", "compiled", "plain"))
    parser.add_argument("--dry", action="store_true", help="print only, leave docs/user.md as it is")
    options = parser.parse_args()
    tasks = [
        task for trio in zip(*(load_suite("dev", store=store).tasks for store in STORES), strict=True) for task in trio
    ]
    violations, ends = audit(tasks, options.episodes, options.mode)
    summary = (
        f"{sum(ends.values())} episodes of {', '.join(f'`{name}`' for name in MIXED)} in {', '.join(STORES)}: "
        f"**{len(violations)} violations**. Ends: {', '.join(f'{name} {count}' for name, count in ends.most_common())}."
    )
    print(summary, *violations[:20], sep="\n")
    turns, ratio, paid = turns_table(options.mode, options.tasks)
    alone, ns = alone_table(options.mode, options.tasks)
    print(turns, alone, sep="\n\n")
    conditions = [
        ("no violation", not violations),
        (f"rule pays in at least 70 % of trips ({paid:.0%})", paid >= 0.70),
        (f"turns of rule at most 1.6 times the oracle's in every trip type ({ratio:.2f})", ratio <= 1.6),
        (f"NS of silent in 0.15..0.55 ({ns:.3f})", 0.15 <= ns <= 0.55),
    ]
    for text, holds in conditions:
        print("holds" if holds else "FAILS", text)
    if not options.dry:
        write_table("audit", summary)
        write_table("turns", turns)
        write_table("alone", alone)
    return 0 if all(holds for _, holds in conditions) else 1


if __name__ == "__main__":
    raise SystemExit(main())
