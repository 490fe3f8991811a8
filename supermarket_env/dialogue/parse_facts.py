"""Facts about needs in a user's words: which wishes belong to which need.

A line is cut at punctuation and "and". What stands in one piece with a product type belongs to that type; a piece
without a type goes on about the type before it, or about the need the assistant asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from supermarket_env.dialogue import parse_cues as cues
from supermarket_env.dialogue.acts import AssistantMessage, Fact, Value
from supermarket_env.dialogue.lexicon import ALLERGEN_WORDS, SEPARATORS, Found, Lexicon, allergen_of, tokens
from supermarket_env.dialogue.view import HeardNeed

_ALLERGENS: Final = rf"(?:{'|'.join(ALLERGEN_WORDS)})"
_ALLERGEN_LIST: Final = rf"{_ALLERGENS}(?:(?:, | or | and ){_ALLERGENS})*"
ALLERGY: Final = re.compile(
    rf"\b(?:allergic to|allergy to) ({_ALLERGEN_LIST})\b"
    rf"|\b(?:no|without|nothing with|free of) ({_ALLERGEN_LIST}),? (?:because of|it's|for|as there's|due to) (?:an"
    rf" )?allergy"
)
_TOPIC: Final = frozenset(("for", "about", "on", "with", "as"))
_AMOUNT_AFTER: Final = frozenset(
    ("pack", "packs", "package", "packages", "piece", "pieces", "x", "times", "of", "in", "units", "bottles", "small",
        "little",
     "large", "big", "regular", "medium", "normal", "bags", "boxes", "tins", "pcs")
)  # fmt: skip
_NUMBERS: Final = {
    w: i
    for i, w in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
_ONE: Final = re.compile(
    r"\b(?:one pack|one piece|just one|only one|a single|1 pack|1 x|single one|one of (?:it|them)|(?:one|1) (?:\w+"
    r" ){1,2}pack)\b"
)
_UNITS: Final = frozenset(("g", "kg", "ml", "l", "piece", "pcs"))


@dataclass(slots=True)
class _Group:
    """What is said about one need."""

    type: str = ""
    topic: bool = False
    facts: list[tuple[str, Value | tuple[str, ...]]] | None = None

    def add(self, slot: str, value: Value | tuple[str, ...]) -> None:
        if self.facts is None:
            self.facts = []
        if all(known != slot for known, _ in self.facts):
            self.facts.append((slot, value))


def facts_of(
    text: str,
    lexicon: Lexicon,
    asked: AssistantMessage | None,
    mentioned: Sequence[HeardNeed],
) -> tuple[Fact, ...]:
    """Return the facts a line states, in order; a new product type gets the next ordinal."""
    low = text.lower().replace("-", " ")
    groups = [_Group()]
    asked_slot = asked.attribute if asked is not None and asked.act == "ask" else ""
    rest = low
    allergy = ALLERGY.search(low)
    pending: list[tuple[str, Value | tuple[str, ...], str]] = []
    if allergy:
        rest = low[: allergy.start()] + " , " + low[allergy.end() :]
        listed = re.findall(_ALLERGENS, allergy.group(1) or allergy.group(2))
        pending.append(("allergy", tuple(a for a in map(allergen_of, listed) if a), low[: allergy.start()]))
    limit = cues.MONEY.search(rest)
    if limit:
        amount = float((limit.group(1) or limit.group(2)).replace(",", "."))
        pending.append(("price_limit", amount, rest[: limit.start()]))
        rest = rest[: limit.start()] + " , " + rest[limit.end() :]
    for piece in _pieces(tokens(rest), lexicon):
        _read_piece(piece, groups, asked_slot)
    # Money and allergies are read from the whole line; they belong to the last need named before them.
    for slot, value, before in pending:
        _group_at(groups, before, lexicon).add(slot, value)
    _bare_answers(low, groups, asked, asked_slot)
    return _numbered(groups, asked, mentioned)


@dataclass(slots=True)
class _Piece:
    words: list[str]
    found: list[Found]


def _pieces(words: list[str], lexicon: Lexicon) -> list[_Piece]:
    """Return the words cut at punctuation and at "and", "plus", "then", "also", each with its phrases."""
    found = lexicon.find(words)
    inside = {i for f in found for i in range(f.first, f.after)}
    pieces: list[_Piece] = []
    start = 0
    for i in range(len(words) + 1):
        if i < len(words) and (
            i in inside or (words[i] not in SEPARATORS and words[i] not in ("and", "plus", "then", "also"))
        ):
            continue
        if i > start:
            shifted = [Found(f.kind, f.value, f.first - start, f.after - start) for f in found if start <= f.first < i]
            pieces.append(_Piece(words[start:i], shifted))
        start = i + 1
    return pieces


def _read_piece(piece: _Piece, groups: list[_Group], asked_slot: str) -> None:
    words, found = piece.words, piece.found
    line = " ".join(words)
    if cues.NO_PREFERENCE.search(line):
        slot = _indifferent_slot(line, found, asked_slot)
        if slot:
            groups[-1].add(slot, None)
            return
    types = [f for f in found if f.kind == "type"]
    departments = [f for f in found if f.kind == "department"]
    if types:
        _open_group(groups, types[0].value, _is_topic(words, types[0]))
        if not groups[-1].topic:
            groups[-1].add("product_type", types[0].value)
    elif departments and (groups[-1].type or groups[-1].facts):
        groups.append(_Group())
    must = bool(cues.MUST.search(line))
    diets = tuple(f.value for f in found if f.kind == "attribute") if must else ()
    if diets:
        groups[-1].add("diet", diets)
    for f in found:
        if f.kind == "attribute" and not must:
            groups[-1].add(f.value, True)
        elif f.kind in ("brand", "size", "department"):
            groups[-1].add(f.kind, f.value)
    amount = _amount(words, found, line, asked_slot)
    if amount:
        groups[-1].add("quantity", amount)


def _open_group(groups: list[_Group], name: str, topic: bool) -> None:
    last = groups[-1]
    if last.type or (last.facts and any(slot in ("department", "product_type") for slot, _ in last.facts)):
        groups.append(_Group())
    groups[-1].type, groups[-1].topic = name, topic


def _is_topic(words: list[str], found: Found) -> bool:
    """Return whether a type only says which need is meant ("for the milk: organic")."""
    return found.first >= 2 and words[found.first - 1] == "the" and words[found.first - 2] in _TOPIC


def _indifferent_slot(line: str, found: Sequence[Found], asked_slot: str) -> str:
    for f in found:
        if f.kind == "attribute":
            return f.value
    for slot, pattern in cues.SLOT_WORDS:
        if pattern.search(line):
            return slot
    if cues.ANYTHING.search(line):
        return "anything"
    return asked_slot


def _amount(words: list[str], found: Sequence[Found], line: str, asked_slot: str) -> int:
    inside = {i for f in found if f.kind in ("type", "attribute", "brand", "idle") for i in range(f.first, f.after)}
    for i, word in enumerate(words):
        count = _NUMBERS.get(word) or (int(word) if word.isdigit() and len(word) <= 2 else 0)
        if not count or i in inside:
            continue
        after = words[i + 1] if i + 1 < len(words) else ""
        if after in _UNITS:
            continue
        if count == 1:
            if (asked_slot == "quantity" and after not in ("moment", "thing", "question")) or _ONE.search(line):
                return 1
        elif asked_slot == "quantity" or after in _AMOUNT_AFTER:
            return count
    return 1 if _ONE.search(line) else 0


def _group_at(groups: list[_Group], before: str, lexicon: Lexicon) -> _Group:
    """Return the group of the last type named in the text before a phrase; the first one when there is none."""
    words = tokens(before)
    named = [f.value for f in lexicon.find(words) if f.kind == "type"]
    for group in reversed(groups):
        if named and group.type == named[-1]:
            return group
    return groups[-1] if not named else groups[0]


def _bare_answers(low: str, groups: list[_Group], asked: AssistantMessage | None, asked_slot: str) -> None:
    """Read a plain yes, no or "I don't mind" as the answer to what was asked."""
    if asked is None or asked.act != "ask" or any(g.facts for g in groups):
        return
    if cues.NO_PREFERENCE.search(low) or cues.NO.search(low):
        groups[0].add(asked_slot or "anything", None)
    elif cues.YES.search(low) and asked_slot and asked_slot not in ("anything", *(s for s, _ in cues.SLOT_WORDS)):
        groups[0].add(asked_slot, True)


def _numbered(
    groups: Sequence[_Group], asked: AssistantMessage | None, mentioned: Sequence[HeardNeed]
) -> tuple[Fact, ...]:
    known = {h.product_type: h.ordinal for h in mentioned if h.product_type and not h.closed}
    sections = {h.department: h.ordinal for h in mentioned if h.department and not h.product_type and not h.closed}
    current = asked.need if asked is not None and asked.act == "ask" and asked.need else len(mentioned)
    fresh = len(mentioned) + 1
    facts: list[Fact] = []
    for group in groups:
        if not group.facts:
            continue
        department = next((str(v) for s, v in group.facts if s == "department"), "")
        if group.type:
            narrows = asked is not None and asked.act == "ask" and asked.attribute in ("product_type", "anything")
            if group.type in known:
                need = known[group.type]
            elif narrows and asked is not None and _is_vague(asked.need, mentioned):
                need = asked.need
            else:
                need, fresh = fresh, fresh + 1
            known[group.type] = need
        elif department:
            need = sections.get(department, 0)
            if not need:
                need, fresh = fresh, fresh + 1
        else:
            need = current or fresh
        current = need
        facts.extend(Fact(need, slot, value) for slot, value in group.facts)
    return tuple(facts)


def _is_vague(need: int, mentioned: Sequence[HeardNeed]) -> bool:
    return any(h.ordinal == need and not h.product_type for h in mentioned)
