"""Template grammar that turns user acts into sentences, varied by persona and mood."""

from __future__ import annotations

from supermarket_env.user_sim.wording.manner import Manner, mood_of
from supermarket_env.user_sim.wording.wording import MAX_SENTENCE, Wording

__all__ = ["MAX_SENTENCE", "Manner", "Wording", "mood_of"]
