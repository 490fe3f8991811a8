"""What is measured from outside, in processes of its own: imports, compiling, memory, workers, sweeps, whole runs.

Imported by ``ratios.py``. CPU time of a child process is what the kernel says; only workers are timed by the clock on
the wall, by turns.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from slices import Effort, Result, at_least, at_most

from supermarket_env.rules.twins import numba_available

HERE = Path(__file__).resolve().parent
COMMAND = str(Path(sys.executable).parent / "supermarket")
RULES = f"run.compiled={str(numba_available()).lower()}"
"""Short runs would take the plain rules of their own accord: compiling them does not pay there."""
JOBS = 20

COMPILING = """
import hashlib, json, time
begin = time.process_time()
import numpy as np
from supermarket_env.envs import parallel_env
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.envs.vector import SupermarketVectorEnv
from slices import silent_action

digest = hashlib.sha256()
loaded = time.process_time() - begin
for track in ("semantic", "text"):
    env = SupermarketEnv(mode="compiled", track=track)
    silent = silent_action(env.action_space)
    env.reset(seed=1)
    while not env.step(silent)[2]:
        pass
    digest.update(env.game.line())
pair = parallel_env(mode="compiled")
pair.reset(seed=1)
while pair.agents:
    actions = {"assistant_0": silent_action(pair.action_space("assistant_0"))}
    pair.step({**actions, **pair.scripted_answers(actions)})
digest.update(pair.store.games[0].line())
batch = SupermarketVectorEnv(4, mode="compiled", texts=False)
batch.reset(seed=1)
for _ in range(3):
    seen = batch.step({**silent_action(batch.action_space), "text": ("",) * 4})[0]
digest.update(b"".join(seen[name].tobytes() for name in sorted(seen) if name != "words"))
print(json.dumps({"sha256": digest.hexdigest(), "loading_s": loaded, "all_s": time.process_time() - begin}))
"""
"""Goes through every compiled entry point: both tracks, both seats, the batch."""

MEMORY = """
import json, os, resource, sys
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.envs.vector import SupermarketVectorEnv
from slices import silent_action

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()

def scalar():
    env = SupermarketEnv(mode="plain")
    env.reset(seed=1, options={"task": env.tasks[0]})
    env.step(silent_action(env.action_space))
    return env

def batch(n):
    env = SupermarketVectorEnv(n, mode="auto", texts=False)
    env.reset(seed=1)
    env.step({**silent_action(env.action_space), "text": ("",) * n})
    return env

start = resident()
kept = [scalar()]
first = resident()
kept += [scalar() for _ in range(100)]
many = resident()
small = batch(8)
before = resident()
large = batch(4096)
after = resident()
print(json.dumps({"first": first - start, "scalar": (many - first) / 100, "row": (after - before) / 4096}))
"""

BARE = """
import hydra

@hydra.main(config_path="pkg://supermarket_env.conf", config_name="config", version_base="1.3")
def main(config):
    pass

main()
"""


def children_cpu(begin: os.times_result) -> float:
    """Return the CPU seconds that child processes have spent since."""
    end = os.times()
    return end.children_user + end.children_system - begin.children_user - begin.children_system


def spent(*arguments: str, folder: str | None = None) -> float:
    """Return the CPU seconds of a command, its children included."""
    begin = os.times()
    subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return children_cpu(begin)


def program(code: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start a program that prints one JSON object; ``slices`` is importable in it."""
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    surroundings = {**os.environ, "PYTHONPATH": path, **(environment or {})}
    return subprocess.Popen([sys.executable, "-P", "-c", code], stdout=subprocess.PIPE, text=True, env=surroundings)


def answer(process: subprocess.Popen[str]) -> dict[str, float | str]:
    """Return what a program printed.

    Raises:
        SystemExit: it failed.
    """
    printed, _ = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"a measuring program failed with code {process.returncode}")
    found: dict[str, float | str] = json.loads(printed.splitlines()[-1])
    return found


def in_turns(first: Callable[[], float], second: Callable[[], float], rounds: int) -> float:
    """Return the median of second / first, each second between two firsts."""
    ratios = []
    before = first()
    for _ in range(rounds):
        middle, after = second(), first()
        ratios.append(middle / ((before + after) / 2))
        before = after
    return statistics.median(ratios)


