"""What an assistant may know at its turn: the typed view that every assistant gets.

The view never holds anything of the user's mind: only what was said, what the app sees (position, cart, what is in
view), the catalogue and the map. On the ``text`` track the acts and slots of the user are withheld: ``response.act``
is empty and only ``response.text`` is filled; ``heard`` then holds what the documented parser made of the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.dialogue.acts import AssistantMessage, Transcript, UserResponse
from supermarket_env.store import Store


@dataclass(frozen=True, slots=True)
class HeardNeed:
    """What was said about one need so far; a function of the dialogue alone."""

    ordinal: int
    """1, 2, ... in the order of mention."""
    product_type: str | None
    department: str | None
    wanted: frozenset[str]
    """Catalogue attributes wished for."""
    unwanted: frozenset[str]
    """Catalogue attributes asked about and of no matter."""
    brand: str | None
    size: str | None
    quantity: int | None
    price_limit: float | None
    diet: frozenset[str]
    allergy: frozenset[str]
    no_preference: frozenset[str]
    """Slots answered with "no preference"."""
    questions: int
    """Questions the assistant has asked about this need."""
    accepted: str | None
    """Product id the user said yes to and has not turned down since."""
    rejected: tuple[str, ...]
    """Product ids turned down in words or reported out of stock, oldest first, the last ones only."""
    shown: int
    """Lists shown for this need."""
    bought: int
    """Units in the cart that belong to the product types heard for this need."""
    closed: bool
    """Whether the user bought it or said that it is given up."""


@dataclass(frozen=True, slots=True)
class CartLine:
    """One product in the cart."""

    product: str
    qty: int
    price: float
    """Price per unit in the currency unit."""


class AssistantView(Protocol):
    """The read-only view handed to ``Assistant.reply`` each turn (made by the engine)."""

    turn: int
    """The turn about to be played, from 1."""
    turns_left: int
    track: str
    """``semantic`` or ``text``."""
    catalogue: Catalogue
    """All products with their opening stock; shelf truth is seen only by the user."""
    store: Store
    """The map: nodes, sections, planogram, distances."""
    agent_seed: int
    """A non-negative integer for assistants that draw: equal in equal episodes, tells nothing about the user."""

    @property
    def response(self) -> UserResponse:
        """The user's latest response (the opening line before turn 1)."""

    @property
    def transcript(self) -> Transcript:
        """The whole dialogue so far."""

    @property
    def heard(self) -> Sequence[HeardNeed]:
        """What was said about each mentioned need, in order of mention."""

    @property
    def position(self) -> str:
        """Node id where the user stands."""

    @property
    def node(self) -> int:
        """Node number where the user stands."""

    @property
    def visible(self) -> Sequence[str]:
        """Ids of sections and landmark nodes in the user's view."""

    @property
    def cart(self) -> Sequence[CartLine]:
        """The cart, in order of first add."""

    @property
    def last_action(self) -> tuple[str, str]:
        """Type and argument of the user's last physical action; ``("", "")`` before turn 1."""

    def relational(self) -> NDArray[np.float32]:
        """Return the numeric observation of ``Supermarket-v0`` as one flat row: relations only, no ids."""

    def is_legal(self, action: str, arg: str = "") -> bool:
        """Whether an action is legal for the user now as far as the app can know (opening stock)."""

    def legal_moves(self) -> Sequence[str]:
        """Node ids the user can reach in one move."""


class Assistant(Protocol):
    """The agent under test: one instance serves one episode at a time."""

    name: str

    def start(self, view: AssistantView) -> None:
        """Begin an episode; forget everything of earlier ones. ``view`` is the view before turn 1."""

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the message of this turn."""
