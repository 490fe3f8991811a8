"""The paired comparison of two assistants: effects, intervals, tests, segments and flips.

Episodes are paired by task and trial; the trials of a task are averaged before anything is tested, so that the task is
the unit. Only the figures of the declared family are tested, and their p values are adjusted together (Holm).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from supermarket_env.compare.sides import Side
from supermarket_env.compare.values import PRIMARY, VALUES, Value, value_named
from supermarket_env.errors import ConfigError
from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.metrics.segments import SMALLEST_SEGMENT, thirds_of
from supermarket_env.stats import holm, mcnemar_exact, sign_flip_test
from supermarket_env.stats.comparison import MONTE_CARLO
from supermarket_env.stats.power import detectable_difference
from supermarket_env.stats.shares import paired_share_interval
from supermarket_env.stats.spans import EQUAL, mean_span

DESCRIBED: Final = tuple(VALUES)
MCNEMAR: Final = "McNemar, exact"
SIGN_FLIP: Final = "sign flip"
RESAMPLES: Final = 10_000
SIGNIFICANT: Final = 0.05


class Pair(NamedTuple):
    """Two episodes of one task and trial: the baseline's and the other's."""

    task: tuple[str, str]
    """Store and task."""
    trial: int
    first: EpisodeRow
    second: EpisodeRow


class Pairing(NamedTuple):
    """The pairs of two sides and what found no partner."""

    pairs: tuple[Pair, ...]
    n_unpaired: int
    """Episodes of either side whose task and trial the other does not have."""
    n_infra: int
    """Pairs set aside because the simulator failed in one of them."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The difference second minus first in one figure, in the figure's shown unit."""

    value: str
    unit: str
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    n_tasks: int
    n_pairs: int
    n_undefined: int
    """Pairs without the figure on one side."""
    detectable: float | None
    """The difference this many tasks show with 80 % power at the 5 % level."""
    improvement: float | None
    """Probability that the second does better on a task, its trials averaged first; ties one half."""
    improvement_low: float | None
    improvement_high: float | None
    test: str | None = None
    p: float | None = None
    p_holm: float | None = None
    n_differ: int = 0
    """Tasks on which the two differ at all."""

    @property
    def disagrees(self) -> bool:
        """Whether interval and unadjusted test say different things about 0."""
        if self.p is None or self.low is None or self.high is None:
            return False
        return (self.low > 0 or self.high < 0) != (self.p <= SIGNIFICANT)


@dataclass(frozen=True, slots=True)
class Segment:
    """The difference in the primary figure on part of the tasks."""

    key: str
    name: str
    n_tasks: int
    difference: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Flip:
    """A pair in which exactly one side got everything that was wanted."""

    task: str
    trial: int
    winner: str
    """Name of the side that completed the trip."""
    second_won: bool
    first_id: str
    second_id: str
    difference: float | None
    """In need satisfaction, second minus first."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything about two sides, the first being the baseline."""

    first: str
    second: str
    first_run: str
    second_run: str
    effects: tuple[Effect, ...]
    segments: tuple[Segment, ...]
    worst: Segment | None
    flips: tuple[Flip, ...]
    flip_value: str
    n_pairs: int
    n_unpaired: int
    n_infra: int

    def effect(self, name: str) -> Effect:
        """Return the effect on a figure."""
        return next(effect for effect in self.effects if effect.value == name)


def pair_up(first: Sequence[EpisodeRow], second: Sequence[EpisodeRow]) -> Pairing:
    """Pair the episodes of two sides by store, task and trial; sides in different stores by task and trial.

    Raises:
        ConfigError: If not a single task and trial is common.
    """
    ours, theirs = _by_key(first), _by_key(second)
    if not ours.keys() & theirs.keys():
        # Only a forced comparison comes here: the same task seeds in another store.
        ours, theirs = ({("", task, trial): row for (_, task, trial), row in side.items()} for side in (ours, theirs))
    common = sorted(ours.keys() & theirs.keys())
    if not common:
        raise ConfigError("the two sides have no task and trial in common")
    pairs, n_infra = [], 0
    for key in common:
        one, two = ours[key], theirs[key]
        if one.infra or two.infra:
            n_infra += 1
        else:
            pairs.append(Pair(key[:2], key[2], one, two))
    return Pairing(tuple(pairs), len(ours.keys() ^ theirs.keys()), n_infra)


def _by_key(rows: Sequence[EpisodeRow]) -> dict[tuple[str, str, int], EpisodeRow]:
    return {(str(row.store), row.task_id, row.trial): row for row in rows if row.task_id is not None}


