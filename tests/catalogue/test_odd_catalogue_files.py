"""Numbers beyond every float and endless nesting in a catalogue file are refused like any other mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from supermarket_env.catalogue import load_catalogue
from supermarket_env.catalogue.files import write_catalogue
from supermarket_env.errors import CatalogueError


@pytest.mark.parametrize("key", ["size", "price_cents", "popularity", "quality", "promotion", "stock"])
def test_a_number_no_float_can_hold_is_refused(tmp_path: Path, key: str) -> None:
    file = tmp_path / "shop.jsonl"
    write_catalogue(load_catalogue("embedded"), file)
    header, first = file.read_text(encoding="utf-8").splitlines()[:2]
    file.write_text(header + "\n" + json.dumps(json.loads(first) | {key: 10**400}) + "\n", encoding="utf-8")
    with pytest.raises(CatalogueError, match=key):
        load_catalogue(str(file))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"size": ' + "9" * 5000 + "}"], ids=["deep", "digits"])
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_json_nobody_can_read_is_refused(tmp_path: Path, text: str, ending: str) -> None:
    file = tmp_path / f"shop.{ending}"
    file.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(CatalogueError, match="line 1"):
        load_catalogue(str(file))
