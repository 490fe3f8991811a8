"""The table of ratings: judges apart, coverage, and no table without ratings."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from supermarket_env.report.ratings import ratings_table


def group(**means: float | None) -> dict[str, Any]:
    found = {dim: {"mean": mean, "coverage": 0.5, "n": 1} for dim, mean in means.items()}
    return {"agent": "rule", "judge": found, "judge_by": {"judge@rules-1": found}}


def test_one_row_for_each_judge() -> None:
    table = ratings_table({"groups": [group(naturalness=None, groundedness=4.5)]})
    assert table is not None
    out = io.StringIO()
    Console(width=90, file=out).print(table)
    text = out.getvalue()
    assert "4.50" in text
    assert "50 %" in text
    assert "n/a" in text
    assert "judge@rules-1" in text


def test_no_table_without_ratings() -> None:
    assert ratings_table({"n": 3, "judge": {}, "judge_by": {}}) is None
