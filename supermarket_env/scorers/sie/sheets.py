"""Double-blind rating sheets: text only, items and sides shuffled for each rater, ids hashed, the key kept apart."""

from __future__ import annotations

import csv
import hashlib
import html
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.scorers.people_files import plain_cell
from supermarket_env.scorers.sie.agreement import CALIBRATION_ITEMS
from supermarket_env.scorers.sie.build import draw_key
from supermarket_env.scorers.sie.dimensions import ANCHORS, DIMENSIONS, MACHINE_SIGNS
from supermarket_env.scorers.sie.items import Item, ItemSet

KEY_SCHEMA: Final = "supermarket.sie-key/1"
TEXT_COLUMNS: Final = ("sheet_id", "number", "side", "context", "user", "reply")
GRADE_COLUMNS: Final = (*DIMENSIONS, "persona_bonus", "persona_breaks")
COLUMNS: Final = (*TEXT_COLUMNS, *GRADE_COLUMNS, "note")
NO_REPLY: Final = "(no reply)"
NOT_APPLICABLE: Final = "n/a"

FEWEST_RATERS: Final = 3
MOST_RATERS: Final = 5

_NAME: Final = re.compile(r"\w[\w.-]*")
_SIDES: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One reply to rate."""

    sheet_id: str
    """Says nothing about item or system, and differs from rater to rater."""
    number: int
    """Place of the item in this rater's sheet, from 1."""
    side: str
    """``A``, ``B``, ...: the replies to one prompt, shuffled."""
    context: str
    user: str
    reply: str
    empathy_applies: bool


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """What stands behind a sheet id."""

    rater: str
    item: str
    system: str


@dataclass(frozen=True, slots=True)
class Sheets:
    """The sheets of one round and their key."""

    rows: Mapping[str, Sequence[SheetRow]]
    """Rows by rater."""
    key: Mapping[str, KeyEntry]
    """What each sheet id means; never to be given to raters."""
    seed: int
    anchors: str


def make_sheets(
    items: ItemSet,
    raters: Sequence[str],
    *,
    seed: int,
    systems: Sequence[str] | None = None,
    calibration: bool = False,
) -> Sheets:
    """Make one blind sheet for each rater.

    Args:
        items: The items.
        raters: Their names, distinct; three to five with different backgrounds are advised.
        seed: Seed of all shuffling; keep it from the raters.
        systems: Systems to rate; default all.
        calibration: Take ten items only, the same for all, for the round before the first real one.

    Returns:
        Sheets with items in another order, and sides in another order, for each rater.

    Raises:
        ConfigError: If raters are missing or twice, a system is unknown, or there is nothing to rate.
    """
    if not raters or len(set(raters)) != len(raters) or not all(map(_NAME.fullmatch, raters)):
        raise ConfigError(f"expected distinct names of raters (letters, digits, _ . -), got {list(raters)}")
    for name in systems or ():
        if name not in items.systems:
            raise ConfigError(unknown_name("system", name, items.systems))
    wanted = set(items.systems if systems is None else systems)
    chosen = [item for item in items.items if wanted & item.replies.keys()]
    if calibration:
        chosen = sorted(chosen, key=lambda item: (draw_key(seed, "calibration", item.id), item.id))[:CALIBRATION_ITEMS]
    if not chosen:
        raise ConfigError("no item has a reply to rate; add logs or replies")
    rows: dict[str, list[SheetRow]] = {}
    key: dict[str, KeyEntry] = {}
    for rater in raters:
        order = sorted(chosen, key=lambda item: (draw_key(seed, "order", rater, item.id), item.id))
        sheet: list[SheetRow] = []
        for number, item in enumerate(order, start=1):
            names = sorted(wanted & item.replies.keys())
            names.sort(key=lambda name: draw_key(seed, "side", rater, item.id, name))
            for side, name in zip(_SIDES, names, strict=False):
                row = _row(item, name, rater, number, side, seed)
                sheet.append(row)
                key[row.sheet_id] = KeyEntry(rater, item.id, name)
        rows[rater] = sheet
    return Sheets(rows, key, seed, items.anchors)


def _row(item: Item, system: str, rater: str, number: int, side: str, seed: int) -> SheetRow:
    text = "\x1f".join([str(seed), "sheet", rater, item.id, system])
    sheet_id = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()
    speakers = {"user": "Customer", "assistant": "Assistant"}
    context = "\n".join(f"{speakers[turn.role]}: {turn.text}" for turn in item.context)
    reply = item.replies[system] or NO_REPLY
    return SheetRow(sheet_id, number, side, context, item.user, reply, item.emotion is not False)


