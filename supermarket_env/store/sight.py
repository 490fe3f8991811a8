"""What can be seen and touched from where: rays against shelf rectangles, in numpy.

A section is visible from a node that stands before its face, not further than `sight_m`, when at least half of the
sample points on the face can be joined to the node by a line that meets no shelf. It is in reach when it is visible
and the nearest point of its face is at most `reach_m` away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.store.layout import NORMALS, Layout

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_SAMPLES = (0.1, 0.3, 0.5, 0.7, 0.9)
_MIN_SEEN = 3
_FACE_GAP_M = 0.01
"""Sample points float a centimetre before the face, so that a shelf does not hide its own goods."""
_MIN_SLANT = 0.08
"""Sine of the flattest angle to the face at which goods are still recognised (about 5 degrees)."""
_CHUNK = 200_000


class Sight(NamedTuple):
    """Sight tables of a layout with n nodes and s sections."""

    visible: Bools
    """(n, s)"""
    reach: Bools
    """(n, s); implies visible."""
    sees_node: Bools
    """(n, n), symmetric, true on the diagonal."""


def shelf_boxes(layout: Layout) -> Floats:
    """Return the shelf rectangles as (s, 4) rows x0, y0, x1, y1 in metres."""
    return np.array([section[1:5] for section in layout.sections], dtype=np.float64).reshape(-1, 4)


def node_points(layout: Layout) -> Floats:
    """Return the nodes as (n, 2) rows x, y in metres."""
    return np.array([(node.x, node.y) for node in layout.nodes], dtype=np.float64).reshape(-1, 2)


def blocked(start: Floats, end: Floats, boxes: Floats) -> Bools:
    """Tell which straight lines meet a rectangle; touching counts.

    Args:
        start: (k, 2) points in metres.
        end: (k, 2) points in metres.
        boxes: (s, 4) rectangles x0, y0, x1, y1.

    Returns:
        (k,) booleans; all false without boxes.
    """
    out = np.zeros(len(start), dtype=np.bool_)
    if not len(boxes):
        return out
    rows = max(1, _CHUNK // len(boxes))
    for first in range(0, len(start), rows):
        part = slice(first, first + rows)
        out[part] = _meets(start[part], end[part], boxes).any(axis=1)
    return out


def _meets(start: Floats, end: Floats, boxes: Floats) -> Bools:
    """Slab test of every line against every box: (k, s)."""
    enter = np.zeros((len(start), len(boxes)))
    leave = np.ones_like(enter)
    apart = np.zeros(enter.shape, dtype=np.bool_)
    for axis in (0, 1):
        origin = start[:, axis, None]
        step = (end - start)[:, axis, None]
        low, high = boxes[None, :, axis], boxes[None, :, axis + 2]
        still = np.abs(step) < 1e-12
        safe = np.where(still, 1.0, step)
        t0, t1 = (low - origin) / safe, (high - origin) / safe
        enter = np.maximum(enter, np.where(still, 0.0, np.minimum(t0, t1)))
        leave = np.minimum(leave, np.where(still, 1.0, np.maximum(t0, t1)))
        apart |= still & ((origin < low) | (origin > high))
    return ~apart & (enter <= leave)


def compute_sight(layout: Layout) -> Sight:
    """Compute the sight tables of a layout."""
    points, boxes = node_points(layout), shelf_boxes(layout)
    visible, nearest = _visible(layout, points, boxes)
    reach = visible & (nearest <= layout.reach_m + 1e-9)
    return Sight(visible, reach, _sees_node(points, boxes, layout.landmark_sight_m))


def _visible(layout: Layout, points: Floats, boxes: Floats) -> tuple[Bools, Floats]:
    faces = np.array([section.face for section in layout.sections], dtype=np.float64).reshape(-1, 4)
    normals = np.array([NORMALS[section.side] for section in layout.sections], dtype=np.float64).reshape(-1, 2)
    a, along = faces[:, :2], faces[:, 2:] - faces[:, :2]
    share = np.array(_SAMPLES)[None, :, None]
    samples = a[:, None, :] + share * along[:, None, :] + _FACE_GAP_M * normals[:, None, :]

    away = points[:, None, None, :] - samples[None]
    distance = np.sqrt((away**2).sum(axis=3))
    before = (away * normals[None, :, None, :]).sum(axis=3)
    seen = (distance <= layout.sight_m + 1e-9) & (before > 0) & (before >= _MIN_SLANT * distance)
    node, section, sample = np.nonzero(seen)
    seen[node, section, sample] = ~blocked(points[node], samples[section, sample], boxes)
    visible = seen.sum(axis=2) >= _MIN_SEEN

    offset = points[:, None, :] - a[None]
    length2 = np.maximum((along**2).sum(axis=1), 1e-12)
    t = np.clip((offset * along[None]).sum(axis=2) / length2[None], 0.0, 1.0)
    gap = offset - t[..., None] * along[None]
    return visible, np.sqrt((gap**2).sum(axis=2))


def _sees_node(points: Floats, boxes: Floats, range_m: float) -> Bools:
    n = len(points)
    a, b = np.triu_indices(n, k=1)
    near = np.hypot(*(points[a] - points[b]).T) <= range_m + 1e-9
    a, b = a[near], b[near]
    clear = ~blocked(points[a], points[b], boxes)
    table = np.eye(n, dtype=np.bool_)
    table[a[clear], b[clear]] = True
    return np.ascontiguousarray(table | table.T)
