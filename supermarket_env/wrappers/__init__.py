"""Wrappers of ``Supermarket-v0``, one purpose each: other actions, other observations, a shaped reward.

From the environment outwards: ``PotentialShaping``, ``History``, one of ``MacroActions`` / ``CandidateRanking`` /
``TextJson``, ``FlatObservation``; each may be left out. ``STACKS`` names the sets that are tested together.
``MacroVectorEnv`` is ``FlatObservation(MacroActions(env))`` over the native vector environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.wrappers.describing import INSTRUCTIONS
from supermarket_env.wrappers.flat import FlatObservation
from supermarket_env.wrappers.history import History
from supermarket_env.wrappers.layer import ORDER, AnyEnv, Layer, layers
from supermarket_env.wrappers.macro import MacroActions
from supermarket_env.wrappers.message_json import message_schema, read_message
from supermarket_env.wrappers.reranking import CandidateRanking
from supermarket_env.wrappers.shaping import PotentialShaping
from supermarket_env.wrappers.text_json import TextJson
from supermarket_env.wrappers.vector_macro import MacroVectorEnv

STACKS: Final[Mapping[str, tuple[Callable[[AnyEnv], Layer], ...]]] = {
    "flat": (FlatObservation,),
    "history": (History,),
    "macro": (MacroActions,),
    "macro_flat": (MacroActions, FlatObservation),
    "history_macro_flat": (History, MacroActions, FlatObservation),
    "shaped_macro_flat": (PotentialShaping, MacroActions, FlatObservation),
    "shaped_history_macro_flat": (PotentialShaping, History, MacroActions, FlatObservation),
    "ranking": (CandidateRanking,),
    "ranking_flat": (CandidateRanking, FlatObservation),
    "text": (TextJson,),
}
"""Sets of wrappers by name, innermost first; good as ``wrappers=[*STACKS[name]]`` of ``gymnasium.make_vec``."""


def wrap(env: AnyEnv, stack: str) -> AnyEnv:
    """Return ``env`` with a shipped set of wrappers around it.

    Raises:
        ConfigError: the name is unknown, or a wrapper does not fit.
    """
    if stack not in STACKS:
        raise ConfigError(unknown_name("stack", stack, STACKS))
    for layer in STACKS[stack]:
        env = layer(env)
    return env


__all__ = [
    "INSTRUCTIONS",
    "ORDER",
    "STACKS",
    "CandidateRanking",
    "FlatObservation",
    "History",
    "MacroActions",
    "MacroVectorEnv",
    "PotentialShaping",
    "TextJson",
    "layers",
    "message_schema",
    "read_message",
    "wrap",
]
