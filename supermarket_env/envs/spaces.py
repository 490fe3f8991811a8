"""The numeric door: action and observation spaces of ``Supermarket-v0``, and the way between them and rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from supermarket_env.dialogue.acts import MAX_TEXT
from supermarket_env.errors import MessageError
from supermarket_env.rules import codes
from supermarket_env.rules import observe as rows
from supermarket_env.world import World

CHARSET = "".join(chr(c) for c in (*range(32, 127), *range(161, 173), *range(174, 256)))
"""Printable Latin-1: what messages and words are made of."""
MAX_WORDS = 320
"""Characters of the user's words in an observation."""
ACTION_TEXT = 400
"""Characters of text in an action."""

NEED_NAMES = (
    "mentioned",
    "type_known",
    "department_known",
    "wishes",
    "brand_known",
    "size",
    "quantity",
    "price_limit_known",
    "diets",
    "allergies",
    "no_preferences",
    "questions",
    "lists_shown",
    "rejected",
    "accepted",
    "closed",
    "moves_to_place",
    "place_in_view",
)
CANDIDATE_NAMES = (
    "exists",
    "match",
    "brand_match",
    "size_match",
    "over_limit",
    "hard_ok",
    "quality",
    "relative_price",
    "popularity",
    "rejected",
    "in_reach",
)
MOVE_NAMES = ("exists", "change_to_nearest", "needs_nearer", "nearer_checkout")
TRIP_NAMES = (
    "turns_left",
    "turn",
    "cart_lines",
    "spent",
    "at_checkout",
    "moves_to_checkout",
    "needs_mentioned",
    "needs_open",
)


def action_space(world: World) -> spaces.Dict:
    """Return the action space: one message. Every element is usable; unfit slots are ignored without a fault.

    ``products`` and ``items`` hold product number + 1, 0 for none; ``suggest_type`` and ``goal_kind`` 0 is none.
    The all-zero element with empty text is the silent message.
    """
    n = world.catalogue.n_products
    widest = max(n, world.store.n_nodes, world.store.n_sections, world.catalogue.n_types)
    return spaces.Dict(
        {
            "act": spaces.Discrete(len(codes.ASSISTANT_ACTS)),
            "need": spaces.Discrete(codes.MAX_NEEDS + 1),
            "attribute": spaces.Discrete(len(world.slot_names)),
            "products": spaces.MultiDiscrete([n + 1] * codes.MAX_PRODUCTS),
            "items": spaces.MultiDiscrete([n + 1] * codes.MAX_ITEMS),
            "suggest_type": spaces.Discrete(len(codes.ACTIONS)),
            "suggest_arg": spaces.Discrete(widest),
            "goal_kind": spaces.Discrete(len(codes.GOAL_KINDS)),
            "goal_id": spaces.Discrete(widest),
            "text": spaces.Text(min_length=0, max_length=min(ACTION_TEXT, MAX_TEXT), charset=CHARSET),
        }
    )


def observation_space(world: World) -> spaces.Dict:
    """Return the observation space: relational features in [0, 1], masks of legal actions, the user's words.

    ``needs`` (8, 18), ``candidates`` (8, 5, 11), ``moves`` (16, 4), ``dialogue`` (one-hot act, reason, cause, need of
    the latest response), ``trip`` (8,); names of the features are in ``NEED_NAMES`` and its neighbours. Masks are by
    opening stock: shelf truth is seen only by the user. ``mask_product`` is what is within reach, ``mask_cart`` what
    can be removed.
    """

    def unit(*shape: int) -> spaces.Box:
        return spaces.Box(0.0, 1.0, shape, np.float32)

    n = world.catalogue.n_products
    return spaces.Dict(
        {
            "needs": unit(codes.MAX_NEEDS, rows.NEED_FEATURES),
            "candidates": unit(codes.MAX_NEEDS, codes.MAX_CANDIDATES, rows.CANDIDATE_FEATURES),
            "moves": unit(codes.MAX_MOVES, rows.MOVE_FEATURES),
            "dialogue": unit(rows.DIALOGUE_FEATURES),
            "trip": unit(rows.TRIP_FEATURES),
            "mask_type": spaces.MultiBinary(len(codes.ACTIONS)),
            "mask_node": spaces.MultiBinary(world.store.n_nodes),
            "mask_section": spaces.MultiBinary(world.store.n_sections),
            "mask_product": spaces.MultiBinary(n),
            "mask_cart": spaces.MultiBinary(n),
            "words": spaces.Text(min_length=0, max_length=MAX_WORDS, charset=CHARSET),
        }
    )


