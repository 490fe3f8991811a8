"""What the scorers of a run gave: a mean with n and 95 % interval for each assistant, scorer and dimension."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from supermarket_env.events.log import SCORES_FOLDER, read_log
from supermarket_env.metrics.intervals import task_of
from supermarket_env.metrics.judge import DIMENSIONS
from supermarket_env.metrics.row import EpisodeRow, episode_row
from supermarket_env.report.tables import UNDEFINED
from supermarket_env.stats.spans import mean_span, share_span

RESAMPLES: Final = 2000

SCALES: Final[Mapping[str, tuple[float, float]]] = {
    "va": (1.0, 5.0),
    "sie": (1.0, 5.0),
    "mme": (0.0, 1.0),
    "grade": (0.0, 1.0),
}
"""Ends of the scores whose names begin so; bare dimensions go from 1 to 5, scores of other scorers have no ends."""

WIDE: Final = 6
"""Dimensions beside each other in a terminal of 90 columns."""

NOTE: Final = "Means over trips, each trip once; n: trips with a score; brackets: 95 % intervals over tasks"


@dataclass(frozen=True, slots=True)
class ScoreFigure:
    """The mean of one dimension of one scorer for one assistant."""

    agent: str
    impl: str
    """Who scored: ``<scorer>@<version>``."""
    dim: str
    unit: str
    """``1..5``, ``0..1``, ``share`` of yes among yes and no, or ``score`` where the ends are not known."""
    value: float | None
    low: float | None
    high: float | None
    n: int
    """Trips with a score."""
    reason: str = ""
    """Why there is none, where no trip has one."""

    @property
    def name(self) -> str:
        """The dimension without the prefix of its scorer."""
        return self.dim.rpartition(".")[2]


def read_score_figures(run: Path, metrics: Mapping[str, Any], agents: Sequence[str] = ()) -> tuple[ScoreFigure, ...]:
    """Return the means of everything that was scored in a run: its scores files, and ratings in the log itself.

    Args:
        run: Run directory.
        metrics: Content of its ``metrics.json``.
        agents: Order of the assistants.

    Returns:
        Figures by scorer, assistant and dimension, in the order of the dimensions; empty without scores. Scores of
        single turns are left out: they are in the scores files.

    Raises:
        LogError: If the log breaks the contract.
    """
    groups = metrics.get("groups") or [metrics]
    if not (run / SCORES_FOLDER).is_dir() and not any(group.get("judge_by") for group in groups):
        return ()
    rows = [(episode_row(episode), episode.values) for episode in read_log([run]).episodes]
    return score_figures(rows, agents)


def score_figures(
    rows: Iterable[tuple[EpisodeRow, Mapping[str, Any]]], agents: Sequence[str] = ()
) -> tuple[ScoreFigure, ...]:
    """Return the means from rows with the values of their scorers; simulator failures are left out."""
    found: dict[tuple[str, str], dict[str, list[tuple[EpisodeRow, list[float]]]]] = {}
    reasons: dict[tuple[str, str, str], str] = {}
    kinds: dict[str, bool] = {}
    for row, values in rows:
        if row.infra:
            continue
        for impl, dim, value, reason in _scores(row, values):
            dims = found.setdefault((impl, row.agent), {}).setdefault(dim, [])
            if value is None:
                reasons.setdefault((impl, row.agent, dim), reason)
                continue
            kinds[dim] = kinds.get(dim, True) and isinstance(value, bool)
            if not dims or dims[-1][0] is not row:
                dims.append((row, []))
            dims[-1][1].append(float(value))
    place = {name: number for number, name in enumerate(agents)}
    order = sorted(found, key=lambda key: (key[0], place.get(key[1], len(place)), key[1]))
    return tuple(
        _figure(impl, agent, dim, scores, share=kinds.get(dim, False), reason=reasons.get((impl, agent, dim), ""))
        for impl, agent in order
        for dim, scores in found[impl, agent].items()
    )


def _scores(row: EpisodeRow, values: Mapping[str, Any]) -> Iterator[tuple[str, str, float | None, str]]:
    """Yield scorer, dimension, value and the reason for none, of whole trips."""
    for impl, sheet in values.items():
        for score in (sheet or {}).get("scores") or ():
            value = score.get("value")
            if score.get("turn") is None and not isinstance(value, str):
                yield impl, str(score["dim"]), value, str(score.get("reason", ""))
    for judge, dim, rating in row.ratings:
        if judge not in values:
            yield judge, dim, rating, "no rating" if rating is None else ""


def _figure(
    impl: str, agent: str, dim: str, scores: Sequence[tuple[EpisodeRow, list[float]]], *, share: bool, reason: str
) -> ScoreFigure:
    ends = (0.0, 1.0) if share else (1.0, 5.0) if dim in DIMENSIONS else SCALES.get(dim.partition(".")[0])
    unit = "share" if share else "score" if ends is None else f"{ends[0]:g}..{ends[1]:g}"
    if not scores:
        return ScoreFigure(agent, impl, dim, unit, None, None, None, 0, reason)
    trips = [(row, math.fsum(values) / len(values)) for row, values in scores]
    tasks: dict[tuple[str, ...], list[float]] = {}
    for row, value in trips:
        tasks.setdefault(task_of(row), []).append(value)
    means = [math.fsum(values) / len(values) for values in tasks.values()]
    names = list(tasks)
    if share:
        span = share_span(means, tasks=names, resamples=RESAMPLES)
    else:
        span = mean_span(means, ends=ends, tasks=names, resamples=RESAMPLES)
    low, high = (None, None) if span is None else span
    return ScoreFigure(agent, impl, dim, unit, math.fsum(v for _, v in trips) / len(trips), low, high, len(trips))


def score_tables(figures: Sequence[ScoreFigure], privileged: Collection[str] = ()) -> list[Table]:
    """Return narrow tables, an assistant a row: one for each scorer, or several where it has many dimensions."""
    tables = []
    for impl in dict.fromkeys(figure.impl for figure in figures):
        mine = {(figure.agent, figure.dim): figure for figure in figures if figure.impl == impl}
        shown = _scored(list(mine.values()))
        parts = math.ceil(len(shown) / WIDE)
        for part in range(parts):
            dims = shown[part * len(shown) // parts : (part + 1) * len(shown) // parts]
            tables.append(_score_table(f"scores of {impl}", mine, dims, privileged))
    return tables


def _score_table(
    title: str, figures: Mapping[tuple[str, str], ScoreFigure], dims: Sequence[str], privileged: Collection[str]
) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1),
                  min_width=len(title) + 2)  # fmt: skip
    table.add_column("assistant\nn = trips", no_wrap=True)
    for dim in dims:
        example = next(figure for figure in figures.values() if figure.dim == dim)
        table.add_column(f"{_broken(example.name)}\n{example.unit}", justify="right", no_wrap=True)
    for agent in dict.fromkeys(agent for agent, _ in figures):
        found = [figures.get((agent, dim)) for dim in dims]
        most = max((figure.n for figure in found if figure is not None), default=0)
        name = f"{agent}*" if agent in privileged else agent
        table.add_row(f"{name}\n[dim]{most}[/dim]", *(_terminal(figure, most) for figure in found))
    return table


def _scored(figures: Sequence[ScoreFigure]) -> list[str]:
    """Return the dimensions in which anybody has a score, in their order."""
    return list(dict.fromkeys(figure.dim for figure in figures if figure.n))


def _broken(name: str) -> str:
    """Return a long name in two lines."""
    if len(name) <= 11:
        return name
    if "_" in name:
        first, *rest = name.replace("user_satisfaction_weighted", "weighted_satisfaction").split("_")
        return first + "\n" + "_".join(rest)
    return f"{name[:8]}-\n{name[8:]}"


def _terminal(figure: ScoreFigure | None, most: int) -> str:
    """Return a mean with its interval, and with its n where that is not the one of the row."""
    if figure is None or figure.value is None:
        return UNDEFINED
    span = "" if figure.low is None or figure.high is None else f"\n[dim]{figure.low:.2f}..{figure.high:.2f}[/dim]"
    return f"{figure.value:.2f}{span}" + ("" if figure.n == most else f"\n[dim]n = {figure.n}[/dim]")


def score_notes(figures: Sequence[ScoreFigure]) -> list[str]:
    """Return the lines below the tables: what means and n are of, and which dimensions nobody has, with the reason."""
    lines = [NOTE] if any(figure.n for figure in figures) else []
    for impl in dict.fromkeys(figure.impl for figure in figures):
        mine = [figure for figure in figures if figure.impl == impl]
        shown = set(_scored(mine))
        missing: dict[str, list[str]] = {}
        for figure in mine:
            if figure.dim not in shown and figure.name not in missing.setdefault(figure.reason or "no score", []):
                missing[figure.reason or "no score"].append(figure.name)
        lines += [f"{impl}: {', '.join(names)} {UNDEFINED}: {reason}" for reason, names in missing.items()]
    return lines


def score_cells(figures: Sequence[ScoreFigure], privileged: Collection[str] = ()) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of one long table: a row for each scorer, assistant and dimension with a score."""
    head = ["scorer", "assistant", "dimension", "unit", "mean [95 %]", "n"]
    rows = []
    for figure in figures:
        if figure.value is None:
            continue
        span = "" if figure.low is None or figure.high is None else f" [{figure.low:.2f}, {figure.high:.2f}]"
        agent = f"{figure.agent}*" if figure.agent in privileged else figure.agent
        rows.append([figure.impl, agent, figure.dim, figure.unit, f"{figure.value:.2f}{span}", str(figure.n)])
    return head, rows


def markdown_scores(figures: Sequence[ScoreFigure], privileged: Collection[str] = ()) -> str:
    """Return the long table in Markdown with its notes; empty without scores."""
    if not figures:
        return ""
    head, rows = score_cells(figures, privileged)
    lines = ["| " + " | ".join(head) + " |", "|---|---|---|---|---:|---:|"] if rows else []
    lines += ["| " + " | ".join(cell.replace("*", "\\*") for cell in row) + " |" for row in rows]
    return "\n".join([*lines, "", *(f"- {note}" for note in score_notes(figures))]).strip() + "\n"


def score_columns(figures: Sequence[ScoreFigure]) -> dict[str, dict[str, float | int | None]]:
    """Return for each assistant the columns of ``summary.csv``: ``scorer:dimension``, with ends and n."""
    names = dict.fromkeys(f"{figure.impl}:{figure.dim}" for figure in figures)
    empty = {f"{name}{end}": None for name in names for end in ("", "_low", "_high", "_n")}
    result: dict[str, dict[str, float | int | None]] = {}
    for figure in figures:
        row = result.setdefault(figure.agent, dict(empty))
        name = f"{figure.impl}:{figure.dim}"
        row |= {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high, f"{name}_n": figure.n}
    return result
