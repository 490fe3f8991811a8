"""What an assistant does to the transcript it was handed stays its own affair."""

from __future__ import annotations

from typing import Any

from supermarket_env.envs.game import Game
from supermarket_env.tasks.suites import load_suite
from supermarket_env.world import load_world


def test_spoiling_the_transcript_changes_nothing() -> None:
    game = Game(load_world("embedded", "neighbourhood"), mode="plain")
    view = game.reset(load_suite("dev").tasks[0], seed=1)
    game.step({})
    handed: Any = view.transcript
    assert len(handed.exchanges) == 1
    handed.exchanges = None
    view.transcript.exchanges.clear()
    game.step({})
    assert [exchange.turn for exchange in view.transcript.exchanges] == [1, 2]
