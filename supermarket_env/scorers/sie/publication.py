"""Whether a system's result may be published: enough items of its own, enough raters, raters who agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from supermarket_env.scorers.sie.agreement import GOOD_ALPHA, TENTATIVE_ALPHA, judge_alpha
from supermarket_env.scorers.sie.build import PER_STRATUM, VIABLE_PER_STRATUM, Status
from supermarket_env.scorers.sie.sheets import FEWEST_RATERS, MOST_RATERS

Verdict = Literal["yes", "tentative", "no"]


class Publication(NamedTuple):
    """A verdict and what it rests on."""

    verdict: Verdict
    reasons: tuple[str, ...]
    """What speaks against it; empty for ``yes``."""


def publication_of(status: Status, n_raters: int, alphas: Mapping[str, float | None]) -> Publication:
    """Return whether a result may be published.

    Alpha decides once there are enough items and raters: below 0.667 in any dimension nothing is published, below 0.8
    it is tentative. Percent agreement decides nothing: it rises by itself when everybody gives a 4.

    Args:
        status: What the number of this system's graded items allows.
        n_raters: Raters of the system.
        alphas: Krippendorff's alpha by dimension, None where it is not defined.

    >>> publication_of("publishable", 3, {"relevance": 0.81, "empathy": 0.7}).verdict
    'tentative'
    """
    reasons = []
    if status != "publishable":
        least = VIABLE_PER_STRATUM if status == "too_small" else PER_STRATUM
        reasons.append(f"fewer than {least} graded items of this system a stratum")
    if n_raters < FEWEST_RATERS:
        reasons.append(f"{n_raters} rater(s), {FEWEST_RATERS} to {MOST_RATERS} are needed")
    undefined = [name for name, alpha in alphas.items() if alpha is None]
    if undefined:
        reasons.append(f"alpha is not defined for {', '.join(undefined)} (no pairs, or all grades are equal)")
    low = _listed(alphas, "poor")
    if low:
        reasons.append(f"alpha below {TENTATIVE_ALPHA}: {low}")
    if reasons:
        return Publication("no", tuple(reasons))
    middling = _listed(alphas, "tentative")
    if middling:
        return Publication("tentative", (f"alpha below {GOOD_ALPHA}: {middling}",))
    return Publication("yes", ())


def _listed(alphas: Mapping[str, float | None], verdict: str) -> str:
    chosen = [(name, alpha) for name, alpha in alphas.items() if alpha is not None and judge_alpha(alpha) == verdict]
    return ", ".join(f"{name} {alpha:.3f}" for name, alpha in chosen)
