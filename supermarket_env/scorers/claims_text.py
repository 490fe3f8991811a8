"""Statements in running English about products, prices, places, stock and attributes.

Read are full product names in any case, short names (title-case words and a pack size), amounts of money beside a
name, ids of shelves beside what is said to stand there, "in stock" and "sold out", "is (not) vegan", "contains nuts",
"is made by", "is rated", "holds 450 ml". Hedged amounts ("under 5 EUR"), questions about attributes and vague praise
state nothing that could be checked, and are passed over: what is counted as untrue here must be untrue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from supermarket_env.catalogue.schema import ALLERGENS
from supermarket_env.dialogue.lexicon import ATTRIBUTE_PHRASES
from supermarket_env.dialogue.product_names import Mention, name_index
from supermarket_env.scorers.base import Reply
from supermarket_env.scorers.claims_names import MONEY, unknown_names
from supermarket_env.scorers.facts import Claim, Evidence, check
from supermarket_env.scorers.truth import StoreTruth, words_of

_SIGN_FIRST: Final = re.compile(rf"(?:€|EUR|\$|£)\s?{MONEY}(?![0-9])", re.IGNORECASE)
_SIGN_LAST: Final = re.compile(rf"{MONEY}\s?(?:€|EUR(?:OS?)?\b|\$|£)", re.IGNORECASE)
_UNIT_PRICE: Final = re.compile(r"\W{0,2}(?:per|an?|/)\s?(kilo(?:gram)?|kg|lit(?:re|er)|l|piece)\b", re.IGNORECASE)
_BARE_UNIT_PRICE: Final = re.compile(rf"comes at {MONEY} an? (?:kilogram|kilo|kg|lit(?:re|er)|piece)\b", re.IGNORECASE)
_NOT_A_PRICE: Final = re.compile(
    r"\W{0,2}(?:off|less|more|cheaper|dearer|saved|budget|or (?:less|more)|in total|together)\b", re.IGNORECASE
)
_HEDGES: Final = frozenset(
    (
        "under", "below", "over", "above", "less", "more", "most", "least", "up", "from", "save", "saves", "cheaper",
        "dearer", "budget", "limit", "about", "around", "maximum", "between", "or", "was", "instead", "than", "total",
        "together", "all", "max", "min"
    )
)  # fmt: skip
_PLACE_ID: Final = re.compile(r"\b[A-Z]{1,4}-?[0-9]{1,6}\b")
_IN_STOCK: Final = re.compile(r"\b(?:in stock|on the shelf|available|still (?:some |a few )?left)\b", re.IGNORECASE)
_SOLD_OUT: Final = re.compile(
    r"\b(?:sold out|out of stock|unavailable|not available|not on the shelf|not in stock|none left)\b", re.IGNORECASE
)
_NEGATIONS: Final = frozenset(
    (
        "not", "no", "if", "whether", "when", "until", "never", "or", "without", "isn't", "aren't", "cannot", "can't"
    )
)  # fmt: skip
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+(?=[A-Z0-9\xc0-\xde])")
_MARK: Final = "\x01"


def _is_pattern(phrases: str) -> re.Pattern[str]:
    """Return the pattern of "it is (not) vegan" for the phrases of one attribute."""
    options = "|".join("[ -]".join(re.escape(word) for word in phrase.split()) for phrase in phrases.split(","))
    subject = rf"(?:{_MARK}|\b(?:it|this|that|this one|that one))"
    return re.compile(rf"{subject} ?(?:is|'s|are) (not |no longer |also |fully )?(?:{options})\b", re.IGNORECASE)


_ATTRIBUTES: Final = tuple((name, _is_pattern(phrases)) for name, phrases in ATTRIBUTE_PHRASES.items())
_CONTAINS: Final = re.compile(
    rf"(?:{_MARK}|\b(?:it|this|this one)) (contains|does not contain|doesn't contain|contains no|names no allergens)"
    r"([^.;!?]*)",
    re.IGNORECASE,
)
_MADE_BY: Final = re.compile(rf"{_MARK} is made by ([^.;!?]+)", re.IGNORECASE)
_RATED: Final = re.compile(rf"{_MARK} is rated (\d(?:[.,]\d+)?)", re.IGNORECASE)
_KIND: Final = re.compile(rf"{_MARK} (?:belongs to|stands with) the ([^.;!?]+)", re.IGNORECASE)
_STANDS: Final = re.compile(
    r"\b(?:it|they|this|that|these)\b[^.!?;]*?\b(?:is|are|stands?|find|located)\b[^.!?;]*$", re.IGNORECASE
)
_NUMBERED: Final = re.compile(r"\b[Aa]isle (?:no\.? |number )?([0-9]{1,4})\b")
_HOLDS: Final = re.compile(
    r"\W{0,2}(?:is where|is the (?:shelf|place|section|aisle) (?:for|of|with)|has|holds|stocks|carries|"
    r"you(?:'ll| will| can)? find|there (?:is|are))\b"
)
_REACH: Final = 70
_NEAR: Final = 24


def text_claims(reply: Reply, truth: StoreTruth, evidence: Evidence) -> list[Claim]:
    """Return the statements of a reply's words; linear in the length of the text.

    Args:
        reply: The reply; an empty text states nothing.
        truth: The store.
        evidence: What the log shows of stock.
    """
    text = reply.text
    if not text:
        return []
    return list(_Reader(reply, truth, evidence).read(text))


class _Sentence(NamedTuple):
    text: str
    masked: str
    """Full names replaced by a mark each."""
    mentions: Sequence[Mention]
    """The full names in it, from left to right."""


class _Reader:
    def __init__(self, reply: Reply, truth: StoreTruth, evidence: Evidence) -> None:
        self._reply = reply
        self._truth = truth
        self._evidence = evidence
        slots = reply.message.get("slots")
        products = slots.get("products") if isinstance(slots, dict) else None
        self._topic = str(products[0]) if isinstance(products, list) and len(products) == 1 else ""
        """The one product the message is about, for "it"."""

    def read(self, text: str) -> Iterator[Claim]:
        index = name_index(self._truth.catalogue, folded=True)
        mentions = [m for m in index.find(text) if m.words > 2]
        yield from self._names(text, mentions)
        yield from self._prices(text, mentions)
        yield from self._places(text, mentions)
        for sentence in _sentences(text, mentions):
            if sentence.text.rstrip().endswith("?"):
                continue
            yield from self._stock(sentence)
            yield from self._attributes(sentence)

    def _id(self, mention: Mention) -> str:
        carried = [n for n in mention.products if self._truth.is_carried(n)]
        return self._truth.catalogue.ids[(carried or list(mention.products))[0]]

    def _claim(self, kind: str, product: str, said: Any) -> Claim:
        true = check(kind, product, said, self._truth, self._evidence, self._reply.turn)
        return Claim(self._reply.turn, kind, product, said, true, "text")

    def _names(self, text: str, mentions: Sequence[Mention]) -> Iterator[Claim]:
        for mention in mentions:
            product = self._id(mention)
            yield self._claim("product", product, product)
        for called in dict.fromkeys(unknown_names(text, mentions, self._truth)):
            yield Claim(self._reply.turn, "product", called, called, False, "text")

    def _prices(self, text: str, mentions: Sequence[Mention]) -> Iterator[Claim]:
        for match in _BARE_UNIT_PRICE.finditer(text):
            yield from self._amount("unit_price", match.group(1), match.start(), mentions)
        last = -1
        for match in sorted(chain(_SIGN_FIRST.finditer(text), _SIGN_LAST.finditer(text)), key=lambda m: m.start()):
            start, end = match.span()
            if start < last or text[start - 1 : start].isdigit():
                continue
            previous, last = last, end
            if not _HEDGES.isdisjoint(_before(text, start, 2)) or _NOT_A_PRICE.match(text, end, end + _NEAR):
                continue
            kind = "unit_price" if _UNIT_PRICE.match(text, end, end + _NEAR) else "price"
            yield from self._amount(kind, match.group(1), start, [m for m in mentions if m.end > previous])

    def _amount(self, kind: str, amount: str, at: int, mentions: Sequence[Mention]) -> Iterator[Claim]:
        """An amount belongs to the last full name closely before it, else to the one product of the message."""
        before = [m for m in mentions if m.end <= at]
        if before:
            if at - before[-1].end > _REACH or len(before[-1].products) > 1:
                return
            product = self._id(before[-1])
        elif self._topic and not mentions:
            product = self._topic
        else:
            return
        yield self._claim(kind, product, round(float(amount.replace(",", ".")), 2))

    def _places(self, text: str, mentions: Sequence[Mention]) -> Iterator[Claim]:
        covered = [(m.start, m.end) for m in mentions]
        for match in _PLACE_ID.finditer(text):
            place, at = match.group(), match.start()
            if any(start <= at < end for start, end in covered):
                continue
            if place not in self._truth.places:
                # Only what looks like an id of this store is meant as one.
                if re.sub(r"\d", "0", place) in self._truth.place_shapes:
                    yield Claim(self._reply.turn, "place", "", place, False, "text")
                continue
            if place not in self._truth.store.layout.section_numbers:
                continue
            yield from self._shelf(text, place, match.span(), mentions)

        for match in _NUMBERED.finditer(text):
            section = self._truth.numbered_sections.get(int(match.group(1)))
            if section is None:
                yield Claim(self._reply.turn, "place", "", match.group(), False, "text")
            else:
                yield from self._shelf(text, section, match.span(), mentions)

    def _shelf(self, text: str, place: str, span: tuple[int, int], mentions: Sequence[Mention]) -> Iterator[Claim]:
        """A shelf's id says where the goods stand that are named just before it, or that the goal is about."""
        at, end = span
        start = max(0, at - _REACH)
        start = max(start, *(text.rfind(mark, start, at) + 1 for mark in ".!?;"), 0)
        near = [m for m in mentions if start < m.end <= at]
        if near:
            product = self._id(near[-1])
            yield Claim(
                self._reply.turn,
                "place",
                product,
                place,
                place in self._truth.sections_of(near[-1].products[0]),
                "text",
            )
            return
        name = self._type_in(words_of(text[start:at]))
        if name is not None:
            yield Claim(self._reply.turn, "place", name, place, place in self._truth.sections_of_type(name), "text")
        elif _HOLDS.match(text, end):
            yield from self._held(text, place, end, mentions)
        elif _STANDS.search(text, start, at) and (self._topic or self._reply.items):
            yield from self._stands(place)
        else:
            yield from self._goal_place(place)

    def _held(self, text: str, place: str, at: int, mentions: Sequence[Mention]) -> Iterator[Claim]:
        """A shelf's id before "is where", "has": what is named next is said to stand there."""
        end = min([at + _REACH, *(stop for mark in ".!?;" if (stop := text.find(mark, at)) >= 0)])
        near = [m for m in mentions if at <= m.start < end]
        name = None if near else self._type_in(words_of(text[at:end]))
        if near:
            yield self._claim("place", self._id(near[0]), place)
        elif name is not None:
            yield Claim(self._reply.turn, "place", name, place, place in self._truth.sections_of_type(name), "text")

    def _stands(self, place: str) -> Iterator[Claim]:
        """A shelf's id after "it is": where the one product of the message stands, or something of its list."""
        if self._topic:
            yield self._claim("place", self._topic, place)
            return
        numbers = [n for item in self._reply.items if (n := self._truth.number(item)) is not None]
        true = any(place in self._truth.sections_of(n) for n in numbers)
        yield Claim(self._reply.turn, "place", self._reply.items[0], place, true, "text")

    def _goal_place(self, place: str) -> Iterator[Claim]:
        goal = self._reply.goal
        kind, _, name = str((goal or {}).get("goal") or "").partition(":")
        suggest = self._reply.suggest
        if suggest is not None and place in map(str, (suggest["action"].get("params") or {}).values()):
            return
        if kind == "product":
            yield self._claim("place", name, place)
        elif kind == "category":
            yield Claim(self._reply.turn, "place", name, place, place in self._truth.sections_of_type(name), "text")

    def _type_in(self, words: Sequence[str]) -> str | None:
        """Return the last product type named in some words, the longest name at its place."""
        for end in range(len(words), 0, -1):
            for start in range(max(0, end - 5), end):
                name = " ".join(words[start:end])
                if name in self._truth.type_names:
                    return self._truth.type_names[name]
        return None

    def _subject(self, sentence: _Sentence) -> str | None:
        if len(sentence.mentions) == 1:
            return self._id(sentence.mentions[0])
        return self._topic or None if not sentence.mentions else None

    def _stock(self, sentence: _Sentence) -> Iterator[Claim]:
        subject = self._subject(sentence)
        if subject is None:
            return
        gone = _SOLD_OUT.search(sentence.masked)
        here = [
            m
            for m in _IN_STOCK.finditer(sentence.masked)
            if _NEGATIONS.isdisjoint(_before(sentence.masked, m.start(), 3))
        ]
        if gone and not here:
            if {"if", "whether", "when"}.isdisjoint(_before(sentence.masked, gone.start(), 3)):
                yield self._claim("stock", subject, said=False)
        elif here and not gone:
            yield self._claim("stock", subject, said=True)

    def _attributes(self, sentence: _Sentence) -> Iterator[Claim]:
        subject = self._subject(sentence)
        if subject is None:
            return
        for name, pattern in _ATTRIBUTES:
            match = pattern.search(sentence.masked)
            if match:
                negated = (match.group(1) or "").strip().lower() in ("not", "no longer")
                yield self._claim(name, subject, not negated)
        contains = _CONTAINS.search(sentence.masked)
        if contains:
            yield from self._allergens(subject, contains.group(1).lower(), words_of(contains.group(2)))
        made = _MADE_BY.search(sentence.masked)
        if made:
            yield self._claim("brand", subject, made.group(1).strip())
        rated = _RATED.search(sentence.masked)
        if rated:
            yield self._claim("quality", subject, float(rated.group(1).replace(",", ".")))
        kind = _KIND.search(sentence.masked)
        if kind:
            yield self._claim("product_type", subject, kind.group(1).strip())

    def _allergens(self, subject: str, verb: str, words: Sequence[str]) -> Iterator[Claim]:
        """The words "contains nuts" state that it does, "contains no nuts" that it does not."""
        number = self._truth.number(subject)
        if number is None or not self._truth.catalogue.allergens_known:
            return
        contained = self._truth.product(number).allergens
        if verb == "names no allergens":
            yield Claim(self._reply.turn, "allergens", subject, [], not contained, "text")
            return
        negative = "not" in verb or "n't" in verb or verb.endswith("no") or words[:1] in (["no"], ["neither"])
        for name in ALLERGENS:
            if name in words or name.removesuffix("s") in words:
                said = f"no {name}" if negative else name
                true = (name in contained) is not negative
                yield Claim(self._reply.turn, "allergens", subject, said, true, "text")


def _sentences(text: str, mentions: Sequence[Mention]) -> Iterator[_Sentence]:
    """Cut a text after its sentences, never inside a product's name; a comparison's parts count as sentences."""
    cuts = [m.end() for m in _SENTENCE.finditer(text) if not any(n.start < m.end() < n.end for n in mentions)]
    start = 0
    for end in [*cuts, len(text)]:
        inside = [m for m in mentions if start <= m.start and m.end <= end]
        masked, at = "", start
        for mention in inside:
            masked += text[at : mention.start] + _MARK
            at = mention.end
        yield _Sentence(text[start:end], masked + text[at:end], inside)
        start = end


def _before(text: str, at: int, n: int) -> list[str]:
    return [word.strip(".,;:!?()") for word in text[max(0, at - _NEAR) : at].lower().split()[-n:]]