def split_observation(x: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """Return the named parts of one flat observation row (OBSERVATION_SIZE,), as views of it."""
    return {
        "needs": x[: rows.AT_CANDIDATES].reshape(codes.MAX_NEEDS, rows.NEED_FEATURES),
        "candidates": x[rows.AT_CANDIDATES : rows.AT_MOVES].reshape(
            codes.MAX_NEEDS, codes.MAX_CANDIDATES, rows.CANDIDATE_FEATURES
        ),
        "moves": x[rows.AT_MOVES : rows.AT_DIALOGUE].reshape(codes.MAX_MOVES, rows.MOVE_FEATURES),
        "dialogue": x[rows.AT_DIALOGUE : rows.AT_TRIP],
        "trip": x[rows.AT_TRIP :],
    }


N_ACTS = len(codes.ASSISTANT_ACTS)
_NO_PRODUCTS = [0] * codes.MAX_PRODUCTS
_NO_ITEMS = [0] * codes.MAX_ITEMS


class ActionReader:
    """Fills message rows from elements of the action space; an ``inform`` states ``opening_value(product, slot)``."""

    def __init__(self, world: World, opening_value: Callable[[int, int], int]) -> None:
        self.opening_value = opening_value
        self.n_slots = len(world.slot_names)
        self.sizes = {"node": world.store.n_nodes, "section": world.store.n_sections, "product": len(world.catalogue)}
        self.goal_sizes = {
            codes.G_SECTION: world.store.n_sections,
            codes.G_PRODUCT: len(world.catalogue),
            codes.G_CATEGORY: world.catalogue.n_types,
            codes.G_LANDMARK: world.store.n_nodes,
        }
        self.landmarks = frozenset(world.store.landmarks)

    def fill(self, action: dict[str, Any], m: Any) -> None:
        """Write ``action`` into the cleared row ``m``.

        Raises:
            MessageError: ``action`` is no element of the action space.
        """
        try:
            self._fill(action, m)
        except (KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError) as error:
            raise MessageError(
                f"the action is no element of the action space ({type(error).__name__}: {error}); expected a dict with "
                f"the keys of env.action_space, got {action!r:.200}"
            ) from None
        if not (0 <= m.act < N_ACTS and 0 <= m.need <= codes.MAX_NEEDS and 0 <= m.slot < self.n_slots):
            raise MessageError(f"act, need or attribute outside the action space: {m.act}, {m.need}, {m.slot}")

    def _fill(self, action: dict[str, Any], m: Any) -> None:
        m.act = int(action["act"])
        m.need = int(action["need"])
        m.slot = int(action["attribute"])
        named, shown = action["products"].tolist(), action["items"].tolist()
        if named != _NO_PRODUCTS:
            for k, p in enumerate([p for p in named if p]):
                m.products[k] = self._product(p)
        if shown != _NO_ITEMS:
            k = 0
            for p in shown:
                if p:
                    m.items[k] = self._product(p)
                    k += 1
            m.n_items = k
        if m.act == codes.A_INFORM and m.products[0] >= 0 and m.slot:
            m.value = self.opening_value(m.products[0], m.slot)
        kind, arg = int(action["suggest_type"]), int(action["suggest_arg"])
        if kind != codes.ACT_NONE:
            self._suggest(kind, arg, m)
        kind, arg = int(action["goal_kind"]), int(action["goal_id"])
        if kind != codes.G_NONE:
            self._goal(kind, arg, m)

    def _product(self, entry: int) -> int:
        if not 0 < entry <= self.sizes["product"]:
            raise ValueError(f"product entry {entry} is outside 0..{self.sizes['product']}")
        return entry - 1

    def _suggest(self, kind: int, arg: int, m: Any) -> None:
        param = codes.ACTION_PARAM[kind]
        if param and arg >= self.sizes[param]:
            return
        m.sug_type = kind
        m.sug_arg = arg if param else 0
        m.sug_qty = 1 if codes.ACTION_HAS_QTY[kind] else 0

    def _goal(self, kind: int, number: int, m: Any) -> None:
        if number >= self.goal_sizes[kind]:
            return
        if kind == codes.G_LANDMARK and number not in self.landmarks:
            return
        m.goal_kind = kind
        m.goal_id = number


class Masks:
    """Legal-action masks by node, made once each and shared (read-only arrays of int8)."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._by_node: dict[int, tuple[NDArray[np.int8], bool]] = {}
        self.all_types = [
            _frozen(np.array([1, 1, 1, 1, near, near, cart, cart and till, 1], dtype=np.int8))
            for till in (0, 1)
            for cart in (0, 1)
            for near in (0, 1)
        ]

    def at(self, node: int) -> tuple[NDArray[np.int8], bool]:
        """Return the masks of nodes, sections and products at ``node`` in one read-only array; is anything in reach?"""
        found = self._by_node.get(node)
        if found is None:
            store = self.world.store
            nodes = np.zeros(store.n_nodes, dtype=np.int8)
            for move in store.move_targets[node]:
                nodes[move.node] = 1
            sections = store.visible[node].astype(np.int8)
            home, endcap = store.home_section, store.endcap_section
            reach = store.reach[node]
            near = ((home >= 0) & reach[home]) | ((endcap >= 0) & reach[endcap])
            products = (near & (store.stock > 0)).astype(np.int8)
            found = _frozen(np.concatenate((nodes, sections, products))), bool(products.any())
            self._by_node[node] = found
        return found


def _frozen(mask: NDArray[np.int8]) -> NDArray[np.int8]:
    mask.setflags(write=False)
    return mask
