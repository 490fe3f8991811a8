"""FM: does a reply look like something people say, or like the same words shuffled, dropped or repeated?"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from supermarket_env.scorers.mme.parts import judged, load_parts, trigrams
from supermarket_env.scorers.mme.submetric import Row
from supermarket_env.scorers.mme.text import tidy, words


class Fluency:
    """The sub-metric FM, trained on synthetic corruptions; None for a reply without words."""

    name = "FM"

    def __init__(self) -> None:
        """Load the word model."""
        self.impl = f"FM-ngram@{load_parts().sha}"

    def score(self, context: Sequence[str], response: str) -> float | None:
        """Return how fluent the reply is, 0 to 1; the context is not read."""
        found = fluency_features(response)
        return None if found is None else judged("fm", found)

    def score_many(self, rows: Sequence[Row]) -> list[float | None]:
        """Return the score of each row."""
        return [self.score(context, response) for context, response in rows]


def fluency_features(response: str) -> list[float] | None:
    """Return what the word model sees: mean and minimum log-probability, unseen and repeated pairs, repeated words."""
    model = trigrams()
    told = words(tidy(response))
    if not told:
        return None
    logs = np.array(model.logprobs(" ".join(told)))
    numbers = model.encode(" ".join(told))
    rare = np.array([-np.log(model.unigram[n]) for n in numbers])
    pairs = list(itertools.pairwise(told))
    unseen = [not model.knows_pair(a, b) for a, b in itertools.pairwise(numbers)]
    return [
        float(logs.mean()),
        float(logs.min()),
        float(logs[-1]),
        float(rare.mean()),
        float(np.mean(unseen)) if unseen else 0.0,
        1 - len(set(pairs)) / len(pairs) if pairs else 0.0,
        float(np.mean([a == b for a, b in pairs])) if pairs else 0.0,
        float(np.log(len(told))),
    ]
