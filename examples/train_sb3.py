"""MaskablePPO of sb3-contrib on the macro actions, in a few lines (extra ``rl``).

    python examples/train_sb3.py --steps 20000

``supermarket train`` does the same with a network that treats all needs alike, a start by cloning, and checkpoints.
"""

from __future__ import annotations

import argparse
from functools import partial

import gymnasium as gym
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from sb3_contrib import MaskablePPO

from supermarket_env.train.sb3_vec_env import Sb3VecEnv
from supermarket_env.wrappers import FlatObservation, MacroActions


def make(store: str) -> gym.Env:
    """Return one environment: whole messages as actions, one row of numbers as observation."""
    env = gym.make("supermarket_env:Supermarket-v0", store=store, suite="train", texts=False)
    return FlatObservation(MacroActions(env))


def main() -> None:
    """Train and save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--envs", type=int, default=8)
    parser.add_argument("--store", default="neighbourhood")
    parser.add_argument("--out", default="runs/sb3_example")
    options = parser.parse_args()
    makers = [partial(make, options.store)] * options.envs
    envs = Sb3VecEnv(SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP))
    model = MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=256, gamma=1.0, seed=0, verbose=1, device="cpu")
    model.learn(options.steps)
    model.save(options.out)
    envs.close()


if __name__ == "__main__":
    main()