def sheet_csv(rows: Sequence[SheetRow]) -> str:
    """Return a sheet as CSV, grades empty; empathy is filled in as ``n/a`` where the user shows no emotion."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        texts = [row.sheet_id, str(row.number), row.side, *map(plain_cell, (row.context, row.user, row.reply))]
        grades = [NOT_APPLICABLE if c == "empathy" and not row.empathy_applies else "" for c in GRADE_COLUMNS]
        writer.writerow([*texts, *grades, ""])
    return stream.getvalue()


def cue_card() -> str:
    """Return the raters' card, one page of HTML: what each grade means."""
    lines = ["<section class='card'><h1>What the grades mean</h1>"]
    for name in DIMENSIONS:
        lines.append(f"<h2>{name}</h2><ol reversed start='5'>")
        lines += [f"<li value='{grade}'>{html.escape(text)}</li>" for grade, text in ANCHORS[name].items()]
        lines.append("</ol>")
    lines.append(
        "<p>Empathy: write n/a where the customer shows no emotion. Naturalness: what gives a machine away is "
        f"{html.escape(', '.join(MACHINE_SIGNS))}. Consistency: start at 3; write breaks of the persona, or without "
        "any a bonus of 1 (two points put to use) or 2 (all three, under stress).</p></section>"
    )
    return "\n".join(lines)


_STYLE: Final = (
    "body{font:11pt/1.35 serif;max-width:46em;margin:1em auto}.card{break-after:page;font-size:9.5pt}"
    ".card h1{font-size:13pt}.card h2{font-size:10.5pt;margin:.5em 0 0}.card ol{margin:0}"
    ".item{break-inside:avoid;border-top:1px solid #999;padding:.6em 0}.context{color:#444;white-space:pre-line}"
    ".reply{white-space:pre-line;border-left:3px solid #444;padding-left:.6em}"
    "td{border:1px solid #999;min-width:4.2em;height:1.7em;text-align:center;font-size:8.5pt;vertical-align:top}"
)


def sheet_html(rows: Sequence[SheetRow], title: str) -> str:
    """Return a sheet for print: the raters' card, then each reply with boxes for the grades.

    Args:
        rows: Rows of one rater.
        title: Heading, for instance the rater's name.
    """
    parts = [
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{html.escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        cue_card(),
        f"<h1>{html.escape(title)}</h1>",
    ]
    for row in rows:
        boxes = "".join(
            f"<td>{name}{'<br>n/a' if name == 'empathy' and not row.empathy_applies else ''}</td>"
            for name in GRADE_COLUMNS
        )
        parts.append(
            f"<div class='item'><b>{row.number}{row.side}</b> <small>{row.sheet_id}</small>"
            f"<p class='context'>{html.escape(row.context)}</p><p><b>Customer:</b> {html.escape(row.user)}</p>"
            f"<p class='reply'>{html.escape(row.reply)}</p><table><tr>{boxes}</tr></table></div>"
        )
    parts.append("</html>\n")
    return "\n".join(parts)


def write_sheets(sheets: Sheets, folder: Path, key_file: Path) -> list[Path]:
    """Write a CSV and a printable page for each rater, and the key somewhere else.

    Args:
        sheets: The sheets.
        folder: Folder for the raters; must not hold ratings already.
        key_file: The key; not inside ``folder``, which is given away.

    Returns:
        The files written, the key last.

    Raises:
        ConfigError: If the key would lie in the raters' folder, or a file exists already.
    """
    if folder.resolve() in key_file.resolve().parents:
        raise ConfigError(f"{key_file}: the key must not lie in the raters' folder {folder}")
    pages = {folder / f"{rater}.csv": sheet_csv(rows) for rater, rows in sheets.rows.items()}
    pages |= {folder / f"{rater}.html": sheet_html(rows, f"Sheet of {rater}") for rater, rows in sheets.rows.items()}
    pages[key_file] = _key_text(sheets)
    for path in pages:
        if path.exists():
            raise ConfigError(f"{path}: exists already and may hold ratings; choose another folder")
    for path, text in pages.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(pages)


def _key_text(sheets: Sheets) -> str:
    rows = {sheet_id: [entry.rater, entry.item, entry.system] for sheet_id, entry in sorted(sheets.key.items())}
    data = {"schema": KEY_SCHEMA, "seed": sheets.seed, "anchors": sheets.anchors, "rows": rows}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def read_key(path: Path) -> tuple[dict[str, KeyEntry], str]:
    """Return the key and the version of the anchors the sheets were made with.

    Raises:
        ConfigError: If the file is no key.
    """
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != KEY_SCHEMA:
            raise ValueError(f"schema {data['schema']!r}, expected {KEY_SCHEMA!r}")
        return {name: KeyEntry(*map(str, row)) for name, row in data["rows"].items()}, str(data["anchors"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{path}: expected the key of rating sheets ({error})") from None
