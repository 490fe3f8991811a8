"""The made parts of the dialogue page."""

from __future__ import annotations

from pathlib import Path

import pytest

from supermarket_env.catalogue.load import load_catalogue
from supermarket_env.errors import ConfigError
from supermarket_env.rules import codes
from supermarket_env.user_sim.wording.pages import inventory, renewed, samples

PAGE = Path(__file__).parents[2] / "docs" / "dialogue.md"


def test_the_inventory_on_the_page_is_that_of_the_codes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert inventory() in page
    for names in (codes.ASSISTANT_ACTS, codes.USER_ACTS, codes.REASONS, codes.CAUSES, codes.SLOTS):
        for number, name in enumerate(names):
            assert f"{number} | `{name}`" in page


def test_the_sample_lines_on_the_page_are_current() -> None:
    assert samples(load_catalogue("embedded")) in PAGE.read_text(encoding="utf-8")


def test_only_marked_parts_are_renewed() -> None:
    page = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n"
    assert renewed(page, {"x": r"new \1"}) == "a\n<!-- begin x -->\nnew \\1\n<!-- end x -->\nb\n"
    with pytest.raises(ConfigError, match="begin y"):
        renewed(page, {"y": "text"})
