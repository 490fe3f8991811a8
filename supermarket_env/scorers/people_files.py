"""Files filled in by people: CSV with a header, or JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def plain_cell(text: str) -> str:
    """Return a text as a spreadsheet will not take for a formula.

    >>> plain_cell("=1+1"), plain_cell("milk")
    ("'=1+1", 'milk')
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def people_rows(
    path: Path, *, what: str, needed: Sequence[str], header: str
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (line number, row) of a file; a CSV cell beyond the header stands under None.

    Args:
        path: ``.json`` and ``.jsonl`` hold an object a line, anything else is CSV.
        what: What the file should be, for errors.
        needed: Columns a CSV header must have.
        header: Those columns in words, for errors.

    Raises:
        ConfigError: The file cannot be read, a line is no JSON object, or the header lacks a column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as {what} ({error})") from None
    if path.suffix in (".jsonl", ".json"):
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ConfigError(f"{path}, line {number}: not JSON ({error})") from None
            if not isinstance(row, dict):
                raise ConfigError(f"{path}, line {number}: expected an object with {header}")
            yield number, row
        return
    reader = csv.DictReader(text.splitlines())
    try:
        missing = [name for name in needed if name not in (reader.fieldnames or ())]
        if missing:
            raise ConfigError(f"{path}, line 1: expected a header with {header}; missing: {', '.join(missing)}")
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        # The number is that of the last line read whole.
        raise ConfigError(f"{path}, line {reader.line_num + 1}: cannot be read as {what} ({error})") from None
