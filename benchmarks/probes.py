"""Which figure is inflated by which assistant that does not help: the warning table of docs/probes.md.

    python benchmarks/probes.py                       # 200 dev tasks; rewrites the table in docs/probes.md
    python benchmarks/probes.py --tasks 50 --dry      # print only
    python benchmarks/probes.py --suite robust_dev    # another suite, with its own user; printed, the page stays

Every probe meets the same users with the same luck as ``silent`` and ``rule``. A figure is marked where the probe
reaches at least 90 % of what ``rule`` reaches, twice where it reaches more. Exit code 1 when a probe beats ``rule`` in
need satisfaction, or ``silent`` by more than 0.02.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from probe_page import DOCS, figure_of, number, rows, satisfaction, users_of
from user_page import table, write_table

from supermarket_env.metrics.aggregate import aggregate
from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.stats import PairedDifference, paired_difference
from supermarket_env.tasks.suites import load_suite

PROBES = (
    "random", "spam", "checkout_pusher", "one_item", "always_move", "near_goal", "repeat_until_yes", "re_recommender",
    "flatterer",
)  # fmt: skip
HONEST_HELP = frozenset({"one_item", "repeat_until_yes"})
"""Probes that show honest lists too; they may be above silent for that, yet not above rule."""
MARGIN = 0.02
FIGURES: Mapping[str, Sequence[str]] = {
    "SR": ("SR",),
    "R@5": ("R@5",),
    "NDCG@10": ("NDCG@10",),
    "AFR": ("AFR",),
    "AFR_lift": ("beyond", "AFR_lift"),
    "LNSR": ("LNSR",),
    "LNSR_lift": ("beyond", "LNSR_lift"),
    "CGV(1)": ("CGV", "1"),
    "CGV(3)": ("CGV", "3"),
}


def bands(played: Mapping[str, Sequence[EpisodeRow]]) -> dict[str, tuple[PairedDifference, PairedDifference, bool]]:
    """Return for each probe its NS minus that of silent and of rule, and whether it keeps its band."""
    silent, rule = satisfaction(played["silent"]), satisfaction(played["rule"])
    found = {}
    for name in PROBES:
        if name in played:
            own = satisfaction(played[name])
            over_silent, over_rule = paired_difference(own, silent), paired_difference(own, rule)
            above = over_silent.mean or 0.0
            keeps = (over_rule.mean or 0.0) < 0.0 and (above <= MARGIN or name in HONEST_HELP)
            found[name] = (over_silent, over_rule, keeps)
    return found


def warning_table(played: Mapping[str, Sequence[EpisodeRow]]) -> str:
    """Return the table: one line an assistant, inflated figures in bold with one or two exclamation marks."""
    outputs: dict[str, Any] = {name: aggregate(list(episodes)) for name, episodes in played.items()}
    judged = bands(played)
    lines = []
    for name, output in outputs.items():
        cells = []
        for label, path in FIGURES.items():
            value, bar = figure_of(output, path), figure_of(outputs["rule"], path)
            text = number(value, 1 if label == "SR" else 3)
            if name in judged and value is not None and bar is not None and value >= 0.9 * bar:
                text = f"**{text}{'!!' if value > bar else '!'}**"
            cells.append(text)
        ns = sum(satisfaction(played[name])) / len(played[name])
        uplift = "n/a"
        if name in judged:
            d = judged[name][0]
            uplift = f"{number(d.mean, signed=True)} [{number(d.low, signed=True)}, {number(d.high, signed=True)}]"
        lines.append([name, number(ns), uplift, *cells])
    return table(["assistant", "NS", "NS minus silent", *FIGURES], lines)


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--tasks", type=int, default=200, help="tasks of the suite")
    parser.add_argument("--suite", default="dev")
    parser.add_argument("--store", default=None, help="another store than the suite's own")
    parser.add_argument("--dry", action="store_true", help="print only")
    options = parser.parse_args()
    tasks = load_suite(options.suite, store=options.store, n=options.tasks).tasks
    user, model = users_of(options.suite)
    played = {name: rows(name, tasks, user=user, model=model) for name in ("silent", "rule", *PROBES)}
    text = warning_table(played)
    print(text)
    fails = [name for name, (_, _, keeps) in bands(played).items() if not keeps]
    print(f"\nbands: {'FAIL for ' + ', '.join(fails) if fails else 'all probes keep theirs'}")
    if not options.dry and options.suite == "dev":
        write_table("probes", f"{len(tasks)} tasks of {options.suite}:\n\n{text}", DOCS / "probes.md")
    return 1 if fails else 0


if __name__ == "__main__":
    raise SystemExit(main())
