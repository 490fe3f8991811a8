"""Checks every judge must pass before its ratings are believed: sanity, halo, length, stability, blindness, validity.

All of them score twins of the same episodes and look at paired differences, so that neither the users nor the
assistants behind the episodes matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from supermarket_env.events.episode import Episode
from supermarket_env.scorers.base import Scorer
from supermarket_env.scorers.judge.dimensions import DIMENSIONS
from supermarket_env.scorers.judge.plant import FAULTS, disguise, pad, plant
from supermarket_env.scorers.truth import words_of
from supermarket_env.stats import Interval, bootstrap_ci, krippendorff_alpha, paired_correlation

OTHERS_MAY_MOVE: Final = 0.25
"""Mean change that a planted fault may cause in the dimensions it is not about."""
FREE: Final = frozenset({"overall_satisfaction"})
"""Any fault may lower the overall satisfaction."""
REPEATS: Final = 5

Ratings = dict[str, float | None]


def ratings_of(scorer: Scorer, episode: Episode) -> Ratings:
    """Return a judge's rating of each dimension, the mean over its repetitions; None where it gave none."""
    found: dict[str, list[float]] = {}
    for score in scorer.score(episode).scores:
        if isinstance(score.value, int | float) and not isinstance(score.value, bool):
            found.setdefault(score.dim, []).append(float(score.value))
    return {dim: math.fsum(v) / len(v) if (v := found.get(dim)) else None for dim in DIMENSIONS}


class FaultCheck(NamedTuple):
    """What one kind of planted fault does to the ratings."""

    fault: str
    target: str
    n: int
    target_fell: float | None
    """Share of the pairs in which the target fell."""
    changes: Mapping[str, float | None]
    """Mean change (faulty - clean) of each dimension over the pairs rated in both twins; None without such pairs."""
    lost: int
    """Pairs in which a rating of the target disappeared or appeared."""

    @property
    def holds(self) -> bool:
        """Whether the target falls on average and no other dimension moves much."""
        target = self.changes.get(self.target)
        others = [c for dim, c in self.changes.items() if dim != self.target and dim not in FREE and c is not None]
        return target is not None and target < 0 and all(abs(change) < OTHERS_MAY_MOVE for change in others)


def check_faults(scorer: Scorer, episodes: Iterable[Episode], *, per_fault: int = 200) -> list[FaultCheck]:
    """Plant faults into episodes and compare the twins.

    Args:
        scorer: The judge.
        episodes: Clean episodes; how many pairs they give depends on what happens in them.
        per_fault: Pairs of each fault at most.
    """
    clean = list(episodes)
    before: dict[int, Ratings] = {}
    checks = []
    for fault in FAULTS.values():
        changes: dict[str, list[float]] = {dim: [] for dim in DIMENSIONS}
        n = lost = 0
        for place, episode in enumerate(clean):
            if n >= per_fault:
                break
            for pair in plant(fault, episode)[: per_fault - n]:
                if place not in before:
                    before[place] = ratings_of(scorer, episode)
                old, new = before[place], ratings_of(scorer, pair.faulty)
                n += 1
                lost += (old[fault.target] is None) != (new[fault.target] is None)
                for dim, values in changes.items():
                    a, b = old[dim], new[dim]
                    if a is not None and b is not None:
                        values.append(b - a)
        target = changes[fault.target]
        fell = sum(change < 0 for change in target) / len(target) if target else None
        means = {dim: _mean(values) for dim, values in changes.items()}
        checks.append(FaultCheck(fault.name, fault.target, n, fell, means, lost))
    return checks


class PaddingCheck(NamedTuple):
    """What content-free words do to one dimension."""

    dim: str
    n: int
    change: float | None
    """Mean paired change; should be 0."""
    interval: Interval | None
    slope: float | None
    """Change per unit of log length, episodes as fixed effects."""


def check_padding(scorer: Scorer, episodes: Iterable[Episode], *, resamples: int = 2000) -> list[PaddingCheck]:
    """Pad the replies of episodes and compare the twins."""
    changes: dict[str, list[tuple[float, float]]] = {dim: [] for dim in DIMENSIONS}
    for episode in episodes:
        twin = pad(episode)
        grown = math.log(max(1, _length(twin))) - math.log(max(1, _length(episode)))
        if not grown:
            continue
        old, new = ratings_of(scorer, episode), ratings_of(scorer, twin)
        for dim, values in changes.items():
            a, b = old[dim], new[dim]
            if a is not None and b is not None:
                values.append((grown, b - a))
    found = []
    for dim, values in changes.items():
        deltas = [change for _, change in values]
        spread = math.fsum(grown * grown for grown, _ in values)
        # With two versions of each episode the within-episode regression is this ratio.
        slope = math.fsum(grown * change for grown, change in values) / spread if spread else None
        interval = bootstrap_ci(deltas, resamples=resamples) if deltas else None
        found.append(PaddingCheck(dim, len(values), _mean(deltas), interval, slope))
    return found


def _length(episode: Episode) -> int:
    return sum(len(words_of(e.get("text") or "")) for e in episode.events if e["k"] == "assistant")


class StabilityCheck(NamedTuple):
    """How far repeated ratings of the same transcript agree, for one dimension."""

    dim: str
    n: int
    sd: float | None
    """Root mean of the variances within an episode."""
    identical: float | None
    """Share of episodes with the same rating every time."""


