"""Nouns: how a user refers to product types and to products, without ever saying a product's full name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.dialogue.consistency import clean_text

_SINGULAR_S: Final = frozenset(
    ("asparagus", "hummus", "couscous", "citrus", "swiss", "bis", "cassis", "molasses", "gas", "oasis", "haggis", "us")
)
_NO_BRAND: Final = frozenset(("", "unbranded", "none", "no brand"))
_THAT: Final = ("that one", "this one")
_CLAIMS: Final = frozenset(
    ("organic", "vegan", "vegetarian", "gluten-free", "lactose-free", "less", "salt", "sugar", "fat", "light",
        "wholegrain", "fair",
     "trade", "local", "family", "high-protein", "protein", "high-fibre", "free-range", "caffeine-free", "alcohol-free",
     "fragrance-free", "sensitive", "biodegradable", "recyclable", "low", "free", "no", "each", "loose", "per", "pack")
)  # fmt: skip


class Noun(NamedTuple):
    """A product type as a noun with the words that must agree with it."""

    x: str
    it: str
    be: str
    that: str


def is_plural(name: str) -> bool:
    """Return whether a noun phrase is plural, by its last word before "of", "for", "with" or "in".

    >>> is_plural("apples"), is_plural("couscous"), is_plural("biscuits with nuts"), is_plural("oat drink")
    (True, False, True, False)
    """
    words = name.lower().split()
    for i, word in enumerate(words):
        if word in ("of", "for", "with", "in", "without") and i:
            words = words[:i]
            break
    last = words[-1] if words else ""
    return last.endswith("s") and not last.endswith("ss") and last not in _SINGULAR_S


def noun_of(name: str) -> Noun:
    """Return the noun of a type name; an empty name gives the pronoun "it".

    >>> noun_of("Apples").it, noun_of("").x
    ('them', 'it')
    """
    words = lowered(clean_text(name)[0].replace("_", " "))
    if is_plural(words):
        return Noun(words, "them", "are", "those")
    return Noun(words or "it", "it", "is", "that")


def lowered(name: str) -> str:
    """Return a name in lower case, words in capitals only left as they are.

    >>> lowered("Oat Drink"), lowered("BBQ sauce")
    ('oat drink', 'BBQ sauce')
    """
    return " ".join(w if len(w) > 1 and w.isupper() else w.lower() for w in name.split())


def spoken_size(size: float, unit: str) -> str:
    """Return a pack's contents as people say it.

    >>> spoken_size(500.0, "g"), spoken_size(1500.0, "ml"), spoken_size(6.0, "pcs")
    ('500 g', '1.5 l', '6-piece')
    """
    if unit in ("g", "ml") and size >= 1000:
        return f"{size / 1000:g} {'kg' if unit == 'g' else 'l'}"
    return f"{size:g}-piece" if unit == "pcs" else f"{size:g} {unit}"


class _Forms(NamedTuple):
    """The ways to refer to one product, by how much must be said to tell it apart."""

    plain: tuple[str, ...]
    """Brand or variety is enough."""
    branded: tuple[str, ...]
    """Another brand has the same variety on the table: the brand is said."""
    varied: tuple[str, ...]
    """Others of the brand are on the table: the variety is said."""
    sized: tuple[str, ...]
    """Others of brand and variety are there too: the pack size is said."""
    brand: str
    variety: str


class ShortNames:
    """Short names of products, made at first use and kept.

    A short name has the brand, the variety or the pack size, never all of the name.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._made: dict[str, _Forms] = {}

    def forms(self, product: str, among: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the ways to refer to a product, all singular; never empty.

        Args:
            product: Product id; an unknown id is only pointed at ("that one").
            among: Ids on the table; the forms say as much as it takes to tell the product from them.
        """
        own = self._made.get(product) or self._make(product)
        forms = own.plain
        for other in among:
            if other != product:
                theirs = self._made.get(other) or self._make(other)
                alike = theirs.variety == own.variety
                if theirs.brand == own.brand:
                    if alike:
                        return own.sized
                    forms = own.varied
                elif alike and forms is own.plain:
                    forms = own.branded
        return forms

    def _make(self, product: str) -> _Forms:
        number = self._catalogue.by_id.get(product)
        made = self._made[product] = _POINTING if number is None else self._forms_of(number)
        return made

    def _forms_of(self, number: int) -> _Forms:
        item = self._catalogue.products[number]
        full = clean_text(item.name)[0]
        brand = "" if item.brand.lower() in _NO_BRAND else clean_text(item.brand)[0]
        kind = noun_of(item.product_type)
        size = spoken_size(item.size, item.unit)
        if not brand:
            return _unbranded(full, size)
        variety = _variety(full, brand, kind.x)
        owner = f"{brand}'" if brand.endswith("s") else f"{brand}'s"
        plain = [brand, owner, f"the {brand}", f"the {brand} one", f"that {brand} one"]
        varied = [f"the {size} {brand}", f"{owner} in {size}"]
        sized = [f"the {size} {brand}", f"{owner} {size} one"]
        if kind.it == "it" and f"{brand} {kind.x}".lower() not in full.lower():
            plain.append(f"the {brand} {kind.x}")
        branded = _safe(plain, full)
        if variety:
            varied = [
                f"{owner} {variety}",
                f"the {brand} {variety}",
                f"{brand} {variety}",
                f"the {brand} {variety} one",
            ]
            sized = [f"the {size} {brand} {variety}", f"{owner} {variety} in {size}"]
            plain += [f"the {variety} one", f"that {variety} one", f"{owner} {variety}"]
        return _Forms(_safe(plain, full), branded, _safe(varied, full), _safe(sized, full), brand, variety)


def _variety(full: str, brand: str, kind: str) -> str:
    """Return what the name has beyond brand, claims, type and pack: at most two words, "" when nothing is left."""
    rest = full[len(brand) :] if brand and full.lower().startswith(brand.lower()) else full
    skip = {w.lower() for w in kind.split()}
    skip |= {w[:-1] for w in skip if w.endswith("s")}
    kept: list[str] = []
    for word in rest.replace(",", " ").split():
        if word[0].isdigit():
            break
        if word.lower() not in skip and word.lower() not in _CLAIMS and word not in ("&", "-"):
            kept.append(word)
    kept = kept[:2]
    while kept and kept[-1].lower() in ("with", "of", "and", "in", "for", "from", "less"):
        kept.pop()
    return " ".join(kept)


def _unbranded(full: str, size: str) -> _Forms:
    words = full.split()
    part = " ".join(words[: min(3, len(words) - 1)]).rstrip(",&- ").replace(",", "") if len(words) > 1 else ""
    if not part:
        return _Forms(_THAT, _THAT, _THAT, ("that one", f"the one of {size}"), full, "")
    short = _safe([f"the {part} one", f"that {part} one", f"the {part}"], full)
    return _Forms(short, short, short, _safe([f"the {part} one of {size}"], full), part, "")


def _safe(forms: list[str], full: str) -> tuple[str, ...]:
    low = full.lower()
    return tuple(f for f in forms if low not in f.lower()) or ("that one",)


_POINTING: Final = _Forms(_THAT, _THAT, _THAT, _THAT, "\x00", "")
