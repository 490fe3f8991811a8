"""docs/user.md says what the source says."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from supermarket_env.user_sim.config import Mechanisms
from supermarket_env.user_sim.persona import TRAIT_TABLE


def load(name: str) -> ModuleType:
    """Import a module of this folder (tests are not a package)."""
    spec = importlib.util.spec_from_file_location(f"user_tests_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


shop = load("small_shop")


def part(text: str, marker: str) -> str:
    """Return what stands between the marks."""
    return text.split(f"<!-- {marker} -->\n")[1].split(f"<!-- /{marker} -->")[0].strip()


def test_the_tables_of_traits_and_mechanisms_are_up_to_date() -> None:
    page = shop.program("user_page")
    text = page.PAGE.read_text(encoding="utf-8")
    assert part(text, "trait-table") == page.trait_table(), "run: python benchmarks/user_page.py"
    assert part(text, "mechanisms") == page.mechanism_table(), "run: python benchmarks/user_page.py"


def test_every_trait_and_mechanism_is_explained() -> None:
    page = shop.program("user_page")
    assert all(f"| `{t.name}` |" in page.trait_table() and t.source for t in TRAIT_TABLE)
    assert all(f"| `{name}` |" in page.mechanism_table() for name in Mechanisms.model_fields if name != "stock_out")


@pytest.mark.parametrize(
    ("marker", "program", "rows"),
    [
        ("traits", "traits", "CLAIMS"),
        ("behaviours", "behaviours", "BEHAVIOURS"),
        ("turns", "trips", "TRIPS"),
        ("alone", "trips", "TRIPS"),
    ],
)
def test_the_measured_tables_have_a_row_for_everything(marker: str, program: str, rows: str) -> None:
    text = part(shop.program("user_page").PAGE.read_text(encoding="utf-8"), marker)
    names = [getattr(row, "trait", None) or getattr(row, "name", row) for row in getattr(shop.program(program), rows)]
    for name in names:
        assert any(line.startswith((f"| {name} |", f"| `{name}` |")) for line in text.splitlines()), (marker, name)


def test_a_table_is_written_between_its_marks_only(tmp_path: Path) -> None:
    page = shop.program("user_page")
    file = tmp_path / "page.md"
    file.write_text("before\n<!-- x -->\nold\n<!-- /x -->\nafter\n", encoding="utf-8")
    page.write_table("x", page.table(("a", "b"), [["1", "2"]]), file)
    assert file.read_text(encoding="utf-8") == (
        "before\n<!-- x -->\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<!-- /x -->\nafter\n"
    )
    with pytest.raises(ValueError, match="needs the lines"):
        page.write_table("y", "text", file)
