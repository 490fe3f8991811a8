"""What stands around the message itself: openers, polite endings, words of hurry. Free of any content."""

from __future__ import annotations

from typing import Final

Pools = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""One tuple for each tone: warm, plain, sharp, angry."""


def _openers(words: str, *phrases: str) -> tuple[str, ...]:
    """Return "Well, " and so on for words, and the phrases as they are."""
    return tuple(f"{word}, " for word in words.split()) + phrases


def _after(words: str, *phrases: str) -> tuple[str, ...]:
    """Return ". Really." and so on for words, and the phrases as they are."""
    return tuple(f". {word}." for word in words.split()) + phrases


_HELLO_WARM = (
    "Hello there! ", "Good morning! ", "Hi! ", "Hello! ", "Good day to you. ", "Hi there, ", "Hello, ", "Hey, hello! ",
    "Nice to meet you. ", "Hi, good to have you along. ", "A very good day! ", "Greetings! ", "Hello, helper! ",
    "Hi, friend! ", "Good day! ", "Lovely to meet you! ", "Hiya! ", "Ah, hello! ", "Welcome aboard! ", "Hello, dear! ",
)  # fmt: skip
_HELLO_PLAIN = (
    "Hello. ", "Hi, ", "Good day. ", "Hello, ", "Hey, ", "Hi there. ", "Morning. ", "Okay, hello. ", "Right, hello. ",
    "Hi. ", "So, hello. ", "Yes, hello. ", "Hey there. ", "Hello there. ", "Hiya, ", "Greetings. ", "Evening. ",
    "Ah, hi. ",
    "Hello, assistant. ", "Well, hello. ", "Good afternoon. ", "Hi, helper. ",
)  # fmt: skip
HELLO: Final[Pools] = (
    _HELLO_WARM,
    _HELLO_PLAIN,
    ("Hi. ", "Hello. ", "Right. ", "Hey. ", "Yes, hi. "),
    ("Hi. ", "Right. ", "Hey. "),
)

_MILD = (
    "Well So Okay Right Hm Now Ah Um Er Alright Listen Good Oh Erm Basically Actually Look Fine Mm Frankly Honestly"
    " Anyway"
    " Personally Truly Obviously Naturally Surely Simply Briefly Aha Yes Hmm Uh Ooh Hey Say Clearly Admittedly"
    " Seriously"
)
_NEUTRAL = _openers(
    _MILD, "Let me see. ", "One moment. ", "Hang on. ", "Here goes: ", "Let me think. ", "To be clear, ", "In short, ",
    "As for me, ", "If you ask me, ", "Just a moment. ", "You know, ", "For the record, ", "There we are. ",
)  # fmt: skip
_CURT = _openers(
    "Look Listen Right Well Okay Now Hm So Please Honestly Seriously Really Ugh Frankly Hey Oh Tsk Er", "Come on. "
)
_LOUD = _openers(
    "Honestly Seriously Really Ugh Argh Goodness Heavens Listen Look", "Oh, come on! ", "For heaven's sake, ",
    "Good grief. ",
    "Enough. ", "Look here, ", "Unbelievable. ", "Oh, really. ", "Hello?! ",
)  # fmt: skip

NEUTRAL: Final[Pools] = (
    _NEUTRAL + _openers("Lovely Wonderful Splendid Super Brilliant Happily Gladly Dear Smashing Delightful"),
    _NEUTRAL,
    _CURT,
    _LOUD,
)

_ASKING = _openers(
    "Hm Wait Say Sorry Okay Um Right Now Well So Er Ah Oh Listen Actually Erm Mm Uh Hey Hmm Alright",
    "Tell me, ", "By the way, ", "One question: ", "Quick question. ", "Just wondering: ", "Excuse me, ", "And ",
    "So ", "But ",
    "Before I decide, ", "Let me ask: ", "Out of interest, ", "Hang on, ", "Do you know: ", "Just to check: ",
    "Curious: ",
)  # fmt: skip
CURIOUS: Final[Pools] = (
    (
        *_ASKING,
        "If I may ask, ", "May I ask: ", "Help me a little: ", "Sorry to ask, ", "You would know this: ",
        "Could you tell me: ",
        "Small thing: ", "My dear, ", "Lovely, but ", "Friend, ", "Dear helper, ", "Perhaps you know: ", "Pardon me, ",
    ),
    _ASKING,
    _openers("Well Look So Now Listen Hey Okay Right Hm Please Quick Er", "Simple question: ", "Come on, ", "And? ",
        "Tell me: "),
    _openers("Seriously Honestly Look Listen Hey Ugh", "For heaven's sake, ", "Good grief, ", "Just answer: ",
        "Hello?! "),
)  # fmt: skip

GLAD: Final[Pools] = (
    _openers(
        "Oh Lovely Great Perfect Wonderful Super Marvellous Nice Excellent Brilliant Splendid Beautiful Fantastic"
        " Delightful Bingo"
        " Bravo Cracking Ah Yes Superb Smashing Terrific Magnificent Ooh Gorgeous Yay Hurrah Fabulous Gladly",
        "Oh yes, ", "That is it! ", "Well found. ", "Spot on. ", "Very nice. ", "You read my mind. ",
    ),
    _openers(
        "Yes Okay Good Fine Alright Right Sure Great Well Hm So Perfect Yep Agreed Settled Indeed Nice Fair Ah Oh"
        " Splendid Certainly"
        " Yeah Clearly Okey-doke Aye Cool Sold Excellent Naturally",
        "Very well, ", "Fair enough, ", "Sounds fine. ", "That works. ", "Makes sense. ", "Why not, ",
    ),
    _openers("Fine Finally Okay Yes Well Good Alright Sure Right Hm So Yeah", "At last. "),
    _openers("Finally Fine Okay Right Yes", "About time. ", "At long last. ", "Oh well. "),
)  # fmt: skip

_SORRY = _openers(
    "Hm Sorry Well Um Ah Er Mm Frankly Oh Now Nah Erm Actually Honestly Unfortunately Hmm Sadly Regrettably Alas"
    " Look Wait Ooh",
    "Right, but ", "Okay, but ", "To be honest, ", "Looking at it, ", "On reflection, ", "Truth be told, ",
)  # fmt: skip
SORRY: Final[Pools] = (
    _SORRY
    + _openers(
        "Aw", "Ah, sorry, ", "Oh dear, ", "Thanks, but ", "That is kind, but ",
        "Nice idea, but ", "Forgive me, ", "Bless you, but ", "Good try, but ", "With respect, ", "Close, but ",
        "My dear, ",
    ),
    (*_SORRY, "Thanks, but "),
    _openers("Look Really Well Honestly Listen Seriously Ugh Hm Nah Please Oh Right Tsk", "Come on. "),
    _openers("Seriously Honestly Argh Ugh Please Heavens Really", "For heaven's sake, ", "Oh, come on! ",
        "Good grief, "),
)  # fmt: skip

_SIGH = _openers(
    "Hm Well Um Ah Er Mm Frankly Oh Honestly Hmm Sadly Look Sorry Phew Tsk Listen Hey Uh Really Seriously Admittedly"
    " Sigh Gosh",
    "Oh dear, ", "I must say, ", "To be honest, ", "You know, ", "Sorry to say, ", "I'm afraid ", "Truth be told, ",
)  # fmt: skip
SIGH: Final[Pools] = (_SIGH + _openers("Oops Dear Pity Goodness", "Don't mind me, "), _SIGH, SORRY[2], SORRY[3])

STATEMENT: Final[Pools] = (
    _after(
        "Please Thanks Ideas Ready Cheers Lovely Okay Suggestions",
        ".", "!", ", please.", ", friend.", ", dear helper.", ", kindly.", ", if you can.", ", if that's possible.",
        ", gladly.",
        ", please and thank you.", ". Many thanks.", ". That would be great.", ", if it's no trouble.",
        ". Whenever you like.",
        ". Much obliged.", ", when you have a second.", ". Over to you.", ". Can you help me there?",
        ". What do you say?",
        ", thanks.", ", ideally.", ", honestly.", ", perhaps.", ", my dear.", ". Shall we?", ". Please do!",
        ", if I may.",
    ),
    _after(
        "Please Okay Right Suggestions Thanks Ideas Ready Well Possible Anything Hm Doable Cheers Yes",
        ".", ".", ", please.", ", thanks.", ", if possible.", ". Could you help?", ". Any ideas?", ", if you can.",
        ", ideally.",
        ". What have you got?", ". Over to you.", ". Let me know.", ". Show me.", ". Options?", ". Thoughts?",
        ", then.", ", basically.",
        ", honestly.", ", simply.", ", actually.", ", really.", ", helper.", ", perhaps.", ", roughly speaking.",
        ", so to speak.",
    ),
    _after("Please Well Okay And Right Now Quickly Hello", ".", ".", ". Go on.", ". Got it?", ", okay?", ", right?"),
    _after("Clear Now Well Hello Please", "!", ".", ". Is that so hard?", ". Got it?"),
)  # fmt: skip

FINAL: Final[Pools] = (
    _after(
        "Really Promise Lovely Good There Great Wonderful Easy Honest Bless Splendid Super Truly Marvellous Honestly"
        " Cheerfully",
        ".", "!", ".", ", really.", ", truly.", ", honestly.", ", I promise.",
        ". Nice one.",
        ". Simple as that.", ". Very nice.", ", gladly.", ", I'd say.", ", for sure.",
        ", with pleasure.",
    ),
    _after(
        "There Really Okay Right Honestly Truly Hm Anyway Well Yes Basically Fine Seriously Clearly Obviously"
        " Certainly",
        ".", ".", ", really.", ", honestly.", ", truly.", ", actually.", ", basically.", ", simply.", ", I think.",
        ", I'd say.",
        ". Simple as that.", ". I mean it.", ". Just so you know.", ", frankly.", ", anyway.", ", definitely.",
        ", for sure.",
        ", I suppose.", ", so to speak.", ", personally.", ", that's all.", ", obviously.", ", I guess.",
    ),
    _after("Okay Clear Right Period Understood Really Enough", ".", ".", ", okay?", ", right?", ", really.",
        ", period."),
    _after("Clear Period Understood Really", "!", ".", ". Full stop.", ". Got that?", ", right?"),
)  # fmt: skip

GRAVE: Final[Pools] = (
    _after(
        "Sorry Really Honest Truly Pity Honestly Alas Shame Well Anyway Hm Sadly",
        ".", ".", ".", ", sorry.", ", really.", ", truly.", ", honestly.", ", I'm afraid.", ", sadly.",
        ". Never mind.", ", alas.", ", I must say.", ", I find.", ", to be fair.", ", if I'm honest.",
        ", unfortunately.",
    ),
    _after(
        "Really Honestly Truly Hm Anyway Well Sorry Seriously Clearly Hmm Okay Right So Shame Oh",
        ".", ".", ", really.", ", honestly.", ", truly.", ", actually.", ", basically.", ", I think.", ", I'd say.",
        ", sorry.",
        ", frankly.", ", anyway.", ", I'm afraid.", ", sadly.", ", I suppose.", ", personally.", ", obviously.",
        ", I guess.",
        ", clearly.", ", I find.",  ", unfortunately.", ", it seems.", ", to be fair.", ", I must say.",
        ", apparently.",
    ),
    FINAL[2],
    FINAL[3],
)  # fmt: skip

_WHAT = tuple(
    f", {w}?"
    for w in [
        "perhaps",
        "maybe",
        "possibly",
        "exactly",
        "really",
        "actually",
        "roughly",
        "honestly",
        "please",
        "then",
        "now",
        "though",
        "anyway",
        "helper",
    ]
)
QUESTION: Final[Pools] = (
    (
        "?", "?", "?", *_WHAT, ", friend?", ", dear?", ", if you know?", ", do you think?", ", if I may ask?",
        ", would you say?",
        "? Thanks.", "? Curious.", "? Please.", "? Lovely.", ", by any chance?", ", kindly?", "? Cheers.",
        ", dear helper?",
    ),
    (
        "?", "?", "?", *_WHAT, ", do you know?", ", by any chance?", "? Thanks.", "? Just asking.", "? Curious.",
        "? Hm.", "? Please.",
        "? Anyone?", "? Well?", "? Hmm.", ", I wonder?", "? Okay.", "? Cheers.", ", basically?", ", typically?",
        ", assistant?",
    ),
    ("?", "?", "?", "? Well?", ", then?", "? Quickly.", ", please?", ", now?", ", exactly?", "? Hello?", ", really?"),
    ("?!", "?", "? Well?!", ", now?", ", exactly?", "? Hello?!", ", finally?", "? Quick!", ", really?"),
)  # fmt: skip

HURRY: Final = (
    " I'm in a hurry.", " Quickly, please.", " I'm short of time.", " I don't have long.", " Time is short.",
    " Make it quick.", " I'm rather rushed.", " Be quick, please.", " I have little time.", " I must hurry.",
    " Fast as you can.", " No time to lose.", " Hurry, please.", " Speed matters.", " Swiftly, please.",
)  # fmt: skip
