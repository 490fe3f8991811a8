"""The user's seat in numbers: action and observation spaces, and the way between them and what the rules read."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from supermarket_env.envs.frames import frame_type
from supermarket_env.envs.spaces import ACTION_TEXT, CHARSET
from supermarket_env.errors import MessageError
from supermarket_env.rules import codes
from supermarket_env.rules import user_view as rows
from supermarket_env.user_sim.mind_seat import ANSWER_FACTS, ANSWER_N_FACTS, ANSWER_PRODUCTS
from supermarket_env.world import World

OWN_NEED_NAMES = (
    "exists",
    "weight",
    "open",
    "done",
    "given_up",
    "mentioned",
    "slots_told",
    "units_lacking",
    "vague",
    "brand_wanted",
    "size_wanted",
    "price_limit",
    "wishes",
    "diets",
    "allergies",
    "product_chosen",
    "accepted",
    "place_known",
    "moves_to_place",
)
ITEM_NAMES = ("exists", "need", "utility", "acceptable", "price_share", "in_reach", "in_cart")
CHOICE_NAMES = (
    "legal",
    "is_move",
    "is_look",
    "is_add",
    "need_weight",
    "utility",
    "price_share",
    "needs_nearer",
    "nearer_checkout",
    "in_reach_or_visited",
)
MOOD_NAMES = ("trust", "irritation", "patience")
USER_TRIP_NAMES = (
    "turns_left",
    "turn",
    "cart_lines",
    "spent_share",
    "at_checkout",
    "moves_to_checkout",
    "needs_mentioned",
    "needs_open",
)
MAX_QTY = 99
_IN_ORDER = (
    codes.ACT_WAIT,
    codes.ACT_CHECKOUT,
    codes.ACT_LEAVE,
    codes.ACT_MOVE,
    codes.ACT_LOOK,
    codes.ACT_INSPECT,
    codes.ACT_ADD,
    codes.ACT_REMOVE,
)
_NUMBER_NAMES = ("act", "need", "attribute", "category", "reason", "cause", "action", "qty")
_numbers_of = itemgetter(*_NUMBER_NAMES)
_NO_PRODUCTS = [-1] * codes.MAX_PRODUCTS
_NO_FACTS_ROW = [0] * (1 + 2 * codes.MAX_FACTS)
_SILENT_PRODUCTS = frozenset(bytes(width * codes.MAX_PRODUCTS) for width in (1, 2, 4, 8))
_SILENT_FACTS = frozenset(bytes(width * 2 * codes.MAX_FACTS) for width in (1, 2, 4, 8))
"""Nothing named and nothing told, in integers of any width."""


def n_actions(world: World) -> int:
    """Return how many physical actions the user of a world has a number for."""
    return 3 + world.store.n_nodes + world.store.n_sections + 3 * world.catalogue.n_products


def user_action_space(world: World) -> spaces.Dict:
    """Return the action space of the user's seat: one dialogue act and one physical action.

    ``scripted`` 1 lets the scripted user answer; all other entries are ignored then. ``need`` and the first entries of
    ``facts`` are the user's own needs from 1, 0 for none; a fact is (need, slot) and its value is what the task says:
    the words may lie, the facts do not. ``products`` are number + 1, ``category`` is type + 1. ``action`` numbers wait,
    checkout, leave, then move by node, look by section, inspect, add and remove by product; ``qty`` counts for add and
    remove. An action that is not legal is replaced by the scripted user's and counted as the user's fault. Without
    ``text`` the act is put into words by the grammar.
    """
    n = world.catalogue.n_products
    n_slots = len(world.slot_names)
    return spaces.Dict(
        {
            "scripted": spaces.Discrete(2),
            "act": spaces.Discrete(len(codes.USER_ACTS)),
            "need": spaces.Discrete(codes.MAX_NEEDS + 1),
            "attribute": spaces.Discrete(n_slots),
            "facts": spaces.MultiDiscrete(np.array([[codes.MAX_NEEDS + 1, n_slots]] * codes.MAX_FACTS)),
            "products": spaces.MultiDiscrete([n + 1] * codes.MAX_PRODUCTS),
            "category": spaces.Discrete(world.catalogue.n_types + 1),
            "reason": spaces.Discrete(len(codes.REASONS)),
            "cause": spaces.Discrete(len(codes.CAUSES)),
            "action": spaces.Discrete(n_actions(world)),
            "qty": spaces.Discrete(MAX_QTY + 1),
            "text": spaces.Text(min_length=0, max_length=ACTION_TEXT, charset=CHARSET),
        }
    )


def user_observation_space(world: World) -> spaces.Dict:
    """Return the observation space of the user's seat.

    Features in [0, 1]: ``needs`` (8, 19), ``items`` (10, 7) of the list shown, ``message`` (one-hot act, own need
    meant, slot, hint, goal kind; hint legal, list length), ``mood`` (3,), ``persona`` (13,), ``trip`` (8,). ``choices``
    (43, 10) describes actions worth a thought (wait, pay, leave, the moves, a look per need, adding the chosen product
    per need, adding the best acceptable product in reach per need); ``choice_actions`` (43, 2) holds their action
    number and quantity. ``mask_action`` marks every legal action by the shelves as they are. ``text`` is the message.
    """

    def unit(*shape: int) -> spaces.Box:
        return spaces.Box(0.0, 1.0, shape, np.float32)

    n = n_actions(world)
    return spaces.Dict(
        {
            "needs": unit(codes.MAX_NEEDS, rows.OWN_FEATURES),
            "items": unit(codes.MAX_ITEMS, rows.ITEM_FEATURES),
            "choices": unit(rows.N_CHOICES, rows.CHOICE_FEATURES),
            "message": unit(rows.MESSAGE_FEATURES),
            "mood": unit(rows.MOOD_FEATURES),
            "persona": unit(rows.N_PERSONA),
            "trip": unit(rows.USER_TRIP_FEATURES),
            "choice_actions": spaces.MultiDiscrete(np.array([[n, MAX_QTY + 1]] * rows.N_CHOICES)),
            "mask_action": spaces.MultiBinary(n),
            "text": spaces.Text(min_length=0, max_length=ACTION_TEXT, charset=CHARSET),
        }
    )


@lru_cache(maxsize=64)
def user_frame(size: int) -> np.dtype[np.void]:
    """Return the layout of a user's observation in a world with so many actions.

    ``numbers`` are what the rules write; ``choice_actions``, behind everything, are the same as integers.
    """
    features = {
        "needs": (codes.MAX_NEEDS, rows.OWN_FEATURES),
        "items": (codes.MAX_ITEMS, rows.ITEM_FEATURES),
        "choices": (rows.N_CHOICES, rows.CHOICE_FEATURES),
        "message": (rows.MESSAGE_FEATURES,),
        "mood": (rows.MOOD_FEATURES,),
        "persona": (rows.N_PERSONA,),
        "trip": (rows.USER_TRIP_FEATURES,),
        "numbers": (rows.N_CHOICES, 2),
    }
    frame = frame_type(features, {"mask_action": size})
    names, fields = list(frame.names or ()), dict(frame.fields or {})
    at = -(-frame.itemsize // 8) * 8
    shape = (rows.N_CHOICES, 2)
    layout: Any = {
        "names": [*names, "choice_actions"],
        "formats": [*(fields[name][0] for name in names), (np.int64, shape)],
        "offsets": [*(fields[name][1] for name in names), at],
        "itemsize": at + 8 * math.prod(shape),
    }
    made: np.dtype[np.void] = np.dtype(layout)
    return made


def copy_numbers(numbers: Any, choices: Any) -> None:
    """Write whole ``numbers`` (N_CHOICES, 2), float32, into ``choices``, int64 (compiled where the rules are)."""
    for k in range(len(numbers)):
        choices[k, 0] = numbers[k, 0]
        choices[k, 1] = numbers[k, 1]


class UserAnswer(NamedTuple):
    """A user's answer as the rules count: products and types from 0, needs from 1 (0 none)."""

    row: list[int]
    """The row of ``user_sim.mind_seat`` (ANSWER_SIZE integers)."""
    text: str