def imports(effort: Effort) -> list[Result]:
    """CPU time of ``import supermarket_env`` against ``import gymnasium``, in fresh processes by turns."""

    def of(module: str) -> Callable[[], float]:
        return lambda: spent(sys.executable, "-P", "-c", f"import {module}")

    ratio = in_turns(of("gymnasium"), of("supermarket_env"), max(3, effort.rounds // 4))
    return [at_most("`import supermarket_env` against `import gymnasium`", ratio, 1.5)]


def compiling() -> list[Result]:
    """Compile everything cold, find it cached, and start two processes at once on an empty cache.

    Raises:
        SystemExit: processes disagree on a byte.
    """
    if not numba_available():
        return [Result("compiling the rules", None, "not measured: needs numba")]
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        cold = answer(program(COMPILING, {"NUMBA_CACHE_DIR": one}))
        cached = answer(program(COMPILING, {"NUMBA_CACHE_DIR": one}))
        both = [program(COMPILING, {"NUMBA_CACHE_DIR": two}) for _ in range(2)]
        pair = [answer(process) for process in both]
        after = answer(program(COMPILING, {"NUMBA_CACHE_DIR": two}))
    if len({str(run["sha256"]) for run in (cold, cached, *pair, after)}) != 1:
        raise SystemExit("processes with different caches disagree on the bytes")
    seconds = [float(run["all_s"]) - float(run["loading_s"]) for run in (cold, cached, *pair, after)]
    found = max(seconds[1], seconds[4])
    together = max(seconds[2:4])
    return [
        Result("compiling every entry point on an empty cache", seconds[0], "s of CPU", "under 30", seconds[0] < 30),
        Result(
            "the same in each of two processes that start at once (slower one)",
            together,
            "s of CPU",
            "under 30",
            together < 30,
        ),
        Result("the same found cached, after either", found, "s of CPU", "under 3", found < 3),
    ]


def memory() -> list[Result]:
    """Memory of environments, by what a process grows."""
    if not Path("/proc/self/statm").exists():
        return [Result("memory of an environment", None, "not measured: needs /proc")]
    grown = {name: float(value) for name, value in answer(program(MEMORY)).items()}
    return [
        Result("memory of the first environment, catalogue, store and suite included", grown["first"] / 2**20, "MiB"),
        Result("memory of every further environment of a process", grown["scalar"] / 2**10, "KiB"),
        Result("memory of a row of the vector environment, N = 4096", grown["row"] / 2**10, "KiB"),
    ]


class Played(NamedTuple):
    """A run of the main command."""

    turns: int
    cpu_s: float
    wall_s: float


def run_command(episodes: int, trials: int, workers: int) -> Played:
    """Run the main command with the rule assistant and everything written."""
    size = [f"suite.episodes={episodes}", f"trials={trials}", f"run.workers={workers}", RULES]
    with tempfile.TemporaryDirectory() as folder:
        clock, begin = time.perf_counter(), os.times()
        arguments = [COMMAND, "run", "out=run", "agents=[rule]", "reference=null", "run.progress=false", *size]
        subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        cpu, wall = children_cpu(begin), time.perf_counter() - clock
        with (Path(folder) / "run" / "episodes.jsonl").open("rb") as stream:
            turns = sum(e["k"] == "reward" for line in stream for e in json.loads(line)["events"])
    return Played(turns, cpu, wall)


def whole_run() -> list[Result]:
    """Turns a second of CPU of the main command, one worker.

    A long and a short run: their difference is what the trips themselves cost (working out their tasks included), the
    long one has start, loading, figures and plot in it too.
    """
    run_command(2, 1, 1)
    long, short = run_command(200, 3, 1), run_command(20, 1, 1)
    rate = (long.turns - short.turns) / (long.cpu_s - short.cpu_s)
    what = "`supermarket run agents=[rule] trials=3` (dev), one worker, log written"
    return [
        at_least(what, rate, 2000, "turns/s"),
        Result("the same with start, loading, figures and plot", long.turns / long.cpu_s, "turns/s"),
    ]


def workers(effort: Effort) -> list[Result]:
    """Two workers against one by the clock on the wall: what a longer run takes more than a short one."""
    trials = 10 if effort.passes > 1 else 2

    def of(n: int) -> Callable[[], float]:
        return lambda: run_command(200, trials, n).wall_s - run_command(8, 1, n).wall_s

    ratio = in_turns(of(1), of(2), 3 if effort.passes > 1 else 1)
    return [at_least("two workers against one, episodes a second", 1 / ratio, 1.6)]


def sweep(effort: Effort) -> list[Result]:
    """A sweep of trivial jobs against bare Hydra with the same configuration and an empty job."""
    rounds = 3 if effort.passes > 1 else 1
    jobs = f"seed=range({JOBS})"
    trivial = ["experiment=smoke", "agents=[silent]", "reference=null", "suite.episodes=1", "run.progress=false"]
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE, encoding="utf-8")

        def hydra() -> float:
            return spent(sys.executable, "-P", str(bare), "-m", jobs, folder=folder)

        fresh = itertools.count()

        def play(out: str) -> float:
            last = (f"out={out}", "run.workers=1", "run.compiled=false", jobs)
            return spent(COMMAND, "run", "-m", *trivial, *last, folder=folder)

        play("done")
        found = in_turns(hydra, lambda: play("done"), rounds)
        played = in_turns(hydra, lambda: play(f"new{next(fresh)}"), rounds)
    what = f"a sweep of {JOBS} one-episode jobs against bare Hydra with empty ones"
    return [
        at_most(f"{what}: all found done", found, 1.6),
        Result(f"{what}: played (log, figures, plot)", played, "x"),
    ]
