"""The figure and the table of docs/realism.md: the default user beside the published facts.

    python benchmarks/realism.py                    # 1,600 trips of the seeds kept for the verdict
    python benchmarks/realism.py --trips 100 --dry  # print only

Exit code 1 when a fact the simulation is held to does not hold, as with `supermarket realism`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from user_page import table, write_table

from supermarket_env.report.realism import draw, figure_of
from supermarket_env.run.config import RunConfig
from supermarket_env.run.realism import Study, study
from supermarket_env.user_sim.realism import passed, verdict_line
from supermarket_env.user_sim.realism_facts import ROLES, Role

DOCS = Path(__file__).resolve().parent.parent / "docs"
WORDS: dict[Role, str] = {"tune": "tuned", "held_out": "held out", "disputed": "disputed", "uncalibrated": "no source"}


def short_table(found: Study) -> str:
    """Return the measured facts in the order of their roles."""
    rows = [
        [f.fact.id, f.fact.text, WORDS[role], f.fact.published or "none", f.fact.tolerance, figure_of(f), f.verdict]
        for role in ROLES
        for f in found.findings
        if f.fact.role == role and role in WORDS
    ]
    head = ("no.", "fact", "role", "published", "tolerance", "simulated [95 %]", "verdict")
    return table(head, rows) + f"\n\n`{verdict_line(found.user, found.findings)}`"


def closed_table(found: Study) -> str:
    """Return what cannot be expressed and why."""
    rows = [
        [f.fact.id, f.fact.text, f.fact.published, f.fact.note]
        for f in found.findings
        if f.fact.role == "not_expressible"
    ]
    return table(("no.", "fact", "published", "why not"), rows)


def main() -> int:
    """Run the study; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--trips", type=int, default=1600)
    parser.add_argument("--dry", action="store_true", help="print only, leave docs as they are")
    options = parser.parse_args()
    found = study(RunConfig(), options.trips)
    print(short_table(found))
    if not options.dry:
        draw(found, DOCS / "img" / "realism.png")
        write_table("realism", short_table(found), DOCS / "realism.md")
        write_table("not-expressible", closed_table(found), DOCS / "realism.md")
    return 0 if passed(found.findings) else 1


if __name__ == "__main__":
    raise SystemExit(main())
