"""How fast the vector environment is, where its time goes, and whether memory is flat; fills docs/vector.md.

    python benchmarks/vector.py                      # about three minutes on a quiet machine
    python benchmarks/vector.py --dry                # print only
    python benchmarks/vector.py --episodes 100000    # memory and streamed figures over so many episodes, nothing else
    python benchmarks/vector.py --parity 2000        # log lines of all assistants in all stores, nothing else

Slices of ours stand between slices of Gymnasium's Taxi-v4 through ``gym.make``; the median of the ratios counts. Before
anything is timed, the batch is held against scalar environments byte by byte. Exit code 1 when a bound fails.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.vector import SyncVectorEnv
from slices import Effort, Slice, compare, taxi
from user_page import table, write_table

from supermarket_env.agents.registry import make_agent
from supermarket_env.dialogue.acts import SILENT
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.envs.vector import SupermarketVectorEnv
from supermarket_env.envs.vector_actions import as_action, stacked
from supermarket_env.events.hooks import Hook
from supermarket_env.events.log import encode_episode
from supermarket_env.metrics import StreamingMetrics, compute
from supermarket_env.rules import codes

PAGE = Path(__file__).resolve().parent.parent / "docs" / "vector.md"
EFFORT = Effort(rounds=21, passes=1)
WARM_TURNS = 24_000
SIZES = (1, 16, 128, 1024, 4096)
AIM = 5.0
ASSISTANTS = ("silent", "random", "spam", "checkout_pusher", "popularity", "retrieval", "rule")
STORES = ("corner", "neighbourhood", "hyper", "generated:1", "generated:2")


class Kept(Hook):
    """Keeps the lines and the episodes it is given."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.episodes: list[Any] = []

    def on_episode_end(self, episode: Any) -> None:
        self.lines.append(encode_episode(episode))
        self.episodes.append(episode)


def messages(world: Any, n: int, seed: int) -> dict[str, Any]:
    """Return a batch of messages: lists, hints, goals and questions, each in a part of the rows."""
    rng = np.random.default_rng(seed)
    items = np.zeros((n, codes.MAX_ITEMS), dtype=np.int64)
    items[:, :5] = rng.integers(1, world.catalogue.n_products + 1, (n, 5)) * (rng.random((n, 1)) < 0.3)
    return {
        "act": rng.integers(len(codes.ASSISTANT_ACTS), size=n),
        "need": rng.integers(4, size=n),
        "attribute": rng.integers(9, size=n),
        "products": np.zeros((n, codes.MAX_PRODUCTS), dtype=np.int64),
        "items": items,
        "suggest_type": rng.integers(len(codes.ACTIONS), size=n) * (rng.random(n) < 0.3),
        "suggest_arg": rng.integers(world.store.n_nodes, size=n),
        "goal_kind": rng.integers(len(codes.GOAL_KINDS), size=n) * (rng.random(n) < 0.2),
        "goal_id": rng.integers(world.store.n_nodes, size=n),
        "text": ("",) * n,
    }


def check_equality(n: int = 16, steps: int = 60) -> int:
    """Stop when a log line of the batch is not the scalar environment's; returns how many lines were compared."""
    kept = Kept()
    batch = SupermarketVectorEnv(n, record=range(n), hooks=[kept])
    batch.reset(seed=100)
    given = [messages(batch.world, n, step) for step in range(steps)]
    for actions in given:
        batch.step(actions)
    alone: Any = SupermarketEnv()
    expected = []
    for k in range(n):
        alone._n_episode = 0
        alone.reset(seed=100 + k)
        over = False
        for actions in given:
            if over:
                alone.reset()
                over = False
                continue
            over = alone.step({name: column[k] for name, column in actions.items()})[2]
            if over:
                expected.append(alone.game.line())
    if not expected or sorted(expected) != sorted(kept.lines):
        raise SystemExit("the batch writes other lines than scalar environments: nothing is worth timing")
    return len(expected)


# --- time ----------------------------------------------------------------------------------------------------------


