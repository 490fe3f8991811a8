"""The five dimensions, what each grade from 1 to 5 means, and how persona consistency is scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DIMENSIONS: Final = ("relevance", "empathy", "naturalness", "proactiveness", "consistency")
"""The five dimensions in the order of every table; in the log they are ``sie.relevance`` ... ``sie.consistency``."""

ANCHORS_VERSION: Final = "shop-1"
"""Version of :data:`ANCHORS`. Adapt the anchors to the tone of your product before use, and rename the version."""

OPTIONAL: Final = frozenset({"empathy"})
"""Dimensions that may not apply to an item: where the user shows no emotion there is none to answer."""

FLOOR: Final = 2.8
"""A dimension mean strictly below this blocks, whatever the total."""

ANCHORS: Final[Mapping[str, Mapping[int, str]]] = {
    "relevance": {
        5: "catches the topic fully and extends it naturally, or answers what was only implied",
        4: "catches the topic, adds little",
        3: "answers the words, misses the point behind them",
        2: "touches the topic but is clearly off what was wanted",
        1: "off the point, or a fallback line again",
    },
    "empathy": {
        5: "sees the emotion and answers it in person ('how annoying, I would be upset too')",
        4: "sees it, with a set phrase ('I understand how you feel')",
        3: "sees it, goes straight on to the task",
        2: "does not notice, deals with the matter only",
        1: "lectures or jokes at a bad feeling",
    },
    "naturalness": {
        5: "no trace of a machine, down to punctuation and pauses",
        4: "natural, now and then a little bookish",
        3: "one can tell it is a machine, but it does not grate",
        2: "a template, the voice of a call centre",
        1: "too stiff to read",
    },
    "proactiveness": {
        5: "the right step at the right time: asks before guessing, adds something related that helps, restarts a talk "
        "that stalls, and stops when declined",
        4: "a fitting step of one kind, a little generic",
        3: "answers what was asked, a routine question at most; guesses nothing",
        2: "a vending machine: leaves vagueness unasked, lets the talk stall, or takes steps that do not help",
        1: "steps in the wrong direction: presumes a wish, pushes on after a no, interrogates",
    },
    "consistency": {
        5: "self-reference, emotional reactions and limits of knowledge all stable, under stress too (rudeness, an "
        "off-topic question, a jump from chat to products)",
        4: "no break, at least two of the three points really put to use",
        3: "the start: no evident break, the persona hardly put to use",
        2: "one clear break (a cool guide says 'dear customer')",
        1: "two breaks or more, or it contradicts what it is or said",
    },
}

MACHINE_SIGNS: Final = (
    "every sentence complete",
    "first, second, finally",
    "polite padding",
    "piled-up adjectives",
)
"""What gives a machine away; printed on the raters' card."""

_HIGHEST_BONUS: Final = 2


def persona_bonus(points_used: int, *, stress_held: bool = False) -> int:
    """Return the bonus of persona consistency.

    Args:
        points_used: How many of the three points (self-reference, emotional reactions, limits of knowledge) the item
            really put to use, 0 to 3.
        stress_held: Whether all stayed stable under a stress probe.

    Returns:
        2 for three points under stress, 1 for at least two points, else 0.

    Raises:
        ValueError: If the number of points is not 0 to 3.
    """
    if points_used not in (0, 1, 2, 3):
        raise ValueError(f"expected 0 to 3 points, got {points_used!r}")
    if points_used == 3 and stress_held:
        return 2
    return 1 if points_used >= 2 else 0


def persona_score(bonus: int, breaks: int) -> int:
    """Return the grade of persona consistency: start at 3, add the bonus or take off the breaks.

    Args:
        bonus: 0, 1 or 2; counts only without a break.
        breaks: Breaks of the persona, 0 or more.

    Returns:
        ``clamp(3 + bonus - breaks, 1, 5)`` with the bonus only when there is no break.

    Raises:
        ValueError: If a number is out of range.

    >>> [persona_score(0, 0), persona_score(1, 0), persona_score(2, 0), persona_score(2, 1), persona_score(0, 3)]
    [3, 4, 5, 2, 1]
    """
    if bonus not in range(_HIGHEST_BONUS + 1):
        raise ValueError(f"expected a bonus of 0, 1 or 2, got {bonus!r}")
    if int(breaks) != breaks or breaks < 0:
        raise ValueError(f"expected breaks of 0 or more, got {breaks!r}")
    return max(1, min(5, 3 + (int(bonus) if breaks == 0 else 0) - int(breaks)))
