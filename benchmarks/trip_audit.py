"""An independent look over a user's shoulder: what no trip may contain, whatever the assistant does.

Walking is judged by the floor plan itself (edges, directions, shelf rectangles), not by the tables the rules read;
goods, money and statements by the task. Used by ``trips.py`` and the tests; not a program of its own.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from user_page import Before

from supermarket_env.catalogue.schema import ATTRIBUTES, allergen_mask, attribute_mask
from supermarket_env.envs.game import Game
from supermarket_env.rules import codes as c
from supermarket_env.rules.draws import P_STOCK, lane
from supermarket_env.store.layout import Layout
from supermarket_env.tasks.task import Need
from supermarket_env.world import World

_STRAIGHT = math.cos(math.radians(5.0))
_SLACK = 0.01


def crosses(x0: float, y0: float, x1: float, y1: float, box: tuple[float, float, float, float]) -> bool:
    """Return whether a line enters the inside of a box (x0, y0, x1, y1), by clipping it to the four sides."""
    low, high = 0.0, 1.0
    for start, way, near, far in ((x0, x1 - x0, box[0], box[2]), (y0, y1 - y0, box[1], box[3])):
        near, far = near + _SLACK, far - _SLACK
        if abs(way) < 1e-12:
            if not near < start < far:
                return False
            continue
        a, b = sorted(((near - start) / way, (far - start) / way))
        low, high = max(low, a), min(high, b)
    return low < high


def walks_of(layout: Layout) -> dict[tuple[int, int], float]:
    """Return the allowed moves of a plan: (from, to) -> metres, straight along at most ``step_edges`` edges.

    Raises:
        AssertionError: An edge of the plan leads through a shelf.
    """
    number = layout.node_numbers
    at = [(node.x, node.y) for node in layout.nodes]
    next_to: dict[int, dict[int, float]] = {n: {} for n in range(len(at))}
    for edge in layout.edges:
        a, b = number[edge.a], number[edge.b]
        for section in layout.sections:
            box = (section.x0, section.y0, section.x1, section.y1)
            assert not crosses(*at[a], *at[b], box), f"edge {edge.a}-{edge.b} goes through shelf {section.id}"
        next_to[a][b] = next_to[b][a] = min(edge.length_m, next_to[a].get(b, math.inf))
    found: dict[tuple[int, int], float] = {}

    def go_on(path: tuple[int, ...], metres: float) -> None:
        for b, length in next_to[path[-1]].items():
            longer = (*path, b)
            if b in path or not _straight([at[n] for n in longer]):
                continue
            key = path[0], b
            found[key] = min(metres + length, found.get(key, math.inf))
            if len(path) < layout.step_edges:
                go_on(longer, metres + length)

    for a in next_to:
        go_on((a,), 0.0)
    return found


def _straight(points: list[tuple[float, float]]) -> bool:
    headings = []
    for (ax, ay), (bx, by) in pairwise(points):
        size = math.hypot(bx - ax, by - ay) or 1.0
        headings.append(((bx - ax) / size, (by - ay) / size))
    return all(g[0] * h[0] + g[1] * h[1] >= _STRAIGHT for g in headings for h in headings)


def true_value(world: World, need: Need, slot: int) -> int:
    """Return what a truthful user says when asked for a slot of a need, from the task itself; 0 is no preference."""
    cat = world.catalogue
    kind = next(t for t, k in enumerate(cat.types) if k.name == need.types[0])
    values = {
        c.S_TYPE: kind + 1,
        c.S_DEPARTMENT: list(cat.departments).index(cat.types[kind].department) + 1,
        c.S_BRAND: list(cat.brands).index(need.brand) + 1 if need.brand else 0,
        c.S_SIZE: c.SIZE_CLASSES.index(need.size or "none"),
        c.S_QUANTITY: need.qty,
        c.S_PRICE_LIMIT: need.price_limit_cents,
        c.S_DIET: attribute_mask(need.diets),
        c.S_ALLERGY: allergen_mask(need.allergens),
    }
    if slot >= c.SLOT_ATTRIBUTE:
        name = ATTRIBUTES[slot - c.SLOT_ATTRIBUTE]
        return int(name in need.wants or name in need.diets)
    return values.get(slot, 0)


class Auditor:
    """Collects violations of one episode; call ``begin`` before its first turn and ``watch`` after every turn."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.walks = walks_of(game.world.store.layout)
        self.goods = game.world.lists.prod
        self.violations: list[str] = []

    def begin(self) -> None:
        """Take the opening line of a fresh episode."""
        self.violations = []
        self.said: dict[tuple[int, int], int] = {}
        self.order: dict[int, int] = {}
        self.accepted: set[tuple[int, int]] = set()
        self.rejected: set[tuple[int, int]] = set()
        self._statements(self.game.kernel.s, self.game.kernel.o)

    def watch(self, b: Before, s: Any, m: Any, o: Any) -> None:
        """Judge one turn."""
        self._walk(b, s, o)
        self._goods(b, s, o)
        self._money(b, s, o)
        self._statements(s, o)
        self._opinions(b, s, o)

    def _wrong(self, s: Any, text: str) -> None:
        self.violations.append(f"{self.game.task.id}, turn {s.turn}: {text}")

    def units_left(self, b: Any, p: int) -> int:
        """Return the units of product ``p`` on the shelf before the turn."""
        sold_out = self.game.user.mechanisms.sold_out
        if lane(b.taste_seed, P_STOCK, p, 0) / 2**32 < sold_out:
            return 0
        return int(self.goods[p].stock - sum(b.cart_q[k] for k in range(b.n_cart) if b.cart_p[k] == p))

    def _walk(self, b: Before, s: Any, o: Any) -> None:
        if o.action != c.ACT_MOVE:
            if s.node != b.node or o.metres != 0.0:
                self._wrong(s, f"moved from {b.node} to {s.node} by action {c.ACTIONS[o.action]}")
            return
        metres = self.walks.get((b.node, s.node))
        if metres is None or s.node != o.arg:
            self._wrong(s, f"no straight walk of the plan leads from {b.node} to {s.node}")
        elif abs(metres - o.metres) > 1e-6 or abs(s.walked - b.walked - o.metres) > 1e-6:
            self._wrong(s, f"{o.metres} m counted for a walk of {metres} m")

    def _goods(self, b: Before, s: Any, o: Any) -> None:
        if o.action not in (c.ACT_ADD, c.ACT_INSPECT):
            return
        product, reach = self.goods[o.arg], self.game.world.store.reach[b.node]
        if not any(place >= 0 and reach[place] for place in (product.section, product.endcap)):
            self._wrong(s, f"touched product {o.arg}, which is out of reach")
        if o.action == c.ACT_ADD and not 1 <= o.qty <= self.units_left(b, o.arg):
            self._wrong(s, f"took {o.qty} of product {o.arg}, of which {self.units_left(b, o.arg)} are left")

    def _money(self, b: Before, s: Any, o: Any) -> None:
        total = sum(self.goods[b.cart_p[k]].price * b.cart_q[k] for k in range(b.n_cart))
        if total != b.spent:
            self._wrong(s, f"the cart costs {total}, the user thinks {b.spent}")
        if s.end in (c.E_CHECKOUT, c.E_PATIENCE_CHECKOUT):
            if not 0 < total <= s.budget:
                self._wrong(s, f"paid {total} with a budget of {s.budget}")
            if b.node not in self.game.world.store.checkouts:
                self._wrong(s, f"paid at node {b.node}, which is no checkout")
        if s.end in (c.E_LEFT, c.E_PATIENCE) and (s.n_cart or (b.n_cart > 0) != (o.cleared == 1)):
            self._wrong(s, "walked out with goods")

    def _statements(self, s: Any, o: Any) -> None:
        """Every fact is true, about the need it names, and what was said before."""
        for k in range(o.n_facts):
            ordinal, slot, value = o.fact_need[k], o.fact_slot[k], o.fact_value[k]
            i = o.fact_id[k]
            if self.order.setdefault(ordinal, i) != i:
                self._wrong(s, f"need {ordinal} meant {self.order[ordinal]} and now {i}")
            if value != true_value(self.game.world, self.game.task.needs[i], slot):
                self._wrong(s, f"said {value} for slot {slot} of need {i}, which is untrue")
            if self.said.setdefault((ordinal, slot), value) != value:
                self._wrong(s, f"said {value} for slot {slot} of need {ordinal}, before {self.said[ordinal, slot]}")

    def _opinions(self, b: Before, s: Any, o: Any) -> None:
        """A product turned down for what it is stays turned down, a chosen one chosen; reasons and causes are true."""
        p = o.products[0]
        i = s.by_ordinal[o.need - 1] if o.need > 0 else -1
        if o.act == c.U_ACCEPT:
            if (i, p) in self.rejected:
                self._wrong(s, f"accepted product {p}, which it had turned down")
            self.accepted.add((i, p))
        elif o.act == c.U_REJECT and i >= 0:
            dear = b.spent + self.goods[p].price * (s.qty[i] - s.got[i]) > s.budget
            if o.reason not in (c.R_HAVE_IT, c.R_NO_REASON) and not (dear and o.reason == c.R_PRICE):
                self.rejected.add((i, p))
                if (i, p) in self.accepted:
                    self._wrong(s, f"turned down product {p}, which it had accepted")
            if not (dear and o.reason == c.R_PRICE) and not self._reason_holds(s, o, i, p):
                self._wrong(s, f"reason {c.REASONS[o.reason]} is not true of product {p}")
        elif o.act == c.U_COMPLAIN and o.cause == c.C_OUT_OF_STOCK and self.units_left(b, p) > 0:
            self._wrong(s, f"called product {p} sold out")
        elif o.act == c.U_COMPLAIN and o.cause == c.C_OVER_BUDGET and b.spent <= s.budget:
            self._wrong(s, "called itself over budget")

    def _reason_holds(self, s: Any, o: Any, i: int, p: int) -> bool:
        product = self.goods[p]
        if o.reason == c.R_ALLERGEN:
            return bool(product.allergens & s.hard_allergens[i])
        if o.reason == c.R_ATTRIBUTE and o.slot == c.S_DIET:
            return bool(s.hard_attrs[i] & ~product.diets)
        if o.reason == c.R_ATTRIBUTE:
            a = o.slot - c.SLOT_ATTRIBUTE
            wanted = [s.want_attr[i * c.MAX_WANTS + k] for k in range(s.n_want[i])]
            return a in wanted and not product.attrs >> a & 1
        if o.reason == c.R_BRAND:
            return bool(s.brand[i] >= 0 and product.brand != s.brand[i])
        if o.reason == c.R_SIZE:
            return bool(s.want_size[i] > 0 and product.size_class != s.want_size[i])
        if o.reason == c.R_PRICE:
            return bool(product.rel_price > 0.0 or 0 < s.limit[i] < product.price)
        return True