_user_answer: Callable[[tuple[list[int], str]], UserAnswer] = partial(tuple.__new__, UserAnswer)


class UserReader:
    """Reads elements of the user's action space of one world, and writes the scripted user's answers as such."""

    def __init__(self, world: World) -> None:
        store, n = world.store, world.catalogue.n_products
        self._n_products = n
        self._n_slots = len(world.slot_names)
        self._n_actions = n_actions(world)
        self._sizes = (
            len(codes.USER_ACTS),
            codes.MAX_NEEDS + 1,
            self._n_slots,
            world.catalogue.n_types + 1,
            len(codes.REASONS),
            len(codes.CAUSES),
            self._n_actions,
            MAX_QTY + 1,
        )
        widths = (1, 1, 1, store.n_nodes, store.n_sections, n, n)
        self._firsts = list(accumulate(widths, initial=0))
        """The first number of each action type, in the order of ``_IN_ORDER``."""
        self._bases = dict(zip(_IN_ORDER, self._firsts, strict=True))

    def action_of(self, number: int) -> tuple[int, int]:
        """Return (action code, argument) of an action number."""
        if not 0 <= number < self._n_actions:
            raise ValueError(f"action {number} is outside 0..{self._n_actions - 1}")
        at = bisect_right(self._firsts, number) - 1
        return _IN_ORDER[at], number - self._firsts[at]

    def number_of(self, code: int, arg: int) -> int:
        """Return the number of an action (the inverse of ``action_of``)."""
        return self._bases[code] + (arg if codes.ACTION_PARAM[code] else 0)

    def read(self, action: Any) -> UserAnswer | None:
        """Return the answer of an element of the action space; None lets the scripted user answer.

        Raises:
            MessageError: ``action`` is no element of the action space.
        """
        try:
            scripted = int(action["scripted"])
            if scripted == 1:
                return None
            text = action["text"]
            if type(text) is not str:
                raise TypeError(f"text must be a string, got {text!r:.80}")
            act, need, slot, category, reason, cause, number, qty = map(int, _numbers_of(action))
            top_act, top_need, top_slot, top_category, top_reason, top_cause, top_number, top_qty = self._sizes
            if scripted or not (
                0 <= act < top_act
                and 0 <= need < top_need
                and 0 <= slot < top_slot
                and 0 <= category < top_category
                and 0 <= reason < top_reason
                and 0 <= cause < top_cause
                and 0 <= number < top_number
                and 0 <= qty < top_qty
            ):
                raise ValueError(self._misfit(scripted, act, need, slot, category, reason, cause, number, qty))
            at = bisect_right(self._firsts, number) - 1
            code = _IN_ORDER[at]
            numbers = [act, need, slot, category, reason, cause, code, number - self._firsts[at]]
            numbers.append((qty or 1) if codes.ACTION_HAS_QTY[code] else 0)
            named, told = action["products"], action["facts"]
            # Most answers name nothing and tell nothing; bytes show that sooner than numbers do.
            quiet = named.tobytes() in _SILENT_PRODUCTS and len(named) == codes.MAX_PRODUCTS
            numbers += _NO_PRODUCTS if quiet else self._products(named.tolist())
            quiet = told.tobytes() in _SILENT_FACTS and len(told) == codes.MAX_FACTS
            numbers += _NO_FACTS_ROW if quiet else self._facts(told.tolist())
        except (KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError) as error:
            raise MessageError(
                f"the user's action is no element of the action space ({type(error).__name__}: {error}); expected "
                f"a dict with the keys of action_space('user_0'), got {action!r:.200}"
            ) from None
        return _user_answer((numbers, text))

    def _misfit(self, scripted: int, *numbers: int) -> str:
        """Say which number of an action is outside its space."""
        if scripted:
            return f"scripted is {scripted}, must be 0 or 1"
        found = zip(_NUMBER_NAMES, numbers, self._sizes, strict=True)
        return ", ".join(f"{name} is {n}, must be in 0..{top - 1}" for name, n, top in found if not 0 <= n < top)

    def _products(self, entries: list[int]) -> list[int]:
        """Return the products given, -1 behind them."""
        found = [p - 1 for p in entries if p]
        if len(entries) != codes.MAX_PRODUCTS or any(not 0 <= p < self._n_products for p in found):
            raise ValueError(f"products must be {codes.MAX_PRODUCTS} numbers in 0..{self._n_products}, got {entries}")
        return (found + _NO_PRODUCTS)[: codes.MAX_PRODUCTS]

    def _facts(self, entries: list[list[int]]) -> list[int]:
        """Return the number of facts and (own need from 0, slot) of each, zeros behind them."""
        if len(entries) != codes.MAX_FACTS:
            raise ValueError(f"facts must be {codes.MAX_FACTS} pairs, got {len(entries)}")
        found: list[int] = []
        for need, slot in entries:
            if not (0 <= need <= codes.MAX_NEEDS and 0 <= slot < self._n_slots):
                raise ValueError(f"fact ({need}, {slot}) is outside the space")
            if need and slot:
                found += (need - 1, slot)
        return [len(found) // 2, *found, *_NO_FACTS_ROW[len(found) + 1 :]]

    def write(self, answer: UserAnswer) -> dict[str, Any]:
        """Return an answer as an element of the action space."""
        row = answer.row
        act, need, slot, category, reason, cause, code, arg, qty = row[:ANSWER_PRODUCTS]
        facts = np.zeros((codes.MAX_FACTS, 2), dtype=np.int64)
        for k in range(row[ANSWER_N_FACTS]):
            at = ANSWER_FACTS + 2 * k
            facts[k] = row[at] + 1, row[at + 1]
        return {
            "scripted": 0,
            "act": act,
            "need": need,
            "attribute": slot,
            "facts": facts,
            "products": np.array([p + 1 for p in row[ANSWER_PRODUCTS:ANSWER_N_FACTS]], dtype=np.int64),
            "category": category,
            "reason": reason,
            "cause": cause,
            "action": self.number_of(code, arg),
            "qty": qty,
            "text": answer.text,
        }

    def scripted(self) -> dict[str, Any]:
        """Return the element that lets the scripted user answer."""
        chat_and_wait = [codes.U_CHAT, 0, 0, 0, 0, 0, codes.ACT_WAIT, 0, 0, *_NO_PRODUCTS, *_NO_FACTS_ROW]
        return self.write(UserAnswer(chat_and_wait, "")) | {"scripted": 1}
