"""Patterns of decisions about offered products. ``{p}`` is a short name in the singular, ``{ps}`` several."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.tables_words import ADV, ADV_ASK, FINE, NAME, VERY
from supermarket_env.user_sim.wording.template import Block

_SKIP: Final = (
    "(I'll skip|I won't take|I'd rather not have|no to|I'll pass on|not|I decline|I'm dropping|count me out for"
    "|forget|leave out|scrap)"
)

ACCEPT: Final = Block(
    common=(
        "(I'll take|I'll have|I'll go for|I'll go with|let's take|let me take|I choose|I pick|make it|put down|add"
        "|buy|pack|grab) {p}",
        "{p} (will do|works|suits|wins|fits|convinces me|pleases me|appeals to me|does nicely|gets my vote|does the"
        " job|it is|it'll be)",
        f"{{p}} (is|sounds|looks|seems) {FINE}",
        "(I'm happy with|I'm fine with|I'd settle for|I decide for|count me in for|yes to|I say yes to|I vote for"
        "|I'm sold on) {p}",
        "{p}(, please|, then|, why not|, that'll do|, good|, agreed|, sold|, deal|, yes|, gladly|, happily|, done|,"
        " perfect|, sure)",
        "(my choice|the winner|settled|decided|decision made|the best|my pick|verdict|chosen|agreed|deal): {p}",
        f"I {ADV} (like|fancy|prefer|choose|favour|want|approve of|go for) {{p}}",
    ),
    warm=(
        "{p} (is perfect|sounds lovely|is just right|is a great find|would be wonderful|delights me|makes my day"
        "|hits the spot)",
        "(I love|I really like|I'm delighted with|I gladly take|what a good idea,|hooray for|thumbs up for|yes"
        " please,) {p}",
    ),
    sharp=(
        "{p}",
        "{p}(, fine|, then|, okay|, sure|, done)",
        "(I'll take|just take|give me|okay,|fine,|take|add) {p}",
        "{p} will do",
    ),
    angry=("(give me|I'll take|just take) {p}(, and let's move on|, just to be done|, at last)",),
)
ACCEPT_IT: Final = Block(
    common=(
        "(I'll take|I'll have|let's take|let me take|I'll go for|I'll go with|I choose|buy|pack|add) (it|that|that"
        " one|this one)",
        f"(that|this|that one|it) (is|sounds|looks|seems) {FINE}",
        "(that|this|that one|it) (will do|suits me|works for me|fits|does it|wins|convinces me|pleases me|appeals to"
        " me)",
        f"(yes|sure|okay|agreed|fine|alright|deal|sold|gladly), {NAME}",
        "(I'm happy with|I'm fine with|I say yes to|I agree with|I go along with|nothing against) (that|this|it|that"
        " one)",
        f"I {ADV} (like|fancy|want|approve of|agree with) (it|that|this|that one)",
    ),
    warm=(
        "(that|this|it) (is perfect|sounds lovely|is just right|is a great find|would be wonderful|makes me happy"
        "|delights me)",
        "(I love|I really like|I gladly take|what a find,|thumbs up for) (that|this|it|that one)",
    ),
    sharp=("(yes|okay|fine|sure|right|agreed)", "(that|it|this)(, fine|, then| will do| is okay)", "I'll take it"),
)

REJECT: Final[dict[str, Block]] = {
    "price": Block(
        common=(
            f"{{p}} is {VERY} (too expensive|too dear|too pricey|overpriced|too costly|beyond what I'd spend|steep)",
            "{p} (costs too much|costs more than I like|is over what I'd pay|has too high a price|eats too much money)",
            f"{_SKIP} {{p}}(, too dear|, the price is too high|, it's too costly|, too pricey|, too expensive|,"
            f" overpriced)",
            "(the price of|the price tag on|the cost of) {p} is (too high|too much|not for me|hard to swallow"
            "|shocking|excessive)",
            "(something|anything|a pack) (cheaper|less costly|less expensive|less dear) than {p}",
        ),
        sharp=(
            "{p}: (too dear|too expensive|overpriced|a rip-off|too costly)",
            "(no|nope|nah), {p}, (too expensive|too dear|too much money)",
        ),
        angry=("{p} (for that price|at that price)(, never|, no way|, you must be joking)",),
    ),
    "brand": Block(
        common=(
            "{p} is (not my brand|the wrong brand|a brand I avoid|not the make I'd choose|no brand for me)",
            f"{_SKIP} {{p}}(, wrong brand|, I don't like the brand|, other brand please|, not my brand|, another"
            f" brand)",
            "(the brand of|the make of|the label on) {p} (isn't for me|puts me off|is not one I want|doesn't"
            " convince me|bores me)",
            f"I {ADV} (want|prefer|need) (another|a different|some other) brand than {{p}}",
        ),
        sharp=(
            "{p}: (wrong brand|not that brand|bad brand)",
            "(no|nope|nah), {p}, (wrong brand|not that brand|another brand)",
        ),
    ),
    "size": Block(
        common=(
            "{p} is (the wrong size|not the size I need|not the right pack size|a size I can't use|an awkward size)",
            f"{_SKIP} {{p}}(, wrong size|, the size is off|, other size please|, not my size|, another size)",
            "(the size of|the pack size of|the pack of) {p} (isn't right|doesn't suit me|is not what I need|is off"
            "|won't fit)",
            f"I {ADV} (want|prefer|need) (another|a different|some other) size than {{p}}",
        ),
        sharp=("{p}: (wrong size|bad size|not that size)", "(no|nope|nah), {p}, (wrong size|not that size|other size)"),
    ),
    "attribute": Block(
        common=(
            f"{{p}} {VERY} (isn't|is not) {{a}}",
            "{p} (isn't|is not|won't do, it's not|can't be called|doesn't count as) {a}",
            f"{_SKIP} {{p}}, (it isn't|it's not|it is not|that's not|not) {{a}}",
            "(the trouble is that|what bothers me:|I see that|sadly,|the catch is that) {p} (isn't|is not) {a}",
            "(I want it|I wish for something|it has to be|I'd like it) {a}, (but|and|yet|whereas) {p} (isn't|is not)",
        ),
        sharp=("{p}: (not|isn't) {a}", "(no|nope|nah), {p}, (not|it isn't|it's not) {a}"),
    ),
    "attribute_unnamed": Block(
        common=(
            "{p} (lacks something I want|misses a feature I need|doesn't have what I look for|has the wrong features)",
            f"{_SKIP} {{p}}(, it lacks something|, a feature is missing|, the features are wrong)",
        ),
        sharp=("{p}: (lacks a feature|wrong features)", "(no|nope), {p}, (it lacks a feature|wrong features)"),
    ),
    "allergen": Block(
        common=(
            "{p} (has|contains|is made with|comes with|holds) {a}(, I can't have that|, that's an allergen|, not"
            " safe|, no good with the allergy)",
            f"{_SKIP} {{p}}(, it contains|, it has|, there's) {{a}}(| in it), (allergy|an allergen|not safe)",
            "(there's|I see|I read) {a} in {p}, (an allergen|which means an allergy|not safe here|that's dangerous"
            "|allergy)",
        ),
        sharp=("{p}: (contains|has) {a}, allergy", "(no|nope|nah), {p}, (it contains|it has) {a}, allergy"),
    ),
    "allergen_unnamed": Block(
        common=(
            f"{{p}} {VERY} (has an allergen|contains an allergen|isn't safe with the allergy|would set off an allergy)",
            f"{_SKIP} {{p}}(, the allergens|, because of the allergy|, it isn't safe to eat|, allergy|, allergens)",
        ),
        sharp=("{p}: (allergens|allergy)", "(no|nope|nah), {p}, (allergens|allergy|not safe)"),
    ),
    "not_what_i_meant": Block(
        common=(
            f"{{p}} is {VERY} (not what I meant|not what I had in mind|something else than I meant|a misunderstanding)",
            "(I didn't mean|I wasn't thinking of|I never meant|I had something other in mind than|who said|I don't"
            " mean) {p}, (a mix-up|wrong idea)",
            "(you misunderstood me|that's a mix-up|we're talking past each other|wrong idea): (not|I don't mean|I"
            " never meant) {p}",
            "{p} (misses the point|isn't the thing I meant|is another thing altogether|was a misunderstanding)",
        ),
        sharp=("{p}: not what I meant", "(no|nope|nah), {p}, (not what I meant|I meant something else|wrong thing)"),
        angry=("are you (listening|even listening|paying attention), not {p}, I meant something else",),
    ),
    "have_it_already": Block(
        common=(
            "{p} (is one I've already got|is already with me|I already have|I have already|is already mine)",
            f"(I've already got|I already have|I have already) {{p}}, {NAME}",
            f"{_SKIP} {{p}}(, I already have it|, I've got that already|, have it already|, already got it|, already"
            f" have that)",
            f"I {ADV} (have|got) {{p}} already",
        ),
        sharp=(
            "{p}: (already got it|have it already)",
            "(no|nope|nah), {p}, (already got that|have that already|I have it already)",
        ),
    ),
    "no_reason": Block(
        common=(
            f"{_SKIP} {{p}}",
            f"{{p}} {VERY} (isn't for me|is not for me|doesn't appeal to me|doesn't tempt me|leaves me cold|won't do"
            f"|is a no)",
            "(something|anything) (other than|but|besides|instead of) {p}",
            "(I don't want|I don't fancy|I don't feel like|I'm not taking|I'm not keen on|I don't care for|I'd leave"
            "|spare me) {p}",
            f"(no|nope|nah), not {{p}}, {NAME}",
        ),
        sharp=(
            "not {p}",
            "(no|nope|nah), not {p}",
            "{p}: no",
            "(no|nope|nah), {p}, (next|another|something else|not for me|pass)",
        ),
        angry=("(I said no|no means no|absolutely not|no way) to {p}", "(no|nope|never), not {p}"),
    ),
}
REJECT["none"] = REJECT["no_reason"]

HESITATE: Final = Block(
    common=(
        f"I {ADV} (can't decide|waver|hesitate|am torn|dither|am undecided|can't choose) {{on}} {{ps}}",
        "(not sure about|in two minds about|unsure about|still wondering about|undecided about|puzzling over"
        "|pondering) {ps}",
        "{ps}(, can't decide|: hard to choose|, not sure|, don't know|: tricky|: undecided|: a dilemma|: doubts|,"
        " unsure|: difficult)",
        "(need to think about|have doubts about|hesitating over|my doubts concern|let me ponder|torn over|wavering"
        " over) {ps}",
        "(maybe|perhaps|possibly|either|conceivably) {ps}, (maybe not|not sure|unsure|can't say yet|undecided|I"
        " don't know|hesitant)",
        f"{{ps}}, {NAME}: (not sure|can't decide|hard to choose|undecided|I waver|I'm torn|tricky to choose)",
    ),
    warm=(
        "(so tempting|what a dilemma|I'm spoilt for choice|both nice|oh the choice): {ps}, (I can't decide|I'm torn"
        "|unsure)",
    ),
    sharp=(
        "{ps}(, not sure|, can't decide|, don't know|: undecided|: hmm, unsure|: tricky)",
        "(not sure about|undecided on|doubts about) {ps}",
    ),
)
HESITATE_OPEN: Final = Block(
    common=(
        f"I {ADV} (can't decide|can't make up my mind|am torn|hesitate|waver|am undecided|dither)(| yet| here| just"
        f" now)",
        "(I'm not sure|I'm in two minds|I'm unsure|I have doubts|I'm hesitating)(| about this| about that| still|"
        " what to take)",
        "(so many|too many|all these|quite a few) (options|choices|possibilities|alternatives)(, hard to choose|, I"
        " can't decide)",
        f"(let me|I need to|I should|I have to) (think it over|sleep on it|weigh this up|ponder this|mull it over),"
        f" {NAME}",
        f"(hard|difficult|tricky|not easy) to (choose|decide|pick|say|tell), {NAME}",
    ),
    warm=("(what a dilemma|spoilt for choice|such riches|decisions, decisions), (I can't decide|I'm torn|I waver)",),
    sharp=(
        "(not sure|can't decide|undecided|doubtful|unsure)(| yet| still|)",
        "(hard|difficult|tricky) to (choose|decide|say)",
    ),
)

_VERB: Final = "(compare|contrast|weigh up|rank|set against each other)"
COMPARE: Final = Block(
    common=(
        "(what's|what is|tell me|explain|define|and) the difference between {ps}?",
        f"how do {{ps}} {ADV_ASK} (compare|differ)?",
        "(can|could|would|will) you (compare|contrast|weigh up|rank) {ps}?",
        "{ps}(, which is better|: which one is better|, what would you pick|: which wins|: difference|, please"
        " compare|: comparison)?",
        "(which is better|which one wins|what's better|which is best): {ps}?",
        "(please|kindly|just|do|let's|quickly|now|once|first|maybe|simply|briefly) (compare|contrast) {ps}",
        f"{{ps}}, {NAME}: (difference|which is better|which wins|compare, please|how do they differ)?",
        "(a comparison of|comparing|compare) {ps}, (please|kindly|thanks|if you can|briefly|ideally|helper|quickly"
        "|in short)",
    ),
    warm=(
        "(would you be so kind to compare|would you mind comparing|may I have a comparison of) {ps}?",
        "(I'd love a comparison of|help me compare|I'd enjoy a comparison of) {ps}",
    ),
    sharp=(
        "compare {ps}",
        "{ps}: (difference|which is better|compare)?",
        "(difference:|which is better,|which wins,) {ps}?",
    ),
)
AGAINST: Final = ("the others", "the rest", "the alternatives", "all others", "the remaining ones", "the other ones")
"""What one single product is compared with."""
COMPARE_OPEN: Final = Block(
    common=(
        "(what's|what is|tell me|explain|where lies) the (difference|main difference|real difference) (here|between"
        " them|between these)?",
        f"how do (they|these|those|the options) {ADV_ASK} (compare|differ|stack up)?",
        f"(can|could|would|will) you {_VERB} (them|these|those|the options|the candidates)?",
        "(which|which one) of (them|these|those|the lot) (is better|is best|wins|has the edge|would you pick)?",
        "(I'd like|give me|I could use|I need) a (comparison|quick comparison|side by side|rundown)(| of them| of"
        " these| of those)",
    ),
    sharp=("(compare|contrast) (them|these|those)", "(difference|which is better|which is best)?"),
)
