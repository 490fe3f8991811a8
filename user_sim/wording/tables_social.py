"""Patterns without slots: thanks, small talk and goodbyes. Nothing in them claims anything about the trip."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.tables_words import FINE, GOODBYE, NAME, POOR
from supermarket_env.user_sim.wording.template import Block

_THANKS = "(thanks|thank you|cheers|many thanks|ta|much obliged|thanks a lot|thanks a million|bless you, thanks|much appreciated)"
_HELP = (
    "(help|advice|work|service|support|guidance|assistance|effort|thinking|teamwork|care|attention|input|counsel|company|job|stuff|idea"
    "|thought|answer|going|hint|know-how|patience|kindness)"
)
_MIND = (
    "(look|think|see|wonder|ponder|reflect|consider|continue|decide|breathe|focus|proceed|listen|check|muse|carry on|keep going|read on)"
)
_HOW = "(calmly|slowly|quietly|gladly|simply|briefly|carefully|gently|happily|just|quickly|patiently|properly|first|now|rather|better)"
_AFTERWARDS = "(then|now|first|next|again|further|onwards|together|quietly|slowly|myself|calmly|instead|meanwhile|shortly|presently|alone)"

THANK: Final = Block(
    common=(
        f"{FINE} {_HELP}, {_THANKS}",
        f"{_THANKS} {NAME}",
        f"{_THANKS} for (helping|thinking along|listening|bothering|caring|explaining) {NAME}",
        f"(what|such|that's) {FINE} {_HELP}, (thanks|cheers|ta)",
        f"I'm (grateful|thankful|much obliged), {NAME}",
        f"{_THANKS}, {FINE} {_HELP}",
        f"(very|so|most|really|how|truly|jolly|awfully|ever so) {FINE}, {_THANKS}",
        f"I appreciate {_HELP} like this, {NAME}",
        f"{_THANKS}, that's {FINE}",
    ),
    warm=(
        f"you're (a star|a gem|a treasure|wonderful|brilliant|an angel|a lifesaver), {_THANKS}",
        f"(warmest|heartfelt|sincere|a thousand|endless|double|special|hearty) thanks, {NAME}",
        f"{_THANKS} for such {FINE} {_HELP}",
    ),
    sharp=(
        f"(right|okay|well|fine|good|noted|sure|alright), (thanks|cheers|thank you|ta)(| then| anyway| I suppose| at least| regardless)",
        f"(thanks|thank you|cheers|ta)(| for that| for trying| anyway| I suppose| regardless| at least| all the same)",
        f"{_THANKS} {NAME}",
    ),
)  # fmt: skip

CHAT: Final = Block(
    common=(
        f"(let me|I'll|I'd better|I shall|let's|time to|I might|allow me to|I want to|best to) {_MIND} {_AFTERWARDS}",
        f"(let me|I'll|I shall|let's|I'd|we could|I may) {_HOW} {_MIND}",
        f"(okay|alright|right|well|good|fine|understood|noted|uh-huh|I see|got it|fair enough|hm|mm), I'll {_HOW} {_MIND}",
        "(shops|shelves|supermarkets|errands|aisles|shopping trips|trolleys|labels|queues|price tags|baskets)"
        " (amuse|tire|puzzle|calm|confuse|charm|bore|cheer|fascinate|distract|delight|please|bewilder|soothe|intrigue)"
        " (me|people|everyone|anybody|somehow|sometimes|always|slightly|greatly|endlessly|indeed|most days|often|a little|as ever)",
        "(steady|slow|easy|calm|patient|gentle|careful|quiet|unhurried|thorough|cheerful|orderly|leisurely|relaxed)"
        " (shopping|browsing|thinking|looking|choosing|going|planning|walking|pacing|searching)"
        " (helps|pays|works|suits me|wins|does it|is best|feels right|beats rushing|keeps me sane|is my way|never hurts)",
        f"(no rush|one by one|step by step|all in good time|we'll manage|we'll see|carry on|go ahead|on we go|so be it|that's that), {NAME}",
    ),
    warm=(
        f"(nice|lovely|pleasant|good|fun|a joy|a treat|cosy) (to chat|talking|chatting|to have company|shopping), {NAME}",
        f"you're {FINE} company, {NAME}",
    ),
    sharp=(
        "(okay|right|hm|well|fine|so|mm|noted|whatever|yes, yes|sure|understood|I see)"
        "(| then|, go on|, and now|, next|, moving along|, carry on|, let's see|, proceed|, continue|, whatever|, enough|, I heard you)",
        f"(let me|I'll|I'd|just let me) (just |)(look|think|see|check|continue|listen|decide|breathe)(| now| first| alone| myself| quietly)",
    ),
    angry=(f"(oh well|goodness|honestly|good grief|dear me|heavens|ugh|argh), (go on|on we go|carry on|next|move along|whatever)(| now| then|)",),
)  # fmt: skip

_GO = "(I'm off|I'm leaving|I'm going|off I go|I must go|time to go|that's me done|I'd better go)"
_PAID = "(I've paid|all paid|paid|it's all paid|everything is paid|I have paid|paid and packed|paid up|the bill is paid|that's paid)"

BYE: Final[dict[str, Block]] = {
    "": Block(
        common=(
            f"{GOODBYE} {NAME}",
            f"{GOODBYE} (and|but|oh and|well,) (take care|good luck|keep well|stay well|all the best|best wishes|godspeed), {NAME}",
            f"{_GO} {NAME}, {GOODBYE}",
            f"{_GO}, {GOODBYE} {NAME}",
            f"have a {FINE} (day|evening|time|week|weekend|one|rest of the day), {GOODBYE}",
        ),
        warm=(f"{FINE} (company|chat|talk|meeting you|talking to you), {GOODBYE} {NAME}",),
        sharp=(f"{GOODBYE}(| then| now|, that's it|, enough)", f"{_GO}(| now| then|, bye|, goodbye)"),
    ),
    "paid": Block(
        common=(
            f"{_PAID}, {GOODBYE} {NAME}",
            f"{GOODBYE} {NAME}, {_PAID}",
            f"{FINE} (trip|shopping|visit|round|tour|outing|errand), {_PAID}, {GOODBYE}",
            f"{_PAID}, have a {FINE} (day|evening|time|week|weekend|one), {GOODBYE}",
            f"(shopping done|checkout done|that was the till|done at the till), {GOODBYE} {NAME}",
            f"{_PAID} {NAME}, {_GO}",
        ),
        warm=(f"{_PAID}, {FINE} (company|chat|teamwork|help|shopping with you), {GOODBYE} {NAME}",),
        sharp=(f"{_PAID}, {GOODBYE}", f"{_PAID}, {_GO}", f"{GOODBYE}, {_PAID}"),
    ),
    "paid_early": Block(
        common=(
            f"(I've had enough|that's enough for me|my patience is gone|I stop here|I give up on the rest|enough {POOR} shopping)"
            f", (I've paid for what I have|I paid for what I've got|what I have is paid|paid for this much), {GOODBYE} {NAME}",
            f"(I've paid for|I paid for|I settled) (what I have|what's in the cart|these things|this much|what there is), {_GO} {NAME}",
        ),
        sharp=(f"(enough|I've had enough|that's it|no more), (I paid for what I have|I've paid for this much)(, bye|, goodbye|, so long|)",),
    ),
    "left": Block(
        common=(
            f"{POOR} (luck|trip|visit|round|outing|shopping), {_GO} (empty-handed|with nothing|without buying anything|just like that)",
            f"(this isn't working|nothing for me here|it's no use|that leads nowhere|no luck), {_GO}, {GOODBYE} {NAME}",
            f"{GOODBYE} {NAME}, (I leave|I'm leaving|I walk out) (empty-handed|without anything|with nothing)",
        ),
        sharp=(
            f"(forget it|useless|what a waste|I'm done with this|no use|hopeless), {_GO}(| now| at once|, bye|, goodbye|, so long)",
            f"{POOR} (shop|service|help|trip|visit|business), {_GO}",
        ),
        angry=(
            f"(this is a joke|never again|what a shambles|I've had it|unbelievable|a waste of time|I'm fed up), {_GO}(| now| at once|, bye)",
            f"{POOR}, {POOR} (shop|service|help|trip|visit|business), {_GO}",
        ),
    ),
    "patience": Block(
        common=(
            f"(I've had enough|my patience is gone|I've run out of patience|I give up|this takes too long), {_GO} {NAME}",
            f"{_GO}, (I've had enough of|my patience ends at|no more of|I'm tired of) {POOR} (shopping|trips|searching|errands|rounds)",
            f"{GOODBYE} {NAME}, (I've had enough|my patience is gone|I've lost patience|I give up|it takes too long)",
        ),
        sharp=(
            f"(enough|I give up|I've had enough|that's it|no more|I can't be bothered), {_GO}(| now| at once|, bye|, goodbye)",
            f"{_GO}, (enough|I give up|I've had enough|that's it)(| now| of this|)",
        ),
        angry=(
            f"(this is a joke|never again|what a shambles|I've had it|unbelievable|a waste of time|I'm fed up), {_GO}(| now| at once|, bye)",
            f"{POOR}, {POOR} (shop|service|help|trip|visit|business), {_GO}",
        ),
    ),
}  # fmt: skip
"""Goodbyes by how the trip ends; see :data:`BYE_OF`."""

BYE_OF: Final = {"checkout": "paid", "patience_checkout": "paid_early", "left": "left", "patience": "patience"}