def compare_sides(
    sides: Sequence[Side],
    *,
    family: Sequence[str] = (PRIMARY,),
    all_pairs: bool = False,
    resamples: int = RESAMPLES,
) -> list[Comparison]:
    """Compare sides with the first one, or all with each other.

    Args:
        sides: Two or more sides that may be compared.
        family: Figures that are tested; the family of all of them in all comparisons is adjusted by Holm's method.
        all_pairs: Compare every two sides, not only each with the first.
        resamples: Bootstrap resamples of tasks.

    Raises:
        ConfigError: If there are fewer than two sides, two have no task in common, or a figure is unknown.
    """
    for name in family:
        value_named(name)
    if len(sides) < 2:
        raise ConfigError(f"expected two sides or more, got {len(sides)}")
    places = [(i, j) for i in range(len(sides)) for j in range(i + 1, len(sides)) if all_pairs or i == 0]
    found = [compare_pair(sides[i], sides[j], family=family, resamples=resamples) for i, j in places]
    tested = [(c, e) for c in range(len(found)) for e, effect in enumerate(found[c].effects) if effect.p is not None]
    raw = [p for c, e in tested if (p := found[c].effects[e].p) is not None]
    for (c, e), p in zip(tested, holm(raw), strict=True):
        effects = list(found[c].effects)
        effects[e] = replace(effects[e], p_holm=p)
        found[c] = replace(found[c], effects=tuple(effects))
    return found


def compare_pair(
    first: Side, second: Side, *, family: Sequence[str] = (PRIMARY,), resamples: int = RESAMPLES
) -> Comparison:
    """Compare two sides; p values are not adjusted here.

    Raises:
        ConfigError: If they have no task in common.
    """
    pairing = pair_up(first.rows, second.rows)
    read = _Reader(first, second)
    effects = tuple(
        effect_of(
            VALUES[name],
            [(pair, *read.values(VALUES[name], pair)) for pair in pairing.pairs],
            tested=name in family,
            resamples=resamples,
        )
        for name in DESCRIBED
    )
    segments = _segments(pairing.pairs, resamples)
    large = [segment for segment in segments if segment.n_tasks >= SMALLEST_SEGMENT]
    return Comparison(
        first=first.label,
        second=second.label,
        first_run=str(first.run.path),
        second_run=str(second.run.path),
        effects=effects,
        segments=tuple(segment for segment in segments if segment.key in ("stratum", "store")),
        worst=min(large, key=lambda segment: (segment.difference, segment.key, segment.name), default=None),
        flips=_flips(pairing.pairs, first, second),
        flip_value="SR_complete",
        n_pairs=len(pairing.pairs),
        n_unpaired=pairing.n_unpaired,
        n_infra=pairing.n_infra,
    )


class _Reader:
    """Reads values of pairs; the uplift falls back to need satisfaction where a reference is missing.

    On the same task with the same luck both sides have the same reference, so that the difference is the same.
    """

    def __init__(self, first: Side, second: Side) -> None:
        self._one, self._two = first.run.index, second.run.index
        self._referenced = all(
            side.run.manifest.get("reference") is not None or side.run.index for side in (first, second)
        )

    def values(self, value: Value, pair: Pair) -> tuple[float | None, float | None]:
        """Return the value of both episodes."""
        if value.name == PRIMARY and not self._referenced:
            value = VALUES["NS"]
        return value.of(pair.first, self._one), value.of(pair.second, self._two)


