"""Is there something to learn, and does it need both what is said and where the user is?

    python benchmarks/learnability.py              # trains, evaluates, rewrites docs/learnability.md and its figure
    python benchmarks/learnability.py --generations 4 --tasks 20 --dry

The cross-entropy method searches (a) the thresholds of the rule assistant, from an assistant that tosses a coin for
each of its habits, and (b) the weights of a linear policy on the relational observation, from one that says nothing.
Training plays fresh tasks of the training stream; evaluation plays tasks of the dev suite, which training never sees.
The linear policy is trained again from nothing without the dialogue, or without the position: each must lose at least
a third of the gain over `silent`. Exit code 1 when one does not.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from linear_policy import N_WEIGHTS, Floats, LinearPolicy
from numpy.typing import NDArray
from supermarket_env.agents.registry import make_agent
from supermarket_env.agents.rule import Rule
from user_page import table, write_table

from supermarket_env.envs.game import Game
from supermarket_env.run.seeding import episode_seed
from supermarket_env.stats import bootstrap_ci, paired_difference
from supermarket_env.tasks.suites import load_suite, train_task
from supermarket_env.tasks.task import Task
from supermarket_env.world import load_world

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "learnability.md"
FIGURE = ROOT / "docs" / "img" / "learnability.png"
STORE: Final = "neighbourhood"
REQUIRED_LOSS: Final = 1.0 / 3.0
"""Share of the gain over `silent` that each of the two blindings must cost."""
ELITE: Final = 0.2
NOISE: Final = 0.25
"""Spread added to the search at the start, falling to nothing: keeps it from settling too early."""

Score = Callable[[Floats, Sequence[Task], int], float]

WEIGHT_NAMES: Final = ("match", "brand", "quality", "price", "over_limit", "popularity", "size")
SWITCHES: Final = ("ask", "ask_for_more", "recommend", "explain", "guide", "shelf_hints", "paging")
COUNTS: Final = (
    ("questions_per_need", 0, 6),
    ("list_length", 1, 10),
    ("lists_per_need", 1, 10),
    ("goal_gap", 1, 12),
    ("ignored_moves", 1, 8),
    ("rest", 1, 12),
    ("listen_after", 1, 8),
    ("hush", 0, 8),
)
N_THRESHOLDS: Final = len(WEIGHT_NAMES) + len(SWITCHES) + len(COUNTS)


class Trained(NamedTuple):
    """A finished search."""

    mean: Floats
    curve: list[float]
    """Need satisfaction of the search's centre on the tasks of each generation, before they are learned from."""
    seconds: float
    episodes: int


def thresholds(x: Floats) -> dict[str, Any]:
    """Return the rule assistant's configuration at a point: 0 is the middle of every range, switches are on above 0."""
    a, b = len(WEIGHT_NAMES), len(WEIGHT_NAMES) + len(SWITCHES)
    share = 1.0 / (1.0 + np.exp(-x))
    config: dict[str, Any] = {"weights": {name: round(float(share[k]), 4) for k, name in enumerate(WEIGHT_NAMES)}}
    config |= {name: bool(x[a + k] > 0.0) for k, name in enumerate(SWITCHES)}
    for k, (name, low, high) in enumerate(COUNTS):
        config[name] = low + min(high - low, int((high - low + 1) * share[b + k]))
    return config


def play_policy(game: Game, policy: LinearPolicy, task: Task, trial: int) -> float:
    """Return the need satisfaction of one trip with a linear policy."""
    game.reset(task, seed=episode_seed(0, task.id, trial))
    policy.start(game)
    while not game.done:
        policy.step()
    return satisfaction(game)


def play_assistant(game: Game, assistant: Any, task: Task, trial: int) -> float:
    """Return the need satisfaction of one trip with an assistant."""
    view = game.reset(task, seed=episode_seed(0, task.id, trial))
    assistant.start(view)
    while not game.done:
        view = game.step(assistant.reply(view))
    return satisfaction(game)


def satisfaction(game: Game) -> float:
    """Return the need satisfaction of a finished trip: the reward without its price of time."""
    parts: dict[str, float] = next(e for e in reversed(game.events) if e["k"] == "reward")["parts"]
    return parts.get("need_satisfaction", 0.0)


def search(score: Score, size: int, draw: Callable[[int], Sequence[Task]], options: argparse.Namespace) -> Trained:
    """Search weights by the cross-entropy method; every candidate of a generation plays the same tasks and luck.

    Args:
        score: Mean need satisfaction of a point on tasks with a trial number.
        size: Number of weights.
        draw: The tasks of a generation.
        options: ``generations``, ``population`` and ``seed``.
    """
    rng = np.random.Generator(np.random.Philox(options.seed))
    mean, spread = np.zeros(size), np.ones(size)
    best = max(2, round(ELITE * options.population))
    curve, begin, episodes = [], time.process_time(), 0
    for generation in range(options.generations):
        tasks = draw(generation)
        curve.append(score(mean, tasks, 0))
        points: NDArray[np.float64] = mean + spread * rng.standard_normal((options.population, size))
        results = np.array([score(point, tasks, 0) for point in points])
        episodes += (options.population + 1) * len(tasks)
        elite = points[np.argsort(-results, kind="stable")[:best]]
        mean = elite.mean(axis=0)
        spread = elite.std(axis=0) + NOISE * (1.0 - (generation + 1) / options.generations)
    return Trained(mean, curve, time.process_time() - begin, episodes)


def mean_of(values: Sequence[float]) -> float:
    """Return the mean of at least one value."""
    return float(np.mean(values))
