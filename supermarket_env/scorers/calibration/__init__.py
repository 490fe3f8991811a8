"""Calibration of automatic scores to human labels."""

from supermarket_env.scorers.calibration.core import LIMITS, Adjusted, Calibration, adjust, calibrate
from supermarket_env.scorers.calibration.estimate import PredictionPowered, band_interval, prediction_powered_mean
from supermarket_env.scorers.calibration.satisfaction import calibrate_satisfaction, satisfaction_of, weighted_mean
from supermarket_env.scorers.calibration.scale import rescale

__all__ = [
    "LIMITS",
    "Adjusted",
    "Calibration",
    "PredictionPowered",
    "adjust",
    "band_interval",
    "calibrate",
    "calibrate_satisfaction",
    "prediction_powered_mean",
    "rescale",
    "satisfaction_of",
    "weighted_mean",
]
