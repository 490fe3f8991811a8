"""Do the comparisons keep their promises? Two assistants of equal quality and unequal luck, compared again and again.

python benchmarks/null_data.py                 1,000 repeats, about 4 minutes, writes the table of docs/comparing.md
python benchmarks/null_data.py --repeats 100   a quick look, writes nothing

Rejections at the 5 % level must not exceed 6.5 % for exact tests and for a family under Holm, and lie in 3.5-6.5 % for
the sign flip (n >= 50); 95 % intervals must cover the truth in 93-97 % (n >= 100, and Student's t of few tasks).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from supermarket_env.compare.pages import markdown_rows
from supermarket_env.compare.paired import Pair, effect_of
from supermarket_env.compare.values import VALUES
from supermarket_env.metrics.aggregate import rows_of
from supermarket_env.stats import holm

BEGIN, END = "<!-- null data: begin (python benchmarks/null_data.py writes this part) -->", "<!-- null data: end -->"
RESAMPLES = 1000
DRAWS = 10_000
FAMILY = 5
SMALL = 10

Floats = npt.NDArray[np.float64]


class Check(NamedTuple):
    """One promise and how it was kept."""

    name: str
    n: int
    share: float
    low: float
    high: float

    @property
    def kept(self) -> bool:
        return self.low <= self.share <= self.high


def pairs(n: int) -> list[Pair]:
    """Return empty pairs that carry nothing but task and stratum; the values come beside them."""
    line = {"schema": "supermarket.episode/1", "agent": "a", "user": "u", "store": "s", "trial": 0,
            "events": [{"k": "end", "reason": "left"}]}  # fmt: skip
    rows = rows_of({**line, "episode_id": str(k), "task_id": str(k), "stratum": str(k % 3)} for k in range(n))
    return [Pair(("s", str(k)), 0, row, row) for k, row in enumerate(rows)]


def graded(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Return satisfactions of two equal assistants: a task's difficulty is common, luck is not; many ties at 1."""
    base = rng.beta(2.0, 1.5, n)
    return tuple(np.clip(base + rng.normal(0.0, 0.3, n), 0.0, 1.0) for _ in range(2))  # type: ignore[return-value]


def binary(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Return successes of two equal assistants on tasks of common difficulty."""
    chance = rng.beta(2.0, 1.5, n)
    return tuple((rng.random(n) < chance).astype(np.float64) for _ in range(2))  # type: ignore[return-value]


def _effect(name: str, places: Sequence[Pair], values: tuple[Floats, Floats]) -> Any:
    read = [(pair, float(a), float(b)) for pair, a, b in zip(places, *values, strict=True)]
    return effect_of(VALUES[name], read, tested=True, resamples=RESAMPLES, draws=DRAWS)


def run(repeats: int, seed: int = 0) -> list[Check]:
    """Return every promise with the share seen in ``repeats`` data sets.

    Fewer repeats get bounds that are wider by three standard errors of what 1,000 repeats allow.
    """
    rng = np.random.default_rng(seed)
    slack = 3 * (0.05 * 0.95) ** 0.5 * (repeats**-0.5 - 1000**-0.5) if repeats < 1000 else 0.0
    checks = []
    places = pairs(SMALL)
    found = [_effect("NS", places, graded(rng, SMALL)) for _ in range(repeats)]
    covered = sum(effect.low <= 0 <= effect.high for effect in found) / repeats
    checks.append(Check("Student's t interval, graded: coverage", SMALL, covered, 0.93 - slack, 0.97 + slack))
    for n in (50, 100):
        places = pairs(n)
        found = [_effect("NS", places, graded(rng, n)) for _ in range(repeats)]
        flips = sum(effect.p <= 0.05 for effect in found) / repeats
        checks.append(Check("sign flip, graded: rejections", n, flips, 0.035 - slack, 0.065 + slack))
        if n >= 100:
            covered = sum(effect.low <= 0 <= effect.high for effect in found) / repeats
            checks.append(Check("bootstrap interval, graded: coverage", n, covered, 0.93 - slack, 0.97 + slack))
        found = [_effect("SR_complete", places, binary(rng, n)) for _ in range(repeats)]
        exact = sum(effect.p <= 0.05 for effect in found) / repeats
        checks.append(Check("McNemar, exact: rejections", n, exact, 0.0, 0.065 + slack))
        if n >= 100:
            covered = sum(effect.low <= 0 <= effect.high for effect in found) / repeats
            checks.append(Check("Newcombe interval, shares: coverage", n, covered, 0.93 - slack, 0.97 + slack))
    places, wrong = pairs(50), 0
    for _ in range(repeats):
        p = [_effect("NS", places, graded(rng, 50)).p for _ in range(FAMILY)]
        wrong += min(holm(p)) <= 0.05
    checks.append(Check(f"family of {FAMILY} under Holm: any rejection", 50, wrong / repeats, 0.0, 0.065 + slack))
    return checks


def table(checks: Sequence[Check], repeats: int) -> str:
    rows = [
        [check.name, str(check.n), str(repeats), f"{100 * check.share:.1f} %",
         f"{100 * max(0.0, check.low):.1f}-{100 * check.high:.1f} %", "yes" if check.kept else "NO"]
        for check in checks
    ]  # fmt: skip
    return markdown_rows(("what", "n tasks", "repeats", "seen", "promised", "kept"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1000)
    chosen = parser.parse_args()
    checks = run(chosen.repeats)
    text = table(checks, chosen.repeats)
    print(text)
    if chosen.repeats >= 1000:
        page = Path(__file__).parent.parent / "docs" / "comparing.md"
        old = page.read_text(encoding="utf-8")
        start, stop = old.index(BEGIN) + len(BEGIN), old.index(END)
        page.write_text(f"{old[:start]}\n{text}{old[stop:]}", encoding="utf-8")
    sys.exit(0 if all(check.kept for check in checks) else 1)


if __name__ == "__main__":
    main()
