"""Patterns without slots: thanks, small talk and goodbyes. Nothing in them claims anything about the trip."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.template import Block

THANK: Final = Block(
    common=(
        "(thanks|thank you|many thanks|cheers|thanks a lot|thank you very much|much obliged|ta|thanks a bunch|a thousand thanks)"
        " (for helping|for the help|for your trouble|for that|for thinking along|for being here|for your time|for the effort)",
        "(thanks|thank you|cheers|much appreciated|I appreciate it|I'm grateful|grateful thanks|thanks a million|bless you),"
        " (that helps|very kind|good to know|well done|nice work|that's useful|helpful indeed|kind of you|very good|most helpful)",
        "(I'm|I am|we are|I feel) (thankful|grateful|much obliged|in your debt|glad you're here, thanks)",
        "(that's|this is|it was) (kind|helpful|nice|decent|thoughtful|good|sweet|clever|useful) (of you|work|advice|to hear), (thanks|thank you|cheers)",
        "(how|so|really|very|most) (kind|helpful|nice|thoughtful|useful|good), (thanks|thank you|many thanks|cheers)",
    ),
    warm=(
        "(you're|you are) (a star|a gem|a treasure|wonderful|brilliant|an angel|a lifesaver|the best), (thanks|thank you|cheers)",
        "(thank you so much|thanks ever so much|warmest thanks|thanks from the heart), (you made my day|what a help|I love it|splendid|great)",
    ),
    sharp=(
        "(thanks|thank you|cheers|ta|right, thanks|okay, thanks|well, thanks|fine, thanks|good, thanks|noted, thanks)"
        "(| then| for that| anyway| I suppose| for trying| all the same| at least| regardless)",
    ),
)  # fmt: skip

CHAT: Final = Block(
    common=(
        "(okay|alright|right|well|good|fine|hm|so|very well|mm|understood|I see|got it|fair enough|noted|uh-huh|I get it|ah|oh)"
        "(, let's see| then|, let me see|, on we go|, carry on|, moving along|, I'm listening|, let's go on|, go ahead|, as you say"
        "|, that's that|, step by step|, one by one|, all in good time|, no rush|, we'll manage|, we'll see)",
        "(let me|I'll|I'd better|I shall|let's|time to) (have a look|see|look around|think|keep going|carry on|look further|check|move along)"
        "(| then| first| now| myself| quietly| a little| here)",
        "(all these|so many|such|quite some|rows of) (shelves|aisles|colours|things|products|labels|goods)(| here| around me| everywhere)",
        "(supermarkets|shops|shelves|shopping trips|errands|aisles) (never change|are what they are|have their charm|can tire one out|go on and on)",
    ),
    warm=(
        "(nice|lovely|pleasant|good|fun) (to chat|talking to you|to have company|shopping like this|to have a helper)",
        "(you're|you are) (good company|fun to shop with|easy to talk to|a cheerful voice)",
    ),
    sharp=(
        "(okay|right|hm|well|fine|so|mm|noted|I see|whatever|yes, yes|sure)(| then|, go on|, and now|, next|, moving along|, carry on|, let's see)",
    ),
    angry=("(oh well|goodness|honestly|good grief|dear me)(|, go on|, what a day|, this is hard work|, on we go)",),
)  # fmt: skip

BYE: Final[dict[str, Block]] = {
    "": Block(
        common=(
            "(bye|goodbye|bye bye|see you|so long|farewell|cheerio|until next time|take care|bye then|bye now|all the best)"
            "(| and take care| and good luck|, have a nice day|, have a good one|, keep well|, good day|, regards|, enjoy the rest of it)",
            "(that's me done|I'm off|I'm going|I'm leaving now|time to go|off I go|I must go)"
            ", (bye|goodbye|bye bye|see you|so long|farewell|take care|cheerio|until next time|bye for now)",
        ),
        warm=("(it was a pleasure|nice talking to you|lovely to meet you), (bye|goodbye|see you|take care|until next time)",),
        sharp=("(bye|goodbye|I'm off|I'm leaving|see you)(| then| now|, that's it)",),
    ),
    "paid": Block(
        common=(
            "(all paid|everything is paid|I've paid|the bill is paid|paid and packed|that's paid|I have paid|it's all paid)"
            ", (bye|goodbye|see you|bye bye|so long|farewell|take care|cheerio|until next time|bye then|I'm off|off I go|all the best)",
            "(bye|goodbye|see you|so long|farewell|cheerio|bye bye|take care|off I go|I'm off)"
            "(, I've paid|, all paid|, the shopping is done|, that was the till|, everything's paid|, checkout done|, paid up|, it's all paid for)",
            "(that's the shopping done|shopping done|that was it|the till is behind me|checkout done|done at the till)"
            "(, bye|, goodbye|, see you|, so long|, farewell|, take care|, cheerio|, off I go|, I'm off)",
        ),
        warm=(
            "(I've paid|all paid), (it was a pleasure|nice shopping with you|lovely trip), (bye|goodbye|see you|take care|until next time)",
        ),
        sharp=("(paid|I've paid|all paid|done and paid)(, bye|, goodbye|, I'm off|, I'm out|, enough)", "(bye|goodbye), (I've paid|paid|that's paid)"),
    ),
    "paid_early": Block(
        common=(
            "(I'll pay for|I paid for|I've paid for|let it be) (what I have|what's in the cart|these things)"
            "(, bye|, goodbye|, see you|, so long|, that's enough, bye|, I've had enough, bye|, I'm off|, I'm going now)",
            "(I've had enough|that's enough for me|my patience is gone|I stop here|I give up on the rest)"
            ", (I've paid for what I have|I paid for what I've got|what I have is paid)(, bye|, goodbye|, so long|, I'm off|)",
        ),
        sharp=("(enough|I've had enough|that's it), (I paid for what I have|I've paid for this much)(, bye|, goodbye|)",),
    ),
    "left": Block(
        common=(
            "(I'm leaving|I'm going|I'll leave it|I'd better go|I'm off|I'll try elsewhere) (without buying anything|empty-handed|with nothing|just like that)"
            "(, bye|, goodbye|, so long|, see you|, farewell|)",
            "(this isn't working|nothing for me here|it's no use|that leads nowhere|no luck)"
            ", (I'm leaving|I'm off|I'm going|goodbye|bye|so long|farewell|I'll go elsewhere)",
            "(bye|goodbye|so long|farewell), (I leave|I'm leaving|I go|I walk out) (empty-handed|without anything|with nothing)",
        ),
        sharp=(
            "(I'm leaving|I'm going|I'm off|I'm out|forget it, I'm leaving)(, bye|, goodbye|, that's it|, enough)(| of this| now|)",
            "(forget it|this is useless|what a waste|enough of this|I'm done with this)(, I'm leaving|, goodbye|, bye|, I'm going|, I'm out)",
        ),
        angry=(
            "(this is a joke|never again|what a shambles|I've had it|unbelievable|a waste of my time|I'm fed up)"
            ", (I'm leaving|goodbye|I'm off|I'm out of here|I'm going|bye)",
        ),
    ),
    "patience": Block(
        common=(
            "(I've had enough|my patience is gone|I've run out of patience|I can't be bothered any more|I give up|this takes too long)"
            ", (I'm leaving|I'm off|goodbye|bye|I'm going|so long|farewell|I'm going home)(| now| at once| empty-handed|)",
            "(I'm leaving|I'm off|goodbye|bye|I'm going|so long|farewell)"
            ", (I've had enough|my patience is gone|I've lost patience|I give up|it takes too long|that's too much)(| for me| by far| today|)",
        ),
        sharp=(
            "(enough|I give up|I've had enough|that's it|no more)(, I'm leaving|, goodbye|, bye|, I'm going|, I'm out)(| now|)",
            "(I'm leaving|I'm going|goodbye|I'm out)(, enough|, I give up|, I've had enough|, that's it)(| now|)",
        ),
        angry=(
            "(this is a joke|never again|what a shambles|I've had it|unbelievable|a waste of my time|I'm fed up)"
            ", (I'm leaving|goodbye|I'm off|I'm out of here|I'm going|bye)",
        ),
    ),
}  # fmt: skip
"""Goodbyes by how the trip ends; see :data:`BYE_OF`."""

BYE_OF: Final = {"checkout": "paid", "patience_checkout": "paid_early", "left": "left", "patience": "patience"}
