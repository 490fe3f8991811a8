"""``supermarket metrics``: every figure of one or more logs."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from supermarket_env.errors import ConfigError, SupermarketError
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import Log, collector_paused, read_log
from supermarket_env.metrics import DEFAULT_HORIZONS, grouped
from supermarket_env.metrics.aggregate import check_horizons
from supermarket_env.metrics.groups import check_group_keys

USAGE_ERROR = 2

_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("NS", "need_satisfaction", ".3f"),
    ("NS uplift", "NS_uplift", "+.3f"),
    ("SR %", "SR", ".1f"),
    ("SR complete %", "SR_complete", ".1f"),
    ("Turn", "Turn", ".2f"),
    ("R@5", "R@5", ".3f"),
    ("NDCG@10", "NDCG@10", ".3f"),
    ("AFR", "AFR", ".3f"),
    ("LNSR", "LNSR", ".3f"),
    ("CGV(3)", "CGV.3", ".3f"),
    ("CGV(End)", "CGV.End", ".3f"),
    ("violations", "hard_violations", ".3f"),
)


def parse_list(text: str) -> list[str]:
    """Split a comma-separated option; empty parts are dropped.

    >>> parse_list("agent, store")
    ['agent', 'store']
    """
    return [part.strip() for part in text.split(",") if part.strip()]


def parse_horizons(text: str) -> tuple[int, ...]:
    """Read ``--horizons``.

    Raises:
        ConfigError: If a part is not a whole number of 0 or more.
    """
    parts = parse_list(text)
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise ConfigError(f"--horizons expects whole numbers like 0,1,2,3,5,10, got {text!r}")
    return check_horizons(int(part) for part in parts)


def metrics_of(
    log: Log,
    by: Iterable[str] = (),
    intervals: bool = False,
    horizons: Iterable[int] = DEFAULT_HORIZONS,
    tolerance: float = 0.0,
) -> dict[str, Any]:
    """Return the output object of a log already read."""
    return grouped(log.episodes, by, horizons=horizons, intervals=intervals, tolerance=tolerance)


def without_repeats(log: Log) -> Log:
    """Return the log with every episode once, however many of its paths hold it.

    Only a repeat of the very same line is dropped, and counted in ``duplicates``: runs of different programs may share
    ids. Of two that are the same the one with more later scores stays.
    """
    kept: dict[str, list[Episode]] = {}
    for episode in log.episodes:
        same_id = kept.setdefault(episode.episode_id, [])
        for place, other in enumerate(same_id):
            if other.data == episode.data:
                if len(episode.values) > len(other.values):
                    same_id[place] = episode
                break
        else:
            same_id.append(episode)
    chosen = {id(episode) for same_id in kept.values() for episode in same_id}
    episodes = [episode for episode in log.episodes if id(episode) in chosen]
    dropped = len(log.episodes) - len(episodes)
    return replace(log, episodes=episodes, duplicates=log.duplicates + dropped) if dropped else log


def encode_metrics(result: Mapping[str, Any]) -> str:
    """Return the output object as the one line of JSON that is printed and stored, line end included."""
    return json.dumps(result, ensure_ascii=False, allow_nan=False) + "\n"


def metrics_json(
    paths: Sequence[str | Path],
    by: Iterable[str] = (),
    intervals: bool = False,
    horizons: Iterable[int] = DEFAULT_HORIZONS,
    lenient: bool = False,
) -> str:
    """Return what ``supermarket metrics PATHS --json`` prints; a run's ``metrics.json`` is written with it.

    Args:
        paths: Log files and run directories.
        by: Group keys, see :func:`supermarket_env.metrics.grouped`.
        intervals: Add 95 % intervals.
        horizons: Offsets of the goal figures.
        lenient: Skip lines that break the contract.

    Raises:
        LogError: If a log breaks its contract.
        ConfigError: If a key or horizon is not valid.
    """
    keys, steps = check_group_keys(by), check_horizons(horizons)
    with collector_paused():
        log = without_repeats(read_log(paths, lenient=lenient))
        return encode_metrics(metrics_of(log, keys, intervals, steps))


def metrics(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Log files or run directories.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    horizons: Annotated[str, typer.Option(help="Offsets of the goal figures.")] = "0,1,2,3,5,10",
    by: Annotated[
        str, typer.Option(help="Group by agent, user, store, stratum, trip, persona:TRAIT (comma-separated).")
    ] = "",
    intervals: Annotated[bool, typer.Option("--intervals", help="Add 95 % intervals.")] = False,
    lenient: Annotated[bool, typer.Option("--lenient", help="Skip and count lines that are not valid.")] = False,
    tolerance: Annotated[
        float, typer.Option(help="Largest difference of numeric navigation parameters that counts as equal (LNSR).")
    ] = 0.0,
    candidates: Annotated[
        bool,
        typer.Option("--candidates", help="Look up the goods of every need in catalogue and store (candidate_bits)."),
    ] = False,
) -> None:
    """Compute every figure of the evaluation from episode logs."""
    try:
        keys, steps = check_group_keys(parse_list(by)), parse_horizons(horizons)
        if not 0 <= tolerance < math.inf:
            raise ConfigError(f"--tolerance: expected a number of 0 or more, got {tolerance!r}")
        with collector_paused():
            log = without_repeats(read_log(paths, lenient=lenient))
            if candidates:
                from supermarket_env.run.candidates import with_candidates

                log = replace(log, episodes=with_candidates(log.episodes))
            result = metrics_of(log, keys, intervals, steps, tolerance)
        text = encode_metrics(result) if as_json else ""
    except SupermarketError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(USAGE_ERROR) from error
    for note in notes(log, lenient=lenient):
        typer.echo(note, err=True)
    agents = sorted({episode.agent for episode in log.episodes})
    if "agent" not in keys and len(agents) > 1:
        typer.echo(f"note: all assistants together ({', '.join(agents)}); --by agent tells them apart", err=True)
    if as_json:
        typer.echo(text, nl=False)
    else:
        print_table(result, keys, privileged_in(paths))


def privileged_in(paths: Iterable[Path]) -> set[str]:
    """Return the assistants that are told the truth, by the manifests beside the logs; none where there is none."""
    found: set[str] = set()
    for path in paths:
        try:
            manifest = json.loads(((path if path.is_dir() else path.parent) / "manifest.json").read_text("utf-8"))
            found.update(map(str, manifest["privileged"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found


def notes(log: Log, *, lenient: bool = False) -> list[str]:
    """Return one sentence for each thing a reader ignored, for people (standard error)."""
    found = []
    if lenient:
        found.append(f"skipped {len(log.skipped)} lines that are not valid")
        found += [f"  {message}" for message in log.skipped[:10]]
    if log.duplicates:
        found.append(f"ignored {log.duplicates} repeated lines: the same episode, counted once")
    if log.torn:
        found.append(f"ignored {log.torn} torn last lines")
    if log.unknown_kinds:
        kinds = ", ".join(f"{name} ({count})" for name, count in sorted(log.unknown_kinds.items()))
        found.append(f"ignored events of unknown kinds: {kinds}")
    if log.unknown_keys:
        names = ", ".join(f"{name} ({count})" for name, count in sorted(log.unknown_keys.items()))
        found.append(f"ignored unknown keys: {names}")
    if log.unmatched_scores:
        found.append(f"ignored {log.unmatched_scores} scores of episodes that are not in the log")
    return found


def look_up(figures: Mapping[str, Any], name: str) -> Any:
    """Return a figure (or interval) by its name, a dot leading into an object; None when it is not there."""
    place: Any = figures
    for step in name.split("."):
        if not isinstance(place, Mapping):
            return None
        place = place.get(step, figures.get("beyond", {}).get(step) if place is figures else None)
    return place


def _cell(figures: Mapping[str, Any], name: str, style: str) -> str:
    value = look_up(figures, name)
    if not isinstance(value, int | float):
        return "n/a"
    text = format(value, style)
    bounds = look_up(figures.get("intervals", {}), name)
    return f"{text}\n[{bounds[0]:{style}}, {bounds[1]:{style}}]" if isinstance(bounds, list) else text


def print_table(result: Mapping[str, Any], keys: Sequence[str], privileged: Collection[str] = ()) -> None:
    """Print the main figures as a table, one line per group; assistants that are told the truth get a star."""
    from rich.console import Console
    from rich.table import Table

    groups = result["groups"] if keys else [result]
    table = Table(title="Figures by group; n/a = undefined" if keys else "Figures; n/a = undefined")
    for key in keys:
        table.add_column(key)
    table.add_column("n", justify="right")
    for title, _, _ in _COLUMNS:
        table.add_column(title, justify="right")
    table.add_column("faults", justify="right")
    for group in groups:
        labels = ["n/a" if group[key] is None else str(group[key]) for key in keys]
        labels = [
            f"{word}*" if key == "agent" and word in privileged else word
            for key, word in zip(keys, labels, strict=True)
        ]
        cells = [_cell(group, name, style) for _, name, style in _COLUMNS]
        faults = sum(group["faults"].values())
        table.add_row(*labels, str(group["n"]), *cells, str(faults))
    console = Console()
    # A pipe has no width: give it room, so that no figure is cut.
    Console(width=None if console.is_terminal else 240).print(table)
