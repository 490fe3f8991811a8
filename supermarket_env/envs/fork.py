"""Forks: an episode's state copied at any turn, so that another message can be tried with the same draws.

    branch = fork(game)
    branch.step(other_message)

Both games go on independently; because every draw is keyed by what happens, the same messages lead to the same bytes in
either. Hooks stay with the original.
"""

from __future__ import annotations

import copy

from supermarket_env.envs.game import Game
from supermarket_env.envs.seat import GameView
from supermarket_env.events.hooks import HookSet


def fork(game: Game) -> Game:
    """Return an independent copy of a running (or finished) game that shares only what never changes.

    Raises:
        RuntimeError: the game was never started, or another user model than the scripted one sits in it (its memory
            cannot be copied).
    """
    if not hasattr(game, "prepared"):
        raise RuntimeError("nothing to fork: call reset first")
    if game.door is not None:
        raise RuntimeError("a game with its own user model cannot be forked: the model's memory is not ours to copy")
    branch = copy.copy(game)
    branch.hooks = HookSet(())
    branch.kernel = game.kernel.copy()
    branch.ledger = game.ledger.copy()
    branch.shown_products = set(game.shown_products)
    branch.bought = dict(game.bought)
    branch.speech = game.speech.copy()
    branch.transcript = copy.copy(game.transcript)
    branch.transcript.exchanges = list(game.transcript.exchanges)
    branch.view = GameView(branch)
    branch.view.refresh(game.view.turn, game.view.turns_left)
    return branch
