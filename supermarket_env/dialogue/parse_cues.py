"""The cues of the rule parser: patterns that give away an act, a reason, a cause or a field. Data only.

Patterns run on the lower-case text in which brands, product types and attributes are masked as ``#b``, ``#t``, ``#a``,
so that a name cannot trigger a cue.
"""

from __future__ import annotations

import re
from typing import Final


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile(r"(?<![a-z])(?:" + "|".join(parts) + r")(?![a-z])")


FILLERS: Final = _any(
    "really", "just", "simply", "truly", "actually", "certainly", "definitely", "honestly", "basically", "clearly",
    "genuinely",
    "obviously", "frankly", "seriously", "surely", "plainly", "sadly", "alas", "unfortunately", "rather", "quite",
    "very", "a bit",
    "no time to lose", "no rush", "why not", "don't mind me", "i don't have long", "no clear idea", "no worries",
    "no problem",
    "no doubt", "apparently", "regrettably", "where it says", "no plan yet", "never mind", "i have little time",
)  # fmt: skip
"""Words and phrases without weight, dropped before cues are looked for."""

TAG_QUESTION: Final = re.compile(r",? (?:okay|right|well|clear|understood)\?$")

BYE: Final = _any(
    "ciao", "adieu", "tata", "my patience", "(?:out of|lost) patience", "i give up", "leaving", "i leave with",
    "take care", "everything is paid", "paid, i", "enough of this", "fed up", "never again",
    "toodle", "this takes too long", "i've had enough", "paid", "this is a joke", "i settled",
    "have a \\w+ (?:day|evening|time|week|one)",
    "bye", "goodbye", "see you", "so long", "farewell", "cheerio", "until next time", "i'm off", "i'm leaving",
    "i'm going",
    "i'm out", "i leave(?! that)", "i walk out", "i go empty", "i must go", "off i go", "that's me done", "i've paid",
    "i have paid",
    "all paid", "paid up", "paid and", "that's paid", "it's all paid", "checkout done", "shopping done",
    "i'll go elsewhere",
    "i'll try elsewhere", "i'd better go", "leave it empty", "time to go", "paid for", "have a nice day", "i paid",
)  # fmt: skip
THANK: Final = _any(
    "thanks?", "thank you", "cheers", "much obliged", "appreciated?", "grateful", "thankful", "ta", "in your debt",
    "bless you",
)  # fmt: skip
COMPARE: Final = _any(
    "(?<!no )difference", "comparing", "what's better", "which is best", "better:",
    "differences", "compare", "comparison", "differ", "contrast", "weigh up", "side by side",
    "which (?:one )?is (?:better|best)",
    "which (?:one )?wins", "has the edge", "stack up", "rank", "rundown", "set against each other",
    "which of (?:them|these|those)",
    "which one of", "is better,", "which is better", "what would you pick", "which wins", "against each other",
)  # fmt: skip
HESITATE: Final = _any(
    "can't decide", "cannot decide", "make up my mind", "torn", "hesitat\\w*", "waver", "undecided", "not sure",
    "in two minds",
    "unsure", "doubts?(?! the (?:point|use|sense))", "doubtful", "dither",
    "(?:hard|difficult|tricky|not easy) to (?:choose|decide|pick|say|tell)",
    "think it over", "sleep on it", "weigh this up", "ponder", "mull it over", "dilemma", "spoilt for choice",
    "wondering about",
    "maybe not", "tricky", "think about", "i don't know which", "difficult", "hard to choose", "can't say yet",
    "can't choose",
    "don't know(?! (?:where|exactly))", "puzzling", "pondering", "wavering", "so tempting", "oh the choice", "hesitant",
)  # fmt: skip
WHERE: Final = _any(
    "(?<!isn't )(?<!aren't )where",
    "(?:which|what) (?:\\w+ )?(?:aisle|shelf|section|way|corner|direction|part of the shop)", "way to", "directions to",
    "(?:point|direct|guide|send|take|show) me (?:to|towards|the way)", "how do i (?:get|walk) to", "how do i get",
    "where to",
    "the quickest way", "(?:tell|point out to) me (?:the way|where)",
)  # fmt: skip
ACCEPT: Final = _any(
    "i'll take", "i'll have", "i'll go (?:for|with)", "let's take", "let me take", "i (?:choose|pick|gladly take)",
    "make it",
    "will do(?! not)", "sounds (?:good|lovely|fine)", "suits me", "looks right", "does the job", "my vote", "it is",
    "works for me",
    "i'm (?:happy|fine|delighted) with", "i'd settle for", "i decide for", "count me in", "yes to", "my choice",
    "winner",
    "decided", "decision made", "that settles it", "i (?:love|really like)", "good idea", "just take", "deal",
    "agreed", "agree with",
    "is (?:fine|perfect|okay|good enough|just right|exactly|what i'll take|a great find)", "would be wonderful",
    "go ahead",
    "good enough", "why not", "that'll do", "my yes", "approval", "go along with", "nothing against", "yes to",
    "great find",
    "makes me happy", "the best is", "give me", "fits", "does it", "i'm sold", "add it", "buy it",
)  # fmt: skip
YES: Final = re.compile(
    r"^\W*(?:\w+[,.!] )?(?:yes|yep|yeah|sure|gladly|of course|indeed|certainly|by all means|agreed|deal|sold"
    r"|absolutely)\b"
)
OKAY: Final = re.compile(r"^\W*(?:\w+[,.!] )?(?:okay|fine|alright|right|good|all right)\b")
NO: Final = re.compile(r"^\W*(?:\w+[,.!?] )?(?:no|nope|nah|not)\b")

