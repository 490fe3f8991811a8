"""Calibrating automatic scores to human labels: deviations, error band, adjusted scores.

The rule of a service-conversation product, written out: within a window of label dates each labelled evaluation gives
one difference human - auto. Its positive and its negative differences give two deviations (lines above and below the
automatic score on a trend chart); the mean of all differences is the error band that is added to automatic scores.
A constant shift cannot mend a wrong order of scores or a squeezed scale: see :data:`LIMITS`.
"""

from __future__ import annotations

import calendar
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, Literal, NamedTuple, TypedDict, Unpack

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.scorers.calibration.scale import clamp, mean

Trim = Literal["largest", "extremes", "none"]
Denominator = Literal["all", "nonzero", "trimmed"]

TRIMS: Final = ("largest", "extremes", "none")
DENOMINATORS: Final = ("all", "nonzero", "trimmed")

MIN_RECORDS: Final = 30
"""A deviation needs more differences of its sign than this."""
WINDOW_MONTHS: Final = 6
CHART_RECORDS: Final = 50
"""Human labels below which adjusted lines are not drawn."""
ROUNDING: Final = 1e-9
"""Scores and labels that differ by less are equal."""
GOOD_SAMPLE: Final = 200
"""Labels from which the prediction-powered estimate is the better practice."""

LIMITS: Final = (
    "a constant shift cannot repair a wrong order of scores or a squeezed scale",
    "labels must be a random sample: labelling only suspicious dialogues makes the band an effect of the selection",
    "the deviations average the largest nine tenths of the differences, so they lie too far from 0: an envelope only",
)
"""Printed with every result."""


class Calibration(NamedTuple):
    """The outcome of a calibration; a part that does not exist is None."""

    upper: float | None
    """Mean of the largest 90 % of the positive differences."""
    lower: float | None
    """The same of the negative ones (a negative number)."""
    band: float | None
    """What is added to automatic scores; None where neither deviation exists: scores stay, marked uncalibrated."""
    n: int = 0
    """Distinct labelled evaluations in the window."""
    n_up: int = 0
    n_down: int = 0
    deltas: tuple[float, ...] = ()
    """human - auto of each, in the order they came."""

    @property
    def is_calibrated(self) -> bool:
        """Whether there is a band."""
        return self.band is not None


class Adjusted(float):
    """An adjusted score: a number within 1..5 that remembers what it was before it was clamped."""

    raw: float
    """Automatic score plus band, before clamping."""
    is_calibrated: bool
    """False where no band exists and the automatic score stands as it is."""

    def __new__(cls, raw: float, *, is_calibrated: bool) -> Adjusted:
        """Return the clamped score."""
        made = super().__new__(cls, clamp(raw) if is_calibrated else raw)
        made.raw = raw
        made.is_calibrated = is_calibrated
        return made


class Rule(TypedDict, total=False):
    """The options of :func:`calibrate_deltas`, which has their meaning and defaults."""

    min_records: int
    strict: bool
    trim: Trim
    denominator: Denominator
    both_sides: bool


def calibrate(
    rows: Iterable[Mapping[str, Any]],
    as_of: str | date | None = None,
    *,
    window_months: int = WINDOW_MONTHS,
    **rule: Unpack[Rule],
) -> Calibration:
    """Calibrate one metric.

    Args:
        rows: Evaluations, each with ``auto`` and ``human`` (a number, or a list of several labels; on the scale 1..5,
            see :func:`~supermarket_env.scorers.calibration.scale.rescale`), optionally ``labeled`` (ISO date of the
            label), ``id`` (several rows of one id are labels of one evaluation, averaged first) and ``times`` (the row
            stands for that many distinct evaluations). A row without label (``human`` None) is passed over.
        as_of: The date of the calibration; labels of the ``window_months`` before it count, those of the first day
            excluded and of ``as_of`` itself included. None counts all.
        window_months: Calendar months of the window.
        **rule: ``min_records``, ``strict``, ``trim``, ``denominator`` and ``both_sides``, see
            :func:`calibrate_deltas`.

    Returns:
        Deviations and band; all None without enough labels.

    Raises:
        ConfigError: If an option is unknown.
        ValueError: If a row lacks a field or holds something else than numbers and dates.
    """
    return calibrate_deltas(labelled_deltas(rows, as_of, window_months=window_months), **rule)


