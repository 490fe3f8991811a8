"""Audit of the shipped users on many episodes: writes the tables of docs/audit.md.

python benchmarks/user_audit.py                 # 10,000 episodes of scripted, 1,000 of the others: some minutes
python benchmarks/user_audit.py --episodes 500 --others 100 --no-page
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from supermarket_env.run.user_audit import ASSISTANTS, AuditPlan, audit_user
from supermarket_env.user_sim.audit_sheet import Sheet
from supermarket_env.user_sim.registry import make_user

PAGE = Path(__file__).parent.parent / "docs" / "audit.md"
MARK = re.compile(r"(<!-- audit -->\n).*(\n<!-- /audit -->)", re.DOTALL)
USERS = ("scripted", "noisy", "adversarial")


def table(sheets: list[Sheet]) -> str:
    """Return one row a check, one column a user: figure and verdict."""
    lines = [
        "| check | passes when | " + " | ".join(f"`{sheet.user}`" for sheet in sheets) + " |",
        "|---|---|" + "---|" * len(sheets),
        "| episodes | | " + " | ".join(f"{sheet.n_episodes:,}" for sheet in sheets) + " |",
    ]
    for k, check in enumerate(sheets[0].checks):
        cells = []
        for sheet in sheets:
            c = sheet.checks[k]
            cells.append(f"{'n/a' if c.value is None else format(c.value, '.4g')} {c.verdict}")
        lines.append(f"| {check.name} | {check.limit} | " + " | ".join(cells) + " |")
    lines += ["", *(f"- {sheet.verdict()}" for sheet in sheets)]
    return "\n".join(lines)


def main() -> None:
    """Play, print and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=10_000, help="episodes of the scripted user")
    parser.add_argument("--others", type=int, default=1_000, help="episodes of each other user")
    parser.add_argument("--no-page", action="store_true", help="only print")
    given = parser.parse_args()
    sheets = []
    for name in USERS:
        wanted = given.episodes if name == "scripted" else given.others
        plan = AuditPlan(episodes=max(1, wanted // len(ASSISTANTS)), seed=20261130)
        started = time.perf_counter()
        sheet = audit_user(lambda name=name: make_user(name), plan)  # type: ignore[misc]
        print(f"{sheet.verdict()} ({time.perf_counter() - started:.0f} s)", flush=True)
        for check in sheet.checks:
            for example in check.examples if check.verdict == "fail" else ():
                print(f"  {check.name}: {example.episode_id}, turn {example.turn}: {example.what}")
        sheets.append(sheet)
    print(table(sheets))
    if not given.no_page:
        page = PAGE.read_text(encoding="utf-8")
        text = table(sheets).replace("\\", "\\\\")
        PAGE.write_text(MARK.sub(rf"\g<1>\n{text}\n\g<2>", page), encoding="utf-8")
    if sheets[0].failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