def batch_turns(env: Any, n_kept: int = 16) -> Slice:
    """Return steps of a batch of ours (or of ``SyncVectorEnv`` over ours), random messages given, well warmed up."""
    inside = getattr(env, "world", None) or env.envs[0].unwrapped.world
    given = [messages(inside, env.num_envs, step) for step in range(n_kept)]
    env.reset(seed=1)
    count = 0

    def run(n: int) -> None:
        nonlocal count
        for _ in range(n):
            env.step(given[count % n_kept])
            count += 1

    run(max(2, WARM_TURNS // env.num_envs))
    return run


def batch(n: int, **options: Any) -> tuple[Slice, int]:
    """Return steps of a batch of ours and its size."""
    return batch_turns(SupermarketVectorEnv(n, **{"texts": False, "copy": False, **options})), n


def parts(n: int = 1024) -> list[list[str]]:
    """Return where the time of a turn goes, by part of the step."""
    env = SupermarketVectorEnv(n, texts=False, copy=False)
    given = [messages(env.world, n, step) for step in range(16)]
    env.reset(seed=1)
    inner: Any = env
    spent: dict[str, float] = {}

    def timed(place: Any, name: str, label: str) -> None:
        real = getattr(place, name)

        def run(*arguments: Any, **named: Any) -> Any:
            begin = time.process_time()
            try:
                return real(*arguments, **named)
            finally:
                spent[label] = spent.get(label, 0.0) + time.process_time() - begin

        setattr(place, name, run)

    for _ in range(60):
        env.step(given[0])
    timed(inner._batch, "play", "rules: the turn")
    timed(inner._batch, "observe", "rules: the observation rows")
    timed(inner._batch, "begin", "rules: new trips, copying included")
    timed(inner, "_reward_trips", "reward of paid carts")
    timed(inner._reader, "fill", "reading and checking the actions")
    for shown in inner._sets:
        timed(shown.masks, "mark", "masks, turns and ends")
    begin = time.process_time()
    for step in range(200):
        env.step(given[step % 16])
    whole = time.process_time() - begin
    spent["everything else: drawing tasks, info, arrays handed out"] = whole - sum(spent.values())
    unit = 1e6 / (200 * n)
    return [[label, f"{x * unit:.2f}", f"{x / whole:.0%}"] for label, x in sorted(spent.items(), key=lambda p: -p[1])]


def speeds() -> tuple[list[list[str]], bool]:
    """Return the rows of the speed table, and whether the aim was met."""
    anchor = taxi()
    rows = []
    best = 0.0

    def measure(name: str, turns: Slice, n: int) -> float:
        found = compare(turns, anchor, EFFORT, per_step=n)
        rows.append([name, f"{1 / found.ratio:.2f}", f"{found.seconds * 1e6:.2f}"])
        return 1 / found.ratio

    for n in SIZES:
        speed = measure(f"N = {n}, no words, arrays lent (`copy=False`)", *batch(n))
        best = speed if n == 1024 else best
    several: dict[str, Callable[[], tuple[Slice, int]]] = {
        "N = 1024, no words, own arrays (`copy=True`)": lambda: batch(1024, copy=True),
        "N = 64, every row recorded and added up (`StreamingMetrics`)": lambda: batch(
            64, record=range(64), hooks=[StreamingMetrics()]
        ),
        "N = 64, with words": lambda: batch(64, texts=True),
        "N = 64, plain rules": lambda: batch(64, mode="plain"),
        "`SyncVectorEnv` over 64 scalar environments, no words": lambda: (synchronous(64), 64),
    }
    for name, make in several.items():
        measure(name, *make())
    return rows, best >= AIM


def synchronous(n: int) -> Slice:
    """Return steps of Gymnasium's ``SyncVectorEnv`` over so many scalar environments of ours, no words."""
    return batch_turns(SyncVectorEnv([lambda: SupermarketEnv(texts=False)] * n))


# --- parity ---------------------------------------------------------------------------------------------------------


def scalar_line(name: str, seed: int, store: str) -> bytes:
    """Return the log line of an assistant's episode in the scalar environment."""
    env = scalar(store)
    env._n_episode = 0
    env.reset(seed=seed)
    agent = make_agent(name)
    agent.start(env.game.view)
    over = False
    while not over:
        over = env.step(as_action(agent.reply(env.game.view), env.game.decoder))[2]
    return env.game.line()  # type: ignore[no-any-return]


@lru_cache(maxsize=2)
def scalar(store: str) -> Any:
    """Return the scalar environment of a store."""
    return SupermarketEnv(store=store)


def batch_lines(name: str, first: int, n: int, store: str) -> list[bytes]:
    """Return the log lines of an assistant's first episodes in a batch of ``n``."""
    env = SupermarketVectorEnv(n, store=store, record=range(n), autoreset_mode="Disabled")
    env.reset(seed=first)
    agents = [make_agent(name) for _ in range(n)]
    for k, agent in enumerate(agents):
        agent.start(env.games[k].view)
    decoder, idle = env.game.decoder, as_action(SILENT, env.game.decoder)
    lines: dict[int, bytes] = {}
    while len(lines) < n:
        actions = [
            idle if k in lines else as_action(agent.reply(env.games[k].view), decoder) for k, agent in enumerate(agents)
        ]
        ended = env.step(stacked(actions))[2]
        for k in np.flatnonzero(ended).tolist():
            lines.setdefault(k, env.games[k].line())
        if ended.any():
            env.reset(options={"reset_mask": ended})
    return [lines[k] for k in range(n)]


def parity(seeds: int) -> str:
    """Hold the batch against the scalar environment over so many seeds, spread over all (assistant, store) pairs.

    Half of a pair's seeds are played in one batch, the others by sevens and one alone; one pair also in 1,024 rows.
    """
    pairs = [(name, store) for name in ASSISTANTS for store in STORES]
    each = max(8, -(-seeds // len(pairs)))
    total = differ = 0
    for number, (name, store) in enumerate(pairs):
        sizes = [1, *[7] * max(1, (each // 2 - 1) // 7), each // 2]
        if number == 0 and seeds >= 2000:
            sizes.append(1024)
        first = 1000 * number
        for n in sizes:
            lines = batch_lines(name, first, n, store)
            differ += sum(line != scalar_line(name, first + k, store) for k, line in enumerate(lines))
            total += n
            first += n
    return f"- {total:,} episodes of {len(pairs)} (assistant, store) pairs: {differ} lines differ"


# --- memory --------------------------------------------------------------------------------------------------------


def resident() -> float:
    """Return the process's memory in MiB now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def long_run(episodes: int, n: int = 64) -> list[str]:
    """Play so many episodes in one process; returns lines on memory, and on figures against the log's of a sample."""
    stream, sample, kept = StreamingMetrics(), StreamingMetrics(), Kept()

    class Both(Hook):
        def on_episode_end(self, episode: Any) -> None:
            stream.on_episode_end(episode)
            if stream.n <= 500:
                sample.on_episode_end(episode)
                kept.on_episode_end(episode)

    env = SupermarketVectorEnv(n, texts=False, suite="train", train_tasks=500, record=range(n), hooks=[Both()])
    env.reset(seed=0)
    given = [messages(env.world, n, step) for step in range(64)]
    lines, step, mark = [], 0, max(1, episodes // 5)
    while stream.n < episodes:
        env.step(given[step % 64])
        step += 1
        if stream.n >= mark:
            lines.append(f"- after {stream.n:,} episodes: {resident():.0f} MiB")
            mark += max(1, episodes // 5)
    expected = compute(kept.episodes)
    expected |= expected.pop("beyond")
    result = sample.result()
    same = result == {name: expected[name] for name in result}
    return [*lines, f"- streamed figures of the first {sample.n} equal those of their log: {'yes' if same else 'NO'}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="do not touch the page")
    parser.add_argument("--episodes", type=int, default=0, help="only play so many episodes and watch memory")
    parser.add_argument("--parity", type=int, default=0, help="only compare log lines over so many seeds")
    options = parser.parse_args()
    if options.parity:
        text = parity(options.parity)
        print(text)
        if not options.dry:
            write_table("parity", text, PAGE)
        return 0 if " 0 lines differ" in text else 1
    if options.episodes:
        text = "\n".join(long_run(options.episodes))
        print(text)
        if not options.dry:
            write_table("memory", text, PAGE)
        return 1 if "NO" in text else 0
    compared = check_equality()
    rows, met = speeds()
    shares = table(("part of a step, N = 1024", "us a turn", "share"), parts())
    text = "\n".join(
        [
            f"{compared} log lines of the batch equal those of scalar environments.",
            "",
            table(("what", "Taxi-v4 steps in the time of a turn (x)", "us a turn"), rows),
            "",
            f"The aim of {AIM:g} Taxi-v4 steps at N = 1024 is {'met' if met else 'not met'}.",
            "",
            shares,
        ]
    )
    print(text)
    if not options.dry:
        write_table("speed", text, PAGE)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
