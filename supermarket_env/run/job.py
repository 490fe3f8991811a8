"""The main job without its printing: plan, folder, episodes, merge."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supermarket_env.run.batch import Player, Report, play_units, worker_count
from supermarket_env.run.build import GamePlayer, RunPlan, build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.folder import RunFolder
from supermarket_env.run.manifest import make_manifest
from supermarket_env.run.scoring import collect_scores, has_scores, hooks_for

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


class ProgressListener:
    """Told how a run goes; the base class shows nothing."""

    def started(self, n_total: int, n_done: int) -> None:
        """The episodes are about to be played (called once, when workers run)."""

    def report(self, report: Report) -> None:
        """One more episode is finished."""

    def ended(self) -> None:
        """Nothing more is played (also called on errors)."""


def default_out(config: RunConfig, suite_name: str) -> Path:
    """Return the run directory of a configuration, relative to the working directory."""
    if config.out is not None:
        return Path(config.out)
    stem = re.sub(r"[^A-Za-z0-9_.@+-]+", "-", suite_name).strip("-.") or "suite"
    return Path("runs") / f"{stem}-{config.content_hash()[:HASH_LENGTH]}"


def run_job(
    plan: RunPlan,
    out: Path,
    *,
    command_line: Sequence[str] = (),
    progress: ProgressListener | None = None,
    make_player: Callable[[], Player] | None = None,
    finish: Callable[[RunFolder, RunResult], None] | None = None,
) -> RunResult:
    """Play what is missing of a run and leave one sorted ``episodes.jsonl``.

    Args:
        plan: The checked run.
        out: Its directory; made if absent, resumed if it holds this run.
        command_line: Recorded in the manifest.
        progress: Told how it goes.
        make_player: What plays the units; by default the game itself.
        finish: Called with the folder still locked, to write what is derived from the episodes.

    Raises:
        RunFolderError: If the directory belongs to another run or is in use.
        WorkerError: If a worker process dies.
        KeyboardInterrupt: On Ctrl-C; everything finished so far is kept.
    """
    progress = progress or ProgressListener()
    manifest = make_manifest(plan, command_line)
    expected = [unit.episode_id for unit in plan.units]
    with RunFolder(out, manifest) as folder:
        folder.check_expected(expected)
        todo = [unit for unit in plan.units if unit.episode_id not in folder.finished]
        n_infra = 0
        if todo or not folder.is_complete(expected):
            n_infra = _play(plan, todo, folder, progress, make_player)
            folder.merge(expected)
        if plan.config.scorers and (todo or not has_scores(out, plan.config.scorers)):
            collect_scores(out, plan.config.scorers, folder.note_timing)
        result = RunResult(out, manifest, len(expected), len(todo), n_infra)
        if finish is not None:
            finish(folder, result)
    return result


def _play(
    plan: RunPlan,
    todo: Sequence[Any],
    folder: RunFolder,
    progress: ProgressListener,
    make_player: Callable[[], Player] | None,
) -> int:
    """Play units; return how many ended as ``infra_error``."""
    n_infra = 0

    def on_report(report: Report) -> None:
        nonlocal n_infra
        n_infra += report.reason == "infra_error"
        folder.note_timing(
            {"episode_id": report.episode_id, "wall_s": round(report.wall_s, 6), "worker": report.worker}
        )
        progress.report(report)

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
