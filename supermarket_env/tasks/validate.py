"""Checking tasks by playing them: a covering cart is bought by legal actions, replayed through the rules themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from supermarket_env.errors import SupermarketError
from supermarket_env.rules import codes
from supermarket_env.rules.place import legal, touches
from supermarket_env.rules.rows import Message, Outcome
from supermarket_env.rules.world import Tables
from supermarket_env.tasks.draft import MIN_FEASIBLE
from supermarket_env.tasks.prepare import Prepared, prepare
from supermarket_env.tasks.sample import MIN_ACCEPTABLE
from supermarket_env.tasks.solve import Lines, NeedValues
from supermarket_env.tasks.state import seed_lanes
from supermarket_env.tasks.suites import Suite, store_key, world_of
from supermarket_env.tasks.task import Task
from supermarket_env.tasks.tour import fewest_moves
from supermarket_env.user_sim.config import Mechanisms, UserConfig
from supermarket_env.user_sim.mind_world import perform
from supermarket_env.user_sim.turn import begin, clear
from supermarket_env.world import World

ENDLESS_PATIENCE = 500.0


class Failure(NamedTuple):
    """What is wrong with one task."""

    task_id: str
    reason: str


def check_suite(suite: Suite) -> Iterator[tuple[Task, list[str]]]:
    """Check the tasks of a suite one by one; yields each with its failures (none: it is sound)."""
    stale = set(_stale(suite))
    for task in suite.tasks:
        try:
            world = world_of(task.catalogue, task.store)
            failures = check_task(world, task)
        except SupermarketError as error:
            failures = [str(error)]
        yield task, [*(text for place, text in stale if place in (task.store, task.catalogue)), *failures]


def _stale(suite: Suite) -> Iterator[tuple[str, str]]:
    """Say which store or catalogue is no longer the one a suite was frozen for."""
    for task in {(t.catalogue, t.store): t for t in suite.tasks}.values():
        try:
            world = world_of(task.catalogue, task.store)
        except SupermarketError:
            continue
        then_store = suite.store_hashes.get(store_key(task.store, task.catalogue))
        for kind, name, now, then in (
            ("catalogue", task.catalogue, world.catalogue.content_hash, suite.catalogue_hashes.get(task.catalogue)),
            ("store", task.store, world.store.content_hash, then_store),
        ):
            if then is not None and then != now:
                yield name, f"{kind} {name!r} has hash {now[:12]}, the suite was made for {then[:12]}"


def check_task(world: World, task: Task, user: UserConfig | None = None) -> list[str]:
    """Return everything that is wrong with a task, [] when it is sound.

    Sound means: needs of separate product types with enough to choose from, and a cart that covers every need within
    the budget and is bought within the turn limit by actions that are all legal when they are made.

    Raises:
        TaskError: The task names what the catalogue lacks, or its needs fight for the same goods.
    """
    p = prepare(world, task, user or UserConfig())
    failures = _choice(task, p.lasting[0])
    cart = covering_cart(p)
    if cart is None:
        short = [need.types[0] for need, v in zip(task.needs, p.lasting[0], strict=True) if not _cheapest(v, need.qty)]
        why = f"too little on the shelf for {', '.join(short)}" if short else "the budget is too small"
        return [*failures, f"no cart covers every need: {why}"]
    return [*failures, *replay(p, cart)]


def _choice(task: Task, values: Sequence[NeedValues]) -> list[str]:
    failures = []
    seen: dict[str, int] = {}
    for i, (need, v) in enumerate(zip(task.needs, values, strict=True)):
        for name in need.types:
            if name in seen:
                failures.append(f"needs {seen[name]} and {i} share the product type {name!r}")
            seen[name] = i
        if len(v.feasible) < MIN_FEASIBLE:
            failures.append(f"need {i} has {len(v.feasible)} feasible products, at least {MIN_FEASIBLE} are needed")
        if len(v.offers) < MIN_ACCEPTABLE:
            failures.append(f"need {i} has {len(v.offers)} acceptable products on the shelf, "
                            f"at least {MIN_ACCEPTABLE} are needed")  # fmt: skip
    return failures


def _cheapest(v: NeedValues, qty: int) -> Lines:
    """Return the cheapest ``qty`` acceptable units on the shelf, () when there are not so many."""
    lines = []
    for offer in sorted(v.offers, key=lambda o: (o.price, o.product)):
        n = min(qty, offer.left)
        lines.append((offer.product, n))
        qty -= n
        if qty == 0:
            return tuple(lines)
    return ()


def covering_cart(p: Prepared) -> Lines | None:
    """Return a cart that fills every need within the budget: the best one when it does, else the cheapest; or None.

    Only goods count that stay on the shelf throughout the trip.
    """
    wanted = [need.qty for need in p.task.needs]
    values, best = p.lasting
    if all(sum(n for _, n in lines) == qty for lines, qty in zip(best.by_need, wanted, strict=True)):
        return best.lines
    units: dict[int, int] = {}
    for v, qty in zip(values, wanted, strict=True):
        lines = _cheapest(v, qty)
        if not lines:
            return None
        for product, n in lines:
            units[product] = units.get(product, 0) + n
    cost = sum(p.tables.prod[product].price * n for product, n in units.items())
    return tuple(sorted(units.items())) if cost <= p.task.budget_cents else None


def replay(p: Prepared, cart: Lines) -> list[str]:
    """Buy a cart on the shortest way through the rules and return what went wrong.

    The shopper of the replay does not tire and is not tempted, so only the world can stand in the way.
    """
    player = _Player(p)
    walk = fewest_moves(p.world.store, [product for product, _ in cart])
    wanted = dict(cart)
    for node in walk.nodes:
        player.walk_to(node)
        for product in [q for q in wanted if touches(player.tables, player.state.node, q) == 1]:
            player.act(codes.ACT_ADD, product, wanted.pop(product))
    player.act(codes.ACT_CHECKOUT)
    return [*player.failures, *player.verdict(dict(cart))]


class _Player:
    """Plays chosen actions on a state row, checking each against the rules first."""

    def __init__(self, p: Prepared) -> None:
        self.p = p
        calm = UserConfig(mechanisms=Mechanisms(impulse_rate=0.0, sold_out=p.user.mechanisms.sold_out))
        self.tables: Tables = p.tables._replace(par=calm.params_row(compiled=False))
        self.state = p.fresh_state()
        self.state.t_patience = ENDLESS_PATIENCE
        self.message: Any = Message()
        self.outcome: Any = Outcome()
        self.failures: list[str] = []
        self.state.seed_lo, self.state.seed_hi = seed_lanes(p.task.seed)
        begin(self.tables, self.state, self.outcome)

    def walk_to(self, node: int) -> None:
        """Move to a node on a way with the fewest moves."""
        while self.state.node != node and not self.failures:
            self.act(codes.ACT_MOVE, self.tables.step[self.state.node][node])

    def act(self, action: int, arg: int = 0, qty: int = 0) -> None:
        """Do one action if it is legal and the trip still runs; else note the failure."""
        s, o = self.state, self.outcome
        if self.failures:
            return
        if s.end != codes.E_RUNNING:
            self.failures.append(f"the trip was over ({codes.ENDS[s.end]}) after {s.turn} turns, "
                                 f"before {self._text(action, arg, qty)}")  # fmt: skip
            return
        if legal(self.tables, s, action, arg, qty) == 0:
            self.failures.append(f"turn {s.turn + 1}: {self._text(action, arg, qty)} is not legal at node "
                                 f"{self.p.world.store.node_ids[s.node]}")  # fmt: skip
            return
        s.turn = s.turn + 1
        clear(o)
        o.action, o.arg, o.qty = action, arg, qty
        perform(self.tables, s, self.message, o)

    def verdict(self, cart: dict[int, int]) -> list[str]:
        """Compare the end of the trip with what a sound task promises."""
        s, p = self.state, self.p
        if self.failures:
            return []
        wrong = []
        if s.end != codes.E_CHECKOUT:
            wrong.append(f"the trip ended with {codes.ENDS[s.end]}, not with a payment")
        if {s.cart_p[k]: s.cart_q[k] for k in range(s.n_cart)} != cart:
            wrong.append("the goods paid for are not the chosen cart")
        if s.spent > p.task.budget_cents:
            wrong.append(f"it cost {s.spent / 100:.2f}, the budget is {p.task.budget_cents / 100:.2f}")
        if s.turn > p.max_turns:
            wrong.append(f"it took {s.turn} turns, the limit is {p.max_turns}")
        return wrong + self._unfilled(cart)

    def _unfilled(self, cart: dict[int, int]) -> list[str]:
        wrong = []
        for i, (need, v) in enumerate(zip(self.p.task.needs, self.p.values, strict=True)):
            units = sum(n for product, n in cart.items() if product in v.acceptable)
            if units < need.qty:
                wrong.append(f"need {i} ({need.types[0]}) got {units} of {need.qty} acceptable units")
        return wrong

    def _text(self, action: int, arg: int, qty: int) -> str:
        store, ids = self.p.world.store, self.p.world.catalogue.ids
        if action == codes.ACT_MOVE:
            return f"move to {store.node_ids[arg]}"
        return f"add {qty} x {ids[arg]}" if action == codes.ACT_ADD else codes.ACTIONS[action]
