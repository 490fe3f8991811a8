"""The supermarket command: one small module a sub-command.

Only the module of the sub-command in use is imported, so that ``supermarket --help`` is quick. An error raised on
purpose ends the command with its message on standard error and exit code 2; any other error is a bug and keeps its
traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from supermarket_env.errors import RunStop, SupermarketError, nearest


@dataclass(frozen=True, slots=True)
class Entry:
    """One sub-command: a function of a module, or a group of its own (a typer app)."""

    module: str
    attribute: str
    help: str
    is_group: bool = False
    passes_words: bool = False
    """All words after the sub-command are its own affair, options included."""


COMMANDS = {
    "run": Entry("run", "run", "Play assistants against simulated users and measure them.", passes_words=True),
    "metrics": Entry("metrics", "metrics", "Compute every figure from logs or run directories."),
    "score": Entry("score", "score", "Score finished logs: judge, SIE, MME-CRS, grades.", passes_words=True),
    "calibrate": Entry("calibrate", "calibrate", "Calibrate automatic scores to human labels."),
    "judge-check": Entry("judge_check", "judge_check", "Check a judge for bias, stability and blindness."),
    "compare": Entry("compare", "compare", "Compare assistants by task and trial: effects, tests, flips."),
    "trials": Entry("trials", "trials", "Print pass^k and pass@k of repeated trials."),
    "plan": Entry("plan", "plan", "Plan a comparison: tasks needed, differences that can be detected."),
    "collect": Entry("collect", "collect", "Collect many runs as one table."),
    "plot": Entry("plot", "plot", "Draw a picture of finished runs, sweeps or trainings."),
    "report": Entry("report", "report", "Write one HTML file with tables, plots and transcripts."),
    "view": Entry("view", "view", "Print a transcript."),
    "submit": Entry("submit", "submit", "Check and pack a run for the leaderboard."),
    "leaderboard": Entry("leaderboard", "leaderboard", "Rank submissions with their uncertainty."),
    "store": Entry("store", "app", "Draw, check and list stores.", is_group=True),
    "tasks": Entry("tasks", "app", "Check and show suites of tasks.", is_group=True),
    "realism": Entry("realism", "realism", "Compare a user with published facts about shoppers."),
    "audit": Entry("audit", "audit", "Audit a user model: contradictions, leaks, habits, determinism."),
    "agreement": Entry("agreement", "agreement", "Compare how two conditions rank the assistants."),
    "agents": Entry("agents", "agents", "List the shipped assistants."),
    "train": Entry("train", "train", "Train a policy, tune the rule, log a stochastic policy.", passes_words=True),
    "mme": Entry("mme", "app", "Reply scores: fit weights on rated replies, compare with people.", is_group=True),
    "grade": Entry("grade", "grade", "Grade replies correct, partial or bad by the log's truth."),
    "sie": Entry("sie", "app", "Human likeness by a blind panel: build, sheet, score, compare, rotate.", is_group=True),
    "sensitivity": Entry("sensitivity", "sensitivity", "Rank assistants under many user populations."),
    "llm": Entry("llm", "app", "Language models: local server, endpoints, recordings.", is_group=True),
    "version": Entry("version", "version", "Print the version."),
}
"""Every sub-command, in the order of the help page."""

STOPPED_EXIT = 1
USAGE_EXIT = 2
INTERRUPT_EXIT = 130


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        argv: Words after ``supermarket``; those of the process by default.

    Raises:
        SystemExit: Always: code 0, 1 for a stop that can be resumed, 2 for anything wrong in the input, 130 after
            Ctrl-C.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            _dispatch(words)
        finally:
            sys.stdout.flush()
    except SupermarketError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(USAGE_EXIT) from None
    except RunStop as stop:  # a budget, a refusing endpoint, a gap in a recording: wherever a model is asked
        print(f"stopped: {stop}", file=sys.stderr)
        raise SystemExit(STOPPED_EXIT) from None
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise SystemExit(INTERRUPT_EXIT) from None
    except BrokenPipeError:
        # The reader of our output went away (as with `| head`): what is left in the buffer has no place to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    raise SystemExit(0)


def _dispatch(words: list[str]) -> None:
    chosen = next((word for word in words if not word.startswith("-")), None)
    if chosen is not None and chosen not in COMMANDS:
        valid = ", ".join(COMMANDS)
        raise SupermarketError(f"unknown sub-command {chosen!r}; valid: {valid}.{nearest(chosen, COMMANDS)}")
    if chosen is not None and words[0] == chosen and COMMANDS[chosen].passes_words:
        entry = COMMANDS[chosen]
        getattr(import_module(f"{__name__}.{entry.module}"), entry.attribute)(words[1:])
        return
    import typer

    app = typer.Typer(
        help="A supermarket in which shopping assistants help simulated users.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    for name, entry in COMMANDS.items():
        if name != chosen:
            app.command(name, help=entry.help)(_listed_only)
        elif entry.is_group:
            app.add_typer(getattr(import_module(f"{__name__}.{entry.module}"), entry.attribute), name=name)
        else:
            app.command(name, help=entry.help)(getattr(import_module(f"{__name__}.{entry.module}"), entry.attribute))
    app(args=words, prog_name="supermarket")


def _listed_only() -> None:
    """Stand in for the sub-commands that are only listed by this call."""
