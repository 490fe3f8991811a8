"""What the log says each turn of the user truly was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supermarket_env.errors import LogError
from supermarket_env.events.episode import Episode


def true_turns(episode: Episode) -> dict[int, Mapping[str, Any]]:
    """Return the entries of ``truth.turns`` by turn; empty where the log has none.

    Raises:
        LogError: If there is something in its place that is no list.
    """
    turns = (episode.truth or {}).get("turns")
    if turns is None:
        return {}
    if not isinstance(turns, list):
        raise LogError(f"{episode.file}, line {episode.line}, truth.turns: expected a list, got {turns!r:.60}")
    return {turn["turn"]: turn for turn in turns if isinstance(turn, Mapping) and type(turn.get("turn")) is int}
