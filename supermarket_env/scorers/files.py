"""Scores files: one line an episode, ``scores/<name>@<version>.jsonl``; never overwritten without being asked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from supermarket_env.errors import LogError, RunFolderError
from supermarket_env.events.log import SCORES_FOLDER, decode_line, encode_canonical


def scores_path(folder: Path, impl: str) -> Path:
    """Return where the scores of a scorer stand below a run directory."""
    return folder / SCORES_FOLDER / f"{impl}.jsonl"


def read_scores(path: Path) -> dict[str, dict[str, Any]]:
    """Return the lines of a scores file by episode; empty without a file. A torn last line is passed over.

    Raises:
        LogError: If a whole line is no score line.
    """
    found: dict[str, dict[str, Any]] = {}
    if not path.is_file():
        return found
    for number, raw in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        if raw.isspace():
            continue
        try:
            line = decode_line(raw)
            found[str(line["episode_id"])] = line
        except (ValueError, KeyError, TypeError, RecursionError):
            if not raw.endswith(b"\n"):
                break
            raise LogError(f"{path}, line {number}: not a score line; delete or repair the file") from None
    return found


def encode_scores(lines: Iterable[Mapping[str, Any]]) -> bytes:
    """Return the bytes of a scores file: its lines by episode id, so that the order of scoring does not show."""
    return b"".join(encode_canonical(dict(line)) for line in sorted(lines, key=lambda line: str(line["episode_id"])))


def write_scores(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write a scores file in one step (beside its name first).

    Raises:
        RunFolderError: If it cannot be written.
    """
    beside = path.with_name(f"{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as stream:
            stream.write(encode_scores(lines))
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    except OSError as error:
        raise RunFolderError(f"{path}: cannot be written ({error.strerror or error})") from error
