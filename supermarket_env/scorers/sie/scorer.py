"""The scorer ``sie``: a panel's grades of an episode's replies; without a panel it says so and counts what is ratable.

Nothing here guesses grades: human likeness is judged by people who do not know whose reply they read.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from supermarket_env.errors import ConfigError
from supermarket_env.events.episode import Episode
from supermarket_env.scorers.base import Score, ScoreSheet, unscored, wording_note
from supermarket_env.scorers.sie.candidates import candidate_items
from supermarket_env.scorers.sie.dimensions import DIMENSIONS
from supermarket_env.scorers.sie.items import ItemSet, read_items
from supermarket_env.scorers.sie.ratings import SystemRatings, read_ratings
from supermarket_env.scorers.sie.sheets import read_key
from supermarket_env.scorers.sie.total import dimension_means, item_means, sie_total
from supermarket_env.scorers.sie.weights import WeightSet, weight_set

NO_PANEL: Final = "needs a blind panel: supermarket sie build, sheet, score"
NOT_IN_SET: Final = "no reply of this episode is in the rated set"
NO_GRADE: Final = "the panel gave no grade (empathy: no emotion shown)"

_ID_CHARACTERS: Final = 8


class SieScorer:
    """Grades of a panel as ratings ``sie.<dimension>`` of the episodes they belong to.

    Args:
        items: The rated set, None without a panel.
        ratings: Its grades.
        weights: Weight set of the total in ``details``.
        version: Version, with a mark of the grades read.
    """

    name = "sie"

    def __init__(self, items: ItemSet | None, ratings: SystemRatings, weights: WeightSet, version: str) -> None:
        self.version = version
        self._items = items
        self._ratings = ratings
        self._weights = weights
        self._of_episode: dict[str, list[tuple[str, str, int]]] = {}
        for item in items.items if items is not None else ():
            for system, source in item.sources.items():
                self._of_episode.setdefault(source.episode_id, []).append((item.id, system, source.turn))

    def score(self, episode: Episode) -> ScoreSheet:
        """Return the panel's grades of the episode's replies, and how many of its replies could be rated."""
        note = wording_note(episode.agent)
        notes = (note,) if note else ()
        candidates = candidate_items([episode])
        strata = Counter(item.stratum for item in candidates)
        details: dict[str, object] = {"ratable_replies": len(candidates), "strata": dict(sorted(strata.items()))}
        places = self._of_episode.get(episode.episode_id, [])
        graded = {
            item: self._ratings[system][item] for item, system, _ in places if item in self._ratings.get(system, {})
        }
        scores: list[Score] = []
        for name in DIMENSIONS:
            found = [
                Score(
                    f"sie.{name}",
                    int(grade),
                    is_rating=True,
                    rater=rater,
                    turn=turn,
                    explanation=f"grade of item {item}",
                    notes=notes,
                )
                for item, system, turn in places
                for rater, row in sorted(self._ratings.get(system, {}).get(item, {}).items())
                if (grade := row.get(name)) is not None
            ]
            reason = NO_PANEL if self._items is None else NOT_IN_SET if not graded else NO_GRADE
            scores += found or [unscored(f"sie.{name}", reason, notes=notes)]
        if graded:
            means = dimension_means(item_means(graded))
            total = sie_total(means, self._weights)
            details |= {
                "rated_replies": len(graded),
                "dims": means,
                "total": total.total,
                "below_floor": total.below_floor,
                "weights": self._weights.label,
            }
        return ScoreSheet(tuple(scores), details)


def make_scorer(
    *,
    items: str | None = None,
    ratings: Sequence[str] | str = (),
    key: str | None = None,
    weights: str = "standard",
) -> SieScorer:
    """Build the scorer.

    Args:
        items: The rated set (``supermarket sie build``); None leaves every dimension unscored.
        ratings: Filled-in sheets.
        key: Key of the sheets.
        weights: Name of a weight set, or a JSON file.

    Raises:
        ConfigError: If only some of the files are given, or one of them does not fit.
    """
    chosen = weight_set(weights)
    paths = [Path(ratings)] if isinstance(ratings, str) else [Path(path) for path in ratings]
    if items is None and not paths and key is None:
        return SieScorer(None, {}, chosen, "1")
    if items is None or not paths or key is None:
        raise ConfigError("expected all of items, ratings and key, or none of them")
    rated = read_items(Path(items))
    grades = read_ratings(paths, read_key(Path(key))[0])
    mark = hashlib.blake2b(digest_size=_ID_CHARACTERS // 2)
    for path in [Path(items), *paths]:
        mark.update(path.read_bytes())
    mark.update(chosen.model_dump_json().encode())
    return SieScorer(rated, grades, chosen, f"1-{mark.hexdigest()}")
