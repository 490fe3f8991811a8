"""Behaviour cloning: the policy learns to say what a log says, and its value function what that earned (``rl``)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from supermarket_env.agents.macros import MacroPlayer
from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.errors import ConfigError
from supermarket_env.events.log import read_log
from supermarket_env.tasks.suites import load_suite, train_task
from supermarket_env.tasks.task import Task
from supermarket_env.train.config import TrainConfig
from supermarket_env.train.demonstrations import Demonstrations, demonstrate, from_logs
from supermarket_env.train.layout import index_arrays
from supermarket_env.train.network import NeedPolicy
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import load_world

BATCH = 512


_kept: dict[str, Demonstrations] = {}


def demonstrations(config: TrainConfig) -> Demonstrations:
    """Return the turns to clone: those of ``config.clone.log``, or of the teacher on the first training tasks.

    The latest are kept in the process: seeds and ablations of one experiment clone the same trips.

    Raises:
        ConfigError: The log holds several assistants, or tasks of a suite that cannot be loaded.
        LogError: The log cannot be read or played again.
    """
    used = [config.stores[0], config.user, config.threshold_fields(), config.first_task]
    clone_from = config.clone.model_dump(include={"teacher", "log", "episodes"})
    key = json.dumps([*used, clone_from], sort_keys=True)
    if key not in _kept:
        _kept.clear()
        _kept[key] = _demonstrations(config)
    return _kept[key]


def _demonstrations(config: TrainConfig) -> Demonstrations:
    store = config.stores[0]
    game = Game(
        load_world("embedded", store), texts=False, mode=config.mode, user=UserConfig.model_validate(config.user)
    )
    player = MacroPlayer(config=config.threshold_fields())
    if config.clone.log is None:
        first = config.first_task
        tasks = [train_task(first + k, store=store) for k in range(config.clone.episodes)]
        return demonstrate(game, make_agent(config.clone.teacher), tasks, player)
    log = read_log(Path(config.clone.log))
    names = sorted({str(episode.data["agent"]) for episode in log.episodes})
    if len(names) != 1:
        raise ConfigError(f"clone.log: expected the log of one assistant, {config.clone.log} has {', '.join(names)}")
    return from_logs(game, log.episodes[: config.clone.episodes], _tasks_of(log.episodes), player)


def _tasks_of(episodes: list[Any]) -> dict[str, Task]:
    found: dict[str, Task] = {}
    for suite in sorted({str(episode.data["suite"]) for episode in episodes}):
        found |= {task.id: task for task in load_suite(suite).tasks}
    return found


def clone(
    policy: NeedPolicy,
    data: Demonstrations,
    config: TrainConfig,
    report: Callable[[int, float, float], None] | None = None,
) -> float:
    """Fit a policy to demonstrations; returns the share of turns, 0..1, where its best macro is the one shown.

    Args:
        policy: Changed in place.
        data: The turns; those without a macro teach the value only.
        config: ``clone`` and ``seed``.
        report: Called after each epoch with (epoch from 1, loss, share).
    """
    arrays = index_arrays(config.blind)
    observations, masks = torch.tensor(data.observations), torch.tensor(data.masks)  # copies: blinding changes them
    masks[:, torch.as_tensor(arrays["forbidden"])] = False
    masks[:, 0] = True
    macros, returns = torch.as_tensor(data.macros), torch.as_tensor(data.returns)
    observations[:, torch.as_tensor(arrays["hidden"])] = 0.0
    shown = (macros >= 0) & masks.gather(1, macros.clamp(min=0)[:, None])[:, 0]
    optimizer = torch.optim.Adam(policy.parameters(), lr=config.clone.learning_rate)
    generator = torch.Generator().manual_seed(config.seed)
    share = 0.0
    for epoch in range(1, config.clone.epochs + 1):
        total, right = 0.0, 0
        for rows in torch.randperm(len(macros), generator=generator).split(BATCH):
            x, known = observations[rows], shown[rows]
            scores, features = policy.mlp_extractor(x)
            scores = scores.masked_fill(~masks[rows], -1e9)
            values = policy.value_net(features)[:, 0]
            each = functional.cross_entropy(scores, macros[rows].clamp(min=0), reduction="none")
            loss = (each * known).sum() / known.sum().clamp(min=1) + functional.mse_loss(values, returns[rows])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
            optimizer.step()
            total += float(loss.detach()) * len(rows)
            right += int(((scores.argmax(dim=1) == macros[rows]) & known).sum())
        share = right / max(1, int(shown.sum()))
        if report is not None:
            report(epoch, total / len(macros), share)
    return share