def check_stability(scorers: Sequence[Scorer], episodes: Iterable[Episode]) -> list[StabilityCheck]:
    """Rate the same transcripts several times.

    Args:
        scorers: The judge set up several times, with different seeds where it has seeds.
        episodes: The transcripts.
    """
    values: dict[str, list[list[float]]] = {dim: [] for dim in DIMENSIONS}
    for episode in episodes:
        rated = [ratings_of(scorer, episode) for scorer in scorers]
        for dim, found in values.items():
            ratings = [r for one in rated if (r := one[dim]) is not None]
            if len(ratings) >= 2:
                found.append(ratings)
    checks = []
    for dim, found in values.items():
        variances = [math.fsum((r - math.fsum(v) / len(v)) ** 2 for r in v) / (len(v) - 1) for v in found]
        sd = math.sqrt(math.fsum(variances) / len(variances)) if variances else None
        same = sum(len(set(v)) == 1 for v in found) / len(found) if found else None
        checks.append(StabilityCheck(dim, len(found), sd, same))
    return checks


class LeakageCheck(NamedTuple):
    """Whether ratings change when the name of the assistant, the rewards and the evaluator's truth are taken away."""

    n: int
    changed: Mapping[str, int]
    """Episodes whose rating changed, by dimension."""

    @property
    def holds(self) -> bool:
        """Whether nothing changed."""
        return not any(self.changed.values())


def check_leakage(scorer: Scorer, episodes: Iterable[Episode]) -> LeakageCheck:
    """Rate episodes and their disguised twins."""
    changed = dict.fromkeys(DIMENSIONS, 0)
    n = 0
    for episode in episodes:
        n += 1
        old, new = ratings_of(scorer, episode), ratings_of(scorer, disguise(episode))
        for dim in DIMENSIONS:
            changed[dim] += old[dim] != new[dim]
    return LeakageCheck(n, changed)


def check_halo(scorer: Scorer, episodes: Iterable[Episode]) -> float | None:
    """Return the mean Spearman correlation between the dimensions over episodes: high means one impression for all.

    None when no two dimensions have at least two episodes and variance.
    """
    rated = [ratings_of(scorer, episode) for episode in episodes]
    found = []
    for place, one in enumerate(DIMENSIONS):
        for other in DIMENSIONS[place + 1 :]:
            pairs = [(x, y) for r in rated if (x := r[one]) is not None and (y := r[other]) is not None]
            rho = paired_correlation([x for x, _ in pairs], [y for _, y in pairs]).spearman
            if rho is not None:
                found.append(rho)
    return _mean(found)


class ValidityCheck(NamedTuple):
    """Agreement of a judge with people on one dimension, beside the agreement of people among themselves."""

    dim: str
    n: int
    """Episodes rated by the judge and at least one person."""
    alpha: float | None
    """Krippendorff's alpha (ordinal) of the judge and the rounded mean of the people."""
    interval: tuple[float, float] | None
    """95 % over resampled episodes."""
    human_alpha: float | None


def check_validity(
    judge: Mapping[str, Ratings],
    people: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    resamples: int = 500,
    seed: int = 0,
) -> list[ValidityCheck]:
    """Compare a judge with people.

    Args:
        judge: Ratings by episode, see :func:`ratings_of`.
        people: Ratings of the people by episode and dimension, one number a person.
        resamples: Resamples of the interval.
        seed: Seed of the resamples.
    """
    import numpy as np

    checks = []
    for dim in DIMENSIONS:
        names = [e for e in sorted(judge) if judge[e][dim] is not None and people.get(e, {}).get(dim)]
        pairs = [(judge[e][dim], _mean(list(people[e][dim]))) for e in names]
        table = [[p[0] for p in pairs], [p[1] for p in pairs]]
        alpha = krippendorff_alpha(table) if pairs else None
        interval = None
        if len(pairs) >= 2:
            generator = np.random.default_rng(seed)
            drawn = []
            for _ in range(resamples):
                pick = generator.integers(0, len(pairs), len(pairs))
                one = krippendorff_alpha([[row[i] for i in pick] for row in table])
                if one is not None:
                    drawn.append(one)
            if drawn:
                low, high = np.quantile(drawn, [0.025, 0.975])
                interval = (float(low), float(high))
        checks.append(ValidityCheck(dim, len(pairs), alpha, interval, _people_alpha(people, dim)))
    return checks


def _people_alpha(people: Mapping[str, Mapping[str, Sequence[float]]], dim: str) -> float | None:
    items = [list(found[dim]) for found in people.values() if found.get(dim)]
    most = max(map(len, items), default=0)
    if most < 2:
        return None
    return krippendorff_alpha([[item[k] if k < len(item) else None for item in items] for k in range(most)])


class SelfPreference(NamedTuple):
    """How much more than people a judge likes assistants of its own family."""

    difference: float | None
    """E[judge - human | same family] - E[judge - human | other]; None when one side is empty."""
    n_same: int
    n_other: int


def self_preference(rows: Iterable[Mapping[str, Any]]) -> SelfPreference:
    """Compare a judge's excess over people for its own family and for others.

    Args:
        rows: Rated episodes, each with ``judge_family``, ``agent_family``, ``judge`` and ``human``.
    """
    same: list[float] = []
    other: list[float] = []
    for row in rows:
        side = same if row["judge_family"] == row["agent_family"] else other
        side.append(float(row["judge"]) - float(row["human"]))
    a, b = _mean(same), _mean(other)
    return SelfPreference(None if a is None or b is None else a - b, len(same), len(other))


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
