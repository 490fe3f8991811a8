"""SM-NLL, SM-NCE, SM-PPL: how surprising the words of a reply are.

Read from the tokens of the reply alone, by a language model where there is one, else by a word trigram model. NCE runs
opposite to NLL and PPL, and NLL grows with length: which of them people go along with is for the weights to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from supermarket_env.scorers.mme.likelihood import Likelihood
from supermarket_env.scorers.mme.parts import bounds, load_parts, trigrams
from supermarket_env.scorers.mme.submetric import Row, specificity
from supermarket_env.scorers.mme.text import tidy

Reading = Literal["NLL", "NCE", "PPL"]


class Surprise:
    """One of the three SM sub-metrics; None for a reply without tokens."""

    def __init__(self, reading: Reading, likelihood: Likelihood | None = None) -> None:
        """Choose the reading and the model; the shipped word model without ``likelihood``."""
        self.name = f"SM-{reading}"
        self._field = reading.lower()
        self._kind = "ngram" if likelihood is None else "lm"
        self._logprobs: Callable[[Sequence[Row]], Sequence[Sequence[float]]]
        if likelihood is None:
            self._logprobs = _of_words
            self.impl = f"SM-ngram@{load_parts().sha}"
        else:
            self._logprobs = lambda rows: [found.tolist() for found in likelihood.alone(rows)]
            self.impl = f"SM-lm@{likelihood.impl}"

    def score(self, context: Sequence[str], response: str) -> float | None:
        """Return the reading on its frozen bounds, 0 to 1."""
        return self.score_many([(context, response)])[0]

    def score_many(self, rows: Sequence[Row]) -> list[float | None]:
        """Return the score of each row."""
        frozen = bounds(f"{self._kind}_{self._field}")
        found = [specificity(logs) for logs in self._logprobs(rows)]
        return [None if one is None else frozen.scaled(getattr(one, self._field)) for one in found]


def _of_words(rows: Sequence[Row]) -> list[list[float]]:
    return [trigrams().logprobs(tidy(response)) for _, response in rows]
