"""RLlib on the native vector environment against RLlib on wrapped single ones: the same training, timed.

    python benchmarks/rllib_vector.py      # where the extra rllib is installed; rewrites a table of docs/training.md
    python benchmarks/rllib_vector.py --iterations 2 --dry

Both ways train PPO with the same seed, workers and batch (``examples/train_rllib.py``). The first iteration of each
warms up and is not timed.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
from ray import cloudpickle
from slices import machine
from user_page import table, write_table

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "training.md"
EXAMPLE = ROOT / "examples" / "train_rllib.py"


def example() -> ModuleType:
    """Return the example as a module."""
    spec = importlib.util.spec_from_file_location("train_rllib", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    cloudpickle.register_pickle_by_value(module)  # the workers cannot import it by its name
    return module


def main() -> int:
    """Train both ways and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--envs", type=int, default=32, help="environments a worker")
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--store", default="neighbourhood")
    parser.add_argument("--dry", action="store_true", help="do not write the page")
    options = parser.parse_args()
    program = example()
    settings = {key: value for key, value in vars(options).items() if key != "dry"}
    rows, rates = [], {}
    for way in ("vector", "wrappers"):
        steps = [0]
        playing, whole, rewards = [], [], []
        for now in program.train(way, **settings):
            playing.append((now.steps - steps[-1]) / now.sampling)
            whole.append((now.steps - steps[-1]) / now.seconds)
            steps.append(now.steps)
            rewards.append(now.reward)
            print(f"{way}: {now}", flush=True)
        rates[way] = float(np.median(playing[1:] or playing))
        iterations = float(np.median(whole[1:] or whole))
        reward = f"{rewards[0]:.3f} to {rewards[-1]:.3f}"
        rows.append([program.NAMES[way], f"{steps[-1]:,}", reward, f"{rates[way]:,.0f}", f"{iterations:,.0f}"])
    head = ("environments", "steps", "mean reward, first to last", "steps/s while playing", "steps/s with learning")
    what = f"{options.workers} workers of {options.envs} environments, {options.batch:,} steps an iteration"
    text = (
        f"Measured on: {machine()}; {what}. While playing, the vector environment is "
        f"{rates['vector'] / rates['wrappers']:.1f} times as fast, the policy's own share included.\n\n"
        f"{table(head, rows)}"
    )
    print(text)
    if not options.dry:
        write_table("rllib", text, PAGE)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
