"""What an assistant's free text amounts to: act, slots, recommended products, guidance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from supermarket_env.catalogue.schema import ATTRIBUTES, Catalogue
from supermarket_env.dialogue import parse_cues as cues
from supermarket_env.dialogue.acts import MAX_TEXT, AssistantAct, AssistantMessage, Goal, Suggestion, Value
from supermarket_env.dialogue.lexicon import Found, Lexicon, tokens
from supermarket_env.dialogue.product_names import name_index
from supermarket_env.dialogue.view import HeardNeed
from supermarket_env.rules import codes
from supermarket_env.store import Store

_ID: Final = re.compile(r"\b[A-Za-z][A-Za-z0-9_-]{1,15}\b")
_PIECE: Final = re.compile(r"[\n;:!?*\u2022]|(?:^|\s)[0-9]{1,2}[.)]\s|, |\.\s|\.$| - | and | or ")
_LOOK: Final = re.compile(r"\b(?:look at|check|have a look)\b", re.IGNORECASE)
_GO: Final = re.compile(
    r"\b(?:go|walk|head|turn|move|over at|over in|find (?:it|them|that) (?:in|at)|(?:is|are) in (?!stock)|located"
    r"|next to|aisle|follow)\b",
    re.IGNORECASE,
)
_CHECKOUT: Final = re.compile(r"\b(?:check ?out|till|cash desk|pay now|ready to pay|proceed to pay)\b", re.IGNORECASE)
_GREET: Final = re.compile(r"^\W*(?:hello|hi|hey|welcome|good (?:morning|day|afternoon|evening))\b", re.IGNORECASE)
_SORRY: Final = re.compile(
    r"\b(?:sorry|apologi[sz]e|i understand|i see|frustrating|my mistake|my fault)\b", re.IGNORECASE
)
_CONFIRM: Final = re.compile(
    r"\b(?:shall i (?:note|put|take)|so you(?:'ll| will) take|to confirm|just to confirm|you want the|is that right"
    r"|correct\?|do you want to take)\b",
    re.IGNORECASE,
)
_COMPARE: Final = re.compile(r"\b(?:compared? (?:to|with)|difference|versus|vs\.?|while the|whereas)\b", re.IGNORECASE)
_RECOMMEND: Final = re.compile(
    r"\b(?:recommend|suggest|how about|try|options?|here (?:are|is)|take the|could get|good choice)\b", re.IGNORECASE
)
_ADD: Final = re.compile(
    r"\b(?:add|put|take|place) (?:it|the|this|one|two|three)\b.*\b(?:cart|basket|trolley)\b", re.IGNORECASE
)
_QUESTION_SLOTS: Final[tuple[tuple[str, str], ...]] = (
    ("brand", r"\bbrand"), ("size", r"\bsize|how (?:big|large)|small or large|large or small"),
    ("quantity", r"how (?:many|much) do you|quantity|how many"),
    ("price_limit", r"budget|price|spend|how much may"), ("allergy", r"allerg"), ("diet", r"\bdiet"),
    ("product_type",
        r"what (?:kind|sort|type)|which (?:kind|sort|type)|what (?:are you|can i|would you like|do you need)|looking"
        r" for"),
    ("anything", r"anything|preferences?|wishes|what matters|important to you"),
)  # fmt: skip
_ASKS: Final = tuple((slot, re.compile(pattern, re.IGNORECASE)) for slot, pattern in _QUESTION_SLOTS)
_EMOTIONS: Final = (
    ("annoyed", r"annoy|frustrat|sorry"), ("hurried", r"hurry|quick|time"), ("hesitant", r"decide|hesitat|not sure"),
    ("confused", r"confus|unclear"), ("pleased", r"glad|happy|great"),
)  # fmt: skip
_SOLD_OUT: Final = re.compile(r"sold out|out of stock|not in stock|unavailable|not available|none left")
_NEGATED: Final = re.compile(r"\b(?:is not|isn't|not|no)\b")
_FUZZY_ENOUGH: Final = 88.0
_FUZZY_PIECES: Final = 12


class AssistantReader:
    """Makes messages of texts. Errors are the assistant's: what is not found is left empty."""

    def __init__(self, catalogue: Catalogue, store: Store, lexicon: Lexicon) -> None:
        self._catalogue = catalogue
        self._store = store
        self._lexicon = lexicon
        self._by_brand: dict[str, list[int]] | None = None

    def read(self, text: str, mentioned: Sequence[HeardNeed]) -> AssistantMessage:
        """Return the message a text amounts to.

        Full product names (any case, small misspellings) become ``items`` of a recommendation or ``products`` of the
        other acts, in the order of the text. A node or section id, a named department or the checkout beside a word
        of walking becomes the goal; a node one can be sent to becomes the suggested move as well.
        """
        line = text[:MAX_TEXT]
        words = tokens(line.replace("-", " "))
        found = self._lexicon.find(words)
        numbers = self._products(line)
        products = tuple(self._catalogue.ids[n] for n in numbers)
        goal, suggestion = self._guidance(line, found, products)
        act = _act(line, products, goal, suggestion)
        attribute = _attribute(act, line, found)
        need = _need(self._catalogue, found, numbers, mentioned, attribute if act == "ask" else "")
        items: tuple[str, ...] = ()
        if act == "recommend":
            items, products = products[: codes.MAX_ITEMS], ()
        if suggestion is None and numbers and _ADD.search(line):
            suggestion = Suggestion(type="add", arg=self._catalogue.ids[numbers[0]])
        return AssistantMessage(
            act=act,
            text=text,
            need=need,
            attribute=attribute,
            value=_value(attribute, line) if act == "inform" else None,
            products=products[: codes.MAX_PRODUCTS],
            emotion=_emotion(line) if act == "acknowledge" else "",
            items=items,
            suggest=suggestion,
            goal=goal,
        )

    def _products(self, text: str) -> list[int]:
        """Return the numbers of the named products: full names first, then near misses within a named brand."""
        found = [(m.start, m.products[0]) for m in name_index(self._catalogue, folded=True).find(text) if m.words > 1]
        covered = [(m.start, m.end) for m in name_index(self._catalogue, folded=True).find(text) if m.words > 1]
        pieces = self._open_pieces(text, covered)
        for start, piece in pieces[:_FUZZY_PIECES]:
            number = self._near(piece)
            if number is not None:
                found.append((start, number))
        return list(dict.fromkeys(number for _, number in sorted(found)))

    def _open_pieces(self, text: str, covered: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
        pieces: list[tuple[int, str]] = []
        at = 0
        for cut in [*_PIECE.finditer(text), None]:
            end = cut.start() if cut else len(text)
            piece = text[at:end]
            if len(piece.split()) >= 3 and not any(s < end and at < e for s, e in covered):
                pieces.append((at, piece.strip()))
            at = cut.end() if cut else end
        return pieces

    def _near(self, piece: str) -> int | None:
        from rapidfuzz import fuzz, process

        if self._by_brand is None:
            self._by_brand = {}
            for number, brand in enumerate(self._catalogue.brand_idx.tolist()):
                self._by_brand.setdefault(self._catalogue.brands[brand].lower(), []).append(number)
        found = self._lexicon.find(tokens(piece.replace("-", " ")))
        brand = next((f.value.lower() for f in found if f.kind == "brand"), None)
        if brand is None:
            return None
        start = max(piece.lower().find(brand), 0)
        numbers = self._by_brand[brand]
        names = [self._catalogue.names[n].lower() for n in numbers]
        best = process.extractOne(piece[start:].lower(), names, scorer=fuzz.ratio, score_cutoff=_FUZZY_ENOUGH)
        return numbers[best[2]] if best else None

    def _guidance(
        self, text: str, found: Sequence[Found], products: Sequence[str]
    ) -> tuple[Goal | None, Suggestion | None]:
        """Return goal and suggestion of a text; ids win over departments, departments over product names."""
        layout = self._store.layout
        goal: Goal | None = None
        suggestion: Suggestion | None = None
        for match in _ID.finditer(text):
            name = match.group().upper()
            if name in layout.section_numbers and goal is None:
                goal = Goal(kind="section", id=name)
                if _LOOK.search(text) and suggestion is None:
                    suggestion = Suggestion(type="look", arg=name)
            elif name in layout.node_numbers:
                node = layout.node_numbers[name]
                if suggestion is None or suggestion.type == "look":
                    suggestion = Suggestion(type="move", arg=name)
                if goal is None and node in self._store.landmarks:
                    goal = Goal(kind="landmark", id=name)
        if goal is None and _CHECKOUT.search(text):
            goal = Goal(kind="landmark", id=layout.nodes[self._store.checkouts[0]].id)
        if goal is None and _GO.search(text):
            goal = self._described(found, products)
        return goal, suggestion

    def _described(self, found: Sequence[Found], products: Sequence[str]) -> Goal | None:
        if products:
            return Goal(kind="product", id=products[0])
        for f in found:
            if f.kind == "type":
                return Goal(kind="category", id=f.value)
        for f in found:
            if f.kind != "department":
                continue
            for section, department in enumerate(self._store.section_department):
                if department == f.value:
                    return Goal(kind="section", id=self._store.section_ids[section])
        return None


def _act(text: str, products: Sequence[str], goal: Goal | None, suggestion: Suggestion | None) -> AssistantAct:
    question = "?" in text
    if _CHECKOUT.search(text) and not products:
        return "offer_checkout"
    if len(products) >= 2 and _COMPARE.search(text):
        return "compare"
    if len(products) == 1 and _CONFIRM.search(text):
        return "confirm"
    if products and goal is not None and not _RECOMMEND.search(text):
        return "guide"
    if len(products) == 1 and not _RECOMMEND.search(text) and not question and _states_a_field(text):
        return "inform"
    if products:
        return "recommend"
    if goal is not None and not question:
        return "guide"
    if question:
        return "ask"
    if _GREET.search(text):
        return "greet"
    if _SORRY.search(text):
        return "acknowledge"
    return "guide" if suggestion is not None else "chat"


def _states_a_field(text: str) -> bool:
    low = text.lower()
    return " is " in low or " costs " in low or " has " in low or " contains " in low or "isn't" in low


def _value(attribute: str, text: str) -> Value:
    """Return what a statement says about an attribute: an amount, yes or no; None when it does not say."""
    low = text.lower()
    if attribute == "price":
        amount = cues.MONEY.search(low)
        return float((amount.group(1) or amount.group(2)).replace(",", ".")) if amount else None
    if attribute == "stock":
        return not _SOLD_OUT.search(low)
    return not _NEGATED.search(low) if attribute in ATTRIBUTES else None


def _attribute(act: str, text: str, found: Sequence[Found]) -> str:
    """Return the attribute slot of an act."""
    attribute = next((f.value for f in found if f.kind == "attribute"), "")
    if act == "ask":
        question = next((s for s in re.split(r"(?<=[.!?])\s+", text) if "?" in s), text)
        low = question.lower()
        named = [slot for slot, pattern in _ASKS if pattern.search(low)]
        if named:
            return named[0]
        return attribute or "anything"
    if act in ("inform", "compare"):
        field = next((f for f, pattern in cues.FIELDS if pattern.search(text.lower())), "")
        if act == "inform" and cues.MONEY.search(text.lower()):
            field = "price"
        return field or attribute
    return ""


def _need(
    catalogue: Catalogue, found: Sequence[Found], numbers: Sequence[int], mentioned: Sequence[HeardNeed], asked: str
) -> int:
    """Return the ordinal of the need a text is about: by product, by type, else the last open one."""
    types = [catalogue.types[int(catalogue.type_idx[n])].name for n in numbers]
    types += [f.value for f in found if f.kind == "type"]
    for name in types:
        for heard in mentioned:
            if heard.product_type == name and not heard.closed:
                return heard.ordinal
    open_needs = [h.ordinal for h in mentioned if not h.closed and not (asked == "product_type" and h.product_type)]
    return open_needs[-1] if open_needs else 0


def _emotion(text: str) -> str:
    low = text.lower()
    return next((emotion for emotion, pattern in _EMOTIONS if re.search(pattern, low)), "none")
