"""One system's result: dimension means with intervals, total, floor, sub-scores, agreement; written as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.scorers.sie.agreement import agreement_of, calibration_round
from supermarket_env.scorers.sie.build import Status, set_status
from supermarket_env.scorers.sie.dimensions import DIMENSIONS
from supermarket_env.scorers.sie.items import STRATA, Item, ItemSet
from supermarket_env.scorers.sie.publication import Verdict, publication_of
from supermarket_env.scorers.sie.ratings import SystemRatings
from supermarket_env.scorers.sie.sheets import FEWEST_RATERS, MOST_RATERS
from supermarket_env.scorers.sie.symptoms import Symptom, result_symptoms
from supermarket_env.scorers.sie.total import Ratings, dimension_means, item_means, sie_total
from supermarket_env.scorers.sie.weights import WeightSet
from supermarket_env.stats import Interval
from supermarket_env.stats.bootstrap import resample_counts

SCHEMA: Final = "supermarket.sie-result/1"
RESAMPLES: Final = 2000

ItemMeans = Mapping[str, Mapping[str, float | None]]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Mean(_Part):
    """Mean of a dimension over items, with its bootstrap interval."""

    mean: float | None
    low: float | None = None
    high: float | None = None
    n: int
    """Items with a grade in it."""


class Scores(_Part):
    """The five means and the total of some items."""

    n_items: int
    dims: Mapping[str, Mean]
    total: float | None
    total_low: float | None = None
    total_high: float | None = None


class Agreement(_Part):
    """Agreement of the raters on one dimension."""

    exact: float | None
    within_one: float | None
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    verdict: str
    flags: tuple[str, ...]


class SieResult(_Part):
    """What a panel says of one system."""

    schema_: Annotated[Literal["supermarket.sie-result/1"], Field(alias="schema")] = "supermarket.sie-result/1"
    system: str
    weights: WeightSet
    anchors: str
    cycle: int
    date: str | None
    status: str
    """What the number of this system's graded items allows: ``publishable``, ``minimum_viable`` or ``too_small``."""
    publication: Verdict = "no"
    """Whether the result may be published: items, raters and alpha together."""
    publication_reasons: tuple[str, ...] = ()
    """What speaks against it."""
    n_raters: int
    overall: Scores
    below_floor: tuple[str, ...]
    verdict: Literal["passes the floor", "fix first", "incomplete"]
    short: Scores
    """Replies of turns 1 to 3."""
    long: Scores
    """Replies from turn 8 on."""
    strata: Mapping[str, Scores] | None
    """By stratum; None unless this system has enough graded items in each."""
    traps: Scores
    """The trap items, which are in no other figure."""
    agreement: Mapping[str, Agreement]
    items: Mapping[str, Mapping[str, float | None]]
    """Each item's means, unrounded, for later comparisons; traps left out."""
    symptoms: tuple[Symptom, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def scores_of(items: ItemMeans, weights: WeightSet, *, seed: int = 0, resamples: int = RESAMPLES) -> Scores:
    """Return means, total and intervals of some items.

    Args:
        items: Item means; may be empty.
        weights: The weight set.
        seed: Seed of the bootstrap over items.
        resamples: Resamples.
    """
    means = dimension_means(items)
    total = sie_total(means, weights).total
    bounds, total_bounds = _intervals(items, weights, seed, resamples)
    dims = {}
    for name in DIMENSIONS:
        low, high = bounds[name] or (None, None)
        n = sum(row.get(name) is not None for row in items.values())
        dims[name] = Mean(mean=means[name], low=low, high=high, n=n)
    low, high = (total_bounds or (None, None)) if total is not None else (None, None)
    return Scores(n_items=len(items), dims=dims, total=total, total_low=low, total_high=high)


def item_matrix(items: ItemMeans) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return an array (items, 5) of item means, NaN where there is none, items sorted by id."""
    rows = [[math.nan if items[i].get(name) is None else items[i][name] for name in DIMENSIONS] for i in sorted(items)]
    return np.array(rows, dtype=np.float64).reshape(-1, len(DIMENSIONS))


def resampled_means(
    matrix: np.ndarray[Any, np.dtype[np.float64]], *, seed: int = 0, resamples: int = RESAMPLES
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return an array (resamples, 5) of dimension means over resampled items, NaN where no item had a grade."""
    counts = resample_counts([np.arange(len(matrix))], resamples, seed)
    known = ~np.isnan(matrix)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: np.ndarray[Any, np.dtype[np.float64]] = (counts @ np.where(known, matrix, 0.0)) / (counts @ known)
    return means


def percentile_bounds(values: np.ndarray[Any, np.dtype[np.float64]]) -> Interval | None:
    """Return the 2.5 and 97.5 percentiles of what is defined; None for nothing."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [0.025, 0.975])
    return Interval(float(low), float(high))


def _intervals(
    items: ItemMeans, weights: WeightSet, seed: int, resamples: int
) -> tuple[dict[str, Interval | None], Interval | None]:
    if not items:
        return dict.fromkeys(DIMENSIONS), None
    means = resampled_means(item_matrix(items), seed=seed, resamples=resamples)
    totals = means @ np.array([weights.weights[name] for name in DIMENSIONS])
    return {n: percentile_bounds(means[:, i]) for i, n in enumerate(DIMENSIONS)}, percentile_bounds(totals)


def score_system(
    items: ItemSet,
    ratings: SystemRatings,
    system: str,
    weights: WeightSet,
    *,
    date: str | None = None,
    minutes: float | None = None,
    users_moved: bool | None = None,
    resamples: int = RESAMPLES,
) -> SieResult:
    """Work out one system's result from a panel's grades.

    Args:
        items: The set that was rated.
        ratings: Grades from :func:`~supermarket_env.scorers.sie.ratings.read_ratings`.
        system: Whose result.
        weights: The weight set.
        date: Day of scoring (``2026-05-31``), for the distance between cycles.
        minutes: Minutes a rater took for the whole sheet, on average.
        users_moved: Whether users behaved better too (stayed, bought, came back); None if not known.
        resamples: Resamples of the intervals.

    Raises:
        ConfigError: If the system has no grades, or grades are of items outside the set.
    """
    if system not in ratings:
        raise ConfigError(f"no grades: {unknown_name('system', system, sorted(ratings))}")
    graded = ratings[system]
    known = {item.id: item for item in items.items}
    for name in graded:
        if name not in known:
            raise ConfigError(f"grades of {system!r}: item {name!r} is not in the set")
    plain: Ratings = {name: rows for name, rows in graded.items() if not known[name].trap}
    traps: Ratings = {name: rows for name, rows in graded.items() if known[name].trap}
    means = item_means(plain)

    def part(keep: Callable[[Item], bool]) -> Scores:
        return scores_of({name: row for name, row in means.items() if keep(known[name])}, weights, resamples=resamples)

    overall = scores_of(means, weights, resamples=resamples)
    below = sie_total({name: overall.dims[name].mean for name in DIMENSIONS}, weights).below_floor
    raters = {rater for rows in graded.values() for rater in rows}
    spread = calibration_round(plain).to_discuss
    # A set may hold thirty items a stratum and this system have replied to four: its own graded items count.
    status = set_status(known[name] for name in plain)
    agreement = _agreement(plain)
    publication = publication_of(status, len(raters), {name: row.alpha for name, row in agreement.items()})
    return SieResult(
        system=system,
        weights=weights,
        anchors=items.anchors,
        cycle=items.cycle,
        date=date,
        status=status,
        publication=publication.verdict,
        publication_reasons=publication.reasons,
        n_raters=len(raters),
        overall=overall,
        below_floor=tuple(below),
        verdict="fix first" if below else "incomplete" if overall.total is None else "passes the floor",
        short=part(lambda item: item.stage == "short"),
        long=part(lambda item: item.stage == "long"),
        strata={s: part(lambda item, s=s: item.stratum == s) for s in STRATA}  # type: ignore[misc]
        if status == "publishable"
        else None,
        traps=scores_of(item_means(traps), weights, resamples=resamples),
        agreement=agreement,
        items=means,
        symptoms=tuple(
            result_symptoms(
                total=overall.total,
                users_moved=users_moved,
                spread=spread,
                n_items=sum(len(rows) for rows in ratings.values()),
                minutes=minutes,
            )
        ),
        notes=_notes(items, system),
        warnings=tuple(_warnings(items, plain, system, len(raters), status)),
    )


def _agreement(ratings: Ratings) -> dict[str, Agreement]:
    found = {}
    for name, row in agreement_of(ratings).items():
        low, high = row.interval or (None, None)
        found[name] = Agreement(
            exact=row.exact,
            within_one=row.within_one,
            alpha=row.alpha,
            alpha_low=low,
            alpha_high=high,
            verdict=row.verdict,
            flags=tuple(row.flags),
        )
    return found


def _notes(items: ItemSet, system: str) -> tuple[str, ...]:
    prefix = f"{system}: "
    found = {note.removeprefix(prefix) for item in items.items for note in item.notes if note.startswith(prefix)}
    return tuple(sorted(found))


def _warnings(items: ItemSet, ratings: Ratings, system: str, n_raters: int, status: Status) -> list[str]:
    found = []
    if status == "minimum_viable":
        found.append("fewer than 30 items a stratum: no statement about single strata")
    if status == "too_small":
        found.append("fewer than 24 items a stratum: a trial, no evaluation")
    if not FEWEST_RATERS <= n_raters <= MOST_RATERS:
        found.append(f"{n_raters} rater(s): three to five with different backgrounds are expected")
    expected = sum(not item.trap and system in item.replies for item in items.items)
    if len(ratings) < expected:
        found.append(f"{expected - len(ratings)} of {expected} items have no grade")
    return found


def write_result(result: SieResult, path: Path) -> None:
    """Write a result as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = result.model_dump(mode="json", by_alias=True)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_result(path: Path) -> SieResult:
    """Read a result.

    Raises:
        ConfigError: If the file is none.
    """
    try:
        return SieResult.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise ConfigError(f"{path}: expected a result of `supermarket sie score` ({first})") from None
