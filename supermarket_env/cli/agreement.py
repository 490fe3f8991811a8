"""``supermarket agreement``: whether two evaluation conditions rank the assistants alike."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from supermarket_env.errors import ConfigError, unknown_name

if TYPE_CHECKING:
    from supermarket_env.events.episode import Episode
    from supermarket_env.metrics import EpisodeRow

FIGURES: Final[Mapping[str, Callable[[EpisodeRow], float | None]]] = {
    "SR": lambda row: float(row.success),
    "NS": lambda row: row.truth.need_satisfaction,
    "Turn": lambda row: float(row.turns),
    "R@5": lambda row: row.ranking.recall if row.success else 0.0,
}
"""Figures of one episode by which assistants can be compared; any other name is a rated or scored dimension."""

PROBES: Final = frozenset(
    {
        "silent",
        "random",
        "spam",
        "checkout_pusher",
        "rule_no_questions",
        "pager",
        "guide_only",
        "one_item",
        "always_move",
        "near_goal",
        "repeat_until_yes",
        "re_recommender",
        "flatterer",
    }
)
"""Shipped assistants that only probe the figures; with privileged ones they widen the range of any comparison."""


def agreement(
    first: Annotated[Path, typer.Argument(metavar="A", help="Run directory or log file of one condition.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="The same for the other; may be the same path.")],
    value: Annotated[
        str,
        typer.Option(
            "--value", help="SR, NS, Turn, R@5, or a dimension: naturalness, naturalness:JUDGE, mme.composite."
        ),
    ] = "NS",
    value_b: Annotated[str, typer.Option("--value-b", help="Value in condition B, if another.")] = "",
    leave_out: Annotated[
        str, typer.Option("--leave-out", help="Assistants left out of the second result, besides probes.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Correlate assistant means between two conditions, with and without probes and privileged assistants."""
    from supermarket_env.agents.registry import AGENTS
    from supermarket_env.stats import compare_conditions

    x, y = values_by_agent(first, value), values_by_agent(second, value_b or value)
    privileged = {name for name, spec in AGENTS.items() if spec.privileged}
    out = PROBES | privileged | {name for name in leave_out.split(",") if name}
    found = {"all": compare_conditions(x, y), "without_probes_and_privileged": compare_conditions(x, y, leave_out=out)}
    if as_json:
        print(json.dumps({name: row._asdict() for name, row in found.items()}))
        return
    for name, row in found.items():
        print(f"{name.replace('_', ' ')}: {row.n} assistants{', too few to say much' if row.few else ''}")
        print(f"  Pearson  {_shown(row.pearson)} {_bounds(row.pearson_interval)} p {_shown(row.p_pearson)}")
        print(f"  Spearman {_shown(row.spearman)} {_bounds(row.spearman_interval)} p {_shown(row.p_spearman)}")
        if row.dropped:
            print(f"  without a mean in both: {', '.join(row.dropped)}")
        if row.left_out:
            print(f"  left out: {', '.join(row.left_out)}")


def values_by_agent(path: Path, value: str) -> dict[str, list[float]]:
    """Return each assistant's values, one an episode; infrastructure failures and missing values left out.

    Args:
        path: Run directory or log file.
        value: A name of :data:`FIGURES`, or a dimension that was rated or scored (``naturalness``,
            ``mme.composite``), with ``:label`` for one judge or scorer; else the mean of all that have it.

    Raises:
        ConfigError: If no episode has such a value; the message names the valid ones.
    """
    from supermarket_env.events.log import read_log
    from supermarket_env.metrics import rows_of
    from supermarket_env.metrics.judge import judges, rated_dimensions, rating_of

    episodes = [episode for episode in read_log(path).episodes if episode.reason != "infra_error"]
    rows = rows_of(episodes)
    dimension, _, label = value.partition(":")
    rated = {what for row in rows for _, what, _ in row.ratings}
    scored: dict[str, list[str]] = {}
    for episode in episodes:
        for name, dimensions in _scored(episode).items():
            for what in dimensions:
                if name not in scored.setdefault(what, []):
                    scored[what].append(name)
    if value not in FIGURES and dimension not in rated | scored.keys():
        valid = [*FIGURES, *(name for name in rated_dimensions(rows) if name in rated), *sorted(scored.keys() - rated)]
        raise ConfigError(f"{path}: {unknown_name('value', value, valid)}")
    known = judges(rows) if dimension in rated else sorted(scored.get(dimension, ()))
    if label and label not in known:
        raise ConfigError(f"{path}: {unknown_name('judge', label, known)}")
    found: dict[str, list[float]] = {}
    for episode, row in zip(episodes, rows, strict=True):
        if value in FIGURES:
            number = FIGURES[value](row)
        elif dimension in rated:
            number = rating_of(row, dimension, label or None)
        else:
            of_episode = _scored(episode)
            numbers = [of_episode[name][dimension] for name in of_episode if dimension in of_episode[name]]
            one = of_episode.get(label, {}).get(dimension)
            number = one if label else math.fsum(numbers) / len(numbers) if numbers else None
        values = found.setdefault(row.agent, [])
        if number is not None:
            values.append(number)
    return found


def _scored(episode: Episode) -> dict[str, dict[str, float]]:
    """Return the numbers an episode's scorers gave: label -> dimension -> number, unscored and words left out."""
    from supermarket_env.scorers.sheets import value_in, values_of

    found: dict[str, dict[str, float]] = {}
    for label in sorted(episode.values):
        values = values_of(episode, label)
        names = dict.fromkeys(str(score.get("dim")) for score in values.get("scores") or ())
        found[label] = {name: number for name in names if (number := value_in(values, name)) is not None}
    return found


def _shown(number: float | None) -> str:
    return "n/a" if number is None else f"{number:.4f}"


def _bounds(interval: Any) -> str:
    return "" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"
