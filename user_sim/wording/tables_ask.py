"""Patterns of questions. ``{p}`` is a short name or "it", ``{a}`` an attribute, ``{x}`` what is looked for."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.template import Block

ASK: Final[dict[str, Block]] = {
    "price": Block(
        common=(
            "(how much is|what's the price of|what does one pay for|how expensive is|what would I pay for) {p}?",
            "(what|how much) does {p} cost(| me| these days)?",
            "{p}(, what does it cost|, how much is it|, at what price|, what's the price)?",
            "(can|could|would) you (tell me|name|check|give me) the price of {p}?",
        ),
        sharp=("(price of|how much is) {p}?", "{p}: (price|how much)?"),
    ),
    "unit_price": Block(
        common=(
            "(what's the unit price of|what's the price per kilo or litre of|how much per unit is) {p}?",
            "(what|how much) does {p} cost (per kilo or litre|per unit|by weight)?",
            "{p}(, what's the unit price|, how much per unit)?",
        ),
        sharp=("(unit price of|price per unit of) {p}?", "{p}: unit price?"),
    ),
    "quality": Block(
        common=(
            "(how good is|is the quality good of|how do people rate|what's the rating of|how well rated is) {p}?",
            "(is|would you say) {p} (of good quality|any good|well rated|good quality|highly rated)?",
            "{p}(, is it any good|, how is it rated|, what about the quality)?",
        ),
        sharp=("(quality of|rating of) {p}?", "{p}: any good?"),
    ),
    "allergens": Block(
        common=(
            "(which allergens are in|what allergens does one find in|are there allergens in|any allergens in) {p}?",
            "(does|might|could) {p} (contain allergens|have allergens|contain any allergens)?",
            "{p}(, which allergens does it have|, what about allergens|, any allergens)?",
        ),
        sharp=("allergens in {p}?", "{p}: allergens?"),
    ),
    "stock": Block(
        common=(
            "(is|are you sure that) {p} (in stock|available|still there|on the shelf|in stock today)?",
            "(do you still have|have you got any left of|is there any left of|how many are left of) {p}?",
            "{p}(, is it in stock|, is it available|, still in stock)?",
        ),
        sharp=("is {p} in stock?", "{p}: (in stock|available)?"),
    ),
    "place": Block(
        common=(
            "(where is|where do I find|where can I get|where would I see|in which aisle is) {p}?",
            "(which|what) (aisle|shelf|section|corner) (has|holds|carries) {p}?",
            "{p}(, where is it|, where do I find it|, which aisle)?",
        ),
        sharp=("where is {p}?", "{p}: where?"),
    ),
    "size": Block(
        common=(
            "(what size is|how big is|how large is|what's the pack size of|how much is in a pack of) {p}?",
            "(what|which) size does {p} (come in|have|offer)?",
            "{p}(, how big is it|, what size is it|, what about the pack size)?",
        ),
        sharp=("(size of|how big is) {p}?", "{p}: size?"),
    ),
    "brand": Block(
        common=(
            "(what brand is|which brand is|who makes|what make is|who is the maker of) {p}?",
            "(what|which) brand does {p} (come from|carry|belong to)?",
            "{p}(, which brand is it|, who makes it|, what brand is that)?",
        ),
        sharp=("(brand of|who makes) {p}?", "{p}: brand?"),
    ),
    "attribute": Block(
        common=(
            "(is|would you say|can you tell whether|do you know if|does the label say) {p} (is |){a}?",
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
            "(what can you tell me about|what do you know about|tell me more about|any details on) {p}?",
            "(can|could|would) you (say|tell me|explain) (more|something) about {p}?",
        ),
        sharp=("what about {p}?", "details on {p}?"),
    ),
}

WHERE: Final = Block(
    common=(
        "(where do I find|where can I find|where {be}|where would I get|where do you keep|where should I look for) {x}?",
        "(in which aisle|in which corner|on which shelf|in what section) (do I find|can I get|would one look for) {x}?",
        "(which|what) (aisle|shelf|section|part of the shop) (has|holds|is for|carries|would have) {x}?",
        "(can|could|would) you (show me|point me|direct me|guide me|send me|take me) (to|towards) {x}?",
        "(how do I get|what's the way|which way is it|what's the quickest way|how do I walk) to the {x}?",
        "(I can't see where|I don't know where|no idea where|I wonder where) to (find|look for|get|pick up) {x}",
    ),
    warm=("(would you kindly show me|could you be so kind and show me) the way to {x}?",),
    sharp=("where {be} {x}?", "{x}(, where|: where|, which aisle)?", "which aisle, {x}?", "(way|directions) to {x}?"),
    angry=("where (on earth|for heaven's sake|in this maze) do I find {x}?",),
)
WHERE_OPEN: Final = Block(
    common=(
        "(where do I|where should I|which way do I|where must I) (go|head|walk|turn|look)(| now| next| from here)?",
        "(can|could|would) you (show|tell|point out to) me (the way|where to go|which aisle|where it is)?",
    ),
    sharp=("where(| to| now| next| exactly)?", "which (aisle|way|direction)?"),
)
