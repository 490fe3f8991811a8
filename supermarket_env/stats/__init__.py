"""Intervals, tests and agreement: pure functions over arrays."""

from supermarket_env.stats.agreement import (
    PositionBias,
    icc,
    krippendorff_alpha,
    position_bias,
    quadratic_weighted_kappa,
)
from supermarket_env.stats.bootstrap import bootstrap_ci
from supermarket_env.stats.comparison import (
    PairedDifference,
    holm,
    mcnemar_exact,
    paired_difference,
    probability_of_improvement,
    sign_flip_test,
)
from supermarket_env.stats.correlation import (
    PairedCorrelation,
    correlation_p,
    kendall_tau_b,
    kendall_w,
    paired_correlation,
)
from supermarket_env.stats.interval import Interval, wilson_interval
from supermarket_env.stats.reliability import iqm, pass_at_k, pass_hat_k

__all__ = [
    "Interval",
    "PairedCorrelation",
    "PairedDifference",
    "PositionBias",
    "bootstrap_ci",
    "correlation_p",
    "holm",
    "icc",
    "iqm",
    "kendall_tau_b",
    "kendall_w",
    "krippendorff_alpha",
    "mcnemar_exact",
    "paired_correlation",
    "paired_difference",
    "pass_at_k",
    "pass_hat_k",
    "position_bias",
    "probability_of_improvement",
    "quadratic_weighted_kappa",
    "sign_flip_test",
    "wilson_interval",
]
