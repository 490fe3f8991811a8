"""How far raters agree: simple agreement, flags to talk about, the calibration round."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from supermarket_env.scorers.sie.dimensions import DIMENSIONS
from supermarket_env.scorers.sie.total import Ratings
from supermarket_env.stats import Interval, alpha_interval, krippendorff_alpha

CALIBRATION_ITEMS: Final = 10
"""Items every rater scores alone before the first real round."""

ENOUGH_AGREEMENT: Final = 0.80
"""Simple agreement from which the calibration round is passed."""

GOOD_ALPHA: Final = 0.8
TENTATIVE_ALPHA: Final = 0.667


class SimpleAgreement(NamedTuple):
    """Agreement of rater pairs within items."""

    exact: float | None
    """Share of pairs with the same grade; None without pairs."""
    within_one: float | None
    """Share of pairs at most one grade apart."""
    flags: list[Any]
    """Items whose grades lie more than one apart, in the order given."""


def simple_agreement(table: Mapping[Any, Sequence[float | None]] | Sequence[Sequence[float | None]]) -> SimpleAgreement:
    """Return the share of rater pairs within an item that agree.

    Args:
        table: The grades of each item (a mapping, or a sequence whose positions name the items); None where a rater
            gave none.

    Returns:
        Shares over all pairs of all items together, and the items with a spread above 1.

    >>> simple_agreement({"i1": [4, 4, 5], "i2": [3, 3, 3], "i3": [2, 4, 3]}).flags
    ['i3']
    """
    rows: list[tuple[Hashable, Sequence[float | None]]]
    rows = list(table.items()) if isinstance(table, Mapping) else list(enumerate(table))
    same = close = pairs = 0
    flags: list[Any] = []
    for name, row in rows:
        grades = [grade for grade in row if grade is not None]
        for one, other in itertools.combinations(grades, 2):
            pairs += 1
            same += one == other
            close += abs(one - other) <= 1
        if grades and max(grades) - min(grades) > 1:
            flags.append(name)
    return SimpleAgreement(same / pairs if pairs else None, close / pairs if pairs else None, flags)


class DimensionAgreement(NamedTuple):
    """Agreement of the raters on one dimension."""

    exact: float | None
    within_one: float | None
    flags: list[str]
    alpha: float | None
    """Krippendorff's alpha, ordinal."""
    interval: Interval | None
    """Bootstrap interval of alpha over items."""
    verdict: str
    """``good``, ``tentative``, ``poor``, or ``undefined``."""


def judge_alpha(alpha: float | None) -> str:
    """Return what an alpha allows: good from 0.8, tentative from 0.667, else poor.

    >>> [judge_alpha(a) for a in (0.8, 0.7, 0.5, None)]
    ['good', 'tentative', 'poor', 'undefined']
    """
    if alpha is None:
        return "undefined"
    return "good" if alpha >= GOOD_ALPHA else "tentative" if alpha >= TENTATIVE_ALPHA else "poor"


def rating_table(ratings: Ratings, dimension: str) -> dict[str, list[float | None]]:
    """Return item -> grades of all raters (sorted by name), None where one gave none."""
    raters = sorted({rater for rows in ratings.values() for rater in rows})
    return {item: [rows.get(rater, {}).get(dimension) for rater in raters] for item, rows in ratings.items()}


def agreement_of(ratings: Ratings, *, resamples: int = 1000, seed: int = 0) -> dict[str, DimensionAgreement]:
    """Return the raters' agreement on every dimension.

    Args:
        ratings: item -> rater -> dimension -> grade.
        resamples: Resamples of items for the interval of alpha.
        seed: Seed of those.
    """
    found: dict[str, DimensionAgreement] = {}
    for name in DIMENSIONS:
        table = rating_table(ratings, name)
        simple = simple_agreement(table)
        columns = [list(column) for column in zip(*table.values(), strict=True)]
        alpha = krippendorff_alpha(columns, "ordinal") if columns else None
        interval = alpha_interval(columns, "ordinal", resamples=resamples, seed=seed) if columns else None
        found[name] = DimensionAgreement(*simple, alpha, interval, judge_alpha(alpha))
    return found


class CalibrationRound(NamedTuple):
    """Outcome of a calibration round."""

    agreement: float | None
    """Simple agreement over all items and dimensions together."""
    within_one: float | None
    to_discuss: list[tuple[str, str]]
    """(item, dimension) pairs whose grades lie more than one apart: talk these through."""
    n_items: int
    n_raters: int
    passed: bool
    """At least 80 % agreement on at least 10 items by at least 2 raters; otherwise discuss and repeat."""


def calibration_round(ratings: Ratings) -> CalibrationRound:
    """Judge a calibration round: what to talk about, and whether scoring may begin.

    Args:
        ratings: item -> rater -> dimension -> grade, scored independently.
    """
    table = {
        (item, name): grades
        for item in ratings
        for name in DIMENSIONS
        for grades in [[row.get(name) for row in ratings[item].values()]]
    }
    simple = simple_agreement(table)
    raters = {rater for rows in ratings.values() for rater in rows}
    enough = len(ratings) >= CALIBRATION_ITEMS and len(raters) >= 2
    passed = enough and simple.exact is not None and simple.exact >= ENOUGH_AGREEMENT - 1e-9
    return CalibrationRound(simple.exact, simple.within_one, simple.flags, len(ratings), len(raters), passed)
