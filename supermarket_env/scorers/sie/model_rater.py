"""A language model as one more rater of the blind panel: it fills in a sheet, row by row, and sees what raters see."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from supermarket_env.errors import ConfigError
from supermarket_env.llm.quoting import NOTE, quoted
from supermarket_env.scorers.judge.llm import Completion, Model, read_ratings_of
from supermarket_env.scorers.sie.dimensions import ANCHORS, DIMENSIONS, OPTIONAL

Message = dict[str, str]

_SYSTEM: Final = (
    "You are one of several raters of replies in a chat between customers and a shopping assistant. Grade the last "
    "reply on five dimensions from 1 to 5. "
    f"{NOTE}\n"
    "{anchors}\n"
    "Reply with one JSON object and nothing else: {form}; null for empathy where the customer shows no emotion."
)


class Filled(NamedTuple):
    """What became of a sheet."""

    rows: int
    unreadable: int
    """Grades that could not be read: left empty, never made up."""
    calls: int
    money: float | None


def rater_prompt(row: Mapping[str, str]) -> list[Message]:
    """Return the question about one row of a sheet."""
    anchors = "\n".join(
        f"{dim}: " + "; ".join(f"{grade} {words}" for grade, words in sorted(ANCHORS[dim].items()))
        for dim in DIMENSIONS
    )
    form = json.dumps(dict.fromkeys(DIMENSIONS, "1-5")).replace('"1-5"', "<1-5>")
    shown = {name: quoted(row.get(name, ""), 2000) for name in ("context", "user", "reply")}
    body = f"{shown['context']}\nCustomer: {shown['user']}\nReply to grade: {shown['reply']}"
    return [
        {"role": "system", "content": _SYSTEM.format(anchors=anchors, form=form)},
        {"role": "user", "content": body},
    ]


def fill_sheet(sheet: Path, out: Path, model: Model, *, seed: int = 0) -> Filled:
    """Let a model fill in a rater's sheet and write it.

    Args:
        sheet: An empty sheet (CSV).
        out: The filled-in one.
        model: Answers the questions.
        seed: Handed to the model.

    Raises:
        ConfigError: If the sheet cannot be read or ``out`` exists.
    """
    try:
        with sheet.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            columns: Sequence[str] = reader.fieldnames or []
            rows: list[dict[str, Any]] = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{sheet}: cannot be read as a sheet ({error})") from None
    missing = [name for name in ("sheet_id", "user", "reply", *DIMENSIONS) if name not in columns]
    if missing:
        raise ConfigError(f"{sheet}: expected an empty sheet, missing columns: {', '.join(missing)}")
    if out.exists():
        raise ConfigError(f"{out}: is there already; a sheet is never overwritten")
    unreadable, money = 0, 0.0
    known = True
    for row in rows:
        asked = [dim for dim in DIMENSIONS if row[dim] != "n/a"]
        answer = model(rater_prompt(row), seed=seed, temperature=0.0)
        made = answer if isinstance(answer, Completion) else Completion(answer)
        known, money = known and made.money is not None, money + (made.money or 0.0)
        for dim, reading in read_ratings_of(made.text, asked).items():
            declined = reading.declined and dim in OPTIONAL
            unreadable += reading.score is None and not declined
            row[dim] = "n/a" if declined else "" if reading.score is None else str(reading.score)
    stream_out = io.StringIO()
    writer = csv.DictWriter(stream_out, fieldnames=list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    out.write_text(stream_out.getvalue(), encoding="utf-8")
    return Filled(len(rows), unreadable, len(rows), money if known else None)
