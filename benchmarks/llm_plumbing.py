"""The tables of docs/llm.md made with the small local model: rankings under three users, audit, check of the judge.

    python -P benchmarks/llm_plumbing.py                  # from the recordings in tests/data/llm_local, offline
    python -P benchmarks/llm_plumbing.py --record FOLDER  # asks the local model (half an hour); FOLDER may be continued

It shows that the way from the question to the table works, with a model that is no shopper and no judge: nothing here
is a finding about users, assistants or judges.
"""

from __future__ import annotations

import argparse
import lzma
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supermarket_env.cli.judge_check import as_text, run_checks
from supermarket_env.cli.llm import values_by_user
from supermarket_env.llm.config import LLMConfig, load_config
from supermarket_env.llm.runtime import Runtime
from supermarket_env.report.user_study import compare_users
from supermarket_env.run.build import build_plan
from supermarket_env.run.compose import compose_run, read_arguments
from supermarket_env.run.job import run_job
from supermarket_env.run.user_audit import AuditPlan, audit_user
from supermarket_env.user_sim.registry import make_user

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data" / "llm_local"
DOC = ROOT / "docs" / "llm.md"
PARTS = ("users", "audit", "judge")
USERS = ("scripted", "llm_hybrid", "llm")
ASSISTANTS = ("silent", "popularity", "retrieval", "rule")
EPISODES, TURNS = 3, 4
VALUE = "informativeness"
"""Trips this short buy nothing: what the judge of rules says of the replies is the only figure that differs."""
MARKS = (
    "<!-- plumbing: begin (python benchmarks/llm_plumbing.py writes this part) -->",
    "<!-- plumbing: end -->",
)


def models(part: str, record: Path | None, port: int) -> LLMConfig:
    """Return the local model with the recording of a part: to be added to, or only to be read."""
    data = load_config("local").model_dump()
    data["default"]["base_url"] = f"http://127.0.0.1:{port}/v1"
    data["local"]["port"] = port
    packed = str(DATA / f"{part}.sqlite.xz")
    data |= {"recording": packed, "mode": "replay"} if record is None else {"recording": str(record / f"{part}.sqlite")}
    return LLMConfig.model_validate(data)


def play(user: str, config: LLMConfig, out: Path) -> Path:
    """Play every assistant with a user; return the run directory."""
    words = [f"user={user}", f"agents=[{','.join(ASSISTANTS)}]", f"suite.episodes={EPISODES}"]
    words += [
        "scorers=[judge]",
        f"limits.max_turns={TURNS}",
        "limits.reply_timeout_s=null",
        "run.workers=1",
        "run.compiled=false",
    ]
    composed = compose_run(read_arguments(words))
    if user != "scripted":
        composed = composed.model_copy(update={"llm": config})
    run_job(build_plan(composed), out / user)
    return out / user


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def users_text(runs: Sequence[Path]) -> str:
    """Return the mean of the value by assistant and user, and how far the orders agree."""
    values = values_by_user(runs, VALUE)
    rows = []
    for name in ASSISTANTS:
        numbers = [[x for found in values[user][name].values() for x in found] for user in values]
        rows.append([f"`{name}`", *(f"{math.fsum(found) / len(found):.3f}" for found in numbers)])
    pairs = []
    for pair in compare_users(values):
        tau = "undefined" if pair.tau is None else f"{pair.tau:.2f}"
        bounds = "" if pair.interval is None else f" [{pair.interval.low:.2f}, {pair.interval.high:.2f}]"
        pairs.append([f"{pair.first} and {pair.second}", f"{tau}{bounds}", str(pair.n_tasks)])
    means = table([VALUE, *values], rows)
    return f"{means}\n\n{table(['users', 'Kendall tau-b [95 %]', 'tasks'], pairs)}"


def audit_text(config: LLMConfig) -> str:
    """Return the audit of the full user."""
    with Runtime(config) as runtime:
        runtime.prepare()
        sheet = audit_user(lambda: make_user("llm", {"mode": "full"}), AuditPlan(("rule",), "dev", 1))
    rows = [
        [check.name, check.verdict, "" if check.value is None else f"{check.value:.3g}", check.limit, str(check.n)]
        for check in sheet.checks
    ]
    return table(["check", "verdict", "figure", "must be", "looked at"], rows)


def judge_text(run: Path, config: LLMConfig) -> str:
    """Return the check of the model as judge."""
    with Runtime(config) as runtime:
        runtime.prepare()
        result: dict[str, Any] = run_checks(
            [run], "llm", "llm", None, ["rule"], per_fault=1, n_episodes=1, n_pairs=1, samples=1
        )
    return f"```\n{as_text(result)}\n```"


def main() -> None:
    """Make the tables and write them into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", type=Path, help="ask the model; the recordings grow here")
    parser.add_argument("--port", type=int, default=8089, help="of the local server")
    parser.add_argument("--dry", action="store_true", help="print only")
    words = parser.parse_args()
    config = {part: models(part, words.record, words.port) for part in PARTS}
    with tempfile.TemporaryDirectory() as folder:
        runs = [play(user, config["users"], Path(folder)) for user in USERS]
        parts = [
            f"{EPISODES} tasks, {TURNS} turns at most, `{VALUE}` as the judge of rules rates it; the model of the "
            "users `llm_hybrid` and `llm` is `smollm2-135m`.",
            users_text(runs),
            "`supermarket audit llm` over one task with `rule`:",
            audit_text(config["audit"]),
            "`supermarket judge-check --backend llm` over the trips with `rule`, one pair a fault, one answer each:",
            judge_text(runs[0], config["judge"]),
        ]
    text = "\n\n".join(parts)
    print(text)
    if words.record is not None:
        for part in PARTS:
            packed = lzma.compress((words.record / f"{part}.sqlite").read_bytes(), preset=9 | lzma.PRESET_EXTREME)
            (DATA / f"{part}.sqlite.xz").write_bytes(packed)
    if not words.dry:
        page = DOC.read_text(encoding="utf-8")
        before, rest = page.split(MARKS[0])
        DOC.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.split(MARKS[1])[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
