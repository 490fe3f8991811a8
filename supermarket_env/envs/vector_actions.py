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
from supermarket_env.rules.twins import compiled_function, direct
from supermarket_env.world import World

Ints = NDArray[np.int64]
INT64 = np.dtype(np.int64)
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
        stating = np.zeros(len(codes.ASSISTANT_ACTS), dtype=np.int64)
        stating[codes.A_INFORM] = 1
        self._tables = (
            open_slot,
            stating,
            np.array(sizes_of_args, dtype=np.int64),
            np.array([bool(param) for param in codes.ACTION_PARAM], dtype=np.int64),
            np.array(codes.ACTION_HAS_QTY, dtype=np.int64),
            np.array(goal_sizes, dtype=np.int64),
            only_landmarks,
            landmark,
        )
        """What ``write_messages`` knows of the world."""
        self._tops_array = np.array(list(self._tops.values()), dtype=np.int64)
        self._stated = np.zeros(n, dtype=np.int64)
        self._no_texts = ("",) * n
        self._run: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_run": None}

    def columns(self, actions: Any) -> dict[str, Ints]:
        """Return the columns of a batch of actions, without the text: integers of the right shape, not yet checked.

        Raises:
            MessageError: ``actions`` is no such dict; names the part.
        """
        if not isinstance(actions, Mapping):
            raise MessageError(f"batched actions are a dict of arrays as in action_space, got {type(actions).__name__}")
        return {name: self._column(actions, name, width) for name, width in WIDTHS.items()}

    def texts(self, actions: Any) -> Sequence[str]:
        """Return the texts of a batch of actions, one an environment; empty ones where ``text`` is left out.

        Raises:
            MessageError: ``text`` is something else than one string an environment.
        """
        given = actions.get("text", self._no_texts) if isinstance(actions, Mapping) else self._no_texts
        if given is self._no_texts:
            return self._no_texts
        if isinstance(given, np.ndarray) and given.ndim == 1:
            given = given.tolist()
        if not isinstance(given, tuple | list) or len(given) != self.n:
            what = f"{len(given)} entries" if isinstance(given, tuple | list) else f"{given!r:.80}"
            raise MessageError(f"'text' of the batched action must be a tuple of {self.n} strings, got {what}")
        for kind in set(map(type, given)):
            if not issubclass(kind, str):
                raise MessageError(f"'text' of the batched action must hold strings only, got {kind.__name__}")
        return given

    def _column(self, actions: Mapping[str, Any], name: str, width: int) -> Ints:
        if name not in actions:
            raise MessageError(f"the batched action has no {name!r}; it needs {', '.join(WIDTHS)} and text")
        column = actions[name]
        shape = (self.n, width) if width else (self.n,)
        if type(column) is np.ndarray and column.dtype is INT64 and column.shape == shape and column.flags.c_contiguous:
            return column
        column = np.asarray(column)
        if column.shape != shape or column.dtype.kind not in "iu":
            raise MessageError(
                f"{name!r} of the batched action must be integers of shape {shape}, got {column.dtype} {column.shape}"
            )
        return np.ascontiguousarray(column, dtype=np.int64)

    def _refuse(self, given: dict[str, Ints], name: str) -> None:
        column, top = given[name], self._tops[name]
        raise MessageError(
            f"{name!r} of the batched action must be in 0..{top - 1}, got {column.min()}..{column.max()}"
        )

    def fill(self, actions: Any, rows: Any, *, compiled: bool) -> dict[str, Ints]:
        """Write a batch of actions into the message rows and return its columns.

        Args:
            actions: An element of the batched action space.
            rows: The message rows, as the rules take them: a record array, or a list of plain rows.
            compiled: Which of the two.

        Raises:
            MessageError: ``actions`` is no element of the batched action space; names the part. Nothing was written
                then.
        """
        given = self.columns(actions)
        columns: list[Any] = [*given.values(), *self._tables]
        if compiled:
            if self._run is None:
                result: Any = compiled_function(write_messages)(*columns, self._tops_array, rows, self._stated, self.n)
                self._run = direct(compiled_function(write_messages))
            else:
                result = self._run(*columns, self._tops_array, rows, self._stated, self.n)
            n_stated = int(result)
        else:  # plain rows hold plain numbers
            plain: Any = write_messages
            n_stated = plain(*[c.tolist() for c in columns], self._tops_array.tolist(), rows, self._stated, self.n)
        if n_stated < 0:
            self._refuse(given, list(WIDTHS)[-1 - n_stated])
        if n_stated and compiled:
            rows = rows.view(np.recarray)
        for k in self._stated[:n_stated].tolist():
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
    stating: Any,
    arg_sizes: Any,
    has_arg: Any,
    has_qty: Any,
    goal_sizes: Any,
    only_landmarks: Any,
    landmark: Any,
    tops: Any,
    rows: Any,
    stated: Any,
    n: int,
) -> int:
    """Write ``n`` actions into message rows; what they leave out or cannot mean becomes "none".

    Returns how many of them state a field of a product; their numbers are then in ``stated`` (n,). When a part of some
    action is out of its range nothing is written, and the result is -1 less the number of that part.

    The first nine arguments are the columns of the actions. The others are what is known of codes and world. By act:
    what a question without a slot asks for, 1 when it states a field of a product. By kind of suggestion: how many
    arguments it can have, 1 with an argument, 1 with a quantity. By kind of goal: how many things it can mean, 1 when
    only landmarks. By node: 1 for landmarks. By part: what its entries must be below. No code is a constant here:
    numba's cache would not notice when it changes in another file.
    """
    for part in range(len(tops)):
        bad = 0  # x | (top - 1 - x) is negative for every x outside 0..top - 1
        if part == 3 or part == 4:
            block = products if part == 3 else items
            for k in range(n):
                for r in range(len(block[k])):
                    bad = bad | block[k][r] | (tops[part] - 1 - block[k][r])
        else:
            column = act
            if part == 1:
                column = need
            elif part == 2:
                column = attribute
            elif part == 5:
                column = suggest_type
            elif part == 6:
                column = suggest_arg
            elif part == 7:
                column = goal_kind
            elif part == 8:
                column = goal_id
            for k in range(n):
                bad = bad | column[k] | (tops[part] - 1 - column[k])
        if bad < 0:
            return -1 - part
    n_stated = 0
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
        if j > 0 and stating[act[k]] == 1 and attribute[k] > 0:
            stated[n_stated] = k
            n_stated = n_stated + 1
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
    return n_stated


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
