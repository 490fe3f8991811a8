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
from supermarket_env.rules.twins import compiled_function
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
        goal_sizes = [0] * len(codes.GOAL_KINDS)
        goal_sizes[codes.G_SECTION] = world.store.n_sections
        goal_sizes[codes.G_PRODUCT] = world.catalogue.n_products
        goal_sizes[codes.G_CATEGORY] = world.catalogue.n_types
        goal_sizes[codes.G_LANDMARK] = world.store.n_nodes
        landmark = np.zeros(world.store.n_nodes, dtype=np.int64)
        landmark[list(world.store.landmarks)] = 1
        sizes_of_args = [sizes[param] for param in codes.ACTION_PARAM]
        sizes_of_args[codes.ACT_NONE] = 0
        only_landmarks = np.zeros(len(codes.GOAL_KINDS), dtype=np.int64)
        only_landmarks[codes.G_LANDMARK] = 1
        open_slot = np.full(len(codes.ASSISTANT_ACTS), codes.S_NONE, dtype=np.int64)
        open_slot[codes.A_ASK] = codes.S_ANYTHING
        self._tables = (
            open_slot,
            np.array(sizes_of_args, dtype=np.int64),
            np.array([bool(param) for param in codes.ACTION_PARAM], dtype=np.int64),
            np.array(codes.ACTION_HAS_QTY, dtype=np.int64),
            np.array(goal_sizes, dtype=np.int64),
            only_landmarks,
            landmark,
        )
        """What ``write_messages`` knows of the world."""

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
        numbers = np.ascontiguousarray(column, dtype=np.int64)
        top = self._tops[name]
        if numbers.view(np.uint64).max() >= top:  # what is negative is huge, read so
            raise MessageError(
                f"{name!r} of the batched action must be in 0..{top - 1}, got {column.min()}..{column.max()}"
            )
        return numbers

    def fill(self, actions: Any, rows: Any, *, compiled: bool) -> dict[str, Ints]:
        """Write a batch of actions into the message rows and return its columns.

        Args:
            actions: An element of the batched action space.
            rows: The message rows, as the rules take them: a record array, or a list of plain rows.
            compiled: Which of the two.

        Raises:
            MessageError: see :meth:`columns`; nothing was written then.
        """
        given = self.columns(actions)
        columns: list[Any] = [*given.values(), *self._tables]
        if compiled:
            compiled_function(write_messages)(*columns, rows, self.n)
        else:  # plain rows hold plain numbers
            plain: Any = write_messages
            plain(*[column.tolist() for column in columns], rows, self.n)
        if compiled:
            rows = rows.view(np.recarray)
        stated = (given["act"] == codes.A_INFORM) & (given["attribute"] > 0)
        if stated.any():
            for k in np.flatnonzero(stated & (given["products"] > 0).any(axis=1)).tolist():
                m = rows[k]
                m.value = self.opening_value(int(m.products[0]), int(m.slot))
        return given

    def look_up_goals(self, given: dict[str, Ints], rows: Any, nodes: Ints) -> None:
        """Make sections of goals that are products or categories, by the app's map where it is not the store's."""
        app = self.world.app
        if app is self.world:
            return
        if not isinstance(rows, list):
            rows = rows.view(np.recarray)
        kinds = given["goal_kind"]
        for k in np.flatnonzero((kinds == codes.G_PRODUCT) | (kinds == codes.G_CATEGORY)).tolist():
            m = rows[k]
            if m.goal_kind == 0:
                continue
            number = int(m.goal_id)
            if m.goal_kind == codes.G_PRODUCT:
                m.goal_id = app.lists.prod[number].section
            else:
                m.goal_id = nearest_section_of(app.lists, int(nodes[k]), number, 1)
            m.goal_kind = codes.G_SECTION


def write_messages(
    act: Any,
    need: Any,
    attribute: Any,
    products: Any,
    items: Any,
    suggest_type: Any,
    suggest_arg: Any,
    goal_kind: Any,
    goal_id: Any,
    open_slot: Any,
    arg_sizes: Any,
    has_arg: Any,
    has_qty: Any,
    goal_sizes: Any,
    only_landmarks: Any,
    landmark: Any,
    rows: Any,
    n: int,
) -> None:
    """Write ``n`` checked actions into message rows; what they leave out or cannot mean becomes "none".

    The first nine arguments are the columns of the actions. The others are what is known of codes and world. By act:
    what a question without a slot asks for. By kind of suggestion: how many arguments it can have, 1 with an argument,
    1 with a quantity. By kind of goal: how many things it can mean, 1 when only landmarks. By node: 1 for landmarks. No
    code is a constant here: numba's cache would not notice when it changes in another file.
    """
    for k in range(n):
        m = rows[k]
        m.act = act[k]
        m.need = need[k]
        m.slot = attribute[k]
        if m.slot == 0:
            m.slot = open_slot[act[k]]
        m.value = -1
        j = 0
        for r in range(len(products[k])):
            m.products[r] = -1
            if products[k][r] > 0:
                m.products[j] = products[k][r] - 1
                j = j + 1
        j = 0
        for r in range(len(items[k])):
            m.items[r] = -1
            if items[k][r] > 0:
                m.items[j] = items[k][r] - 1
                j = j + 1
        m.n_items = j
        kind = suggest_type[k]
        m.sug_type = 0
        m.sug_arg = 0
        m.sug_qty = 0
        if suggest_arg[k] < arg_sizes[kind]:
            m.sug_type = kind
            m.sug_qty = has_qty[kind]
            if has_arg[kind] == 1:
                m.sug_arg = suggest_arg[k]
        m.goal_kind = 0
        m.goal_id = -1
        kind = goal_kind[k]
        if goal_id[k] < goal_sizes[kind] and (only_landmarks[kind] == 0 or landmark[goal_id[k]] == 1):
            m.goal_kind = kind
            m.goal_id = goal_id[k]


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
