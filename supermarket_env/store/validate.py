"""Checks of a layout: every refusal names the node, edge or section at fault.

Called whenever a layout is read or generated, so that the rest of the project may rely on a connected store in which
every shelf is seen and reached from somewhere and a checkout and an exit can be walked to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from supermarket_env.errors import LayoutError, unknown_name
from supermarket_env.store.geometry import geometry_of
from supermarket_env.store.layout import NODE_KINDS, NORMALS, Layout
from supermarket_env.store.sight import blocked, node_points, shelf_boxes

_TOUCH_M = 1e-6
_NEEDED = ("entrance", "checkout", "exit")


def validate_layout(layout: Layout, where: str | None = None) -> Layout:
    """Return the layout unchanged when it is sound.

    Args:
        layout: The layout to check.
        where: What to call it in messages (a file); default its name.

    Raises:
        LayoutError: On the first fault, naming the node, edge or section.
    """
    name = where or f"layout {layout.name!r}"
    _check_numbers(layout, name)
    _check_ids(layout, name)
    _check_shelves(layout, name)
    _check_edges(layout, name)
    _check_walks(layout, name)
    _check_sections_used(layout, name)
    return layout


def _refuse(name: str, message: str) -> LayoutError:
    return LayoutError(f"{name}: {message}")


def _check_numbers(layout: Layout, name: str) -> None:
    for label, value in (("width", layout.width), ("height", layout.height), ("sight_m", layout.sight_m),
                         ("reach_m", layout.reach_m), ("landmark_sight_m", layout.landmark_sight_m)):  # fmt: skip
        if not (math.isfinite(value) and value > 0):
            raise _refuse(name, f"{label} must be a finite number of metres above 0, got {value!r}")
    if layout.step_edges < 1:
        raise _refuse(name, f"step_edges must be at least 1, got {layout.step_edges!r}")
    for label, count in zip(("types", "products_per_type"), layout.assortment, strict=True):
        if count is not None and count < 1:
            raise _refuse(name, f"assortment {label} must be at least 1 (or left out for everything), got {count!r}")
    for node in layout.nodes:
        _check_place(layout, f"{name}: node {node.id}", (("x", node.x, layout.width), ("y", node.y, layout.height)))
        if node.kind not in NODE_KINDS:
            raise _refuse(name, f"node {node.id}: {unknown_name('kind', node.kind, NODE_KINDS)}")
    for s in layout.sections:
        spans = (("x0", s.x0, layout.width), ("y0", s.y0, layout.height),
                 ("x1", s.x1, layout.width), ("y1", s.y1, layout.height))  # fmt: skip
        _check_place(layout, f"{name}: section {s.id}", spans)
        if s.x1 - s.x0 < 0.05 or s.y1 - s.y0 < 0.05:
            raise _refuse(name, f"section {s.id}: x1 must exceed x0 and y1 exceed y0 by 5 cm, got box {list(s[1:5])}")
        if s.side not in NORMALS:
            raise _refuse(name, f"section {s.id}: {unknown_name('side', s.side, NORMALS)}")
        if s.levels < 1:
            raise _refuse(name, f"section {s.id}: levels must be at least 1, got {s.levels!r}")
        if not s.department.strip():
            raise _refuse(name, f"section {s.id}: department must not be empty")


def _check_place(layout: Layout, who: str, spans: Iterable[tuple[str, float, float]]) -> None:
    for label, value, limit in spans:
        if not (math.isfinite(value) and -1e-9 <= value <= limit + 1e-9):
            raise LayoutError(f"{who}: {label} must be a finite number of metres in 0..{limit:g}, got {value!r}")


def _check_ids(layout: Layout, name: str) -> None:
    for kind, ids in (("node", [n.id for n in layout.nodes]), ("section", [s.id for s in layout.sections])):
        if not ids:
            raise _refuse(name, f"at least one {kind} is needed, got none")
        seen: set[str] = set()
        for one in ids:
            if not one.strip() or "|" in one:
                raise _refuse(name, f"{kind} id must be a non-empty text without '|', got {one!r}")
            if one in seen:
                raise _refuse(name, f"{kind} {one}: id given twice, ids must be unique")
            seen.add(one)
    shared = layout.node_numbers.keys() & layout.section_numbers.keys()
    if shared:
        raise _refuse(name, f"id {min(shared)} names both a node and a section")
    for kind in _NEEDED:
        if not layout.nodes_of(kind):
            raise _refuse(name, f"no node of kind {kind!r}; a store needs an entrance, a checkout and an exit")
    if len(layout.nodes_of("entrance")) > 1:
        extra = layout.nodes[layout.nodes_of("entrance")[1]].id
        raise _refuse(name, f"node {extra}: a second entrance; exactly one is supported")


def _check_shelves(layout: Layout, name: str) -> None:
    boxes, points = shelf_boxes(layout), node_points(layout)
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    overlap = np.triu((high - low > _TOUCH_M).all(axis=2), k=1)
    if overlap.any():
        a, b = (layout.sections[int(i)].id for i in np.argwhere(overlap)[0])
        raise _refuse(name, f"sections {a} and {b} overlap; shelves may touch but not overlap")
    inside = (points[:, None] >= boxes[None, :, :2]).all(axis=2) & (points[:, None] <= boxes[None, :, 2:]).all(axis=2)
    if inside.any():
        node, section = np.argwhere(inside)[0]
        who, shelf = layout.nodes[int(node)].id, layout.sections[int(section)].id
        raise _refuse(name, f"node {who} stands inside section {shelf}; move it into the aisle")


def _check_edges(layout: Layout, name: str) -> None:
    numbers, points = layout.node_numbers, node_points(layout)
    seen: set[frozenset[str]] = set()
    ends: list[tuple[int, int]] = []
    for edge in layout.edges:
        label = f"edge {edge.a}-{edge.b}"
        for end in (edge.a, edge.b):
            if end not in numbers:
                raise _refuse(name, f"{label}: {unknown_name('node', end, numbers)}")
        if edge.a == edge.b:
            raise _refuse(name, f"{label}: an edge must join two different nodes")
        if frozenset((edge.a, edge.b)) in seen:
            raise _refuse(name, f"{label}: given twice (edges go both ways)")
        seen.add(frozenset((edge.a, edge.b)))
        ends.append((numbers[edge.a], numbers[edge.b]))
        straight = float(np.hypot(*(points[ends[-1][0]] - points[ends[-1][1]])))
        if not (math.isfinite(edge.length_m) and edge.length_m > 0):
            raise _refuse(name, f"{label}: length must be a finite number of metres above 0, got {edge.length_m!r}")
        if edge.length_m < straight - 0.01:
            raise _refuse(name, f"{label}: {edge.length_m:g} m is shorter than the straight line, {straight:.3f} m")
    if ends:
        pairs = np.array(ends)
        hit = blocked(points[pairs[:, 0]], points[pairs[:, 1]], shelf_boxes(layout))
        if hit.any():
            edge = layout.edges[int(np.argmax(hit))]
            raise _refuse(name, f"edge {edge.a}-{edge.b} leads through a shelf")


def _check_walks(layout: Layout, name: str) -> None:
    dist = geometry_of(layout).paths.dist_m[layout.nodes_of("entrance")[0]]
    cut = np.flatnonzero(~np.isfinite(dist))
    for i in cut:  # the most telling fault first
        if layout.nodes[int(i)].kind in ("checkout", "exit"):
            node = layout.nodes[int(i)]
            raise _refuse(name, f"{node.kind} {node.id} cannot be reached from the entrance")
    if cut.size:
        raise _refuse(name, f"node {layout.nodes[int(cut[0])].id} is not connected to the entrance")


def _check_sections_used(layout: Layout, name: str) -> None:
    sight = geometry_of(layout).sight
    for table, what in ((sight.visible, "seen"), (sight.reach, "reached")):
        lost = np.flatnonzero(~table.any(axis=0))
        if lost.size:
            shelf = layout.sections[int(lost[0])].id
            raise _refuse(name, f"section {shelf} cannot be {what} from any node (ranges: sight {layout.sight_m:g} m, "
                                f"reach {layout.reach_m:g} m)")  # fmt: skip
