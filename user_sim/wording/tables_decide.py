"""Patterns of decisions about offered products. ``{p}`` is a short name in the singular, ``{ps}`` several."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.template import Block

ACCEPT: Final = Block(
    common=(
        "(I'll take|I'll have|I'll go for|I'll go with|let's take|let me take|I choose|I pick|make it) {p}",
        "{p} (it is|will do|is fine|sounds good|is what I'll take|suits me|looks right|does the job|gets my vote)",
        "(I'm happy with|I'm fine with|I'd settle for|I decide for|count me in for|yes to|I say yes to) {p}",
        "{p}(, please|, then|, why not|, I think|, that'll do nicely|, good)",
        "(my choice is|we have a winner:|that settles it:|decision made:|I've decided:|the best is) {p}",
    ),
    warm=(
        "{p} (is perfect|sounds lovely|is just right|is exactly what I hoped for|is a great find|would be wonderful)",
        "(I love|I really like|I'm delighted with|thank you for finding|I gladly take|what a good idea,) {p}",
    ),
    sharp=("{p}", "{p}(, fine|, then|, okay|, whatever)", "(I'll take|just take|give me|okay,) {p}", "{p} will do"),
    angry=("(give me|I'll take) {p}(, and let's move on|, just to be done|, at last)",),
)
ACCEPT_IT: Final = Block(
    common=(
        "(I'll take|I'll have|let's take|let me take|I'll go for|I'll go with|I choose) (it|that|that one|this one)",
        "(that|this|that one|it) (will do|is fine|sounds good|suits me|looks right|works for me|fits|is good enough|does it)",
        "(yes|sure|okay|agreed|fine|alright)(, that one|, please|, I'll have that|, go ahead|, count me in|, that is it|, do)",
        "(I'm happy with|I'm fine with|I say yes to|I agree with|I go along with|nothing against) (that|this|it|that one)",
        "(you've got|you have|that gets|there goes) (a deal|my approval|my yes|my vote)",
    ),
    warm=(
        "(that|this|it) (is perfect|sounds lovely|is just right|is a great find|would be wonderful|makes me happy)",
        "(I love|I really like|I gladly take|what a find,) (that|this|it|that one)",
    ),
    sharp=("(yes|okay|fine|sure|right|agreed)", "(that|it|this)(, fine|, then| will do| is okay|, whatever)", "I'll take it"),
)

REJECT: Final[dict[str, Block]] = {
    "price": Block(
        common=(
            "{p} is (too expensive|too dear|too pricey|more than I want to pay|beyond what I'd spend|rather steep)",
            "{p} (costs too much|costs more than I like|is over what I'd pay|has too high a price)",
            "(not|I won't take|I'll skip|I'd rather not have|no to) {p}(, too dear|, the price is too high|, it's too costly)",
            "(the price of|what you ask for|the price tag on) {p} is (too high|too much|not for me|hard to swallow)",
            "(something cheaper than|anything less costly than|a cheaper choice than) {p}, (I'd hope|please|if there is)",
        ),
        sharp=("{p}: (too dear|too expensive|overpriced|a rip-off)", "(no|nope), (too expensive|too dear|too much money)"),
        angry=("{p} (for that price|at that price)(, never|, no way|, you must be joking)",),
    ),
    "brand": Block(
        common=(
            "{p} is (not my brand|the wrong brand|from a brand I don't want|not the make I'd choose)",
            "(not|I won't take|I'll skip|I'd rather not have|no to) {p}(, wrong brand|, I don't like the brand|, other brand please)",
            "(the brand of|the make of|the label on) {p} (isn't for me|puts me off|is not one I want|doesn't convince me)",
            "(I want another brand than|I'd prefer a different brand to|a brand other than) {p}",
        ),
        sharp=("{p}: (wrong brand|not that brand|bad brand)", "(no|nope), (wrong brand|not that brand|another brand)"),
    ),
    "size": Block(
        common=(
            "{p} is (the wrong size|not the size I need|not the right pack size|a size I can't use)",
            "(not|I won't take|I'll skip|I'd rather not have|no to) {p}(, wrong size|, the size is off|, other size please)",
            "(the size of|the pack size of|the pack of) {p} (isn't right|doesn't suit me|is not what I need|is off)",
            "(I need another size than|I'd prefer a different size to|a size other than) {p}",
        ),
        sharp=("{p}: (wrong size|bad size|not that size)", "(no|nope), (wrong size|not that size|other size)"),
    ),
    "attribute": Block(
        common=(
            "{p} (isn't|is not|won't do, it's not|can't be called) {a}",
            "(not|I won't take|I'll skip|I'd rather not have|no to) {p}(, it isn't|, it's not|, it is not) {a}",
            "(pity that|the trouble is that|what bothers me:|but I see that) {p} (isn't|is not) {a}",
            "(I want it|I wish for something|it has to be|I'd like it) {a} and {p} (isn't|is not)",
        ),
        sharp=("{p}: (not|isn't) {a}", "(no|nope), (not|it isn't|it's not) {a}"),
    ),
    "attribute_unnamed": Block(
        common=(
            "{p} (lacks something I want|misses a feature I need|doesn't have what I look for|has the wrong features)",
            "(not|I'll skip|no to) {p}(, it lacks something|, a feature is missing|, the features are wrong)",
        ),
        sharp=("{p}: (lacks a feature|wrong features)", "(no|nope), (it lacks a feature|wrong features)"),
    ),
    "allergen": Block(
        common=(
            "{p} (has|contains|is made with|comes with|holds) {a}(, I can't have that|, that's an allergen for us|, not safe)",
            "(not|I can't take|I'll skip|I mustn't have|no to) {p}(, it contains|, it has|, there's) {a}(| in it, that's allergy)",
            "(there's|I see) {a} in {p}, (an allergen|which means an allergy|not safe here|that's dangerous)",
        ),
        sharp=("{p}: (contains|has) {a}, allergy", "(no|nope), (it contains|it has) {a}, allergy"),
    ),
    "allergen_unnamed": Block(
        common=(
            "{p} (has an allergen|contains an allergen|isn't safe with the allergy|would set off an allergy)",
            "(not|I can't take|I'll skip|I mustn't have|no to) {p}(, the allergens|, because of the allergy|, it isn't safe to eat)",
        ),
        sharp=("{p}: (allergens|allergy)", "(no|nope), (allergens|allergy|not safe)"),
    ),
    "not_what_i_meant": Block(
        common=(
            "{p} is (not what I meant|not what I had in mind|something else than I meant|a misunderstanding)",
            "(I didn't mean|I wasn't thinking of|I never meant|I had something other in mind than) {p}",
            "(you misunderstood me|that's a mix-up|we're talking past each other|wrong idea), (not|I don't mean) {p}",
            "{p} (misses the point|isn't the thing I meant|is another thing altogether)",
        ),
        sharp=("{p}: not what I meant", "(no|nope), (not what I meant|I meant something else|wrong thing)"),
        angry=("are you (listening|even listening|paying attention), not {p}, I meant something else",),
    ),
    "have_it_already": Block(
        common=(
            "{p} (is one I've already got|is already with me|I already have|I have already)",
            "(I've already got|I already have|I have already) (got that sorted, so not|enough of) {p}",
            "(not|no need for|I don't need) {p}(, I already have it|, I've got that already|, have it already|, already got it)",
        ),
        sharp=("{p}: (already got it|have it already)", "(no|nope), (already got that|have that already|I have it already)"),
    ),
    "no_reason": Block(
        common=(
            "(not|I won't take|I'll skip|I'd rather not have|no to|I'll pass on|I'd leave|not convinced by) {p}",
            "{p} (isn't for me|is not for me|doesn't appeal to me|doesn't do it for me|leaves me cold|won't do|is a no)",
            "(something other than|anything but|I'd like an alternative to|what else is there besides|show me others than) {p}",
            "(I don't want|I don't fancy|I don't feel like|I'm not taking|I'm not keen on|I don't care for) {p}",
        ),
        sharp=("not {p}", "(no|nope), not {p}", "{p}: no", "(no|nope)(, next|, another|, something else|, not that|)"),
        angry=("(I said no|no means no|absolutely not)(| to {p})",),
    ),
}
REJECT["none"] = REJECT["no_reason"]

HESITATE: Final = Block(
    common=(
        "I (can't decide|can't make up my mind|am torn|hesitate|waver|am undecided) {on} {ps}",
        "(I'm not sure about|I'm in two minds about|I'm unsure about|I keep wondering about) {ps}",
        "{ps}(, I can't decide| - hard to choose|, I'm not sure|, I don't know|, tricky|, let me think about it)",
        "(hard to choose with|it's difficult with|I need to think about|I have doubts about|I'm hesitating over) {ps}",
        "(maybe|perhaps|possibly) {ps}, (maybe not|but I'm not sure|I don't know|can't say yet|undecided still)",
    ),
    warm=("(so tempting|both heart and head argue|what a dilemma|I'm spoilt for choice): {ps}, I can't decide",),
    sharp=("{ps}, (not sure|can't decide|I don't know|undecided)", "(not sure about|undecided on|doubts about) {ps}"),
)
HESITATE_OPEN: Final = Block(
    common=(
        "I (can't decide|can't make up my mind|am torn|hesitate|waver|am undecided|dither)(| yet| here| just now| at the moment)",
        "(I'm not sure|I'm in two minds|I'm unsure|I have doubts|I'm hesitating)(| about this| about that| still| what to take)",
        "(so many|too many|all these|quite a few) (options|choices|possibilities|alternatives)(, hard to choose|, I can't decide)",
        "(let me|I need to|I should|I have to) (think it over|sleep on it|weigh this up|ponder this|mull it over)",
        "(hard to|difficult to|tricky to|not easy to) (choose|decide|pick|say|tell)(| from these| between them| right away|)",
    ),
    warm=("(what a dilemma|spoilt for choice|such riches|decisions, decisions), (I can't decide|I'm torn|I waver)",),
    sharp=("(not sure|can't decide|undecided|doubtful|unsure)(| yet| still|)", "(hard|difficult|tricky) to (choose|decide|say)"),
)

COMPARE: Final = Block(
    common=(
        "(what's|what is|tell me|where lies|explain) the difference between {ps}(| in the end| exactly)?",
        "(how|in what way) (do|does) {ps} (compare|differ)?",
        "(can|could|would) you (compare|weigh up|contrast|put side by side) {ps}(| for me)?",
        "(which is better|which one is better|what would you pick|which one wins|which has the edge), {ps}?",
        "(I'd like a comparison of|please compare|let's compare|I want to compare|set against each other) {ps}",
    ),
    warm=("(would you be so kind to compare|I'd love a comparison of|help me compare) {ps}",),
    sharp=("compare {ps}", "{ps}: (difference|which is better)?", "(difference between|which is better,) {ps}?"),
)
COMPARE_OPEN: Final = Block(
    common=(
        "(what's|what is|tell me|explain|where lies) the (difference|main difference|real difference) (here|between them|between these)?",
        "(how|in what way) do (they|these|those|the options) (compare|differ|stack up)?",
        "(can|could|would|will) you (compare|weigh up|contrast|rank) (them|these|those|the options|the candidates) for me?",
        "(which|which one) of (them|these|those|the lot) (is better|is best|wins|has the edge|would you pick)?",
        "(I'd like|give me|I could use|I need) a (comparison|quick comparison|side by side|rundown)(| of them| of these| of those)",
    ),
    sharp=("(compare|contrast) (them|these|those)", "(difference|which is better|which is best)?"),
)
