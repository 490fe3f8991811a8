"""Layout files: round trip, and one clear refusal for each kind of fault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from supermarket_env.errors import LayoutError, SupermarketError
from supermarket_env.store import (
    LAYOUT_NAMES,
    Assortment,
    Edge,
    Layout,
    Node,
    layout_yaml,
    load_layout,
    parse_layout,
    read_layout,
    validate_layout,
)
from supermarket_env.store.generate import NAMED_PLANS, StorePlan, build_layout, generated_plan

SMALL = """
format: 1
name: kiosk
size: [10.0, 8.0]
step_edges: 1
nodes:
  - {id: N001, x: 2.0, y: 1.0, kind: entrance}
  - {id: N002, x: 2.0, y: 5.0, kind: aisle}
  - {id: N003, x: 6.0, y: 5.0, kind: checkout}
  - {id: N004, x: 6.0, y: 1.0, kind: exit}
edges:
  - [N001, N002]
  - [N002, N003, 4.0]
  - [N003, N004]
sections:
  - {id: S001, box: [0.0, 4.0, 0.6, 6.0], side: east, department: produce}
  - {id: S002, box: [2.0, 7.0, 6.0, 7.6], side: south, department: centre, levels: 4}
"""


def test_the_small_file_is_sound() -> None:
    layout = parse_layout(SMALL)
    assert layout.name == "kiosk"
    assert layout.edges == (Edge("N001", "N002", 4.0), Edge("N002", "N003", 4.0), Edge("N003", "N004", 4.0))
    assert layout.sections[1].levels == 4
    assert layout.assortment == Assortment()


@pytest.mark.parametrize("name", [*LAYOUT_NAMES, "generated:5"])
def test_round_trip(name: str, tmp_path: Path) -> None:
    layout = load_layout(name)
    file = tmp_path / "plan.yaml"
    file.write_text(layout_yaml(layout), encoding="utf-8")
    again = read_layout(file)
    assert again == layout
    assert again.content_hash == layout.content_hash


@pytest.mark.parametrize("name", LAYOUT_NAMES)
def test_committed_files_come_from_their_plans(name: str) -> None:
    assert load_layout(name) == build_layout(NAMED_PLANS[name])


PINNED = {
    "corner": "50995422e3f2",
    "neighbourhood": "cc9dacc5a94e",
    "hyper": "c6fe5b745a78",
}


@pytest.mark.parametrize("name", LAYOUT_NAMES)
def test_named_layouts_never_change_unnoticed(name: str) -> None:
    assert load_layout(name).content_hash[:12] == PINNED[name]


@pytest.mark.parametrize(("name", "nodes", "step"), [("corner", 15, 1), ("neighbourhood", 40, 2), ("hyper", 150, 3)])
def test_size_of_the_named_layouts(name: str, nodes: int, step: int) -> None:
    layout = load_layout(name)
    assert abs(len(layout.nodes) - nodes) <= 3
    assert layout.step_edges == step


def test_hash_knows_content_not_name() -> None:
    layout = load_layout("corner")
    assert replace(layout, name="other").content_hash == layout.content_hash
    assert replace(layout, sight_m=8.5).content_hash != layout.content_hash
    assert replace(layout, sections=layout.sections[::-1]).content_hash != layout.content_hash


def test_thirty_generated_stores_are_sound_and_differ() -> None:
    hashes = set()
    for seed in range(30):
        layout = load_layout(f"generated:{seed}")
        assert layout == validate_layout(build_layout(generated_plan(seed)))
        assert 20 <= len(layout.nodes) <= 90
        assert {s.department for s in layout.sections} >= {"produce", "bakery", "meat", "dairy", "centre"}
        assert any(s.endcap for s in layout.sections)
        hashes.add(layout.content_hash)
    assert len(hashes) == 30
    assert not hashes & {load_layout(name).content_hash for name in LAYOUT_NAMES}


def test_generated_one_is_pinned() -> None:
    assert load_layout("generated:12").content_hash[:12] == "b50510f32e39"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format: 1", "format: 2", r"format: Input should be 1, got 2"),
        ("format: 1\n", "", r"format: required key is missing"),
        ("step_edges: 1", "step_edge: 1", r"step_edge: unknown key\. Did you mean 'step_edges'\?"),
        ("step_edges: 1", "step_edges: 0", r"step_edges: .*greater than or equal to 1, got 0"),
        ("step_edges: 1", "step_edges: 1.5", r"step_edges: .*integer, got 1.5"),
        ("step_edges: 1", "step_edges: one", r"step_edges: .*integer, got 'one'"),
        ("size: [10.0, 8.0]", "size: [10.0]", r"size\[1\]: required key is missing"),
        ("size: [10.0, 8.0]", "size: [0.0, 8.0]", r"width must be a finite number of metres above 0, got 0.0"),
        ("x: 2.0, y: 5.0, kind: aisle", "x: .nan, y: 5.0, kind: aisle", r"nodes\[1\]\.x \(N002\): .*finite number"),
        ("x: 2.0, y: 5.0, kind: aisle", "x: -2.0, y: 5.0, kind: aisle", r"nodes\[1\]\.x \(N002\): .*got -2.0"),
        ("x: 2.0, y: 5.0, kind: aisle", "x: '2', y: 5.0, kind: aisle", r"nodes\[1\]\.x \(N002\): .*valid number"),
        ("x: 2.0, y: 5.0, kind: aisle", "x: 22.0, y: 5.0, kind: aisle", r"node N002: x must be .* 0\.\.10, got 22.0"),
        ("kind: aisle", "kind: isle", r"nodes\[1\]\.kind \(N002\): .*'aisle'.* got 'isle'"),
        ("y: 5.0, kind: aisle", "y: 5.0, kin: aisle", r"nodes\[1\]\.kin.* \(N002\): (unknown|required) key"),
        ("id: N002", "id: N001", r"node N001: id given twice"),
        ("id: N002", "id: 7", r"nodes\[1\]\.id: .*string, got 7"),
        ("id: N002", "id: 'N|2'", r"node id must be .* without '\|', got 'N\|2'"),
        ("id: S002", "id: S001", r"section S001: id given twice"),
        ("id: S002", "id: N001", r"id N001 names both a node and a section"),
        (
            "[N002, N003, 4.0]",
            "[N002, N03, 4.0]",
            r"edge N002-N03: unknown node 'N03'; valid: .* Did you mean 'N003'\?",
        ),
        ("[N002, N003, 4.0]", "[N002, N002, 4.0]", r"edge N002-N002: an edge must join two different nodes"),
        ("[N002, N003, 4.0]", "[N002, N003, -4.0]", r"edges\[1\].*greater than or equal to 0, got -4.0"),
        ("[N002, N003, 4.0]", "[N002, N003, 0]", r"edge N002-N003: length must be .* above 0, got 0"),
        ("[N002, N003, 4.0]", "[N002, N003, 3.0]", r"edge N002-N003: 3 m is shorter than the straight line, 4.000 m"),
        ("[N003, N004]", "[N002, N001]", r"edge N002-N001: given twice"),
        ("  - [N003, N004]\n", "", r"exit N004 cannot be reached from the entrance"),
        ("  - [N002, N003, 4.0]\n", "", r"checkout N003 cannot be reached from the entrance"),
        ("kind: exit", "kind: aisle", r"no node of kind 'exit'; a store needs"),
        ("kind: checkout", "kind: aisle", r"no node of kind 'checkout'"),
        ("kind: entrance", "kind: aisle", r"no node of kind 'entrance'"),
        ("kind: exit", "kind: entrance", r"no node of kind 'exit'"),
        ("kind: aisle", "kind: entrance", r"node N002: a second entrance"),
        ("box: [2.0, 7.0, 6.0, 7.6]", "box: [0.5, 5.0, 6.0, 7.6]", r"sections S001 and S002 overlap"),
        ("box: [2.0, 7.0, 6.0, 7.6]", "box: [2.0, 7.6, 6.0, 7.0]", r"section S002: x1 must exceed x0"),
        ("box: [2.0, 7.0, 6.0, 7.6]", "box: [2.0, 7.0, 6.0, 9.0]", r"section S002: y1 must be .* 0\.\.8, got 9.0"),
        ("box: [2.0, 7.0, 6.0, 7.6]", "box: [1.5, 4.5, 2.5, 6.6]", r"node N002 stands inside section S002"),
        ("box: [2.0, 7.0, 6.0, 7.6]", "box: [3.0, 4.5, 4.0, 6.6]", r"edge N002-N003 leads through a shelf"),
        ("side: south", "side: north", r"section S002 cannot be seen from any node"),
        ("box: [2.0, 7.0, 6.0, 7.6]", "box: [8.0, 7.7, 9.9, 8.0]", r"section S002 cannot be reached from any node"),
        ("side: south", "side: up", r"sections\[1\]\.side \(S002\): .*got 'up'"),
        ("levels: 4", "levels: 0", r"sections\[1\]\.levels \(S002\): .*got 0"),
        ("department: centre", "department: ''", r"sections\[1\]\.department \(S002\)"),
        ("department: centre", "department: ' '", r"section S002: department must not be empty"),
        ("department: centre", "departement: centre", r"sections\[1\].* \(S002\): (unknown key|required key)"),
        ("step_edges: 1", "assortment: {types: 0}", r"assortment\.types: .*got 0"),
        ("step_edges: 1", "sight_m: .inf", r"sight_m: .*finite"),
        ("step_edges: 1", "reach_m: 0", r"reach_m must be a finite number of metres above 0"),
        ("nodes:", "nodes: []\nedgez:", r"edgez"),
        ("name: kiosk", "name: [", r"not valid YAML at line \d+, column \d+"),
    ],
)
def test_each_fault_is_refused_by_name(old: str, new: str, message: str) -> None:
    assert old in SMALL
    with pytest.raises(LayoutError, match=message) as caught:
        parse_layout(SMALL.replace(old, new, 1), where="kiosk.yaml")
    assert str(caught.value).startswith("kiosk.yaml: ")


def test_a_node_without_an_edge_is_named() -> None:
    lonely = SMALL.replace("\nedges:", "\n  - {id: N005, x: 8.0, y: 3.0, kind: aisle}\nedges:")
    with pytest.raises(LayoutError, match="node N005 is not connected to the entrance"):
        parse_layout(lonely)


@pytest.mark.parametrize("text", ["", "[]", "42", "just words"])
def test_not_a_mapping(text: str) -> None:
    with pytest.raises(LayoutError, match="expected a mapping"):
        parse_layout(text, where="x.yaml")


def test_broken_encoding_and_missing_file(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_bytes(SMALL.encode().replace(b"kiosk", b"kiosk\xff"))
    with pytest.raises(LayoutError, match=r"plan\.yaml: byte \d+ is not UTF-8"):
        read_layout(file)
    with pytest.raises(LayoutError, match=r"none\.yaml: cannot be read"):
        load_layout(str(tmp_path / "none.yaml"))


@pytest.mark.parametrize(
    "name", ["neighborhood", "generated", "generated:", "generated:-1", "generated:x", "", "kiosk"]
)
def test_unknown_names(name: str) -> None:
    with pytest.raises(LayoutError, match=r"unknown store .*corner, neighbourhood, hyper, generated:<seed>"):
        load_layout(name)


def test_a_mistyped_name_gets_the_nearest() -> None:
    with pytest.raises(LayoutError, match=r"Did you mean 'neighbourhood'\?"):
        load_layout("neighborhood")


def test_layout_error_is_a_value_error() -> None:
    assert issubclass(LayoutError, ValueError)
    assert issubclass(LayoutError, SupermarketError)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gondolas": 0}, "at least one gondola"),
        ({"blocks": ()}, "at least one gondola"),
        ({"blocks": (0,)}, "at least one gondola"),
        ({"checkouts": 0}, r"checkouts must be 1\.\.4, got 0"),
        ({"checkouts": 9}, r"checkouts must be 1\.\.4, got 9"),
    ],
)
def test_impossible_plans(change: dict[str, object], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        build_layout(replace(StorePlan(name="p", gondolas=3, blocks=(1,)), **change))  # type: ignore[arg-type]


def test_negative_seed() -> None:
    with pytest.raises(LayoutError, match="numbered from 0, got -1"):
        generated_plan(-1)


def test_faults_that_only_code_can_make() -> None:
    sound: Layout = parse_layout(SMALL)
    bad = [
        (replace(sound, nodes=()), "at least one node"),
        (replace(sound, sections=()), "at least one section"),
        (replace(sound, step_edges=0), "step_edges must be at least 1"),
        (replace(sound, assortment=Assortment(0, None)), "assortment types must be at least 1"),
        (replace(sound, nodes=(*sound.nodes, Node("N009", 1.0, 1.0, "moon"))), "node N009: unknown kind 'moon'"),  # type: ignore[arg-type]
        (replace(sound, sections=(sound.sections[0]._replace(side="up"),)), "S001: unknown side 'up'"),  # type: ignore[arg-type]
        (replace(sound, sections=(sound.sections[0]._replace(levels=0),)), "S001: levels"),
        (replace(sound, edges=(Edge("N001", "N002", float("nan")),)), "edge N001-N002: length"),
    ]
    for layout, message in bad:
        with pytest.raises(LayoutError, match=message):
            validate_layout(layout)


def test_the_example_in_the_docs_is_sound() -> None:
    page = (Path(__file__).parents[2] / "docs" / "store.md").read_text(encoding="utf-8")
    example = page.split("```yaml\n")[1].split("```")[0]
    assert parse_layout(example).assortment == Assortment(60, 10)
