"""The plan of a store: where one can stand, where one can walk, where the shelves are.

A layout knows nothing of products. It is a frozen record that is validated once (`validate.py`), written to and read
from YAML (`layout_file.py`) and identified by a content hash that every result carries. Coordinates are metres, x to
the right and y away from the door wall.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

from supermarket_env.readonly import ReadOnlyDict

NodeKind = Literal["entrance", "aisle", "cross_aisle", "perimeter", "checkout", "exit"]
Side = Literal["north", "south", "east", "west"]

NODE_KINDS: Final[tuple[NodeKind, ...]] = ("entrance", "aisle", "cross_aisle", "perimeter", "checkout", "exit")
LANDMARK_KINDS: Final[frozenset[str]] = frozenset({"entrance", "checkout", "exit"})
NORMALS: Final[dict[Side, tuple[float, float]]] = {
    "north": (0.0, 1.0),
    "south": (0.0, -1.0),
    "east": (1.0, 0.0),
    "west": (-1.0, 0.0),
}
"""The direction in which the open face of a shelf looks; north is away from the door wall."""


class Node(NamedTuple):
    """A point where a customer can stand."""

    id: str
    x: float
    y: float
    kind: NodeKind


class Edge(NamedTuple):
    """A walkable connection of two nodes, usable both ways."""

    a: str
    b: str
    length_m: float


class Section(NamedTuple):
    """A shelf segment: one bay of one side of an aisle.

    The rectangle (x0, y0)-(x1, y1) blocks sight and walking; goods are seen and taken through the face on `side`.
    """

    id: str
    x0: float
    y0: float
    x1: float
    y1: float
    side: Side
    department: str
    levels: int
    endcap: bool = False

    @property
    def centre(self) -> tuple[float, float]:
        """Middle of the rectangle in metres."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    @property
    def face(self) -> tuple[float, float, float, float]:
        """The open face as a line from (x0, y0) to (x1, y1) in metres."""
        if self.side == "north":
            return self.x0, self.y1, self.x1, self.y1
        if self.side == "south":
            return self.x0, self.y0, self.x1, self.y0
        if self.side == "east":
            return self.x1, self.y0, self.x1, self.y1
        return self.x0, self.y0, self.x0, self.y1


class Assortment(NamedTuple):
    """How much of a catalogue a store has room for; None means everything."""

    types: int | None = None
    products_per_type: int | None = None


EVERYTHING: Final = Assortment()


@dataclass(frozen=True, repr=False)
class Layout:
    """A store plan.

    The order of `sections` is the walking order in which the planogram fills them.
    """

    name: str
    width: float
    """Metres, along the door wall."""
    height: float
    """Metres, from the door wall to the back wall."""
    step_edges: int
    """Edges that one move may follow along a straight line."""
    sight_m: float
    """From how far a shelf face is recognised."""
    reach_m: float
    """From how far goods can be touched."""
    landmark_sight_m: float
    """From how far checkouts, exits and entrances are recognised (they carry signs)."""
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    sections: tuple[Section, ...]
    assortment: Assortment = EVERYTHING

    def __repr__(self) -> str:
        return f"<Layout {self.name!r}: {len(self.nodes)} nodes, {len(self.sections)} sections>"

    @cached_property
    def content_hash(self) -> str:
        """Hex sha256 of everything but the name."""
        content = {
            "size": [_short(self.width), _short(self.height)],
            "step_edges": self.step_edges,
            "ranges": [_short(self.sight_m), _short(self.reach_m), _short(self.landmark_sight_m)],
            "assortment": list(self.assortment),
            "nodes": [[n.id, _short(n.x), _short(n.y), n.kind] for n in self.nodes],
            "edges": [[e.a, e.b, _short(e.length_m)] for e in self.edges],
            "sections": [
                [s.id, *(_short(v) for v in s[1:5]), s.side, s.department, s.levels, s.endcap] for s in self.sections
            ],
        }
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()

    @cached_property
    def node_numbers(self) -> ReadOnlyDict[str, int]:
        """Node id to node number (position in `nodes`)."""
        return ReadOnlyDict((node.id, i) for i, node in enumerate(self.nodes))

    @cached_property
    def section_numbers(self) -> ReadOnlyDict[str, int]:
        """Section id to section number (position in `sections`)."""
        return ReadOnlyDict((section.id, i) for i, section in enumerate(self.sections))

    def nodes_of(self, *kinds: str) -> tuple[int, ...]:
        """Return the numbers of all nodes of the given kinds, ascending; empty when there are none."""
        return tuple(i for i, node in enumerate(self.nodes) if node.kind in kinds)


def _short(metres: float) -> str:
    """A millimetre is the finest difference that counts as another layout."""
    return f"{metres + 0.0:.3f}"
