"""Play assistants on the same tasks with the same luck and print what separates them.

    python -P benchmarks/headroom.py                       # the ladder and the probes on 200 dev tasks
    python -P benchmarks/headroom.py --agents silent,rule --tasks 50 --store hyper

Prints need satisfaction (NS) with 95 % bootstrap intervals, paired differences with Holm-adjusted p values, and which
of the conditions on the ladder hold. Exit code 1 when one does not (only judged on the dev suite's own store).
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from supermarket_env.agents.registry import AGENTS, make_agent
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.metrics.aggregate import rows_of
from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.run.seeding import episode_seed
from supermarket_env.stats import PairedDifference, bootstrap_ci, holm, paired_difference
from supermarket_env.tasks.suites import load_suite
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import load_world

LADDER = ("silent", "retrieval", "rule", "oracle")
NOISE = ("random", "spam", "checkout_pusher")
VARIANTS = ("rule_no_questions", "pager", "guide_only")
DEFAULT = (*LADDER, "popularity", *NOISE, *VARIANTS)


class Played(NamedTuple):
    """All episodes of one assistant, in task order."""

    rows: list[EpisodeRow]
    reply_us: float
    """Mean time of a reply in microseconds."""
    faults: int

    @property
    def ns(self) -> list[float]:
        """Need satisfaction by task."""
        return [row.truth.need_satisfaction or 0.0 for row in self.rows]


def play(name: str, tasks: Sequence[Any], games: Mapping[str, Game], seed: int) -> Played:
    """Play one assistant on all tasks."""
    assistant: Any = make_agent(name)
    lines, spent, turns, faults = [], 0.0, 0, 0
    for task in tasks:
        game = games[task.store]
        labels = EpisodeLabels(
            agent=name, store=task.store, task_id=task.id, stratum=task.trip, episode_id=f"{name}|{task.id}"
        )
        view = game.reset(task, seed=episode_seed(seed, task.id, 0), labels=labels)
        if AGENTS[name].privileged:
            assistant.start_privileged(view, game.truth())
        else:
            assistant.start(view)
        while not game.done:
            begin = time.perf_counter()
            message = assistant.reply(view)
            spent += time.perf_counter() - begin
            turns += 1
            view = game.step(message)
        line = game.episode()
        faults += sum(1 for event in line["events"] if event["k"] == "fault")
        lines.append(line)
    return Played(rows_of(lines), spent / max(turns, 1) * 1e6, faults)


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean of at least one value."""
    return sum(values) / len(values)


def by_trip(played: Played, values: Sequence[float]) -> dict[str, float]:
    """Return the mean of per-task values by trip type."""
    groups: dict[str, list[float]] = defaultdict(list)
    for row, value in zip(played.rows, values, strict=True):
        groups[str(row.stratum)].append(value)
    return {trip: mean(group) for trip, group in sorted(groups.items())}


def print_table(results: Mapping[str, Played]) -> None:
    """Print one line an assistant."""
    print(f"{'assistant':<18} {'NS [95 %]':<21} paid  all   turns  asked lists faults us/reply  NS by trip")
    for name, played in results.items():
        low, high = bootstrap_ci(played.ns) or (float("nan"), float("nan"))
        rows = played.rows
        trips = " ".join(f"{trip} {value:.2f}" for trip, value in by_trip(played, played.ns).items())
        print(
            f"{name:<18} {mean(played.ns):.3f} [{low:.3f},{high:.3f}]  {mean([r.paid for r in rows]):.2f}  "
            f"{mean([bool(r.truth.complete) for r in rows]):.2f}  {mean([r.turns for r in rows]):5.1f}  "
            f"{mean([r.questions for r in rows]):4.1f}  {mean([r.n_lists for r in rows]):4.1f}  {played.faults:4d} "
            f"{played.reply_us:8.0f}  {trips}"
        )


BEGIN, END = "<!-- headroom: begin -->", "<!-- headroom: end -->"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "assistants.md"


