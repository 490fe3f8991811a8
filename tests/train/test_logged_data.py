"""The data set of a stochastic policy: exact propensities, fixed splits, truth beside it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from supermarket_env.agents.policy_network import PolicyNetwork
from supermarket_env.envs.game import Game
from supermarket_env.errors import ConfigError
from supermarket_env.tasks.task import Task
from supermarket_env.train.logged import FLOOR, TARGETS, behaviour, make, split_of

Maker = Callable[..., PolicyNetwork]


def test_splits_are_fixed_by_position() -> None:
    assert Counter(split_of(k) for k in range(100)) == {"train": 80, "validation": 10, "test": 10}


def test_the_data_set_says_what_was_drawn_from_what(
    network: Maker, game: Game, tasks: list[Task], tmp_path: Path
) -> None:
    policy = network()
    out = make(game, policy, tasks, tmp_path / "a", truth_episodes=3)
    rows = 0
    for name in ("train", "validation", "test"):
        with np.load(out / f"{name}.npz") as data:
            part = {key: data[key] for key in data.files}
        rows += len(part["action"])
        shares = part["probabilities"]
        assert shares.sum(axis=1) == pytest.approx(1.0)
        assert part["propensity"] == pytest.approx(shares[np.arange(len(shares)), part["action"]])
        assert part["mask"][np.arange(len(shares)), part["action"]].all()
        least = FLOOR / part["mask"].sum(axis=1)
        assert (part["propensity"] >= least - 1e-12).all()
        for k in (0, len(shares) - 1):
            expected = behaviour(policy, part["observation"][k], part["mask"][k], 1.5)
            assert shares[k] == pytest.approx(expected)
        for target in TARGETS:
            assert part[f"target_{target}"].sum(axis=1) == pytest.approx(1.0, abs=1e-5)
            assert not (part[f"target_{target}"][~part["mask"]]).any()
        assert part["done"].sum() == len(set(part["episode"].tolist()))
        assert {split_of(k) for k in part["episode"].tolist()} == {name}
    about = json.loads((out / "truth.json").read_text())
    assert sum(about["splits"].values()) == rows
    assert set(about["truth"]) == {"behaviour", *TARGETS}
    assert all(0.0 <= entry["need_satisfaction"] <= 1.0 for entry in about["truth"].values())


def test_it_is_the_same_every_time_and_another_with_another_seed(
    network: Maker, game: Game, tasks: list[Task], tmp_path: Path
) -> None:
    actions = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        out = make(game, network(), tasks[:10], tmp_path / name, truth_episodes=1, seed=seed)
        with np.load(out / "train.npz") as data:
            actions.append(data["action"].tolist())
    assert actions[0] == actions[1]
    assert actions[0] != actions[2]


def test_too_few_tasks_are_refused(network: Maker, game: Game, tasks: list[Task], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least 10"):
        make(game, network(), tasks[:9], tmp_path)
