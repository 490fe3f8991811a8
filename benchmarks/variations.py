"""How much is left to gain by behaving a little otherwise than `rule_tuned`? Single changes, same users, same luck.

    python benchmarks/variations.py              # 400 training tasks; rewrites a table of docs/training.md
    python benchmarks/variations.py --tasks 50 --dry

Each variation changes one habit of the tuned rule assistant; two assistants that are told the truth show what knowing
the needs (`informed`), and knowing the user's taste too (`foresight`), would be worth with the habits unchanged.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from informed import Informed
from user_page import table, write_table

from supermarket_env.agents.learned import Learned
from supermarket_env.agents.registry import make_agent
from supermarket_env.agents.rule import Rule, _Speech
from supermarket_env.dialogue.view import AssistantView
from supermarket_env.envs.game import Game
from supermarket_env.stats import paired_difference
from supermarket_env.tasks.suites import train_task, world_of
from supermarket_env.train.goods import HandMade
from supermarket_env.train.play import play

PAGE = Path(__file__).resolve().parents[1] / "docs" / "training.md"
FIRST_TASK = 20_000


class NeedsFirst(Rule):
    """Asks for all needs before it lists anything."""

    def _next_topic(self, now: Any) -> _Speech | None:
        return self._ask_for_more(now) or super()._next_topic(now)


class LateLists(Rule):
    """Lists products only close to their shelf."""

    def _list(self, now: Any, need: Any, memo: Any, *, substitute: bool = False) -> _Speech | None:
        way = next((way for way, n, _, _ in now.open if n.ordinal == need.ordinal), 0)
        if way > 2 and not substitute and not memo.turned_down:
            return None
        return super()._list(now, need, memo, substitute=substitute)


class QuestionsOnTheWay(Rule):
    """Asks about a need only while its shelf is still away."""

    def _question(self, now: Any, need: Any, memo: Any, way: int) -> _Speech | None:
        if way <= 1 and need.product_type is not None:
            return None
        return super()._question(now, need, memo, way)


class TwoQuestions(Rule):
    """Asks a second open question about each need."""

    def _question(self, now: Any, need: Any, memo: Any, way: int) -> _Speech | None:
        speech = super()._question(now, need, memo, way)
        if speech is not None or memo.lists or memo.told_all or len(memo.asked) != 1 or way == 0:
            return speech
        memo.asked.append("again")
        return _Speech("ask", "", need.ordinal, "anything")


class LookFirst(Rule):
    """Lists nothing for a need before the user has looked at its shelf, or has stood there for three turns."""

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        super().start(view)
        self._stood: dict[int, int] = {}

    def _list(self, now: Any, need: Any, memo: Any, *, substitute: bool = False) -> _Speech | None:
        if not substitute and memo.lists == 0 and not memo.turned_down and not memo.looked:
            way = next((way for way, n, _, _ in now.open if n.ordinal == need.ordinal), 0)
            self._stood[need.ordinal] = self._stood.get(need.ordinal, 0) + (way == 0)
            if self._stood[need.ordinal] < 3:
                return None
        return super()._list(now, need, memo, substitute=substitute)


def by_hand(habits: Mapping[str, Any]) -> Callable[[dict[str, Any]], Rule]:
    """Return how to make the rule assistant with habits of `learned`, its own ranking kept."""

    def make(thresholds: dict[str, Any]) -> Rule:
        plain = {"list_length": thresholds["list_length"], "second_lists": False, "hurry_at": 1000.0}
        return Learned(network=HandMade(thresholds), habits={**plain, **habits})

    return make


class Foresight(Informed):
    """Ranks by the logged true utility, taste included, where the log has it."""

    def start_privileged(self, view: AssistantView, truth: Mapping[str, Any]) -> None:
        """Begin an episode with the hidden truth of the task."""
        super().start_privileged(view, truth)
        self._utility: dict[str, float] = {}
        for values in truth["utility"].values():
            self._utility.update(values)

    def _worth(self, goods: Any, need: Mapping[str, Any]) -> float:
        return self._utility.get(goods.id, -1.0)


VARIATIONS: tuple[tuple[str, Callable[[dict[str, Any]], Rule], dict[str, Any]], ...] = (
    ("asks for all needs first", NeedsFirst, {}),
    ("lists only close to the shelf", LateLists, {}),
    ("asks about a need only on the way", QuestionsOnTheWay, {}),
    ("a second open question a need", TwoQuestions, {"questions_per_need": 3}),
    ("asks nothing about needs", Rule, {"questions_per_need": 0}),
    ("lists of ten", Rule, {"list_length": 10}),
    ("lists of five", Rule, {"list_length": 5}),
    ("no shelf hints", Rule, {"shelf_hints": False}),
    ("lists only after a look at the shelf", LookFirst, {}),
    ("a second list for who wavers", by_hand({"second_lists": True}), {}),
    ("asks and shows less when patience runs low", by_hand({"hurry_at": 9.0}), {}),
    ("told the needs, not the taste (`informed`\\*)", Informed, {}),
    ("told needs and taste\\*", Foresight, {}),
)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--tasks", type=int, default=400)
    parser.add_argument("--mode", default="auto", choices=("auto", "compiled", "plain"))
    parser.add_argument("--dry", action="store_true", help="do not write the page")
    options = parser.parse_args()
    game = Game(world_of("embedded", "neighbourhood"), texts=False, mode=options.mode)
    tasks = [train_task(FIRST_TASK + k, store="neighbourhood") for k in range(options.tasks)]

    def played(assistant: Any) -> tuple[list[float], float]:
        turns, found = 0, []
        for task in tasks:
            found.append(play(game, assistant, task))
            turns += game.turn
        return found, turns / len(tasks)

    tuned: Any = make_agent("rule_tuned")
    thresholds = tuned.config.model_dump(mode="json")
    base, turns = played(tuned)
    rows = [["`rule_tuned`", f"{np.mean(base):.3f}", "reference", f"{turns:.1f}"]]
    for name, kind, changes in VARIATIONS:
        rows.append(line(name, *played(kind({**thresholds, **changes})), base))
    rows.append(line("`oracle`\\*", *played(make_agent("oracle")), base))
    text = table(("assistant", "NS", "difference [95 %]", "turns"), rows)
    print(text)
    if not options.dry:
        write_table("variations", text, PAGE)
    return 0


def line(name: str, satisfied: Sequence[float], turns: float, base: Sequence[float]) -> list[str]:
    """Return one line of the table."""
    gain = paired_difference(satisfied, base)
    interval = f"{gain.mean:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]"
    return [name, f"{np.mean(satisfied):.3f}", interval, f"{turns:.1f}"]


if __name__ == "__main__":
    raise SystemExit(main())
