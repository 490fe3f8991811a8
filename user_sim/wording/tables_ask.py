"""Patterns of questions. ``{p}`` is a short name or "it", ``{a}`` an attribute, ``{x}`` what is looked for."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.tables_words import ADV_ASK
from supermarket_env.user_sim.wording.template import Block

_TELL: Final = (
    "(can you tell me|could you check|would you tell me|do you know|may I know|I'd like to know|please tell me"
    "|remind me of)"
)

ASK: Final[dict[str, Block]] = {
    "price": Block(
        common=(
            "(how much is|what's the price of|how expensive is|what would I pay for|what does one pay for|price of"
            "|how costly is) {p}?",
            f"(what|how much) does {{p}} {ADV_ASK} cost?",
            "{p}(, what does it cost|, how much is it|, at what price|: price|: how much|, what's the cost)?",
            f"{_TELL} the (price|cost|exact price|shelf price) of {{p}}?",
        ),
        sharp=("(price of|how much is|cost of) {p}?", "{p}: (price|how much|cost)?"),
    ),
    "unit_price": Block(
        common=(
            "(what's the unit price of|unit price of|how much per unit is|price per unit of) {p}?",
            f"what does {{p}} {ADV_ASK} cost (per kilo|per litre|per unit|by weight)?",
            "{p}(, what's the unit price|, how much per unit|: unit price|: price per unit)?",
            f"{_TELL} the unit price of {{p}}?",
        ),
        sharp=("(unit price of|price per unit of) {p}?", "{p}: (unit price|price per unit)?"),
    ),
    "quality": Block(
        common=(
            "(how good is|is the quality good of|how do people rate|what's the rating of|how well rated is|quality"
            " of) {p}?",
            f"is {{p}} {ADV_ASK} (of good quality|any good|well rated|highly rated)?",
            "{p}(, is it any good|, how is it rated|, what about the quality|: any good|: quality|: rating)?",
            f"{_TELL} the (rating|quality) of {{p}}?",
        ),
        sharp=("(quality of|rating of) {p}?", "{p}: (any good|quality|rating)?"),
    ),
    "allergens": Block(
        common=(
            "(which allergens are in|are there allergens in|any allergens in|what allergens has|allergens in) {p}?",
            f"does {{p}} {ADV_ASK} (contain|have|include|list) (allergens|any allergens)?",
            "{p}(, which allergens does it have|, what about allergens|, any allergens|: allergens)?",
            f"{_TELL} the allergens of {{p}}?",
        ),
        sharp=("(allergens in|any allergens in) {p}?", "{p}: (allergens|any allergens)?"),
    ),
    "stock": Block(
        common=(
            f"is {{p}} {ADV_ASK} (in stock|available|still there|on the shelf)?",
            "(do you still have|have you got any left of|is there any left of|how many are left of) {p}?",
            "{p}(, is it in stock|, is it available|, still in stock|: available|: in stock)?",
            "(is|can I count on) {p} being (in stock|available|on the shelf)?",
        ),
        sharp=("is {p} (in stock|available)?", "{p}: (in stock|available)?"),
    ),
    "place": Block(
        common=(
            "(where is|where do I find|where can I get|where would I see|in which aisle is) {p}?",
            "(which|what) (aisle|shelf|section|corner) (has|holds|carries) {p}?",
            "{p}(, where is it|, where do I find it|, which aisle|: where)?",
        ),
        sharp=("where is {p}?", "{p}: where?"),
    ),
    "size": Block(
        common=(
            "(what size is|how big is|how large is|what's the pack size of|how much is in|size of) {p}?",
            f"(what|which) size does {{p}} {ADV_ASK} (come in|have|offer)?",
            "{p}(, how big is it|, what size is it|, what about the pack size|: size|: how big)?",
            f"{_TELL} the (size|pack size) of {{p}}?",
        ),
        sharp=("(size of|how big is|how large is) {p}?", "{p}: (size|how big)?"),
    ),
    "brand": Block(
        common=(
            "(what brand is|which brand is|who makes|what make is|who is the maker of|brand of) {p}?",
            f"(what|which) brand does {{p}} {ADV_ASK} (come from|carry|belong to)?",
            "{p}(, which brand is it|, who makes it|, what brand is that|: brand|: which brand)?",
            f"{_TELL} the (brand|maker) of {{p}}?",
        ),
        sharp=("(brand of|who makes) {p}?", "{p}: (brand|which brand)?"),
    ),
    "attribute": Block(
        common=(
            f"is {{p}} {ADV_ASK} {{a}}?",
            "(is|would you say|can you tell whether|do you know if|does the label say) {p} is {a}?",
            "{p}(, is it|, is that one|, would that be|, is it really) {a}?",
            "(how about|what about) {p}, is it {a}?",
        ),
        sharp=("is {p} {a}?", "{p}: {a}?"),
    ),
    "other": Block(
        common=("(what about|can you tell me|what can you say about|how is it with) the {a} of {p}?",),
        sharp=("{a} of {p}?",),
    ),
    "open": Block(
        common=(
            "(what can you tell me about|what do you know about|tell me more about|any details on|details on|more"
            " about) {p}?",
            "(can|could|would|will) you (say|tell me|explain) (more|something) about {p}?",
            "{p}(, any details|, what do you know about it|, what can you say about it|: details|: tell me more"
            " about it)?",
        ),
        sharp=("(what about|details on|more about) {p}?",),
    ),
}

WHERE: Final = Block(
    common=(
        "(where do I find|where can I find|where {be}|where would I get|where do you keep|where should I look for"
        "|where might I see) {x}?",
        "(in which aisle|in which corner|on which shelf|in what section) (do I find|can I get|would one look for"
        "|might I spot) {x}?",
        "(which|what) (aisle|shelf|section|part of the shop|corner) (has|holds|is for|carries|would have|offers"
        "|stocks|keeps) {x}?",
        "(can|could|would|will) you (show|point|direct|guide|send|take) me (to|towards) {x}?",
        "(how do I get|what's the way|which way is it|what's the quickest way|how do I walk|show me the way"
        "|directions) to the {x}?",
        "(I can't see|I don't know|no idea|I wonder|tell me|any clue) where to (find|look for|get|pick up|spot"
        "|locate|fetch|search for) {x}",
        "{x}(, where|: where|, which aisle|: which way|, where to|: which shelf|: what section), (please|helper"
        "|kindly|then|exactly|friend|roughly)?",
        f"where do you {ADV_ASK} (keep|hide|stock|store|shelve|have|display) {{x}}?",
    ),
    warm=("(would you kindly show me|could you be so kind and show me) the way to {x}?",),
    sharp=(
        "where {be} {x}?",
        "{x}(, where|: where|, which aisle|: which way)?",
        "(which aisle|where|which shelf), {x}?",
        "(way|directions) to {x}?",
    ),
    angry=("where (on earth|for heaven's sake|in this maze) do I find {x}?",),
)
WHERE_OPEN: Final = Block(
    common=(
        "(where do I|where should I|which way do I|where must I) (go|head|walk|turn|look)(| now| next| from here)?",
        "(can|could|would|will) you (show|tell|point out to) me (the way|where to go|which aisle|where it is)?",
    ),
    sharp=("where(| to| now| next| exactly)?", "which (aisle|way|direction)?"),
)