def write_page(results: Mapping[str, Played]) -> None:
    """Write the table between the markers of docs/assistants.md, the best assistant first."""
    lines = [
        "| assistant | NS [95 %] | pays | all needs met | turns | questions | lists |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, played in sorted(results.items(), key=lambda item: -mean(item[1].ns)):
        low, high = bootstrap_ci(played.ns) or (float("nan"), float("nan"))
        rows = played.rows
        star = "*" if AGENTS[name].privileged else ""
        pays, complete = mean([r.paid for r in rows]), mean([bool(r.truth.complete) for r in rows])
        turns, asked, lists = (mean([getattr(r, key) for r in rows]) for key in ("turns", "questions", "n_lists"))
        lines.append(
            f"| {name}{star} | {mean(played.ns):.3f} [{low:.3f}, {high:.3f}] | {100 * pays:.0f} % | "
            f"{100 * complete:.0f} % | {turns:.1f} | {asked:.1f} | {lists:.1f} |"
        )
    text = PAGE.read_text(encoding="utf-8")
    start, stop = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(text[:start] + "\n" + "\n".join(lines) + "\n" + text[stop:], encoding="utf-8")


def compare(results: Mapping[str, Played]) -> dict[tuple[str, str], tuple[PairedDifference, float]]:
    """Return and print the paired NS differences that the conditions are about, with Holm's p over all of them."""
    wanted = [("retrieval", "silent"), ("rule", "retrieval"), ("oracle", "rule"), ("rule", "silent")]
    wanted += [(name, "silent") for name in NOISE] + [("rule", name) for name in (*NOISE, *VARIANTS)]
    pairs = [pair for pair in wanted if pair[0] in results and pair[1] in results]
    found = [paired_difference(results[a].ns, results[b].ns) for a, b in pairs]
    adjusted = holm([d.p if d.p is not None else 1.0 for d in found])
    print("\npaired differences of NS")
    for (a, b), d, p in zip(pairs, found, adjusted, strict=True):
        print(f"  {a:>17} - {b:<18} {d.mean:+.3f} [{d.low:+.3f},{d.high:+.3f}]  Holm p {p:.2g}  n {d.n}")
    return {pair: (d, p) for pair, d, p in zip(pairs, found, adjusted, strict=True)}


def conditions(
    results: Mapping[str, Played], pairs: Mapping[tuple[str, str], tuple[PairedDifference, float]]
) -> list[tuple[str, bool]]:
    """Return the conditions on the ladder that can be judged, each with whether it holds."""
    out: list[tuple[str, bool]] = []

    def above(a: str, b: str, margin: float) -> None:
        if (a, b) in pairs:
            d, p = pairs[a, b]
            holds = d.mean is not None and d.low is not None and d.mean >= margin and d.low > 0.0 and p < 0.05
            out.append((f"NS {a} - {b} >= {margin:.2f}, interval above 0 after Holm", holds))

    above("retrieval", "silent", 0.0)
    above("rule", "retrieval", 0.0)
    above("rule", "silent", 0.15)
    above("oracle", "rule", 0.10)
    for name in NOISE:
        above("rule", name, 0.0)
        if (name, "silent") in pairs:
            out.append((f"NS {name} - silent <= 0.02", (pairs[name, "silent"][0].mean or 0.0) <= 0.02))
    above("rule", "rule_no_questions", 0.0)
    above("rule", "pager", 0.0)
    if "silent" in results:
        out.append(("NS silent in 0.15 .. 0.55", 0.15 <= mean(results["silent"].ns) <= 0.55))
    if "oracle" in results:
        out.append(("NS oracle >= 0.90", mean(results["oracle"].ns) >= 0.90))
    if "rule" in results:
        out.append(("rule pays in >= 70 % of trips", mean([r.paid for r in results["rule"].rows]) >= 0.70))
    if "rule" in results and "oracle" in results:
        rule, oracle = (by_trip(results[n], [float(r.turns) for r in results[n].rows]) for n in ("rule", "oracle"))
        worst = max(rule[trip] / oracle[trip] for trip in rule)
        out.append((f"turns rule / oracle by trip <= 1.6 (worst {worst:.2f})", worst <= 1.6))
    return out


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--agents", default=",".join(DEFAULT), help="names, separated by commas")
    parser.add_argument("--tasks", type=int, default=200, help="tasks of the suite")
    parser.add_argument("--suite", default="dev")
    parser.add_argument("--store", default=None, help="another store than the suite's own")
    parser.add_argument("--track", default="semantic", choices=("semantic", "text"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--trait", action="append", default=[], help="fix a trait of all users: compliance=1.0")
    parser.add_argument("--write", action="store_true", help="write the table into docs/assistants.md")
    options = parser.parse_args()
    tasks = load_suite(options.suite, store=options.store).tasks[: options.tasks]
    user = UserConfig(traits={key: float(value) for key, value in (item.split("=", 1) for item in options.trait)})
    games = {
        task.store: Game(load_world(task.catalogue, task.store), track=options.track, user=user, texts=False)
        for task in {task.store: task for task in tasks}.values()
    }
    results = {name: play(name, tasks, games, options.seed) for name in options.agents.split(",")}
    print_table(results)
    if options.write:
        write_page(results)
    pairs = compare(results)
    print("\nconditions")
    verdicts = conditions(results, pairs)
    for text, holds in verdicts:
        print(f"  {'holds' if holds else 'FAILS'}  {text}")
    return 0 if options.store or all(holds for _, holds in verdicts) else 1


if __name__ == "__main__":
    raise SystemExit(main())
