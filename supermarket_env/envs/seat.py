"""The assistant's view of a running game: only what was said, what the app sees, the catalogue and the map."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supermarket_env.catalogue import Catalogue
from supermarket_env.catalogue.schema import allergen_names, attribute_names
from supermarket_env.dialogue.acts import Transcript, UserResponse
from supermarket_env.dialogue.view import CartLine, HeardNeed
from supermarket_env.envs.decode import ACTION_CODE
from supermarket_env.rules import codes
from supermarket_env.rules.place import find_move, touches
from supermarket_env.store import Store

if TYPE_CHECKING:
    from supermarket_env.envs.game import Game


_attributes = lru_cache(maxsize=4096)(attribute_names)
_allergens = lru_cache(maxsize=4096)(allergen_names)


@lru_cache(maxsize=4096)
def _slots(mask: int, names: tuple[str, ...]) -> frozenset[str]:
    """Return the names of the slots whose bit is set."""
    return frozenset(name for k, name in enumerate(names) if mask >> k & 1)


class GameView:
    """The view of the current turn; it reads the game lazily, so keep nothing of it across turns but what you copy."""

    __slots__ = ("_cart", "_game", "_heard", "agent_seed", "catalogue", "store", "track", "turn", "turns_left")

    def __init__(self, game: Game) -> None:
        self._game = game
        self.catalogue: Catalogue = game.world.catalogue
        self.store: Store = game.world.app.store
        self.track: str = game.track
        self.agent_seed: int = game.agent_seed
        self.turn: int = 1
        self.turns_left: int = 0
        self._heard: tuple[HeardNeed, ...] | None = None
        self._cart: tuple[CartLine, ...] | None = None

    def refresh(self, turn: int, turns_left: int) -> None:
        """Move on to the next turn (called by the game)."""
        self.turn = turn
        self.turns_left = turns_left
        self._heard = None
        self._cart = None

    @property
    def response(self) -> UserResponse:
        """The user's latest response (the opening line before turn 1)."""
        return self._game.shown_response

    @property
    def transcript(self) -> Transcript:
        """The whole dialogue so far: a copy, so that keeping or changing it touches nobody else."""
        kept = self._game.transcript
        return Transcript(kept.opening, list(kept.exchanges))

    @property
    def node(self) -> int:
        """Node number where the user stands."""
        return self._game.kernel.node

    @property
    def position(self) -> str:
        """Node id where the user stands."""
        return self.store.node_ids[self.node]

    @property
    def visible(self) -> Sequence[str]:
        """Ids of sections and landmark nodes in the user's view."""
        return tuple(self._game.narrator.visible[self.node])

    @property
    def cart(self) -> Sequence[CartLine]:
        """The cart, in order of first add."""
        if self._cart is None:
            s = self._game.kernel.heard
            names, price = self._game.narrator.product, self._game.narrator.price
            self._cart = tuple(CartLine(names[s.cart_p[k]], s.cart_q[k], price[s.cart_p[k]]) for k in range(s.n_cart))
        return self._cart

    @property
    def last_action(self) -> tuple[str, str]:
        """Type and argument of the user's last physical action; ``("", "")`` before turn 1."""
        return self._game.last_action

    @property
    def heard(self) -> Sequence[HeardNeed]:
        """What was said about each mentioned need, in order of mention."""
        if self._heard is None:
            self._heard = tuple(self._heard_need(i) for i in range(self._game.kernel.heard.h_n))
        return self._heard

    def _heard_need(self, i: int) -> HeardNeed:
        s, names = self._game.kernel.heard, self._game.narrator
        kind = s.h_type[i]
        bought = 0
        for k in range(s.n_cart if kind >= 0 else 0):
            if self._game.types[s.cart_p[k]] == kind:
                bought += s.cart_q[k]
        first = i * codes.MAX_REJECTED
        return HeardNeed(
            ordinal=i + 1,
            product_type=names.type[kind] if kind >= 0 else None,
            department=names.department[s.h_department[i]] if s.h_department[i] >= 0 else None,
            wanted=_attributes(s.h_wanted[i]),
            unwanted=_attributes(s.h_unwanted[i]),
            brand=names.brand[s.h_brand[i]] if s.h_brand[i] >= 0 else None,
            size=codes.SIZE_CLASSES[s.h_size[i]] if s.h_size[i] else None,
            quantity=s.h_qty[i] or None,
            price_limit=s.h_limit[i] / 100.0 if s.h_limit[i] else None,
            diet=_attributes(s.h_diet[i]),
            allergy=_allergens(s.h_allergy[i]),
            no_preference=_slots(s.h_none[i], names.slot),
            questions=s.h_questions[i],
            accepted=names.product[s.h_accepted[i]] if s.h_accepted[i] >= 0 else None,
            rejected=tuple(names.product[p] for p in s.h_rejected[first : first + s.h_n_rejected[i]]),
            shown=s.h_shown[i],
            bought=bought,
            closed=s.h_closed[i] == 1,
        )

    def relational(self) -> NDArray[np.float32]:
        """Return the numeric observation of the Gymnasium door as one flat row (``OBSERVATION_SIZE``,), a new array."""
        return self._game.kernel.observation()

    def is_legal(self, action: str, arg: str = "") -> bool:
        """Whether an action is legal for the user now as far as the app can know (opening stock).

        Raises:
            ValueError: ``action`` is not an action type. Unknown arguments are not legal.
        """
        code = ACTION_CODE.get(action, 0)
        if code == 0:
            raise ValueError(f"unknown action {action!r}; valid: {', '.join(codes.ACTIONS[1:])}")
        world, node = self._game.world.app, self.node
        if code == codes.ACT_MOVE:
            to = self.store.layout.node_numbers.get(arg, -1)
            return to >= 0 and find_move(world.lists, node, to) >= 0
        if code == codes.ACT_LOOK:
            section = self.store.layout.section_numbers.get(arg, -1)
            return section >= 0 and bool(self.store.visible[node, section])
        if code in (codes.ACT_INSPECT, codes.ACT_ADD):
            p = self.catalogue.by_id.get(arg, -1)
            if p < 0 or touches(world.lists, node, p) == 0:
                return False
            return code == codes.ACT_INSPECT or world.lists.prod[p].stock > 0
        if code == codes.ACT_REMOVE:
            return any(line.product == arg for line in self.cart)
        if code == codes.ACT_CHECKOUT:
            return node in self.store.checkouts and bool(self.cart)
        return True

    def legal_moves(self) -> Sequence[str]:
        """Node ids the user can reach in one move."""
        return tuple(self.store.node_ids[move.node] for move in self.store.move_targets[self.node])
