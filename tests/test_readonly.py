"""Tables that every assistant of a process shares cannot be changed by one of them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from supermarket_env.readonly import ReadOnlyDict
from supermarket_env.world import load_world


def set_item(table: Any) -> None:
    table["b"] = 2


def delete(table: Any) -> None:
    del table["a"]


def merge(table: Any) -> None:
    table |= {"b": 2}


CHANGES: list[Callable[[Any], object]] = [
    set_item,
    delete,
    merge,
    lambda table: table.clear(),
    lambda table: table.pop("a"),
    lambda table: table.popitem(),
    lambda table: table.setdefault("b", 2),
    lambda table: table.update(b=2),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_refused(change: Callable[[Any], object]) -> None:
    table = ReadOnlyDict(a=1)
    with pytest.raises(TypeError, match="shared by everything"):
        change(table)
    assert table == {"a": 1}


def test_it_survives_pickling_and_copying() -> None:
    table = ReadOnlyDict(a=(1, 2))
    for other in (pickle.loads(pickle.dumps(table)), copy.copy(table), copy.deepcopy(table)):
        assert type(other) is ReadOnlyDict
        assert other == table


def test_no_number_of_a_world_can_be_changed_by_name() -> None:
    world = load_world("embedded", "corner")
    for table in (
        world.catalogue.by_id,
        world.catalogue.synonyms,
        world.store.layout.node_numbers,
        world.store.layout.section_numbers,
    ):
        with pytest.raises(TypeError):
            table["milk"] = 0  # type: ignore[index]
