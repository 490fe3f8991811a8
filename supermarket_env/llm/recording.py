"""Every request and answer in one SQLite file, so that nothing is paid twice and a run can be played again offline.

The key of a call is a hash of its canonical request and its place in the run (episode, role, turn, number): who serves
the model, with what key and what patience, is no part of it. Answers are committed one by one: after a kill nothing
that was received is lost.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

from supermarket_env.errors import ConfigError
from supermarket_env.llm.prices import Spent

FORMAT: Final = 1
PACKED: Final = ".xz"
"""A recording whose name ends so is compressed (``xz FILE``): for replays only."""
MEMORY: Final = Path(":memory:")
"""A recording that lasts as long as the process."""
_TABLE: Final = """
create table if not exists calls (
    key text primary key, role text not null, place text not null, request text not null, response text not null,
    finish text not null, fault text not null, tokens_in integer, tokens_out integer, counted_tokens integer not null,
    money text
) without rowid
"""
_COLUMNS: Final = "response, finish, fault, tokens_in, tokens_out, counted_tokens, money"


class Recorded(NamedTuple):
    """One finished call."""

    text: str
    """The answer as it came, hidden reasoning included."""
    finish: str
    fault: str
    """Empty, or ``context_overflow``."""
    tokens_in: int | None
    tokens_out: int | None
    counted_tokens: int
    """Tokens as the budget counts them: an upper bound where the endpoint does not say."""
    money: Fraction | None


def canonical(value: Any) -> str:
    """Return JSON that is the same for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def call_key(request: Mapping[str, Any], place: str) -> str:
    """Return the identity of a call: SHA-256 (hex) of request and place."""
    return hashlib.sha256(canonical({"v": FORMAT, "place": place, "request": request}).encode()).hexdigest()


class Recording:
    """The file; safe to use from several threads."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open or create the file.

        Args:
            path: The file; one that ends in ``.xz`` is read into memory and can only be replayed.
            read_only: Change nothing, and create nothing.

        Raises:
            ConfigError: If it is missing (read-only), packed and to be written, cannot be opened, or is no recording.
        """
        self.path = path
        self._lock = threading.Lock()
        if read_only and not path.is_file():
            raise ConfigError(f"{path}: no recording there; llm.recording=FILE names it")
        packed = path.suffix == PACKED
        if packed and not read_only:
            raise ConfigError(f"{path}: a packed recording can only be replayed; unpack it with `unxz --keep` first")
        try:
            if packed:
                self._db = sqlite3.connect(":memory:", check_same_thread=False)
                self._db.deserialize(lzma.decompress(path.read_bytes()))
            elif read_only:
                address = f"{path.absolute().as_uri()}?mode=ro"
                self._db = sqlite3.connect(address, uri=True, check_same_thread=False)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._db = sqlite3.connect(path, check_same_thread=False, timeout=30.0)
                self._db.execute("pragma journal_mode=wal")
                self._db.execute("pragma synchronous=normal")
                self._db.execute(_TABLE)
                self._db.commit()
            self._db.execute("select count(key), count(counted_tokens) from calls").fetchone()
        except (sqlite3.Error, OSError, lzma.LZMAError, EOFError) as error:
            raise ConfigError(f"{path}: cannot be used as a recording ({error})") from None

    def close(self) -> None:
        """Close the file, everything in one piece so that it can be copied."""
        with self._lock:
            with suppress(sqlite3.Error):  # read-only, or another reader is at it: it is complete all the same
                self._db.execute("pragma wal_checkpoint(truncate)")
                self._db.execute("pragma journal_mode=delete")
            self._db.close()

    def get(self, key: str) -> Recorded | None:
        """Return a finished call, None when there is none."""
        with self._lock:
            row = self._db.execute(f"select {_COLUMNS} from calls where key = ?", (key,)).fetchone()
        if row is None:
            return None
        text, finish, fault, tokens_in, tokens_out, counted, money = row
        paid = None if money is None else Fraction(money)
        return Recorded(text, finish, fault, tokens_in, tokens_out, counted, paid)

    def put(self, key: str, role: str, place: str, request: Mapping[str, Any], made: Recorded, *, anew: bool) -> None:
        """Keep a finished call; the first one of a key stays unless ``anew``."""
        money = None if made.money is None else str(made.money)
        values = (key, role, place, canonical(request), *made[:6], money)
        verb = "replace" if anew else "ignore"
        with self._lock:
            self._db.execute(f"insert or {verb} into calls values (?,?,?,?,?,?,?,?,?,?,?)", values)
            self._db.commit()

    def spent(self) -> Spent:
        """Return what all calls in the file came to."""
        with self._lock:
            rows = self._db.execute("select counted_tokens, money from calls where fault = ''").fetchall()
        known = [Fraction(money) for _, money in rows if money is not None]
        money = sum(known, Fraction(0)) if len(known) == len(rows) else None
        return Spent(len(rows), sum(tokens for tokens, _ in rows), money)

    def places(self, prefix: str) -> list[str]:
        """Return the places of recorded calls that begin so, sorted."""
        with self._lock:
            rows = self._db.execute("select place from calls where substr(place, 1, ?) = ?", (len(prefix), prefix))
            return sorted(str(row[0]) for row in rows)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield all calls as JSON-ready data, sorted by place and key: the same file gives the same lines."""
        with self._lock:
            rows = self._db.execute(
                f"select key, role, place, request, {_COLUMNS} from calls order by place, key"
            ).fetchall()
        for key, role, place, request, text, finish, fault, tokens_in, tokens_out, _, money in rows:
            yield {
                "key": key,
                "role": role,
                "place": place,
                "request": json.loads(request),
                "response": text,
                "finish": finish,
                "fault": fault,
                "tokens_in": tokens_in,
                "tokens_out": tokens_out,
                "cost": None if money is None else float(Fraction(money)),
            }
