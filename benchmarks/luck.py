"""What common luck is worth: how much smaller the variance of a difference is when two assistants meet the same luck.

    python -P benchmarks/luck.py                       # 1,000 tasks; rewrites its table in docs/determinism.md
    python -P benchmarks/luck.py --tasks 100 --dry     # a quick look

Played are fresh training tasks of one store, each by every assistant with the episode's own seed. The ratio is
variance(difference, same tasks and luck) / (variance of one + variance of the other), the denominator being what
independent episodes would give. Below 1 pairing pays. Exit code 1 when a bound fails.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.agents.registry import make_agent
from supermarket_env.agents.rule import Rule
from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.envs.game import Game
from supermarket_env.metrics.aggregate import rows_of
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.suites import train_task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import load_world

BEGIN, END = "<!-- luck: begin (python -P benchmarks/luck.py writes this part) -->", "<!-- luck: end -->"
PAGE = Path(__file__).resolve().parent.parent / "docs" / "determinism.md"
RESAMPLES = 2000
CHUNK = 25

ASSISTANTS: dict[str, Callable[[], Any]] = {
    "silent": lambda: make_agent("silent"),
    "retrieval": lambda: make_agent("retrieval"),
    "rule": lambda: make_agent("rule"),
    "rule, lists of 10": lambda: Rule(RuleConfig(list_length=10)),
    "rule, 1 question": lambda: Rule(RuleConfig(questions_per_need=1)),
}


class Pair(NamedTuple):
    """Two assistants whose difference is looked at, and what is demanded of it."""

    one: str
    other: str
    figure: str
    bound: float | None
    """Most the ratio may be with event keys; None publishes it without a demand."""
    beats_turn_keys: bool


PAIRS = (
    Pair("retrieval", "silent", "NS", 0.7, True),
    Pair("rule, lists of 10", "rule", "NS", 0.35, True),
    Pair("rule, 1 question", "rule", "NS", None, False),
    Pair("rule", "retrieval", "NS", None, False),
    Pair("rule", "retrieval", "turns", 0.3, False),
)

Figures = dict[tuple[str, str, str], NDArray[np.float64]]
"""By draw keys, assistant and figure: one value a task."""


class Ratio(NamedTuple):
    """A variance ratio with its 95 % bootstrap interval over tasks."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def play(job: tuple[str, str, int, int]) -> list[tuple[float, float]]:
    """Play one assistant on a stretch of training tasks; returns need satisfaction and turns of each."""
    keys, store, first, last = job[0], job[1], job[2], job[3]
    game = Game(load_world("embedded", store), user=UserConfig.model_validate({"draw_keys": keys}), texts=False)
    figures = []
    for index in range(first, last):
        task = train_task(index, store=store)
        for make in ASSISTANTS.values():
            assistant = make()
            view = game.reset(task, seed=episode_seed(0, task.id, 0))
            assistant.start(view)
            while not game.done:
                view = game.step(assistant.reply(view))
            row = rows_of([game.episode()])[0]
            figures.append((row.truth.need_satisfaction or 0.0, float(game.turn)))
    return figures


def play_all(n: int, store: str, workers: int) -> Figures:
    """Play everything; the number of workers changes nothing but the time."""
    names = list(ASSISTANTS)
    figures: Figures = {}
    for keys in ("event", "turn"):
        jobs = [(keys, store, first, min(n, first + CHUNK)) for first in range(0, n, CHUNK)]
        play((keys, store, 0, 1))  # the rules are compiled once, before the workers are made
        if workers > 1:
            with multiprocessing.get_context("fork").Pool(workers) as pool:
                parts = pool.map(play, jobs, chunksize=1)
        else:
            parts = [play(job) for job in jobs]
        table = np.array([row for part in parts for row in part]).reshape(n, len(names), 2)
        for k, name in enumerate(names):
            figures[keys, name, "NS"] = table[:, k, 0]
            figures[keys, name, "turns"] = table[:, k, 1]
    return figures


def ratio(one: NDArray[np.float64], other: NDArray[np.float64]) -> Ratio:
    """Return variance(one - other) / (variance(one) + variance(other)) with its bootstrap interval over tasks."""

    def value(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        spread: NDArray[np.float64] = np.var(x - y, axis=-1) / (np.var(x, axis=-1) + np.var(y, axis=-1))
        return spread

    drawn = np.random.default_rng(0).integers(0, len(one), size=(RESAMPLES, len(one)))
    low, high = np.quantile(value(one[drawn], other[drawn]), (0.025, 0.975))
    return Ratio(float(value(one, other)), float(low), float(high))


def judge(figures: Figures) -> tuple[list[str], list[str]]:
    """Return the table's lines and the demands that fail."""
    lines = [
        "| difference | figure | mean difference | ratio, event keys | ratio, turn keys | demanded |",
        "|---|---|---|---|---|---|",
    ]
    failed = []
    for pair in PAIRS:
        by_keys = {
            keys: ratio(figures[keys, pair.one, pair.figure], figures[keys, pair.other, pair.figure])
            for keys in ("event", "turn")
        }
        gap = float(np.mean(figures["event", pair.one, pair.figure] - figures["event", pair.other, pair.figure]))
        wanted = []
        if pair.bound is not None:
            wanted.append(f"at most {pair.bound}")
            if by_keys["event"].value > pair.bound:
                failed.append(f"{pair.one} - {pair.other}, {pair.figure}: {by_keys['event']} above {pair.bound}")
        if pair.beats_turn_keys:
            wanted.append("below turn keys")
            if by_keys["event"].value >= by_keys["turn"].value:
                failed.append(f"{pair.one} - {pair.other}, {pair.figure}: no better than with turn keys")
        lines.append(
            f"| {pair.one} - {pair.other} | {pair.figure} | {gap:+.3f} | {by_keys['event']} | {by_keys['turn']} "
            f"| {', '.join(wanted) or '-'} |"
        )
    return lines, failed


def write(lines: Sequence[str]) -> None:
    """Put the table between the marks of the page."""
    text = PAGE.read_text(encoding="utf-8")
    start, stop = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text("\n".join((text[:start].rstrip("\n"), *lines, text[stop:])), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--store", default="neighbourhood")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--dry", action="store_true", help="do not touch the page")
    options = parser.parse_args()
    lines, failed = judge(play_all(options.tasks, options.store, options.workers))
    head = f"{options.tasks:,} fresh tasks in `{options.store}`; ratios with 95 % bootstrap intervals over tasks."
    print("\n".join((head, "", *lines)))
    if not options.dry:
        write(["", head, "", *lines, ""])
    for line in failed:
        print("FAILED", line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
