"""A linear policy on the relational observation: scores a few options a turn and plays the best of each kind.

Each turn it chooses one thing to say (ask about a need, recommend its best candidates, ask for further needs, offer to
pay, or nothing), one place to name (that of a need, the checkout, or none) and one step to suggest (or none). An
option's score is a weighted sum of a few entries of the observation; saying nothing scores 0. All that it remembers is
what it said itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.envs.game import Game
from supermarket_env.envs.spaces import NEED_NAMES, split_observation
from supermarket_env.rules import codes, observe

Floats = NDArray[np.float64]

TALK_FEATURES: Final = (
    "bias",
    "type_known",
    "wishes",
    "no_preferences",
    "questions",
    "lists_shown",
    "rejected",
    "accepted",
    "moves_to_place",
    "place_in_view",
    "named_now",
)
PLACE_FEATURES: Final = ("bias", "type_known", "accepted", "moves_to_place", "place_in_view", "named_now", "same_goal")
TRIP_WEIGHTS: Final = ("bias", "needs_open", "cart_lines", "at_checkout", "asked_for_more")
STEP_FEATURES: Final = ("change_to_nearest", "needs_nearer", "nearer_checkout")

BLOCKS: Final = (
    ("ask", TALK_FEATURES),
    ("recommend", TALK_FEATURES),
    ("ask_for_more", TRIP_WEIGHTS),
    ("offer_checkout", TRIP_WEIGHTS),
    ("name_place", PLACE_FEATURES),
    ("name_checkout", TRIP_WEIGHTS),
    ("suggest_step", STEP_FEATURES),
)
N_WEIGHTS: Final = sum(len(features) for _, features in BLOCKS)

BLINDS: Final = ("none", "dialogue", "answers", "position", "standpoint")
"""``dialogue``: nothing that was said; ``answers``: which needs there are, but nothing said about them;
``position``: neither where the user stands nor where anything is, so no place can be named and no step suggested;
``standpoint``: not where the user stands, but what it wants can still be named, and the map shows where that is."""

_WISHES = tuple(
    NEED_NAMES.index(name)
    for name in ("wishes", "brand_known", "size", "quantity", "price_limit_known", "diets", "allergies")
)
_SAID = (*_WISHES, *(NEED_NAMES.index(name) for name in ("no_preferences", "rejected", "accepted")))
_PLACE = tuple(NEED_NAMES.index(name) for name in ("moves_to_place", "place_in_view"))
_NEED = tuple(NEED_NAMES.index(name) for name in TALK_FEATURES[1:-1])
_CLOSED = NEED_NAMES.index("closed")
_NEED_NOW = observe.N_ACTS + observe.N_REASONS + observe.N_CAUSES
_MORE_CAP = 3.0


def blinded(parts: dict[str, NDArray[Any]], blind: str) -> dict[str, NDArray[Any]]:
    """Set the entries of an observation that a blinded policy must not see to 0, in place.

    Args:
        parts: The named parts of one observation row.
        blind: One of :data:`BLINDS`.
    """
    if blind == "dialogue":
        parts["needs"][:] = 0.0
        parts["candidates"][:] = 0.0
        parts["dialogue"][:] = 0.0
        parts["moves"][:, 1:3] = 0.0  # ways to needs: which needs there are was said
        parts["trip"][6:8] = 0.0
    if blind == "answers":
        parts["needs"][:, _SAID] = 0.0
        parts["candidates"][:, :, 1:6] = 0.0
        parts["dialogue"][:] = 0.0
    if blind in ("position", "standpoint"):
        parts["needs"][:, _PLACE] = 0.0
        parts["candidates"][:, :, 10] = 0.0
        parts["moves"][:, 1:] = 0.0
        parts["trip"][4:6] = 0.0
    return parts


class LinearPolicy:
    """Plays a game with given weights.

    Args:
        weights: (N_WEIGHTS,) in the order of :data:`BLOCKS`.
        blind: What it must not see, one of :data:`BLINDS`.
    """

    def __init__(self, weights: Floats, blind: str = "none") -> None:
        self.blind = blind
        self.weights: dict[str, Floats] = {}
        at = 0
        for name, features in BLOCKS:
            self.weights[name] = weights[at : at + len(features)]
            at += len(features)

    def start(self, game: Game) -> None:
        """Forget the last episode."""
        self.game = game
        self._more = 0
        self._needs = 0
        self._goal = (0, -1)
        self._best_sellers = _best_sellers(game)

    def step(self) -> None:
        """Play one turn."""
        parts = blinded(split_observation(self.game.kernel.observation()), self.blind)
        self.game.step_row(self._fill, parts)

    def _fill(self, parts: dict[str, NDArray[Any]], m: Any) -> None:
        needs = parts["needs"]
        mentioned = int(needs[:, 0].sum())
        if mentioned > self._needs:
            self._needs, self._more = mentioned, 0
        rows = [i for i in range(mentioned) if not needs[i, _CLOSED]]
        trip = self._trip(parts["trip"])
        self._say(rows, parts, trip, m)
        if self.blind != "position":
            self._name_place(rows, parts, trip, m)
            self._suggest(parts, m)

    def _trip(self, trip: NDArray[Any]) -> Floats:
        return np.array([1.0, trip[7] * 4.0, trip[2] * 4.0, trip[4], min(self._more / _MORE_CAP, 1.0)])

    def _say(self, rows: Sequence[int], parts: dict[str, NDArray[Any]], trip: Floats, m: Any) -> None:
        best, choice = 0.0, ("", -1)
        for name in ("ask_for_more", "offer_checkout"):
            score = float(self.weights[name] @ trip)
            if score > best:
                best, choice = score, (name, -1)
        for i in rows:
            now = parts["dialogue"][_NEED_NOW + i]
            features = np.concatenate(([1.0], parts["needs"][i, _NEED], [now]))
            for name in ("ask", "recommend"):
                score = float(self.weights[name] @ features)
                if score > best:
                    best, choice = score, (name, i)
        name, i = choice
        if name == "offer_checkout":
            m.act = codes.A_OFFER_CHECKOUT
        elif name in ("ask", "ask_for_more"):
            m.act = codes.A_ASK
            m.need = i + 1
            m.slot = codes.S_TYPE if i >= 0 and not parts["needs"][i, 1] else codes.S_ANYTHING
            self._more += i < 0
        elif name == "recommend":
            self._recommend(i, m)

    def _recommend(self, i: int, m: Any) -> None:
        heard = self.game.kernel.heard
        width = codes.MAX_CANDIDATES
        items = [p for p in heard.h_candidates[i * width : (i + 1) * width] if p >= 0]
        if self.blind == "answers":
            items = self._best_sellers.get(heard.h_type[i], [])
        m.act = codes.A_RECOMMEND
        m.need = i + 1
        for k, p in enumerate(items):
            m.items[k] = p
        m.n_items = len(items)

    def _name_place(self, rows: Sequence[int], parts: dict[str, NDArray[Any]], trip: Floats, m: Any) -> None:
        heard = self.game.kernel.heard
        best, goal = 0.0, (codes.G_NONE, -1)
        for i in rows:
            option = (codes.G_PRODUCT, heard.h_accepted[i])
            if option[1] < 0 or self.blind == "answers":
                option = (codes.G_CATEGORY, heard.h_type[i])
            if option[1] < 0:
                continue
            need = parts["needs"][i]
            named, same = parts["dialogue"][_NEED_NOW + i], float(option == self._goal)
            features = np.array([1.0, need[1], need[14], need[16], need[17], named, same])
            score = float(self.weights["name_place"] @ features)
            if score > best:
                best, goal = score, option
        if float(self.weights["name_checkout"] @ trip) > best:
            store = self.game.world.store
            node = self.game.kernel.node if self.blind != "standpoint" else store.entrance
            goal = (codes.G_LANDMARK, int(store.nearest_checkout[node]))
        m.goal_kind, m.goal_id = goal if goal[0] else (codes.G_NONE, -1)
        self._goal = goal if goal[0] else self._goal

    def _suggest(self, parts: dict[str, NDArray[Any]], m: Any) -> None:
        moves = parts["moves"]
        if self.blind == "standpoint" or not moves.shape[0]:
            return
        scores = (moves[:, 1:] - np.array([0.5, 0.0, 0.0])) @ self.weights["suggest_step"]
        scores = np.where(moves[:, 0] > 0, scores, -1.0)
        k = int(np.argmax(scores))
        if scores[k] > 1e-9:
            m.sug_type = codes.ACT_MOVE
            m.sug_arg = self.game.world.store.move_targets[self.game.kernel.node][k].node


_SELLERS: dict[str, dict[int, list[int]]] = {}


def _best_sellers(game: Game) -> dict[int, list[int]]:
    """Return the five best sellers of each carried type: what can be shown to somebody whose wishes are unknown."""
    store, catalogue = game.world.store, game.world.catalogue
    found = _SELLERS.get(store.content_hash)
    if found is None:
        found = _SELLERS[store.content_hash] = {}
        for kind in range(catalogue.n_types):
            carried = [p for p in catalogue.products_of(kind) if store.home_section[p] >= 0 and store.stock[p] > 0]
            carried.sort(key=lambda p: (-float(catalogue.popularity[p]), p))
            found[kind] = carried[: codes.MAX_CANDIDATES]
    return found
