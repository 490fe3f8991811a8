"""``supermarket train``: policies, tuned rules and logged data. All words after it are its own.

``ppo`` (the default) trains a MaskablePPO policy over macro actions, ``goods`` the learned assistant's judgement and
habits (both need the extra ``rl``), ``rule`` searches the thresholds of the rule assistant, ``logged`` writes a data
set of a stochastic policy with exact propensities.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from supermarket_env.errors import ConfigError, unknown_name

HELP = """Usage: supermarket train [ppo | goods | rule | logged] [KEY=VALUE ...]

  ppo     trains a MaskablePPO policy over macro actions (default; needs the extra rl)
  goods   trains the learned assistant: judgement of the goods, and habits (needs the extra rl)
  rule    searches the thresholds of the rule assistant with as many environment steps
  logged  logs a stochastic policy with exact propensities

keys (docs/training.md)
{keys}
config=FILE reads keys from a YAML file, preset=NAME a shipped one; later words win.
{presets}
Ctrl-C, or a kill, keeps what was saved; the same command goes on from it.
"""
LOGGED = {
    "policy": None, "out": "runs/logged", "tasks": 2000, "first_task": 500_000, "store": "neighbourhood",
    "temperature": 1.5, "seed": 0, "truth_episodes": 500, "mode": "auto",
}  # fmt: skip
"""Keys of ``supermarket train logged`` and their defaults."""


def train(words: Sequence[str]) -> None:
    """Run one way of learning.

    Raises:
        SupermarketError: For anything wrong in the words or files.
    """
    from supermarket_env.train.config import from_words, presets

    ways: dict[str, Callable[[dict[str, Any]], None]] = {"ppo": _ppo, "goods": _goods, "rule": _rule, "logged": _logged}
    if any(word in ("-h", "--help") for word in words):
        keys = "\n".join(f"  {way}: {', '.join(_keys(way))}" for way in ways)
        shipped = "\n".join(f"  presets of {way}: {', '.join(names)}" for way in ways if (names := presets(way)))
        print(HELP.format(keys=keys, presets=shipped), end="")
        return
    way, rest = "ppo", list(words)
    if rest and "=" not in rest[0]:
        way = rest.pop(0)
        if way not in ways:
            raise ConfigError(unknown_name("way of learning", way, ways))
    ways[way](from_words(rest, way, _keys(way)))


def _keys(way: str) -> list[str]:
    from supermarket_env.train.config import GoodsConfig, TrainConfig

    return (
        list(LOGGED) if way == "logged" else GoodsConfig.dotted_keys() if way == "goods" else TrainConfig.dotted_keys()
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _goods(data: dict[str, Any]) -> None:
    from supermarket_env.agents.learned import SHIPPED
    from supermarket_env.train.config import GoodsConfig
    from supermarket_env.train.goods import folder_of
    from supermarket_env.train.goods import train as run

    config = GoodsConfig.parse(data)
    note = _say if config.progress else lambda text: None
    note(f"files go to {folder_of(config)}; the same command goes on from what is there")
    folder = run(config, note)
    print(f"learned assistant in {folder / SHIPPED}; play it with")
    print(
        f"  supermarket run 'agents=[rule,rule_tuned,{{name: mine, "
        f"_target_: supermarket_env.agents.learned.Learned, path: {folder / SHIPPED}}}]'"
    )


def _ppo(data: dict[str, Any]) -> None:
    from supermarket_env.train.config import TrainConfig

    config = TrainConfig.parse(data)
    from supermarket_env.train.ppo import POLICY, Point, folder_of
    from supermarket_env.train.ppo import train as run

    if config.progress:
        _say(f"files go to {folder_of(config)}; the same command goes on from what is there")

    def tell(point: Point) -> None:
        if config.progress:
            done = 100.0 * point.steps / max(1, config.steps)
            figures = f"NS {point.satisfaction:.3f}  SR {100 * point.success:3.0f} %  {point.cpu_seconds:6.0f} s CPU"
            print(f"{point.steps:>10,} steps ({done:3.0f} %)  {figures}", file=sys.stderr, flush=True)

    try:
        folder = run(config, tell)
    except KeyboardInterrupt:
        print(f"interrupted; the checkpoint is in {folder_of(config)}, the same command goes on", file=sys.stderr)
        raise
    print(f"policy in {folder / POLICY}; play it with")
    print(
        f"  supermarket run 'agents=[rule,rule_tuned,{{name: trained, "
        f"_target_: supermarket_env.agents.ppo.Ppo, path: {folder / POLICY}}}]'"
    )


def _rule(data: dict[str, Any]) -> None:
    from supermarket_env.train.config import TrainConfig
    from supermarket_env.train.rule import save, tune
    from supermarket_env.train.search import Generation

    config = TrainConfig.parse(data)

    def tell(generation: Generation) -> None:
        if config.progress:
            print(f"generation {generation.number}: {generation.episodes:,} trips", file=sys.stderr, flush=True)

    found = tune(config, tell)
    file = save(found, Path(config.out or "runs/rule_tuned"))
    satisfied = found["need_satisfaction"]
    print(f"thresholds in {file} ({found['steps']:,} steps)")
    print(f"NS on tasks apart: {satisfied['found']:.3f}, by hand {satisfied['by_hand']:.3f}")


def _logged(data: dict[str, Any]) -> None:
    from supermarket_env.agents.policy_network import PolicyNetwork
    from supermarket_env.agents.ppo import Ppo
    from supermarket_env.envs.game import Game
    from supermarket_env.tasks.suites import train_task
    from supermarket_env.train.logged import make
    from supermarket_env.world import load_world

    known = LOGGED
    for key in data:
        if key not in known:
            raise ConfigError(unknown_name("key of supermarket train logged", key, known))
    values: dict[str, Any] = {**known, **data}
    for key, kind in (("tasks", int), ("first_task", int), ("seed", int), ("truth_episodes", int)):
        if not isinstance(values[key], kind) or isinstance(values[key], bool) or values[key] < 0:
            raise ConfigError(f"{key}: expected a number of 0 or more, got {values[key]!r}")
    if not isinstance(values["temperature"], int | float) or values["temperature"] <= 0:
        raise ConfigError(f"temperature: expected a number above 0, got {values['temperature']!r}")
    network = Ppo().network if values["policy"] is None else PolicyNetwork.load(values["policy"])
    store = str(values["store"])
    game = Game(load_world("embedded", store), texts=False, mode=str(values["mode"]))
    tasks = [train_task(values["first_task"] + k, store=store) for k in range(values["tasks"])]
    out = make(
        game,
        network,
        tasks,
        Path(values["out"]),
        temperature=float(values["temperature"]),
        seed=values["seed"],
        truth_episodes=values["truth_episodes"],
        note=lambda text: print(text, file=sys.stderr, flush=True),
    )
    print(f"data set in {out}: train.npz, validation.npz, test.npz, truth.json")
