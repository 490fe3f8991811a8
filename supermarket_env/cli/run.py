"""``supermarket run``: the main job.

All words after ``run`` are Hydra's: overrides, ``-m`` for several jobs, ``--cfg``, ``--info``, ``--config-dir``.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supermarket_env.errors import RunStop
from supermarket_env.run.batch import Report, WorkerError
from supermarket_env.run.compose import CONFIG_NAME, Invocation, compose_run, read_arguments
from supermarket_env.run.config import RunConfig
from supermarket_env.run.job import ProgressListener, RunResult, default_out, run_job

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from supermarket_env.run.folder import RunFolder

PLOT_FILE = "sr_vs_turn.png"


def run(words: Sequence[str]) -> None:
    """Play assistants against simulated users and measure them.

    Args:
        words: Everything after ``supermarket run``.

    Raises:
        SupermarketError: For anything wrong in the configuration or its files, before the first episode.
        SystemExit: After an interrupted or failed run.
    """
    invocation = read_arguments(words)
    if invocation.inspects:
        if not invocation.multirun and "--help" not in words:
            compose_run(invocation)
        hand_to_hydra(invocation, lambda config: None)
    elif invocation.multirun:
        from supermarket_env.cli.sweep import run_sweep

        run_sweep(invocation, words)
    else:
        play(compose_run(invocation), words)


def hand_to_hydra(invocation: Invocation, act: Callable[[RunConfig], None]) -> None:
    """Let Hydra do what only it does: print its configuration, or launch the jobs of a multirun."""
    import hydra
    from omegaconf import DictConfig, OmegaConf

    def job(composed: DictConfig) -> None:
        data: Any = OmegaConf.to_container(composed, resolve=True)
        act(RunConfig.parse(data))

    before = sys.argv
    sys.argv = ["supermarket run", *invocation.argv]
    try:
        hydra.main(version_base="1.3", config_path="pkg://supermarket_env.conf", config_name=CONFIG_NAME)(job)()
    finally:
        sys.argv = before


def play(config: RunConfig, words: Sequence[str], *, base: Path | None = None, reuse: bool = False) -> None:
    """Play one run, write what is derived from it, print where things are and the table.

    Args:
        config: The run.
        words: Everything after ``supermarket run``, for the manifest.
        base: Folder of the sweep the run belongs to.
        reuse: What ``run.reuse=auto`` means here.

    Raises:
        SupermarketError: For anything wrong before the first episode.
        SystemExit: 130 after Ctrl-C, 1 if a worker died or every episode failed in the simulator.
    """
    from supermarket_env.run.build import build_plan

    plan = build_plan(config)
    out = default_out(config, plan.suite.name, base)
    reuse = reuse if config.run.reuse == "auto" else bool(config.run.reuse)
    if config.run.dry_run:
        from supermarket_env.cli.dry_run import print_plan

        print_plan(plan, out, reuse=reuse)
        return
    try:
        result = run_job(
            plan,
            out,
            command_line=["supermarket", "run", *words],
            progress=_listener(config),
            finish=write_results,
            reuse=reuse,
        )
    except KeyboardInterrupt:
        print(f"interrupted; finished episodes are kept in {out}, the same command resumes", file=sys.stderr)
        raise SystemExit(130) from None
    except RunStop as stop:
        print(f"stopped: {stop}", file=sys.stderr)
        print(f"finished episodes are kept in {out}; nothing that was answered is asked again", file=sys.stderr)
        raise SystemExit(1) from None
    except WorkerError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    except OSError as error:  # a full disk, a folder taken away: no mistake in the input, and no bug of ours
        reason = error.strerror or error
        print(f"error: {out}: {reason}; finished episodes are kept, the same command resumes", file=sys.stderr)
        raise SystemExit(1) from None
    _print_result(result)
    if result.n_infra and result.n_infra == result.n_episodes:
        raise SystemExit(1)


def write_results(folder: RunFolder, result: RunResult) -> None:
    """Write metrics.json, summary.csv and the plot of a run whose episodes are merged."""
    from supermarket_env.cli.metrics import encode_metrics, metrics_json
    from supermarket_env.cli.plot import draw
    from supermarket_env.metrics.groups import grouped_rows
    from supermarket_env.report.scores import read_score_figures, score_columns
    from supermarket_env.report.tables import csv_table

    names = {"metrics.json", "summary.csv", PLOT_FILE}
    if not (result.n_played or result.n_reused) and all((folder.path / name).is_file() for name in names):
        return
    if result.rows is None:
        text = metrics_json([folder.path], by=("agent",), intervals=True)
    else:  # the same figures to the bit, without reading what was just written
        text = encode_metrics(grouped_rows(result.rows, ("agent",), intervals=True))
    folder.write("metrics.json", text)
    metrics = json.loads(text)
    order, privileged = result.manifest["agents"], result.manifest["privileged"]
    scores = score_columns(read_score_figures(folder.path, metrics, order))
    folder.write("summary.csv", csv_table(metrics, agents=order, privileged=privileged, scores=scores))
    draw("sr_vs_turn", metrics, result.manifest, folder.path / PLOT_FILE)


def _print_result(result: RunResult) -> None:
    from rich.console import Console

    from supermarket_env.report.results import read_results
    from supermarket_env.report.scores import score_notes, score_tables
    from supermarket_env.report.tables import MIN_WIDTH, groups_of, notes, terminal_tables
    from supermarket_env.run.manifest import describe_world

    finished = read_results(result.path, check_log=False)
    metrics, manifest = finished.metrics, finished.manifest
    console = Console(highlight=False)
    if console.width < MIN_WIDTH or not console.is_terminal:
        console = Console(highlight=False, width=MIN_WIDTH)
    known = result.n_episodes - result.n_played - result.n_reused
    done = f"{result.n_played} episodes played" + (f", {known} were there already" if known else "")
    done += f", {result.n_reused} taken over from runs beside it" if result.n_reused else ""
    if not result.n_played and not result.n_reused:
        done = f"finished before: all {known} episodes were there"
    print(f"{done}; files in {shlex.quote(str(result.path))}:")
    print(f"  episodes.jsonl  metrics.json  summary.csv  {PLOT_FILE}  manifest.json  timings.jsonl\n")
    title = f"{describe_world(manifest)} ({manifest['comparability']}), 95 % intervals"
    order, privileged = manifest["agents"], manifest["privileged"]
    print(title + "\n")
    for table in terminal_tables(metrics, agents=order, privileged=privileged):
        console.print(table)
    for table in score_tables(finished.scores, privileged):
        console.print(table)
    for note in [*notes(groups_of(metrics), privileged), *score_notes(finished.scores)]:
        print(note)
    if result.manifest["config"]["scorers"]:
        print("scores, each with its explanation, are in scores/; docs/scoring.md tells how to read them")


def _listener(config: RunConfig) -> ProgressListener:
    return ProgressBar() if config.run.progress and sys.stderr.isatty() else ProgressListener()


class ProgressBar(ProgressListener):
    """A bar on standard error."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def started(self, n_total: int, n_done: int) -> None:
        """Show the bar."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("episodes"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("episodes", total=n_total, completed=n_done)
        self._bar.start()

    def report(self, report: Report) -> None:
        """Move the bar on."""
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task)

    def ended(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
