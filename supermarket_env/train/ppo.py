"""Training a macro policy with MaskablePPO: start by cloning, checkpoints, resume, progress (extra ``rl``)."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from supermarket_env.agents.policy_network import PolicyNetwork
from supermarket_env.agents.ppo import Ppo
from supermarket_env.envs.game import Game
from supermarket_env.errors import ConfigError, MissingExtraError
from supermarket_env.events.types import PAID_REASONS
from supermarket_env.stats import bootstrap_ci
from supermarket_env.train.config import TrainConfig
from supermarket_env.train.demonstrations import Demonstrations
from supermarket_env.train.files import whole_lines, write_whole
from supermarket_env.train.play import TaskStream, play
from supermarket_env.train.stack import make_envs
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import load_world

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback

    from supermarket_env.train.clone import clone, demonstrations
    from supermarket_env.train.network import NeedPolicy, export
    from supermarket_env.train.sb3_vec_env import Sb3VecEnv
except ModuleNotFoundError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError(
        "training needs PyTorch and sb3-contrib: pip install 'supermarket_env[rl]' (a CPU build of torch will do)"
    ) from error

CONFIG_FILE: Final = "config.json"
CHECKPOINT: Final = "checkpoint.zip"
POLICY: Final = "policy.npz"
CURVE: Final = "progress.jsonl"
WATCHED: Final = 100
UNCOMPARED: Final = frozenset({"out", "progress", "checkpoint_every"})
"""Keys that do not change what is trained."""


class Point(NamedTuple):
    """How a training run stands."""

    steps: int
    satisfaction: float
    """Mean need satisfaction of the greedy policy on the watched training tasks."""
    success: float
    """Share of watched trips that end with a purchase."""
    reward: float | None
    """Mean reward of the training trips since the last point, compared with the teacher's in a paired run."""
    cpu_seconds: float
    """Of this run since it began, over all of its processes one after the other."""
    satisfaction_low: float | None = None
    satisfaction_high: float | None = None
    """95 % interval of the satisfaction over the watched tasks; ``None`` in curves of older versions."""
    watched: int | None = None
    """Watched tasks."""


Listener = Callable[[Point], None]


def train(config: TrainConfig, listener: Listener | None = None) -> Path:
    """Train a policy; returns its folder, with ``policy.npz`` and ``progress.jsonl`` in it.

    A folder with a checkpoint of the same configuration is gone on with; the environments then start with new
    episodes, so a resumed run is as good as an unbroken one but not equal to it. A finished one is left as it is.

    Raises:
        ConfigError: The folder holds a run of another configuration.
        KeyboardInterrupt: After Ctrl-C; what was learned is in the checkpoint.
    """
    torch.set_num_threads(1)  # the networks are small: more threads only wait for each other
    run = _Run(config, folder_of(config), listener)
    run.check_folder()
    data = demonstrations(config) if config.start == "clone" and (_pairs(config) or not run.begun) else None
    envs = Sb3VecEnv(make_envs(config, _totals(config, data) if data is not None and _pairs(config) else None))
    try:
        envs.seed(config.seed + 1_000_003 * run.begun)
        if (run.folder / CHECKPOINT).is_file():
            model = MaskablePPO.load(run.folder / CHECKPOINT, env=envs, device="cpu")
        else:
            model = make_model(config, envs)
            if data is not None:
                clone(model.policy, _compared_data(data) if _pairs(config) else data, config)
                model.num_timesteps = len(data.macros)
            run.save(model)
        left = config.steps - model.num_timesteps
        if left > 0:
            try:
                model.learn(left, callback=_Saver(run), reset_num_timesteps=False)
            finally:
                run.save(model)
    finally:
        envs.close()
    return run.folder


def _pairs(config: TrainConfig) -> bool:
    return config.paired and config.start == "clone" and config.clone.log is None and len(config.stores) == 1


def _totals(config: TrainConfig, data: Demonstrations) -> dict[str, float]:
    """Return the teacher's reward by task id."""
    return {f"train-{config.first_task + k:06d}": total for k, total in enumerate(data.totals)}


def _compared_data(data: Demonstrations) -> Demonstrations:
    """Return demonstrations whose returns are compared with themselves: what was earned so far, taken away."""
    totals = np.array(data.totals, dtype=np.float32)
    return data._replace(returns=data.returns - totals[np.cumsum(data.turns == 1) - 1])


