"""What each persona trait does: the same trips with the trait low and high.

    python benchmarks/traits.py                  # 500 pairs a trait; rewrites the table in docs/user.md
    python benchmarks/traits.py --pairs 120 --dry --only trust,temper

A pair is one task played twice with the same luck by the same assistant; only the trait differs. Printed is the rate
of the behaviour the trait is named after at both ends, and the paired difference with its 95 % interval (Student's
t), which must lie on the expected side of 0. Exit code 1 when one does not.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

from user_page import Before, agent_of, play, table, write_table

from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.rules import codes as c
from supermarket_env.tasks.suites import load_suite
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.user_sim.persona import TRAIT_TABLE
from supermarket_env.world import World, load_world

_SPONTANEOUS = frozenset((c.U_DISCLOSE, c.U_ASK, c.U_ASK_WHERE, c.U_THANK))
_WAVERING = frozenset((c.U_HESITATE, c.U_REQUEST_COMPARE))


class Tally:
    """Counts of one episode that the rates are made of: ``Tally.rate`` is part / whole, None without a whole."""

    def __init__(self) -> None:
        self.part = 0.0
        self.whole = 0.0

    @property
    def rate(self) -> float | None:
        """The behaviour rate of the episode."""
        return self.part / self.whole if self.whole else None

    def of_trip(self, amount: float, s: Any) -> None:
        """Count an amount a trip."""
        self.part += amount
        self.whole = 1.0


def giving_up(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Share of trips that end because patience ran out."""
    t.of_trip(float(s.end in (c.E_PATIENCE, c.E_PATIENCE_CHECKOUT)), s)


