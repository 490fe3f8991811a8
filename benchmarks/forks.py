"""What would one other message have been worth? Forks of `rule_tuned`'s trips with the same luck from there on.

    python benchmarks/forks.py                 # 600 training trips; rewrites a table of docs/training.md
    python benchmarks/forks.py --trips 40 --dry

At drawn turns of a trip the game and the assistant are copied, the copy says something else, and both play on. Draws
are keyed by what happens, so the difference is the message's own doing. A rule for when to deviate (a regression on
what the assistant knows at that turn) is fitted to half of the trips and judged on the other half.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from user_page import table, write_table

from supermarket_env.agents.registry import make_agent
from supermarket_env.agents.rule import Rule, _Now, _Speech
from supermarket_env.envs.fork import fork
from supermarket_env.envs.game import Game
from supermarket_env.run.seeding import episode_seed
from supermarket_env.stats import bootstrap_ci
from supermarket_env.tasks.suites import train_task, world_of
from supermarket_env.train.play import satisfaction

PAGE = Path(__file__).resolve().parents[1] / "docs" / "training.md"
FIRST_TASK: Final = 30_000
FORKS_A_TRIP: Final = 4
RIDGE: Final = 30.0

Deviation = Callable[["Deviating", _Now], _Speech | None]


class Deviating(Rule):
    """The tuned rule, which once says what a deviation makes of the turn."""

    deviation: Deviation | None = None
    seen: list[float]

    def _explain(self, now: _Now) -> _Speech | None:
        self.seen = self.features(now)
        deviation, self.deviation = self.deviation, None
        if deviation is not None:
            return deviation(self, now) or _Speech("guide")
        return super()._explain(now)

    def features(self, now: _Now) -> list[float]:
        """Return what is known at this turn, as numbers."""
        memory = self._memory
        ways = [min(way, 20) for way, *_ in now.open]
        first = now.open[0] if now.open else None
        return [
            1.0,
            now.turn / 20.0,
            len(now.heard) / 5.0,
            len(now.open) / 5.0,
            (ways[0] if ways else 0) / 5.0,
            float(memory.all_told),
            float(memory.annoyed),
            memory.thrift - 1.0,
            float(now.response.act in ("ask", "hesitate", "request_compare")),
            float(now.response.act == "reject"),
            float(now.response.act == "answer"),
            float(first is not None and first[1].accepted is not None),
            float(first is not None and first[2].lists > 0),
            len(first[2].asked) / 2.0 if first else 0.0,
            len(first[2].wishes) / 3.0 if first else 0.0,
            sum(need.accepted is not None for _, need, _, _ in now.open) / 5.0,
            sum(memo.lists == 0 for _, _, memo, _ in now.open) / 5.0,
            len(now.view.cart) / 5.0,
        ]

    def question(self, now: _Now) -> _Speech | None:
        """An open question about the nearest need without a yes."""
        for _, need, memo, _ in now.open:
            if need.accepted is None and need.product_type is not None and not memo.told_all:
                memo.asked.append("again")
                return _Speech("ask", "", need.ordinal, "anything")
        return None

    def more(self, now: _Now) -> _Speech | None:
        """The question for further needs."""
        return None if self._memory.all_told else _Speech("ask", attribute="anything")

    def show(self, now: _Now) -> _Speech | None:
        """A list for the nearest need without a yes."""
        for _, need, memo, _ in now.open:
            if need.accepted is None and need.product_type is not None:
                return self._list(now, need, memo)
        return None

    def hush(self, now: _Now) -> _Speech | None:
        """Nothing but the way."""
        return _Speech("guide")

    def elsewhere(self, now: _Now) -> _Speech | None:
        """The way to the second nearest need."""
        if len(now.open) < 2:
            return None
        now.open = [now.open[1], now.open[0], *now.open[2:]]
        return _Speech("guide")


DEVIATIONS: Final[dict[str, Deviation]] = {
    "asks about the nearest need": Deviating.question,
    "asks for further needs": Deviating.more,
    "shows a list for the nearest need": Deviating.show,
    "says nothing, shows the way": Deviating.hush,
    "leads to the second nearest need": Deviating.elsewhere,
}


def finish(game: Game, assistant: Rule) -> float:
    """Play to the end; returns need satisfaction."""
    while not game.done:
        game.step(assistant.reply(game.view))
    return satisfaction(game)


def branch(assistant: Deviating, game: Game) -> tuple[Deviating, Game]:
    """Return copies that go on by themselves; shelf and words are shared."""
    other = copy.copy(assistant)
    other._memory = copy.deepcopy(assistant._memory, {id(assistant._shelf): assistant._shelf})
    return other, fork(game)


def trip(game: Game, thresholds: dict[str, Any], number: int) -> list[tuple[str, list[float], float]]:
    """Return (deviation, features, gain in need satisfaction) of the forks of one trip."""
    task = train_task(FIRST_TASK + number, store="neighbourhood")
    rng = np.random.Generator(np.random.Philox(number))
    game.reset(task, seed=episode_seed(0, task.id, 0))
    assistant = Deviating(thresholds)
    assistant.start(game.view)
    forks = []
    while not game.done:
        forks.append(branch(assistant, game))
        game.step(assistant.reply(game.view))
    kept = satisfaction(game)
    found = []
    for k in rng.choice(len(forks), min(FORKS_A_TRIP, len(forks)), replace=False).tolist():
        for name, deviation in DEVIATIONS.items():
            other, there = branch(*forks[k])
            other.deviation = deviation
            before = len(there.transcript.exchanges)
            there.step(other.reply(there.view))
            said = there.transcript.exchanges[before].message
            if said != game.transcript.exchanges[k].message:
                found.append((name, other.seen, finish(there, other) - kept))
    return found


def fitted(x: NDArray[np.float64], gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a ridge regression of gains (n,) on features (n, f)."""
    return np.asarray(np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ gains), dtype=np.float64)


