"""The documented rule parser: plain words to acts and slots, for the text track and for assistants that only write.

It spots keywords over a lexicon made from the catalogue; no grammar, no learning. Its accuracy on the standard
phrasings is measured and published (docs/dialogue.md). Its errors are the errors of whoever relies on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.dialogue import parse_cues as cues
from supermarket_env.dialogue.acts import MAX_TEXT, AssistantMessage, UserResponse
from supermarket_env.dialogue.lexicon import SEPARATORS, Found, Lexicon, allergen_of, tokens
from supermarket_env.dialogue.parse_assistant import AssistantReader
from supermarket_env.dialogue.parse_facts import ALLERGY, facts_of
from supermarket_env.dialogue.parse_products import ProductFinder
from supermarket_env.dialogue.view import HeardNeed
from supermarket_env.rules import codes
from supermarket_env.store import Store

_MASK = {"type": "#t", "brand": "#b", "attribute": "#a", "department": "#d", "idle": "#i", "allergen": "#l"}
_QUESTION = re.compile(r"[^.!?]*\?")
_CONTAINED = re.compile(r"(?:contains|has|holds|made with|comes with|there's|i see|i read) (#[lt])")
_TOPIC = re.compile(r"(?:^|[.,:;!?] )(?:for|about|as for|on|with) the #t:")
_WISHED = re.compile(
    r"(?<!#b )#t,? (?:and )?(?:from|by|of|of the|made by|the brand|by the brand) #b|(?<!#b )#t, (?:the )?#b brand"
)
_POINTS = re.compile(r"\b(?:that|this|it|no|nope|not|nah|them|one|these)\b")
_CAUSES_WITH_PRODUCTS = frozenset(("out_of_stock", "not_found", "untrue"))


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

    def user(self, text: str, *, asked: AssistantMessage | None, mentioned: Sequence[HeardNeed]) -> UserResponse:
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
        products = self._on_the_table(masked, found, self._finder.find(line, table))
        response = self._read(line, masked, found, products, asked, mentioned)
        if not response.products and response.act in ("accept", "reject", "ask") and len(set(table)) == 1:
            response = response._replace(products=table[:1])
        need = response.need or self._need(response, found, asked, mentioned)
        return response._replace(need=need, text=text)

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
        wish = not products and ALLERGY.search(line.lower().replace("-", " "))
        verdict = None if wish else self._verdict(masked, found, products, asking, bool(kinds & {"type", "department"}))
        if verdict is not None:
            return verdict
        if products and not asking:
            return UserResponse("accept", products=products)
        facts = facts_of(line, self._lexicon, asked, mentioned)
        if facts:
            act = "answer" if asking and not _only_new(facts, mentioned) else "disclose"
            return UserResponse(
                act, need=facts[0].need, facts=facts, attribute=asked.attribute if asked and act == "answer" else ""
            )
        return UserResponse(self._bare_act(masked, asked), products=products)

    def _on_the_table(self, masked: str, found: Sequence[Found], products: tuple[str, ...]) -> tuple[str, ...]:
        """Return the products, or none when a brand of the table is only wished for with another product type."""
        named = {f.value for f in found if f.kind == "type"}
        if not products or not named or cues.ACCEPT.search(masked):
            return products
        number = self._catalogue.by_id[products[0]]
        own = self._catalogue.types[int(self._catalogue.type_idx[number])].name
        return () if (_WISHED.search(masked) and own not in named) or _TOPIC.search(masked) else products

    def _verdict(
        self, masked: str, found: Sequence[Found], products: tuple[str, ...], asking: bool, named: bool
    ) -> UserResponse | None:
        """Return a complaint, a question about a product or a rejection; None when the line is none of these."""
        cause = _cause(masked)
        reason = _reason(masked, bool(products)) if not asking else ""
        plain = reason in ("", codes.REASONS[codes.R_NO_REASON])
        if cause and not (asking and cause == codes.CAUSES[codes.C_NONE]) and (not products or plain):
            about = products if cause in _CAUSES_WITH_PRODUCTS else ()
            return UserResponse(
                "complain", products=about, category="" if about else _first(found, "type"), cause=cause
            )
        field = _field(masked, found, products)
        if field is not None and (products or not named):
            return UserResponse("ask", attribute=field, products=products)
        if reason and (products or not named):
            return UserResponse("reject", products=products, reason=reason, attribute=_lacking(reason, masked, found))
        return None

    def _bare_act(self, masked: str, asked: AssistantMessage | None) -> str:
        """Return the act of a line that names nothing."""
        if cues.THANK.search(masked):
            return "thank"
        if asked is not None and asked.act == "confirm" and (cues.OKAY.search(masked) or cues.ACCEPT.search(masked)):
            return "accept"
        if cues.CHATTER.search(masked) or asked is None:
            return "chat"
        return "accept" if cues.ACCEPT.search(masked) or cues.YES.search(masked) else "chat"

    def _need(
        self,
        response: UserResponse,
        found: Sequence[Found],
        asked: AssistantMessage | None,
        mentioned: Sequence[HeardNeed],
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
    return " ".join(cues.TAG_QUESTION.sub(".", cues.FILLERS.sub("", line)).split())


def _first(found: Sequence[Found], kind: str) -> str:
    return next((f.value for f in found if f.kind == kind), "")


def _last(found: Sequence[Found], kind: str) -> str:
    return next((f.value for f in reversed(found) if f.kind == kind), "")


def _cause(masked: str) -> str:
    return next((cause for cause, pattern in cues.CAUSES if pattern.search(masked)), "")


def _reason(masked: str, pointed: bool) -> str:
    """Return why something is turned down; "" when nothing is. ``pointed``: a product on the table is named."""
    if pointed or _POINTS.search(masked):
        for reason, pattern in cues.REASONS:
            if pattern.search(masked):
                return reason
    if cues.NO.search(masked) or (pointed and cues.REJECT.search(masked)):
        return codes.REASONS[codes.R_NO_REASON]
    return ""


def _lacking(reason: str, masked: str, found: Sequence[Found]) -> str:
    """Return the attribute that is missed or the allergen that is in it; "" when the line does not say."""
    if reason == "attribute":
        return _last(found, "attribute")
    if reason != "allergen":
        return ""
    spoken = _CONTAINED.search(masked)
    if spoken and spoken.group(1) == "#t":
        kinds = [allergen_of(f.words) for f in found if f.kind == "type"]
        return next((a for a in reversed(kinds) if a), "")
    return _last(found, "allergen")


def _field(masked: str, found: Sequence[Found], products: tuple[str, ...]) -> str | None:
    """Return what a question is about, "" when only "more" is asked, None when it is no question about a product."""
    question = "".join(_QUESTION.findall(masked))
    if not question and not cues.OPEN_QUESTION.search(masked):
        return None
    masked = question or masked
    attribute = _last(found, "attribute") if "#a" in masked else ""
    if attribute and re.search(
        r"\b(?:is|would|how about|what about|does the label|whether|do you know if)\b|: #a\?|#b one: #a", masked
    ):
        return attribute
    for field, pattern in cues.FIELDS:
        if pattern.search(masked):
            return field
    if cues.OPEN_QUESTION.search(masked) and products:
        return ""
    return attribute or None


def _only_new(facts: Sequence[object], mentioned: Sequence[HeardNeed]) -> bool:
    return all(getattr(fact, "need", 0) > len(mentioned) for fact in facts)
