"""The page of samples is what the command prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from supermarket_env.catalogue import load_catalogue
from supermarket_env.catalogue.samples import BEGIN, END, main, samples_markdown

PAGE = Path(__file__).parents[2] / "docs" / "catalogue.md"


def test_the_docs_show_todays_products() -> None:
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip()
    assert shown == samples_markdown(load_catalogue("embedded"))


def test_the_command_prints_or_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "3"]) == 0
    table = capsys.readouterr().out
    assert table.startswith("| type | product |")
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    assert main(["--seed", "3", "--write", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == f"before\n{BEGIN}\n{table}{END}\nafter\n"
    page.write_text("no marks", encoding="utf-8")
    assert main(["--write", str(page)]) == 2
    assert "expected the marks" in capsys.readouterr().err
    assert main(["--catalogue", "embeded"]) == 2
