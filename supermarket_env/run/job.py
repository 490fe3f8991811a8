"""The main job without its printing: plan, folder, episodes, merge."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from supermarket_env.errors import MissingExtraError
from supermarket_env.llm.runtime import Runtime
from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.run.batch import Player, Report, play_units, worker_count
from supermarket_env.run.build import GamePlayer, RunPlan, build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.folder import RunFolder
from supermarket_env.run.manifest import make_manifest
from supermarket_env.run.reuse import reusable_lines
from supermarket_env.run.scoring import collect_scores, has_scores, hooks_for
from supermarket_env.run.threads import play_threaded

HASH_LENGTH = 8
"""Hex digits of the configuration's hash in the default name of a run directory."""


@dataclass(frozen=True)
class RunResult:
    """A finished run on disk."""

    path: Path
    manifest: dict[str, Any]
    n_episodes: int
    n_played: int
    """Episodes played now; the others were there already."""
    n_infra: int
    """Episodes that ended as ``infra_error`` in this call."""
    n_reused: int = 0
    """Episodes taken over from neighbouring runs in this call."""
    rows: tuple[EpisodeRow, ...] | None = field(default=None, repr=False, compare=False)
    """What the episodes add to the figures, in the order of the log; None where not all were played in this call, or
    scorers had their say since."""


class ProgressListener:
    """Told how a run goes; the base class shows nothing."""

    def started(self, n_total: int, n_done: int) -> None:
        """The episodes are about to be played (called once, when workers run)."""

    def report(self, report: Report) -> None:
        """One more episode is finished."""

    def ended(self) -> None:
        """Nothing more is played (also called on errors)."""


def default_out(config: RunConfig, suite_name: str, base: Path | None = None) -> Path:
    """Return the run directory of a configuration, relative to the working directory.

    Args:
        config: The configuration.
        suite_name: Name of its suite.
        base: Folder of a sweep: its runs lie in it, whatever ``out`` says.
    """
    if config.out is not None and base is None:
        return Path(config.out)
    stem = re.sub(r"[^A-Za-z0-9_.@+-]+", "-", suite_name).strip("-.") or "suite"
    return (Path("runs") if base is None else base) / f"{stem}-{config.content_hash()[:HASH_LENGTH]}"


def run_job(
    plan: RunPlan,
    out: Path,
    *,
    command_line: Sequence[str] = (),
    progress: ProgressListener | None = None,
    make_player: Callable[[], Player] | None = None,
    finish: Callable[[RunFolder, RunResult], None] | None = None,
    reuse: bool = False,
) -> RunResult:
    """Play what is missing of a run and leave one sorted ``episodes.jsonl``.

    Args:
        plan: The checked run.
        out: Its directory; made if absent, resumed if it holds this run.
        command_line: Recorded in the manifest.
        progress: Told how it goes.
        make_player: What plays the units; by default the game itself.
        finish: Called with the folder still locked, to write what is derived from the episodes.
        reuse: Take over finished episodes of the runs beside it. Not with scorers: those watch the episodes end.

    Raises:
        RunFolderError: If the directory belongs to another run or is in use.
        MissingExtraError: If the run needs Ray, which is not installed.
        WorkerError: If a worker process dies.
        KeyboardInterrupt: On Ctrl-C; everything finished so far is kept.
    """
    if plan.config.run.workers == "ray" and not out.exists() and find_spec("ray") is None:
        raise MissingExtraError("run.workers=ray needs Ray: pip install 'supermarket_env[ray]'")
    progress = progress or ProgressListener()
    manifest = make_manifest(plan, command_line)
    expected = [unit.episode_id for unit in plan.units]
    with RunFolder(out, manifest) as folder:
        folder.check_expected(expected)
        n_reused = 0
        if reuse and not plan.config.scorers:
            missing = set(expected) - folder.finished
            n_reused = folder.adopt(reusable_lines(manifest, missing, out)) if missing else 0
        todo = [unit for unit in plan.units if unit.episode_id not in folder.finished]
        n_infra = 0
        rows: dict[str, EpisodeRow] = {}
        if todo or not folder.is_complete(expected):
            n_infra = _play(plan, todo, folder, progress, make_player, rows)
            folder.merge(expected)
        if plan.config.scorers and (todo or not has_scores(out, plan.config.scorers)):
            with _models_for_scorers(plan, folder):
                collect_scores(out, plan.config.scorers, folder.note_timing)
        known = None
        if not plan.config.scorers and rows.keys() == set(expected):
            known = tuple(rows[name] for name in sorted(rows))
        result = RunResult(out, manifest, len(expected), len(todo), n_infra, n_reused, known)
        if finish is not None:
            finish(folder, result)
    return result


