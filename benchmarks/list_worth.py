"""What would users take from the top of a list? The learned order of goods against the searched weights, by store.

    python benchmarks/list_worth.py             # a minute; rewrites a table of docs/training.md
    python benchmarks/list_worth.py --steps 500 --dry

Every list of training trips apart is ordered both ways. A user reads on with probability 0.85 an item (the mean of
`attention`) and takes the best it has read, so the worth of an order is the expected utility, above buying nothing, of
the best item read. Both order the same lists, so small differences show here that whole trips hide.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from user_page import table, write_table

from supermarket_env.agents.goods_network import GoodsNetwork
from supermarket_env.agents.learned import Learned
from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.tasks.suites import train_task, world_of
from supermarket_env.train.goods import Examples, HandMade, _Noting, gather
from supermarket_env.train.habits import CALM

PAGE = Path(__file__).resolve().parents[1] / "docs" / "training.md"
STORES: Final = {
    "neighbourhood (trained in)": ("neighbourhood",),
    "four generated layouts": ("generated:3", "generated:5", "generated:9", "generated:17"),
    "hyper": ("hyper",),
    "corner": ("corner",),
}
FIRST_TASK: Final = 7000
ATTENTION: Final = 0.85
LENGTH: Final = 9


def worth(judge: GoodsNetwork, examples: Examples) -> NDArray[np.float64]:
    """Return the worth of the order of each list, (lists,)."""
    scores = judge.worth(examples.features.astype(np.float64))
    found, at = [], 0
    for size in examples.sizes.tolist():
        margins = examples.margins[at : at + size]
        order = np.argsort(-scores[at : at + size], kind="stable")[:LENGTH]
        best = np.maximum.accumulate(np.maximum(margins[order], 0.0))
        reads_last = ATTENTION ** np.arange(len(order))
        reads_last[:-1] -= reads_last[1:]
        found.append(float(reads_last @ best))
        at += size
    return np.array(found)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--steps", type=int, default=8000, help="environment steps a row")
    parser.add_argument("--mode", default="auto", choices=("auto", "compiled", "plain"))
    parser.add_argument("--dry", action="store_true", help="do not write the page")
    options = parser.parse_args()
    tuned: Any = make_agent("rule_tuned")
    weights = HandMade(tuned.config.model_dump(mode="json"))
    learned = Learned().network
    rows = []
    for name, stores in STORES.items():
        games = [Game(world_of("embedded", store), texts=False, mode=options.mode) for store in stores]
        player = _Noting(network=weights, habits=CALM)

        def task(k: int, stores: tuple[str, ...] = stores) -> Any:
            return train_task(FIRST_TASK + k, store=stores[k % len(stores)])

        examples = gather(games, player, task, options.steps)
        before, after = worth(weights, examples), worth(learned, examples)
        gain = after - before
        error = gain.std() / np.sqrt(len(gain))
        share = f"{100 * gain.mean() / before.mean():+.1f} % (standard error {100 * error / before.mean():.1f})"
        goods = f"{examples.sizes.mean():.0f}"
        rows.append([name, f"{len(gain):,}", goods, f"{before.mean():.4f}", f"{after.mean():.4f}", share])
    text = table(("store", "lists", "goods to order", "searched weights", "learned order", "difference"), rows)
    print(text)
    if not options.dry:
        write_table("list-worth", text, PAGE)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
