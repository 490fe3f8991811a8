"""Small phrases for single facts: attributes, sizes, amounts, money, diets, allergies and "no preference"."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

ADJECTIVES: Final[dict[str, tuple[str, ...]]] = {
    "organic": ("organic",),
    "vegan": ("vegan",),
    "vegetarian": ("vegetarian",),
    "gluten_free": ("gluten free", "gluten-free"),
    "lactose_free": ("lactose free", "lactose-free"),
    "low_sugar": ("low sugar", "low-sugar"),
    "low_fat": ("low fat", "low-fat"),
    "low_salt": ("low salt", "low-salt"),
    "wholegrain": ("wholegrain", "whole grain"),
    "fair_trade": ("fair trade", "fairtrade"),
    "local": ("local", "locally made"),
    "family_size": ("family size", "family-size"),
    "high_protein": ("high protein", "high-protein"),
    "high_fibre": ("high fibre", "high-fibre"),
    "free_range": ("free range", "free-range"),
    "sustainable_fishing": ("sustainably fished", "sustainably caught"),
    "no_additives": ("additive-free", "additive free"),
    "ready_to_use": ("ready-to-use", "ready to use"),
    "caffeine_free": ("caffeine free", "caffeine-free"),
    "alcohol_free": ("alcohol free", "alcohol-free"),
    "fragrance_free": ("fragrance free", "fragrance-free"),
    "biodegradable": ("biodegradable",),
    "recyclable": ("recyclable",),
    "sensitive": ("sensitive",),
}
"""What stands before a noun. Attributes without an entry are said as their name."""

FEATURES: Final[dict[str, tuple[str, ...]]] = {
    "organic": ("organic", "of organic quality", "organically grown"),
    "vegan": ("vegan",),
    "vegetarian": ("vegetarian",),
    "gluten_free": ("gluten free", "without gluten", "free of gluten"),
    "lactose_free": ("lactose free", "without lactose", "free of lactose"),
    "low_sugar": ("low in sugar", "with little sugar", "with less sugar"),
    "low_fat": ("low in fat", "with little fat", "with less fat"),
    "low_salt": ("low in salt", "with little salt", "with less salt"),
    "wholegrain": ("wholegrain", "with the whole grain", "whole grain"),
    "fair_trade": ("fair trade", "fairly traded", "fairtrade"),
    "local": ("local", "from the region", "from around here"),
    "family_size": ("in family size", "in a family pack", "as a family pack"),
    "high_protein": ("high in protein", "rich in protein", "with lots of protein"),
    "high_fibre": ("high in fibre", "rich in fibre", "with lots of fibre"),
    "free_range": ("free range", "from free-range animals"),
    "sustainable_fishing": ("sustainably fished", "from sustainable fishing"),
    "no_additives": ("without additives", "free of additives"),
    "ready_to_use": ("ready to use", "ready for use"),
    "caffeine_free": ("without caffeine", "caffeine free"),
    "alcohol_free": ("without alcohol", "alcohol free"),
    "fragrance_free": ("without fragrance", "fragrance free", "unscented"),
    "biodegradable": ("biodegradable",),
    "recyclable": ("recyclable", "in recyclable packaging"),
    "sensitive": ("sensitive", "for sensitive skin"),
}
"""What can follow "it should be" or a noun."""

NUMBERS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip

SIZE_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "small": ("small", "little"),
    "regular": ("regular", "medium", "normal-sized"),
    "large": ("large", "big"),
}
SIZE_PHRASES: Final[dict[str, tuple[str, ...]]] = {
    "small": ("a small pack", "the small size", "in a small size", "a little one", "the smaller pack"),
    "regular": ("a regular pack", "the regular size", "in a medium size", "a normal-sized one", "the medium pack"),
    "large": ("a large pack", "the large size", "in a big size", "a big one", "the bigger pack"),
}

FIELD_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "product_type": ("kind", "sort"),
    "department": ("department", "section"),
    "brand": ("brand", "make"),
    "size": ("size", "pack size"),
    "quantity": ("number", "quantity"),
    "price_limit": ("price", "cost"),
    "diet": ("diet",),
    "allergy": ("allergy",),
}

NO_PREFERENCE: Final[dict[str, tuple[str, ...]]] = {
    "product_type": ("no particular kind", "any kind will do", "the kind doesn't matter", "whatever kind"),
    "department": ("no particular department", "any department will do", "the department doesn't matter"),
    "brand": (
        "any brand will do", "the brand doesn't matter", "no particular brand", "whatever brand",
        "I don't mind which brand", "the brand is all the same to me", "no preference on brand",
    ),
    "size": (
        "any size will do", "the size doesn't matter", "no particular size", "whatever size", "I don't mind the size",
        "the size is all the same to me", "no preference on size",
    ),
    "quantity": ("any number will do", "the quantity doesn't matter", "no particular quantity", "whatever quantity"),
    "price_limit": (
        "any price will do", "the price doesn't matter", "no price limit", "whatever it costs", "no limit on the price",
        "I don't mind the price", "no preference on price",
    ),
    "diet": ("no diet to mind", "no special diet", "no dietary needs", "no diet at all"),
    "allergy": ("no allergies", "no allergies to mind", "no allergy at all", "there are no allergies"),
    "anything": (
        "no other wishes", "nothing else to mind", "no further preferences", "anything else is fine",
        "no more wishes", "nothing else matters", "that is all I care about", "no further wishes",
    ),
}  # fmt: skip
NO_ATTRIBUTE: Final = (
    "{a} or not doesn't matter", "I don't mind whether it's {a}", "{a} or not is all the same to me",
    "no preference on {a}", "it needn't be {a}", "{a} isn't important", "being {a} makes no difference to me",
)  # fmt: skip

DIET_PHRASES: Final = ("strictly {d}", "it must be {d}", "it has to be {d}", "for a {d} diet", "{d} is a must")
ALLERGY_PHRASES: Final = (
    "no {a} because of an allergy", "without {a}, it's an allergy", "allergic to {a}", "nothing with {a}, for allergy",
    "there's an allergy to {a}", "free of {a} for an allergy",
)  # fmt: skip
MONEY_LIMITS: Final = (
    "at most {m}", "no more than {m}", "up to {m}", "{m} at most", "not over {m}", "for {m} or less", "{m} tops",
    "for a maximum of {m}",
)  # fmt: skip
NO_BRAND: Final = "unbranded"
"""The brand of goods without one, in catalogues that have such."""
BRAND_PHRASES: Final = ("from {b}", "by {b}", "{b} brand", "the brand {b}", "of the {b} brand", "made by {b}")
AMOUNTS: Final = ("{n} of {it}", "{n} packs", "{n} in all", "{n} pieces", "{n} units")
AMOUNTS_ONE: Final = ("just one", "a single one", "one pack", "one piece", "only one")


def plain(name: str) -> str:
    """Return a slot name as words.

    >>> plain("low_sugar")
    'low sugar'
    """
    return name.replace("_", " ")


def number_word(n: int) -> str:
    """Return a count in words up to twelve, in digits above.

    >>> number_word(2), number_word(20)
    ('two', '20')
    """
    return NUMBERS[n] if 0 <= n < len(NUMBERS) else str(n)


def money(amount: float) -> str:
    """Return an amount of money, exact to the cent.

    >>> money(3.0), money(2.5), money(1.0)
    ('3 euros', '2.50 euros', '1 euro')
    """
    cents = round(amount * 100)
    if cents == 100:
        return "1 euro"
    return f"{cents // 100} euros" if cents % 100 == 0 else f"{cents // 100}.{cents % 100:02d} euros"


def listed(names: tuple[str, ...], joint: str = "and") -> str:
    """Return names as one phrase.

    >>> listed(("nuts", "milk", "eggs"), "or")
    'nuts, milk or eggs'
    """
    words = [plain(name) for name in names]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joint} {words[-1]}"


def _cached(make: Callable[[str], tuple[str, ...]]) -> Callable[[str], tuple[str, ...]]:
    return lru_cache(maxsize=4096)(make)


@_cached
def adjectives(attribute: str) -> tuple[str, ...]:
    """Return the words for an attribute before a noun."""
    return ADJECTIVES.get(attribute) or (plain(attribute),)


@_cached
def features(attribute: str) -> tuple[str, ...]:
    """Return the words for an attribute after a noun or "it should be"."""
    return FEATURES.get(attribute) or (plain(attribute),)


@_cached
def indifference(slot: str) -> tuple[str, ...]:
    """Return the ways to say that a slot is of no matter."""
    known = NO_PREFERENCE.get(slot)
    if known:
        return known
    return tuple(form.replace("{a}", word) for word in adjectives(slot)[:1] for form in NO_ATTRIBUTE)


@lru_cache(maxsize=8192)
def money_limit(amount: float) -> tuple[str, ...]:
    """Return the ways to state a price limit."""
    spoken = money(amount)
    return tuple(form.replace("{m}", spoken) for form in MONEY_LIMITS)


@_cached
def brand_phrases(brand: str) -> tuple[str, ...]:
    """Return the ways to wish for a brand."""
    if brand == NO_BRAND:
        return ("a no-name one", "without a brand name", "of no brand")
    return tuple(form.replace("{b}", brand) for form in BRAND_PHRASES)


@lru_cache(maxsize=4096)
def diet_phrases(diets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the ways to state diets as a must; of no diets, that there are none."""
    spoken = listed(diets)
    return tuple(form.replace("{d}", spoken) for form in DIET_PHRASES) if diets else NO_PREFERENCE["diet"]


@lru_cache(maxsize=4096)
def allergy_phrases(allergens: tuple[str, ...]) -> tuple[str, ...]:
    """Return the ways to state allergies; of no allergens, that there are none."""
    spoken = listed(allergens, "or")
    return tuple(form.replace("{a}", spoken) for form in ALLERGY_PHRASES) if allergens else NO_PREFERENCE["allergy"]


@lru_cache(maxsize=512)
def amounts(n: int, it: str) -> tuple[str, ...]:
    """Return the ways to state how many; ``it`` is the pronoun of what is counted."""
    if n == 1:
        return AMOUNTS_ONE
    word = number_word(n)
    return tuple(form.replace("{n}", word).replace("{it}", it) for form in AMOUNTS)
