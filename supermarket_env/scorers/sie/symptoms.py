"""What a strange result usually means, printed beside a result that shows the sign."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

SymptomKey = Literal["users_unmoved", "raters_apart", "total_falls", "slow", "creep"]

HIGH_TOTAL: Final = 4.0
SLOW_MINUTES_AN_ITEM: Final = 1.5
"""120 items in three hours."""
CREEP_CYCLES: Final = 3
"""Results in a row whose total must rise before scores are said to creep."""


class Symptom(BaseModel):
    """A sign, its likely cause and what to do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: SymptomKey
    sign: str
    remedy: str
    detail: str = ""


SYMPTOMS: Final[tuple[Symptom, ...]] = (
    Symptom(
        key="users_unmoved",
        sign="the total is high, but users are unmoved",
        remedy="the weights do not fit the scenario: choose or write another weight set",
    ),
    Symptom(
        key="raters_apart",
        sign="raters lie more than one grade apart",
        remedy="the anchors are vague: find two samples on the border and agree on them",
    ),
    Symptom(
        key="total_falls",
        sign="the total falls while the answers are as right as before",
        remedy="look at naturalness and persona consistency",
    ),
    Symptom(
        key="slow",
        sign="scoring is slow (120 items take three hours)",
        remedy="give raters the one-page card of anchors",
    ),
    Symptom(
        key="creep",
        sign="scores creep up cycle by cycle",
        remedy="rotate items; the retained ones show whether it is drift",
    ),
)
"""The whole table."""

_BY_KEY: Final = {symptom.key: symptom for symptom in SYMPTOMS}


def symptom(key: SymptomKey, detail: str = "") -> Symptom:
    """Return a row of the table with what was seen."""
    return _BY_KEY[key].model_copy(update={"detail": detail})


def result_symptoms(
    *,
    total: float | None,
    users_moved: bool | None,
    spread: Sequence[tuple[str, str]],
    n_items: int,
    minutes: float | None,
) -> list[Symptom]:
    """Return the signs one result shows.

    Args:
        total: Weighted total.
        users_moved: Whether users behaved better too; None if not known.
        spread: (item, dimension) pairs whose raters lie more than one grade apart.
        n_items: Items rated.
        minutes: Minutes a rater took for the whole sheet; None if not known.
    """
    found = []
    if total is not None and total >= HIGH_TOTAL and users_moved is False:
        found.append(symptom("users_unmoved", f"total {total:.2f}"))
    if spread:
        shown = ", ".join(f"{item} {dimension}" for item, dimension in list(spread)[:5])
        found.append(symptom("raters_apart", f"{len(spread)} item(s): {shown}{', ...' if len(spread) > 5 else ''}"))
    if minutes is not None and n_items and minutes / n_items >= SLOW_MINUTES_AN_ITEM - 1e-9:
        found.append(symptom("slow", f"{minutes / n_items:.1f} minutes an item"))
    return found


def trend_symptoms(
    totals: Sequence[float | None], *, total_change: float | None, accuracy_change: float | None
) -> list[Symptom]:
    """Return the signs a row of results shows.

    Args:
        totals: Totals of the cycles, oldest first.
        total_change: Change of the total over the last two, on their common items.
        accuracy_change: Change of the share of right answers over the same, in points; None if not known.
    """
    found = []
    if total_change is not None and total_change < 0 and accuracy_change is not None and abs(accuracy_change) <= 1.0:
        found.append(symptom("total_falls", f"total {total_change:+.3f}, right answers {accuracy_change:+.1f} points"))
    known = [total for total in totals if total is not None]
    tail = known[-CREEP_CYCLES:]
    if len(tail) == CREEP_CYCLES and all(a < b for a, b in itertools.pairwise(tail)):
        found.append(symptom("creep", " < ".join(f"{total:.2f}" for total in tail)))
    return found
