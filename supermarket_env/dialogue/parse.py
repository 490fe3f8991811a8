"""The documented rule parser: plain words to acts and slots, for the text track and for assistants that only write.

It spots keywords over a lexicon made from the catalogue; no grammar, no learning. Its accuracy on the standard
phrasings is measured and published (docs/dialogue.md). Its errors are the errors of whoever relies on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.dialogue import parse_cues as cues
from supermarket_env.dialogue.acts import MAX_TEXT, AssistantMessage, UserResponse
from supermarket_env.dialogue.lexicon import SEPARATORS, Found, Lexicon, tokens
from supermarket_env.dialogue.parse_assistant import AssistantReader
from supermarket_env.dialogue.parse_facts import facts_of
from supermarket_env.dialogue.parse_products import ProductFinder
from supermarket_env.dialogue.view import HeardNeed
from supermarket_env.rules import codes
from supermarket_env.store import Store

_MASK = {"type": "#t", "brand": "#b", "attribute": "#a", "department": "#d", "idle": "#i"}


class Parser:
    """Reads texts of users and assistants.

    Args:
        catalogue: Names of products, types, brands and departments.
        store: Ids of nodes and sections for guidance.
    """

    def __init__(self, catalogue: Catalogue, store: Store) -> None:
        self._catalogue = catalogue
        self._lexicon = Lexicon(catalogue)
        self._finder = ProductFinder(catalogue)
        self._reader = AssistantReader(catalogue, store, self._lexicon)

    def user(
        self, text: str, *, asked: AssistantMessage | None, mentioned: Sequence[HeardNeed]
    ) -> UserResponse:
        """Return what a user's line means; what is not understood is ``chat``. Any string is accepted.

        Args:
            text: The line; ``MAX_TEXT`` characters are read. The result carries it unchanged.
            asked: The assistant's message it answers, None for the opening line.
            mentioned: The needs heard so far, by ordinal.
        """
        line = text[:MAX_TEXT]
        table = () if asked is None else (*asked.products, *asked.items)
        words = tokens(line.replace("-", " "))
        found = self._lexicon.find(words)
        masked = _masked(words, found)
        products = self._finder.find(line, table)
        response = self._read(line, masked, found, products, asked, mentioned)
        need = response.need or self._need(response, found, asked, mentioned)
        return replace(response, need=need, text=text)

    def assistant(self, text: str, *, mentioned: Sequence[HeardNeed]) -> AssistantMessage:
        """Return the message an assistant's text amounts to; the text is kept. See :class:`AssistantReader`."""
        return self._reader.read(text, mentioned)

    def _read(
        self,
        line: str,
        masked: str,
        found: Sequence[Found],
        products: tuple[str, ...],
        asked: AssistantMessage | None,
        mentioned: Sequence[HeardNeed],
    ) -> UserResponse:
        kinds = {f.kind for f in found}
        asking = asked is not None and asked.act == "ask"
        if cues.BYE.search(masked):
            return UserResponse("bye")
        if cues.COMPARE.search(masked):
            return UserResponse("request_compare", products=products)
        if not asking and cues.HESITATE.search(masked):
            return UserResponse("hesitate", products=products)
        if cues.WHERE.search(masked):
            return UserResponse("ask_where", products=products, category="" if products else _first(found, "type"))
        cause = _cause(masked, bool(products or "type" in kinds), "product" if products else "")
        reason = _reason(masked) if table_talk(products, masked) else ""
        if cause and not (reason and products) and not (asking and cause == "none"):
            named = products if cause in ("out_of_stock", "not_found", "untrue") else ()
            return UserResponse("complain", products=named, category="" if named else _first(found, "type"), cause=cause)
        field = _field(masked, found, products)
        if field is not None and (products or not kinds & {"type", "department"}):
            return UserResponse("ask", attribute=field, products=products)
        if reason and not asking and not (kinds & {"type", "department"} and not products):
            attribute = self._lacking(reason, masked, found, line)
            return UserResponse("reject", products=products, reason=reason, attribute=attribute)
        if products and not asking:
            return UserResponse("accept", products=products)
        facts = facts_of(line, self._lexicon, asked, mentioned)
        if facts:
            act = "answer" if asking and not _only_new(facts, mentioned) else "disclose"
            return UserResponse(
                act, need=facts[0].need, facts=facts, attribute=asked.attribute if asked and act == "answer" else ""
            )
        if products or (cues.ACCEPT.search(masked) or cues.YES.search(masked)) and asked is not None:
            if cues.CHATTER.search(masked) and not products or cues.THANK.search(masked):
                return UserResponse("thank" if cues.THANK.search(masked) else "chat")
            return UserResponse("accept", products=products)
        if cues.THANK.search(masked):
            return UserResponse("thank")
        return UserResponse("chat")

    def _lacking(self, reason: str, masked: str, found: Sequence[Found], line: str) -> str:
        if reason == "attribute":
            return _first(found, "attribute")
        if reason == "allergen":
            return _first(found, "allergen")
        return ""

    def _need(
        self, response: UserResponse, found: Sequence[Found], asked: AssistantMessage | None, mentioned: Sequence[HeardNeed]
    ) -> int:
        if response.act in ("chat", "thank", "bye") or not mentioned:
            return 0
        named = _first(found, "type")
        if response.products:
            number = self._catalogue.by_id.get(response.products[0])
            named = self._catalogue.types[int(self._catalogue.type_idx[number])].name if number is not None else named
        for heard in mentioned:
            if named and heard.product_type == named:
                return heard.ordinal
        return asked.need if asked is not None else 0


def table_talk(products: tuple[str, ...], masked: str) -> bool:
    """Return whether a line may turn something down: it names a product on the table or points with that / it / no."""
    return bool(products) or bool(re.search(r"\b(?:that|this|it|no|nope|not|nah|them|one|these)\b", masked))


def _masked(words: list[str], found: Sequence[Found]) -> str:
    """Return the words as one line, names and attributes replaced by their kind; marks join the word before."""
    out: list[str] = []
    at = 0
    for f in found:
        out.extend(words[at : f.first])
        out.append(_MASK.get(f.kind) or " ".join(words[f.first : f.after]))
        at = f.after
    out.extend(words[at:])
    line = ""
    for word in out:
        line += word if word in SEPARATORS or not line else f" {word}"
    return line


def _first(found: Sequence[Found], kind: str) -> str:
    return next((f.value for f in found if f.kind == kind), "")


def _cause(masked: str, named: bool, product: str) -> str:
    return next((cause for cause, pattern in cues.CAUSES if pattern.search(masked)), "")


def _reason(masked: str) -> str:
    if not cues.REJECT.search(masked):
        return ""
    return next((reason for reason, pattern in cues.REASONS if pattern.search(masked)), codes.REASONS[codes.R_NO_REASON])


def _field(masked: str, found: Sequence[Found], products: tuple[str, ...]) -> str | None:
    """Return what a question is about, "" when only "more" is asked, None when it is no question about a product."""
    if "?" not in masked and not cues.OPEN_QUESTION.search(masked):
        return None
    attribute = _first(found, "attribute")
    if attribute and re.search(r"\b(?:is|would|how about|what about|does the label|whether|do you know if)\b|: #a\?|#b one: #a", masked):
        return attribute
    for field, pattern in cues.FIELDS:
        if pattern.search(masked):
            return field
    if cues.OPEN_QUESTION.search(masked) and products:
        return ""
    return attribute or None


def _only_new(facts: Sequence[object], mentioned: Sequence[HeardNeed]) -> bool:
    return all(getattr(fact, "need", 0) > len(mentioned) for fact in facts)
