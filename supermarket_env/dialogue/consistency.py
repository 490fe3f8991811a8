"""Does a message's text agree with its slots? A cheap check that flags only plain contradictions.

It looks for five things: a full product name that the message does not hold, a price that differs from the one
stated or listed, a section or node that is neither goal nor suggestion, "in stock" or "sold out" against a stock
slot, and a leading yes or no against an informed attribute. Paraphrases, short names and hedged claims pass: a fault
counted here must be one. Whether a claim is *true* is another question, asked elsewhere.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Final

from supermarket_env.catalogue.schema import ATTRIBUTES, Catalogue, Product
from supermarket_env.dialogue.acts import MAX_TEXT, AssistantMessage
from supermarket_env.dialogue.product_names import Mention, name_index
from supermarket_env.store import Store

# Two patterns that each start with a character set, which the regex engine skips to, instead of one that cannot.
_SIGN_FIRST: Final = re.compile(r"(?:\u20ac|EUR|eur|\$|\xa3)\s?([0-9]{1,4}(?:[.,][0-9]{1,2})?)(?![0-9])")
_SIGN_LAST: Final = re.compile(r"([0-9]{1,4}(?:[.,][0-9]{1,2})?)\s?(?:\u20ac|EUR|eur|euros?|\$|\xa3)(?![A-Za-z])")
_HEDGES: Final = frozenset(
    [
        "under",
        "below",
        "over",
        "above",
        "less",
        "more",
        "most",
        "least",
        "up",
        "from",
        "save",
        "saves",
        "off",
        "cheaper",
        "dearer",
        "budget",
        "limit",
        "about",
        "around",
        "maximum",
        "between",
        "or",
        "was",
        "instead",
        "than",
        "total",
        "together",
        "all",
        "max",
        "min",
    ]
)
_NOT_A_PRICE: Final = re.compile(
    r"\W{0,2}(?:per|a|an|/|each kilo|for (?:a|one) kilo|off|less|more|cheaper|dearer|saved|budget|or|in total"
    r"|together)\b"
    r"|\s?/",
    re.IGNORECASE,
)
_PLACE_ID: Final = re.compile(r"\b[A-Z][A-Z0-9_-]{1,15}\b")
_IN_STOCK: Final = re.compile(r"\b(?:in stock|available|still (?:some |a few )?left)\b", re.IGNORECASE)
_SOLD_OUT: Final = re.compile(r"\b(?:sold out|out of stock|unavailable|run out|none left)\b", re.IGNORECASE)
_NEGATIONS: Final = frozenset(
    [
        "not",
        "no",
        "if",
        "whether",
        "when",
        "until",
        "never",
        "or",
        "without",
        "isn't",
        "aren't",
        "wasn't",
        "cannot",
        "can't",
    ]
)
_YES: Final = re.compile(r"^\W*(?:yes|yep|yeah|indeed|certainly)\b", re.IGNORECASE)
_NO: Final = re.compile(
    r"^\W*(?:no|nope|unfortunately not|sadly not)\s*(?:[,.;:!-]|$|(?:it|this|that)\b)", re.IGNORECASE
)
_IN_A_NUMBER: Final = frozenset("0123456789.,")
_MIN_NAME_WORDS: Final = 3
_REACH_OF_A_NAME: Final = 60
_NEAR: Final = 24

_FOLD: Final = {
    ord(a): b
    for a, b in (
        ("\u2018", "'"), ("\u2019", "'"), ("\u201c", '"'), ("\u201d", '"'), ("\u2013", "-"), ("\u2014", "-"),
        ("\u2026", "..."), ("\u20ac", "EUR"), ("\n", " "), ("\r", " "), ("\t", " "), ("\xa0", " "), ("\u2022", "-"),
        ("\u0153", "oe"), ("\u0152", "OE"),
    )
}  # fmt: skip


def clean_text(text: str) -> tuple[str, bool]:
    """Return a text that may be shown, and whether anything was lost.

    At most ``MAX_TEXT`` characters, printable Latin-1 only: line breaks and tabs become spaces, typographic marks
    their plain form (nothing is lost by that); other control characters and everything outside Latin-1 are dropped.

    >>> clean_text("now only " + chr(0x20AC) + "2" + chr(0))
    ('now only EUR2', True)
    >>> clean_text("line one" + chr(10) + "line two")
    ('line one line two', False)
    """
    if len(text) <= MAX_TEXT and text.isascii() and text.isprintable():
        return text, False
    cut = text[:MAX_TEXT].translate(_FOLD)
    kept = "".join([c for c in cut if c <= "\xff" and c.isprintable()])[:MAX_TEXT]
    return kept, len(text) > MAX_TEXT or kept != cut


def text_mismatch(message: AssistantMessage, catalogue: Catalogue, store: Store) -> str | None:
    """Return why the text of a message disagrees with its slots, or None.

    The reason is one short English clause for the fault ledger. An empty text agrees with everything. Linear in the
    length of the text, of which the first ``MAX_TEXT`` characters are read.
    """
    text = message.text
    if not text:
        return None
    if len(text) > MAX_TEXT:
        text = text[:MAX_TEXT]
    named = [m for m in name_index(catalogue).find(text) if m.words >= _MIN_NAME_WORDS]
    return (
        (_stranger(message, catalogue, named) if named else None)
        or (
            _price(message, catalogue, text, named)
            if any(c in text for c in "$\xa3\u20ac") or "eur" in text.lower()
            else None
        )
        or _place(message, catalogue, store, text)
        or (_claim(message, catalogue, text) if message.act == "inform" else None)
    )


def _held(message: AssistantMessage, catalogue: Catalogue) -> set[int]:
    """Return the numbers of all products that slots, list, suggestion or goal hold."""
    ids = [*message.items, *message.products]
    if message.suggest is not None:
        ids.append(message.suggest.arg)
    if message.goal is not None:
        ids.append(message.goal.id)
    by_id = catalogue.by_id
    return {by_id[i] for i in ids if i in by_id}


def _stranger(message: AssistantMessage, catalogue: Catalogue, named: list[Mention]) -> str | None:
    held = _held(message, catalogue)
    for mention in named:
        if held.isdisjoint(mention.products):
            return f"names {catalogue.names[mention.products[0]]!r}, which is in neither items nor products"
    return None


def _price(message: AssistantMessage, catalogue: Catalogue, text: str, named: list[Mention]) -> str | None:
    matches = sorted(chain(_SIGN_FIRST.finditer(text), _SIGN_LAST.finditer(text)), key=lambda match: match.start())
    earlier = -1
    for match in matches:
        start, end = match.span()
        before, earlier = earlier, start
        if (
            text[start - 1 : start] in _IN_A_NUMBER
            or not _HEDGES.isdisjoint(_before(text, start, 2))
            or _NOT_A_PRICE.match(text, end, end + _NEAR)
        ):
            continue
        said = round(float(match.group(1).replace(",", ".")) * 100)
        product = _priced(message, catalogue, [m for m in named if m.end > before], start)
        if product is None:
            continue
        number, cents = product
        if said != cents:
            return f"says {said / 100:.2f} for {catalogue.names[number]!r}, not {cents / 100:.2f}"
    return None


def _priced(message: AssistantMessage, catalogue: Catalogue, named: list[Mention], at: int) -> tuple[int, int] | None:
    """Return the product a price at this position belongs to and its price in cents, or None when it is not plain.

    It is the last full name closely before it. Without any name it is the one product of an ``inform`` about prices.
    ``named`` holds the names after the price before: a name has one price, what follows belongs to something else.
    """
    informed = message.products[0] if message.act == "inform" and len(message.products) == 1 else ""
    stated = message.value if message.act == "inform" and message.attribute == "price" else None
    number: int | None = None
    if named or message.act != "inform":
        before = [m for m in named if m.end <= at]
        if not before or at - before[-1].end > _REACH_OF_A_NAME or len(before[-1].products) > 1:
            return None
        number = before[-1].products[0]
    elif informed and message.attribute == "price":
        number = catalogue.by_id.get(informed)
    if number is None:
        return None
    if informed and catalogue.by_id.get(informed) == number and type(stated) in (int, float):
        return number, round(float(stated) * 100) if stated is not None else 0
    return number, int(catalogue.price_cents[number])


def _place(message: AssistantMessage, catalogue: Catalogue, store: Store, text: str) -> str | None:
    names = _PLACE_ID.findall(text)
    sections, nodes = store.layout.section_numbers.keys(), store.layout.node_numbers.keys()
    if sections.isdisjoint(names) and nodes.isdisjoint(names):
        return None
    told = _told_places(message, catalogue, store)
    for name in names:
        if name not in told and (name in sections or name in nodes):
            return f"names {name}, which is neither goal nor suggestion"
    return None


def _told_places(message: AssistantMessage, catalogue: Catalogue, store: Store) -> set[str]:
    """Return ids of the sections and nodes that the slots point at, those of a goal's goods included."""
    told = {str(message.value)}
    found: set[int] = set()
    ids = list(message.products) if message.attribute == "place" else []
    if message.suggest is not None:
        told.add(message.suggest.arg)
        ids.append(message.suggest.arg)
    if message.goal is not None:
        told.add(message.goal.id)
        ids.append(message.goal.id)
    for name in ids:
        if name in catalogue.by_id:
            number = catalogue.by_id[name]
            found.update(int(s) for s in (store.home_section[number], store.endcap_section[number]) if s >= 0)
        elif name in store.layout.section_numbers:
            found.add(store.layout.section_numbers[name])
        elif message.goal is not None and message.goal.kind == "category":
            found.update(
                s for t, kind in enumerate(catalogue.types) if kind.name == name for s in store.type_sections[t]
            )
    for section in found:
        told.add(store.layout.sections[section].id)
        told.update(store.layout.nodes[n].id for n in store.section_nodes[section])
    return told


