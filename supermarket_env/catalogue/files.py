"""Catalogues in files: reading with validation of every field, and writing.

Three forms are read, all UTF-8: ``.json`` (an object with a list ``products``, or a bare list), ``.jsonl`` (one product
a line, before them an optional header line) and ``.csv`` (a header row; lists in a cell are separated by ``;``).
``docs/catalogue.md`` has the table of fields. Every refusal names file, row (products count from 1; for ``.jsonl`` and
``.csv`` the line) and field.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from supermarket_env.catalogue.schema import (
    ALLERGENS,
    ATTRIBUTES,
    DIETS,
    UNITS,
    Catalogue,
    Columns,
    ProductType,
    allergen_mask,
    attribute_mask,
)
from supermarket_env.errors import CatalogueError, nearest, unknown_name

MAX_PRICE_CENTS: Final = 1_000_000
"""Dearest product accepted; a price above is a slip of the unit (cents)."""


class _Field(NamedTuple):
    kind: str
    """text, int, float, names or numbers."""
    required: bool = False
    low: float = -math.inf
    high: float = math.inf
    valid: tuple[str, ...] = ()


_FIELDS: Final[Mapping[str, _Field]] = {
    "id": _Field("text", True),
    "name": _Field("text", True),
    "product_type": _Field("text", True),
    "aisle": _Field("text", True),
    "department": _Field("text"),
    "brand": _Field("text"),
    "size": _Field("float", True, 1e-3, 1e6),
    "unit": _Field("text", True, valid=UNITS),
    "price_cents": _Field("int", True, 1, MAX_PRICE_CENTS),
    "attributes": _Field("names", valid=ATTRIBUTES),
    "diets": _Field("names", valid=DIETS),
    "allergens": _Field("names", valid=ALLERGENS),
    "nutrition": _Field("numbers"),
    "popularity": _Field("float", False, 1e-9, 1e9),
    "quality": _Field("float", False, 1.0, 5.0),
    "promotion": _Field("int", False, 0, 90),
    "stock": _Field("int", False, 0, 100_000),
}
_HEADER: Final = ("catalogue", "allergens_known", "aisles")
_DEFAULT_STOCK = 20


@dataclass(slots=True)
class _Header:
    name: str
    aisles: Mapping[str, str]
    allergens_known: bool = True


@dataclass(slots=True)
class _Rows:
    """Validated values so far, one list a field, and where each id stood."""

    values: dict[str, list[object]] = field(default_factory=lambda: {name: [] for name in _FIELDS})
    place_of_id: dict[str, str] = field(default_factory=dict)
    types: dict[str, ProductType] = field(default_factory=dict)


def read_catalogue(path: str | Path) -> Catalogue:
    """Return the catalogue of a ``.json``, ``.jsonl`` or ``.csv`` file.

    Raises:
        CatalogueError: The file is missing, cut off, not UTF-8, or a product is broken; the message names file, row,
            field, what was expected and the nearest valid name.
    """
    path = Path(path)
    text = _read_text(path)
    if path.suffix.lower() == ".json":
        header, rows = _json_rows(text, path)
    elif path.suffix.lower() == ".jsonl":
        header, rows = _jsonl_rows(text, path)
    else:
        header, rows = _csv_rows(text, path)
    checked = _Rows()
    for place, row in rows:
        _check_row(row, f"{path}, {place}", header, checked)
    if not checked.place_of_id:
        raise CatalogueError(f"{path}: no products; expected at least one")
    return _build(header, checked)


def write_catalogue(catalogue: Catalogue, path: str | Path) -> None:
    """Write a catalogue as ``.jsonl``; reading it again gives the same content hash.

    Raises:
        CatalogueError: ``path`` does not end in ``.jsonl``.
    """
    path = Path(path)
    if path.suffix.lower() != ".jsonl":
        raise CatalogueError(f"{path}: a catalogue is written as .jsonl")
    header = {
        "catalogue": catalogue.name,
        "allergens_known": catalogue.allergens_known,
        "aisles": {t.aisle: t.department for t in catalogue.types},
    }
    lines = [json.dumps(header, ensure_ascii=False)]
    for p in catalogue.products:
        row: dict[str, object] = {name: getattr(p, name) for name in _FIELDS}
        for name in ("attributes", "diets", "allergens"):
            row[name] = sorted(getattr(p, name))
        lines.append(json.dumps({k: v for k, v in row.items() if v is not None}, ensure_ascii=False))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CatalogueError(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise CatalogueError(
            f"{path}, line {line}: not UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8"
        ) from error


def _parse_json(text: str, path: Path, line: int | None = None) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        row = error.lineno if line is None else line
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        what = "the file is cut off" if cut else f"not valid JSON: {error.msg}"
        raise CatalogueError(f"{path}, line {row}, column {error.colno}: {what}") from error
    except (RecursionError, ValueError) as error:  # the other ValueError: a number of thousands of digits
        what = "nested too deeply" if isinstance(error, RecursionError) else "a number with too many digits"
        raise CatalogueError(f"{path}, line {line or 1}: not valid JSON: {what}") from None


def _embedded_aisles() -> dict[str, str]:
    from supermarket_env.catalogue.taxonomy import embedded_taxonomy

    return {row.aisle: row.department for row in embedded_taxonomy()[0]}


def _header(raw: Mapping[str, object], path: Path, place: str) -> _Header:
    for key in raw:
        if key not in _HEADER:
            raise CatalogueError(f"{path}, {place}: {unknown_name('header field', key, _HEADER)}")
    name, aisles, known = raw.get("catalogue", path.stem), raw.get("aisles"), raw.get("allergens_known", True)
    if not isinstance(name, str) or not name.strip():
        raise CatalogueError(f"{path}, {place}, field catalogue: expected a name, got {name!r}")
    if not isinstance(known, bool):
        raise CatalogueError(f"{path}, {place}, field allergens_known: expected true or false, got {known!r}")
    if aisles is None:
        return _Header(name, _embedded_aisles(), known)
    if not isinstance(aisles, dict) or not all(isinstance(v, str) and v for v in aisles.values()):
        raise CatalogueError(f"{path}, {place}, field aisles: expected an object aisle -> department, got {aisles!r}")
    return _Header(name, aisles, known)


def _json_rows(text: str, path: Path) -> tuple[_Header, Iterator[tuple[str, object]]]:
    raw = _parse_json(text, path)
    if isinstance(raw, list):
        raw = {"products": raw}
    if not isinstance(raw, dict) or not isinstance(raw.get("products"), list):
        raise CatalogueError(f"{path}: expected a list of products or an object with a list 'products'")
    header = _header({k: v for k, v in raw.items() if k != "products"}, path, "header")
    return header, ((f"product {i}", row) for i, row in enumerate(raw["products"], start=1))


def _jsonl_rows(text: str, path: Path) -> tuple[_Header, Iterator[tuple[str, object]]]:
    parsed = [
        (line, _parse_json(part, path, line)) for line, part in enumerate(text.split("\n"), start=1) if part.strip()
    ]
    header = _Header(path.stem, _embedded_aisles())
    if parsed and isinstance(parsed[0][1], dict) and "catalogue" in parsed[0][1]:
        header = _header(parsed[0][1], path, f"line {parsed[0][0]}")
        parsed = parsed[1:]
    return header, ((f"line {line}", row) for line, row in parsed)


def _csv_rows(text: str, path: Path) -> tuple[_Header, Iterator[tuple[str, object]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[str, object]] = []
    columns: list[str] | None = None
    try:
        for cells in reader:
            if not cells:
                continue
            if columns is None:
                columns = [cell.strip() for cell in cells]
                for name in columns:
                    if name not in _FIELDS:
                        raise CatalogueError(f"{path}, line 1: {unknown_name('column', name, _FIELDS)}")
                continue
            place = f"line {reader.line_num}"
            if len(cells) != len(columns):
                cut = " (the file is cut off?)" if len(cells) < len(columns) else ""
                raise CatalogueError(f"{path}, {place}: expected {len(columns)} cells, got {len(cells)}{cut}")
            rows.append(
                (place, {c: _cell(c, v, path, place) for c, v in zip(columns, cells, strict=True) if v.strip()})
            )
    except csv.Error as error:
        cut = "the file is cut off" if "unexpected end" in str(error) else str(error)
        raise CatalogueError(f"{path}, line {reader.line_num}: {cut}") from error
    return _Header(path.stem, _embedded_aisles()), iter(rows)


def _cell(column: str, text: str, path: Path, place: str) -> object:
    kind = _FIELDS[column].kind
    text = text.strip()
    if kind == "names":
        return [part.strip() for part in text.split(";") if part.strip()]
    if kind == "numbers":
        return _parse_json(text, path, int(place.split()[1]))
    if kind in ("int", "float"):
        try:
            return int(text) if kind == "int" else float(text)
        except ValueError:
            return text
    return text


def _check_row(row: object, place: str, header: _Header, rows: _Rows) -> None:
    if not isinstance(row, dict):
        raise CatalogueError(f"{place}: expected an object with the fields of a product, got {type(row).__name__}")
    for key in row:
        if key not in _FIELDS:
            raise CatalogueError(f"{place}: {unknown_name('field', str(key), _FIELDS)}")
    values = {name: _check_value(name, spec, row.get(name), place) for name, spec in _FIELDS.items()}
    pid, aisle, kind = str(values["id"]), str(values["aisle"]), str(values["product_type"])
    if pid in rows.place_of_id:
        raise CatalogueError(f"{place}, field id: duplicate id {pid!r}, first used at {rows.place_of_id[pid]}")
    if aisle not in header.aisles:
        raise CatalogueError(f"{place}, field aisle: {unknown_name('aisle', aisle, header.aisles)}")
    department = values["department"] or header.aisles[aisle]
    if department != header.aisles[aisle]:
        raise CatalogueError(
            f"{place}, field department: aisle {aisle!r} is in department {header.aisles[aisle]!r}, got {department!r}"
        )
    known = rows.types.setdefault(kind, ProductType(kind, aisle, header.aisles[aisle]))
    if known.aisle != aisle:
        raise CatalogueError(
            f"{place}, field product_type: {kind!r} already stands in aisle {known.aisle!r}, got aisle {aisle!r}"
        )
    rows.place_of_id[pid] = place.rpartition(", ")[2]
    for name, value in values.items():
        rows.values[name].append(value)


def _check_value(name: str, spec: _Field, value: object, place: str) -> object:
    where = f"{place}, field {name}"
    if value is None:
        if spec.required:
            raise CatalogueError(f"{where}: missing; every product needs it")
        return None
    if spec.kind == "text":
        return _check_text(spec, value, where)
    if spec.kind == "names":
        return _check_names(spec, value, where)
    if spec.kind == "numbers":
        if not isinstance(value, dict):
            raise CatalogueError(f"{where}: expected an object name -> number, got {value!r}")
        return {str(k): _check_number(_Field("float", low=0.0), v, f"{where}.{k}") for k, v in value.items()}
    return _check_number(spec, value, where)


def _check_text(spec: _Field, value: object, where: str) -> str:
    if not isinstance(value, str):
        raise CatalogueError(f"{where}: expected text, got {type(value).__name__} {value!r}")
    if not value.strip():
        raise CatalogueError(f"{where}: empty; expected a text")
    if not value.isprintable():
        raise CatalogueError(f"{where}: has control characters: {value!r}")
    if spec.valid and value not in spec.valid:
        raise CatalogueError(f"{where}: {unknown_name('unit', value, spec.valid)}")
    return value


def _check_names(spec: _Field, value: object, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise CatalogueError(f"{where}: expected a list of names, got {value!r}")
    for item in value:
        if item not in spec.valid:
            kind = where.rpartition(" ")[2].removesuffix("s")
            raise CatalogueError(
                f"{where}: unknown {kind} {item!r}; valid: {', '.join(spec.valid)}.{nearest(item, spec.valid)}"
            )
    return value


def _check_number(spec: _Field, value: object, where: str) -> float | int:
    whole = spec.kind == "int"
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
            raise CatalogueError(
                f"{where}: {value} is not a number; expected {'a whole number' if whole else 'a number'}"
            )
        what = "a whole number" if whole else "a number"
        raise CatalogueError(f"{where}: expected {what}, got {type(value).__name__} {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise CatalogueError(f"{where}: {value} is not a number; expected a number")
    if not spec.low <= value <= spec.high:
        raise CatalogueError(f"{where}: expected {spec.low:g} to {spec.high:g}, got {value!r:.40}")
    return value


def _build(header: _Header, rows: _Rows) -> Catalogue:
    values, types = rows.values, list(rows.types.values())
    number = {kind.name: i for i, kind in enumerate(types)}
    attributes = np.array([attribute_mask(_names_of(v)) for v in values["attributes"]], dtype=np.int64)
    # A file that says nothing of diets means what its labels say; vegan food is vegetarian in any case.
    diets = [
        _names_of(stated) if stated is not None else [name for name in DIETS if name in _names_of(claims)]
        for stated, claims in zip(values["diets"], values["attributes"], strict=True)
    ]
    diet_mask = np.array(
        [attribute_mask(names + ["vegetarian"] * ("vegan" in names)) for names in diets], dtype=np.int64
    )

    def floats(name: str, default: float) -> list[float]:
        return [default if v is None else float(str(v)) for v in values[name]]

    def ints(name: str, default: int) -> list[int]:
        return [default if v is None else int(str(v)) for v in values[name]]

    nutrition: list[Mapping[str, float] | None] = [v if isinstance(v, dict) else None for v in values["nutrition"]]
    columns = Columns(
        ids=[str(v) for v in values["id"]],
        names=[str(v) for v in values["name"]],
        brands=[str(v) if v else "unbranded" for v in values["brand"]],
        type_idx=np.array([number[str(v)] for v in values["product_type"]], dtype=np.int64),
        size=np.array(floats("size", 1.0)),
        units=[str(v) for v in values["unit"]],
        price_cents=np.array(ints("price_cents", 0), dtype=np.int64),
        attr_mask=attributes,
        diet_mask=diet_mask,
        allergen_mask=np.array([allergen_mask(_names_of(v)) for v in values["allergens"]], dtype=np.int64),
        popularity=np.array(floats("popularity", 1.0)),
        quality=np.array(floats("quality", math.nan)),
        promotion=np.array(ints("promotion", 0), dtype=np.int64),
        stock=np.array(ints("stock", _DEFAULT_STOCK), dtype=np.int64),
        nutrition=nutrition if any(nutrition) else None,
    )
    return Catalogue(header.name, types, columns, allergens_known=header.allergens_known)


def _names_of(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
