"""Filled-in rating sheets read back, with file, line and column named where something does not fit."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NoReturn

from supermarket_env.errors import ConfigError, nearest
from supermarket_env.scorers.sie.dimensions import DIMENSIONS, OPTIONAL, persona_score
from supermarket_env.scorers.sie.sheets import KeyEntry

Grades = dict[str, float | None]
SystemRatings = dict[str, dict[str, dict[str, Grades]]]
"""system -> item -> rater -> dimension -> grade."""

_ABSENT = frozenset({"n/a", "na", "-"})


def read_ratings(paths: Iterable[Path], key: Mapping[str, KeyEntry]) -> SystemRatings:
    """Read filled-in sheets.

    Empty cells are no grades. ``n/a`` is allowed for empathy. Where ``consistency`` is empty it is worked out from
    ``persona_bonus`` and ``persona_breaks``. Rows without any grade are passed over.

    Args:
        paths: CSV files with the columns of a sheet; only ``sheet_id`` and grades are read.
        key: What the sheet ids mean.

    Returns:
        Grades by system, item, rater and dimension.

    Raises:
        ConfigError: Naming file, line and column: unknown id, a grade that is not 1 to 5, a row given twice.
    """
    found: SystemRatings = {}
    seen: dict[str, str] = {}
    for path in paths:
        for line, row in _rows(path):
            place = f"{path}, line {line}"
            sheet_id = (row.get("sheet_id") or "").strip()
            if sheet_id not in key:
                _refuse(f"{place}, sheet_id: {sheet_id!r} is not in the key.{nearest(sheet_id, key)}")
            grades = _grades(row, place)
            if all(grade is None for grade in grades.values()):
                continue
            if sheet_id in seen:
                _refuse(f"{place}, sheet_id: {sheet_id!r} was rated already in {seen[sheet_id]}")
            seen[sheet_id] = place
            entry = key[sheet_id]
            found.setdefault(entry.system, {}).setdefault(entry.item, {})[entry.rater] = grades
    return found


def _refuse(message: str) -> NoReturn:
    raise ConfigError(message)


def _rows(path: Path) -> list[tuple[int, dict[str, str | None]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            columns = reader.fieldnames or []
            missing = [name for name in ("sheet_id", *DIMENSIONS) if name not in columns]
            if missing:
                _refuse(f"{path}: expected a filled-in sheet, missing columns: {', '.join(missing)}")
            return [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path}: cannot be read as a sheet ({error})") from None


def _grades(row: Mapping[str, str | None], place: str) -> Grades:
    grades: Grades = {name: _number(row, name, place, 1, 5, optional=name in OPTIONAL) for name in DIMENSIONS}
    bonus = _number(row, "persona_bonus", place, 0, 2)
    breaks = _number(row, "persona_breaks", place, 0, 99)
    if bonus is not None or breaks is not None:
        worked_out = persona_score(bonus or 0, breaks or 0)
        if grades["consistency"] not in (None, worked_out):
            _refuse(
                f"{place}, consistency: {grades['consistency']} does not follow from bonus {bonus or 0} and breaks "
                f"{breaks or 0}, which make {worked_out}"
            )
        grades["consistency"] = worked_out
    return grades


def _number(
    row: Mapping[str, str | None], column: str, place: str, low: int, high: int, *, optional: bool = False
) -> int | None:
    text = (row.get(column) or "").strip()
    if not text or (optional and text.lower() in _ABSENT):
        return None
    whole = text.removesuffix(".0")
    if not whole.isdecimal() or not low <= int(whole) <= high:
        _refuse(f"{place}, {column}: expected a whole number from {low} to {high}, got {text!r}")
    return int(whole)
