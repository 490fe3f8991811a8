"""One tidy table of many runs: a row for each assistant of each run, every key of the configuration a column."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError, MissingExtraError, RunFolderError
from supermarket_env.events.log import decode_line
from supermarket_env.report.tables import COLUMNS, figure, groups_of, interval
from supermarket_env.run.config import flatten

MANIFEST: Final = "manifest.json"
METRICS: Final = "metrics.json"
FORMATS: Final = (".csv", ".parquet")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Collection:
    """What was found under a folder."""

    rows: tuple[Row, ...]
    """One mapping an assistant of a run; keys in the order of the columns."""
    n_runs: int
    unfinished: tuple[Path, ...]
    """Run directories without results."""


def find_runs(folder: Path) -> list[Path]:
    """Return the run directories at or below a folder, sorted; nothing is looked for inside a run.

    Raises:
        RunFolderError: If the folder does not exist.
    """
    if not folder.is_dir():
        raise RunFolderError(f"{folder}: expected a folder with runs")
    return sorted(_find(folder))


def _find(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        if MANIFEST in files:
            folders.clear()
            yield Path(place)


def collect_runs(folders: Sequence[Path], *, everything: bool = False) -> Collection:
    """Collect all finished runs below some folders.

    Args:
        folders: Sweep folders or run directories.
        everything: Add every single figure, not only those of the main table.

    Raises:
        RunFolderError: If a folder does not exist, holds no run, or a run's files are damaged.
    """
    runs = sorted({run for folder in folders for run in find_runs(folder)})
    if not runs:
        raise RunFolderError(f"{', '.join(map(str, folders))}: no run directory (no {MANIFEST}) in it")
    rows: list[Row] = []
    unfinished = []
    for run in runs:
        if (run / METRICS).is_file():
            rows += run_rows(run, everything=everything)
        else:
            unfinished.append(run)
    varied = varied_keys(rows)
    rows.sort(key=lambda row: [_sortable(row.get(key)) for key in varied])  # stable: assistants keep their order
    return Collection(tuple(rows), len(runs) - len(unfinished), tuple(unfinished))


def _sortable(value: Any) -> tuple[int, float, str]:
    """Return a key that puts nothing first, then numbers by size, then words."""
    if isinstance(value, int | float):
        return 1, float(value), ""
    return (0, 0.0, "") if value is None else (2, 0.0, str(value))


def run_rows(run: Path, *, everything: bool = False) -> list[Row]:
    """Return the rows of one finished run, in the order of its assistants.

    Raises:
        RunFolderError: If its files are damaged.
    """
    try:
        manifest = decode_line((run / MANIFEST).read_bytes())
        metrics = decode_line((run / METRICS).read_bytes())
        order = {name: place for place, name in enumerate(manifest["agents"])}
        head: Row = {
            "run": str(run),
            "suite": manifest["suite"]["name"],
            "user": manifest["user"]["name"],
            "package_version": manifest["package_version"],
            "config_hash": manifest["config_hash"],
        }
        config = {
            f"config.{key}": json.dumps(value) if isinstance(value, list | dict) else value
            for key, value in flatten(manifest["config"]).items()
        }
        groups = sorted(groups_of(metrics), key=lambda group: order.get(str(group.get("agent")), len(order)))
        privileged = manifest["privileged"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(f"{run}: damaged, expected a finished run directory ({error!r})") from None
    rows = []
    for group in groups:
        name = str(group.get("agent", "all"))
        row: Row = {"agent": name, "privileged": int(name in privileged), **head, **config}
        row |= {"n": group["n"], "n_infra": group.get("n_infra", 0)}
        for column in COLUMNS:
            bounds = interval(group, column.path)
            row[column.title] = figure(group, column.path)
            row[f"{column.title}_low"], row[f"{column.title}_high"] = bounds or (None, None)
        if everything:
            row |= {f"all.{key}": value for key, value in _numbers(group) if not key.startswith("intervals.")}
        rows.append(row)
    return rows


def _numbers(group: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float | int]]:
    for key, value in group.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{prefix}{key}.")
        elif isinstance(value, int | float):
            yield f"{prefix}{key}", value


def varied_keys(rows: Sequence[Row]) -> list[str]:
    """Return the configuration columns in which the rows differ, execution keys left out."""
    keys = dict.fromkeys(key for row in rows for key in row if key.startswith("config."))
    quiet = ("config.out", "config.run.")
    return [key for key in keys if not key.startswith(quiet) and len({repr(row.get(key)) for row in rows}) > 1]


def write_table(rows: Sequence[Row], out: Path) -> Path:
    """Write rows as .csv or .parquet, a column for every key of any row.

    Raises:
        ConfigError: For another ending, or a file that cannot be written.
        MissingExtraError: For Parquet without pyarrow.
    """
    if out.suffix not in FORMATS:
        raise ConfigError(f"{out}: expected a name ending in {' or '.join(FORMATS)}")
    from supermarket_env.compare.pages import rows_csv

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.suffix == ".csv":
            out.write_text(rows_csv(rows), encoding="utf-8")
        else:
            _write_parquet(rows, out)
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written ({error.strerror or error})") from error
    return out


def _write_parquet(rows: Sequence[Row], out: Path) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("Parquet needs pyarrow: pip install 'supermarket_env[tables]'; or write .csv") from None
    head = list(dict.fromkeys(key for row in rows for key in row))
    columns = {key: _column([row.get(key) for row in rows]) for key in head}
    pyarrow.parquet.write_table(pyarrow.table(columns), out)


def _column(values: list[Any]) -> list[Any]:
    """Return values of one type: numbers stay numbers where all are, everything else becomes text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool} or kinds <= {int} or kinds <= {str}:
        return values
    if kinds <= {int, float}:
        return [None if value is None else float(value) for value in values]
    return [None if value is None else str(value) for value in values]
