"""Observations as one stretch of memory: the row that the rules fill, its named parts over it, masks behind it.

Views of fields cost a fraction of what slicing and reshaping the row takes, and a turn makes a dozen of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

ROW: Final = "row"
"""All features as the array (1, length) that the rules fill."""


def frame_type(features: Mapping[str, tuple[int, ...]], masks: Mapping[str, int]) -> np.dtype[np.void]:
    """Return the layout of an observation.

    Args:
        features: Shapes of the parts of the float32 row, in their order, without gaps.
        masks: Lengths of the int8 masks behind it, in their order.
    """
    size = sum(math.prod(shape) for shape in features.values())
    names, formats, offsets = [ROW], [(np.float32, (1, size))], [0]
    at = 0
    for name, shape in features.items():
        names.append(name)
        formats.append((np.float32, shape))  # type: ignore[arg-type]
        offsets.append(at)
        at += 4 * math.prod(shape)
    for name, length in masks.items():
        names.append(name)
        formats.append((np.int8, (length,)))  # type: ignore[arg-type]
        offsets.append(at)
        at += length
    layout: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": at}
    dtype: np.dtype[np.void] = np.dtype(layout)
    return dtype


def framed(frame: np.dtype[np.void], memory: bytearray) -> Any:
    """Return the fields of an observation in ``memory``, by name."""
    return np.ndarray((), frame, memory)
