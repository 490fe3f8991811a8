"""Ratings by people, from a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.events.episode import Episode
from supermarket_env.scorers.base import Score, ScoreSheet, unscored
from supermarket_env.scorers.judge.dimensions import DIMENSIONS
from supermarket_env.scorers.people_files import people_rows

COLUMNS: Final = ("episode_id", "rater", "dim", "score")
_HEADER: Final = f"the columns {', '.join(COLUMNS)}"


class Rating(NamedTuple):
    """One rating of one person."""

    episode_id: str
    rater: str
    dim: str
    score: int


class HumanJudge:
    """Takes ratings from a file; several raters of an episode are kept apart (figures average them first)."""

    name = "judge"

    def __init__(self, path: Path) -> None:
        """Read and check the whole file.

        Raises:
            ConfigError: naming file, line and field of the first row that is not a rating.
        """
        self._by_episode: dict[str, list[Rating]] = {}
        for rating in read_ratings(path):
            self._by_episode.setdefault(rating.episode_id, []).append(rating)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.version = f"human-1-{digest[:8]}"

    def score(self, episode: Episode) -> ScoreSheet:
        """Return the ratings of an episode; dimensions nobody rated are unscored."""
        found = self._by_episode.get(episode.episode_id, [])
        scores = [Score(r.dim, r.score, explanation="rated by a person", is_rating=True, rater=r.rater) for r in found]
        rated = {rating.dim for rating in found}
        scores += [unscored(dim, "nobody rated it") for dim in DIMENSIONS if dim not in rated]
        return ScoreSheet(tuple(scores))


def read_ratings(path: Path) -> list[Rating]:
    """Read a ratings file: CSV with a header, or JSON lines; columns ``episode_id, rater, dim, score``.

    An empty score means not rated and is passed over; further columns are ignored.

    Raises:
        ConfigError: naming file, line and field.
    """
    found: list[Rating] = []
    seen: set[tuple[str, str, str]] = set()
    for number, row in people_rows(path, what="a ratings file", needed=COLUMNS, header=_HEADER):
        score = row.get("score")
        if score is None or str(score).strip() == "":
            continue
        rating = Rating(
            _text(path, number, row, "episode_id"),
            _text(path, number, row, "rater"),
            _text(path, number, row, "dim"),
            _grade(path, number, score),
        )
        if rating.dim not in DIMENSIONS:
            raise ConfigError(f"{path}, line {number}, dim: {unknown_name('dimension', rating.dim, DIMENSIONS)}")
        key = rating[:3]
        if key in seen:
            raise ConfigError(
                f"{path}, line {number}: {rating.rater!r} rates {rating.dim} of {rating.episode_id!r} twice"
            )
        seen.add(key)
        found.append(rating)
    return found


def _text(path: Path, number: int, row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{path}, line {number}, {name}: expected a text, got {value!r}")
    return value.strip()


def _grade(path: Path, number: int, value: Any) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or text not in {"1", "2", "3", "4", "5"}:
        raise ConfigError(f"{path}, line {number}, score: expected a whole number from 1 to 5, got {value!r}")
    return int(text)
