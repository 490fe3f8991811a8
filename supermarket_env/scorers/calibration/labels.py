"""Labels of people, read from a file and joined with automatic scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.calibration.run_scores import bare
from supermarket_env.scorers.calibration.scale import HIGHEST, LOWEST, rescale
from supermarket_env.scorers.people_files import people_rows

DEFAULT_METRIC: Final = "score"
Scale = tuple[float, float]
FIVE: Final[Scale] = (LOWEST, HIGHEST)

Row = dict[str, Any]


def read_labels(path: Path, *, auto_scale: Scale = FIVE, human_scale: Scale = FIVE) -> list[Row]:
    """Read evaluations with labels: CSV with a header, or JSON lines.

    Columns: ``human`` (empty where an evaluation has no label), ``auto`` (may be absent when automatic scores come
    from elsewhere), ``id``, ``metric`` (default ``score``), ``labeled`` and ``evaluated`` (dates). Scores are brought
    to 1..5; further columns are passed on.

    Args:
        path: The file.
        auto_scale: Lowest and highest automatic score.
        human_scale: Lowest and highest label.

    Raises:
        ConfigError: naming file, line and field.
    """
    rows = []
    header = "the column human (and auto, id, metric, labeled)"
    for number, raw in people_rows(path, what="a file of labels", needed=("human",), header=header):
        if None in raw:
            raise ConfigError(f"{path}, line {number}: more cells than the header has columns")
        row: Row = {key: value for key, value in raw.items() if value not in (None, "")}
        row["metric"] = str(row.get("metric", DEFAULT_METRIC))
        for key, scale in (("auto", auto_scale), ("human", human_scale)):
            if key in row:
                row[key] = _scaled(path, number, key, row[key], scale)
        rows.append(row)
    return rows


def _scaled(path: Path, number: int, key: str, value: Any, scale: Scale) -> float:
    try:
        return rescale(float(value), *scale)
    except (TypeError, ValueError):
        raise ConfigError(
            f"{path}, line {number}, {key}: expected a number from {scale[0]:g} to {scale[1]:g}, got {value!r}"
        ) from None


def with_autos(rows: Sequence[Row], autos: Mapping[tuple[str, str], float], path: Path) -> list[Row]:
    """Return the rows with automatic scores looked up by id and metric, and the evaluations nobody labelled.

    Args:
        rows: Labels; the metric may stand with or without the prefix of its scorer.
        autos: Scores by (id, metric without prefix).
        path: File of the labels, for errors.

    Raises:
        ConfigError: If a row has no id, or no automatic score belongs to it.
    """
    joined: list[Row] = []
    labelled = set()
    metrics = dict.fromkeys(row["metric"] for row in rows)
    for place, row in enumerate(rows):
        key = (str(row.get("id", "")), bare(row["metric"]))
        if "auto" not in row and key not in autos:
            raise ConfigError(f"{path}, row {place + 1}: no automatic score of {row['metric']!r} for the id {key[0]!r}")
        labelled.add((key[0], row["metric"]))
        joined.append(row if "auto" in row else {**row, "auto": autos[key]})
    rest = [
        {"id": name, "metric": metric, "auto": value}
        for metric in metrics
        for (name, found), value in autos.items()
        if found == bare(metric) and (name, metric) not in labelled
    ]
    return joined + rest
