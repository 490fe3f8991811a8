"""MaskablePPO of sb3-contrib on the macro actions, in a few lines (extra ``rl``).

    python examples/train_sb3.py --steps 20000

``supermarket train`` does the same with a network that treats all needs alike, a start by cloning, and checkpoints.
"""

from __future__ import annotations

import argparse

from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO

from supermarket_env.train.sb3_vec_env import Sb3VecEnv
from supermarket_env.wrappers import MacroVectorEnv


def main() -> None:
    """Train and save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--store", default="neighbourhood")
    parser.add_argument("--out", default="runs/sb3_example")
    options = parser.parse_args()
    envs = Sb3VecEnv(
        MacroVectorEnv(options.envs, store=options.store, suite="train", autoreset_mode=AutoresetMode.SAME_STEP)
    )
    model = MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=256, gamma=1.0, seed=0, verbose=1, device="cpu")
    model.learn(options.steps)
    model.save(options.out)
    envs.close()


if __name__ == "__main__":
    main()