REASONS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("allergen",
        _any("allergens?", "allergy", "allergic", "(?:contains|has|holds|made with|comes with) #[lt]", "not safe",
                       "isn't safe", "(?:there's|i see|i read) #[lt]")),
    ("have_it_already",
        _any("already (?:have|got|mine)", "(?:have|got) .{0,60} already", "i have already", "already with me",
            "already sorted",
                             "i've already got", "one i've already", "i already have", "is already mine")),
    ("not_what_i_meant",
        _any("not what i (?:meant|had in mind)", "didn't mean", "never meant", "wasn't thinking of", "misunderst\\w+",
                              "mix-up", "mix up", "past each other", "wrong (?:idea|thing)", "don't mean",
                              "misses the point", "another thing",
                              "something else than i meant", "meant something else", "isn't the thing",
                              "other in mind")),
    ("price",
        _any("too (?:expensive|dear|pricey|costly|much money|high)", "costs (?:too much|more)", "cheaper",
            "less (?:costly|expensive|dear)",
                   "overpriced", "rip-?off", "rip off", "more than i want to pay", "beyond what i'd spend",
                   "price tag", "over what i'd pay",
                   "steep", "(?:at|for) that price",
                   "the (?:price|cost) of .{0,80}(?:too|not for|hard|shocking|excessive)", "eats too much")),
    ("brand",
        _any("(?:wrong|another|different|other|bad|not that|not my|like the) brand", "brand i avoid",
            "no brand for me", "the make of",
                   "the label on", "not the make", "brand of .{0,80}(?:isn't|puts|not one|doesn't|bores)")),
    ("size",
        _any("(?:wrong|another|different|other|bad|not that|not my|awkward) size", "not the (?:right )?(?:pack )?size",
            "size i can't use",
                  "size is off", "(?:size|pack) of .{0,80}(?:isn't|doesn't|is not|is off|won't)")),
    ("attribute",
        _any("(?:isn't|is not|not|doesn't count as|can't be called) (?:\\w+ )?#a", "#a,? (?:and|but|yet|whereas)",
            "lacks",
                       "features?", "misses a", "doesn't have what")),
)  # fmt: skip
"""Reasons that speak for themselves, the plainer ones first. ``#l`` is an allergen."""

