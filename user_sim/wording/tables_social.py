"""Patterns without slots: thanks, small talk and goodbyes. Nothing in them claims anything about the trip."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.tables_words import FINE, GOODBYE, NAME, NICE, POOR
from supermarket_env.user_sim.wording.template import Block

_THANKS = (
    "(thanks|thank you|cheers|many thanks|ta|much obliged|thanks a lot|thanks a million|bless you, thanks|much"
    " appreciated)"
)
_HELP = (
    "(help|advice|work|service|support|guidance|assistance|effort|thinking|teamwork|care|attention|input|counsel"
    "|company|stuff|going"
    "|know-how|patience|kindness|reasoning|commitment)"
)
_MIND = (
    "(look|think|see|wonder|reflect|consider|continue|decide|breathe|focus|proceed|listen|check|muse|carry on|keep"
    " going|read on)"
)
_HOW = (
    "(calmly|slowly|quietly|gladly|simply|briefly|carefully|gently|happily|just|quickly|patiently|properly|first|now"
    "|soon)"
)
_AFTERWARDS = (
    "(then|now|first|next|again|further|onwards|together|quietly|slowly|myself|calmly|instead|meanwhile|shortly"
    "|presently|alone)"
)

THANK: Final = Block(
    common=(
        f"{FINE} {_HELP}, {_THANKS}",
        f"{_THANKS}, {NAME}",
        f"{_THANKS} for (helping|thinking along|listening|bothering|caring|explaining), {NAME}",
        f"that's {FINE} {_HELP}, (thanks|cheers|ta)",
        f"I'm (grateful|thankful|much obliged), {NAME}",
        f"{_THANKS}, {FINE} {_HELP}",
        f"(very|so|most|really|how|truly|jolly|awfully|ever so) {FINE}, {_THANKS}",
        f"I appreciate {FINE} {_HELP}, {NAME}",
        f"{_THANKS}, that's {FINE}",
    ),
    warm=(
        f"you're (a star|a gem|a treasure|wonderful|brilliant|an angel|a lifesaver), {_THANKS}",
        f"(warmest|heartfelt|sincere|a thousand|endless|double|special|hearty) thanks, {NAME}",
        f"{_THANKS} for such {FINE} {_HELP}",
    ),
    sharp=(
        "(right|okay|well|fine|good|noted|sure|alright), (thanks|cheers|thank you|ta)(| then| anyway| I suppose|"
        " regardless)",
        "(thanks|thank you|cheers|ta)(| for that| for trying| anyway| I suppose| regardless| at least| all the same)",
        f"{_THANKS}, {NAME}",
    ),
)  # fmt: skip

CHAT: Final = Block(
    common=(
        f"(let me|I'll|I'd better|I shall|let's|time to|I might|allow me to|I want to|best to) {_MIND} {_AFTERWARDS}",
        f"(let me|I'll|I shall|let's|I'd|we could|I may) {_HOW} {_MIND}",
        f"(okay|alright|right|well|good|fine|understood|noted|uh-huh|I see|got it|fair enough|hm|mm), I'll {_HOW}"
        f" {_MIND}",
        "(shops|shelves|supermarkets|errands|aisles|shopping trips|trolleys|labels|queues|price tags|baskets)"
        " (amuse|tire|puzzle|calm|confuse|charm|bore|cheer|fascinate|distract|delight|please|bewilder|soothe|intrigue)"
        " (me|people|everyone|anybody|somehow|sometimes|always|slightly|greatly|endlessly|indeed|most days|often|a"
        " little|as ever)",
        "(steady|slow|easy|calm|patient|gentle|careful|quiet|unhurried|thorough|cheerful|orderly|leisurely|relaxed)"
        " (shopping|browsing|thinking|looking|choosing|going|planning|walking|pacing|searching)"
        " (helps|pays|works|suits me|wins|does it|is best|feels right|beats rushing|keeps me sane|is my way|never"
        " hurts)",
        f"(no rush|one by one|step by step|all in good time|we'll manage|we'll see|carry on|go ahead|on we go|so be"
        f" it|that's that), {NAME}",
    ),
    warm=(
        f"(nice|lovely|pleasant|good|fun|a joy|a treat|cosy) (to chat|talking|chatting|to have company|shopping),"
        f" {NAME}",
        f"you're {FINE} company, {NAME}",
    ),
    sharp=(
        "(okay|right|hm|well|fine|so|mm|noted|whatever|yes, yes|sure|understood|I see)"
        "(| then|, go on|, and now|, next|, moving along|, carry on|, let's see|, proceed|, continue|, whatever|,"
        " enough|, I heard you)",
        "(let me|I'll|I'd|just let me) (look|think|see|check|continue|listen|decide|breathe)(| now| first| alone|"
        " myself| quietly)",
    ),
    angry=(
        "(oh well|goodness|honestly|good grief|dear me|heavens|ugh|argh), (go on|on we go|carry on|next|move along"
        "|whatever)(| now| then|)",),
)  # fmt: skip

_GO = "(I'm off|I'm leaving|I'm going|off I go|I must go)"
_PAID = "(I've paid|all paid|paid|everything's paid|paid up|that's paid|duly paid|fully paid)"
_TRIP = "(trip|shopping|visit|round|tour|outing|errand|haul|run|session|time|experience)"
_DAY = "(day|evening|time|week|weekend|one|afternoon|night|supper|break|rest|walk)"
_SHOP = "(shop|service|help|trip|visit|business|store|experience|shopping|show|outing|place)"
_EMPTY = "(empty-handed|with nothing|without goods|without anything)"
_ENOUGH = (
    "(I've had enough|my patience is gone|I've run out of patience|I give up|this takes too long|I've lost patience)"
)

BYE: Final[dict[str, Block]] = {
    "": Block(
        common=(
            f"{GOODBYE}, {NAME}",
            f"{GOODBYE}, {NICE} {_DAY}",
            f"{NICE} {_DAY}, {NAME}, {GOODBYE}",
            f"{GOODBYE}, stay {NICE}",
            f"{_GO}, {GOODBYE}, {NAME}",
            f"{_GO}, {NICE} {_DAY}, {NAME}",
        ),
        warm=(f"{FINE} (company|chat|talk), {GOODBYE}, {NAME}",),
        sharp=(f"{GOODBYE}(| then| now|, that's it|, enough)", f"{_GO}(| now| then|, bye|, goodbye)"),
    ),
    "paid": Block(
        common=(
            f"{_PAID}, {GOODBYE}, {NAME}",
            f"{GOODBYE}, {NAME}, {_PAID}",
            f"{NICE} {_TRIP}, {_PAID}, {GOODBYE}",
            f"{_PAID}, {NICE} {_DAY}, {NAME}",
            f"{_PAID}, {NICE} {_TRIP}, {GOODBYE}",
            f"{NICE} {_DAY}, {NAME}, {_PAID}",
            f"{FINE} {_TRIP}, {NAME}, {_PAID}",
            f"{_PAID}, stay {NICE}, {NAME}",
        ),
        warm=(f"{_PAID}, {FINE} (company|chat|teamwork|help|shopping), {GOODBYE}", f"{_PAID}, {NAME}, {NICE} {_DAY}"),
        sharp=(f"{_PAID}, {GOODBYE}", f"{_PAID}, {_GO}", f"{GOODBYE}, {_PAID}"),
    ),
    "paid_early": Block(
        common=(
            f"{_ENOUGH}, (paid for what I have|paid for this much|paid for part), {GOODBYE}, {NAME}",
            f"{POOR} {_SHOP}, (paid for what I have|paid for this much|I paid what I carry), {GOODBYE}",
            f"(I've paid for|I paid for) (what I have|this much|these things), {_ENOUGH}, {_GO}",
        ),
        sharp=(
            "(enough|that's it|no more|I give up), (I paid for what I have|I've paid for this much)(, bye|, goodbye"
            "|, so long|)",),
    ),
    "left": Block(
        common=(
            f"{POOR} {_SHOP}, {_GO} {_EMPTY}",
            f"(this isn't working|nothing for me here|it's no use|no luck), {_GO}, {GOODBYE}, {NAME}",
            f"{GOODBYE}, {NAME}, (I leave|I'm leaving|I walk out) {_EMPTY}",
            f"{POOR} and {POOR}, {_GO}",
        ),
        sharp=(
            f"(forget it|useless|what a waste|no use|hopeless), {_GO}(| now| at once|, bye|, goodbye|, so long)",
            f"{POOR} {_SHOP}, {_GO}",
        ),
        angry=(
            f"(this is a joke|never again|what a shambles|unbelievable|I'm fed up), {_GO}(| now| at once|, bye)",
            f"{POOR}, {POOR} {_SHOP}, {_GO}",
        ),
    ),
    "patience": Block(
        common=(
            f"{_ENOUGH}, {_GO}, {NAME}",
            f"{_GO}, (no more of|tired of|enough of) this {POOR} {_SHOP}",
            f"{GOODBYE}, {NAME}, {_ENOUGH}",
            f"{POOR} {_SHOP}, {_ENOUGH}, {GOODBYE}",
        ),
        sharp=(
            f"(enough|I give up|I've had enough|that's it|no more|I can't be bothered), {_GO}(| now| at once|, bye|,"
            f" goodbye)",
            f"{POOR} {_SHOP}, {_GO}",
        ),
        angry=(
            f"(this is a joke|never again|what a shambles|unbelievable|I'm fed up), {_GO}(| now| at once|, bye)",
            f"{POOR}, {POOR} {_SHOP}, {_GO}",
        ),
    ),
}  # fmt: skip
"""Goodbyes by how the trip ends; see :data:`BYE_OF`."""

BYE_OF: Final = {"checkout": "paid", "patience_checkout": "paid_early", "left": "left", "patience": "patience"}
