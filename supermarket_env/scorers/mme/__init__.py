"""MME-CRS: seven scores of a reply and their composition, weighted by agreement with people.

The seven here are light stand-ins with honest labels (``impl``); any object with the members of :class:`SubMetric` can
take a place.
"""

from supermarket_env.scorers.mme.composition import (
    composite,
    crs_average,
    crs_power,
    crs_weights,
    is_informative,
)
from supermarket_env.scorers.mme.ratings import RatedReply, load_ratings
from supermarket_env.scorers.mme.submetric import (
    NAMES,
    Bounds,
    Specificity,
    SubMetric,
    percentile_bounds,
    scores_of,
    specificity,
)

__all__ = [
    "NAMES",
    "Bounds",
    "RatedReply",
    "Specificity",
    "SubMetric",
    "composite",
    "crs_average",
    "crs_power",
    "crs_weights",
    "is_informative",
    "load_ratings",
    "percentile_bounds",
    "scores_of",
    "specificity",
]
