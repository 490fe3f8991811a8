"""Draw store plans: straight aisles between gondolas inside a racetrack of fresh food along the walls.

`StorePlan` holds the dimensions, `build_layout` turns them into nodes, edges and sections, and `generated_plan` draws
the dimensions from a seed. The named layouts were made by the same function from the plans at the bottom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

import numpy as np

from supermarket_env.errors import LayoutError
from supermarket_env.store.layout import Assortment, Edge, Layout, Node, NodeKind, Section, Side

CENTRE: Final = "centre"
PROMOTION: Final = "promotion"
SHELF_DEPTH_M: Final = 0.6
FRESH_ORDERS: Final[tuple[tuple[str, ...], ...]] = (
    ("produce", "bakery", "meat", "dairy"),
    ("produce", "meat", "dairy", "bakery"),
    ("bakery", "produce", "meat", "dairy"),
    ("produce", "dairy", "meat", "bakery"),
)
FRESH_SHARES: Final[dict[str, float]] = {"produce": 0.34, "bakery": 0.13, "meat": 0.30, "dairy": 0.23}
"""Part of the wall given to each fresh department."""


@dataclass(frozen=True)
class StorePlan:
    """Dimensions of a generated store; lengths in metres."""

    name: str
    gondolas: int
    """Double-sided shelf rows; the lanes between and beside them are one more."""
    blocks: tuple[int, ...]
    """Standing points along each block of an aisle; cross aisles lie between blocks."""
    spacing_m: float = 5.5
    """Between standing points of an aisle."""
    section_m: float = 2.75
    """Wanted length of a section."""
    aisle_m: float = 2.8
    cross_m: float = 3.0
    front_m: float = 6.0
    """From the door wall to the middle of the front lane."""
    checkouts: int = 2
    step_edges: int = 2
    sight_m: float = 9.0
    reach_m: float = 2.4
    landmark_sight_m: float = 15.0
    endcaps: Literal["none", "outer", "all"] = "outer"
    fresh: tuple[str, ...] = FRESH_ORDERS[0]
    mirrored: bool = False
    """Entrance on the right instead of the left."""
    short: tuple[int, ...] = ()
    """Gondolas (numbers from 0) that lack their last block: an open square at the back."""
    levels: int = 5
    assortment: Assortment = field(default_factory=Assortment)


class _Rows(NamedTuple):
    """Heights of the lanes and of the shelf blocks, front to back."""

    lanes: list[tuple[float, NodeKind]]
    blocks: list[tuple[float, float]]
    back_wall: float


def build_layout(plan: StorePlan) -> Layout:
    """Build the nodes, edges and sections of a plan.

    The result is not validated here (`validate_layout` does).

    Raises:
        LayoutError: When the plan has no lane, no block or more checkouts than lanes.
    """
    if plan.gondolas < 1 or not plan.blocks or min(plan.blocks) < 1:
        raise LayoutError(f"plan {plan.name!r}: at least one gondola and blocks of at least one standing point needed")
    if not 1 <= plan.checkouts <= plan.gondolas + 1:
        raise LayoutError(f"plan {plan.name!r}: checkouts must be 1..{plan.gondolas + 1}, got {plan.checkouts}")
    rows = _rows(plan)
    width = 2 * SHELF_DEPTH_M + (plan.gondolas + 1) * plan.aisle_m + plan.gondolas * 2 * SHELF_DEPTH_M
    height = rows.back_wall + SHELF_DEPTH_M
    nodes, edges = _walks(plan, rows, width)
    sections = _walls(plan, rows, width) + _aisle_shelves(plan, rows) + _endcaps(plan, rows)
    if plan.mirrored:
        nodes = [n._replace(x=width - n.x) for n in nodes]
        sections = [_mirrored(s, width) for s in sections]
    place = {n.id: (n.x, n.y) for n in nodes}
    return Layout(
        name=plan.name, width=_mm(width), height=_mm(height), step_edges=plan.step_edges, sight_m=plan.sight_m,
        reach_m=plan.reach_m, landmark_sight_m=plan.landmark_sight_m,
        nodes=tuple(n._replace(x=_mm(n.x), y=_mm(n.y)) for n in nodes),
        edges=tuple(Edge(a, b, _mm(math.dist(place[a], place[b]))) for a, b in edges),
        sections=tuple(
            s._replace(id=f"S{i + 1:03d}", x0=_mm(s.x0), y0=_mm(s.y0), x1=_mm(s.x1), y1=_mm(s.y1))
            for i, s in enumerate(sections)
        ),
        assortment=plan.assortment,
    )  # fmt: skip


def _mm(metres: float) -> float:
    """Layouts are exact to the millimetre, so that a file holds the very same numbers."""
    return round(metres, 3) + 0.0


def _rows(plan: StorePlan) -> _Rows:
    lanes: list[tuple[float, NodeKind]] = [(plan.front_m, "perimeter")]
    blocks = []
    y = plan.front_m + plan.cross_m / 2
    for number, points in enumerate(plan.blocks):
        start = y + SHELF_DEPTH_M
        end = start + points * plan.spacing_m
        lanes += [(start + (i + 0.5) * plan.spacing_m, "aisle") for i in range(points)]
        blocks.append((start, end))
        y = end + SHELF_DEPTH_M + plan.cross_m
        last = number == len(plan.blocks) - 1
        lanes.append((y - plan.cross_m / 2, "perimeter" if last else "cross_aisle"))
    return _Rows(lanes, blocks, y)


def _lane_x(plan: StorePlan, lane: int) -> float:
    return SHELF_DEPTH_M + plan.aisle_m / 2 + lane * (plan.aisle_m + 2 * SHELF_DEPTH_M)


def _gondola_x(plan: StorePlan, gondola: int) -> float:
    """Left edge of a gondola."""
    return _lane_x(plan, gondola) + plan.aisle_m / 2


def _walks(plan: StorePlan, rows: _Rows, width: float) -> tuple[list[Node], list[tuple[str, str]]]:
    lanes = plan.gondolas + 1
    nodes = [Node("N001", _lane_x(plan, 0), 1.2, "entrance")]
    grid: dict[tuple[int, int], str] = {}
    for row, (y, kind) in enumerate(rows.lanes):
        for lane in range(lanes):
            own: NodeKind = "perimeter" if lane in (0, lanes - 1) else kind
            grid[lane, row] = f"N{len(nodes) + 1:03d}"
            nodes.append(Node(grid[lane, row], _lane_x(plan, lane), y, own))
    edges = [("N001", grid[0, 0])]
    for (lane, row), own_id in grid.items():
        if (lane, row + 1) in grid:
            edges.append((own_id, grid[lane, row + 1]))
        across = rows.lanes[row][1] != "aisle" or _open(plan, rows, lane, row)
        if across and (lane + 1, row) in grid:
            edges.append((own_id, grid[lane + 1, row]))
    tills = []
    for lane in range(lanes - plan.checkouts, lanes):
        tills.append(f"N{len(nodes) + 1:03d}")
        nodes.append(Node(tills[-1], _lane_x(plan, lane), plan.front_m - 3.6, "checkout"))
        edges.append((grid[lane, 0], tills[-1]))
    exit_id = f"N{len(nodes) + 1:03d}"
    middle = (_lane_x(plan, lanes - plan.checkouts) + _lane_x(plan, lanes - 1)) / 2
    nodes.append(Node(exit_id, min(middle, width - 1.0), 0.5, "exit"))
    edges += [(till, exit_id) for till in tills]
    return nodes, edges


def _open(plan: StorePlan, rows: _Rows, lane: int, row: int) -> bool:
    """Whether the gondola right of a lane is missing at this row."""
    start, end = rows.blocks[-1]
    return lane in plan.short and start < rows.lanes[row][0] < end


def _pieces(start: float, end: float, wanted: float) -> list[tuple[float, float]]:
    count = max(1, round((end - start) / wanted))
    step = (end - start) / count
    return [(start + i * step, start + (i + 1) * step) for i in range(count)]


def _walls(plan: StorePlan, rows: _Rows, width: float) -> list[Section]:
    """Sections along the walls in walking order: up the left wall, along the back, down the right wall."""
    low, high = plan.front_m - plan.cross_m / 2, rows.back_wall
    up = _pieces(low, high, plan.section_m)
    boxes: list[tuple[float, float, float, float, Side]] = [(0.0, a, SHELF_DEPTH_M, b, "east") for a, b in up]
    boxes += [(a, high, b, high + SHELF_DEPTH_M, "south")
              for a, b in _pieces(SHELF_DEPTH_M, width - SHELF_DEPTH_M, plan.section_m)]  # fmt: skip
    boxes += [(width - SHELF_DEPTH_M, a, width, b, "west") for a, b in reversed(up)]
    ends = np.cumsum([FRESH_SHARES[zone] for zone in plan.fresh])
    zones = [plan.fresh[int(np.searchsorted(ends, (i + 0.5) / len(boxes)))] for i in range(len(boxes))]
    return [Section("", *box, zone, plan.levels) for box, zone in zip(boxes, zones, strict=True)]


def _aisle_shelves(plan: StorePlan, rows: _Rows) -> list[Section]:
    """Both sides of each lane, bay by bay, up one lane and down the next."""
    out = []
    for lane in range(plan.gondolas + 1):
        bays = []
        for number, (start, end) in enumerate(rows.blocks):
            last = number == len(rows.blocks) - 1
            for y0, y1 in _pieces(start, end, plan.section_m):
                bays.append((y0, y1, last))
        for y0, y1, last in bays if lane % 2 == 0 else reversed(bays):
            if lane > 0 and not (last and lane - 1 in plan.short):
                x = _gondola_x(plan, lane - 1) + SHELF_DEPTH_M
                out.append(Section("", x, y0, x + SHELF_DEPTH_M, y1, "east", CENTRE, plan.levels))
            if lane < plan.gondolas and not (last and lane in plan.short):
                x = _gondola_x(plan, lane)
                out.append(Section("", x, y0, x + SHELF_DEPTH_M, y1, "west", CENTRE, plan.levels))
    return out


def _endcaps(plan: StorePlan, rows: _Rows) -> list[Section]:
    out = []
    for gondola in range(plan.gondolas):
        x0 = _gondola_x(plan, gondola)
        blocks = rows.blocks[:-1] if gondola in plan.short else rows.blocks
        for number, (start, end) in enumerate(blocks):
            outer_front, outer_back = number == 0, number == len(blocks) - 1
            for wanted, y, side in ((outer_front, start - SHELF_DEPTH_M, "south"), (outer_back, end, "north")):
                if plan.endcaps == "all" or (plan.endcaps == "outer" and wanted):
                    box = (x0, y, x0 + 2 * SHELF_DEPTH_M, y + SHELF_DEPTH_M)
                    face: Side = "south" if side == "south" else "north"
                    out.append(Section("", *box, face, PROMOTION, 4, True))
    return out


def _mirrored(section: Section, width: float) -> Section:
    side: Side = {"east": "west", "west": "east"}.get(section.side, section.side)  # type: ignore[assignment]
    return section._replace(x0=width - section.x1, x1=width - section.x0, side=side)


NAMED_PLANS: Final[dict[str, StorePlan]] = {
    "corner": StorePlan(
        name="corner", gondolas=2, blocks=(2,), spacing_m=5.0, section_m=1.67, aisle_m=2.2, cross_m=2.4, front_m=5.0,
        checkouts=1, step_edges=1, sight_m=8.0, landmark_sight_m=12.0, endcaps="outer",
        fresh=FRESH_ORDERS[2], assortment=Assortment(types=120, products_per_type=12),
    ),
    "neighbourhood": StorePlan(name="neighbourhood", gondolas=5, blocks=(2, 1)),
    "hyper": StorePlan(
        name="hyper", gondolas=11, blocks=(3, 3, 2), spacing_m=6.0, section_m=3.6, aisle_m=3.2, cross_m=3.6,
        front_m=7.0, checkouts=5, step_edges=3, sight_m=10.0, reach_m=2.6, landmark_sight_m=20.0, endcaps="all",
    ),
}  # fmt: skip
"""The plans of the committed layouts."""


def generated_plan(seed: int) -> StorePlan:
    """Draw the dimensions of a store of about 20 to 65 nodes, two edges a move.

    Args:
        seed: Any integer from 0; the same seed gives the same plan everywhere.

    Raises:
        LayoutError: When the seed is negative.
    """
    if seed < 0:
        raise LayoutError(f"generated layouts are numbered from 0, got {seed}")
    rng = np.random.Generator(np.random.PCG64([0x5704E, seed]))
    gondolas = int(rng.integers(3, 8))
    shapes = ((2,), (3,), (2, 1), (1, 2), (2, 2), (3, 2), (1, 1, 1), (3, 1))
    blocks = shapes[int(rng.integers(len(shapes)))]
    spacing = float(rng.choice([5.0, 5.5, 6.0]))
    plan = StorePlan(
        name=f"generated:{seed}",
        gondolas=gondolas,
        blocks=blocks,
        spacing_m=spacing,
        section_m=spacing / 2,
        aisle_m=float(rng.choice([2.4, 2.6, 2.8, 3.0])),
        cross_m=float(rng.choice([2.6, 3.0, 3.4])),
        front_m=float(rng.choice([5.0, 6.0, 7.0])),
        checkouts=int(rng.integers(1, min(4, gondolas) + 1)),
        endcaps="all" if rng.random() < 0.5 else "outer",
        fresh=FRESH_ORDERS[int(rng.integers(len(FRESH_ORDERS)))],
        mirrored=bool(rng.random() < 0.5),
    )
    if len(blocks) > 1 and rng.random() < 0.4:
        plan = replace(plan, short=(int(rng.integers(1, gondolas - 1)),))
    return plan
