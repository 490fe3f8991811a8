"""Where things stand in the flat observation of a macro policy, and what the blinded policies do not see.

The observation is the relational row (``AssistantView.relational``) followed by the macros' memory.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.agents.macros import MACROS, MAX_NEEDS, N_MEMORY, NEED_MEMORY
from supermarket_env.envs.spaces import NEED_NAMES, TRIP_NAMES
from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.rules import codes, observe

Index = NDArray[np.int64]

OBSERVATION: Final = observe.OBSERVATION_SIZE + N_MEMORY
"""Length of the observation."""
BLINDS: Final = ("none", "dialogue", "position", "standpoint")
"""``dialogue``: nothing that was said, and no macro about a need; ``position``: neither where the user stands nor where
anything is, and no macro that names a place or a step; ``standpoint``: not where the user stands, but places can still
be named."""

_ABOUT_NEED: Final = ("guide", "ask", "recommend", "ask_on_the_way", "recommend_on_the_way")
_MEMORY: Final = observe.OBSERVATION_SIZE
_TRIP_MEMORY: Final = _MEMORY + MAX_NEEDS * len(NEED_MEMORY)
_NEED_NOW: Final = observe.AT_DIALOGUE + observe.N_ACTS + observe.N_REASONS + observe.N_CAUSES


def index_arrays(blind: str = "none") -> dict[str, Index]:
    """Return the index arrays of :class:`~supermarket_env.agents.policy_network.PolicyNetwork`.

    ``need_at`` (8, features) and ``trip_at`` (features,) are places in the observation, ``need_macros`` (8, 5) and
    ``trip_macros`` (9,) numbers of macros.

    Raises:
        ConfigError: ``blind`` is none of :data:`BLINDS`.
    """
    if blind not in BLINDS:
        raise ConfigError(unknown_name("blinding", blind, BLINDS))
    need_macros = np.array(
        [[MACROS.index(_macro_name(verb, j)) for verb in _ABOUT_NEED] for j in range(1, MAX_NEEDS + 1)]
    )
    rest = [k for k in range(len(MACROS)) if k not in set(need_macros.ravel().tolist())]
    return {
        "need_at": np.array([_need_places(i) for i in range(MAX_NEEDS)]),
        "trip_at": np.array(
            [*range(observe.AT_MOVES, _NEED_NOW), *range(observe.AT_TRIP, _MEMORY), *range(_TRIP_MEMORY, OBSERVATION)]
        ),
        "need_macros": need_macros,
        "trip_macros": np.array(rest),
        "hidden": np.array(_hidden(blind), dtype=np.int64),
        "forbidden": np.array(_forbidden(blind), dtype=np.int64),
    }


def _macro_name(verb: str, need: int) -> str:
    word, _, way = verb.partition("_")
    return f"{word}_need_{need}" + (f"_{way}" if way else "")


def _need_places(i: int) -> list[int]:
    candidates = observe.AT_CANDIDATES + i * codes.MAX_CANDIDATES * observe.CANDIDATE_FEATURES
    return [
        *range(i * observe.NEED_FEATURES, (i + 1) * observe.NEED_FEATURES),
        *range(candidates, candidates + observe.CANDIDATE_FEATURES),  # the best one stands for the others
        *range(_MEMORY + i * len(NEED_MEMORY), _MEMORY + (i + 1) * len(NEED_MEMORY)),
        _NEED_NOW + i,
    ]


def _hidden(blind: str) -> list[int]:
    if blind == "dialogue":
        kept = {observe.AT_TRIP + k for k, name in enumerate(TRIP_NAMES) if not name.startswith("needs_")}
        kept |= {observe.AT_MOVES + k * observe.MOVE_FEATURES + c for k in range(codes.MAX_MOVES) for c in (0, 3)}
        return [k for k in range(OBSERVATION) if k not in kept]
    if blind in ("position", "standpoint"):
        places = [NEED_NAMES.index(name) for name in ("moves_to_place", "place_in_view")]
        hidden = [i * observe.NEED_FEATURES + c for i in range(MAX_NEEDS) for c in places]
        rows = range(MAX_NEEDS * codes.MAX_CANDIDATES)
        hidden += [observe.AT_CANDIDATES + (k + 1) * observe.CANDIDATE_FEATURES - 1 for k in rows]
        hidden += range(observe.AT_MOVES, observe.AT_DIALOGUE)
        return [*hidden, *(observe.AT_TRIP + TRIP_NAMES.index(n) for n in ("at_checkout", "moves_to_checkout"))]
    return []


def _forbidden(blind: str) -> list[int]:
    if blind == "dialogue":
        return [k for k, name in enumerate(MACROS) if "_need_" in name or name.startswith(("explain", "acknowledge"))]
    if blind == "position":
        return [k for k, name in enumerate(MACROS) if name.startswith("guide") or name.endswith("_on_the_way")]
    return []
