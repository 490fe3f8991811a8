"""The example programs run; those whose library is missing are skipped."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import gymnasium as gym
import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_sb3_trains_on_the_native_vector_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sb3_contrib")
    words = ["--steps", "128", "--envs", "2", "--store", "corner", "--out", str(tmp_path / "policy")]
    monkeypatch.setattr(sys, "argv", ["train_sb3.py", *words])
    example("train_sb3").main()
    assert (tmp_path / "policy.zip").is_file()


def test_both_ways_of_rllib_show_the_same_rows() -> None:
    """What RLlib's workers call; the training itself needs an environment of its own (docs/training.md)."""
    pytest.importorskip("ray.rllib")
    pytest.importorskip("torch")
    program = example("train_rllib")
    config = {"store": "corner", "mode": "plain", "train_tasks": 5}
    single, batch = program.make(config), program.make({**config, "num_envs": 2})
    assert isinstance(batch, gym.vector.VectorEnv)
    assert batch.single_observation_space == single.observation_space
    assert batch.single_action_space == single.action_space
    rows, _ = batch.reset(seed=3)
    assert np.array_equal(rows[0], single.reset(seed=3)[0])
