"""Simple predictors of satisfaction: ridge regression on words and signs, a naive rule, and what one person reaches."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Final

import numpy as np
import numpy.typing as npt
from rated_dialogues import NO, THANKS, Dialogue, Floats, Sample, overlap

from supermarket_env.stats import paired_correlation

FOLDS: Final = 5
WORDS: Final = 200
PENALTIES: Final = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)


class Ridge:
    """Ridge regression on standardised signs and the commonest words of its training rows."""

    def __init__(self, sample: Sample, rows: npt.NDArray[np.int64], penalty: float) -> None:
        counts = Counter(word for row in rows.tolist() for word in sample.words[row])
        self.vocabulary = [word for word, _ in sorted(counts.items(), key=lambda x: (-x[1], x[0]))[:WORDS]]
        x, y = self._matrix(sample, rows), sample.human[rows]
        self.centre, self.spread = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-9)
        x = (x - self.centre) / self.spread
        self.base = float(y.mean())
        self.weights = np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ (y - self.base))

    def _matrix(self, sample: Sample, rows: npt.NDArray[np.int64]) -> Floats:
        bags = [[float(word in sample.words[row]) for word in self.vocabulary] for row in rows.tolist()]
        return np.hstack([sample.signs[rows], np.array(bags).reshape(len(rows), -1)])

    def predict(self, sample: Sample, rows: npt.NDArray[np.int64]) -> Floats:
        """Return predictions within 1..5."""
        x = (self._matrix(sample, rows) - self.centre) / self.spread
        return np.asarray(np.clip(self.base + x @ self.weights, 1.0, 5.0), dtype=np.float64)


def _folds(sample: Sample, folds: int, seed: int) -> npt.NDArray[np.int64]:
    """Fold of each row; a dialogue's rows stay together."""
    numbers = sorted(set(sample.dialogue))
    order = np.random.default_rng(seed).permutation(len(numbers))
    fold = {number: int(order[place]) % folds for place, number in enumerate(numbers)}
    return np.array([fold[number] for number in sample.dialogue], dtype=np.int64)


def fit(sample: Sample, rows: npt.NDArray[np.int64]) -> Ridge:
    """Fit with the penalty that predicts a held-out third of the training dialogues best."""
    inner = _folds(sample, 3, 1)[rows]
    inside, outside = rows[inner != 0], rows[inner == 0]
    human = sample.human[outside]

    def error(penalty: float) -> float:
        return float(((Ridge(sample, inside, penalty).predict(sample, outside) - human) ** 2).mean())

    return Ridge(sample, rows, min(PENALTIES, key=error))


def out_of_fold(sample: Sample) -> Floats:
    """Return predictions for every row by a model that never saw its dialogue."""
    fold, found = _folds(sample, FOLDS, 0), np.zeros(len(sample.dialogue))
    for number in range(FOLDS):
        test = np.flatnonzero(fold == number)
        found[test] = fit(sample, np.flatnonzero(fold != number)).predict(sample, test)
    return found


def one_against_the_others(sample: Sample) -> float | None:
    """Return Spearman of each item's first annotator with the mean of its others: what a person reaches."""
    first = [float(row[0]) for row in sample.grades]
    others = [sum(row[1:]) / len(row[1:]) for row in sample.grades]
    return paired_correlation(first, others).spearman


def rule_score(found: Dialogue) -> float:
    """Return a naive score of a dialogue: from 3, up for thanks at the end, down for refusals and repetition."""
    users = [t.text for t in found.turns if t.role == "USER"]
    thanks = any(THANKS.search(text) for text in users[-2:])
    refusals = sum(bool(NO.search(text)) for text in users) / max(1, len(users))
    again = max((overlap(a, b) for a, b in itertools.pairwise(users)), default=0.0)
    return float(min(5.0, max(1.0, 3.0 + (2.0 if thanks else 0.0) - (1.0 if refusals > 0.4 else 0.0) - (again > 0.6))))
