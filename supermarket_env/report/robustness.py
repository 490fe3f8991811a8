"""What survives another user: rankings under many populations, and what each setting of the user moves.

Everything here is arithmetic on finished cells (:mod:`supermarket_env.run.cells`); nothing is played.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, NamedTuple

from supermarket_env.errors import ConfigError
from supermarket_env.run.cells import FIGURES, Cell
from supermarket_env.run.populations import Condition
from supermarket_env.stats import bootstrap_ci, kendall_tau_b, wilson_interval

ROBUST_SHARE: Final = 0.9
"""A claim holds when it is true in at least this share of the populations."""
PERMUTATIONS: Final = 500
CLEAR: Final = 3.0
"""Standard errors from which an effect of an ablation is called clear: with some 1,500 of them, two are not enough."""
UPLIFT: Final = "NS_uplift"


class Claim(NamedTuple):
    """``better`` is above ``worse`` in mean need satisfaction under the default population; how far that carries."""

    better: str
    worse: str
    default_gap: float
    share: float
    """Share of the populations in which it holds."""
    low: float
    high: float
    """95 % interval of the share (Wilson)."""
    smallest_gap: float
    setting: str
    """The drawn setting that goes with the gap most closely; empty without variance."""
    rho: float | None
    """Its rank correlation with the gap."""
    p: float | None
    """How often the closest of all settings is as close by chance (the gaps shuffled)."""

    @property
    def robust(self) -> bool:
        """Whether it is printed as a finding."""
        return self.share >= ROBUST_SHARE

    @property
    def flips(self) -> bool:
        """Whether some population turns it round."""
        return self.share < 1.0


@dataclass(frozen=True)
class Robustness:
    """Rankings under all populations beside that under the default one."""

    agents: tuple[str, ...]
    """From best to worst under the default population."""
    means: Mapping[str, Mapping[str, float]]
    """Mean need satisfaction by population and assistant, the default one first."""
    taus: tuple[float, ...]
    """Kendall's tau-b of each population's ranking with the default one."""
    tau_interval: tuple[float, float]
    """95 % interval of their mean, resampling populations."""
    taus_open: tuple[float, ...]
    """The same without the assistants that are told the truth; empty with fewer than two others."""
    noise_tau: float
    """Mean tau between the default ranking and rankings by resampled tasks: what sampling alone disturbs."""
    claims: tuple[Claim, ...]


class Effect(NamedTuple):
    """What one ablation does to one figure of one assistant, paired by task."""

    setting: str
    end: str
    """``off`` or ``extreme``."""
    value: float
    agent: str
    figure: str
    base: float | None
    """Mean under the default population."""
    change: float | None
    """Mean paired difference."""
    se: float | None
    n: int
    scaled: float | None
    """``change`` in standard deviations of the figure over tasks; None where it does not vary."""

    @property
    def clear(self) -> bool:
        """Whether the change is far from 0 for its standard error."""
        return self.change is not None and self.se is not None and abs(self.change) > CLEAR * self.se


def robustness(
    conditions: Sequence[Condition], cells: Iterable[Cell], *, privileged: Iterable[str] = (), seed: int = 0
) -> Robustness:
    """Compare rankings.

    Args:
        conditions: The default population first, then the drawn ones (at least two).
        cells: Their cells.
        privileged: Assistants told the truth; a second figure leaves them out.
        seed: Seed of resampling and shuffling.

    Raises:
        ConfigError: Fewer than two assistants or drawn populations.
    """
    table: dict[str, dict[str, list[float | None]]] = {}
    for cell in cells:
        table.setdefault(cell.condition, {})[cell.agent] = cell.values["NS"]
    default = conditions[0].name
    drawn = list(conditions[1:])
    if len(drawn) < 2 or len(table[default]) < 2:
        raise ConfigError("a sensitivity report needs at least two populations and two assistants")
    means = {c.name: {a: _mean(v) for a, v in table[c.name].items()} for c in conditions}
    agents = tuple(sorted(means[default], key=lambda a: (-means[default][a], a)))
    taus = tuple(_tau(agents, means[default], means[c.name]) for c in drawn)
    told = set(privileged)
    rest = tuple(a for a in agents if a not in told)
    interval = bootstrap_ci(taus, seed=seed)
    return Robustness(
        agents=agents,
        means=means,
        taus=taus,
        tau_interval=(min(taus), max(taus)) if interval is None else (interval.low, interval.high),
        taus_open=tuple(_tau(rest, means[default], means[c.name]) for c in drawn) if len(rest) > 1 else (),
        noise_tau=_noise(agents, table[default], means[default], seed),
        claims=tuple(_claim(pair, drawn, means, means[default], seed) for pair in combinations(agents, 2)),
    )


def _mean(values: Sequence[float | None]) -> float:
    known = [v for v in values if v is not None]
    return math.fsum(known) / len(known) if known else 0.0


def _tau(agents: Sequence[str], x: Mapping[str, float], y: Mapping[str, float]) -> float:
    tau = kendall_tau_b([x[a] for a in agents], [y[a] for a in agents])
    # A population in which all assistants are equal ranks nobody: it neither agrees nor disagrees.
    return 0.0 if tau is None else tau


def _noise(
    agents: Sequence[str], values: Mapping[str, Sequence[float | None]], means: Mapping[str, float], seed: int
) -> float:
    import numpy as np

    table = np.array([[v or 0.0 for v in values[a]] for a in agents])
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(200):
        sample = table[:, rng.integers(0, table.shape[1], table.shape[1])].mean(axis=1).tolist()
        found.append(_tau(agents, means, dict(zip(agents, sample, strict=True))))
    return math.fsum(found) / len(found)


def _claim(
    pair: tuple[str, str],
    drawn: Sequence[Condition],
    means: Mapping[str, Mapping[str, float]],
    default: Mapping[str, float],
    seed: int,
) -> Claim:
    better, worse = pair
    gaps = [means[c.name][better] - means[c.name][worse] for c in drawn]
    holds = sum(gap > 0.0 for gap in gaps)
    bounds = wilson_interval(holds, len(gaps))
    low, high = (0.0, 1.0) if bounds is None else bounds
    setting, rho, p = closest_setting(drawn, gaps, seed=seed)
    return Claim(
        better, worse, default[better] - default[worse], holds / len(gaps), low, high, min(gaps), setting, rho, p
    )  # fmt: skip


def closest_setting(
    drawn: Sequence[Condition], outcome: Sequence[float], *, seed: int = 0
) -> tuple[str, float | None, float | None]:
    """Return the drawn setting with the largest rank correlation with an outcome, the correlation and its p.

    The p value is that of the largest correlation among all settings: the outcome is shuffled and the largest one is
    looked up again. The name is empty when the outcome or all settings are constant, or populations are fewer than 3.
    """
    import numpy as np
    from scipy.stats import rankdata

    names = sorted(drawn[0].settings) if drawn else []
    if len(drawn) < 3 or not names or len(set(outcome)) == 1:
        return "", None, None
    columns = np.array([[c.settings[name] for name in names] for c in drawn])
    ranks = rankdata(columns, axis=0)
    ranks = ranks - ranks.mean(axis=0)
    length = np.sqrt((ranks**2).sum(axis=0))
    target = rankdata(outcome)
    target = (target - target.mean()) / np.sqrt(((target - target.mean()) ** 2).sum())
    unit = np.divide(ranks, length, out=np.zeros_like(ranks), where=length > 0)
    rhos = target @ unit
    best = int(np.argmax(np.abs(rhos)))
    rng = np.random.default_rng(seed)
    shuffled = np.array([np.abs(rng.permutation(target) @ unit).max() for _ in range(PERMUTATIONS)])
    p = (1 + int((shuffled >= abs(rhos[best]) - 1e-12).sum())) / (PERMUTATIONS + 1)
    return names[best], float(rhos[best]), p


def effects(conditions: Sequence[Condition], cells: Iterable[Cell], reference: str = "silent") -> list[Effect]:
    """Return the effect of every ablation on every figure of every assistant.

    Args:
        conditions: The default population first, then the ablations (named ``SETTING:END``).
        cells: Their cells.
        reference: Assistant that ``NS_uplift`` of the others is measured against, if it was played.
    """
    table: dict[str, dict[str, dict[str, list[float | None]]]] = {}
    for cell in cells:
        table.setdefault(cell.condition, {})[cell.agent] = dict(cell.values)
    for by_agent in table.values():
        for agent, values in by_agent.items():
            if agent != reference and reference in by_agent:
                values[UPLIFT] = _difference(values["NS"], by_agent[reference]["NS"])
    base = table[conditions[0].name]
    found = []
    for condition in conditions[1:]:
        setting, _, end = condition.name.partition(":")
        value = next(iter(condition.settings.values()))
        for agent, values in table[condition.name].items():
            found += [
                _effect((setting, end, value, agent, figure), base[agent][figure], values[figure])
                for figure in (*FIGURES, UPLIFT)
                if figure in values
            ]
    return found


def _effect(
    labels: tuple[str, str, float, str, str], base: Sequence[float | None], values: Sequence[float | None]
) -> Effect:
    known = [v for v in base if v is not None]
    pairs = [d for d in _difference(values, base) if d is not None]
    mean = math.fsum(known) / len(known) if known else None
    if not pairs:
        return Effect(*labels, mean, None, None, 0, None)
    change = math.fsum(pairs) / len(pairs)
    se = _deviation(pairs) / math.sqrt(len(pairs)) if len(pairs) > 1 else None
    deviation = _deviation(known) if len(known) > 1 else 0.0
    return Effect(*labels, mean, change, se, len(pairs), change / deviation if deviation > 0.0 else None)


def _difference(x: Sequence[float | None], y: Sequence[float | None]) -> list[float | None]:
    return [None if a is None or b is None else a - b for a, b in zip(x, y, strict=True)]


def _deviation(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))


def summary(found: Robustness) -> dict[str, Any]:
    """Return the findings as JSON-ready data."""
    return {
        "agents": list(found.agents),
        "default": dict(found.means[next(iter(found.means))]),
        "tau": {
            "mean": math.fsum(found.taus) / len(found.taus),
            "interval": list(found.tau_interval),
            "lowest": min(found.taus),
            "without_privileged": math.fsum(found.taus_open) / len(found.taus_open) if found.taus_open else None,
            "resampled_tasks": found.noise_tau,
            "n": len(found.taus),
        },
        "claims": [claim._asdict() | {"robust": claim.robust} for claim in found.claims],
    }
