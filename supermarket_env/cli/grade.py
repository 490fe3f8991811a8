"""``supermarket grade``: the three-grade rubric over logs, by assistant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def grade(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Run directories or log files.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Grade every reply correct, partial or bad by the log's truth; exit code 1 when a reply could hurt somebody."""
    from supermarket_env.events.log import read_log
    from supermarket_env.scorers.grade.scorer import make_scorer
    from supermarket_env.scorers.grade.summary import summarise, summary_text

    scorer = make_scorer()
    by_agent: dict[str, list[tuple[str, Any]]] = {}
    for episode in read_log(paths).episodes:
        if episode.reason != "infra_error":
            rows = by_agent.setdefault(episode.agent, [])
            rows.append((episode.episode_id, scorer.score(episode).details))
    found = {agent: summarise(rows) for agent, rows in sorted(by_agent.items())}
    if as_json:
        print(json.dumps({agent: _plain(summary) for agent, summary in found.items()}))
    else:
        print("\n\n".join(f"{agent}: {summary_text(summary)}" for agent, summary in found.items()))
    if any(summary.is_blocked for summary in found.values()):
        raise typer.Exit(1)


def _plain(summary: Any) -> dict[str, Any]:
    data: dict[str, Any] = summary._asdict()
    data["shares"] = {name: share._asdict() for name, share in summary.shares.items()}
    return data
