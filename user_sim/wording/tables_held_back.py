"""Phrasings that no development or training task uses: the text track's test suites speak with these.

They say the same things as the standard patterns with other sentences, so that an assistant that reads words is not
tested on the very sentences it was made with. Placeholders are those of the standard tables.
"""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.template import Block

WANT: Final = Block(
    common=(
        "(I'm here because I need|the first thing would be|I was sent for|still missing at home is) {x}",
        "(would you mind helping me pick|I was wondering about getting|I'm hoping to take home|I'm meant to bring home)"
        " {x}",
        "(let's go for|how do we get hold of|put me down for|I've run out of what I need:) {x}",
        "{x} (should go in the cart|is the thing I came for|has to come home with me|belongs in my cart)",
    ),
    sharp=("(right, I need|quickly:|I came for|only) {x}", "{x}, that is all I need"),
)

BROWSE: Final = Block(
    common=(
        "(I haven't made up my mind, something like|I could be talked into|I'm looking around for|let me look at) {x}",
        "(what do you have in the way of|what would be good among|what is there in) {x}?",
        "{x} (could be an idea|might be nice|would tempt me), I haven't decided",
    ),
    sharp=("(something like|I could take|let me see) {x}",),
)

WISH: Final = Block(
    common=(
        "(before I forget|one detail|to be precise|what I should mention|so that you know): {x}",
        "(it matters to me that you hear this|please bear in mind|do take into account): {x}",
    ),
    sharp=("(once more for you|write down): {x}", "{x}"),
)

ANSWER: Final = Block(
    common=(
        "(in that case|now that you mention it|thinking about it|all things considered|in my case): {x}",
        "(I can tell you that|here you go|here is my answer): {x}",
    ),
    sharp=("(if it must be|alright then): {x}", "{x}"),
)

ANSWER_PHRASE: Final = Block(
    common=(
        "(I'd settle for|go with|I was thinking of|I lean towards|ideally it's|let it be) {x}",
        "{x} (is what I had in mind|is how I like it|would be my choice|seems best to me)",
    ),
    sharp=("(then|well,|go with) {x}", "{x}, and that's my answer"),
)

YES_ATTRIBUTE: Final = Block(
    common=(
        "(that's right|quite so|correct|I do, yes|it has to be), {f}",
        "{f} (is a must|is what I'm after|would be my wish|is how I like it)",
        "(I'd be glad to have|I was hoping for|I'd rather have) {it} {f}",
    ),
    sharp=("(it must be|right,|correct,) {f}",),
)

NO_IDEA: Final = Block(
    common=(
        "(that's all one to me|I have no strong feelings there|I'd leave it open|you may choose for me|I really don't"
        " mind|I have no preference there)",
        "(any of them is fine|either will do|whichever you like|I'm not fussy about it|it doesn't matter to me)",
    ),
    sharp=("(any|either|doesn't matter to me|I said I don't mind|no preference whatsoever)",),
)


def _field(name: str, *others: str) -> Block:
    """Return the questions about one field of a product: they differ in what they ask for only."""
    return Block(
        common=(
            f"(could I hear|let me know|I need to know|before I decide, tell me) the {name} of {{p}}",
            *others,
        ),
        sharp=(f"the {name} of {{p}}, quickly?", *others[:1]),
    )


ASK: Final[dict[str, Block]] = {
    "price": _field("price", "(how much money is|how much do you want for|how much would I pay for) {p}?"),
    "unit_price": _field("unit price", "(how much per unit would|what price per unit does) {p} (have|come at)?"),
    "quality": _field("quality", "(do people like the quality of|is there a rating for|how highly rated is) {p}?"),
    "allergens": _field("allergens", "(should I know about allergens in|what about allergens in) {p}?"),
    "stock": Block(
        common=(
            "(are there any left of|is there still stock of|can I still get) {p}?",
            "(would|will) {p} still be (in stock|available)?",
        ),
        sharp=("(any stock of|any left of) {p}?",),
    ),
    "place": Block(
        common=("(whereabouts is|where would I look for|where have you put|where exactly is) {p}?",),
        sharp=("(so where is|where exactly is) {p}?",),
    ),
    "size": _field("size", "(how big a pack is|how large a pack is) {p}?"),
    "brand": _field("brand", "(what's the brand of|who is the maker behind) {p}?"),
    "attribute": Block(
        common=(
            "(I wonder: is|may I ask, is|just to be sure, is|can I rely on it: is) {p} {a}?",
            "would {p} (count as|pass as|be considered) {a}?",
        ),
        sharp=("so is {p} {a}?",),
    ),
    "other": Block(common=("(I'd like to hear about|tell me about|let me know) the {a} of {p}",)),
    "open": Block(
        common=(
            "(what is there to know about|what else can you tell me about|give me some details on) {p}?",
            "(I'd like to hear more about|tell me a little more about) {p}",
        ),
        sharp=("(so what about|some details on) {p}?",),
    ),
}

