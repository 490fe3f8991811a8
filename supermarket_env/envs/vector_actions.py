"""From a batch of actions to message rows: what ``ActionReader`` does for one action, on columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.envs.decode import Decoder
from supermarket_env.errors import MessageError
from supermarket_env.rules import codes
from supermarket_env.rules.place import nearest_section_of
from supermarket_env.rules.rows import Message
from supermarket_env.world import World

Ints = NDArray[np.int64]
WIDTHS = {
    "act": 0,
    "need": 0,
    "attribute": 0,
    "products": codes.MAX_PRODUCTS,
    "items": codes.MAX_ITEMS,
    "suggest_type": 0,
    "suggest_arg": 0,
    "goal_kind": 0,
    "goal_id": 0,
}
"""Entries an action has of each part; 0 is a single number."""


class BatchReader:
    """Fills message rows from batched elements of the action space of one world.

    Args:
        world: The world.
        single_space: The action space of one environment.
        opening_value: The catalogue's number for a field of a product, which an ``inform`` states.
        n: Number of environments.
    """

    def __init__(self, world: World, single_space: Any, opening_value: Callable[[int, int], int], n: int) -> None:
        self.world = world
        self.opening_value = opening_value
        self.n = n
        self._tops = {
            name: int(np.max(getattr(single_space[name], "nvec", single_space[name].__dict__.get("n", 0))))
            for name in WIDTHS
        }
        sizes = {"": 2**62, "node": world.store.n_nodes, "section": world.store.n_sections}
        sizes["product"] = world.catalogue.n_products
        self._arg_sizes = np.array([sizes[param] for param in codes.ACTION_PARAM])
        self._has_arg = np.array([bool(param) for param in codes.ACTION_PARAM])
        self._has_qty = np.array(codes.ACTION_HAS_QTY)
        self._goal_sizes = np.zeros(len(codes.GOAL_KINDS), dtype=np.int64)
        self._goal_sizes[codes.G_SECTION] = world.store.n_sections
        self._goal_sizes[codes.G_PRODUCT] = world.catalogue.n_products
        self._goal_sizes[codes.G_CATEGORY] = world.catalogue.n_types
        self._goal_sizes[codes.G_LANDMARK] = world.store.n_nodes
        self._landmark = np.zeros(world.store.n_nodes, dtype=bool)
        self._landmark[list(world.store.landmarks)] = True

    def columns(self, actions: Any) -> dict[str, Ints]:
        """Return the checked columns of a batch of actions, without the text.

        Raises:
            MessageError: ``actions`` is no element of the batched action space; names the part.
        """
        if not isinstance(actions, Mapping):
            raise MessageError(f"batched actions are a dict of arrays as in action_space, got {type(actions).__name__}")
        return {name: self._column(actions, name, width) for name, width in WIDTHS.items()}

    def _column(self, actions: Mapping[str, Any], name: str, width: int) -> Ints:
        if name not in actions:
            raise MessageError(f"the batched action has no {name!r}; it needs {', '.join(WIDTHS)} and text")
        column = np.asarray(actions[name])
        shape = (self.n, width) if width else (self.n,)
        if column.shape != shape or column.dtype.kind not in "iu":
            raise MessageError(
                f"{name!r} of the batched action must be integers of shape {shape}, got {column.dtype} {column.shape}"
            )
        top = self._tops[name]
        if column.min(initial=0) < 0 or column.max(initial=0) >= top:
            raise MessageError(
                f"{name!r} of the batched action must be in 0..{top - 1}, got {column.min()}..{column.max()}"
            )
        return column.astype(np.int64, copy=False)

    def fill(self, actions: Any, m: Any) -> dict[str, Ints]:
        """Write a batch of actions into the message rows ``m`` (n,) and return its columns.

        Raises:
            MessageError: see :meth:`columns`; nothing was written then.
        """
        given = self.columns(actions)
        m["act"] = given["act"]
        m["need"] = given["need"]
        m["slot"] = given["attribute"]
        m["products"], _ = _packed(given["products"])
        m["items"], m["n_items"] = _packed(given["items"])
        self._suggest(given["suggest_type"], given["suggest_arg"], m)
        self._goal(given["goal_kind"], given["goal_id"], m)
        m["value"] = -1
        for k in np.flatnonzero((m["act"] == codes.A_INFORM) & (m["slot"] > 0) & (m["products"][:, 0] >= 0)).tolist():
            m["value"][k] = self.opening_value(int(m["products"][k, 0]), int(m["slot"][k]))
        return given

    def _suggest(self, kind: Ints, arg: Ints, m: Any) -> None:
        usable = (kind != codes.ACT_NONE) & (arg < self._arg_sizes[kind])
        m["sug_type"] = np.where(usable, kind, 0)
        m["sug_arg"] = np.where(usable & self._has_arg[kind], arg, 0)
        m["sug_qty"] = usable & self._has_qty[kind]

    def _goal(self, kind: Ints, number: Ints, m: Any) -> None:
        usable = number < self._goal_sizes[kind]
        landmark = kind == codes.G_LANDMARK
        if landmark.any():
            usable &= ~landmark | self._landmark[np.minimum(number, len(self._landmark) - 1)]
        m["goal_kind"] = np.where(usable, kind, 0)
        m["goal_id"] = np.where(usable, number, -1)

    def complete(self, m: Any, nodes: Ints) -> None:
        """Make of the rows what the rules read, as the game does: open questions, goals looked up on the map."""
        slot = m["slot"]
        slot[(m["act"] == codes.A_ASK) & (slot == codes.S_NONE)] = codes.S_ANYTHING
        app = self.world.app
        if app is self.world:
            return
        for k in np.flatnonzero((m["goal_kind"] == codes.G_PRODUCT) | (m["goal_kind"] == codes.G_CATEGORY)).tolist():
            number = int(m["goal_id"][k])
            if m["goal_kind"][k] == codes.G_PRODUCT:
                m["goal_id"][k] = app.lists.prod[number].section
            else:
                m["goal_id"][k] = nearest_section_of(app.lists, int(nodes[k]), number, 1)
            m["goal_kind"][k] = codes.G_SECTION


def _packed(entries: Ints) -> tuple[Ints, Ints]:
    """Return entries less 1 with the empty ones (0) moved to the end, and the number of others, by row."""
    given = entries > 0
    if (given[:, 1:] > given[:, :-1]).any():
        order = np.argsort(~given, axis=1, kind="stable")
        entries = np.take_along_axis(entries, order, axis=1)
    return entries - 1, given.sum(axis=1)


def single(given: Mapping[str, Ints], text: str, k: int) -> dict[str, Any]:
    """Return the action of environment ``k`` as an element of the single action space."""
    return {**{name: column[k] for name, column in given.items()}, "text": text}


def as_action(message: AssistantMessage, decoder: Decoder) -> dict[str, Any]:
    """Return a message as an element of the single action space; what the world does not know is left out.

    The numeric door always states a catalogue's own value, so the value of an ``inform`` does not survive.
    """
    m: Any = Message()
    decoded = decoder.decode(message, m)
    products = np.zeros(codes.MAX_PRODUCTS, dtype=np.int64)
    products[:] = np.array(m.products) + 1
    items = np.zeros(codes.MAX_ITEMS, dtype=np.int64)
    items[: m.n_items] = np.array(m.items[: m.n_items]) + 1
    known = m.goal_id >= 0
    return {
        "act": m.act,
        "need": m.need,
        "attribute": m.slot,
        "products": products,
        "items": items,
        "suggest_type": m.sug_type,
        "suggest_arg": m.sug_arg,
        "goal_kind": m.goal_kind if known else 0,
        "goal_id": m.goal_id if known else 0,
        "text": decoded.text,
    }


def stacked(actions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a batch of actions (one or more) as one element of the batched action space."""
    columns: dict[str, Any] = {name: np.array([one[name] for one in actions], dtype=np.int64) for name in WIDTHS}
    return {**columns, "text": tuple(one["text"] for one in actions)}
