"""Patterns of complaints by cause. ``{p}`` names what it is about: a product or what was looked for."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.template import Block

COMPLAIN: Final[dict[str, Block]] = {
    "out_of_stock": Block(
        common=(
            "{p} (is sold out|is out of stock|is gone|isn't on the shelf any more|has run out|is not available)",
            "(there's none left of|they've run out of|the shelf is empty where it says|I see an empty spot for) {p}",
            "(no stock of|nothing left of|not a single piece left of|all out of) {p}",
            "(I stand here and|I looked and|bad luck,|what a pity,|the shelf says it all:) {p} (is sold out|is out of stock|is gone)",
        ),
        sharp=("{p}: (sold out|out of stock|none left)", "(sold out|out of stock|empty shelf): {p}"),
        angry=("{p} is (of course|naturally) (sold out|out of stock)",),
    ),
    "not_found": Block(
        common=(
            "I (can't find|cannot find|don't see|haven't found|fail to spot) {p}(| anywhere| here| at all)",
            "{p} (isn't here|is nowhere to be seen|can't be found|isn't where I look|is hiding from me|won't turn up)",
            "(no sign of|no trace of|I searched in vain for|I keep looking for|I walk in circles for) {p}",
            "(I looked around but|as far as I can see|wherever I look,) (there's no sign of|I can't find) {p}",
        ),
        sharp=("{p}: (can't find it|not here|nowhere)", "(can't find|don't see|no sign of) {p}"),
    ),
    "wrong_directions": Block(
        common=(
            "(that was the wrong way|you sent me the wrong way|those directions were wrong|that led me nowhere)",
            "(the route|the way|your direction|that route|the path) (was wrong|took me the wrong way|didn't lead there|is no good)",
            "(I went|I walked|I was sent|you had me walk) (the wrong way|in the wrong direction|to the wrong place|for nothing)",
            "(wrong way|wrong direction|wrong turn|wrong place)(, I'm lost now|, this isn't it|, there's nothing of it here|)",
        ),
        sharp=("(wrong way|wrong direction|bad directions|wrong place)(| here| you gave me)", "that way was wrong"),
        angry=("(are you sending me round in circles|do you even know this shop), (wrong way|wrong directions)",),
    ),
    "repetition": Block(
        common=(
            "you (said|told me|mentioned|showed me|offered me) that (already|before|a moment ago|earlier)",
            "(that's|this is|it's) (a repeat|the same again|the same thing again|nothing new|what you said before)",
            "(we've been through|I've heard|I already know|I've already seen) (this|that|all that)(| before| already)",
            "(please don't|no need to|you needn't|stop and don't) (repeat yourself|say it twice|repeat that|go over it again)",
        ),
        sharp=("(the same again|heard that|you said that already|don't repeat yourself|stop repeating)",),
        angry=("(stop repeating yourself|how often will you repeat that|you sound like a broken record)",),
    ),
    "irrelevant": Block(
        common=(
            "(that's|this is|those are) (not what I asked for|beside the point|of no use to me|irrelevant|not relevant)",
            "(that|this|your list|what you show me) (has nothing to do with what I want|doesn't help me|misses my question)",
            "(I don't see|what is|I fail to see) (the point|the use|the sense) (of this|of that|in this)",
            "(none of this|nothing of that|not one of these) (helps|is useful to me|fits what I asked|is relevant)",
        ),
        sharp=("(irrelevant|beside the point|not what I asked for|useless|that doesn't help)",),
        angry=("(what has that got to do with it|are you listening at all), (that's irrelevant|not what I asked for)",),
    ),
    "untrue": Block(
        common=(
            "(that's|that is|this is|what you said is) (not true|untrue|wrong|incorrect|false|not correct)",
            "(that|it|your claim) (doesn't match|isn't what it says on|contradicts) the (label|shelf|pack)",
            "(you told me|you gave me|I got) (something untrue|something wrong|a wrong fact|false information|incorrect information)",
            "(I checked and|looking at it,|as I see it,) (that isn't true|you're mistaken|it's not true|what you said is wrong)",
        ),
        sharp=("(not true|untrue|that's wrong|false|that isn't true)(| and you know it| at all|)",),
        angry=("(are you making this up|do you just invent things), that's not true",),
    ),
    "too_many_questions": Block(
        common=(
            "(that's|these are|you have) (too many questions|a lot of questions|one question too many|quite an interrogation)",
            "(do we need|why|must I answer|what's with) (all these questions|so many questions|that many questions)",
            "(please fewer|enough|no more|I'm tired of the|that's enough) questions(| now| for today| for one shopping trip|)",
            "(please|could you) (stop asking|ask less|just show me something|ask fewer questions)",
        ),
        sharp=("(too many questions|stop asking|enough questions|fewer questions|no more questions)",),
        angry=("(is this an exam|am I being questioned), (too many questions|stop asking)",),
    ),
    "pushy": Block(
        common=(
            "(you're|you are) (pushing me|being pushy|rushing me|a bit pushy|pressing me|too insistent)",
            "(please don't|no need to|kindly don't|I'd rather you didn't) (push|rush me|push me|press me|hurry me)",
            "(let me|allow me to|I want to|I'd like to) (decide for myself|shop at my own pace|take my time|look first)(| without pressure|)",
            "(that feels|this feels|you come across as) (pushy|like pressure|like a hard sell|too pressing)",
        ),
        sharp=("(don't push me|stop pushing|don't rush me|too pushy|no pressure)(|, please| like that)",),
        angry=("(back off|leave me be|get off my back), (don't push me|stop pushing)",),
    ),
    "over_budget": Block(
        common=(
            "(that's|this is|it's getting|we are) (over my budget|more than my budget allows|beyond my budget|above my budget)",
            "(my budget|my money|what I can spend) (doesn't stretch that far|won't cover that|isn't enough for this|is used up)",
            "(I can't afford|I don't have the money for|my purse is too small for|I have no budget for) (this|that|all of that)",
            "(it adds up to|the total is|the cart comes to) (too much|more than I can spend|more than my budget)",
        ),
        sharp=("(over budget|over my budget|I can't afford that|not in my budget)",),
    ),
    "none": Block(
        common=(
            "(I'm not happy|I'm unhappy|I'm not satisfied|I'm disappointed) (with this|with how this goes|with the help|so far)",
            "(this|it|that) (isn't going well|is not good enough|doesn't please me|could be better|is a let-down)",
            "(I expected|I hoped for|I'm used to) (better|more help|better help|more than this)",
            "(not|hardly|far from) (good enough|what I hoped for|great|satisfying)",
        ),
        sharp=("(not good enough|I'm not happy|this is bad|poor)(| help| service|)",),
    ),
}
"""Causes of complaint, ``codes.CAUSES``; causes that name a product or product type take ``{p}``."""

NAMED: Final = frozenset(("out_of_stock", "not_found"))

ABOUT: Final = (
    ". I mean {p}", ". It's about {p}", ", about {p}", ". {p}, that is", ". That concerns {p}", ", talking of {p}",
)  # fmt: skip
