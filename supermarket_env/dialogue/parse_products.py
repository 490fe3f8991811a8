"""Which of the products on the table does a user mean? Brands, varieties, pack sizes and positions, weighed up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.dialogue.lexicon import tokens

_CUT: Final = re.compile(r"[,;:!?]|\.(?![0-9])|\b(?:and|or|plus|versus|vs)\b")
_ORDINALS: Final = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_POSITION: Final = re.compile(r"\bthe (first|second|third|fourth|fifth|last)(?: one)?\b")
_IDLE: Final = frozenset(
    (
        "the",
        "one",
        "that",
        "this",
        "from",
        "in",
        "of",
        "with",
        "and",
        "for",
        "a",
        "an",
        "is",
        "it",
        "g",
        "kg",
        "ml",
        "l",
        "pcs",
    )
)
_BRAND_WEIGHT: Final = 3.0
_VARIETY_WEIGHT: Final = 1.0
_SIZE_WEIGHT: Final = 1.5
_ENOUGH: Final = 1.0


class _Looks(NamedTuple):
    brand: str
    variety: frozenset[str]
    size: str


class ProductFinder:
    """Finds short references to products among a few candidates."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._looks: dict[str, _Looks] = {}

    def find(self, text: str, candidates: Sequence[str]) -> tuple[str, ...]:
        """Return the ids of the candidates a text refers to, in order of mention; empty when it points at none.

        Each piece of the text (cut at punctuation, "and", "or") refers to at most one product: the one with the
        most of its brand, variety and size in the piece, ties to the earlier candidate.
        """
        known = [c for c in dict.fromkeys(candidates) if c in self._catalogue.by_id]
        if not known:
            return ()
        found: list[str] = []
        low = text.lower()
        for piece in _CUT.split(low):
            position = _POSITION.search(piece)
            if position and _ORDINALS[position.group(1)] < len(known):
                found.append(known[_ORDINALS[position.group(1)]])
                continue
            words = tokens(piece.replace("-", " "))
            line = f" {' '.join(words)} "
            best, score = "", 0.0
            for candidate in known:
                points = self._points(candidate, line, words)
                if points > score:
                    best, score = candidate, points
            if score >= _ENOUGH:
                found.append(best)
        return tuple(dict.fromkeys(found))

    def _points(self, candidate: str, line: str, words: list[str]) -> float:
        looks = self._looks.get(candidate) or self._look(candidate)
        points = _BRAND_WEIGHT if looks.brand and looks.brand in line else 0.0
        shared = sum(word in looks.variety for word in words)
        if shared and (points or " one " in line or (shared >= 2 and not looks.brand)):
            points += _VARIETY_WEIGHT * shared
            points += 0.5 * (shared / max(len(looks.variety), 1))
        if points and looks.size in line:
            points += _SIZE_WEIGHT
        return points

    def _look(self, candidate: str) -> _Looks:
        product = self._catalogue.product(candidate)
        brand = " ".join(tokens(product.brand.replace("-", " ")))
        skip = set(tokens(product.brand.replace("-", " "))) | set(tokens(product.product_type)) | _IDLE
        variety = frozenset(
            w
            for w in tokens(product.name.replace("-", " "))
            if w not in skip and w[0].isalpha() and w + "s" not in skip
        )
        if product.unit in ("g", "ml") and product.size >= 1000:
            size = f" {product.size / 1000:g} {'kg' if product.unit == 'g' else 'l'} "
        else:
            size = f" {product.size:g} {'piece' if product.unit == 'pcs' else product.unit} "
        looks = self._looks[candidate] = _Looks(f" {brand} " if brand and brand != "unbranded" else "", variety, size)
        return looks
