"""Files of a training run that survive a kill: whole or not there, and lines that count only when they are complete."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


def write_whole(target: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` make a file beside ``target`` (same ending) and move it there: it is whole or not there."""
    part = target.with_name(f"part-{target.name}")
    write(part)
    os.replace(part, target)


def whole_lines(file: Path) -> list[dict[str, Any]]:
    """Return the JSON objects of a file of lines, none when there is no file.

    A last line without its end was cut short by a kill: it is left out, and taken off the file.
    """
    if not file.is_file():
        return []
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    whole = [line for line in lines if line.endswith("\n")]
    if len(whole) < len(lines):
        text = "".join(whole)
        write_whole(file, lambda part: part.write_text(text, encoding="utf-8"))
    return [json.loads(line) for line in whole if line.strip()]
