"""Training the learned assistant: judgement of the goods by regression, habits by paired comparison (extra ``rl``).

    1. play training trips and note, for every list, how each product of the type looked and what the user thought of it
    2. fit a network to that, within each list: only the order counts
    3. on demand (``search_steps``), try habits one after the other, all values on the same trips with the same luck

What the user truly thinks of a product is known to the simulator on training tasks; the network sees what any assistant
may know, and playing needs neither the truth nor PyTorch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.agents.goods_network import FEATURES, LAYERS, Floats, GoodsNetwork, suitable
from supermarket_env.agents.learned import SHIPPED, Learned
from supermarket_env.agents.rule_config import RuleWeights
from supermarket_env.envs.game import Game
from supermarket_env.errors import ConfigError, MissingExtraError
from supermarket_env.tasks.suites import train_task
from supermarket_env.tasks.task import Task
from supermarket_env.train.config import GoodsConfig, thresholds_of
from supermarket_env.train.files import whole_lines, write_whole
from supermarket_env.train.habits import CALM, Note, Trial, search, trips_a_trial
from supermarket_env.train.play import play
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import load_world

EXAMPLES: Final = "examples.npz"
NETWORK: Final = "network.npz"
SEARCH: Final = "search.jsonl"
RECORD: Final = "learned.json"
FLOOR: Final = -0.2
"""Margins below are all the same: the user will not take it."""
BATCH: Final = 200
"""Lists an update."""


class Examples(NamedTuple):
    """Lists that were made, product by product."""

    features: NDArray[np.float32]
    """(products, FEATURES)"""
    margins: NDArray[np.float32]
    """(products,): utility above that of buying nothing, at least ``FLOOR``."""
    sizes: NDArray[np.int64]
    """(lists,): products of each list."""
    steps: int
    """Environment steps played."""


class HandMade(GoodsNetwork):
    """The rule assistant's ranking as a judgement of the same features: what examples are gathered with."""

    def __init__(self, thresholds: dict[str, Any]) -> None:
        self.meta = {"thresholds": thresholds}
        w = RuleWeights.model_validate(thresholds.get("weights", {}))
        shares = {
            "match": w.match, "brand": w.brand, "over_limit": -w.over_limit, "quality": w.quality,
            "relative_price": -w.price, "popularity": w.popularity,
        }  # fmt: skip
        self._weights = np.array([shares.get(name, 0.0) for name in FEATURES])

    def worth(self, features: Floats) -> Floats:
        """Return the weighted sums, (n,)."""
        worth: Floats = features @ self._weights
        return worth


class _Noting(Learned):
    """Notes every list it makes: the features of all goods that may be shown, and their numbers."""

    noted: list[tuple[str, list[int], Floats]]

    def start(self, view: Any) -> None:
        """Forget the earlier episode."""
        super().start(view)
        self.noted = []

    def judged(self, now: Any, need: Any, memo: Any, left_out: Any) -> list[str]:
        """Return what it would, and note what it saw."""
        goods, features = self.seen(now, need, memo)
        rows = [k for k, g in enumerate(goods) if g.id not in left_out and suitable(need, g)]
        if rows:
            self.noted.append((need.product_type, [goods[k].number for k in rows], features[rows]))
        return super().judged(now, need, memo, left_out)


def gather(
    games: Sequence[Game], player: _Noting, tasks: Callable[[int], Task], steps: int, note: Note = lambda text: None
) -> Examples:
    """Play training trips in turn over the games until ``steps`` turns are played; returns what was noted.

    Args:
        games: One a store.
        player: Plays and notes.
        tasks: Task number k, of the store of game k modulo the number of games.
        steps: Turns, at least one trip is played.
        note: Told every tenth of the way.
    """
    features: list[Floats] = []
    margins: list[float] = []
    sizes: list[int] = []
    played = k = 0
    while played < steps:
        game = games[k % len(games)]
        play(game, player, tasks(k))
        if 10 * (played + game.turn) // steps > 10 * played // steps:
            note(f"{played + game.turn:,} of {steps:,} steps played for examples")
        played, k = played + game.turn, k + 1
        needs = game.truth()["needs"]
        for kind, numbers, rows in player.noted:
            i = next((i for i, need in enumerate(needs) if kind in need["types"]), -1)
            if i >= 0:
                features.append(rows)
                margins += [_margin(game, i, p, float(needs[i]["outside"])) for p in numbers]
                sizes.append(len(numbers))
    return Examples(
        np.concatenate(features or [np.zeros((0, len(FEATURES)))]).astype(np.float32),
        np.array(margins, dtype=np.float32),
        np.array(sizes, dtype=np.int64),
        played,
    )


def _margin(game: Game, need: int, product: int, outside: float) -> float:
    utility = game.prepared.utility_of(need, product)
    if utility is None or game.prepared.violations(product):
        return FLOOR
    return max(FLOOR, utility - outside)


