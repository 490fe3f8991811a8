"""Are simulated baskets like real ones? Figures of sets of baskets, and a classifier that tries to tell two apart.

The classifier is a ridge logistic regression on what is in the basket: which types, how many, how many pieces, how much
money. Its cross-validated AUC is 0.5 when the sets cannot be told apart and 1 when they always can.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.catalogue.journey_tables import JourneyTables
from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.errors import TaskError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

RIDGE = 20.0
"""Weight of the squared coefficients against the summed log loss; features are standardised."""
FOLDS = 5


class BasketSet(NamedTuple):
    """Baskets as counts; n baskets of T types."""

    units: Ints
    """(n, T) pieces by type."""
    cents: Ints
    """(n,) money."""

    @property
    def present(self) -> Floats:
        """(n, T) 1 where the type is in the basket."""
        return (self.units > 0).astype(np.float64)

    def __len__(self) -> int:
        return len(self.cents)


def real_baskets(tables: JourneyTables, trips: Iterable[int]) -> BasketSet:
    """Return real trips as baskets, in the given order; money is what was paid."""
    rows = list(trips)
    units = np.zeros((len(rows), tables.n_types), dtype=np.int64)
    cents = np.zeros(len(rows), dtype=np.int64)
    for k, trip in enumerate(rows):
        part = slice(int(tables.trip_first[trip]), int(tables.trip_first[trip + 1]))
        units[k, tables.line_type[part]] = tables.line_units[part]
        cents[k] = tables.line_cents[part].sum()
    return BasketSet(units, cents)


def bought_baskets(catalogue: Catalogue, carts: Sequence[Mapping[int, int]]) -> BasketSet:
    """Return simulated carts (product number -> pieces) as baskets, empty ones left out."""
    filled = [cart for cart in ({p: n for p, n in cart.items() if n > 0} for cart in carts) if cart]
    units = np.zeros((len(filled), catalogue.n_types), dtype=np.int64)
    cents = np.zeros(len(filled), dtype=np.int64)
    for k, cart in enumerate(filled):
        for product, n in cart.items():
            units[k, catalogue.type_idx[product]] += n
            cents[k] += n * int(catalogue.price_cents[product])
    return BasketSet(units, cents)


class Figures(NamedTuple):
    """Plain figures of a set of baskets."""

    n: int
    types: tuple[float, float]
    """Mean and median number of product types."""
    pieces: tuple[float, float]
    cents: tuple[float, float]


def figures(baskets: BasketSet) -> Figures:
    """Return means and medians.

    Raises:
        TaskError: There are no baskets.
    """
    _need_some(baskets)
    kinds = (baskets.units > 0).sum(axis=1)
    pieces = baskets.units.sum(axis=1)

    def both(values: Ints) -> tuple[float, float]:
        return float(values.mean()), float(np.median(values))

    return Figures(len(baskets), both(kinds), both(pieces), both(baskets.cents))


def frequency_distance(a: BasketSet, b: BasketSet) -> float:
    """Return half the summed difference between the two sets' shares of types among all type-in-basket pairs, 0 to 1.

    Raises:
        TaskError: A set is empty.
    """
    shares = []
    for baskets in (a, b):
        _need_some(baskets)
        count = (baskets.units > 0).sum(axis=0)
        shares.append(count / count.sum())
    return 0.5 * float(np.abs(shares[0] - shares[1]).sum())


def pair_shares(baskets: BasketSet) -> Floats:
    """Return the share of baskets that hold both types, (T, T); the diagonal holds the share of one type."""
    _need_some(baskets)
    present = baskets.present
    result: Floats = present.T @ present / len(baskets)
    return result


def common_pairs(baskets: BasketSet, k: int) -> list[tuple[int, int]]:
    """Return the ``k`` pairs of types most often bought together, the most frequent first."""
    shares = np.triu(pair_shares(baskets), 1)
    n = len(shares)
    order = np.argsort(-shares, axis=None, kind="stable")[:k].tolist()
    return [(place // n, place % n) for place in order]


def classifier_features(baskets: BasketSet, *, money: bool = True) -> Floats:
    """Return what the classifier sees, (n, T + 2) or with ``money`` (n, T + 4).

    Types in the basket, number of types and log pieces; with ``money`` also log money and log money per piece.
    """
    pieces = np.maximum(baskets.units.sum(axis=1), 1)
    columns = [baskets.present, baskets.present.sum(axis=1, keepdims=True), np.log(pieces)[:, None]]
    if money:
        cents = np.maximum(baskets.cents, 1)
        columns += [np.log(cents)[:, None], np.log(cents / pieces)[:, None]]
    return np.hstack(columns)


def fit_logistic(x: Floats, y: Floats, ridge: float = RIDGE) -> Floats:
    """Return the coefficients of a ridge logistic regression, (features + 1,), the free constant first.

    Args:
        x: (n, features), standardised.
        y: (n,) zeros and ones.
        ridge: Weight of half the squared coefficients, > 0; the constant is not shrunk.
    """
    from scipy.optimize import minimize

    design = np.hstack([np.ones((len(x), 1)), x])
    shrink = np.append(0.0, np.full(x.shape[1], ridge))

    def loss(w: Floats) -> tuple[float, Floats]:
        z = design @ w
        value = float(np.logaddexp(0.0, z).sum() - y @ z + 0.5 * shrink @ (w * w))
        chance = 0.5 * (1.0 + np.tanh(0.5 * z))
        return value, design.T @ (chance - y) + shrink * w

    found = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x, dtype=np.float64)


def rank_auc(positive: Floats, negative: Floats) -> float:
    """Return the chance that a positive score exceeds a negative one, ties half.

    >>> rank_auc(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.875
    """
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, side="left")
    upto = np.searchsorted(ordered, positive, side="right")
    return float((below + upto).mean() / 2.0 / len(negative))


class Separation(NamedTuple):
    """How well a classifier tells two sets apart."""

    auc: float
    half_width: float
    """Of the 95 % interval (Hanley and McNeil)."""


def separation(a: BasketSet, b: BasketSet, *, seed: int = 0, money: bool = True) -> Separation:
    """Return the cross-validated AUC between two sets of baskets.

    Args:
        a: One set; at least ``FOLDS`` baskets.
        b: The other one.
        seed: Key of the division into folds.
        money: Whether the classifier sees money.

    Raises:
        TaskError: A set is too small.
    """
    for baskets in (a, b):
        if len(baskets) < FOLDS:
            raise TaskError(f"a comparison needs at least {FOLDS} baskets on either side, got {len(baskets)}")
    x = np.vstack([classifier_features(a, money=money), classifier_features(b, money=money)])
    y = np.repeat([1.0, 0.0], [len(a), len(b)])
    rng = np.random.Generator(np.random.PCG64([0x10BA5, seed]))
    fold = np.concatenate([rng.permutation(len(part)) % FOLDS for part in (a, b)])
    aucs = []
    for k in range(FOLDS):
        train, test = fold != k, fold == k
        middle, spread = x[train].mean(axis=0), x[train].std(axis=0)
        scaled = (x - middle) / np.where(spread > 0.0, spread, 1.0)
        w = fit_logistic(scaled[train], y[train])
        score = scaled[test] @ w[1:]
        aucs.append(rank_auc(score[y[test] == 1.0], score[y[test] == 0.0]))
    auc = float(np.mean(aucs))
    return Separation(auc, 1.96 * _auc_error(auc, len(a), len(b)))


def _auc_error(auc: float, n_a: int, n_b: int) -> float:
    """Return the standard error of an AUC by the formula of Hanley and McNeil."""
    first, second = auc / (2.0 - auc), 2.0 * auc * auc / (1.0 + auc)
    square = auc * (1.0 - auc) + (n_a - 1) * (first - auc * auc) + (n_b - 1) * (second - auc * auc)
    return math.sqrt(max(square, 0.0) / (n_a * n_b))


def _need_some(baskets: BasketSet) -> None:
    if not len(baskets):
        raise TaskError("there are no baskets to look at")
