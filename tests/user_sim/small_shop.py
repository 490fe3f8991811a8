"""A hand-made shop in which every number can be followed on paper.

Six nodes in a row, five metres apart; a move is one edge::

    entrance 0 --- 1 milk --- 2 bread --- 3 jam --- 4 --- 5 checkout

Six products a type (milk 0-5, bread 6-11, jam 12-17), all at 1.00, brand = number modulo 3. Quality falls from one to
the next, so that without wishes their utilities are .68 .64 .60 .56 .52 .52; the outside option is worth .55. No
taste, no stock-outs, no impulses, no map errors unless a test asks for them.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from supermarket_env.rules import codes as c
from supermarket_env.rules.rows import TRAITS, Message, Outcome, State
from supermarket_env.rules.world import MOVE_ROW, NODE_ROW, PRODUCT_ROW, SECTION_ROW, TYPE_ROW, Tables
from supermarket_env.tasks.state import seed_lanes
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.user_sim.turn import begin_trips, play_turns

MILK, BREAD, JAM = 0, 1, 2
N_NODES, CHECKOUT = 6, 5
QUALITY = (0.9, 0.7, 0.5, 0.3, 0.1, 0.1)
OUTSIDE = 0.55
PERSONA = {
    "patience": 100.0, "trust": 0.5, "compliance": 0.5, "familiarity": 1.0, "talkativeness": 0.5, "disclosure": 0.0,
    "price_sensitivity": 1.0, "brand_loyalty": 1.0, "hesitation": 0.0, "impulse": 0.0, "attention": 1.0,
    "temper": 0.5, "self_discovery": 0.0,
}  # fmt: skip
PLAIN = {"u_taste": 0.0, "sold_out": 0.0, "map_error": 0.0, "ask_product": 0.0, "talk_cost": 0.0}


def program(name: str) -> ModuleType:
    """Import a module of ``benchmarks``; they import one another as scripts of one folder do."""
    folder = str(Path(__file__).resolve().parents[2] / "benchmarks")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)


def _row(row_class: Any, **values: Any) -> Any:
    row = row_class()
    for name, value in values.items():
        setattr(row, name, value)
    return row


def small_tables(**mechanisms: Any) -> Tables:
    """Return the tables of the shop, with mechanisms over the quiet defaults of this module."""
    user = UserConfig.model_validate({"mechanisms": PLAIN | mechanisms})
    flat = [1, CHECKOUT]

    def put(*numbers: int) -> tuple[int, int]:
        flat.extend(numbers)
        return len(flat) - len(numbers), len(numbers)

    products = [
        _row(PRODUCT_ROW, price=100, typ=p // 6, brand=p % 3, size_class=2, section=p // 6, endcap=-1, stock=10,
             unit_price=1000, quality=QUALITY[p % 6], popularity=1.0, rel_price=0.0)
        for p in range(18)
    ]  # fmt: skip
    types: list[Any] = []
    sections: list[Any] = []
    nodes: list[Any] = []
    moves: list[Any] = []
    for t in range(3):
        first, count = put(t)
        types.append(_row(TYPE_ROW, first=6 * t, count=6, sec_first=first, sec_count=count, department=0))
        goods, at, kinds = put(*range(6 * t, 6 * t + 6)), put(t + 1), put(t)
        sections.append(
            _row(SECTION_ROW, prod_first=goods[0], prod_count=6, node_first=at[0], node_count=1, type_first=kinds[0],
                 type_count=1)
        )  # fmt: skip
    for a in range(N_NODES):
        kind = {0: c.NODE_KINDS.index("entrance"), CHECKOUT: c.N_CHECKOUT}.get(a, 0)
        ends = [b for b in (a - 1, a + 1) if 0 <= b < N_NODES]
        nodes.append(_row(NODE_ROW, kind=kind, move_first=len(moves), move_count=len(ends), see_first=0, see_count=0))
        moves.extend(_row(MOVE_ROW, to=b, pass_first=0, pass_count=0, metres=5.0) for b in ends)
    every, places = range(N_NODES), range(3)
    return Tables(
        par=user.params_row(compiled=False), prod=products, typ=types, sec=sections, node=nodes, move=moves, flat=flat,
        dist=[[5.0 * abs(a - b) for b in every] for a in every],
        hops=[[abs(a - b) for b in every] for a in every],
        step=[[a + (b > a) - (b < a) for b in every] for a in every],
        touch=[[int(a == k + 1) for k in places] for a in every],
        sees=[[int(abs(a - k - 1) <= 1) for k in places] for a in every],
        way=[[abs(a - k - 1) for k in places] for a in every],
        stand=[[k + 1 for k in places] for a in every],
        sight=[[max(0, abs(a - k - 1) - 1) for k in places] for a in every],
    )  # fmt: skip


class Shopper:
    """A user in the small shop; ``s``, ``m`` and ``o`` are the plain rows of the game.

    ``needs`` are product types; further keywords set persona traits. Change ``s`` or ``w`` before ``open``.
    """

    def __init__(
        self, *needs: int, seed: int = 1, budget: int = 10_000, tables: Tables | None = None, **traits: float
    ) -> None:
        self.w = tables or small_tables()
        s: Any = State()
        s.seed_lo, s.seed_hi = seed_lanes(seed)
        s.taste_seed, s.reads_acts, s.max_turns, s.budget = 7, 1, 80, budget
        for name in TRAITS:
            setattr(s, f"t_{name}", float((PERSONA | traits)[name]))
        s.n_needs = len(needs)
        for i in range(c.MAX_NEEDS):
            s.brand[i] = -1
        for i, kind in enumerate(needs):
            s.n_type[i], s.typ[i * c.MAX_TYPES], s.qty[i] = 1, kind, 1
            s.weight[i], s.outside[i] = 1.0, OUTSIDE
        self.s: Any = s
        self.m: Any = Message()
        self.o: Any = Outcome()

    def open(self) -> Shopper:
        """Start the trip."""
        begin_trips(self.w, [self.s], [self.o], 1)
        return self

    def at(self, node: int) -> Shopper:
        """Stand the user somewhere else, as if it had walked there unseen."""
        self.s.node = node
        return self

    def message(self, items: tuple[int, ...] = (), products: tuple[int, ...] = (), **fields: int) -> Any:
        """Fill the message row: silence but for what is given."""
        m: Any = Message()
        m.value, m.goal_id = -1, -1
        m.products = [*products, -1, -1, -1][: c.MAX_PRODUCTS]
        m.items[: len(items)] = items
        m.n_items = len(items)
        for name, value in fields.items():
            setattr(m, name, value)
        self.m = m
        return m

    def hear(self, items: tuple[int, ...] = (), products: tuple[int, ...] = (), **fields: int) -> Any:
        """Play one turn with a message; return the outcome."""
        self.message(items, products, **fields)
        play_turns(self.w, [self.s], [self.m], [self.o], 1)
        return self.o

    def ask(self, need: int, slot: int) -> Any:
        """Play one turn with a question."""
        return self.hear(act=c.A_ASK, need=need, slot=slot)

    def suggest(self, action: int, arg: int = 0, qty: int = 0) -> Any:
        """Play one turn with a hint."""
        return self.hear(act=c.A_GUIDE, sug_type=action, sug_arg=arg, sug_qty=qty)

    def until_end(self, limit: int = 200) -> list[tuple[int, int, int]]:
        """Play on in silence; return the actions (action, arg, qty)."""
        actions: list[tuple[int, int, int]] = []
        while self.s.end == 0 and len(actions) < limit:
            self.hear()
            actions.append((self.o.action, self.o.arg, self.o.qty))
        return actions
