"""The other seat: any user model (a language model, a replay, a person, your own) behind one interface.

A user model sees its own persona and needs, the message and what is in view, and answers with one dialogue act and one
legal action. The game keeps the rules: places, stock, money, trust, irritation and patience move as for the scripted
user. Whatever the model does wrong (raises, answers junk, picks an illegal action) is a counted fault of the user, and
the scripted user's answer is taken in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from supermarket_env.dialogue.acts import AssistantMessage, Fact
from supermarket_env.envs.answers import NOT_THE_MODELS, UserAction, UserTurn, described, flaw, shown
from supermarket_env.envs.decode import ACTION_CODE
from supermarket_env.envs.kernel import copy_row
from supermarket_env.envs.understand import fact_number
from supermarket_env.rules import codes
from supermarket_env.rules.place import left_on_shelf, legal
from supermarket_env.tasks.task import Need
from supermarket_env.user_sim.turn import adopt, carry_out, decide, take_in

if TYPE_CHECKING:
    from supermarket_env.catalogue.schema import Catalogue
    from supermarket_env.dialogue.view import HeardNeed
    from supermarket_env.envs.game import Game
    from supermarket_env.store import Store

__all__ = ["UserAction", "UserDoor", "UserModel", "UserSeat", "UserTurn", "legal_actions", "products_in"]


class UserModel(Protocol):
    """A simulated user; one instance serves one episode at a time.

    A model may also have ``reword(seat, words) -> str``: it gets the words the template grammar makes of its act (when
    its answer has no ``text`` of its own; empty when nothing is said) and returns those that are said.
    """

    name: str
    version: str

    def start(self, seat: UserSeat) -> None:
        """Begin an episode; forget everything of earlier ones (the opening line is the scripted user's).

        Who fails here is not asked for answers in this episode.
        """

    def respond(self, seat: UserSeat) -> UserTurn:
        """Return the answer of this turn; ``seat.scripted()`` is what the scripted user would answer."""


class UserSeat:
    """What a user model may know at its turn."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.proposal: UserTurn | None = None
        self.message: AssistantMessage = AssistantMessage()

    @property
    def turn(self) -> int:
        """The turn being played, from 1."""
        return self._game.turn

    @property
    def turns_left(self) -> int:
        """Turns after this one."""
        return self._game.turn_limit - self._game.turn

    @property
    def seed(self) -> int:
        """A number for models that draw; equal in equal episodes."""
        return self._game.seed

    @property
    def persona(self) -> dict[str, float]:
        """The user's traits."""
        return dict(self._game.prepared.logged_truth["persona"])

    @property
    def needs(self) -> tuple[Need, ...]:
        """What the user wants."""
        return self._game.task.needs

    @property
    def task_id(self) -> str:
        """Id of the task."""
        return self._game.labels.task_id or self._game.task.id

    @property
    def catalogue(self) -> Catalogue:
        """All products, as everybody can look them up."""
        return self._game.world.catalogue

    @property
    def store(self) -> Store:
        """The floor plan."""
        return self._game.world.store

    @property
    def heard(self) -> Sequence[HeardNeed]:
        """What was said about each mentioned need so far, in order of mention."""
        return self._game.view.heard

    @property
    def mentioned(self) -> tuple[int, ...]:
        """Own needs (numbers from 1) in the order in which they were mentioned: the listener's need 1, 2, ..."""
        s = self._game.kernel.s
        return tuple(s.by_ordinal[k] + 1 for k in range(s.n_mentioned))

    @property
    def open_needs(self) -> tuple[int, ...]:
        """Numbers (from 1) of the needs neither bought nor given up."""
        s = self._game.kernel.s
        return tuple(i + 1 for i in range(s.n_needs) if s.status[i] == 0)

    @property
    def budget(self) -> float:
        """Money in the currency unit."""
        return self._game.task.budget_cents / 100.0

    @property
    def spent(self) -> float:
        """Price of the cart."""
        return float(self._game.kernel.s.spent) / 100.0

    @property
    def mood(self) -> tuple[float, float, float]:
        """Trust, irritation and patience."""
        s = self._game.kernel.s
        return s.trust, s.irritation, s.patience

    @property
    def position(self) -> str:
        """Node id."""
        return self._game.narrator.node[self._game.kernel.node]

    @property
    def visible(self) -> Sequence[str]:
        """Ids of sections and landmarks in view."""
        return tuple(self._game.narrator.visible[self._game.kernel.node])

    @property
    def cart(self) -> dict[str, int]:
        """Units by product id."""
        s, names = self._game.kernel.s, self._game.narrator.product
        return {names[s.cart_p[k]]: s.cart_q[k] for k in range(s.n_cart)}

    def acceptable(self, product: str) -> bool:
        """Whether a product would satisfy one of the open needs (the user can judge what it is shown)."""
        p = self._game.decoder.products.get(product, -1)
        return any(p in self._game.prepared.acceptable[i - 1] for i in self.open_needs)

    def legal_actions(self) -> list[UserAction]:
        """Return every legal action, in a fixed order."""
        return legal_actions(self._game)

    def report(self, kind: str, detail: str) -> None:
        """Write a line of this turn into the log's fault ledger (``who`` user): what a reader must know of the user."""
        assert self._game.door is not None
        self._game.door.faults.append((kind, detail))

    def scripted(self) -> UserTurn:
        """Return what the scripted user would say and do now; answering it keeps the game byte for byte scripted."""
        assert self.proposal is not None
        return self.proposal


def legal_actions(game: Game) -> list[UserAction]:
    """Return the finite list of the user's legal actions in the present state, in a fixed order."""
    tables, s, names = game.kernel.tables, game.kernel.s, game.narrator
    store = game.world.store
    found = [UserAction("wait")]
    found += [UserAction("move", names.node[move.node]) for move in store.move_targets[s.node]]
    found += [UserAction("look", names.section[c]) for c in range(store.n_sections) if store.visible[s.node, c]]
    near = sorted({p for c in np.flatnonzero(store.reach[s.node]).tolist() for p in products_in(game, c)})
    found += [UserAction("inspect", names.product[p]) for p in near]
    found += [UserAction("add", names.product[p], 1) for p in near if left_on_shelf(tables, s, p) > 0]
    found += [UserAction("remove", names.product[s.cart_p[k]], 1) for k in range(s.n_cart)]
    if legal(tables, s, codes.ACT_CHECKOUT, 0, 0) == 1:
        found.append(UserAction("checkout"))
    return [*found, UserAction("leave")]


class UserDoor:
    """Plays turns of a game with a user model in the user's seat (plain rules)."""

    def __init__(self, game: Game, model: UserModel) -> None:
        self.game = game
        self.model = model
        self.seat = UserSeat(game)
        self.text: str | None = None
        self.faults: list[tuple[str, str]] = []
        self._not_started = ""

    def start(self) -> None:
        """Tell the model that an episode begins; where it fails, the scripted user plays and every turn says why."""
        self.seat = UserSeat(self.game)
        self._not_started = ""
        self.faults = []
        try:
            self.model.start(self.seat)
        except NOT_THE_MODELS:
            raise
        except BaseException as error:  # the model's boundary: its failure is data
            self._not_started = f"start: {described(error)}"

    def play(self) -> None:
        """Play one turn: the same beginning and end as for the scripted user, the model's choice in between."""
        kernel = self.game.kernel
        tables, m, o = kernel.tables, kernel.m, kernel.o
        self.text = None
        self.faults = []
        take_in(tables, kernel.s, m, o)
        thought, words = copy_row(kernel.s), copy_row(o)
        decide(tables, thought, m, words)
        self.seat.message = self.game.last_message
        self.seat.proposal = proposal = self._named(words, thought)
        answer = self._asked()
        if answer is None or replace(answer, text=proposal.text) == proposal:
            kernel.take_over(thought, words)
            if answer is not None:
                self.text = answer.text
        else:
            self._fill(answer, words)
            adopt(tables, kernel.s, o)
            if o.need == 0 and 1 <= answer.need <= kernel.s.n_needs:  # mentioned just now
                o.need = kernel.s.ordinal[answer.need - 1]
            self.text = answer.text
        carry_out(tables, kernel.s, m, kernel.o)

    def reword(self, words: str) -> str:
        """Return what is said in the place of the grammar's words."""
        change = getattr(self.model, "reword", None)
        if change is None:
            return words
        try:
            said = change(self.seat, words)
        except NOT_THE_MODELS:
            raise
        except BaseException as error:  # the model's boundary: its failure is data
            self.faults.append(("exception", described(error)))
            return words
        if not isinstance(said, str):
            self.faults.append(("invalid_response", f"reword: expected a string, got {shown(said)}"))
            return words
        return said

    def _asked(self) -> UserTurn | None:
        if self._not_started:
            self.faults.append(("exception", self._not_started))
            return None
        try:
            answer = self.model.respond(self.seat)
        except NOT_THE_MODELS:
            raise
        except BaseException as error:  # the model's boundary: its failure is data
            self.faults.append(("exception", described(error)))
            return None
        wrong = flaw(answer)
        if wrong:
            self.faults.append(("invalid_response", wrong))
            return None
        return answer

    def _named(self, words: Any, thought: Any) -> UserTurn:
        """Return the scripted outcome as a user turn (facts by own need number)."""
        names = self.game.narrator
        response = names.response(words)
        facts = tuple(Fact(words.fact_id[k] + 1, fact.attribute, fact.value) for k, fact in enumerate(response.facts))
        action = names.action(words.action, words.arg, words.qty)
        params = action["params"]
        arg = next((value for key, value in params.items() if key != "qty"), "")
        return UserTurn(
            act=response.act,
            action=UserAction(action["type"], arg, params.get("qty", 0)),
            facts=facts,
            need=_own_need(response.need, thought),
            attribute=response.attribute,
            products=response.products,
            category=response.category,
            reason=response.reason,
            cause=response.cause,
        )

    def _fill(self, answer: UserTurn, words: Any) -> None:
        """Write a model's answer into the outcome row; an illegal action is replaced by the scripted one."""
        game, o, s = self.game, self.game.kernel.o, self.game.kernel.s
        decoder = game.decoder
        o.act = codes.USER_ACTS.index(answer.act)
        o.slot = decoder.slots.get(answer.attribute, 0)
        o.reason = codes.REASONS.index(answer.reason) if answer.reason in codes.REASONS else 0
        o.cause = codes.CAUSES.index(answer.cause) if answer.cause in codes.CAUSES else 0
        o.category = decoder.types.get(answer.category, -1) + 1
        numbers = [decoder.products[p] for p in answer.products if p in decoder.products]
        for k, p in enumerate(numbers[: codes.MAX_PRODUCTS]):
            o.products[k] = p
        for fact in answer.facts[: codes.MAX_FACTS]:
            slot, number = fact_number(decoder, fact)
            if slot and 1 <= fact.need <= s.n_needs:
                k = o.n_facts
                o.fact_id[k], o.fact_slot[k], o.fact_value[k] = fact.need - 1, slot, number
                o.n_facts = k + 1
        if 1 <= answer.need <= s.n_needs:
            o.need = s.ordinal[answer.need - 1]
        self._choose(answer.action, words)

    def _choose(self, action: UserAction, words: Any) -> None:
        game, o = self.game, self.game.kernel.o
        code = ACTION_CODE[action.type]
        param = codes.ACTION_PARAM[code]
        table: Any = {"node": game.decoder.nodes, "section": game.decoder.sections, "product": game.decoder.products}
        number = table[param].get(action.arg, -1) if param else 0
        qty = max(1, action.qty) if codes.ACTION_HAS_QTY[code] else 0
        tables, s = game.kernel.tables, game.kernel.s
        too_dear = code == codes.ACT_CHECKOUT and s.spent > s.budget
        if number < 0 or too_dear or legal(tables, s, code, number, qty) == 0:
            why = "the cart costs more than the budget" if too_dear else "not legal now"
            self.faults.append(("illegal_action", f"{action.type} {action.arg} {action.qty or ''}: {why}".strip()))
            code, number, qty = words.action, words.arg, words.qty
        o.action, o.arg, o.qty = code, number, qty
        o.would = codes.ACT_NONE


def _own_need(ordinal: int, s: Any) -> int:
    """Return the own number (from 1) of the need mentioned as ``ordinal``-th; 0 for none."""
    return s.by_ordinal[ordinal - 1] + 1 if 1 <= ordinal <= s.n_mentioned else 0


def products_in(game: Game, section: int) -> list[int]:
    """Return the products standing in a section."""
    row = game.world.lists.sec[section]
    return game.world.lists.flat[row.prod_first : row.prod_first + row.prod_count]  # type: ignore[no-any-return]
