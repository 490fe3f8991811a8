"""SIE, Simulated Interaction Evaluation: a blind panel grades five dimensions of human likeness."""

from supermarket_env.scorers.sie.agreement import SimpleAgreement, agreement_of, calibration_round, simple_agreement
from supermarket_env.scorers.sie.dimensions import (
    ANCHORS,
    DIMENSIONS,
    FLOOR,
    persona_bonus,
    persona_score,
)
from supermarket_env.scorers.sie.total import Total, dimension_means, item_means, sie_total
from supermarket_env.scorers.sie.weights import WEIGHT_SETS, WeightSet, weight_set

__all__ = [
    "ANCHORS",
    "DIMENSIONS",
    "FLOOR",
    "WEIGHT_SETS",
    "SimpleAgreement",
    "Total",
    "WeightSet",
    "agreement_of",
    "calibration_round",
    "dimension_means",
    "item_means",
    "persona_bonus",
    "persona_score",
    "sie_total",
    "simple_agreement",
    "weight_set",
]