REJECT: Final = _any(
    "no", "nope", "nah", "not", "won't", "skip", "pass on", "isn't for me", "doesn't (?:appeal|tempt|do it)",
    "leaves me cold",
    "something (?:other|else)", "anything but", "(?:other than|but|besides|instead of) #b", "alternative", "what else",
    "don't want",
    "don't fancy", "don't feel like", "don't care for", "i'd leave", "leave out", "count me out", "scrap", "forget",
    "i decline",
    "i'm dropping", "spare me", "never", "anything (?:other|besides|instead)", "something (?:besides|instead|but)",
    "another", "next",
)  # fmt: skip

CAUSES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("over_budget",
        _any("budget", "can't afford", "don't have the money", "my (?:money|purse)", "what i can spend",
            "more than i can spend",
                         "adds up to", "the total is", "the cart comes")),
    ("too_many_questions",
        _any("(?:too many|so many|these|fewer|enough|no more|many|that's enough|tired of the|a lot of) questions?",
                                "stop asking", "one question too many", "interrogation", "ask (?:less|fewer)",
                                "just show me something",
                                "is this an exam", "questioned", "all these questions", "that many questions",
                                "questions")),
    ("pushy",
        _any("push\\w*", "rush(?:ing)? me", "press(?:ing)? me", "pressing", "hurry(?:ing)? me", "pressure",
            "decide for myself", "at my own pace",
                   "take my time", "look first without", "hard sell", "too insistent", "back off", "leave me be")),
    ("wrong_directions",
        _any("wrong (?:way|route|direction|directions|turn|place|aisle)", "directions were wrong", "led me nowhere",
            "didn't lead there",
                              "bad directions", "was wrong", "is no good", "round in circles", "walk for nothing",
                              "i was sent", "for nothing",
                              "(?:route|path|way|direction|you gave) (?:was wrong|took me|is no good)")),
    ("repetition",
        _any("you (?:said|told me|mentioned|showed me|offered me) that (?:already|before|a moment ago|earlier)",
            "repeat\\w*",
                        "the same (?:again|thing again)", "nothing new", "what you said before", "been through",
                        "heard (?:this|that|all that)",
                        "i already know", "have already (?:seen|heard)", "i've heard", "say it twice",
                        "go over it again", "broken record", "repetitive",
                        "you said that", "you said that already", "i've already seen")),
    ("untrue",
        _any("(?:not|isn't) (?:true|correct)", "untrue", "incorrect", "false", "doesn't match", "contradicts",
            "mistaken", "is wrong",
                    "that's wrong", "what you said is", "something wrong", "wrong fact", "isn't what it says",
                    "making this up", "invent",
                    "this is wrong", "that is wrong")),
    ("irrelevant",
        _any("irrelevant", "not relevant", "beside the point", "no use", "useless", "not what i asked for",
            "nothing to do with",
                        "doesn't help", "misses my question", "the (?:point|use|sense) (?:of|in)",
                        "fits what i asked", "is relevant", "got to do with",
                        "(?:miss|question|doubt|can't see|don't see) the (?:point|use|sense)")),
    ("out_of_stock",
        _any("sold out", "out of stock", "none left", "not available", "run out", "any more", "all out of",
            "empty (?:shelf|spot)",
                          "nothing left of", "no stock", "piece left", "shelf is empty", "is gone", "are gone",
                          "isn't on the shelf")),
    ("not_found",
        _any("can't find", "cannot find", "don't see", "haven't found", "fail to spot", "nowhere", "can't be found",
            "no sign of",
                       "no trace of", "in vain", "keep looking for", "in circles", "isn't here", "aren't here",
                       "not here", "is hiding", "are hiding",
                       "won't turn up", "isn't where i look", "aren't where i look")),
    ("none",
        _any("not (?:happy|satisfied)", "unhappy", "disappointed", "isn't going well", "not good enough",
            "good enough help",
                  "doesn't please", "could be better", "let-down", "i (?:expected|hoped for) (?:better|more)",
                  "used to better", "this is bad",
                  "used to more", "poor", "hardly", "far from", "hoped for better", "not what i hoped for",
                  "not great", "not satisfying", "expected")),
)  # fmt: skip

