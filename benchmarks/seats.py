"""What the PettingZoo doors cost, against our Gymnasium step and a PettingZoo classic measured in the same run.

    python benchmarks/seats.py            # writes the table in docs/pettingzoo.md
    python benchmarks/seats.py --dry      # print only
    python benchmarks/seats.py --parity 2000   # also compare that many trips byte by byte

Before anything is timed, the same trips are played through all three doors and their logs compared byte by byte. Timed
are the same trips with the answers of the scripted user given from outside, as elements of the action space; slices and
ratios are those of ``slices.py``. Exit code 1 when a bound fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
from slices import (
    QUICK,
    Effort,
    Result,
    Slice,
    at_most,
    compare,
    machine,
    market,
    missing,
    result_table,
    silent_action,
    tictactoe,
)
from user_page import write_table

from supermarket_env.agents.registry import AGENTS, make_agent
from supermarket_env.envs import env, parallel_env, raw_env
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.errors import SupermarketError

PAGE = Path(__file__).resolve().parent.parent / "docs" / "pettingzoo.md"
STORES = ("corner", "neighbourhood", "hyper")
TASKS = 40
Trip = list[dict[str, Any]]
"""The scripted user's answers of one trip, turn by turn."""


def recorded(door: Any, tasks: Any) -> list[Trip]:
    """Return what the scripted users answer to a silent assistant, by task.

    Equal parts are one object: a policy's answer is fresh from its hands, and what is timed is the door, not the
    fetching of a recording from far memory.
    """
    silent = silent_action(door.action_space("assistant_0"))
    known: dict[str, Any] = {}
    trips = []
    for k, task in enumerate(tasks):
        door.reset(options={"task": task, "seed": k})
        trip: Trip = []
        while door.agents:
            answer = door.scripted_answers({"assistant_0": silent})["user_0"]
            answer = {name: known.setdefault(repr(part), part) for name, part in answer.items()}
            answer = known.setdefault(repr(answer), answer)
            trip.append(answer)
            door.step({"assistant_0": silent, "user_0": answer})
        trips.append(trip)
    return trips


def parallel_turns(door: Any, tasks: Any, trips: list[Trip] | None) -> Slice:
    """Return turns of the parallel environment; without recorded trips the scripted user is let answer."""
    silent = silent_action(door.action_space("assistant_0"))
    free = door.store.users.scripted()
    episode, turn = 0, 0
    door.reset(options={"task": tasks[0], "seed": 0})

    def run(n: int) -> None:
        nonlocal episode, turn
        for _ in range(n):
            answer = free if trips is None else trips[episode][turn]
            turn += 1
            if door.step({"assistant_0": silent, "user_0": answer})[2]["user_0"]:
                door.store.games[0].line()
                episode, turn = (episode + 1) % len(tasks), 0
                door.reset(options={"task": tasks[episode], "seed": episode})

    return run


def cycle_turns(door: Any, tasks: Any, trips: list[Trip]) -> Slice:
    """Return turns (two steps) of the agent-environment cycle, with ``last()`` before each step."""
    silent = silent_action(door.action_space("assistant_0"))
    store = door.unwrapped.store
    episode, turn = 0, 0
    door.reset(options={"task": tasks[0], "seed": 0})

    def run(n: int) -> None:
        nonlocal episode, turn
        for _ in range(n):
            door.last()
            door.step(silent)
            door.last()
            door.step(trips[episode][turn])
            turn += 1
            if store.games[0].done:
                store.games[0].line()
                for _ in range(2):
                    door.step(None)
                episode, turn = (episode + 1) % len(tasks), 0
                door.reset(options={"task": tasks[episode], "seed": episode})

    return run


def available(name: str) -> bool:
    """Return whether an assistant can be made here: some need extras, language models a model."""
    if AGENTS[name].needs_model:
        return False
    try:
        make_agent(name)
    except (ImportError, SupermarketError):
        return False
    return True


