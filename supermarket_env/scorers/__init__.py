"""Evaluation systems that read finished episodes: judge, SIE, MME-CRS, reply grades, virtual-agent metrics."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from supermarket_env.scorers.base import (
    Cost,
    Reply,
    ReplyScorer,
    Score,
    Scorer,
    ScoreSheet,
    impl_of,
    replies_of,
    unscored,
    wording_note,
)
from supermarket_env.scorers.registry import SCORERS, make_scorer, make_scorers

if TYPE_CHECKING:
    from supermarket_env.scorers.calibration import adjust, calibrate, rescale
    from supermarket_env.scorers.grade import grade_reply
    from supermarket_env.scorers.mme.composition import crs_average, crs_weights
    from supermarket_env.scorers.mme.submetric import specificity
    from supermarket_env.scorers.sie import persona_score, sie_total, simple_agreement

_LAZY: Final = {
    "adjust": "calibration",
    "calibrate": "calibration",
    "rescale": "calibration",
    "grade_reply": "grade",
    "crs_average": "mme.composition",
    "crs_weights": "mme.composition",
    "specificity": "mme.submetric",
    "persona_score": "sie",
    "sie_total": "sie",
    "simple_agreement": "sie",
}
"""Functions of the single systems, imported when they are first used: one system does not load the others."""

__all__ = [
    "SCORERS",
    "Cost",
    "Reply",
    "ReplyScorer",
    "Score",
    "ScoreSheet",
    "Scorer",
    "adjust",
    "calibrate",
    "crs_average",
    "crs_weights",
    "grade_reply",
    "impl_of",
    "make_scorer",
    "make_scorers",
    "persona_score",
    "replies_of",
    "rescale",
    "sie_total",
    "simple_agreement",
    "specificity",
    "unscored",
    "wording_note",
]


def __getattr__(name: str) -> Any:
    """Import a function of one of the systems."""
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
