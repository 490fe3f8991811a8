"""Patterns of needs and answers. ``{x}`` is a noun phrase (WANT) or a list of wishes (WISH, ANSWER)."""

from __future__ import annotations

from typing import Final

from supermarket_env.user_sim.wording.template import Block

WANT: Final = Block(
    common=(
        "I (need|want|seek|require|fancy) {x}",
        "I'd (like|love|appreciate|go for|be after) {x}",
        "I'm (looking for|after|here for|shopping for|hoping to find|trying to find|hunting for) {x}",
        "(what I need is|what I'm after is|my list says|on my list:|it's about) {x}",
        "(I could do with|I could use|I have to get|I've got to buy|I ought to get|I came for|let me have|get me) {x}",
        "(can|could) you help me (find|get|pick|choose) {x}?",
        "(do you have|have you got|is there|could I get|may I have|any chance of) {x}?",
        "{x} (is on my list|is what I need|is what I want|would be good|would do|is wanted here)",
    ),
    warm=(
        "(I'd be happy with|I would be glad of|it would be lovely to get|I'd be delighted with|I dream of) {x}",
        "(would you help me find|might there be|could you point out|can we look for) {x}?",
        "(today I'd like|let us find|how about finding me|I hope there is) {x}",
    ),
    sharp=("{x}", "I (need|want) {x}", "(get me|find me|just find|show me|give me) {x}", "it's {x} I want", "still {x}"),
    angry=("{x} is (all I want|what I need)", "(I want|I only want|how about) {x}"),
)

BROWSE: Final = Block(
    common=(
        "I (fancy|feel like|want|could eat) {x}",
        "I'm (browsing for|just looking for|in the mood for|curious about|open to) {x}",
        "I (don't know exactly, but|have no clear idea, just|can't say yet, maybe) {x}",
        "(maybe|perhaps|possibly|probably) {x}",
        "(what would you suggest if I want|can you inspire me:|any ideas for|what about) {x}?",
        "(I'd like|I'll look at|let's see|I might take|show me) {x}",
    ),
    warm=("(surprise me with|tempt me with|I would love|treat me to) {x}", "(inspire me:|I trust you with|I'm all ears for) {x}"),
    sharp=("{x}", "(just|simply) {x}", "(show me|find me|I want) {x}"),
)

WISH: Final = Block(
    common=(
        "{x}",
        "(one more thing|another thing|what matters to me|what counts|my wish|note|remember|important|what I want): {x}",
        "(I should say|you should know|I'd add|let me add|keep in mind|mind this|here is what matters): {x}",
        "(preferably|rather|ideally, |if anything, |best would be|make that|the rest:) {x}",
        "(it's|I mean) {x}",
    ),
    warm=("(it would be great:|I would be happy with|lovely would be|a small wish:) {x}",),
    sharp=("{x}", "(I said what I want|listen|note): {x}", "just {x}", "(I want|make it) {x}"),
)

ANSWER: Final = Block(
    common=(
        "{x}",
        "(my answer|for me|as for me|if I may choose|if you ask|since you ask|to answer that|let's say|say|I'd say): {x}",
        "(preferably|rather|ideally, |I think|I suppose|probably best|in that case|then|gladly) {x}",
        "(that would be|make it|let's make it|put down|go with|I'd go with|take it as|best is) {x}",
        "(well spotted|good point|fair question|easy|simple|let me think|good that you ask): {x}",
    ),
    warm=(
        "(how kind to ask|thanks for asking|nice of you to ask|happy to tell you|glad you ask|lovely question): {x}",
        "(with pleasure|of course|certainly|sure thing|naturally|by all means): {x}",
    ),
    sharp=("{x}", "(just|simply|only) {x}", "(well|fine|okay|right|so): {x}", "(I want|make it) {x}"),
    angry=("{x}, (happy now|is that enough|write it down|all right)", "{x}"),
)

YES_ATTRIBUTE: Final = (
    "yes, {f}", "yes, please, {f}", "{f}, yes", "yes, {f} if I can choose", "sure, {f}", "{f} would be good",
    "{f} would be better", "I'd like {it} {f}", "it should be {f}", "I prefer {it} {f}", "yes, I'd rather have {it} {f}",
    "{f} matters to me", "yes, {f} is what I want", "{f}, by preference", "indeed, {f}", "{f} for sure",
)  # fmt: skip
NO_IDEA: Final = (
    "I don't mind", "no preference", "it doesn't matter", "I have no preference there", "it's all the same to me",
    "whatever you have", "anything will do", "I'm easy about that", "no particular wish", "I couldn't say, so anything goes",
    "all fine with me", "I leave that to you", "not important to me", "either way is fine",
)  # fmt: skip
