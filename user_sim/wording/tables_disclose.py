"""Patterns of needs and answers. ``{x}`` is a noun phrase (WANT) or a list of wishes (WISH, ANSWER)."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.tables_words import ADV, NAME
from supermarket_env.user_sim.wording.template import Block

_NEED: Final = "(need|want|require|fancy|seek)"

WANT: Final = Block(
    common=(
        f"I {ADV} {_NEED} {{x}}",
        "I'd (like|love|appreciate|go for|welcome|enjoy|buy|take) {x}",
        "I'm (looking for|after|here for|shopping for|hoping for|hunting for|seeking|searching for|wanting) {x}",
        "(on my list:|it's about|wanted:|needed:|my errand:|my list says|next:|to buy:|sought:|shopping for) {x}",
        "(I could do with|I could use|I have to get|I've got to buy|I ought to get|I came for|let me have|get me|I"
        " should buy) {x}",
        "(can|could|will|would) you (help me find|find me|get me|locate|suggest|pick|show me) {x}?",
        "(do you have|have you got|is there|could I get|may I have|any chance of|got) {x}?",
        "{x} (would be good|would do|please|if possible|would be nice|is needed|is wanted|is on my list|is what I"
        " need)",
    ),
    warm=(
        "(I'd be happy with|I would be glad of|it would be lovely to get|I'd be delighted with|I dream of|hooray"
        " for) {x}",
        "(would you help me find|might there be|could you point out|can we look for|shall we find) {x}?",
    ),
    sharp=(
        "{x}",
        f"I {ADV} (need|want) {{x}}",
        "(get me|find me|just find|show me|give me|just) {x}",
        "it's {x} I want",
        "{x}, (please|now|quickly|that's it)",
    ),
    angry=("{x} is (all I want|what I need)", "(I want|I only want|how about) {x}"),
)

BROWSE: Final = Block(
    common=(
        f"I {ADV} (fancy|feel like|want|would like) {{x}}",
        "I'm (browsing for|just looking for|in the mood for|curious about|open to|tempted by|dreaming of) {x}",
        "(no clear idea,|I don't know exactly,|open to ideas,|no plan yet,) (maybe|just|perhaps) {x}",
        "(maybe|perhaps|possibly|probably|vaguely|ideally|roughly) {x}",
        "(what would you suggest for|can you inspire me:|any ideas for|what about|how about) {x}?",
        "(I'd like|I'll look at|let's see|I might take|show me|suggest|find me|I'd browse) {x}",
        "{x} (perhaps|maybe|would be nice|would be good|would do|sounds tempting|please)",
    ),
    warm=(
        "(surprise me with|tempt me with|I would love|treat me to) {x}",
        "(inspire me:|I trust you with|I'm all ears for) {x}",
    ),
    sharp=(
        "{x}",
        "(just|simply|only|plainly) {x}",
        "(show me|find me|I want|get me) {x}",
        "{x}, (please|now|quickly|whatever)",
    ),
)

WISH: Final = Block(
    common=(
        "{x}",
        "(one more thing|another thing|what matters to me|what counts|my wish|note|remember|important|what I want):"
        " {x}",
        "(I should say|you should know|I'd add|let me add|keep in mind|mind this|here is what matters): {x}",
        "(by the by|besides|oh and|in detail|to add|more precisely|in other words): {x}",
    ),
    warm=("(it would be great|my dearest wish|a small wish|lovely would be): {x}",),
    sharp=("{x}", "(listen|note|look|mind): {x}"),
)

ANSWER: Final = Block(
    common=(
        "{x}",
        "(my answer|for me|as for me|if I may choose|if you ask|since you ask|to answer that|let's say|I'd say"
        "|answer): {x}",
        "(well spotted|good point|fair question|easy|simple|let me think|good that you ask|good question|easily"
        " told): {x}",
        "(briefly|honestly|truthfully|frankly|plainly|personally|basically|certainly|obviously): {x}",
    ),
    warm=(
        "(how kind to ask|thanks for asking|nice of you to ask|happy to tell you|glad you ask|lovely question): {x}",
        "(with pleasure|of course|certainly|sure thing|naturally|by all means): {x}",
    ),
    sharp=("{x}", "(well|fine|okay|right|so): {x}"),
    angry=("{x}, (happy now|is that enough|write it down|all right)", "{x}"),
)
"""Fits every fact, whole clauses included."""

ANSWER_PHRASE: Final = Block(
    common=(
        "{x}",
        "(preferably|rather|ideally|probably|gladly|best|mostly|surely|definitely|possibly|just|perhaps) {x}",
        "(make it|let's make it|put down|it should be|let's say|best is|note down|it's to be|say|I think) {x}",
        "{x} (please|then|would be good|would do|would suit me|if possible|ideally|I think|sounds right|is best|I'd"
        " say|would be nice)",
        f"{{x}}, {NAME}",
        f"{ADV}, {{x}}",
    ),
    warm=("{x} would be (lovely|wonderful|perfect|splendid|marvellous|great|delightful|super|brilliant)",),
    sharp=("{x}", "(just|simply|only|plainly) {x}", "make it {x}", "{x}, (okay|right|please|that's it)"),
)
"""Fits facts that are said as a phrase: a brand, a size, an attribute, an amount, a price limit."""

YES_ATTRIBUTE: Final = Block(
    common=(
        "(yes|yes please|sure|indeed|yep|absolutely|certainly|of course|gladly), {f}",
        "{f} (would be good|would be better|matters to me|is what I want|for sure|please|if I can choose|is best|is"
        " important to me)",
        f"I'd {ADV} (like|prefer|have|want) {{it}} {{f}}",
        f"{{f}}, {NAME}",
        "(it should be|I prefer {it}|rather|preferably|best) {f}",
    ),
    warm=("{f} would be (lovely|wonderful|perfect|splendid|marvellous|great|delightful|super)",),
    sharp=("(yes|yep|sure|obviously), {f}", "{f}, (yes|please|okay|obviously)"),
)
NO_IDEA: Final = Block(
    common=(
        f"I {ADV} (don't mind|have no preference|don't care|leave that to you|have no wish there)",
        f"it {ADV} (doesn't matter|makes no difference|isn't important)",
        f"(no preference|either way is fine|anything goes|anything will do|all the same to me|whatever you have|up"
        f" to you), {NAME}",
        f"(I'm easy|all fine with me|no particular wish|not important to me|I don't mind), {NAME}",
    ),
    sharp=(
        "(don't mind|no preference|doesn't matter|whatever|anything will do|either way is fine|don't care)(| really|"
        " honestly| at all|)",
    ),
)