FIELDS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("unit_price", _any("unit price", "per unit", "per kilo", "per litre", "price per", "by weight")),
    ("price",
        _any("how much is(?! in)", "price", "cost", "expensive", "what (?:does one|would i) pay",
            "how much(?! is in)")),
    ("allergens", _any("allergens?")),
    ("stock",
        _any("in stock", "available", "still there", "on the shelf", "any left", "are left", "do you still have",
            "left of")),
    ("quality", _any("quality", "rated", "rating", "any good", "how good", "rate", "reviews?")),
    ("size", _any("what size", "how (?:big|large)", "pack size", "which size", "size", "how much is in")),
    ("brand", _any("brand", "who makes", "what make", "maker")),
)  # fmt: skip
OPEN_QUESTION: Final = _any(
    "tell me (?:more )?about", "what do you know", "any details", "details", "more about", "something about",
    "what about",
    "what can you (?:tell|say)", "how about", "explain more", "say more",
)  # fmt: skip

NO_PREFERENCE: Final = _any(
    "(?:doesn't|don't|does not|do not) matter", "any \\w+ will do", "any (?:\\w+ )?\\w+ will do",
    "no (?:particular|preference|further|more wishes)",
    "no other wishes", "whatever", "no wish", "don't mind", "do not mind", "all the same", "no preference",
    "needn't be", "isn't important",
    "not important", "no difference", "no limit", "no price limit", "nothing else", "nothing special",
    "nothing in particular", "either way", "anything will do",
    "anything goes",
    "anything else is fine", "i'm easy", "all fine", "leave that to you", "no allerg\\w+", "no diet\\w*", "no special",
    "no further",
    "are no allergies", "that is all i care", "no allergy", "not needed", "not necessary", "don't care", "up to you",
    "fine with anything",
)  # fmt: skip
ANYTHING: Final = _any(
    "nothing else", "no (?:other|more|further) (?:wishes|preferences)", "anything else", "that is all i care",
    "that's all", "that's it",
)  # fmt: skip
SLOT_WORDS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("brand", _any("brand", "make")),
    ("size", _any("size", "pack size")),
    ("price_limit", _any("price", "cost", "costs")),
    ("quantity", _any("number", "quantity", "how many", "amount")),
    ("diet", _any("diet", "dietary")),
    ("allergy", _any("allergy", "allergies", "allergens")),
    ("department", _any("department", "section")),
    ("product_type", _any("kind", "sort", "type")),
)  # fmt: skip
MUST: Final = _any("strictly", "must be", "has to be", "have to be", "diet", "is a must", "absolutely")
CHATTER: Final = _any(
    "let's see",
    "(?:let me|i'll|i'd better|i shall|let's|time to|i might|allow me to|i want to|best to|we could|i may|i'd)"
    " (?:\\w+ )?"
    "(?:look|think|see|wonder|ponder|reflect|consider|continue|decide|breathe|focus|proceed|listen|check|muse|carry"
    " on|keep going|read on)",
    "carry on", "go on", "on we go", "shelves", "aisles", "shops", "supermarkets", "shopping", "browsing",
    "chat(?:ting)?", "one by one",
    "step by step", "moving along", "we'll see", "so be it", "errands", "trolleys", "queues", "company", "proceed",
    "continue", "go ahead", "going",
    "walking", "pacing", "planning", "price tags", "baskets", "labels", "talking",
)  # fmt: skip
MONEY: Final = re.compile(
    r"(?<![0-9.,])([0-9]{1,4}(?:[.,][0-9]{1,2})?)\s?(?:euros?|eur|\u20ac|\$|\xa3)(?![a-z])|(?:\u20ac|\$"
    r"|\xa3)\s?([0-9]{1,4}(?:[.,][0-9]{1,2})?)"
)
