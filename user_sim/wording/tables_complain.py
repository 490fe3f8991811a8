"""Patterns of complaints by cause. ``{p}`` names what it is about: a product or what was looked for."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.tables_words import ADV, NAME, POOR, VERY
from supermarket_env.user_sim.wording.template import Block

COMPLAIN: Final[dict[str, Block]] = {
    "out_of_stock": Block(
        common=(
            "{p} (is sold out|is out of stock|is gone|isn't on the shelf any more|has run out|is not available)",
            f"{{p}} is {VERY} (sold out|out of stock|gone)",
            "(there's none left of|they've run out of|the shelf is empty where it says|I see an empty spot for) {p}",
            "(no stock of|nothing left of|not a single piece left of|all out of) {p}",
        ),
        sharp=("{p}: (sold out|out of stock|none left)", "(sold out|out of stock|empty shelf): {p}"),
        angry=("{p} is (of course|naturally) (sold out|out of stock)",),
    ),
    "not_found": Block(
        common=(
            f"I {ADV} (can't find|cannot find|don't see|haven't found|fail to spot) {{p}}",
            "{p} (isn't here|is nowhere to be seen|can't be found|isn't where I look|is hiding from me|won't turn up)",
            "(no sign of|no trace of|I searched in vain for|I keep looking for|I walk in circles for) {p}",
            "(I looked around but|as far as I can see,|wherever I look,) (there's no sign of|I can't find) {p}",
        ),
        sharp=("{p}: (can't find it|not here|nowhere)", "(can't find|don't see|no sign of) {p}"),
    ),
    "wrong_directions": Block(
        common=(
            f"that was {VERY} the wrong (way|route|direction|turn|aisle|place)",
            f"you {ADV} (sent|led|steered|guided|took|pointed) me the wrong way",
            f"(that route|your route|the way you gave|that path|your direction) was {VERY} wrong",
            "(wrong way|wrong direction|wrong turn|wrong place)(, I'm lost now|, this isn't it|, there's nothing of"
            " it here)",
            f"{POOR} directions, (wrong way|wrong place|wrong turn|I'm in the wrong place)",
            f"(wrong way|wrong direction|wrong turn|wrong place), {NAME}",
        ),
        sharp=(
            "(wrong way|wrong direction|bad directions|wrong place)(| here| you gave me)",
            f"{POOR} directions, wrong way",
        ),
        angry=("(are you sending me round in circles|do you even know this shop), (wrong way|wrong directions)?",),
    ),
    "repetition": Block(
        common=(
            f"you {ADV} (said|told me|mentioned|showed me|offered me) that (already|before|a moment ago|earlier)",
            f"{VERY} (a repeat|repetitive|the same again|the same thing again|nothing new), {NAME}",
            "(we've been through|I've heard) (this|that|all that) (before|already|once|earlier)",
            f"I (already know|have already seen|have already heard) (this|that|all that), {NAME}",
            f"(please don't|no need to|you needn't|kindly don't) (repeat yourself|say it twice|repeat that|repeat"
            f" things), {NAME}",
            f"{POOR}, repeating (that|yourself|this|things|it|the same again)",
        ),
        sharp=(
            "(the same again|heard that|you said that already|don't repeat yourself|stop repeating)(| please| now|,"
            " enough|)",
        ),
        angry=(
            "(stop repeating yourself|how often will you repeat that|you sound like a broken record)(| now|, enough"
            "|, honestly)",
        ),
    ),
    "irrelevant": Block(
        common=(
            f"(that's|this is) {VERY} (not what I asked for|beside the point|of no use to me|irrelevant|not relevant)",
            "(that|this|your list|what you show me) (has nothing to do with what I want|doesn't help me|misses my"
            " question)",
            f"I {ADV} (don't see|fail to see|miss|question|doubt|can't see) the (point|use|sense) of (this|that|it)",
            f"{POOR} suggestions, (not what I asked for|irrelevant|beside the point|of no use), {NAME}",
            f"{POOR} and (irrelevant|beside the point|useless|not relevant), {NAME}",
        ),
        sharp=(
            "(irrelevant|beside the point|not what I asked for|useless|that doesn't help)(| at all| really| one bit|)",
        ),
        angry=("(what has that got to do with it|are you listening at all), (that's irrelevant|not what I asked for)",),
    ),
    "untrue": Block(
        common=(
            f"(that's|this is|what you said is) {VERY} (not true|untrue|wrong|incorrect|false|not correct|mistaken)",
            f"(that|it|your claim) {ADV} (doesn't match|contradicts|isn't what it says on) the (label|shelf|pack)",
            f"(you told me|you gave me|I got) {POOR} (facts|information|details|data), (untrue|false|incorrect|not"
            f" true)",
            f"(not true|untrue|incorrect|false|you're mistaken|not correct), {NAME}",
        ),
        sharp=("(not true|untrue|that's wrong|false|that isn't true)(| and you know it| at all|)",),
        angry=("(are you making this up|do you just invent things), that's not true",),
    ),
    "too_many_questions": Block(
        common=(
            f"(that's|these are|you have) {VERY} (too many questions|a lot of questions|one question too many|quite"
            f" an interrogation)",
            f"(do we need|why|must I answer|what's with) (all these|so many|that many) {POOR} questions?",
            f"(please fewer|enough|no more|I'm tired of the|that's enough) questions, {NAME}",
            f"(please|kindly|better|just|do|maybe|rather|simply) (stop asking|ask less|ask fewer questions), {NAME}",
            f"{POOR} questions, too many questions",
        ),
        sharp=(
            "(too many questions|stop asking|enough questions|fewer questions|no more questions)(| please| now|"
            " already|)",
        ),
        angry=("(is this an exam|am I being questioned), (too many questions|stop asking)",),
    ),
    "pushy": Block(
        common=(
            f"you're {VERY} (pushing me|pushy|rushing me|pressing me|too insistent|hurrying me)",
            f"(please don't|no need to|kindly don't|you needn't) (push|rush me|push me|press me|hurry me), {NAME}",
            f"I {ADV} (want|prefer|need|like) to (decide for myself|shop at my own pace|take my time|look first"
            f" without pressure)",
            f"(that|this) {ADV} (feels|sounds|seems|is) (pushy|like pressure|like a hard sell|too pushy)",
            f"{POOR} (hard sell|pressure|pushing), {NAME}",
        ),
        sharp=("(don't push me|stop pushing|don't rush me|too pushy|no pressure)(|, please| like that)",),
        angry=("(back off|leave me be|get off my back), (don't push me|stop pushing)",),
    ),
    "over_budget": Block(
        common=(
            f"(that's|this is|we are) {VERY} (over|beyond|above|past|outside|more than) my budget",
            f"my budget {ADV} (doesn't stretch that far|won't cover that|isn't enough for this|is used up)",
            f"(I can't afford|I don't have the money for|I have no budget for) (this|that|all of that), {NAME}",
            f"(it adds up to|the total is|the cart comes to) {VERY} (too much|more than I can spend|more than my"
            f" budget)",
            f"{POOR} (purse|wallet|luck|sums), (over budget|I can't afford that|not in my budget)",
        ),
        sharp=("(over budget|over my budget|I can't afford that|not in my budget)(| anyway| now|, sorry|)",),
    ),
    "none": Block(
        common=(
            f"I'm {VERY} (not happy|unhappy|not satisfied|disappointed)",
            f"(this|it|that) {VERY} (isn't going well|is not good enough|doesn't please me|could be better|is a"
            f" let-down)",
            f"(I expected|I hoped for|I'm used to) (better|more help|better help|more than this), {NAME}",
            f"{POOR} (help|service|show|going|advice), (not good enough|I'm not happy|disappointed)",
        ),
        sharp=(
            f"{POOR} (help|service|work), not good enough",
            "(not good enough|I'm not happy|disappointed)(| here| at all|)",
        ),
    ),
}
"""Causes of complaint, ``codes.CAUSES``; causes that name a product or product type take ``{p}``."""

NAMED: Final = frozenset(("out_of_stock", "not_found"))

ABOUT: Final = (
    ". I mean {p}", ". It's about {p}", ", about {p}", ". {p}, that is", ". That concerns {p}", ", talking of {p}",
)  # fmt: skip
