"""Sight, reach and walking tables: the rules they must obey on every kind of layout."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from supermarket_env.store import Assortment, Edge, Layout, Node, Section, load_layout, validate_layout
from supermarket_env.store.geometry import geometry_of
from supermarket_env.store.paths import compute_paths, layout_graph
from supermarket_env.store.sight import blocked, compute_sight, shelf_boxes

NAMES = ("corner", "neighbourhood", "hyper", "generated:0", "generated:7", "generated:12")


@pytest.fixture(params=NAMES)
def layout(request: pytest.FixtureRequest) -> Layout:
    return load_layout(str(request.param))


def hall(*, nodes: tuple[Node, ...], edges: tuple[Edge, ...], sections: tuple[Section, ...], step: int = 2) -> Layout:
    return Layout(
        name="hall", width=20.0, height=20.0, step_edges=step, sight_m=9.0, reach_m=2.4, landmark_sight_m=15.0,
        nodes=nodes, edges=edges, sections=sections, assortment=Assortment(),
    )  # fmt: skip


def test_distance_is_a_metric(layout: Layout) -> None:
    dist = geometry_of(layout).paths.dist_m
    assert np.isfinite(dist).all()
    assert (np.diag(dist) == 0).all()
    assert (dist[~np.eye(len(dist), dtype=bool)] > 0).all()
    np.testing.assert_allclose(dist, dist.T, atol=1e-9)
    for k in range(len(dist)):
        assert (dist <= dist[:, k, None] + dist[None, k, :] + 1e-9).all()


def test_distance_is_what_networkx_says(layout: Layout) -> None:
    import networkx as nx

    graph = layout_graph(layout)
    dist = geometry_of(layout).paths.dist_m
    for start in (layout.nodes[0].id, layout.nodes[-1].id):
        truth = nx.single_source_dijkstra_path_length(graph, start, weight="length_m")
        row = dist[layout.node_numbers[start]]
        for node_id, metres in truth.items():
            assert row[layout.node_numbers[node_id]] == pytest.approx(metres, abs=1e-6)


def test_reach_implies_visible_and_both_are_ranged(layout: Layout) -> None:
    sight = geometry_of(layout).sight
    assert (sight.visible | ~sight.reach).all()
    assert sight.visible.any(axis=0).all()
    assert sight.reach.any(axis=0).all()
    for i, s in np.argwhere(sight.visible):
        node, (x0, y0, x1, y1) = layout.nodes[int(i)], layout.sections[int(s)].face
        nearest = math.hypot(node.x - min(max(node.x, x0), x1), node.y - min(max(node.y, y0), y1))
        assert nearest <= layout.sight_m + 0.02
        assert (nearest <= layout.reach_m + 1e-6) == bool(sight.reach[i, s])


def test_a_face_is_seen_from_its_own_side_only(layout: Layout) -> None:
    sight = geometry_of(layout).sight
    for i, s in np.argwhere(sight.visible):
        node, section = layout.nodes[int(i)], layout.sections[int(s)]
        ahead = {
            "north": node.y > section.y1,
            "south": node.y < section.y0,
            "east": node.x > section.x1,
            "west": node.x < section.x0,
        }[section.side]
        assert ahead, (node.id, section.id)


def test_nobody_sees_the_whole_shop(layout: Layout) -> None:
    seen = geometry_of(layout).sight.visible.mean(axis=1)
    assert seen.max() < (0.5 if layout.name == "corner" else 0.3)


def test_sight_figures_of_the_neighbourhood() -> None:
    sight = geometry_of(load_layout("neighbourhood")).sight
    assert 8 <= sight.visible.sum(axis=1).mean() <= 15
    assert 2 <= sight.reach.sum(axis=1).mean() <= 5


def test_seeing_nodes_is_mutual(layout: Layout) -> None:
    sees = geometry_of(layout).sight.sees_node
    assert (sees == sees.T).all()
    assert sees.diagonal().all()


def test_moves_are_straight_short_and_along_edges(layout: Layout) -> None:
    paths = geometry_of(layout).paths
    length = {frozenset((e.a, e.b)): e.length_m for e in layout.edges}
    for a, targets in enumerate(paths.move_targets):
        assert [m.node for m in targets] == sorted({m.node for m in targets})
        for move in targets:
            walk = [layout.nodes[i] for i in (a, *move.passed, move.node)]
            assert len(set(walk)) == len(walk)
            assert 1 <= len(walk) - 1 <= layout.step_edges
            assert move.metres == pytest.approx(
                sum(length[frozenset((u.id, v.id))] for u, v in itertools.pairwise(walk))
            )
            headings = [math.atan2(v.y - u.y, v.x - u.x) for u, v in itertools.pairwise(walk)]
            for h, k in itertools.combinations(headings, 2):
                assert math.cos(h - k) > math.cos(math.radians(5.001))


def test_moves_go_both_ways(layout: Layout) -> None:
    paths = geometry_of(layout).paths
    one = {(a, m.node): m for a, targets in enumerate(paths.move_targets) for m in targets}
    for (a, b), move in one.items():
        back = one[b, a]
        assert back.passed == move.passed[::-1]
        assert back.metres == pytest.approx(move.metres)
    assert {tuple(p) for p in np.argwhere(paths.moves == 1).tolist()} == set(one)


def test_next_move_comes_nearer_by_one_move(layout: Layout) -> None:
    paths = geometry_of(layout).paths
    n = len(layout.nodes)
    metres = {(a, m.node): m.metres for a, targets in enumerate(paths.move_targets) for m in targets}
    for a, b in itertools.product(range(n), repeat=2):
        step = int(paths.next_move[a, b])
        if a == b:
            assert step == a
            continue
        assert paths.moves[step, b] == paths.moves[a, b] - 1
        assert metres[a, step] + paths.path_m[step, b] == pytest.approx(paths.path_m[a, b], abs=1e-5)
        better = [
            m.node for m in paths.move_targets[a]
            if paths.moves[m.node, b] == paths.moves[a, b] - 1
            and (m.metres + paths.path_m[m.node, b], m.node) < (paths.path_m[a, b] - 1e-5, step)
        ]  # fmt: skip
        assert not better


def test_the_fewest_moves_never_walk_less_than_the_shortest_way(layout: Layout) -> None:
    paths = geometry_of(layout).paths
    assert (paths.path_m >= paths.dist_m - 1e-6).all()


def two_rooms(gap: bool) -> Layout:
    """Two points 8 m apart with a shelf wall between them, with or without a doorway on the line of sight."""
    high = 9.0 if gap else 10.0
    wall = [Section("S001", 5.0, 2.0, 5.6, high, "west", "a", 5), Section("S002", 5.0, 11.0, 5.6, 18.0, "west", "a", 5)]
    if not gap:
        wall.append(Section("S003", 5.0, 10.0, 5.6, 11.0, "west", "a", 5))
    goods = Section("S009", 9.0, 9.0, 9.6, 11.0, "west", "b", 5)
    nodes = (Node("N001", 2.0, 10.0, "entrance"), Node("N002", 8.0, 10.0, "checkout"), Node("N003", 2.0, 1.0, "exit"),
             Node("N004", 8.0, 1.0, "aisle"))  # fmt: skip
    edges = (Edge("N001", "N003", 9.0), Edge("N003", "N004", 6.0), Edge("N004", "N002", 9.0))
    return hall(nodes=nodes, edges=edges, sections=(*wall, goods))


def test_nobody_sees_through_shelves() -> None:
    closed, opened = compute_sight(two_rooms(gap=False)), compute_sight(two_rooms(gap=True))
    goods_closed, goods_opened = -1, -1
    assert opened.visible[0, goods_opened]
    assert not closed.visible[0, goods_closed]
    assert opened.sees_node[0, 1]
    assert not closed.sees_node[0, 1]
    assert closed.reach[1, goods_closed]


def test_a_shelf_hides_what_stands_behind_its_neighbour_in_the_aisle() -> None:
    layout = load_layout("neighbourhood")
    aisle = next(i for i, n in enumerate(layout.nodes) if n.kind == "aisle")
    x = layout.nodes[aisle].x
    for s in np.flatnonzero(geometry_of(layout).sight.visible[aisle]):
        assert abs(layout.sections[int(s)].centre[0] - x) < 3.2


@pytest.mark.parametrize(
    ("start", "end", "hit"),
    [
        ((0.0, 0.0), (4.0, 4.0), True),
        ((0.0, 3.0), (4.0, 3.0), False),
        ((0.0, 2.0), (4.0, 2.0), True),  # touching an edge counts
        ((0.0, 0.0), (0.9, 0.9), False),  # ends before the box
        ((3.0, 0.0), (3.0, 4.0), False),
        ((1.5, 0.0), (1.5, 0.5), False),
        ((1.5, 0.0), (1.5, 4.0), True),
        ((0.0, 3.5), (3.5, 0.0), True),
        ((0.0, 4.5), (4.5, 0.0), False),
    ],
)
def test_lines_against_one_box(start: tuple[float, float], end: tuple[float, float], hit: bool) -> None:
    box = np.array([[1.0, 1.0, 2.0, 2.0]])
    assert bool(blocked(np.array([start]), np.array([end]), box)[0]) is hit
    assert bool(blocked(np.array([end]), np.array([start]), box)[0]) is hit


def test_no_boxes_block_nothing() -> None:
    assert not blocked(np.zeros((3, 2)), np.ones((3, 2)), np.zeros((0, 4))).any()


def test_no_edge_leads_through_a_shelf(layout: Layout) -> None:
    boxes = shelf_boxes(layout)
    place = {n.id: (n.x, n.y) for n in layout.nodes}
    for e in layout.edges:
        assert not blocked(np.array([place[e.a]]), np.array([place[e.b]]), boxes).any()


def test_a_bend_ends_a_move() -> None:
    shelf = (Section("S001", 0.0, 0.0, 1.0, 0.5, "north", "a", 5),)
    nodes = (Node("N001", 1.0, 1.0, "entrance"), Node("N002", 5.0, 1.0, "aisle"), Node("N003", 9.0, 1.0, "checkout"),
             Node("N004", 9.0, 5.0, "exit"), Node("N005", 9.0, 9.0, "aisle"))  # fmt: skip
    edges = tuple(Edge(a, b, 4.0) for a, b in itertools.pairwise(n.id for n in nodes))
    layout = validate_layout(hall(nodes=nodes, edges=edges, sections=shelf, step=3))
    paths = compute_paths(layout)
    assert [(m.node, m.metres, m.passed) for m in paths.move_targets[0]] == [(1, 4.0, ()), (2, 8.0, (1,))]
    assert paths.moves[0].tolist() == [0, 1, 1, 2, 2]
    assert paths.next_move[0, 4] == 2
    assert paths.path_m[0, 4] == pytest.approx(16.0)
