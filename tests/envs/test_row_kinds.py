"""Records hold whole numbers in as few bytes as they need, and come back from plain rows unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from supermarket_env.envs.kernel import RowCopier
from supermarket_env.rules.rows import KINDS, Message, Outcome, PlainRow, State, record_dtype, to_record

SIZES: Any = KINDS


@pytest.mark.parametrize("row_class", [State, Message, Outcome])
@pytest.mark.parametrize("extreme", ["min", "max"])
def test_the_extremes_of_every_kind_survive_the_way_through_a_record(row_class: type[PlainRow], extreme: str) -> None:
    row, back = row_class(), row_class()
    for name, kind, length in row_class.spec:
        value = -0.1 if kind == "f" else int(getattr(np.iinfo(SIZES[kind]), extreme))
        setattr(row, name, [value] * length if length else value)
    record = np.zeros(1, dtype=record_dtype(row_class.spec))
    to_record(row, record[0])
    copier = RowCopier(row_class)
    copier.read(copier.parts(record), back)
    assert back.__getstate__() == row.__getstate__()


def test_a_copier_of_some_fields_leaves_the_others_alone() -> None:
    row = State()
    record = np.zeros(1, dtype=record_dtype(State.spec))
    record["n_cart"], record["cart_p"], record["node"] = 2, 7, 9
    copier = RowCopier(State, frozenset({"n_cart", "cart_p"}))
    copier.read(copier.parts(record), row)
    assert (row.n_cart, set(row.cart_p), row.node) == (2, {7}, 0)  # type: ignore[attr-defined]