def calibrate_deltas(
    deltas: Sequence[float],
    *,
    min_records: int = MIN_RECORDS,
    strict: bool = True,
    trim: Trim = "largest",
    denominator: Denominator = "all",
    both_sides: bool = False,
) -> Calibration:
    """Calibrate from the differences human - auto themselves.

    Args:
        deltas: One difference for each labelled evaluation; what is smaller than 1e-9 is rounding, and no difference.
        min_records: Size a side must exceed (``strict``) or reach.
        strict: Whether "more than" or "at least" ``min_records``.
        trim: ``largest`` keeps the 90 % with the largest size; ``extremes`` drops the largest tenth instead; ``none``.
        denominator: What the sum of the differences is divided by: ``all`` labelled evaluations, those with a
            ``nonzero`` difference, or the sum and count of the ``trimmed`` ones.
        both_sides: Demand both deviations for a band.

    Returns:
        Deviations and band; all None without enough differences.

    Raises:
        ConfigError: If an option is unknown.
    """
    for kind, value, valid in (("trim", trim, TRIMS), ("denominator", denominator, DENOMINATORS)):
        if value not in valid:
            raise ConfigError(unknown_name(kind, value, valid))
    up, down = [d for d in deltas if d > ROUNDING], [d for d in deltas if d < -ROUNDING]
    kept_up, kept_down = kept_differences(up, trim), kept_differences(down, trim)

    def enough(side: list[float]) -> bool:
        return bool(side) and (len(side) > min_records if strict else len(side) >= min_records)

    upper = mean(kept_up) if enough(up) else None
    lower = mean(kept_down) if enough(down) else None
    exists = (upper is not None and lower is not None) if both_sides else (upper is not None or lower is not None)
    band = None
    if exists:
        if denominator == "trimmed":
            band = math.fsum(kept_up + kept_down) / (len(kept_up) + len(kept_down))
        else:
            band = math.fsum(deltas) / (len(deltas) if denominator == "all" else len(up) + len(down))
    return Calibration(upper, lower, band, len(deltas), len(up), len(down), tuple(deltas))


def kept_differences(side: Sequence[float], trim: Trim) -> list[float]:
    """Return the 90 % (rounded up) of one side that a deviation averages.

    >>> kept_differences([1.0, 3.0, 2.0], "largest"), len(kept_differences([1.0] * 32, "largest"))
    ([3.0, 2.0, 1.0], 29)
    """
    ordered = sorted(side, key=abs, reverse=True)
    n = (9 * len(side) + 9) // 10
    if trim == "none":
        return ordered
    return ordered[:n] if trim == "largest" else ordered[len(ordered) - n :]


def adjust(auto: float, calibration: Calibration) -> Adjusted:
    """Return the adjusted score: ``auto`` plus the band, kept within 1..5; ``auto`` itself without a band.

    >>> score = adjust(4.6, Calibration(1.0, None, 0.8))
    >>> float(score), round(score.raw, 6), score.is_calibrated
    (5.0, 5.4, True)
    """
    if calibration.band is None:
        return Adjusted(auto, is_calibrated=False)
    return Adjusted(auto + calibration.band, is_calibrated=True)


def labelled_deltas(
    rows: Iterable[Mapping[str, Any]], as_of: str | date | None = None, *, window_months: int = WINDOW_MONTHS
) -> list[float]:
    """Return human - auto of every distinct labelled evaluation in the window, in order of first appearance.

    Raises:
        ValueError: See :func:`calibrate`.
    """
    found: dict[Any, tuple[float, list[float], int]] = {}
    for place, row in enumerate(rows):
        labels = _labels(row, place)
        if not labels:
            continue
        auto = _number(row, "auto", place)
        if as_of is not None and row.get("labeled") is None:
            raise ValueError(f"row {place}: labeled: expected the date of the label, got nothing")
        if not in_window(row.get("labeled"), as_of, window_months):
            continue
        key = ("id", str(row["id"])) if row.get("id") is not None else ("row", place)
        known = found.setdefault(key, (auto, [], _times(row, place)))
        known[1].extend(labels)
    deltas: list[float] = []
    for auto, labels, times in found.values():
        deltas += [mean(labels) - auto] * times
    return deltas


def in_window(labeled: str | date | None, as_of: str | date | None, months: int = WINDOW_MONTHS) -> bool:
    """Return whether a label of that date counts: in (``as_of`` - ``months``, ``as_of``]; always without ``as_of``.

    A label without a date lies in no window.

    Raises:
        ValueError: If a date cannot be read.

    >>> in_window("2026-03-01", "2026-08-31"), in_window("2026-02-28", "2026-08-31"), in_window(None, None)
    (True, False, True)
    """
    if as_of is None:
        return True
    end = _day(as_of)
    return labeled is not None and months_before(end, months) < _day(labeled) <= end


def months_before(day: date, months: int) -> date:
    """Return the same day some calendar months earlier, the month's last day where it has no such day.

    >>> months_before(date(2026, 8, 31), 6)
    datetime.date(2026, 2, 28)
    """
    total = day.year * 12 + day.month - 1 - months
    year, month = divmod(total, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _day(value: str | date) -> date:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return datetime.fromisoformat(str(value)).date()
    except ValueError:
        raise ValueError(f"expected a date like 2026-03-12, got {value!r}") from None


def _labels(row: Mapping[str, Any], place: int) -> list[float]:
    human = row.get("human")
    if human is None:
        return []
    values = list(human) if isinstance(human, list | tuple) else [human]
    return [_number({"human": value}, "human", place) for value in values]


def _number(row: Mapping[str, Any], key: str, place: int) -> float:
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"row {place}: {key}: expected a finite number, got {value!r}")
    return float(value)


def _times(row: Mapping[str, Any], place: int) -> int:
    times = row.get("times", 1)
    if type(times) is not int or times < 0:
        raise ValueError(f"row {place}: times: expected a whole number of 0 or more, got {times!r}")
    return times
