"""How likely a reply is, with its context and alone: computed once and shared by the sub-metrics that ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from supermarket_env.scorers.mme.submetric import Row
from supermarket_env.scorers.mme.text import script, tidy

UTTERANCES = 2
"""Utterances of context that are read: the last ones."""


REMEMBERED = 4
"""Lists of texts whose probabilities are kept."""


class TokenModel(Protocol):
    """A language model that gives the log-probability of every token of a given text."""

    impl: str

    def logprobs(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Sequence[float] | NDArray[Any]]:
        """Return for each (context, text) the natural log-probabilities of the text's tokens."""
        ...


class Likelihood:
    """Token log-probabilities of replies; the last few lists asked for are remembered.

    Whole lists are computed and remembered, never parts of them: how texts share a pass changes the last digits, and a
    score must not depend on what was scored before.
    """

    def __init__(self, model: TokenModel) -> None:
        """Take the model to ask."""
        self.impl = model.impl
        self._model = model
        self._known: dict[tuple[tuple[str, str], ...], list[NDArray[np.float64]]] = {}

    def given(self, rows: Sequence[Row]) -> list[NDArray[np.float64]]:
        """Return the log-probabilities of each reply's tokens after its context."""
        return self._ask([(script(context[-UTTERANCES:]), _reply(response)) for context, response in rows])

    def alone(self, rows: Sequence[Row]) -> list[NDArray[np.float64]]:
        """Return those of each reply as the opening of a dialogue."""
        return self._ask([(script(()), _reply(response)) for _, response in rows])

    def _ask(self, pairs: list[tuple[str, str]]) -> list[NDArray[np.float64]]:
        key = tuple(pairs)
        if key not in self._known:
            while len(self._known) >= REMEMBERED:
                del self._known[next(iter(self._known))]
            found = self._model.logprobs(pairs) if pairs else ()
            self._known[key] = [np.minimum(np.asarray(logs, dtype=np.float64), 0.0) for logs in found]
        return self._known[key]


def _reply(response: str) -> str:
    told = tidy(response)
    return f" {told}" if told else ""
