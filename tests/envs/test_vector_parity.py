"""The shipped assistants write the same log lines in a batch of any size as in the scalar environment."""

from __future__ import annotations

from typing import Any

import pytest

from supermarket_env.agents.registry import make_agent
from supermarket_env.dialogue.acts import SILENT
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.envs.vector import SupermarketVectorEnv
from supermarket_env.envs.vector_actions import as_action, stacked

ASSISTANTS = ("silent", "random", "spam", "popularity", "retrieval", "rule")
PAIRS = [("corner", name) for name in ASSISTANTS] + [("neighbourhood", "rule")]
SEEDS = 20


def alone(name: str, seed: int, options: dict[str, Any]) -> bytes:
    env = SupermarketEnv(**options)
    env.reset(seed=seed)
    agent = make_agent(name)
    agent.start(env.game.view)
    over = False
    while not over:
        over = env.step(as_action(agent.reply(env.game.view), env.game.decoder))[2]
    return env.game.line()


def together(name: str, first: int, n: int, options: dict[str, Any]) -> list[bytes]:
    env = SupermarketVectorEnv(n, record=range(n), autoreset_mode="Disabled", **options)
    env.reset(seed=first)
    agents = [make_agent(name) for _ in range(n)]
    lines: dict[int, bytes] = {}
    idle = as_action(SILENT, env.game.decoder)
    for k, agent in enumerate(agents):
        agent.start(env.games[k].view)
    while len(lines) < n:
        actions = [
            idle if k in lines else as_action(agent.reply(env.games[k].view), env.game.decoder)
            for k, agent in enumerate(agents)
        ]
        ended = env.step(stacked(actions))[2]
        for k in ended.nonzero()[0].tolist():
            lines.setdefault(k, env.games[k].line())
        if ended.any():
            env.reset(options={"reset_mask": ended})
    return [lines[k] for k in range(n)]


@pytest.mark.parametrize("n", [1, 7])
@pytest.mark.parametrize(("store", "name"), PAIRS)
def test_assistants_write_the_same_lines_in_a_batch(store: str, name: str, n: int) -> None:
    options = {"store": store, "mode": "plain"}
    first, count = 500, n if n == 1 else SEEDS // n * n
    for start in range(first, first + count, n):
        assert together(name, start, n, options) == [alone(name, start + k, options) for k in range(n)]
