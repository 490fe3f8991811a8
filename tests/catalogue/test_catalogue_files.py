"""Catalogue files: every kind of broken file is refused with file, row and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.catalogue import load_catalogue
from supermarket_env.catalogue.files import read_catalogue, write_catalogue
from supermarket_env.errors import CatalogueError

GOOD: dict[str, Any] = {
    "id": "A1",
    "name": "Hofland Organic Whole Milk 1 l",
    "brand": "Hofland",
    "product_type": "fresh milk",
    "aisle": "Milk",
    "size": 1000,
    "unit": "ml",
    "price_cents": 149,
    "attributes": ["organic"],
    "diets": ["vegetarian", "gluten_free"],
    "allergens": ["milk"],
    "nutrition": {"energy_kcal": 64, "fat_g": 3.6},
    "popularity": 2.5,
    "quality": 4.2,
    "promotion": 10,
    "stock": 12,
}
OTHER = {**GOOD, "id": "A2", "name": "Hofland Skimmed Milk 1 l", "attributes": ["low_fat"]}


def saved(tmp_path: Path, *rows: object, header: dict[str, object] | None = None) -> Path:
    path = tmp_path / "shop.jsonl"
    lines = ([header] if header else []) + list(rows)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(CatalogueError) as caught:
        load_catalogue(str(path))
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def test_a_good_file_is_read_in_full(tmp_path: Path) -> None:
    catalogue = read_catalogue(saved(tmp_path, GOOD, OTHER))
    product = catalogue.product("A1")
    assert (catalogue.name, len(catalogue), product.department) == ("shop", 2, "Dairy & Eggs")
    assert product.nutrition == {"energy_kcal": 64, "fat_g": 3.6}
    assert (product.unit_price, product.regular_price_cents, product.stock) == (1.49, 166, 12)
    assert product.diets == {"vegetarian", "gluten_free"}


def test_only_the_needed_fields_are_needed(tmp_path: Path) -> None:
    needed = {name: GOOD[name] for name in ("id", "name", "product_type", "aisle", "size", "unit", "price_cents")}
    product = read_catalogue(saved(tmp_path, needed)).products[0]
    assert (product.brand, product.quality, product.promotion, product.stock) == ("unbranded", None, 0, 20)
    assert product.popularity == 1.0
    assert not product.attributes | product.allergens | product.diets
    assert product.nutrition is None


def test_json_jsonl_and_csv_mean_the_same(tmp_path: Path) -> None:
    lines = saved(tmp_path, GOOD, OTHER)
    listed, wrapped, table = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "c.csv"
    listed.write_text(json.dumps([GOOD, OTHER]), encoding="utf-8")
    wrapped.write_text(json.dumps({"catalogue": "mine", "products": [GOOD, OTHER]}), encoding="utf-8")
    cells = [
        [json.dumps(v) if isinstance(v, dict) else ";".join(v) if isinstance(v, list) else str(v) for v in row.values()]
        for row in (GOOD, OTHER)
    ]
    quoted = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in cells]
    table.write_text("\n".join([",".join(GOOD), *quoted]), encoding="utf-8-sig")
    hashes = {read_catalogue(path).content_hash for path in (lines, listed, wrapped, table)}
    assert len(hashes) == 1
    assert read_catalogue(wrapped).name == "mine"


def test_own_aisles_are_declared_in_the_header(tmp_path: Path) -> None:
    row = {**GOOD, "aisle": "Cold Things", "product_type": "milk"}
    header = {"catalogue": "corner", "aisles": {"Cold Things": "Fridge"}, "allergens_known": False}
    catalogue = read_catalogue(saved(tmp_path, row, header=header))
    assert (catalogue.name, catalogue.departments, catalogue.allergens_known) == ("corner", ("Fridge",), False)


def test_products_of_a_type_are_brought_together(tmp_path: Path) -> None:
    cream = {**GOOD, "id": "B1", "product_type": "cream", "aisle": "Cream"}
    catalogue = read_catalogue(saved(tmp_path, GOOD, cream, OTHER))
    assert list(catalogue.ids) == ["A1", "A2", "B1"]


def test_the_embedded_catalogue_survives_a_round_trip(tmp_path: Path) -> None:
    catalogue = load_catalogue("embedded")
    write_catalogue(catalogue, tmp_path / "all.jsonl")
    assert read_catalogue(tmp_path / "all.jsonl").content_hash == catalogue.content_hash
    with pytest.raises(CatalogueError, match=r"is written as \.jsonl"):
        write_catalogue(catalogue, tmp_path / "all.csv")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "A1"}, ", line 2, field id: duplicate id 'A1', first used at line 1"),
        ({"price_cents": -5}, ", line 2, field price_cents: expected 1 to 1e+06, got -5"),
        ({"price_cents": 0}, ", line 2, field price_cents: expected 1 to 1e+06, got 0"),
        ({"price_cents": 2_000_000}, ", line 2, field price_cents: expected 1 to 1e+06, got 2000000"),
        ({"price_cents": None}, ", line 2, field price_cents: missing; every product needs it"),
        ({"price_cents": float("nan")}, ", line 2, field price_cents: nan is not a number; expected a whole number"),
        ({"price_cents": 1.5}, ", line 2, field price_cents: expected a whole number, got float 1.5"),
        ({"price_cents": "149"}, ", line 2, field price_cents: expected a whole number, got str '149'"),
        ({"price_cents": True}, ", line 2, field price_cents: expected a whole number, got bool True"),
        ({"quality": float("inf")}, ", line 2, field quality: inf is not a number; expected a number"),
        ({"quality": 6}, ", line 2, field quality: expected 1 to 5, got 6"),
        ({"size": float("nan")}, ", line 2, field size: nan is not a number; expected a number"),
        ({"size": 0}, ", line 2, field size: expected 0.001 to 1e+06, got 0"),
        ({"unit": "kg"}, ", line 2, field unit: unknown unit 'kg'; valid: g, ml, pcs."),
        ({"aisle": "Mlik"}, "Did you mean 'Milk'?"),
        ({"aisle": "Nowhere"}, ", line 2, field aisle: unknown aisle 'Nowhere'; valid: "),
        ({"department": "Bakery"}, "field department: aisle 'Milk' is in department 'Dairy & Eggs', got 'Bakery'"),
        ({"aisle": "Cream"}, "field product_type: 'fresh milk' already stands in aisle 'Milk', got aisle 'Cream'"),
        ({"attributes": ["orgnic"]}, ", line 2, field attributes: unknown attribute 'orgnic'; valid: organic, vegan"),
        ({"attributes": ["orgnic"]}, "Did you mean 'organic'?"),
        ({"attributes": "organic"}, ", line 2, field attributes: expected a list of names, got 'organic'"),
        ({"allergens": ["nut"]}, "unknown allergen 'nut'; valid: gluten, crustaceans"),
        ({"diets": ["organic"]}, "field diets: unknown diet 'organic'; valid: vegan, vegetarian"),
        ({"name": ""}, ", line 2, field name: empty; expected a text"),
        ({"name": "   "}, ", line 2, field name: empty; expected a text"),
        ({"name": 7}, ", line 2, field name: expected text, got int 7"),
        ({"name": "Milk\u0007"}, ", line 2, field name: has control characters"),
        ({"nutrition": [1]}, ", line 2, field nutrition: expected an object name -> number, got [1]"),
        ({"nutrition": {"fat_g": "x"}}, ", line 2, field nutrition.fat_g: expected a number, got str 'x'"),
        ({"promotion": 100}, ", line 2, field promotion: expected 0 to 90, got 100"),
        ({"stock": -1}, ", line 2, field stock: expected 0 to 100000, got -1"),
        ({"popularity": 0}, ", line 2, field popularity: expected 1e-09 to 1e+09, got 0"),
        ({"prize_cents": 3}, ", line 2: unknown field 'prize_cents'; valid: "),
        ({"prize_cents": 3}, "Did you mean 'price_cents'?"),
    ],
)
def test_a_broken_product_is_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    assert message in refusal(saved(tmp_path, GOOD, {**OTHER, **change}))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b'[{"id": "A1", "name": "Mil', ", line 1, column 23: the file is cut off"),
        ("a.json", b'[{"id": "A1"},', "the file is cut off"),
        ("a.json", b'[{"id" "A1"}]', ", line 1, column 8: not valid JSON: Expecting ':' delimiter"),
        ("a.json", b"{}", ": expected a list of products or an object with a list 'products'"),
        ("a.json", b"[]", ": no products; expected at least one"),
        ("a.json", b"[1]", ", product 1: expected an object with the fields of a product, got int"),
        ("a.json", b'{"produts": []}', ": expected a list of products"),
        ("a.json", b'{"products": [], "aisle": {}}', ", header: unknown header field 'aisle'"),
        ("a.json", b'{"products": [], "aisles": []}', ", header, field aisles: expected an object aisle -> department"),
        ("a.json", b'{"products": [], "catalogue": ""}', ", header, field catalogue: expected a name, got ''"),
        (
            "a.json",
            b'{"products": [], "allergens_known": 1}',
            ", header, field allergens_known: expected true or false",
        ),
        ("a.json", b"[\n\n\xe9]", ", line 3: not UTF-8 (byte 0xe9); save the file as UTF-8"),
        ("a.jsonl", b'{"id": "A1"', ", line 1, column 12: the file is cut off"),
        ("a.jsonl", b"", ": no products"),
        ("a.csv", b"id,nme\n", ", line 1: unknown column 'nme'; valid: "),
        ("a.csv", b"id,name\nA1\n", ", line 2: expected 2 cells, got 1 (the file is cut off?)"),
        ("a.csv", b"id,name\nA1,b,c\n", ", line 2: expected 2 cells, got 3"),
        ("a.csv", b'id,name\nA1,"b\n', ", line 2: the file is cut off"),
        ("a.csv", b"id,name\nA1,\n", ", line 2, field name: missing; every product needs it"),
        (
            "a.csv",
            b"id,name,product_type,aisle,size,unit,price_cents\nA1,b,c,Milk,1,g,x1\n",
            ", line 2, field price_cents: expected a whole number, got str 'x1'",
        ),
        (
            "a.csv",
            b"id,name,product_type,aisle,size,unit,price_cents\nA1,b,c,Milk,nan,g,1\n",
            ", line 2, field size: nan is not a number",
        ),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert message in refusal(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert ": cannot be read: No such file" in refusal(tmp_path / "nothing.json")
    with pytest.raises(CatalogueError, match=r"A file must end in \.json, \.jsonl, \.csv"):
        load_catalogue(str(tmp_path / "shop.xlsx"))
