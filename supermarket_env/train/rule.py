"""The opponent: the rule assistant's thresholds searched with as many environment steps as a learner gets."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from supermarket_env.agents.rule import Rule
from supermarket_env.envs.game import Game
from supermarket_env.tasks.task import Task
from supermarket_env.train.config import TrainConfig
from supermarket_env.train.play import TaskStream, play
from supermarket_env.train.search import Floats, Generation, point_of, search, thresholds
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import load_world

POPULATION: Final = 24
BATCH: Final = 40
SPREAD: Final = 0.6
CHOSEN_ON: Final = 300
"""Further training tasks on which the found thresholds must be better than those set by hand, else these are kept."""
TURNS_A_TRIP: Final = 23
FILE: Final = "rule_tuned.json"


def tune(config: TrainConfig, listener: Callable[[Generation], None] | None = None) -> dict[str, Any]:
    """Search thresholds with about ``config.steps`` environment steps, from those set by hand.

    Args:
        config: ``steps``, ``seed``, ``stores`` (the first one), ``user`` and ``mode`` count.
        listener: Called after every generation.

    Returns:
        ``config`` (fields of ``RuleConfig``), and how it was found: ``steps``, ``episodes``, ``seed``, and the need
        satisfaction of the found and the hand-set thresholds on the tasks they were chosen on.
    """
    store = config.stores[0]
    user = UserConfig.model_validate(config.user)
    game = Game(load_world("embedded", store), texts=False, mode=config.mode, user=user)
    stream = TaskStream(store, watched=CHOSEN_ON)
    steps = 0

    def score(x: Floats, tasks: Sequence[Task]) -> float:
        nonlocal steps
        if tasks is stream.watched:
            return 0.0  # judged once, at the end
        rule = Rule(thresholds(x))
        found = []
        for task in tasks:
            found.append(play(game, rule, task))
            steps += game.turn
        return float(np.mean(found))

    generations = max(1, round(config.steps / (POPULATION * BATCH * TURNS_A_TRIP)))
    history = search(
        score,
        point_of(),
        stream,
        generations=generations,
        population=POPULATION,
        batch=BATCH,
        seed=config.seed,
        spread=SPREAD,
        report=listener,
    )
    found = thresholds(history[-1].mean)
    by_hand = Rule().config.model_dump(mode="json")
    results = {
        name: float(np.mean([play(game, Rule(fields), task) for task in stream.watched]))
        for name, fields in (("found", found), ("by_hand", by_hand))
    }
    kept = found if results["found"] >= results["by_hand"] else by_hand
    return {
        "config": kept,
        "steps": steps,
        "episodes": history[-1].episodes,
        "seed": config.seed,
        "store": store,
        "need_satisfaction": {name: round(value, 4) for name, value in results.items()},
    }


def save(found: dict[str, Any], folder: Path) -> Path:
    """Write what was found; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / FILE
    file.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return file
