"""Intervals, tests and agreement: pure functions over arrays."""

from supermarket_env.stats.agreement import (
    PositionBias,
    alpha_interval,
    icc,
    krippendorff_alpha,
    position_bias,
    quadratic_weighted_kappa,
)
from supermarket_env.stats.bootstrap import bca_interval, bootstrap_ci
from supermarket_env.stats.comparison import (
    PairedDifference,
    benjamini_hochberg,
    holm,
    mcnemar_exact,
    paired_difference,
    probability_of_improvement,
    sign_flip_test,
)
from supermarket_env.stats.conditions import ConditionAgreement, compare_conditions
from supermarket_env.stats.correlation import (
    PairedCorrelation,
    correlation_p,
    kendall_tau_b,
    kendall_w,
    paired_correlation,
)
from supermarket_env.stats.interval import Interval, wilson_interval
from supermarket_env.stats.reliability import iqm, iqm_interval, pass_at_k, pass_hat_k, performance_profile

__all__ = [
    "ConditionAgreement",
    "Interval",
    "PairedCorrelation",
    "PairedDifference",
    "PositionBias",
    "alpha_interval",
    "bca_interval",
    "benjamini_hochberg",
    "bootstrap_ci",
    "compare_conditions",
    "correlation_p",
    "holm",
    "icc",
    "iqm",
    "iqm_interval",
    "kendall_tau_b",
    "kendall_w",
    "krippendorff_alpha",
    "mcnemar_exact",
    "paired_correlation",
    "paired_difference",
    "pass_at_k",
    "pass_hat_k",
    "performance_profile",
    "position_bias",
    "probability_of_improvement",
    "quadratic_weighted_kappa",
    "sign_flip_test",
    "wilson_interval",
]