def check_parity(trips: int, mode: str) -> None:
    """Stop when a trip's log differs between the doors; trips are spread over all assistants and layouts."""
    played = 0
    names = [name for name, spec in AGENTS.items() if not spec.privileged and available(name)]
    pairs = [(name, store) for store in STORES for name in names]
    for at, (name, store) in enumerate(pairs):
        share = trips // len(pairs) + (at < trips % len(pairs))
        doors = (
            SupermarketEnv(store=store, mode=mode),
            raw_env(store=store, mode=mode),
            parallel_env(store=store, mode=mode),
        )
        for k in range(share):
            lines = one_trip(doors, name, k)
            if len(set(lines)) != 1:
                raise SystemExit(
                    f"{name} in {store}, trip {k}: the doors give different bytes; nothing is worth timing"
                )
            played += 1
    print(f"{played} trips of {len(pairs)} pairs of assistant and layout: the same bytes through all three doors")


def one_trip(doors: Any, name: str, k: int) -> list[bytes]:
    """Return the log lines of one trip through the three doors."""
    single, cycle, parallel = doors
    options = {"task": single.tasks[k % len(single.tasks)], "seed": k}
    agent = make_agent(name)
    for door in doors:
        door.reset(options=options)
    game = single.game
    agent.start(game.view)
    while not game.done:
        single.step(agent.reply(game.view))
    lines = [game.line()]
    game = cycle.store.games[0]
    agent.start(game.view)
    while not game.done:
        cycle.step(agent.reply(game.view))
        cycle.step(cycle.scripted_answer())
    lines.append(game.line())
    game = parallel.store.games[0]
    agent.start(game.view)
    while parallel.agents:
        messages = {"assistant_0": agent.reply(game.view)}
        parallel.step({**messages, **parallel.scripted_answers(messages)})
    return [*lines, game.line()]


def measure(mode: str, effort: Effort | None = None) -> list[Result]:
    """Return the rows of the table."""
    single = gym.make("supermarket_env:Supermarket-v0", mode=mode)
    inside: Any = single.unwrapped
    tasks = inside.tasks[:TASKS]
    trips = recorded(parallel_env(mode=mode), tasks)
    anchor = market(single, tasks)
    parallel = parallel_turns(parallel_env(mode=mode), tasks, trips)
    what = "parallel turn, in `Supermarket-v0` steps:"
    found = compare(parallel, anchor, effort)
    rows = [
        at_most(f"{what} users answered for from outside", found.ratio, 1.4),
        Result("the same", found.seconds * 1e6, "us a turn"),
    ]
    free = parallel_turns(parallel_env(mode=mode), tasks, None)
    rows.append(at_most(f"{what} `scripted` users", compare(free, anchor, effort).ratio, 1.4))
    unseen = parallel_turns(parallel_env(mode=mode, user_views=False), tasks, None)
    rows.append(at_most(f"{what} `scripted` users, `user_views=False`", compare(unseen, anchor, effort).ratio, 1.4))
    cycle = compare(cycle_turns(env(mode=mode), tasks, trips), parallel, effort)
    rows.append(at_most("cycle turn (`env`: two steps, `last` before each), in parallel turns", cycle.ratio, 3.5))
    classic = "one step of PettingZoo's `tictactoe_v3.env`, in parallel turns"
    if importlib.util.find_spec("pygame") is None:
        return [*rows, missing(classic, "the extra `bench` (pygame)")]
    return [*rows, Result(classic, compare(tictactoe(), parallel, effort).ratio, "x")]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="do not touch the page")
    parser.add_argument("--mode", default="auto", help="auto, compiled or plain rules")
    parser.add_argument("--parity", type=int, default=60, metavar="N", help="trips compared byte by byte first")
    parser.add_argument("--quick", action="store_true", help="few rounds: does it run?")
    options = parser.parse_args()
    check_parity(options.parity, options.mode)
    rows = measure(options.mode, QUICK if options.quick else None)
    text = f"Measured on: {machine()}.\n\n{result_table(rows)}"
    print(text)
    if not options.dry:
        write_table("speed", text, PAGE)
    return 1 if any(row.holds is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