def _claim(message: AssistantMessage, catalogue: Catalogue, text: str) -> str | None:
    """Return a contradiction between an ``inform`` and what its text says of stock, or its leading yes or no."""
    if len(message.products) != 1 or message.products[0] not in catalogue.by_id:
        return None
    product = catalogue.product(message.products[0])
    slot = _truth_of(message, product)
    if slot is None:
        return None
    if message.attribute == "stock":
        if slot and _plainly(_SOLD_OUT, text) and not _plainly(_IN_STOCK, text):
            return "says sold out, the slot says in stock"
        if not slot and _plainly(_IN_STOCK, text) and not _plainly(_SOLD_OUT, text):
            return "says in stock, the slot says sold out"
    start = text[:_NEAR]
    if slot and _NO.match(start):
        return f"says no, the slot says yes to {message.attribute}"
    if not slot and _YES.match(start):
        return f"says yes, the slot says no to {message.attribute}"
    return None


def _truth_of(message: AssistantMessage, product: Product) -> bool | None:
    """Return what the slot states as yes or no; None when the field is no matter of yes or no."""
    value = message.value
    if message.attribute == "stock":
        if value is None:
            return product.stock > 0
        if isinstance(value, str):
            return None
        return value > 0
    if isinstance(value, bool):
        return value
    if value is None and message.attribute in ATTRIBUTES:
        return message.attribute in product.attributes
    return None


def _plainly(claim: re.Pattern[str], text: str) -> bool:
    return any(_NEGATIONS.isdisjoint(_before(text, m.start(), 3)) for m in claim.finditer(text))


def _before(text: str, at: int, n: int) -> list[str]:
    """Return the last ``n`` words close before a position, in lower case, bare of punctuation."""
    return [word.strip(".,;:!?()") for word in text[max(0, at - _NEAR) : at].lower().split()[-n:]]
