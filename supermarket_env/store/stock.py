"""A store: a layout with the products of one catalogue on its shelves, and every table the game reads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import LayoutError, unknown_name
from supermarket_env.store.geometry import geometry_of
from supermarket_env.store.layout import LANDMARK_KINDS, Layout
from supermarket_env.store.paths import Move, Paths, layout_graph
from supermarket_env.store.planogram import carried_products, plan_shelves
from supermarket_env.store.validate import validate_layout

if TYPE_CHECKING:
    import networkx as nx

    from supermarket_env.catalogue.schema import Catalogue

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Store:
    """A stocked store with n nodes, s sections and p products.

    Nodes, sections and products are numbered from 0 in the order of the layout and the catalogue. Arrays are
    C-contiguous, shared and not writable. Ties are broken by fewer metres, then by the smaller number.
    """

    name: str
    layout: Layout
    content_hash: str
    """Hex sha256 of layout, catalogue and planogram."""
    catalogue_hash: str
    home_section: Ints
    """(p,) section number; -1 when the store does not carry the product."""
    endcap_section: Ints
    """(p,) second, promotional place; -1 for none."""
    stock: Ints
    """(p,) opening stock in pieces; 0 when not carried."""
    section_types: tuple[tuple[int, ...], ...]
    """Per section the numbers of the product types present in it, endcap goods included."""
    type_sections: tuple[tuple[int, ...], ...]
    """Per type the sections where it is present, endcaps included; the inverse of `section_types`."""
    type_home_sections: tuple[tuple[int, ...], ...]
    """Per type its ordinary sections only; empty when not carried."""
    section_department: tuple[str, ...]
    """Per section the department of the catalogue in it ("promotion" for endcaps, "empty" without goods)."""
    dist_m: Floats
    """(n, n) shortest walk in metres."""
    move_targets: tuple[tuple[Move, ...], ...]
    """Per node what one move can reach, ascending by node."""
    moves: Ints
    """(n, n) fewest moves."""
    path_m: Floats
    """(n, n) metres of the shortest among the walks with the fewest moves."""
    next_move: Ints
    """(n, n) first node of that walk; a itself on the diagonal."""
    visible: Bools
    """(n, s) the shelf face is seen from the node."""
    reach: Bools
    """(n, s) goods can be touched; implies visible."""
    sees_node: Bools
    """(n, n) line of sight within `layout.landmark_sight_m`."""
    section_nodes: tuple[tuple[int, ...], ...]
    """Per section the nodes it can be touched from, never empty."""
    section_dist_m: Floats
    """(n, s) shortest walk until the section is in reach."""
    section_moves: Ints
    """(n, s) fewest moves until it is in reach."""
    section_view_moves: Ints
    """(n, s) fewest moves until it is visible."""
    nearest_node: Ints
    """(n, s) touching node with the fewest moves."""
    entrance: int
    checkouts: tuple[int, ...]
    exits: tuple[int, ...]
    landmarks: tuple[int, ...]
    """Entrance, checkouts and exits, ascending."""
    checkout_moves: Ints
    """(n,) fewest moves to a checkout."""
    checkout_dist_m: Floats
    """(n,) shortest walk to a checkout in metres."""
    nearest_checkout: Ints
    """(n,) checkout with the fewest moves."""

    def __repr__(self) -> str:
        return f"<Store {self.name!r}: {self.n_nodes} nodes, {self.n_sections} sections, {self.content_hash[:12]}>"

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.layout.nodes)

    @property
    def n_sections(self) -> int:
        """Number of sections."""
        return len(self.layout.sections)

    @property
    def n_products(self) -> int:
        """Number of products of the catalogue, carried or not."""
        return len(self.home_section)

    @property
    def step_edges(self) -> int:
        """Edges one move may follow along a straight line."""
        return self.layout.step_edges

    @cached_property
    def carried(self) -> Bools:
        """(p,) whether the store has the product."""
        return _frozen(self.home_section >= 0)

    @cached_property
    def node_ids(self) -> tuple[str, ...]:
        """Ids by node number."""
        return tuple(node.id for node in self.layout.nodes)

    @cached_property
    def section_ids(self) -> tuple[str, ...]:
        """Ids by section number."""
        return tuple(section.id for section in self.layout.sections)

    def node_number(self, node_id: str) -> int:
        """Return the number of a node id.

        Raises:
            LayoutError: When the store has no such node.
        """
        found = self.layout.node_numbers.get(node_id)
        if found is None:
            raise LayoutError(unknown_name("node", node_id, self.node_ids))
        return found

    def section_number(self, section_id: str) -> int:
        """Return the number of a section id.

        Raises:
            LayoutError: When the store has no such section.
        """
        found = self.layout.section_numbers.get(section_id)
        if found is None:
            raise LayoutError(unknown_name("section", section_id, self.section_ids))
        return found

    def move(self, a: int, b: int) -> Move | None:
        """Return the one move from node a to node b, or None when it takes more than one."""
        return next((move for move in self.move_targets[a] if move.node == b), None)

    def product_sections(self, product: int) -> tuple[int, ...]:
        """Return the sections where a product stands: home, then endcap; empty when not carried."""
        places = (int(self.home_section[product]), int(self.endcap_section[product]))
        return tuple(s for s in places if s >= 0)

    def graph(self) -> nx.Graph:
        """Return the walkable networkx graph: nodes by id with number, x, y and kind; edges with length_m."""
        return layout_graph(self.layout)


def stock_store(layout: Layout, catalogue: Catalogue, *, seed: int = 0) -> Store:
    """Put the products of a catalogue on the shelves of a layout.

    Args:
        layout: The plan; it is validated.
        catalogue: The products.
        seed: Order of the departments inside their zones; 0 keeps the catalogue's.

    Returns:
        The store, the same for the same arguments.

    Raises:
        LayoutError: When the layout is unsound or nothing can be put on its shelves.
    """
    validate_layout(layout)
    geometry = geometry_of(layout)
    sight, paths = geometry
    access = _access(paths, sight.reach, sight.visible)
    tills = layout.nodes_of("checkout")
    at_till = np.zeros((len(layout.nodes), 1), dtype=np.bool_)
    at_till[list(tills)] = True
    to_till = _access(paths, at_till, at_till)
    carried = carried_products(catalogue, layout.assortment)
    home, endcap = plan_shelves(layout, catalogue, carried, seed=seed)
    present = _present_types(layout, catalogue, (home, endcap))
    ordinary = _present_types(layout, catalogue, (home,))
    digest = hashlib.sha256(f"{layout.content_hash}:{catalogue.content_hash}:".encode())
    for column in (home, endcap):
        digest.update(column.astype("<i8").tobytes())
    n_types = len(catalogue.types)
    return Store(
        name=layout.name,
        layout=layout,
        content_hash=digest.hexdigest(),
        catalogue_hash=catalogue.content_hash,
        home_section=_frozen(home),
        endcap_section=_frozen(endcap),
        stock=_frozen(np.where(carried, catalogue.stock, 0).astype(np.int64)),
        section_types=present,
        type_sections=_inverse(present, n_types),
        type_home_sections=_inverse(ordinary, n_types),
        section_department=_departments(layout, catalogue, ordinary),
        dist_m=_frozen(paths.dist_m),
        move_targets=paths.move_targets,
        moves=_frozen(paths.moves),
        path_m=_frozen(paths.path_m),
        next_move=_frozen(paths.next_move),
        visible=_frozen(sight.visible),
        reach=_frozen(sight.reach),
        sees_node=_frozen(sight.sees_node),
        section_nodes=tuple(
            tuple(int(i) for i in np.flatnonzero(sight.reach[:, s])) for s in range(len(layout.sections))
        ),
        section_dist_m=_frozen(access.dist_m),
        section_moves=_frozen(access.moves),
        section_view_moves=_frozen(access.view_moves),
        nearest_node=_frozen(access.nearest),
        entrance=layout.nodes_of("entrance")[0],
        checkouts=tills,
        exits=layout.nodes_of("exit"),
        landmarks=layout.nodes_of(*LANDMARK_KINDS),
        checkout_moves=_frozen(to_till.moves[:, 0]),
        checkout_dist_m=_frozen(to_till.dist_m[:, 0]),
        nearest_checkout=_frozen(to_till.nearest[:, 0]),
    )


def rearranged(store: Store, catalogue: Catalogue, home: Ints, name: str) -> Store:
    """Return a store whose goods stand in other sections; endcaps, stock and the building stay.

    Args:
        store: The store before.
        catalogue: The goods it is stocked with.
        home: (p,) new home sections, -1 for what is not carried.
        name: Name of the new store.
    """
    present = _present_types(store.layout, catalogue, (home, store.endcap_section))
    ordinary = _present_types(store.layout, catalogue, (home,))
    digest = hashlib.sha256(f"{store.content_hash}:".encode() + home.astype("<i8").tobytes())
    return replace(
        store,
        name=name,
        content_hash=digest.hexdigest(),
        home_section=_frozen(home.astype(np.int64)),
        section_types=present,
        type_sections=_inverse(present, catalogue.n_types),
        type_home_sections=_inverse(ordinary, catalogue.n_types),
        section_department=_departments(store.layout, catalogue, ordinary),
    )


_T = TypeVar("_T", bound=np.generic)


def _frozen(array: NDArray[_T]) -> NDArray[_T]:
    out = np.ascontiguousarray(array)
    out.setflags(write=False)
    return out


class _Access(NamedTuple):
    """From each node to the nearest of the nodes that serve a target: (n, targets)."""

    dist_m: Floats
    moves: Ints
    nearest: Ints
    view_moves: Ints


def _access(paths: Paths, serves: Bools, shows: Bools) -> _Access:
    """Build the tables for targets served from the nodes `serves` (n, t) and seen from the nodes `shows` (n, t)."""
    n, t = serves.shape
    out = _Access(np.empty((n, t)), *(np.empty((n, t), dtype=np.int64) for _ in range(3)))
    for k in range(t):
        nodes = np.flatnonzero(serves[:, k])
        moves, metres = paths.moves[:, nodes], np.round(paths.path_m[:, nodes], 6)
        fewest = moves.min(axis=1)
        short = np.where(moves == fewest[:, None], metres, np.inf)
        out.dist_m[:, k] = paths.dist_m[:, nodes].min(axis=1)
        out.moves[:, k] = fewest
        out.nearest[:, k] = nodes[short.argmin(axis=1)]
        out.view_moves[:, k] = paths.moves[:, np.flatnonzero(shows[:, k])].min(axis=1)
    return out


def _present_types(layout: Layout, catalogue: Catalogue, places: Iterable[Ints]) -> tuple[tuple[int, ...], ...]:
    found: list[set[int]] = [set() for _ in layout.sections]
    for place in places:
        for p in np.flatnonzero(place >= 0).tolist():
            found[int(place[p])].add(int(catalogue.type_idx[p]))
    return tuple(tuple(sorted(types)) for types in found)


def _inverse(section_types: tuple[tuple[int, ...], ...], n_types: int) -> tuple[tuple[int, ...], ...]:
    out: list[list[int]] = [[] for _ in range(n_types)]
    for section, types in enumerate(section_types):
        for t in types:
            out[t].append(section)
    return tuple(tuple(sections) for sections in out)


def _departments(layout: Layout, catalogue: Catalogue, ordinary: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
    out = []
    for section, types in zip(layout.sections, ordinary, strict=True):
        names = dict.fromkeys(catalogue.types[t].department for t in types)
        out.append(" / ".join(names) or ("promotion" if section.endcap else "empty"))
    return tuple(out)
