"""The parser's words: phrases for types, attributes, brands, departments, sizes, allergens, found in running text.

Built from a catalogue and a few tables of everyday English. It shares nothing with any grammar that writes sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from supermarket_env.catalogue.schema import ALLERGENS, ATTRIBUTES, Catalogue

_WORD: Final = re.compile(r"[0-9a-z\xdf-\xff]+(?:'[a-z\xdf-\xff]+)?(?:[.,][0-9]+)*|[.,;:!?]")
_CONTRACTED: Final = frozenset(
    ("it's", "that's", "there's", "what's", "here's", "let's", "who's", "where's", "how's", "one's", "else's")
)
SEPARATORS: Final = frozenset(".,;:!?")

ATTRIBUTE_PHRASES: Final[dict[str, str]] = {
    "organic": "organic, bio, organically grown, organic quality, of organic quality, organics",
    "vegan": "vegan, plant based, purely plant",
    "vegetarian": "vegetarian, veggie, meatless, without meat",
    "gluten_free": "gluten free, without gluten, free of gluten, free from gluten, no gluten",
    "lactose_free": "lactose free, without lactose, free of lactose, free from lactose, no lactose",
    "low_sugar": "low sugar, low in sugar, less sugar, little sugar, with little sugar, with less sugar, reduced"
    " sugar, not too sweet",
    "low_fat": "low fat, low in fat, less fat, little fat, with little fat, with less fat, reduced fat, lean, light"
    " in fat",
    "low_salt": "low salt, low in salt, less salt, little salt, with little salt, with less salt, reduced salt, low"
    " sodium",
    "wholegrain": "wholegrain, whole grain, wholemeal, whole wheat, with the whole grain",
    "fair_trade": "fair trade, fairtrade, fairly traded",
    "local": "local, locally made, regional, from the region, from around here, locally grown, from nearby",
    "family_size": "family size, family pack, family sized, in family size, in a family pack, as a family pack, bulk"
    " pack",
    "high_protein": "high protein, high in protein, rich in protein, lots of protein, with lots of protein, extra"
    " protein",
    "high_fibre": "high fibre, high in fibre, rich in fibre, lots of fibre, with lots of fibre, high fiber, rich in"
    " fiber",
    "free_range": "free range, from free range animals, free range animals",
    "sustainable_fishing": "sustainably fished, sustainably caught, sustainable fishing, from sustainable fishing,"
    " sustainable fish",
    "no_additives": "no additives, without additives, free of additives, additive free, free from additives",
    "ready_to_use": "ready to use, ready for use, ready made",
    "caffeine_free": "caffeine free, without caffeine, no caffeine, decaf, decaffeinated, free of caffeine",
    "alcohol_free": "alcohol free, without alcohol, no alcohol, non alcoholic, free of alcohol",
    "fragrance_free": "fragrance free, without fragrance, no fragrance, unscented, without perfume, perfume free",
    "biodegradable": "biodegradable, compostable",
    "recyclable": "recyclable, recyclable packaging, in recyclable packaging",
    "sensitive": "sensitive, sensitive skin, for sensitive skin",
}
_SIZES: Final = {
    "small": "small, smaller, little, mini, small pack, smaller pack, small size, a little one, a little pack, a"
    " little size, tiny",
    "regular": "regular, medium, normal sized, normal size, medium pack, regular pack, medium size, standard size",
    "large": "large, larger, big, bigger, large pack, bigger pack, large size, big size",
}
_ALLERGENS: Final = {
    "gluten": "gluten, wheat",
    "crustaceans": "crustaceans, shellfish, crustacean",
    "eggs": "eggs, egg",
    "fish": "fish",
    "peanuts": "peanuts, peanut",
    "soy": "soy, soya",
    "milk": "milk, dairy",
    "nuts": "nuts, nut, tree nuts",
    "celery": "celery",
    "mustard": "mustard",
    "sesame": "sesame",
    "sulphites": "sulphites, sulfites, sulphite",
    "lupin": "lupin",
    "molluscs": "molluscs, mollusc, mollusks",
}
# Words that would otherwise be taken for a size, an amount or a type.
_IDLE: Final = (
    "a little something, small thing, a little bit, too little, a small wish, little time, spread the word, big deal,"
    " help me a little, a little, a small question, a treat, chop chop, little by little, at large, large part"
)

# Last words of type names that mean something else when they stand alone.
_NO_HEADS: Final = frozenset(
    ("care", "treat", "piece", "drink", "mix", "food", "snack", "meal", "ingredient", "product", "item", "good",
        "need", "roll",
     "bag", "spread", "bar", "paste", "sheet", "cube", "capsule", "chip", "jar", "cleaner", "tablet", "other", "more",
     "time")
)  # fmt: skip


class Found(NamedTuple):
    """A phrase of the lexicon in a text."""

    kind: str
    """``type``, ``attribute``, ``brand``, ``department``, ``size``, ``allergen`` or ``idle``."""
    value: str
    first: int
    """Number of its first word."""
    after: int
    """Number of the word after it."""
    words: str = ""
    """The phrase as it stands in the text."""


def tokens(text: str) -> list[str]:
    """Return the lower-case words and punctuation marks of a text; hyphens part words, a possessive 's goes.

    >>> tokens("Gluten-free bread, by Hofland's: 2.50")
    ['gluten', 'free', 'bread', ',', 'by', 'hofland', ':', '2.50']
    """
    words = _WORD.findall(text.lower())
    return [w[:-2] if w.endswith("'s") and w not in _CONTRACTED else w for w in words]


class Lexicon:
    """All phrases of one catalogue, found longest first."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
        self.type_department = {t.name: t.department for t in catalogue.types}
        taken: set[tuple[str, ...]] = set()
        self._add(taken, "idle", "", _IDLE.split(","))
        for attribute in ATTRIBUTES:
            self._add(
                taken, "attribute", attribute, ATTRIBUTE_PHRASES.get(attribute, attribute.replace("_", " ")).split(",")
            )
        names = [t.name for t in catalogue.types]
        for name in names:
            self._add(taken, "type", name, _numbers(name))
        for name, others in catalogue.synonyms.items():
            for other in others:
                if _stem(other.lower()) in _NO_HEADS:
                    continue
                self._add(taken, "type", name, _numbers(other))
        heads: dict[str, list[str]] = {}
        for name in names:
            words = tokens(name)
            if len(words) > 1 and not {"for", "with", "of", "in"} & set(words):
                heads.setdefault(_stem(words[-1]), []).append(name)
        for head, owners in heads.items():
            if len(owners) == 1 and len(head) > 3 and head not in _NO_HEADS:
                self._add(taken, "type", owners[0], _numbers(tokens(owners[0])[-1]))
        for brand in catalogue.brands:
            if brand.lower() not in ("unbranded", ""):
                self._add(set(), "brand", brand, [brand])
        for department in catalogue.departments:
            for place in ("department", "section", "line", "aisle", "corner"):
                self._add(set(), "department", department, [f"{department} {place}"])
                self._add(set(), "department", department, [f"{department} {place}"], marks=True)
        for size, phrases in _SIZES.items():
            self._add(taken, "size", size, phrases.split(","))
        for allergen in ALLERGENS:
            self._add(taken, "allergen", allergen, _ALLERGENS.get(allergen, allergen).split(","))
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    def _add(
        self, taken: set[tuple[str, ...]], kind: str, value: str, phrases: Iterable[str], *, marks: bool = False
    ) -> None:
        for phrase in phrases:
            words = tuple(w for w in tokens(phrase.replace("-", " ")) if marks or w not in SEPARATORS)
            if words and words not in taken:
                taken.add(words)
                self._by_first.setdefault(words[0], []).append((words, kind, value))

    def find(self, words: list[str]) -> list[Found]:
        """Return the phrases in a list of words from left to right, longest first, never overlapping."""
        found: list[Found] = []
        i, n = 0, len(words)
        while i < n:
            for phrase, kind, value in self._by_first.get(words[i], ()):
                after = i + len(phrase)
                if after <= n and tuple(words[i:after]) == phrase:
                    found.append(Found(kind, value, i, after, " ".join(phrase)))
                    i = after - 1
                    break
            i += 1
        return found


def allergen_of(word: str) -> str | None:
    """Return the allergen a word means, or None.

    >>> allergen_of("nut"), allergen_of("rice")
    ('nuts', None)
    """
    return _ALLERGEN_OF.get(word)


_ALLERGEN_OF: Final = {w.strip(): a for a, words in _ALLERGENS.items() for w in words.split(",")}
ALLERGEN_WORDS: Final = tuple(sorted(_ALLERGEN_OF, key=len, reverse=True))


def _stem(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _numbers(name: str) -> list[str]:
    """Return a name with its last word in singular and plural."""
    words = name.split()
    last = words[-1].lower()
    head = " ".join(words[:-1])
    stem = _stem(last)
    forms = {last, stem, stem + "s", stem + "es", stem[:-1] + "ies" if stem.endswith("y") else last}
    if len(name) <= 3:
        forms = {last}
    return [f"{head} {form}".strip() for form in sorted(forms)]