def rows_of(found: list[list[tuple[str, list[float], float]]]) -> list[list[str]]:
    """Return one row a deviation: always, with hindsight, and where the rule fitted to the other half says so."""
    rows = []
    for name in DEVIATIONS:
        halves = []
        for half in (0, 1):
            here = [(x, gain) for k, t in enumerate(found) if k % 2 == half for n, x, gain in t if n == name]
            halves.append((np.array([x for x, _ in here]), np.array([gain for _, gain in here])))
        gains = np.concatenate([half[1] for half in halves])
        chosen = np.concatenate(
            [gains_there[x @ fitted(*halves[1 - half]) > 0.0] for half, (x, gains_there) in enumerate(halves)]
        )
        used = len(chosen) / len(gains)
        rows.append(
            [
                name,
                f"{len(gains):,}",
                _mean(gains),
                f"{np.mean(np.maximum(gains, 0.0)):+.3f}",
                f"{100 * used:.0f} %",
                _mean(chosen) if len(chosen) > 1 else "n/a",
            ]
        )
    return rows


def _mean(values: NDArray[np.float64]) -> str:
    low, high = bootstrap_ci(values.tolist()) or (float("nan"), float("nan"))
    return f"{values.mean():+.4f} [{low:+.4f}, {high:+.4f}]"


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--trips", type=int, default=600)
    parser.add_argument("--mode", default="auto", choices=("auto", "compiled", "plain"))
    parser.add_argument("--dry", action="store_true", help="do not write the page")
    options = parser.parse_args()
    game = Game(world_of("embedded", "neighbourhood"), texts=False, mode=options.mode)
    tuned: Any = make_agent("rule_tuned")
    thresholds = tuned.config.model_dump(mode="json")
    found = [trip(game, thresholds, k) for k in range(options.trips)]
    head = (
        "instead it ...",
        "forks",
        "gain",
        "with hindsight",
        "where a fitted rule says so",
        "gain there, on the other half",
    )
    text = f"{options.trips} trips.\n\n{table(head, rows_of(found))}"
    print(text)
    if not options.dry:
        write_table("forks", text, PAGE)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
