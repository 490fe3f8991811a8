"""``supermarket sensitivity``: which results depend on what nobody knows about users."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_AGENTS = "silent,popularity,retrieval,rule_no_questions,pager,rule,oracle"
ABLATION_AGENTS = "silent,retrieval,rule"


def sensitivity(
    out: Annotated[Path, typer.Option("--out", help="Folder for the report; finished work in it is used again.")],
    populations: Annotated[int, typer.Option(min=2, max=10_000, help="Populations to draw.")] = 50,
    tasks: Annotated[int, typer.Option(min=2, max=10_000, help="Tasks of the suite, the first ones.")] = 30,
    agents: Annotated[str, typer.Option(help="Assistants to rank (comma-separated).")] = DEFAULT_AGENTS,
    ablation_agents: Annotated[
        str, typer.Option(help="Assistants for single settings off and extreme; the last in detail; 'none': leave out.")
    ] = ABLATION_AGENTS,
    suite: Annotated[str, typer.Option(help="Suite or task file.")] = "dev",
    store: Annotated[str | None, typer.Option(help="Another store than the suite's own.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Key of the drawn populations and of all luck.")] = 0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes.")] = 1,
) -> None:
    """Rank assistants under many user populations, and switch each setting of the user off and to its extreme."""
    from supermarket_env.agents.registry import AGENTS
    from supermarket_env.cli.metrics import parse_list
    from supermarket_env.errors import ConfigError, unknown_name
    from supermarket_env.report.robustness import effects, robustness
    from supermarket_env.report.robustness_pages import REPORT_FILE, write_report
    from supermarket_env.run.cells import Plan, play_cells
    from supermarket_env.run.manifest import COMPARABILITY
    from supermarket_env.run.populations import DEFAULT, ablations, draw_population
    from supermarket_env.tasks.suites import load_suite

    ranked = parse_list(agents)
    single = [] if ablation_agents == "none" else parse_list(ablation_agents)
    for name in (*ranked, *single):
        if name not in AGENTS:
            raise ConfigError(unknown_name("assistant", name, AGENTS))
    if len(ranked) < 2:
        raise ConfigError(f"--agents expects at least two assistants to rank, got {agents!r}")
    loaded = load_suite(suite, store=store, n=tasks)
    drawn = [draw_population(k, seed=seed) for k in range(1, populations + 1)]
    ranking = Plan([DEFAULT, *drawn], ranked, loaded.tasks, loaded.content_hash, seed)
    cells = play_cells(ranking, out, workers=workers, progress=_reporter("populations"))
    found = robustness(ranking.conditions, cells, privileged=[a for a in ranked if AGENTS[a].privileged], seed=seed)
    changes = []
    if single:
        each = Plan([DEFAULT, *ablations()], single, loaded.tasks, loaded.content_hash, seed)
        changes = effects(each.conditions, play_cells(each, out, workers=workers, progress=_reporter("ablations")))
    title = f"suite {loaded.name}, {len(loaded.tasks)} tasks, {populations} populations ({COMPARABILITY})"
    for file in write_report(out, found, drawn, changes, title=title):
        if file.name == REPORT_FILE:
            print(file.read_text(encoding="utf-8"), end="")
        else:
            print(f"wrote {file}", file=sys.stderr)


def _reporter(what: str) -> Callable[[int, int], None]:
    """Return a callback that says how far the work is, ten times in all."""
    said = [-1]

    def say(done: int, total: int) -> None:
        tenth = 10 * done // total
        if tenth > said[0]:
            said[0] = tenth
            print(f"{what}: {done} of {total} cells", file=sys.stderr)

    return say
