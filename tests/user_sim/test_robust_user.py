"""The user of the robust suites: who it is follows from the seed, and what it does is what that user does."""

from __future__ import annotations

from typing import Any

import pytest

from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.envs.users import UserModel
from supermarket_env.errors import ConfigError
from supermarket_env.run.episode import EpisodeSpec, play_episode
from supermarket_env.tasks.suites import load_suite
from supermarket_env.user_sim.adversarial import Adversarial
from supermarket_env.user_sim.noisy import Noisy
from supermarket_env.user_sim.robust import Robust
from supermarket_env.world import load_world

TASK = load_suite("dev", n=1).tasks[0]
WORLD = load_world("embedded", "neighbourhood")


def events(model: UserModel, seed: int) -> list[dict[str, Any]]:
    game = Game(WORLD, mode="plain", user_model=model)
    line = play_episode(game, make_agent("rule"), EpisodeSpec(TASK, seed, EpisodeLabels(task_id=TASK.id))).line
    found: list[dict[str, Any]] = line["events"]
    return found


def test_every_trip_is_that_of_one_of_the_two() -> None:
    who = []
    for seed in range(12):
        mixed = events(Robust(adversarial=0.5), seed)
        noisy, hostile = events(Noisy(), seed), events(Adversarial(), seed)
        assert mixed in (noisy, hostile)
        who.append(mixed == hostile)
    assert 0 < sum(who) < len(who)


@pytest.mark.parametrize(("share", "other"), [(0.0, Noisy), (1.0, Adversarial)])
def test_the_share_can_be_nothing_or_all(share: float, other: type[Any]) -> None:
    assert events(Robust(adversarial=share), 4) == events(other(), 4)


@pytest.mark.parametrize("share", [-0.1, 1.5])
def test_no_share_is_refused(share: float) -> None:
    with pytest.raises(ConfigError, match="must be a share"):
        Robust(adversarial=share)