def fit(examples: Examples, config: GoodsConfig, thresholds: dict[str, Any], note: Note) -> GoodsNetwork:
    """Fit a network to examples: squared error of margins within each list.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ConfigError: There is no example.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("supermarket train goods needs PyTorch: pip install 'supermarket_env[rl]'") from error
    if not len(examples.sizes):
        raise ConfigError("no list was made on the way: more steps are needed")
    torch.set_num_threads(1)
    torch.manual_seed(config.seed)
    x, margins = torch.as_tensor(examples.features), torch.as_tensor(examples.margins)
    mean, scale = x.mean(dim=0), x.std(dim=0) + 1e-6
    x = (x - mean) / scale
    width = config.width
    widths = {"first": (len(FEATURES), width), "second": (width, width), "last": (width, 1)}
    layers = {name: torch.nn.Linear(*widths[name]) for name in LAYERS}
    parts = [part for name in LAYERS[:-1] for part in (layers[name], torch.nn.Tanh())]
    network = torch.nn.Sequential(*parts, layers["last"])
    optimizer = torch.optim.Adam(network.parameters(), config.learning_rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs)
    offsets = np.concatenate(([0], np.cumsum(examples.sizes)))
    rng = np.random.Generator(np.random.Philox(config.seed))
    for epoch in range(1, config.epochs + 1):
        total = 0.0
        order = rng.permutation(len(examples.sizes))
        for at in range(0, len(order), BATCH):
            lists = order[at : at + BATCH]
            rows = np.concatenate([np.arange(offsets[k], offsets[k + 1]) for k in lists])
            owner = torch.as_tensor(np.repeat(np.arange(len(lists)), examples.sizes[lists]))
            count = torch.as_tensor(examples.sizes[lists], dtype=torch.float32)
            off = network(x[rows])[:, 0] - margins[rows]
            loss = ((off - (torch.zeros(len(lists)).index_add_(0, owner, off) / count)[owner]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(rows)
        schedule.step()
        note(f"epoch {epoch} of {config.epochs}: squared error {total / len(x):.5f}")
    arrays = {"mean": mean.numpy(), "scale": scale.numpy()}
    for name in LAYERS:
        arrays |= {f"{name}.w": layers[name].weight.detach().numpy(), f"{name}.b": layers[name].bias.detach().numpy()}
    return GoodsNetwork(arrays, {"features": list(FEATURES), "thresholds": thresholds, "seed": config.seed})


def train(config: GoodsConfig, note: Note = lambda text: None) -> Path:
    """Train; returns the folder with ``learned.npz`` (plays) and ``learned.json`` (how it came about).

    Examples, network and every trial are kept as they come, so an interrupted run goes on where it was.

    Raises:
        ConfigError: The folder holds a run of another configuration, or a threshold is unknown.
        MissingExtraError: PyTorch is not installed.
    """
    folder = folder_of(config)
    folder.mkdir(parents=True, exist_ok=True)
    _same_run(folder, config)
    begin = time.process_time()
    thresholds = thresholds_of(config.thresholds)
    user = UserConfig.model_validate(config.user)
    games = [Game(load_world("embedded", store), texts=False, mode=config.mode, user=user) for store in config.stores]
    first = config.first_task + config.seed * 100_000

    def task(k: int) -> Task:
        return train_task(first + k, store=config.stores[k % len(config.stores)])

    if not (folder / NETWORK).is_file():
        if not (folder / EXAMPLES).is_file():
            player = _Noting(network=HandMade(thresholds), habits=CALM)
            examples = gather(games, player, task, config.steps, note)
            write_whole(folder / EXAMPLES, lambda file: np.savez_compressed(file, **examples._asdict()))
        with np.load(folder / EXAMPLES) as archive:
            features, margins, sizes = (archive[name] for name in ("features", "margins", "sizes"))
            examples = Examples(features, margins, sizes, int(archive["steps"]))
        note(f"{len(examples.sizes):,} lists from {examples.steps:,} steps")
        network = fit(examples, config, thresholds, note)
        network.meta |= {"example_steps": examples.steps, "cpu_seconds": round(time.process_time() - begin, 1)}
        write_whole(folder / NETWORK, network.save)
    network = GoodsNetwork.load(folder / NETWORK)

    trips = trips_a_trial(config.search_steps)

    def score(assistant: Learned, number: int) -> tuple[list[float], int]:
        found, steps = [], 0
        for k in range(50_000 + number * trips, 50_000 + (number + 1) * trips):
            game = games[k % len(games)]
            found.append(play(game, assistant, task(k)))
            steps += game.turn
        return found, steps

    def keep(trial: Trial) -> None:
        with (folder / SEARCH).open("a", encoding="utf-8") as file:
            file.write(json.dumps(trial._asdict()) + "\n")

    habits, trials = CALM, [Trial(**entry) for entry in whole_lines(folder / SEARCH)]
    if config.search_steps:
        habits, trials = search(network, score, note, trials, keep)
    network.meta |= {"habits": habits.model_dump(mode="json")}
    write_whole(folder / SHIPPED, network.save)
    record = {
        "seed": config.seed,
        "steps": int(network.meta["example_steps"]) + sum(trial.steps for trial in trials),
        "habits": habits.model_dump(mode="json"),
        "trials": [trial._asdict() for trial in trials],
        "cpu_seconds": network.meta.get("cpu_seconds"),
    }
    text = json.dumps(record, indent=1) + "\n"
    write_whole(folder / RECORD, lambda file: Path(file).write_text(text, encoding="utf-8"))
    return folder


def folder_of(config: GoodsConfig) -> Path:
    """Return the folder of a run."""
    return Path(config.out or f"runs/goods-{config.seed}")


def _same_run(folder: Path, config: GoodsConfig) -> None:
    file = folder / "config.json"
    text = json.dumps(config.model_dump(mode="json", exclude={"out", "progress"}), indent=1, sort_keys=True) + "\n"
    if not file.is_file():
        write_whole(file, lambda target: Path(target).write_text(text, encoding="utf-8"))
    elif file.read_text(encoding="utf-8") != text:
        raise ConfigError(f"{folder} holds a run of another configuration: expected that of {file}; give another out=")
