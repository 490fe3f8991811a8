"""Ratings of judges beside the main table: one row an assistant and judge, one column a dimension."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from supermarket_env.report.tables import UNDEFINED, agent_order, groups_of

_SHORT = {
    "informativeness": "inform-\native",
    "naturalness": "natural",
    "groundedness": "grounded",
    "preference_alignment": "prefer-\nences",
    "proactiveness": "pro-\nactive",
    "non_repetition": "non-\nrepet.",
    "overall_satisfaction": "overall",
}


def ratings_table(
    metrics: Mapping[str, Any], *, agents: Sequence[str] = (), privileged: Collection[str] = ()
) -> Table | None:
    """Return the mean ratings with the share of trips rated, judges apart; None when nobody rated anything.

    Args:
        metrics: Content of ``metrics.json``.
        agents: Order of the rows.
        privileged: Assistants marked with a star.
    """
    groups = agent_order(groups_of(metrics), agents)
    rated = [group for group in groups if group.get("judge_by")]
    if not rated:
        return None
    dims = list(rated[0]["judge"])
    table = Table(title="ratings, 1 to 5", title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    table.add_column("assistant\njudge", no_wrap=True)
    for dim in dims:
        table.add_column(_SHORT.get(dim, dim), justify="right", no_wrap=True)
    for group in rated:
        name = f"{group.get('agent', 'all')}{'*' if group.get('agent') in privileged else ''}"
        for judge, found in group["judge_by"].items():
            cells = [_cell(found.get(dim)) for dim in dims]
            table.add_row(f"{name}\n[dim]{judge}[/dim]", *cells)
    return table


def _cell(summary: Mapping[str, Any] | None) -> str:
    if summary is None or summary["mean"] is None:
        return UNDEFINED
    return f"{summary['mean']:.2f}\n[dim]{100 * summary['coverage']:.0f} %[/dim]"
