"""Layouts as YAML files: strict reading with the place of every fault, and writing."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from supermarket_env.errors import LayoutError, nearest
from supermarket_env.store.layout import Assortment, Edge, Layout, Node, NodeKind, Section, Side
from supermarket_env.store.validate import validate_layout

FORMAT = 1
Metres = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, ge=1)]
Text = Annotated[str, Field(strict=True, min_length=1)]


def _with_length(row: object) -> object:
    """Let the length of an edge be left out."""
    return [*row, None] if isinstance(row, list) and len(row) == 2 else row


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _NodeRecord(_Record):
    id: Text
    x: Metres
    y: Metres
    kind: NodeKind


class _SectionRecord(_Record):
    id: Text
    box: tuple[Metres, Metres, Metres, Metres]
    side: Side
    department: Text
    levels: Count = 5
    endcap: Annotated[bool, Field(strict=True)] = False


class _AssortmentRecord(_Record):
    types: Count | None = None
    products_per_type: Count | None = None


class _LayoutRecord(_Record):
    format: Literal[1]
    name: Text
    size: tuple[Metres, Metres]
    step_edges: Count = 1
    sight_m: Metres = 9.0
    reach_m: Metres = 2.4
    landmark_sight_m: Metres = 15.0
    assortment: _AssortmentRecord = _AssortmentRecord()
    nodes: list[_NodeRecord]
    edges: list[Annotated[tuple[Text, Text, Metres | None], BeforeValidator(_with_length)]]
    sections: list[_SectionRecord]


def read_layout(path: str | Path) -> Layout:
    """Read and validate a layout file.

    Raises:
        LayoutError: When the file is absent, not UTF-8, not YAML, of the wrong shape, or the store in it is unsound;
            the message names the file and the place.
    """
    file = Path(path)
    try:
        text = file.read_bytes().decode("utf-8")
    except OSError as err:
        raise LayoutError(f"{file}: cannot be read: {err.strerror or err}") from err
    except UnicodeDecodeError as err:
        raise LayoutError(f"{file}: byte {err.start} is not UTF-8; a layout file must be UTF-8 text") from err
    return parse_layout(text, where=str(file))


def parse_layout(text: str, where: str = "layout") -> Layout:
    """Build a layout from YAML text; see `read_layout` for what is refused."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        data = yaml.load(text, Loader=loader)
    except yaml.YAMLError as err:
        mark = getattr(err, "problem_mark", None)
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise LayoutError(f"{where}: not valid YAML{place}: {getattr(err, 'problem', None) or err}") from err
    if not isinstance(data, dict):
        raise LayoutError(f"{where}: expected a mapping with the keys of a layout, got {type(data).__name__}")
    try:
        record = _LayoutRecord.model_validate(data)
    except ValidationError as err:
        raise LayoutError(f"{where}: {_first_fault(err, data)}") from err
    return validate_layout(_from_record(record), where)


def _first_fault(err: ValidationError, data: dict[str, Any]) -> str:
    fault = err.errors()[0]
    place, names = "", []
    here: Any = data
    for part in fault["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f"{'.' if place else ''}{part}"
        try:
            here = here[part]
        except (KeyError, IndexError, TypeError):
            here = None
        if isinstance(here, dict) and isinstance(here.get("id"), str):
            names.append(here["id"])
    who = f" ({names[-1]})" if names else ""
    if fault["type"] == "extra_forbidden":
        return f"{place}{who}: unknown key.{nearest(str(fault['loc'][-1]), _keys_at(fault['loc']))}"
    if fault["type"] == "missing":
        return f"{place}{who}: required key is missing"
    return f"{place}{who}: {fault['msg']}, got {fault['input']!r}"


def _keys_at(loc: tuple[int | str, ...]) -> list[str]:
    models: dict[str, type[BaseModel]] = {
        "nodes": _NodeRecord, "sections": _SectionRecord, "assortment": _AssortmentRecord,
    }  # fmt: skip
    model = models.get(str(loc[0]), _LayoutRecord) if len(loc) > 1 else _LayoutRecord
    return list(model.model_fields)


def _from_record(record: _LayoutRecord) -> Layout:
    nodes = tuple(Node(n.id, n.x, n.y, n.kind) for n in record.nodes)
    place = {n.id: (n.x, n.y) for n in nodes}
    edges = []
    for a, b, length in record.edges:
        # An unknown end is reported by the validation, with the nearest valid id.
        straight = math.dist(place[a], place[b]) if a in place and b in place else 1.0
        edges.append(Edge(a, b, straight if length is None else length))
    sections = tuple(Section(s.id, *s.box, s.side, s.department, s.levels, s.endcap) for s in record.sections)
    return Layout(
        name=record.name, width=record.size[0], height=record.size[1], step_edges=record.step_edges,
        sight_m=record.sight_m, reach_m=record.reach_m, landmark_sight_m=record.landmark_sight_m,
        nodes=nodes, edges=tuple(edges), sections=sections,
        assortment=Assortment(record.assortment.types, record.assortment.products_per_type),
    )  # fmt: skip


def layout_yaml(layout: Layout) -> str:
    """Write a layout as YAML text that `parse_layout` reads back to an equal layout (to the millimetre)."""

    def m(value: float) -> str:
        short = f"{value:.3f}".rstrip("0")
        return short + "0" if short.endswith(".") else short

    def quoted(text: str) -> str:
        return json.dumps(text, ensure_ascii=False)

    carried = ", ".join(f"{k}: {v}" for k, v in layout.assortment._asdict().items() if v is not None)
    lines = [
        f"format: {FORMAT}",
        f"name: {quoted(layout.name)}",
        f"size: [{m(layout.width)}, {m(layout.height)}]  # metres: along the door wall, door wall to back wall",
        f"step_edges: {layout.step_edges}",
        f"sight_m: {m(layout.sight_m)}",
        f"reach_m: {m(layout.reach_m)}",
        f"landmark_sight_m: {m(layout.landmark_sight_m)}",
        f"assortment: {{{carried}}}",
        "nodes:",
        *(f"  - {{id: {quoted(n.id)}, x: {m(n.x)}, y: {m(n.y)}, kind: {n.kind}}}" for n in layout.nodes),
        "edges:  # [node, node, metres]; metres may be left out for a straight line",
        *(f"  - [{quoted(e.a)}, {quoted(e.b)}, {m(e.length_m)}]" for e in layout.edges),
        "sections:  # box: [x0, y0, x1, y1]; side: where the open face looks; order: how the planogram fills them",
    ]
    for s in layout.sections:
        box = ", ".join(m(v) for v in s[1:5])
        end = ", endcap: true" if s.endcap else ""
        lines.append(
            f"  - {{id: {quoted(s.id)}, box: [{box}], side: {s.side}, department: {quoted(s.department)}, "
            f"levels: {s.levels}{end}}}"
        )
    return "\n".join(lines) + "\n"
