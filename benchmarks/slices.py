"""Timing in slices against an anchor, and the anchors themselves. Imported by the programs that measure speed.

A machine's speed changes from one second to the next, so nothing is timed alone: slices of about 8 ms of CPU time are
run in the order anchor - variant - anchor, the variant is divided by the mean of its neighbours, and the median over
all rounds counts. Of several passes the quietest is taken: neighbours on the machine only ever add.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from supermarket_env.rules.twins import numba_available

SLICE_S = 0.008
BATCH_SLICE_S = 0.04
"""A batch has megabytes of its own, which the anchor's slice drives from the caches: in a slice as short as the others,
of five steps of N = 1024, the first ones pay for that, as no step of a training loop does."""
WARM_S = 0.03
Slice = Callable[[int], None]
"""Does n steps."""


class Effort(NamedTuple):
    """How long to measure: rounds of anchor - variant - anchor, and passes of so many rounds."""

    rounds: int = 41
    passes: int = 3


QUICK = Effort(rounds=9, passes=1)


class Measured(NamedTuple):
    """A variant against its anchor."""

    ratio: float
    """Time of a variant's unit in anchor steps, median over the rounds."""
    seconds: float
    """CPU seconds of a variant's unit, median."""


class Result(NamedTuple):
    """One line of a table; ``value`` None: not measured, ``unit`` then says why."""

    what: str
    value: float | None
    unit: str
    bound: str = "-"
    holds: bool | None = None


def steps_for(run: Slice, seconds: float = SLICE_S) -> int:
    """Return how many steps make a slice of so many seconds, at least one (after a warm-up)."""
    n, long_enough = 1, 0
    spent = 0.0
    while long_enough < 2:  # twice: the first time something may have been compiled or loaded
        begin = time.process_time()
        run(n)
        spent = time.process_time() - begin
        long_enough = long_enough + 1 if spent >= WARM_S else 0
        if not long_enough:
            n *= 2
    return max(1, round(seconds * n / spent))


def timed(run: Slice, n: int) -> float:
    """Return seconds of CPU time a step."""
    begin = time.process_time()
    run(n)
    return (time.process_time() - begin) / n


def compare(variant: Slice, anchor: Slice, effort: Effort | None = None, *, per_step: int = 1) -> Measured:
    """Measure a variant against an anchor.

    Args:
        variant: What is measured.
        anchor: What it is divided by, one unit a step.
        effort: How long; None for the usual.
        per_step: Units (turns) in one step of the variant: its batch size.
    """
    effort = effort or Effort()
    n, m = steps_for(variant, SLICE_S if per_step == 1 else BATCH_SLICE_S), steps_for(anchor)
    passes = []
    for _ in range(effort.passes):
        ratios, seconds = [], []
        for _ in range(effort.rounds):
            before, middle, after = timed(anchor, m), timed(variant, n), timed(anchor, m)
            ratios.append(middle / ((before + after) / 2))
            seconds.append(middle)
        passes.append(Measured(statistics.median(ratios) / per_step, statistics.median(seconds) / per_step))
    return min(passes)


def at_most(what: str, ratio: float, bound: float) -> Result:
    """Return a line whose ratio must not exceed a bound."""
    return Result(what, ratio, "x", f"at most {bound:,g}", ratio <= bound)


def at_least(what: str, value: float, bound: float, unit: str = "x") -> Result:
    """Return a line whose value must reach a bound."""
    return Result(what, value, unit, f"at least {bound:,g}", value >= bound)


def missing(what: str, package: str) -> Result:
    """Return the line of what cannot be measured here."""
    return Result(what, None, f"not measured: needs {package}")


# --- other people's environments -----------------------------------------------------------------------------------


def stepped(name: str, n_actions: int, **options: Any) -> Slice:
    """Return steps of an environment through ``gym.make``, its first ``n_actions`` actions in turn."""
    env = gym.make(name, **options)
    env.reset(seed=1)

    def run(n: int) -> None:
        for k in range(n):
            _, _, terminated, truncated, _ = env.step(k % n_actions)
            if terminated or truncated:
                env.reset()

    return run


def taxi() -> Slice:
    """Return the anchor: Taxi-v4 through ``gym.make``."""
    return stepped("Taxi-v4", 6)


def cartpole_batch(n_envs: int) -> Slice:
    """Return steps of Gymnasium's own CartPole vector environment, ``n_envs`` units a step."""
    env = gym.make_vec("CartPole-v1", num_envs=n_envs, vectorization_mode="vector_entry_point")
    env.reset(seed=1)
    actions = np.arange(n_envs) % 2

    def run(n: int) -> None:
        for _ in range(n):
            env.step(actions)

    return run


def minigrid() -> Slice:
    """Return steps of MiniGrid's empty room (extra ``bench``)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import minigrid  # noqa: F401 - registers its environments
    return stepped("MiniGrid-Empty-8x8-v0", 3)


def tictactoe() -> Slice:
    """Return steps of PettingZoo's tic-tac-toe (extra ``bench``): the first free field, ``last()`` before each step."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import tictactoe_v3

        door = tictactoe_v3.env()
    door.reset(seed=1)

    def run(n: int) -> None:
        for _ in range(n):
            seen, _, terminated, truncated, _ = door.last()
            if terminated or truncated:
                door.reset()
                seen = door.last()[0]
            door.step(int(np.argmax(seen["action_mask"])))

    return run


# --- our own -------------------------------------------------------------------------------------------------------


def silent_action(space: Any) -> dict[str, Any]:
    """Return the all-zero element of a space of messages or answers."""
    return {
        name: "" if name == "text" else np.zeros(part.shape, dtype=np.int64) if part.shape else 0
        for name, part in space.spaces.items()
    }


def market(env: gym.Env[Any, Any], tasks: Sequence[Any], *, log: bool = True) -> Slice:
    """Return turns of ``Supermarket-v0`` with a silent assistant; with ``log`` its line is made at every end."""
    inside: Any = env.unwrapped
    silent = silent_action(env.action_space)
    episode = 0
    for task in tasks:  # what follows from a task is worked out once and kept
        env.reset(seed=0, options={"task": task})
    env.reset(options={"task": tasks[0], "seed": 0})

    def run(n: int) -> None:
        nonlocal episode
        for _ in range(n):
            if env.step(silent)[2]:
                if log:
                    inside.game.line()
                episode += 1
                env.reset(options={"task": tasks[episode % len(tasks)], "seed": episode})

    return run


# --- what is printed -----------------------------------------------------------------------------------------------


def machine() -> str:
    """Return what the numbers were measured on, and when."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text().splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = names[0] if names else model
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    numba = "with numba" if numba_available() else "without numba"
    python = platform.python_version()
    return f"{model}, {os.cpu_count()} cores{load}, Python {python}, {numba}; {datetime.now(UTC):%Y-%m-%d}"


def number(value: float) -> str:
    """Return a value with two or three digits."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.{2 if size >= 0.1 else 4}f}"


def result_table(results: Sequence[Result]) -> str:
    """Return the results as a Markdown table."""
    lines = ["| what | measured | bound | holds |", "|---|---|---|---|"]
    for one in results:
        holds = "-" if one.holds is None else "yes" if one.holds else "no"
        value = one.unit if one.value is None else f"{number(one.value)} {one.unit}"
        lines.append(f"| {one.what} | {value} | {one.bound} | {holds} |")
    return "\n".join(lines)
