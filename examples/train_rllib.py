"""PPO of RLlib on macro actions, with two local workers (extra ``rllib``, in a Python environment of its own).

    python -m venv .venv-rllib && .venv-rllib/bin/pip install -e ".[rllib,fast]"
    .venv-rllib/bin/python examples/train_rllib.py --iterations 5

Each worker steps one native vector environment (``--way vector``, RLlib's ``gym_env_vectorize_mode``); ``--way
wrappers`` lets RLlib put single wrapped environments side by side instead, which plays the same and takes longer.
RLlib masks in its own way; here the mask is part of the observation, and a macro that makes no sense says nothing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import gymnasium as gym
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env

from supermarket_env.wrappers import FlatObservation, MacroActions, MacroVectorEnv

ENV = "supermarket-macros"
NAMES = {"vector": "native vector environment", "wrappers": "wrapped single ones, side by side"}
WAYS = {"vector": gym.VectorizeMode.VECTOR_ENTRY_POINT, "wrappers": gym.VectorizeMode.SYNC}


class Progress(NamedTuple):
    """One iteration of training."""

    steps: int
    """Environment steps so far."""
    reward: float
    """Mean reward of the latest episodes."""
    sampling: float
    """Seconds a worker spent on playing."""
    seconds: float
    """Seconds of the whole iteration."""


def make(config: dict[str, Any]) -> Any:
    """Return a vector environment when RLlib says how many, else a single one (called in RLlib's workers)."""
    settings = {"suite": "train", **config}
    number = settings.pop("num_envs", None)
    if number is not None:
        return MacroVectorEnv(number, mask="observation", **settings)
    env = gym.make("supermarket_env:Supermarket-v0", texts=False, **settings)
    return FlatObservation(MacroActions(env, mask="observation"))


def train(
    way: str = "vector", *, iterations: int, workers: int, envs: int, store: str, batch: int = 2048
) -> Iterator[Progress]:
    """Train and yield how each iteration went."""
    register_env(ENV, make)
    config = (
        PPOConfig()
        .environment(ENV, env_config={"store": store})
        .env_runners(num_env_runners=workers, num_envs_per_env_runner=envs, gym_env_vectorize_mode=WAYS[way])
        .training(gamma=1.0, train_batch_size_per_learner=batch, minibatch_size=256, num_epochs=4)
        .debugging(seed=0)
    )
    algorithm = config.build_algo()
    try:
        for _ in range(iterations):
            begin = time.perf_counter()
            result = algorithm.train()
            runners = result["env_runners"]
            yield Progress(
                steps=int(result["num_env_steps_sampled_lifetime"]),
                reward=float(runners["episode_return_mean"]),
                sampling=float(runners["sample"]),
                seconds=time.perf_counter() - begin,
            )
    finally:
        algorithm.stop()


def main() -> None:
    """Train for some iterations and print each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--envs", type=int, default=16, help="environments a worker")
    parser.add_argument("--store", default="neighbourhood")
    parser.add_argument("--batch", type=int, default=2048, help="environment steps an iteration")
    parser.add_argument("--way", choices=WAYS, default="vector")
    options = parser.parse_args()
    for k, now in enumerate(train(**vars(options)), start=1):
        print(
            f"iteration {k}: {now.steps} steps, mean reward {now.reward:.3f}, {now.sampling:.1f} s of playing, "
            f"{now.seconds:.1f} s in all",
            flush=True,
        )


if __name__ == "__main__":
    main()
