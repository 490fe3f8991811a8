"""Training itself, in small: it runs, saves, goes on, and what it saves plays (skipped without the extra ``rl``)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.ppo import Ppo
from supermarket_env.envs.game import Game
from supermarket_env.errors import ConfigError
from supermarket_env.tasks.task import Task
from supermarket_env.train.config import TrainConfig
from supermarket_env.train.layout import OBSERVATION

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from supermarket_env.train import ppo as training  # noqa: E402 - needs the extra
from supermarket_env.train.network import export  # noqa: E402
from supermarket_env.train.sb3_vec_env import Sb3VecEnv  # noqa: E402
from supermarket_env.train.stack import make_envs  # noqa: E402

SMALL: dict[str, Any] = {
    "steps": 500,
    "n_envs": 2,
    "tasks": 3,
    "stores": ["corner"],
    "mode": "plain",
    "thresholds": "rule",
    "clone": {"episodes": 3, "epochs": 2, "teacher": "rule"},
    "ppo": {"n_steps": 32, "batch_size": 32, "n_epochs": 1, "width": 8},
    "checkpoint_every": 64,
    "progress": False,
}


@pytest.fixture(autouse=True)
def few_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "WATCHED", 2)


def points(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "progress.jsonl").read_text().splitlines()]


def test_a_run_learns_saves_and_is_not_done_twice(tmp_path: Path, game: Game, tasks: list[Task]) -> None:
    config = TrainConfig.parse({**SMALL, "out": str(tmp_path / "run")})
    told: list[Any] = []
    folder = training.train(config, told.append)
    curve = points(folder)
    assert all(p["satisfaction_low"] <= p["satisfaction"] <= p["satisfaction_high"] for p in curve)
    assert {p["watched"] for p in curve} == {training.WATCHED}
    assert curve[-1]["steps"] >= 500
    assert [p["steps"] for p in curve] == sorted({p["steps"] for p in curve})
    assert len(told) == len(curve) > 2
    assistant = Ppo(folder, words=False)
    view = game.reset(tasks[0], seed=1)
    assistant.start(view)
    while not game.done:
        view = game.step(assistant.reply(view))
    assert not any(event["k"] == "fault" for event in game.events)
    training.train(config)
    assert points(folder) == curve
    other = TrainConfig.parse({**SMALL, "out": str(tmp_path / "run"), "seed": 1})
    with pytest.raises(ConfigError, match="seed"):
        training.train(other)


def test_the_same_seed_trains_the_same_policy(tmp_path: Path) -> None:
    weights = []
    for name in ("a", "b"):
        folder = training.train(TrainConfig.parse({**SMALL, "steps": 250, "out": str(tmp_path / name)}))
        with np.load(folder / "policy.npz") as data:
            weights.append(data["trip_head.w"])
    assert np.array_equal(weights[0], weights[1])


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    config = TrainConfig.parse({**SMALL, "out": str(tmp_path / "run")})

    def stop(point: training.Point) -> None:
        if point.steps > 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.train(config, stop)
    before = points(tmp_path / "run")
    assert 200 < before[-1]["steps"] < 500
    training.train(config)
    after = points(tmp_path / "run")
    assert after[: len(before)] == before
    assert after[-1]["steps"] >= 500
    assert after[-1]["cpu_seconds"] > before[-1]["cpu_seconds"]


@pytest.mark.parametrize("blind", ["none", "standpoint"])
def test_numpy_and_pytorch_give_the_same_scores(blind: str) -> None:
    config = TrainConfig.parse({**SMALL, "blind": blind})
    envs = Sb3VecEnv(make_envs(config))
    model = training.make_model(config, envs)
    policy = export(model.policy, {"thresholds": {}}, blind)
    x = np.random.Generator(np.random.Philox(0)).random((5, OBSERVATION), dtype=np.float32)
    seen = np.stack([policy.see(row, np.ones(49))[0] for row in x])
    with torch.no_grad():
        scores = model.policy.mlp_extractor.forward_actor(torch.as_tensor(seen)).numpy()
    for row, expected in zip(seen, scores, strict=True):
        assert policy.logits(row) == pytest.approx(expected, abs=1e-4)
    envs.close()


def test_a_reward_for_success_alone_pays_once(tmp_path: Path) -> None:
    config = TrainConfig.parse({**SMALL, "reward": "success", "start": "nothing", "steps": 64, "out": str(tmp_path)})
    envs = make_envs(config)
    envs.reset(seed=0)
    rewards, rng = [], np.random.Generator(np.random.Philox(1))
    for _ in range(120):
        _, reward, ended, _, _ = envs.step(rng.integers(49, size=2))
        rewards += reward[ended].tolist()
        assert not reward[~ended].any()
    assert set(rewards) <= {0.0, 1.0}
    envs.close()


def test_the_teacher_compared_with_itself_earns_nothing() -> None:
    config = TrainConfig.parse(SMALL)
    from supermarket_env.train.clone import demonstrations

    data = demonstrations(config)
    compared = training._compared_data(data)
    assert compared.returns[compared.turns == 1] == pytest.approx(0.0, abs=1e-6)
    assert len(training._totals(config, data)) == 3


def test_the_single_file_example_trains(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    file = Path(__file__).resolve().parents[2] / "examples" / "train_pytorch.py"
    source = file.read_text(encoding="utf-8")
    assert len(source.splitlines()) < 200
    monkeypatch.setattr(sys, "argv", ["train_pytorch.py", "--steps", "2000", "--store", "corner", "--mode", "plain"])
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, str(file), "exec"), namespace)
    assert "2048 steps" in capsys.readouterr().out
