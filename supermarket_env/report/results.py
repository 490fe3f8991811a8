"""Finished runs as pictures and pages read them: metrics.json and manifest.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supermarket_env.report.finished import read_finished
from supermarket_env.run.config import flatten
from supermarket_env.run.manifest import describe_world

if TYPE_CHECKING:
    from supermarket_env.report.scores import ScoreFigure


@dataclass(frozen=True)
class Results:
    """One finished run."""

    path: Path
    metrics: Mapping[str, Any] = field(repr=False)
    manifest: Mapping[str, Any] = field(repr=False)

    @property
    def agents(self) -> tuple[str, ...]:
        """The assistants in their order."""
        return tuple(self.manifest["agents"])

    @property
    def privileged(self) -> tuple[str, ...]:
        """Those that are told the truth."""
        return tuple(self.manifest.get("privileged", ()))

    @cached_property
    def scores(self) -> tuple[ScoreFigure, ...]:
        """What its scorers gave, means over trips; read from its log when asked for first."""
        from supermarket_env.report.scores import read_score_figures

        return read_score_figures(self.path, self.metrics, self.agents)

    def label(self, agent: str) -> str:
        """Return an assistant's name, a star added if it is told the truth."""
        return f"{agent}*" if agent in self.privileged else agent

    @property
    def title(self) -> str:
        """What was run on what."""
        return f"{describe_world(self.manifest)} ({self.manifest.get('comparability', 'unknown version')})"


def read_results(run: Path, *, check_log: bool = True) -> Results:
    """Read a finished run.

    Args:
        run: The run directory.
        check_log: Hold figures and manifest against the log beside them. Off for who has just written it.

    Raises:
        RunFolderError: If there is none, or what is there is damaged or not of its log.
    """
    metrics, manifest = read_finished(run, check_log=check_log)
    return Results(run, metrics, manifest)


def panel_titles(runs: Sequence[Results]) -> list[str]:
    """Return what tells runs apart: the configuration keys in which they differ, else the directory."""
    if len(runs) == 1:
        return [runs[0].title]
    flat = [flatten(run.manifest["config"]) for run in runs]
    keys = [key for key in dict.fromkeys(key for config in flat for key in config)
            if key != "out" and not key.startswith("run.") and len({repr(c.get(key)) for c in flat}) > 1]  # fmt: skip
    titles = [
        ", ".join(f"{key.removesuffix('.name').rpartition('.')[2]} {_word(config.get(key))}" for key in keys)
        for config in flat
    ]
    if not keys or len(set(titles)) < len(titles):
        names = [run.path.name for run in runs]
        return names if len(set(names)) == len(names) else [str(run.path) for run in runs]
    return titles


def _word(value: Any) -> str:
    if isinstance(value, list) and len(value) > 3:
        return f"({len(value)})"
    if isinstance(value, list):
        return "+".join(str(item.get("name") if isinstance(item, Mapping) else item) for item in value)
    return str(value)
