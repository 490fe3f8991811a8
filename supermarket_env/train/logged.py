"""A data set of logged decisions with exact propensities, for off-policy evaluation and learning from logs.

A stochastic policy plays; every turn keeps what it saw, what it might have said with which probability, and what it
said. What the target policies really earn is played on-policy beside it, so that an estimate can be checked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.agents.macros import MACROS, MacroPlayer
from supermarket_env.agents.policy_network import PolicyNetwork
from supermarket_env.envs.game import Game
from supermarket_env.errors import ConfigError
from supermarket_env.run.seeding import episode_seed
from supermarket_env.stats import bootstrap_ci
from supermarket_env.tasks.task import Task
from supermarket_env.train.play import satisfaction

SPLITS: Final = (("train", 0.8), ("validation", 0.1), ("test", 0.1))
"""By position of the task, the same in every data set: of ten tasks eight train, one validates, one tests."""
FLOOR: Final = 0.1
"""Share of the behaviour policy that is spread evenly over the macros that make sense: no propensity is 0."""
TRUTH_FILE: Final = "truth.json"


def split_of(k: int) -> str:
    """Return the split of the k-th task, k >= 0.

    >>> [split_of(k) for k in (0, 7, 8, 9, 10)]
    ['train', 'train', 'validation', 'test', 'train']
    """
    return ("validation", "test")[k % 10 - 8] if k % 10 >= 8 else "train"


def behaviour(
    network: PolicyNetwork, observation: NDArray[Any], mask: NDArray[Any], temperature: float
) -> NDArray[np.float64]:
    """Return the behaviour policy's probabilities, (N_MACROS,): the network's, mixed with an even floor."""
    allowed = network.see(observation, mask)[1]
    shares = network.probabilities(observation, mask, temperature=temperature)
    mixed: NDArray[np.float64] = (1.0 - FLOOR) * shares + FLOOR * allowed / allowed.sum()
    return mixed


def greedy(network: PolicyNetwork, observation: NDArray[Any], mask: NDArray[Any]) -> NDArray[np.float64]:
    """Return the greedy target policy's probabilities, (N_MACROS,): 1 for the best macro."""
    shares = np.zeros(len(MACROS))
    shares[network.choose(observation, mask)] = 1.0
    return shares


def softened(network: PolicyNetwork, observation: NDArray[Any], mask: NDArray[Any]) -> NDArray[np.float64]:
    """Return the softened target policy's probabilities, (N_MACROS,): the network's own."""
    return network.probabilities(observation, mask)


def evenly(network: PolicyNetwork, observation: NDArray[Any], mask: NDArray[Any]) -> NDArray[np.float64]:
    """Return the even target policy's probabilities, (N_MACROS,): all macros that make sense alike."""
    allowed = network.see(observation, mask)[1]
    shares: NDArray[np.float64] = allowed / allowed.sum()
    return shares


TARGETS: Final[dict[str, Callable[..., NDArray[np.float64]]]] = {
    "greedy": greedy,
    "softened": softened,
    "evenly": evenly,
}


