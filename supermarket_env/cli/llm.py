"""``supermarket llm``: the local model, and what stands in a recording."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from supermarket_env.errors import ConfigError

app = typer.Typer(help="The local model, endpoints and recordings.", no_args_is_help=True)


@app.command()
def install() -> None:
    """Install engine and weights of the local model; what is there already is left alone."""
    from supermarket_env.llm import local

    done = local.install()
    print("installed " + ", ".join(done) if done else "nothing to do: engine and weights are installed")
    print(f"weights {local.weights_path()}")


@app.command()
def serve(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes a free one.", min=0, max=65535)] = 8089,
    threads: Annotated[int, typer.Option(help="Threads of one answer.", min=1)] = 2,
    slots: Annotated[int, typer.Option(help="Answers at once.", min=1)] = 1,
    context: Annotated[int, typer.Option(help="Tokens of prompt and answer, per slot.", min=512, max=8192)] = 2048,
) -> None:
    """Serve the local model until Ctrl-C."""
    from supermarket_env.llm import local
    from supermarket_env.llm.serve import serve as run_server

    local.check_installed_here()
    run_server(port, threads, slots, context)


@app.command()
def ping(
    source: Annotated[str, typer.Argument(help="A shipped name (local, openai, vllm, ...) or a YAML file.")],
    role: Annotated[str, typer.Option(help="user, assistant or judge")] = "assistant",
) -> None:
    """Ask an endpoint one small question in a set form: does the path work, what does it cost?"""
    from supermarket_env.llm.config import load_config
    from supermarket_env.llm.runtime import Question, Runtime
    from supermarket_env.llm.schema import record

    config = load_config(source).model_copy(update={"mode": "off"})
    messages = [{"role": "user", "content": 'Say hello to a customer. Answer as JSON: {"say": "..."}'}]
    with Runtime(config) as runtime:
        runtime.prepare()
        schema = record({"say": {"type": "string", "maxLength": 80}})
        answer = runtime.ask(Question(role, 0, 0, messages, schema, key="ping"))
    cost = "unknown" if answer.cost is None else f"{answer.cost:.6g}"
    print(f"answer {json.dumps(answer.data or answer.text, ensure_ascii=False)}")
    print(f"fault {answer.fault or 'none'}, tokens {answer.tokens_in} in {answer.tokens_out} out, cost {cost}")
    if answer.fault:
        raise typer.Exit(1)


@app.command()
def show(
    recording: Annotated[Path, typer.Argument(help="llm.sqlite, or the run directory that holds it.")],
    lines: Annotated[bool, typer.Option("--jsonl", help="Print every call as a line of JSON, sorted.")] = False,
) -> None:
    """Say what a recording holds: calls, tokens and cost by role."""
    from supermarket_env.llm.recording import Recording
    from supermarket_env.llm.runtime import RECORDING_FILE

    opened = Recording(recording / RECORDING_FILE if recording.is_dir() else recording, read_only=True)
    calls = list(opened.lines())
    opened.close()
    if lines:
        for call in calls:
            print(json.dumps(call, ensure_ascii=False))
        return
    if not calls:
        raise ConfigError(f"{recording}: holds no calls")
    for role in sorted({call["role"] for call in calls}):
        mine = [call for call in calls if call["role"] == role]
        costs = [call["cost"] for call in mine]
        cost = "unknown" if None in costs else f"{sum(costs):.6g}"
        tokens = [sum(call[name] or 0 for call in mine) for name in ("tokens_in", "tokens_out")]
        repairs = sum(call["place"].endswith("|repair") for call in mine)
        print(f"{role:<10} {len(mine)} calls ({repairs} repairs), tokens {tokens[0]} in {tokens[1]} out, cost {cost}")


@app.command()
def study(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="One run per user, same tasks and assistants.")],
    value: Annotated[str, typer.Option("--value", help="SR, NS, Turn, R@5, or a rated dimension.")] = "NS",
    leave_out: Annotated[str, typer.Option("--leave-out", help="Assistants left out, with commas.")] = "oracle",
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples.", min=100)] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say whether the assistants rank alike under scripted, hybrid and full language-model users."""
    from supermarket_env.report.user_study import compare_users

    values = values_by_user(runs, value)
    found = compare_users(values, leave_out=[name for name in leave_out.split(",") if name], resamples=resamples)
    if as_json:
        print(json.dumps([row._asdict() for row in found]))
        return
    for pair in found:
        tau = "n/a" if pair.tau is None else f"{pair.tau:.2f}"
        bounds = "" if pair.interval is None else f" [{pair.interval.low:.2f}, {pair.interval.high:.2f}]"
        size = f"{len(pair.assistants)} assistants, {pair.n_tasks} tasks"
        print(f"{pair.first} and {pair.second}: tau-b {tau}{bounds}, {size}")


def values_by_user(runs: Sequence[Path], value: str) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Return user -> assistant -> task -> values of its episodes; failures of an endpoint are left out.

    Args:
        runs: Run directories or logs.
        value: SR, NS, Turn or R@5, or a rated dimension, with ``:judge`` for one judge.

    Raises:
        ConfigError: If the value is unknown, or the runs hold fewer than two users.
    """
    from supermarket_env.cli.agreement import FIGURES
    from supermarket_env.errors import unknown_name
    from supermarket_env.events.log import read_log
    from supermarket_env.metrics import rows_of
    from supermarket_env.metrics.judge import judges, rated_dimensions, rating_of

    rows = [(run, row) for run in runs for row in rows_of(read_log([run]).episodes) if not row.infra]
    dimension, _, judge = value.partition(":")
    rated = {what for _, row in rows for _, what, _ in row.ratings}
    if value not in FIGURES and dimension not in rated:
        valid = [*FIGURES, *(name for name in rated_dimensions([row for _, row in rows]) if name in rated)]
        raise ConfigError(unknown_name("value", value, valid))
    if judge and judge not in judges([row for _, row in rows]):
        raise ConfigError(unknown_name("judge", judge, judges([row for _, row in rows])))
    values: dict[str, dict[str, dict[str, list[float]]]] = {}
    for run, row in rows:
        number = FIGURES[value](row) if value in FIGURES else rating_of(row, dimension, judge or None)
        if number is not None:
            by_agent = values.setdefault(row.user or str(run), {})
            by_agent.setdefault(row.agent, {}).setdefault(row.task_id or row.episode_id, []).append(number)
    if len(values) < 2:
        raise ConfigError(f"expected runs of at least two users, got {', '.join(values) or 'none'}")
    return values