def folder_of(config: TrainConfig) -> Path:
    """Return the folder of a run."""
    if config.out is not None:
        return Path(config.out)
    text = json.dumps(_compared(config), sort_keys=True)
    return Path("runs") / f"train-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def make_model(config: TrainConfig, envs: Sb3VecEnv) -> MaskablePPO:
    """Return an untrained model."""
    ppo = config.ppo
    first, last = ppo.learning_rate, ppo.final_learning_rate
    n_steps = min(ppo.n_steps, max(1, config.steps // config.n_envs))
    return MaskablePPO(
        NeedPolicy,
        envs,
        learning_rate=_Falling(first, last),
        n_steps=n_steps,
        batch_size=min(ppo.batch_size, n_steps * config.n_envs),
        n_epochs=ppo.n_epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.ent_coef,
        vf_coef=ppo.vf_coef,
        target_kl=ppo.target_kl,
        policy_kwargs={"width": ppo.width},
        seed=config.seed,
        device="cpu",
    )


class _Falling:
    """A learning rate that falls in a straight line with what is left of the run."""

    def __init__(self, first: float, last: float) -> None:
        self.first, self.last = first, last

    def __call__(self, left: float) -> float:
        return self.last + left * (self.first - self.last)


class _Run:
    """The folder of a training run."""

    def __init__(self, config: TrainConfig, folder: Path, listener: Listener | None) -> None:
        self.config, self.folder, self.listener = config, folder, listener
        self.saved_at = -1
        self.begun = 0
        self.trips: list[float] = []
        """Rewards of the training trips since the last point."""
        self._spent_before = 0.0
        self._clock = time.process_time()
        self._watch: tuple[Game, Any] | None = None

    def check_folder(self) -> None:
        """Make the folder, or check that what is in it belongs to this run."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / CONFIG_FILE
        now = _compared(self.config)
        if file.is_file():
            before = json.loads(file.read_text(encoding="utf-8"))
            differing = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
            if differing:
                raise ConfigError(
                    f"{self.folder} holds a training run of another configuration (differs in {', '.join(differing)}); "
                    "give another out=, or delete it"
                )
            points = self.points()
            if points:
                self._spent_before, self.begun, self.saved_at = points[-1].cpu_seconds, len(points), points[-1].steps
        else:
            text = json.dumps(now, indent=1, sort_keys=True)
            write_whole(file, lambda part: part.write_text(text, encoding="utf-8"))

    def points(self) -> list[Point]:
        """Return the curve so far."""
        return [Point(**entry) for entry in whole_lines(self.folder / CURVE)]

    def save(self, model: MaskablePPO) -> None:
        """Write checkpoint, policy and a point of the curve, unless that was done at this step."""
        if model.num_timesteps == self.saved_at:
            return
        write_whole(self.folder / CHECKPOINT, model.save)
        network = self.network(model)
        write_whole(self.folder / POLICY, network.save)
        spent = self._spent_before + time.process_time() - self._clock
        satisfied, paid = self._watched(network)
        earned = float(np.mean(self.trips)) if self.trips else None
        self.trips.clear()
        low, high = bootstrap_ci(satisfied) or (None, None)
        point = Point(model.num_timesteps, float(np.mean(satisfied)), float(np.mean(paid)), earned, round(spent, 2),
                      low, high, len(satisfied))  # fmt: skip
        with (self.folder / CURVE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(point._asdict()) + "\n")
        self.saved_at = model.num_timesteps
        if self.listener is not None:
            self.listener(point)

    def network(self, model: MaskablePPO) -> PolicyNetwork:
        """Return the policy as it is."""
        meta = {
            "thresholds": self.config.threshold_fields(),
            "steps": model.num_timesteps,
            "training": _compared(self.config),
        }
        return export(model.policy, meta, self.config.blind)

    def _watched(self, network: PolicyNetwork) -> tuple[list[float], list[bool]]:
        """Return need satisfaction and whether it paid, for each watched task."""
        if self._watch is None:
            config, store = self.config, self.config.stores[0]
            user = UserConfig.model_validate(config.user)
            game = Game(load_world("embedded", store), texts=False, mode=config.mode, user=user)
            self._watch = game, TaskStream(store, watched=WATCHED).watched
        game, tasks = self._watch
        assistant = Ppo(network=network, words=False)
        found = []
        for task in tasks:
            satisfied = play(game, assistant, task)
            found.append((satisfied, game.reason in PAID_REASONS))
        return [s for s, _ in found], [p for _, p in found]


class _Saver(BaseCallback):  # type: ignore[misc, unused-ignore]
    """Saves between updates."""

    def __init__(self, run: _Run) -> None:
        super().__init__()
        self._run = run
        self._earned: Any = 0.0

    def _on_step(self) -> bool:
        self._earned = self._earned + self.locals["rewards"]
        ended = self.locals["dones"]
        if ended.any():
            self._run.trips += self._earned[ended].tolist()
            self._earned[ended] = 0.0
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps - self._run.saved_at >= self._run.config.checkpoint_every:
            self._run.save(self.model)


def _compared(config: TrainConfig) -> dict[str, Any]:
    data = config.model_dump(mode="json")
    return {key: value for key, value in data.items() if key not in UNCOMPARED}