def _models_for_scorers(plan: RunPlan, folder: RunFolder) -> AbstractContextManager[Any]:
    """Return what lets scorers ask language models meanwhile."""
    if plan.config.llm is None:
        return nullcontext()
    return Runtime(plan.config.llm, folder.path, note=folder.note_timing)


def _play(
    plan: RunPlan,
    todo: Sequence[Any],
    folder: RunFolder,
    progress: ProgressListener,
    make_player: Callable[[], Player] | None,
    rows: dict[str, EpisodeRow],
) -> int:
    """Play units and put their rows into ``rows``; return how many ended as ``infra_error``."""
    n_infra = 0

    def on_report(report: Report) -> None:
        nonlocal n_infra
        n_infra += report.reason == "infra_error"
        if report.row is not None:
            rows[report.episode_id] = report.row
        folder.note_timing(
            {"episode_id": report.episode_id, "wall_s": round(report.wall_s, 6), "worker": report.worker}
        )
        progress.report(report)

    if plan.config.llm is not None:
        _play_with_models(plan, todo, folder, progress, make_player, on_report)
        return n_infra
    if plan.config.run.workers == "ray":
        _play_on_ray(plan, todo, folder, progress, make_player, on_report)
        return n_infra
    workers = worker_count(plan.config.run.workers, len(todo))
    if make_player is None:
        make_player = PlayerFactory(plan)
        if workers > 1:
            make_player.warm()
    try:
        play_units(
            todo,
            make_player,
            folder,
            workers=workers,
            on_report=on_report,
            on_started=lambda: progress.started(len(plan.units), len(plan.units) - len(todo)),
            make_hooks=hooks_for(plan.config.scorers, folder.path),
        )
    finally:
        progress.ended()
    return n_infra


def _play_with_models(
    plan: RunPlan,
    todo: Sequence[Any],
    folder: RunFolder,
    progress: ProgressListener,
    make_player: Callable[[], Player] | None,
    on_report: Callable[[Report], None],
) -> None:
    """Play units that ask language models: in threads of this process, which share one runtime."""
    assert plan.config.llm is not None
    with Runtime(plan.config.llm, folder.path, note=folder.note_timing) as runtime:
        runtime.prepare()
        progress.started(len(plan.units), len(plan.units) - len(todo))
        try:
            play_threaded(
                todo,
                make_player or (lambda: GamePlayer(plan)),
                folder,
                threads=plan.config.llm.concurrency,
                on_report=on_report,
                make_hooks=hooks_for(plan.config.scorers, folder.path),
                on_stop=runtime.stop,
            )
        finally:
            progress.ended()


def _play_on_ray(
    plan: RunPlan,
    todo: Sequence[Any],
    folder: RunFolder,
    progress: ProgressListener,
    make_player: Callable[[], Player] | None,
    on_report: Callable[[Report], None],
) -> None:
    """Play units on a cluster."""
    from supermarket_env.run.ray_seat import PlanPlayer
    from supermarket_env.run.ray_workers import play_on_ray

    try:
        play_on_ray(
            todo,
            make_player or PlanPlayer(plan),
            folder,
            where=plan.config.run.ray,
            scorers=plan.config.scorers,
            on_report=on_report,
            on_started=lambda: progress.started(len(plan.units), len(plan.units) - len(todo)),
        )
    finally:
        progress.ended()


class PlayerFactory:
    """Makes the player of a process: the parent's own where it was forked, a new one where only the config travels."""

    def __init__(self, plan: RunPlan) -> None:
        self._config = plan.config
        self._player: GamePlayer | None = GamePlayer(plan)

    def warm(self) -> None:
        """Let forked processes inherit what is slow to build."""
        if self._player is not None:
            self._player.warm()

    def __call__(self) -> GamePlayer:
        """Return the player of this process."""
        if self._player is None:
            self._player = GamePlayer(build_plan(self._config))
        return self._player

    def __getstate__(self) -> dict[str, Any]:
        """Send only the configuration to a spawned process; everything else follows from it."""
        return {"_config": self._config, "_player": None}
