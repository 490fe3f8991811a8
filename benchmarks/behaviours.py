"""How often the scripted user does what it is said to do.

    python benchmarks/behaviours.py             # 200 dev tasks, about two minutes; rewrites the table in docs/user.md
    python benchmarks/behaviours.py --tasks 50 --dry

Every behaviour is counted with the assistants under whom it can occur: a user cannot turn down the list of an assistant
that shows none. Bad manners are provoked by assistants that have them (``random``, ``spam``, ``checkout_pusher``, and
two made here: one that tells wrong prices and one that asks and asks). Exit code 1 when a behaviour is below 1 %.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from user_page import agent_of, play, table, write_table

from supermarket_env.agents.registry import make_agent
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.envs.game import Game
from supermarket_env.rules import codes as c
from supermarket_env.rules.rows import NEED_GIVEN_UP, PLACE_MEMORY, PLACE_SEEN, PLACE_TOLD
from supermarket_env.tasks.suites import load_suite
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.user_sim.mind_act import ANGRY_LEAVE
from supermarket_env.world import load_world

MINIMUM = 0.01
HONEST = ("silent", "retrieval", "rule")
LISTING = ("retrieval", "rule")
REFUSED = (*LISTING, "one_by_one")
ALONE = ("silent", "retrieval", "guide_only")
"""Assistants that offer nothing in place of what is sold out."""
TIRING = ("silent", "random", "spam")


class Liar:
    """Lists like ``retrieval``, and tells half the true price of what stands first."""

    name = "liar"

    def __init__(self) -> None:
        self._inner: Any = make_agent("retrieval")
        self._first = ""

    def start(self, view: Any) -> None:
        self._inner.start(view)
        self._first = ""

    def reply(self, view: Any) -> AssistantMessage:
        if self._first:
            price = view.catalogue.product(self._first).price_cents / 100
            message = AssistantMessage(
                act="inform", products=(self._first,), attribute="price", value=round(price / 2 + 0.01, 2)
            )
            self._first = ""
            return message
        reply: AssistantMessage = self._inner.reply(view)
        if reply.items:
            self._first = reply.items[0]
        return reply


class Pollster:
    """Asks one question after another about the need mentioned last."""

    name = "pollster"
    _ATTRIBUTES = ("brand", "size", "organic", "price_limit", "quantity", "diet", "allergy", "low_fat", "vegan")

    def start(self, view: Any) -> None:
        pass

    def reply(self, view: Any) -> AssistantMessage:
        attribute = self._ATTRIBUTES[view.turn % len(self._ATTRIBUTES)]
        return AssistantMessage(act="ask", need=max(1, len(view.heard)), attribute=attribute)


def one_by_one() -> Any:
    """Return ``retrieval`` with lists of one product: the more is turned down, the more reasons are given."""
    return make_agent(
        {"name": "one_by_one", "_target_": "supermarket_env.agents.retrieval.Retrieval", "list_length": 1}
    )


DOUBLES: dict[str, Callable[[], Any]] = {"liar": Liar, "pollster": Pollster, "one_by_one": one_by_one}
Check = Callable[[Any, Any, Any, Any], bool]


class Behaviour(NamedTuple):
    """Something the user does: where it can occur, and how a turn shows it (before, state, message, outcome)."""

    name: str
    agents: tuple[str, ...]
    seen: Check


def _act(act: int) -> Check:
    return lambda b, s, m, o: o.act == act


def _reason(reason: int) -> Check:
    return lambda b, s, m, o: o.act == c.U_REJECT and o.reason == reason


def _cause(cause: int) -> Check:
    return lambda b, s, m, o: o.act == c.U_COMPLAIN and o.cause == cause


def _end(end: int) -> Check:
    return lambda b, s, m, o: s.end == end


def _stock_out(reaction: int) -> Check:
    return lambda b, s, m, o: o.stock_out == reaction


def _hinted(m: Any, o: Any) -> bool:
    """A hint that can be followed and is not what the user does anyway."""
    own = o.would == m.sug_type and o.would_arg == m.sug_arg
    return m.sug_type != c.ACT_NONE and o.sug_legal == 1 and not own


def _knew(b: Any, s: Any, m: Any, o: Any) -> bool:
    return any(
        b.place_by[i] == PLACE_MEMORY and s.place_by[i] == PLACE_SEEN and s.place[i] == b.place[i]
        for i in range(s.n_needs)
    )


def _misremembered(b: Any, s: Any, m: Any, o: Any) -> bool:
    return any(b.place_by[i] == PLACE_MEMORY and s.avoid[i] == b.place[i] != b.avoid[i] for i in range(s.n_needs))


def _told_right(b: Any, s: Any, m: Any, o: Any) -> bool:
    return any(b.place_by[i] == PLACE_TOLD and s.place_by[i] == PLACE_SEEN for i in range(s.n_needs))


def _found(b: Any, s: Any, searching: int) -> bool:
    return any(b.place[i] < 0 <= s.place[i] and s.place_by[i] == PLACE_SEEN for i in range(s.n_needs)) and (
        searching == 1
    )


def _gave_up(b: Any, s: Any, m: Any, o: Any) -> bool:
    return any(
        (b.status[i] != NEED_GIVEN_UP and s.status[i] == NEED_GIVEN_UP) or (b.dormant[i] == 0 and s.dormant[i] > 0)
        for i in range(s.n_needs)
    )


def _took(why: int) -> Check:
    return lambda b, s, m, o: o.cart_op == 1 and o.cart_why == why


def _list_of(*entries: tuple[str, tuple[str, ...], Check]) -> tuple[Behaviour, ...]:
    return tuple(Behaviour(*entry) for entry in entries)


BEHAVIOURS = _list_of(
    ("tells needs or details bit by bit", HONEST, lambda b, s, m, o: any(o.fact_new[k] for k in range(o.n_facts))),
    ("mentions something unasked", HONEST, _act(c.U_DISCLOSE)),
    ("answers what was asked", ("rule",), lambda b, s, m, o: o.act == c.U_ANSWER and any(o.fact_value[: o.n_facts])),
    (
        "answers that it has no preference",
        ("pollster",),
        lambda b, s, m, o: o.act == c.U_ANSWER and 0 in o.fact_value[: o.n_facts],
    ),
    ("accepts a listed product", LISTING, _act(c.U_ACCEPT)),
    ("rejects for the price", REFUSED, _reason(c.R_PRICE)),
    ("rejects for the brand", REFUSED, _reason(c.R_BRAND)),
    ("rejects for the size", REFUSED, _reason(c.R_SIZE)),
    ("rejects for a missing attribute", REFUSED, _reason(c.R_ATTRIBUTE)),
    ("rejects for an allergen", REFUSED, _reason(c.R_ALLERGEN)),
    ("rejects as not what it meant", ("random", "spam"), _reason(c.R_NOT_MEANT)),
    ("rejects because it has one already", (*LISTING, "pager"), _reason(c.R_HAVE_IT)),
    ("rejects without a reason", ("one_by_one",), _reason(c.R_NO_REASON)),
    ("hesitates between two", LISTING, _act(c.U_HESITATE)),
    ("asks to compare two", LISTING, _act(c.U_REQUEST_COMPARE)),
    ("asks about a product", LISTING, _act(c.U_ASK)),
    ("a wish comes to mind on seeing options", LISTING, lambda b, s, m, o: sum(s.discovered) > sum(b.discovered)),
    ("asks the way", HONEST, _act(c.U_ASK_WHERE)),
    ("thanks", LISTING, _act(c.U_THANK)),
    ("complains: sold out", HONEST, _cause(c.C_OUT_OF_STOCK)),
    ("complains: not found", HONEST, _cause(c.C_NOT_FOUND)),
    ("complains: over budget", HONEST, _cause(c.C_OVER_BUDGET)),
    ("complains: wrong directions", ("random",), _cause(c.C_WRONG_DIRECTIONS)),
    ("complains: repetition", ("spam",), _cause(c.C_REPETITION)),
    ("complains: irrelevant list", ("random",), _cause(c.C_IRRELEVANT)),
    ("complains: untrue claim", ("liar",), _cause(c.C_UNTRUE)),
    ("complains: too many questions", ("pollster",), _cause(c.C_TOO_MANY_QUESTIONS)),
    ("complains: pushed to pay", ("checkout_pusher",), _cause(c.C_PUSHY)),
    ("finds a place by memory", HONEST, _knew),
    ("remembers a place wrongly", HONEST, _misremembered),
    ("finds a place by searching", HONEST, lambda b, s, m, o: _found(b, s, o.searching)),
    ("sees a place in passing", HONEST, lambda b, s, m, o: _found(b, s, 1 - o.searching)),
    ("finds a place it was told", LISTING, _told_right),
    ("buys what it found itself", HONEST, _took(c.W_SELF_FOUND)),
    ("looks at a shelf", HONEST, lambda b, s, m, o: o.action == c.ACT_LOOK),
    ("reads a label", HONEST, lambda b, s, m, o: o.action == c.ACT_INSPECT),
    ("follows a hint against its own plan", ("rule",), lambda b, s, m, o: _hinted(m, o) and o.followed == 1),
    ("refuses a hint", ("rule",), lambda b, s, m, o: _hinted(m, o) and o.followed == 0),
    ("buys on impulse", HONEST, _took(c.W_IMPULSE)),
    ("sold out: other store", ALONE, _stock_out(1)),
    ("sold out: other brand", ALONE, _stock_out(2)),
    ("sold out: same brand, other variety", ALONE, _stock_out(3)),
    ("sold out: another day", ALONE, _stock_out(4)),
    ("sold out: drops it", ALONE, _stock_out(5)),
    (
        "accepts a substitute for what was sold out",
        LISTING,
        lambda b, s, m, o: o.act == c.U_ACCEPT and c.W_SUBSTITUTE in s.why[: s.n_needs],
    ),
    ("puts goods back when over budget", HONEST, lambda b, s, m, o: o.action == c.ACT_REMOVE),
    ("gives up a need", HONEST, _gave_up),
    ("trust rises", LISTING, lambda b, s, m, o: s.trust > b.trust),
    ("trust falls", ("liar",), lambda b, s, m, o: s.trust < b.trust),
    (
        "leaves angry",
        ("random", "spam", "checkout_pusher"),
        lambda b, s, m, o: s.end == c.E_LEFT and s.giving_up == ANGRY_LEAVE,
    ),
    ("runs out of patience and leaves", TIRING, _end(c.E_PATIENCE)),
    ("runs out of patience and pays for what it has", TIRING, _end(c.E_PATIENCE_CHECKOUT)),
    ("pays", HONEST, _end(c.E_CHECKOUT)),
)


def count(tasks: Sequence[Any], game: Game) -> dict[str, dict[str, int]]:
    """Return, by behaviour and assistant, in how many episodes it was seen."""
    wanted = sorted({agent for behaviour in BEHAVIOURS for agent in behaviour.agents})
    counts: dict[str, dict[str, int]] = {b.name: defaultdict(int) for b in BEHAVIOURS}
    for name in wanted:
        agent = agent_of(name, DOUBLES)
        mine = [b for b in BEHAVIOURS if name in b.agents]
        for task in tasks:
            seen: set[str] = set()

            def watch(b: Any, s: Any, m: Any, o: Any, mine: Any = mine, seen: Any = seen) -> None:
                seen.update(k.name for k in mine if k.name not in seen and k.seen(b, s, m, o))

            play(game, agent, task, watch=watch)
            for behaviour in seen:
                counts[behaviour][name] += 1
    return counts


def shares(counts: dict[str, dict[str, int]], n: int) -> list[tuple[Behaviour, float]]:
    """Return the share of episodes with each behaviour, over the assistants under whom it can occur."""
    return [(b, sum(counts[b.name].values()) / (n * len(b.agents))) for b in BEHAVIOURS]


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--mode", default="auto", choices=("auto", "compiled", "plain"))
    parser.add_argument("--dry", action="store_true", help="print only, leave docs/user.md as it is")
    options = parser.parse_args()
    tasks = load_suite("dev").tasks[: options.tasks]
    game = Game(load_world("embedded", "neighbourhood"), user=UserConfig(), texts=False, mode=options.mode)
    counts = count(tasks, game)
    found = shares(counts, len(tasks))
    rows = [
        [b.name, f"{100 * share:.1f} %", ", ".join(f"{a} {100 * counts[b.name][a] / len(tasks):.1f}" for a in b.agents)]
        for b, share in found
    ]
    text = table(("behaviour", "episodes", "by assistant (%)"), rows)
    print(text)
    rare = [b.name for b, share in found if share < MINIMUM]
    print(f"\nbelow {MINIMUM:.0%}: {', '.join(rare) or 'none'}")
    if not options.dry:
        write_table("behaviours", text)
    return 1 if rare else 0


if __name__ == "__main__":
    raise SystemExit(main())