def make(
    game: Game,
    network: PolicyNetwork,
    tasks: Sequence[Task],
    out: Path,
    *,
    temperature: float = 1.5,
    seed: int = 0,
    truth_episodes: int = 200,
    note: Callable[[str], None] | None = None,
) -> Path:
    """Play the behaviour policy on tasks and write the data set; returns its folder.

    One ``<split>.npz`` a split, one row a turn: ``observation``, ``mask``, ``action``, ``propensity`` (of the action),
    ``probabilities`` (of all macros), ``target_<name>`` (probabilities of each target policy), ``reward``, ``done``,
    ``episode`` (number of the task) and ``turn``. ``truth.json`` holds the on-policy mean reward a trip of the
    behaviour and of each target, with 95 % intervals, and the need satisfaction.

    Args:
        game: The game of the tasks' store.
        network: The policy.
        tasks: Played once each; at least ten, so that no split is empty.
        out: Folder, made when missing.
        temperature: Of the behaviour policy, > 0.
        seed: Key of the behaviour's draws.
        truth_episodes: Tasks, the first ones, on which on-policy truth is played.
        note: Told how far the work is.

    Raises:
        ConfigError: Fewer than ten tasks.
    """
    if len(tasks) < 10:
        raise ConfigError(f"a data set needs at least 10 tasks, got {len(tasks)}")
    out.mkdir(parents=True, exist_ok=True)
    player = MacroPlayer(config=network.thresholds)

    def logging(x: NDArray[Any], mask: NDArray[Any]) -> NDArray[np.float64]:
        return behaviour(network, x, mask, temperature)

    rows: dict[str, list[dict[str, Any]]] = {name: [] for name, _ in SPLITS}
    for k, task in enumerate(tasks):
        rng = np.random.Generator(np.random.Philox(key=[seed, k]))
        for row in _trip(game, player, task, logging, rng):
            x, mask = row["observation"], row["mask"]
            row |= {f"target_{name}": target(network, x, mask).astype(np.float32) for name, target in TARGETS.items()}
            rows[split_of(k)].append({**row, "episode": k})
        if note is not None and (k + 1) % 500 == 0:
            note(f"{k + 1} of {len(tasks)} trips logged")
    for name, found in rows.items():
        columns: dict[str, Any] = {key: np.stack([np.asarray(row[key]) for row in found]) for key in found[0]}
        np.savez_compressed(out / f"{name}.npz", **columns)
    truth = {"behaviour": _truth(game, player, tasks[:truth_episodes], logging, seed)}
    for name, target in TARGETS.items():
        truth[name] = _truth(game, player, tasks[:truth_episodes], _bound(target, network), seed)
        if note is not None:
            note(f"on-policy truth of {name}: {truth[name]['reward']:.4f}")
    about = {
        "schema": "supermarket.logged/1",
        "tasks": [tasks[0].id, tasks[-1].id],
        "n_tasks": len(tasks),
        "store": tasks[0].store,
        "temperature": temperature,
        "floor": FLOOR,
        "seed": seed,
        "macros": list(MACROS),
        "splits": {name: len(found) for name, found in rows.items()},
        "policy": {key: network.meta.get(key) for key in ("steps", "blind", "thresholds")},
        "truth": truth,
    }
    (out / TRUTH_FILE).write_text(json.dumps(about, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return out


def _bound(target: Callable[..., NDArray[np.float64]], network: PolicyNetwork) -> Callable[..., NDArray[np.float64]]:
    return lambda x, mask: target(network, x, mask)


def _trip(
    game: Game,
    player: MacroPlayer,
    task: Task,
    policy: Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]],
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """Play one trip of a stochastic policy; returns its turns."""
    view = game.reset(task, seed=episode_seed(0, task.id, 0))
    player.start(view)
    turns = []
    while not game.done:
        player.look(view)
        x = np.concatenate((view.relational(), player.features()))
        mask = player.mask().astype(np.bool_)
        shares = policy(x, mask)
        action = int(np.searchsorted(np.cumsum(shares), rng.random() * shares.sum(), side="right"))
        turn = game.turn + 1
        view = game.step(player.message(action))
        turns.append(
            {
                "observation": x,
                "mask": mask,
                "action": action,
                "propensity": shares[action],
                "probabilities": shares,
                "reward": game.reward,
                "done": game.done,
                "turn": turn,
            }
        )
    return turns


def _truth(
    game: Game,
    player: MacroPlayer,
    tasks: Sequence[Task],
    policy: Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]],
    seed: int,
) -> dict[str, Any]:
    """Return what a policy earns on-policy: with draws of its own, apart from those of the logged trips."""
    rewards, satisfied = [], []
    for k, task in enumerate(tasks):
        turns = _trip(game, player, task, policy, np.random.Generator(np.random.Philox(key=[seed + 1, k])))
        rewards.append(float(sum(turn["reward"] for turn in turns)))
        satisfied.append(satisfaction(game))
    return {
        "reward": float(np.mean(rewards)),
        "reward_interval": list(bootstrap_ci(rewards) or ()),
        "need_satisfaction": float(np.mean(satisfied)),
        "episodes": len(rewards),
    }