WHERE: Final = Block(
    common=(
        "(whereabouts {be}|where exactly {be}|where in this shop {be}|where have you put) {x}?",
        "(I'm trying to find|I keep missing|help me find) the way to {x}, which aisle is it?",
        "(would you lead me|can you bring me|please walk me) to {x}?",
        "(which aisle do I take|which way do I go|where do I turn) for {x}?",
    ),
    sharp=("(so where {be}|where exactly {be}|which way to) {x}?",),
)
WHERE_OPEN: Final = Block(
    common=(
        "(whereabouts is it|which way from here|where exactly would that be|where do I turn to find it)?",
        "(would you lead me there|I don't know the way, where is it|please show me where it is)?",
    ),
    sharp=("(so where|where exactly|which way then)?",),
)

ACCEPT: Final = Block(
    common=(
        "(put|pop|drop) {p} in my cart, I'll take it",
        "(then it's|I've decided on|let's settle on|I'm happy to take|let me take) {p}",
        "{p} (is the one for me|is my choice|has me convinced|is exactly what I want), I'll take it",
    ),
    sharp=("(alright,|well then,) I'll take {p}", "{p}, I'll take that"),
)
ACCEPT_IT: Final = Block(
    common=(
        "(then I'll take it|that's the one for me|I'm happy to take that one|that settles it, I'll take it)",
        "(exactly right|very good|good choice|splendid idea), I'll take (it|that one)",
    ),
    sharp=("(alright|very well), I'll take it",),
)


def _no(*why: str) -> Block:
    """Return the refusals of a product for one reason, said in words that name it."""
    told = "|".join(why)
    return Block(
        common=(
            f"(I'd rather not take|I'm afraid I can't take|let's not take|I won't take) {{p}}, ({told})",
            f"(thank you, but|sorry, but|to be honest,) {{p}} (isn't for me|won't do), ({told})",
        ),
        sharp=(f"not {{p}}, ({told})",),
    )


REJECT: Final[dict[str, Block]] = {
    "price": _no("it's too expensive for me", "that's too much money", "the price is too high for me"),
    "brand": _no("it's the wrong brand for me", "I'd want another brand", "I don't buy that brand"),
    "size": _no("it's the wrong size for me", "I'd want another size", "the size is wrong for us"),
    "attribute": _no("it isn't {a}", "it's not {a}", "I see that it isn't {a}"),
    "attribute_unnamed": _no("it lacks a feature that I want", "the features aren't right"),
    "allergen": _no("it contains {a} and there's an allergy", "it has {a} in it, an allergen for us"),
    "allergen_unnamed": _no("it isn't safe with our allergy", "the allergens worry me"),
    "not_what_i_meant": _no("it's not what I meant", "I meant something else entirely", "we misunderstood each other"),
    "have_it_already": _no("I already have that one", "I've already got it", "I have it already, you know"),
    "no_reason": Block(
        common=(
            "(I'd rather not take|let's not take|I won't take|I'd sooner pass on) {p}",
            "{p} (is not what I'd choose|doesn't win me over|isn't for me, I'm afraid)",
        ),
        sharp=("(I won't take|I don't want) {p}",),
    ),
    "none": Block(
        common=(
            "(I'd rather not take|let's not take|I won't take|I'd sooner pass on) {p}",
            "{p} (is not what I'd choose|doesn't win me over|isn't for me, I'm afraid)",
        ),
        sharp=("(I won't take|I don't want) {p}",),
    ),
}

