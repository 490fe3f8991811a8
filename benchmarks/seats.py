"""What the PettingZoo doors cost, against our Gymnasium step and a PettingZoo classic measured in the same run.

    python -P benchmarks/seats.py            # writes the table in docs/pettingzoo.md
    python -P benchmarks/seats.py --dry      # print only
    python -P benchmarks/seats.py --parity 2000   # also compare that many trips byte by byte

Before anything is timed, the same trips are played through all three doors and their logs compared byte by byte. Timed
are the same trips with the answers of the scripted user given from outside, as elements of the action space; slices and
ratios are those of ``speed.py``. Exit code 1 when a bound fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import runpy
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from supermarket_env.agents.registry import AGENTS, make_agent
from supermarket_env.envs import env, parallel_env, raw_env
from supermarket_env.envs.game import Game
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.errors import SupermarketError

HERE = Path(__file__).resolve().parent
SPEED = runpy.run_path(str(HERE / "speed.py"))
PAGE = HERE.parent / "docs" / "pettingzoo.md"
STORES = ("corner", "neighbourhood", "hyper")
BEGIN, END = "<!-- speed: begin (python -P benchmarks/seats.py writes this part) -->", "<!-- speed: end -->"
TASKS = 40
ROUNDS = 31
Slice = Callable[[int], None]
Trip = list[dict[str, Any]]
"""The scripted user's answers of one trip, turn by turn."""


def zero_message(space: Any) -> dict[str, Any]:
    """Return the silent message."""
    return {
        name: "" if name == "text" else np.zeros(part.shape, dtype=np.int64) if part.shape else 0
        for name, part in space.spaces.items()
    }


def recorded(door: Any, tasks: Any) -> list[Trip]:
    """Return what the scripted users answer to a silent assistant, by task."""
    silent = zero_message(door.action_space("assistant_0"))
    trips = []
    for k, task in enumerate(tasks):
        door.reset(options={"task": task, "seed": k})
        trip: Trip = []
        while door.agents:
            answer = door.scripted_answers({"assistant_0": silent})["user_0"]
            trip.append(answer)
            door.step({"assistant_0": silent, "user_0": answer})
        trips.append(trip)
    return trips


def gym_steps(door: gym.Env[Any, Any], game: Game, tasks: Any) -> Slice:
    """Return turns of ``Supermarket-v0`` through ``gym.make``, its log line made at every end."""
    silent = zero_message(door.action_space)
    episode = 0
    door.reset(options={"task": tasks[0], "seed": 0})

    def run(n: int) -> None:
        nonlocal episode
        for _ in range(n):
            if door.step(silent)[2]:
                game.line()
                episode = (episode + 1) % len(tasks)
                door.reset(options={"task": tasks[episode], "seed": episode})

    return run


def parallel_turns(door: Any, tasks: Any, trips: list[Trip] | None) -> Slice:
    """Return turns of the parallel environment; without recorded trips the scripted user is let answer."""
    silent = zero_message(door.action_space("assistant_0"))
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
    silent = zero_message(door.action_space("assistant_0"))
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


def tictactoe() -> Slice:
    """Return steps of PettingZoo's tic-tac-toe: the first free field, ``last()`` before each step."""
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


def available(name: str) -> bool:
    """Return whether an assistant can be made here; some need extras."""
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


def measure(mode: str) -> list[Any]:
    """Return the rows of the table."""
    compare, result = SPEED["compare"], SPEED["Result"]
    single = gym.make("supermarket_env:Supermarket-v0", mode=mode)
    inside: Any = single.unwrapped
    tasks = inside.tasks[:TASKS]
    trips = recorded(parallel_env(mode=mode), tasks)
    anchor = gym_steps(single, inside.game, tasks)
    parallel = parallel_turns(parallel_env(mode=mode), tasks, trips)
    ratio, seconds = compare(parallel, anchor, rounds=ROUNDS)
    what = "parallel turn, in `Supermarket-v0` steps:"
    bound = "at most 1.4"
    rows = [
        result(f"{what} users answered for from outside", ratio, "x", bound, ratio <= 1.4),
        result("the same", seconds * 1e6, "us a turn", "-", None),
    ]
    ratio, _ = compare(parallel_turns(parallel_env(mode=mode), tasks, None), anchor, rounds=ROUNDS)
    rows.append(result(f"{what} `scripted` users", ratio, "x", bound, ratio <= 1.4))
    unseen = parallel_turns(parallel_env(mode=mode, user_views=False), tasks, None)
    ratio, _ = compare(unseen, anchor, rounds=ROUNDS)
    rows.append(result(f"{what} `scripted` users, `user_views=False`", ratio, "x", bound, ratio <= 1.4))
    cycle, _ = compare(cycle_turns(env(mode=mode), tasks, trips), parallel, rounds=ROUNDS)
    rows.append(
        result(
            "cycle turn (`env`: two steps, `last` before each), in parallel turns",
            cycle,
            "x",
            "at most 3.5",
            cycle <= 3.5,
        )
    )
    if importlib.util.find_spec("pygame") is None:
        print("tic-tac-toe is left out: it needs pygame (extra bench)")
        return rows
    classic, _ = compare(tictactoe(), parallel, rounds=ROUNDS)
    rows.append(result("one step of PettingZoo's `tictactoe_v3.env`, in parallel turns", classic, "x", "-", None))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="do not touch the page")
    parser.add_argument("--mode", default="auto", help="auto, compiled or plain rules")
    parser.add_argument("--parity", type=int, default=60, metavar="N", help="trips compared byte by byte first")
    options = parser.parse_args()
    check_parity(options.parity, options.mode)
    rows = measure(options.mode)
    lines = [f"Measured on: {SPEED['machine']()}; {datetime.now(UTC):%Y-%m-%d}.", "", *SPEED["table"](rows)]
    print("\n".join(lines))
    if not options.dry:
        text = PAGE.read_text(encoding="utf-8")
        start, stop = text.index(BEGIN) + len(BEGIN), text.index(END)
        PAGE.write_text("\n".join((text[:start], "", *lines, "", text[stop:])), encoding="utf-8")
    return 1 if any(row.holds is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
