"""``supermarket audit``: can a user model be believed?"""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from supermarket_env.errors import ConfigError

FAILED_EXIT = 1


def audit(
    user: Annotated[
        str,
        typer.Argument(
            help="scripted, noisy, adversarial, llm, replay:FILE, an import path (package.module.Class), "
            "or log:FILE for episodes that were played already."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for audit.json and audit.md.")],
    episodes: Annotated[int, typer.Option(help="Tasks, each played with every assistant.", min=1)] = 40,
    suite: Annotated[str, typer.Option(help="Suite the tasks come from.")] = "dev",
    seed: Annotated[int, typer.Option(help="Seed of the luck.", min=0)] = 0,
    assistants: Annotated[str, typer.Option(help="Comma-separated names.")] = "silent,retrieval,rule,spam,random",
    option: Annotated[list[str] | None, typer.Option(help="KEY=VALUE for the model's constructor.")] = None,
    llm: Annotated[str, typer.Option(help="Endpoints for the user llm: local, openai, ... or a YAML file.")] = "",
) -> None:
    """Audit a user: consistency, leakage, legality, habits, determinism; exit code 1 when a check fails."""
    from supermarket_env.run.user_audit import AuditPlan, audit_log, audit_user
    from supermarket_env.user_sim.registry import make_user

    kind, _, file = user.partition(":")
    options = dict(_option(text) for text in option or ())
    if kind == "log":
        if options:
            raise ConfigError("log:FILE takes no --option: nothing is played")
        sheet = audit_log(file)
    elif user == "terminal":
        raise ConfigError("a person cannot be asked to play all this: supermarket run user=terminal, then log:RUN")
    else:
        if kind == "replay":
            options = {"file": file, **options}
        name = kind if kind == "replay" else user
        make_user(name, options)
        names = tuple(part.strip() for part in assistants.split(",") if part.strip())
        plan = AuditPlan(names, suite, episodes, seed, facts={"options": options} if options else {})
        with _models(llm, out):
            sheet = audit_user(lambda: make_user(name, options), plan, on_episode=_progress())
    out.mkdir(parents=True, exist_ok=True)
    (out / "audit.json").write_text(sheet.to_json(), encoding="utf-8")
    (out / "audit.md").write_text(sheet.to_markdown(), encoding="utf-8")
    width = max(len(check.name) for check in sheet.checks)
    for check in sheet.checks:
        figure = "n/a" if check.value is None else f"{check.value:.4g}"
        print(f"{check.name:<{width}}  {check.verdict:<11}  {figure:>8}  ({check.limit}; {check.n} looked at)")
        if check.verdict == "fail" and check.examples:
            worst = check.examples[0]
            print(f"{'':<{width}}  {worst.episode_id}, turn {worst.turn}: {worst.what}")
    print(f"files in {out}: audit.json  audit.md")
    print(sheet.verdict())
    if sheet.failed:
        raise SystemExit(FAILED_EXIT)


def _models(source: str, folder: Path) -> AbstractContextManager[Any]:
    """Return what lets the user ask a language model meanwhile; its recording stands in the folder."""
    if not source:
        return nullcontext()
    from supermarket_env.llm.config import load_config
    from supermarket_env.llm.runtime import Runtime

    runtime = Runtime(load_config(source), folder)
    runtime.prepare()
    return runtime


def _option(text: str) -> tuple[str, Any]:
    """Read ``KEY=VALUE``; a value that is JSON counts as such, anything else is text."""
    key, equals, value = text.partition("=")
    if not equals or not key.isidentifier():
        raise ConfigError(f"--option expects KEY=VALUE, got {text!r}")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _progress() -> Any:
    """Return what shows a counter on a terminal, else None."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        if done % 20 == 0 or done == total:
            end = "\n" if done == total else "\r"
            print(f"{done} of {total} episodes", end=end, file=sys.stderr, flush=True)

    return show
