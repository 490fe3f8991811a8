"""The tables and figures of docs/sensitivity.md.

    python benchmarks/sensitivity.py                                # 60 populations, 50 tasks
    python benchmarks/sensitivity.py --work runs/sensitivity        # where finished cells are kept and used again

The numbers come from ``supermarket sensitivity`` with the same options; this command only puts them on the page.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from probe_page import DOCS
from user_page import write_table

from supermarket_env.agents.registry import AGENTS
from supermarket_env.cli.sensitivity import ABLATION_AGENTS, DEFAULT_AGENTS, sensitivity
from supermarket_env.report.robustness import effects, robustness
from supermarket_env.report.robustness_pages import (
    ABLATION_PICTURE,
    RANKINGS_PICTURE,
    claims_table,
    means_table,
    strongest_table,
    verdict,
)
from supermarket_env.run.cells import Plan, play_cells
from supermarket_env.run.populations import DEFAULT, ablations, draw_population
from supermarket_env.tasks.suites import load_suite

PAGE = DOCS / "sensitivity.md"


def main() -> int:
    """Run the report and rewrite the page; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--populations", type=int, default=60)
    parser.add_argument("--tasks", type=int, default=50)
    parser.add_argument("--work", type=Path, default=Path("runs/sensitivity"), help="folder of the report")
    options = parser.parse_args()
    sensitivity(out=options.work, populations=options.populations, tasks=options.tasks)
    suite = load_suite("dev", n=options.tasks)
    drawn = [DEFAULT, *(draw_population(k) for k in range(1, options.populations + 1))]
    agents = DEFAULT_AGENTS.split(",")
    plan = Plan(drawn, agents, suite.tasks, suite.content_hash)
    told = [name for name in agents if AGENTS[name].privileged]
    found = robustness(plan.conditions, play_cells(plan, options.work), privileged=told)
    each = Plan([DEFAULT, *ablations()], ABLATION_AGENTS.split(","), suite.tasks, suite.content_hash)
    changes = effects(each.conditions, play_cells(each, options.work))
    noise = f"By resampling the tasks alone, tau with the default ranking is {found.noise_tau:.2f} on average."
    scale = f"{options.populations} populations, {options.tasks} tasks of dev (suites v1)."
    write_table("sensitivity-means", f"{scale}\n\n{means_table(found)}\n\n{verdict(found)}. {noise}", PAGE)
    write_table("sensitivity-claims", claims_table(found), PAGE)
    parts = [f"The largest changes of need satisfaction with `{a}`:\n\n{strongest_table(changes, 'NS', a)}"
             for a in ABLATION_AGENTS.split(",")]  # fmt: skip
    write_table("sensitivity-effects", "\n\n".join(parts), PAGE)
    for picture in (RANKINGS_PICTURE, ABLATION_PICTURE):
        shutil.copyfile(options.work / picture, DOCS / "img" / picture)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