HESITATE: Final = Block(
    common=(
        "(I can't make up my mind|I'm in two minds|I keep going back and forth|I still waver|I'm unsure) {on} {ps}",
        "(it's a hard choice|not easy to decide) {on} {ps}, I'm not sure",
    ),
    sharp=("(not sure|still unsure|undecided) {on} {ps}",),
)
HESITATE_OPEN: Final = Block(
    common=("(I can't make up my mind yet|I'm in two minds about it|I'm still not sure what to take|I still waver)",),
    sharp=("(not sure yet|still undecided)",),
)

COMPARE: Final = Block(
    common=(
        "(can we put side by side|I'd like to see side by side|could you compare for me|let's compare) {ps}",
        "(how would you compare|what sets apart|what's the difference between) {ps}",
    ),
    sharp=("(now compare|difference between) {ps}",),
)
AGAINST: Final = ("the other one", "the alternative")
COMPARE_OPEN: Final = Block(
    common=("(could you compare them for me|let's compare them side by side|what's the difference between them)",),
    sharp=("(now compare them|difference between them)",),
)


def _trouble(*said: str) -> Block:
    """Return the complaints of one cause: how it is said, in polite and in short form."""
    told = "|".join(said)
    return Block(
        common=(f"(I have to say,|it must be said:|I don't like to complain, but|just so you know,) ({told})",),
        sharp=(f"({told})",),
    )


COMPLAIN: Final[dict[str, Block]] = {
    "out_of_stock": _trouble("{p} is out of stock", "the shelf is empty where {p} is", "{p} is sold out today"),
    "not_found": _trouble("I can't find {p} anywhere", "there is no sign of {p} here", "I looked, but can't find {p}"),
    "wrong_directions": _trouble(
        "those directions were wrong", "you sent me in the wrong direction", "I ended up in the wrong place"
    ),
    "repetition": _trouble(
        "you already told me that", "you keep repeating yourself", "I've heard that before from you"
    ),
    "irrelevant": _trouble(
        "none of that is what I asked for", "that is irrelevant to me", "that doesn't help me in the least"
    ),
    "untrue": _trouble("what you told me isn't true", "that was not true", "that turned out to be incorrect"),
    "too_many_questions": _trouble(
        "you ask too many questions", "I'd like fewer questions", "those are too many questions for one trip"
    ),
    "pushy": _trouble("you're too pushy for my taste", "I feel you're pushing me", "I don't want to be rushed"),
    "over_budget": _trouble(
        "that takes me over my budget", "my budget won't allow it", "I can't afford that much today"
    ),
    "none": _trouble("I'm not happy with this", "I'm disappointed so far", "this isn't good enough for me"),
}
ABOUT: Final = (". I'm talking about {p}", ", I mean {p}")

THANK: Final = Block(
    common=(
        "(thank you so very much for that|I'm grateful for it, thanks|that was kind, thank you|thanks, that helps)",
        "(thanks indeed|thank you, really)(| for all this|, you've been a help| for your time)",
    ),
    sharp=("(that's a help, thanks|very well, thank you|I see, thank you)",),
)
CHAT: Final = Block(
    common=(
        "(let me have a look around|I'm walking on|one moment|I'm on my way|I'll have a think|let's carry on)",
        "(alright, on we go|I see, I'm looking|right, I'm moving along)",
    ),
    sharp=("(I'm going on|a moment|I'm looking)",),
)

_BYE: Final = "(goodbye then|goodbye for now|bye for today|goodbye and take care)"
BYE: Final[dict[str, Block]] = {
    "": Block(common=(f"{_BYE}",)),
    "paid": Block(
        common=(f"(I've paid|everything is paid for|that's all paid), {_BYE}",), sharp=("(I've paid|paid), goodbye",)
    ),
    "paid_early": Block(
        common=(f"(I've had enough, I paid for what I have|I've paid for this much and that's it), {_BYE}",),
    ),
    "left": Block(common=(f"(I'm leaving without anything|I'm leaving, this was no use), {_BYE}",)),
    "patience": Block(
        common=(f"(I've run out of patience|I've had enough of this), I'm leaving, {_BYE}",),
        sharp=("I've had enough, I'm leaving",),
    ),
}
