"""The difficulty card of every suite: what is in it, how hard it is, how long it takes; the cards of docs/suites.md.

    python benchmarks/suites.py                                # all suites, all tasks; rewrites the cards
    python benchmarks/suites.py --suites dev --tasks 50 --dry  # print only

Need satisfaction (NS) has 95 % bootstrap intervals, the gaps are paired. The trips are played by the user that sits in
``supermarket run suite=...``; suites of a package that is not installed are left out. Exit code 1 when the oracle is
below ``rule``, or ``rule`` not above ``silent``.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from probe_page import DOCS, rows, satisfaction, users_of
from user_page import table, write_table

from supermarket_env.catalogue.offers import split_week
from supermarket_env.errors import MissingExtraError
from supermarket_env.rules.place import left_on_shelf
from supermarket_env.stats import bootstrap_ci, paired_difference
from supermarket_env.store.moved import split_moved
from supermarket_env.tasks.prepare import Prepared, prepare
from supermarket_env.tasks.suites import MADE_SUITES, Suite, load_suite, world_of

LADDER = ("silent", "retrieval", "rule", "oracle")
GAPS = (
    ("retrieval", "silent"), ("rule", "silent"), ("rule", "retrieval"), ("oracle", "rule"), ("oracle", "silent"),
)  # fmt: skip
ORDER = ("dev", "test", *MADE_SUITES, "robust_dev", "robust_test")
Line = tuple[str, str]


@dataclass
class Card:
    """What is known of a suite."""

    suite: Suite
    lines: list[Line] = field(default_factory=list)
    scores: dict[str, list[float]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def sound(self) -> bool:
        """Whether helping pays: silent < rule <= oracle."""
        silent, rule, oracle = (fmean(self.scores[name]) for name in ("silent", "rule", "oracle"))
        return silent < rule <= oracle


def share(n: float, of: float) -> str:
    """Return a share in percent."""
    return f"{100 * n / of:.0f} %" if of else "n/a"


def counted(names: Sequence[str]) -> str:
    """Return names with their numbers, the most frequent first."""
    return ", ".join(f"{name} {n}" for name, n in Counter(names).most_common())


def content(suite: Suite) -> list[Line]:
    """Return what a suite holds: trips, needs, ambiguity, scarcity, events."""
    tasks = suite.tasks
    user, _ = users_of(suite.name)
    prepared = [prepare(world_of(task.catalogue, task.store), task, user) for task in tasks]
    needs = [need for task in tasks for need in task.needs]
    sizes = [len(task.needs) for task in tasks]
    strata = [s for task in tasks if (s := task.stratum.partition(":")[0]) != task.trip]
    choices = [len(v.feasible) for p in prepared for v in p.values]
    good = [len(v.acceptable) for p in prepared for v in p.values]
    turns = sorted(p.optimal_turns for p in prepared)
    slack = [p.task.budget_cents / p.best_cart.cost_cents for p in prepared if p.best_cart.cost_cents]
    return [
        ("content hash", f"`{suite.content_hash[:16]}`, version {suite.version}"),
        ("tasks, needs", f"{len(tasks)}, {len(needs)} ({fmean(sizes):.1f} a task, {min(sizes)}-{max(sizes)})"),
        ("trips", counted([task.trip for task in tasks])),
        ("strata", counted(strata) if strata else "one"),
        ("stores", places([split_moved(task.store)[0] for task in tasks])),
        ("catalogues", counted([split_week(task.catalogue)[0] for task in tasks])),
        (
            "ambiguity",
            f"{share(sum(len(need.types) > 1 for need in needs), len(needs))} of the needs are vague; "
            f"{math.log2(median(choices)):.1f} bits among the products that could do (median), "
            f"{share(sum(good), sum(choices))} of them acceptable",
        ),
        (
            "hard constraints",
            f"{share(sum(bool(need.allergens) for need in needs), len(needs))} of the needs an allergen, "
            f"{share(sum(bool(need.diets) for need in needs), len(needs))} a diet",
        ),
        ("scarcity", scarcity(prepared)),
        ("budget", f"{fmean(slack):.2f} times the best cart (mean)"),
        ("optimal trip", f"{median(turns):.0f} turns (median), {turns[len(turns) // 10]}-{turns[-1 - len(turns) // 10]}"
                         " (10-90 %)"),
        ("store events", events_of(suite)),
    ]  # fmt: skip


def places(stores: Sequence[str]) -> str:
    """Return the stores, generated ones together."""
    return counted(["generated" if name.startswith("generated:") else name for name in stores])


def scarcity(prepared: Sequence[Prepared]) -> str:
    """Return how much of what is wanted is sold out when the trip begins."""
    gone, best_gone, good, n = 0, 0, 0, 0
    for p in prepared:
        for v in p.values:
            left = [left_on_shelf(p.tables, p.fresh_state(), q) > 0 for q in v.acceptable]
            good, gone, n = good + len(left), gone + left.count(False), n + 1
            best_gone += bool(left) and not left[0]
    return (
        f"{share(gone, good)} of the acceptable products sold out at the start, the favourite in "
        f"{share(best_gone, n)} of the needs"
    )


def events_of(suite: Suite) -> str:
    """Return the share of tasks with each kind of store event."""
    tasks = suite.tasks
    found = {
        "an offer week": sum(split_week(task.catalogue)[1] > 0 for task in tasks),
        "an outdated map": sum(split_moved(task.store)[1] > 0 for task in tasks),
        "stock changes": sum(bool(task.events) for task in tasks),
    }
    if not any(found.values()):
        return "none"
    return "; ".join(f"{what} {share(n, len(tasks))}" for what, n in found.items())


def card_of(suite: Suite) -> Card:
    """Play the ladder on a suite and return its card."""
    card = Card(suite, content(suite))
    user, model = users_of(suite.name)
    begin = time.process_time()
    for name in LADDER:
        card.scores[name] = satisfaction(rows(name, suite.tasks, user=user, model=model))
    card.seconds = time.process_time() - begin
    per_episode = card.seconds / (len(LADDER) * len(suite))
    card.lines.append(("user", user.name))
    for name, scores in card.scores.items():
        low, high = bootstrap_ci(scores) or (math.nan, math.nan)
        card.lines.append((f"NS {name}", f"{fmean(scores):.3f} [{low:.3f}, {high:.3f}]"))
    for better, worse in GAPS:
        d = paired_difference(card.scores[better], card.scores[worse])
        card.lines.append((f"{better} - {worse}", f"{d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}]"))
    card.lines.append(
        ("run time", f"{1000 * per_episode:.0f} ms an episode; five assistants on all tasks about "
                     f"{5 * per_episode * len(suite):.0f} s of processor time, words and files not counted")
    )  # fmt: skip
    return card


def page(cards: Sequence[Card]) -> str:
    """Return the cards as Markdown."""
    parts = [f"### {card.suite.name}\n\n{table(('', card.suite.name), card.lines)}" for card in cards]
    return "\n\n".join(parts)


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--suites", default=",".join(ORDER), help="names, separated by commas")
    parser.add_argument("--tasks", type=int, default=None, help="tasks a suite; all by default")
    parser.add_argument("--dry", action="store_true", help="print only")
    options = parser.parse_args()
    cards = []
    for name in options.suites.split(","):
        try:
            cards.append(card_of(load_suite(name, n=options.tasks)))
        except MissingExtraError as error:
            if name not in MADE_SUITES:
                raise
            print(f"{name} is left out: {error}", file=sys.stderr)
    text = page(cards)
    print(text)
    weak = [card.suite.name for card in cards if not card.sound]
    print(f"\nladder: {'FAIL in ' + ', '.join(weak) if weak else 'silent < rule <= oracle in every suite'}")
    if not options.dry:
        write_table("cards", text, DOCS / "suites.md")
    return 1 if weak else 0


if __name__ == "__main__":
    raise SystemExit(main())
