"""Numbers as the statistics take them: no gaps where none can be handled, and a plain word about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def finite_values(values: Any) -> Floats:
    """Return values of any shape as numbers.

    Raises:
        ValueError: If one is missing (None or NaN) or infinite.
    """
    table = np.asarray(values, dtype=np.float64)
    if not np.isfinite(table).all():
        raise ValueError("expected finite numbers without gaps, got None, NaN or an infinite one")
    return table


def whole_table(values: Any, axes: str) -> Floats:
    """Return a table of numbers.

    Args:
        values: Array with two dimensions.
        axes: What they are, for the message, as ``(raters, items)``.

    Raises:
        ValueError: If it has not two dimensions, or a value is missing or infinite.
    """
    table = finite_values(values)
    if table.ndim != 2:
        raise ValueError(f"expected an array {axes}, got shape {table.shape}")
    return table
