"""The suites are frozen: their hashes stand in the changelog."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from supermarket_env.tasks.freeze import data_folder
from supermarket_env.tasks.suites import SUITE_VERSION, SUITES

CHANGELOG = Path(__file__).resolve().parents[2] / "CHANGELOG.md"


@pytest.mark.parametrize("name", sorted(SUITES))
def test_the_changelog_has_the_hash_of_each_frozen_suite(name: str) -> None:
    record = json.loads((data_folder() / f"{name}.json").read_text(encoding="utf-8"))
    text = CHANGELOG.read_text(encoding="utf-8")
    section = text.split(f"## Suites {SUITE_VERSION}", 1)[1].split("\n## ", 1)[0]
    assert record["version"] == SUITE_VERSION
    assert f"| `{name}` | {record['tasks']} | `{record['content_hash']}` |" in section
