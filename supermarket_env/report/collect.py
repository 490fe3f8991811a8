"""One tidy table of many runs: a row for each assistant of each run, every key of the configuration a column."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from supermarket_env.compare.manifest import MANIFEST, check_run_folder
from supermarket_env.compare.manifest import find_runs as runs_below
from supermarket_env.errors import ConfigError, MissingExtraError, RunFolderError
from supermarket_env.events.nearby import nearest_run
from supermarket_env.report.finished import METRICS, read_finished
from supermarket_env.report.tables import COLUMNS, figure, groups_of, interval
from supermarket_env.run.config import flatten

FORMATS: Final = (".csv", ".parquet")

Row = dict[str, Any]


class Repeat(NamedTuple):
    """An assistant's trips that stand in two runs, as a sweep leaves them that takes over those of an earlier one."""

    agent: str
    run: Path
    """The run whose row is left out."""
    first: Path
    """The run whose row counts."""


@dataclass(frozen=True, slots=True)
class Collection:
    """What was found under a folder."""

    rows: tuple[Row, ...]
    """One mapping an assistant of a run; keys in the order of the columns."""
    n_runs: int
    unfinished: tuple[Path, ...]
    """Run directories without results."""
    repeats: tuple[Repeat, ...] = ()
    """Rows left out because they are the trips of another row."""


def find_runs(folder: Path) -> list[Path]:
    """Return the run directories at or below a folder, sorted; nothing is looked for inside a run.

    Raises:
        RunFolderError: If the folder does not exist.
    """
    if not folder.is_dir():
        raise RunFolderError(f"{folder}: expected a folder with runs.{nearest_run(folder)}")
    return runs_below(folder)


def runs_of(paths: Sequence[Path]) -> list[Path]:
    """Return runs as they are; a sweep folder stands for its finished runs, ordered by what varies in them.

    Raises:
        RunFolderError: If a folder is neither.
    """
    found: list[Path] = []
    for path in paths:
        if (path / MANIFEST).is_file() or not path.is_dir():
            check_run_folder(path)
            found.append(path)
        else:
            found += dict.fromkeys(Path(str(row["run"])) for row in collect_runs([path]).rows)
    return found


def collect_runs(folders: Sequence[Path], *, everything: bool = False) -> Collection:
    """Collect all finished runs below some folders.

    Args:
        folders: Sweep folders or run directories.
        everything: Add every single figure, not only those of the main table.

    Returns:
        The rows; an assistant's trips that stand in several runs count once, in the first run by name.

    Raises:
        RunFolderError: If a folder does not exist, holds no run, or a run's files are damaged.
    """
    runs = sorted({run for folder in folders for run in find_runs(folder)})
    if not runs:
        raise RunFolderError(f"{', '.join(map(str, folders))}: no run directory (no {MANIFEST}) in it")
    rows: list[Row] = []
    unfinished = []
    seen: dict[str, Row] = {}
    repeats: list[Repeat] = []
    for run in runs:
        if not (run / METRICS).is_file():
            unfinished.append(run)
            continue
        for row in run_rows(run, everything=everything):
            first = seen.setdefault(_trips(row), row)
            if first is row:
                rows.append(row)
            else:
                repeats.append(Repeat(str(row["agent"]), run, Path(str(first["run"]))))
    varied = varied_keys(rows)
    rows.sort(key=lambda row: [_sortable(row.get(key)) for key in varied])  # stable: assistants keep their order
    return Collection(tuple(rows), len({row["run"] for row in rows}), tuple(unfinished), tuple(repeats))


def _trips(row: Row) -> str:
    """Return what is the same in two rows of the same trips: the assistant, what it was played with, and its figures.

    A run that takes over the trips of one beside it differs from it in the other assistants, its place and how it was
    executed; chance is no explanation for equal figures to the last digit under an equal configuration.
    """
    aside = ("config.agents", "config.out", "config.run.", "config.scorers")
    played = {key: value for key, value in row.items() if key.startswith("config.") and not key.startswith(aside)}
    entries = json.loads(row.get("config.agents") or "[]")
    mine = [entry for entry in entries if isinstance(entry, dict) and row["agent"] in entry.values()]
    figures = [row["n"], row["n_infra"], *(row[column.title] for column in COLUMNS)]
    heads = [row[key] for key in ("agent", "suite", "user", "package_version")]
    return repr((heads, mine, sorted(played.items()), figures))


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
    metrics, manifest = read_finished(run)
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