def following(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Share of legal hints against the user's own plan, given when it is free to walk, that it follows."""
    free = o.talked == 0 and b.giving_up == 0 and b.spent <= s.budget
    if free and m.sug_type and o.sug_legal == 1 and (o.would != m.sug_type or o.would_arg != m.sug_arg):
        t.whole += 1
        t.part += o.followed


def searching(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Search moves a trip."""
    t.of_trip(o.searching, s)


def speaking(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Share of turns with spontaneous speech."""
    t.whole += 1
    t.part += o.act in _SPONTANEOUS


def telling(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Facts told unasked in the first ten turns."""
    told = sum(o.fact_new[: o.n_facts]) if o.act == c.U_DISCLOSE and s.turn <= 10 else 0
    t.of_trip(told, s)


def paying(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Mean relative price of what goes into the cart for a need (0 is the median of its type)."""
    if o.cart_op == 1 and o.cart_why != c.W_IMPULSE:
        t.whole += 1
        t.part += w.prod[o.cart_p].rel_price


def being_loyal(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Share of goods bought for a need with a wished brand that are of that brand."""
    if o.cart_op != 1:
        return
    for i in range(s.n_needs):
        if s.brand[i] >= 0 and b.target[i] == o.cart_p:
            t.whole += 1
            t.part += w.prod[o.cart_p].brand == s.brand[i]


def wavering(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Times a trip the user hesitates, asks to compare or reads a label."""
    t.of_trip((o.act in _WAVERING) + (o.action == c.ACT_INSPECT), s)


def yielding(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Impulse goods a trip."""
    t.of_trip(o.cart_op == 1 and o.cart_why == c.W_IMPULSE, s)


def reading(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Items examined a list that has one for an open need."""
    if o.n_examined:
        t.whole += 1
        t.part += o.n_examined


def fuming(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Share of turns on which the user complains about the assistant."""
    t.whole += 1
    t.part += o.act == c.U_COMPLAIN and o.cause > c.C_NOT_FOUND


def discovering(t: Tally, w: Any, b: Before, s: Any, m: Any, o: Any) -> None:
    """Wishes voiced a trip on seeing options."""
    t.of_trip(sum(s.discovered) - sum(b.discovered), s)


class Claim(NamedTuple):
    """A trait and what it should change."""

    trait: str
    behaviour: Any
    agent: str
    """With whom it shows."""
    sign: int
    """+1: the rate rises with the trait; -1: it falls."""


CLAIMS = (
    Claim("patience", giving_up, "silent", -1),
    Claim("trust", following, "random", +1),
    Claim("compliance", following, "rule", +1),
    Claim("familiarity", searching, "silent", -1),
    Claim("talkativeness", speaking, "silent", +1),
    Claim("disclosure", telling, "silent", +1),
    Claim("price_sensitivity", paying, "retrieval", -1),
    Claim("brand_loyalty", being_loyal, "retrieval", +1),
    Claim("hesitation", wavering, "retrieval", +1),
    Claim("impulse", yielding, "silent", +1),
    Claim("attention", reading, "long_lists", +1),
    Claim("temper", fuming, "random", +1),
    Claim("self_discovery", discovering, "retrieval", +1),
)
assert sorted(claim.trait for claim in CLAIMS) == sorted(t.name for t in TRAIT_TABLE)


def long_lists() -> Any:
    """Return ``retrieval`` with lists of ten."""
    return make_agent(
        {"name": "long_lists", "_target_": "supermarket_env.agents.retrieval.Retrieval", "list_length": 10}
    )


class Effect(NamedTuple):
    """Mean rate at both ends, and the paired difference (high - low) with its 95 % interval over n pairs."""

    low: float
    high: float
    difference: float
    lower: float
    upper: float
    n: int

    def shows(self, sign: int) -> bool:
        """Whether the interval lies on the expected side of 0."""
        return self.lower > 0.0 if sign > 0 else self.upper < 0.0


def rates(world: World, claim: Claim, value: float, tasks: Sequence[Task], mode: str) -> list[float | None]:
    """Return the behaviour rate of each task with the trait at ``value``; the luck is a function of the task."""
    game = Game(world, user=UserConfig(traits={claim.trait: value}), texts=False, mode=mode)
    agent = agent_of(claim.agent, {"long_lists": long_lists})
    found = []
    for task in tasks:
        tally = Tally()

        def watch(b: Before, s: Any, m: Any, o: Any, tally: Tally = tally) -> None:
            claim.behaviour(tally, world.lists, b, s, m, o)

        play(game, agent, task, watch=watch)
        found.append(tally.rate)
    return found


def paired(low: Sequence[float | None], high: Sequence[float | None]) -> Effect:
    """Return the effect over the pairs in which both rates exist.

    Raises:
        ValueError: Fewer than two such pairs.
    """
    import numpy as np
    from scipy import stats

    pairs = np.array([(a, b) for a, b in zip(low, high, strict=True) if a is not None and b is not None])
    if len(pairs) < 2:
        raise ValueError(f"needs at least two pairs with both rates, got {len(pairs)}")
    difference = pairs[:, 1] - pairs[:, 0]
    half = float(stats.t.ppf(0.975, len(pairs) - 1) * difference.std(ddof=1) / len(pairs) ** 0.5)
    mean = float(difference.mean())
    a, b = pairs.mean(axis=0).tolist()
    return Effect(a, b, mean, mean - half, mean + half, len(pairs))


def effect(world: World, claim: Claim, tasks: Sequence[Task], mode: str = "auto") -> Effect:
    """Measure one claim on the tasks, with the trait at the ends of what the population draws."""
    trait = next(t for t in TRAIT_TABLE if t.name == claim.trait)
    return paired(*(rates(world, claim, value, tasks, mode) for value in (trait.low, trait.high)))


def pair_tasks(n: int) -> tuple[Task, ...]:
    """Return n tasks in the neighbourhood store: the dev suite, then training tasks for it."""
    dev = load_suite("dev").tasks[:n]
    return dev + load_suite("train", store="neighbourhood", n=n - len(dev)).tasks


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--only", default="", help="traits, separated by commas")
    parser.add_argument("--mode", default="auto", choices=("auto", "compiled", "plain"))
    parser.add_argument("--dry", action="store_true", help="print only, leave docs/user.md as it is")
    options = parser.parse_args()
    world = load_world("embedded", "neighbourhood")
    tasks = pair_tasks(options.pairs)
    wanted = options.only.split(",") if options.only else [claim.trait for claim in CLAIMS]
    rows, failed = [], []
    for claim in CLAIMS:
        if claim.trait not in wanted:
            continue
        e = effect(world, claim, tasks, options.mode)
        trait = next(t for t in TRAIT_TABLE if t.name == claim.trait)
        meaning = " ".join(claim.behaviour.__doc__.split()).rstrip(".")
        rows.append(
            [f"`{claim.trait}`", f"{trait.low:g} / {trait.high:g}", meaning, f"`{claim.agent}`", f"{e.low:.3f}",
             f"{e.high:.3f}", f"{e.difference:+.3f} [{e.lower:+.3f}, {e.upper:+.3f}]", str(e.n)]
        )  # fmt: skip
        print(" | ".join(rows[-1]), flush=True)
        if not e.shows(claim.sign):
            failed.append(claim.trait)
    head = ("trait", "low / high", "behaviour", "assistant", "at low", "at high", "difference [95 %]", "pairs")
    print(f"\nnot shown: {', '.join(failed) or 'none'}")
    if not options.dry:
        write_table("traits", table(head, rows))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
