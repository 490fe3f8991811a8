"""The published names of the observation's features are as many as the features."""

from __future__ import annotations

from supermarket_env.envs import spaces
from supermarket_env.rules import observe


def test_every_feature_has_one_name() -> None:
    for names, size in (
        (spaces.NEED_NAMES, observe.NEED_FEATURES),
        (spaces.CANDIDATE_NAMES, observe.CANDIDATE_FEATURES),
        (spaces.MOVE_NAMES, observe.MOVE_FEATURES),
        (spaces.TRIP_NAMES, observe.TRIP_FEATURES),
    ):
        assert len(names) == len(set(names)) == size