def effect_of(
    value: Value,
    read: Sequence[tuple[Pair, float | None, float | None]],
    *,
    tested: bool,
    resamples: int = RESAMPLES,
    draws: int = MONTE_CARLO,
) -> Effect:
    """Return the effect on one figure.

    Args:
        value: The figure.
        read: Pairs with both values; those without one are counted and left out.
        tested: Whether to compute a p value.
        resamples: Bootstrap resamples of tasks.
        draws: Random sign vectors of the sign-flip test.
    """
    known = [(pair, one, two) for pair, one, two in read if one is not None and two is not None]
    tasks: dict[tuple[str, str], list[tuple[float, float]]] = {}
    strata: dict[tuple[str, str], str] = {}
    for pair, one, two in known:
        tasks.setdefault(pair.task, []).append((one, two))
        strata[pair.task] = str(pair.first.stratum)
    n_undefined = len(read) - len(known)
    if not tasks:
        return Effect(value.name, value.unit, None, None, None, None, None, 0, 0, n_undefined, None, None, None, None)
    firsts = [math.fsum(a for a, _ in trials) / len(trials) for trials in tasks.values()]
    seconds = [math.fsum(b for _, b in trials) / len(trials) for trials in tasks.values()]
    differences = [b - a for a, b in zip(firsts, seconds, strict=True)]
    homes = list(strata.values())
    single = all(len(trials) == 1 for trials in tasks.values())
    sign = 1.0 if value.more_is_better else -1.0
    better = [0.5 if abs(gap) <= EQUAL else float(sign * gap > 0) for gap in differences]
    span = mean_span(differences, ends=(-1.0, 1.0) if value.bounded else None, strata=homes, resamples=resamples)
    if value.binary and single:
        span = paired_share_interval(*_table(seconds, firsts))
    chance = mean_span(better, ends=(0.0, 1.0), strata=homes, resamples=resamples)
    sd = statistics.stdev(differences) if len(differences) > 1 else 0.0
    smallest = detectable_difference(sd, len(differences)) if sd else None
    test, p = None, None
    if tested and value.binary and single:
        _, only_second, only_first, _ = _table(seconds, firsts)
        test, p = MCNEMAR, mcnemar_exact(only_first, only_second)
    elif tested:
        test, p = SIGN_FLIP, sign_flip_test(differences, draws=draws)
    return Effect(
        value=value.name,
        unit=value.unit,
        first=value.scale * math.fsum(firsts) / len(firsts),
        second=value.scale * math.fsum(seconds) / len(seconds),
        difference=value.scale * math.fsum(differences) / len(differences),
        low=None if span is None else value.scale * span[0],
        high=None if span is None else value.scale * span[1],
        n_tasks=len(tasks),
        n_pairs=len(known),
        n_undefined=n_undefined,
        detectable=None if smallest is None else value.scale * smallest,
        improvement=math.fsum(better) / len(better),
        improvement_low=None if chance is None else chance[0],
        improvement_high=None if chance is None else chance[1],
        test=test,
        p=p,
        n_differ=sum(abs(gap) > EQUAL for gap in differences),
    )


def _table(firsts: Sequence[float], seconds: Sequence[float]) -> tuple[int, int, int, int]:
    """Count both, only the first, only the second, neither."""
    both = sum(a == 1 and b == 1 for a, b in zip(firsts, seconds, strict=True))
    first = sum(a == 1 and b != 1 for a, b in zip(firsts, seconds, strict=True))
    second = sum(a != 1 and b == 1 for a, b in zip(firsts, seconds, strict=True))
    return both, first, second, len(firsts) - both - first - second


def _segments(pairs: Sequence[Pair], resamples: int) -> list[Segment]:
    """Differences in need satisfaction by stratum, store and third of every trait of the user.

    What holds every task is no part of them and is left out.
    """
    parts: dict[tuple[str, str], dict[tuple[str, str], list[float]]] = {}
    thirds = _thirds(pairs)
    everything: set[tuple[str, str]] = set()
    for position, pair in enumerate(pairs):
        one, two = pair.first.truth.need_satisfaction, pair.second.truth.need_satisfaction
        if one is None or two is None:
            continue
        everything.add(pair.task)
        names = [("stratum", pair.first.stratum), ("store", pair.first.store)]
        names += [(trait, column[position]) for trait, column in thirds.items()]
        for key, name in names:
            if name is not None:
                parts.setdefault((key, name), {}).setdefault(pair.task, []).append(two - one)
    found = []
    for (key, name), tasks in parts.items():
        if len(tasks) == len(everything):
            continue
        means = [math.fsum(values) / len(values) for values in tasks.values()]
        span = mean_span(means, ends=(-1.0, 1.0), resamples=min(resamples, 2000))
        low, high = (None, None) if span is None else span
        found.append(Segment(key, name, len(means), math.fsum(means) / len(means), low, high))
    return sorted(found, key=lambda segment: (segment.key, segment.name))


def _thirds(pairs: Sequence[Pair]) -> Mapping[str, list[str | None]]:
    personas = [pair.first.truth.persona or {} for pair in pairs]
    columns: dict[str, list[str | None]] = {}
    for trait in sorted({name for persona in personas for name in persona}):
        values = [persona[trait] for persona in personas if trait in persona]
        if min(values) < max(values):
            names = iter(thirds_of(values))
            columns[trait] = [next(names) if trait in persona else None for persona in personas]
    return columns


def _flips(pairs: Sequence[Pair], first: Side, second: Side) -> tuple[Flip, ...]:
    """Return the pairs in which one side completed the trip and the other did not, the largest differences first."""
    found = []
    for pair in pairs:
        one, two = pair.first.truth, pair.second.truth
        if one.complete is None or two.complete is None or one.complete == two.complete:
            continue
        both = one.need_satisfaction is not None and two.need_satisfaction is not None
        gap = (two.need_satisfaction or 0.0) - (one.need_satisfaction or 0.0) if both else None
        winner = second.label if two.complete else first.label
        found.append(
            Flip(
                pair.task[1], pair.trial, winner, bool(two.complete), pair.first.episode_id, pair.second.episode_id, gap
            ),
        )
    return tuple(sorted(found, key=lambda flip: (-abs(flip.difference or 0.0), flip.task, flip.trial)))
