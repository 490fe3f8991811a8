"""What hints are worth: need satisfaction with all hints, goals only and none, beside AFR, AFR_lift and LNSR_lift.

    python benchmarks/hints.py                       # 200 dev tasks; rewrites the table in docs/probes.md
    python benchmarks/hints.py --tasks 50 --dry

AFR counts agreement; AFR_lift counts agreement where the same user, masked for one turn, would have done something
else. Neither sees what goals named earlier go on doing. The run with hints withheld does.
"""

from __future__ import annotations

import argparse
from typing import Any

from probe_page import DOCS, Entry, number, rows, satisfaction
from user_page import table, write_table

from supermarket_env.metrics.aggregate import aggregate
from supermarket_env.stats import paired_difference
from supermarket_env.tasks.suites import load_suite

WITHHELD = "supermarket_env.agents.withheld.Withheld"
AGENTS = ("retrieval", "rule", "guide_only", "pager", "oracle")


def variants(name: str) -> dict[str, Entry]:
    """Return the entries of an assistant as it is, with goals only, and without hints."""
    told = {"privileged": True} if name == "oracle" else {}
    return {
        "all": name,
        "goals only": {"name": f"{name}_goals_only", "_target_": WITHHELD, "of": name, "goals": True, **told},
        "none": {"name": f"{name}_withheld", "_target_": WITHHELD, "of": name, **told},
    }


def line(name: str, tasks: Any) -> list[str]:
    """Return the table's line of one assistant."""
    played = {hints: rows(entry, tasks) for hints, entry in variants(name).items()}
    ns = {hints: satisfaction(found) for hints, found in played.items()}
    output = aggregate(played["all"])
    worth = paired_difference(ns["all"], ns["none"])
    low, high = number(worth.low, signed=True), number(worth.high, signed=True)
    return [
        name,
        *(number(sum(ns[hints]) / len(ns[hints])) for hints in ns),
        f"{number(worth.mean, signed=True)} [{low}, {high}]",
        number(output["AFR"]),
        number(output["beyond"]["AFR_lift"]),
        number(output["LNSR"]),
        number(output["beyond"]["LNSR_lift"]),
    ]


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--tasks", type=int, default=200, help="tasks of the dev suite")
    parser.add_argument("--dry", action="store_true", help="print only")
    options = parser.parse_args()
    tasks = load_suite("dev", n=options.tasks).tasks
    head = ["assistant", "NS, all hints", "NS, goals only", "NS, none", "all minus none", "AFR", "AFR_lift", "LNSR"]
    text = table([*head, "LNSR_lift"], [line(name, tasks) for name in AGENTS])
    print(text)
    if not options.dry:
        write_table("hints", f"{len(tasks)} tasks of dev:\n\n{text}", DOCS / "probes.md")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
