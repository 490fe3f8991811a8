"""Non-repetition by rules: the same question, list, route or words again without a new reason."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any, Final, NamedTuple

from supermarket_env.scorers.base import Score, unscored
from supermarket_env.scorers.judge.grades import at_least_one, by_share
from supermarket_env.scorers.judge.trip import Trip, Turn
from supermarket_env.scorers.truth import words_of

FRESH: Final = (0.4, 0.6, 0.75, 0.86)
STALLED: Final = 5
"""Speaking turns in a row without any effect; each further one keeps to a strategy that does not work."""
MIN_QUESTION: Final = 4
"""Words from which on a question is recognised by its words."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_OPEN: Final = frozenset({"else", "more", "another", "ready"})
"""Words of questions that may come again whenever something has changed."""
MANY_TIMES: Final = 3
"""A way may be shown this many times: one may miss it."""


class Repeats(NamedTuple):
    """What was repeated, by turn."""

    questions: tuple[int, ...]
    lists: tuple[int, ...]
    words: tuple[int, ...]
    routes: tuple[int, ...]
    stalled: tuple[int, ...]

    @property
    def turns(self) -> frozenset[int]:
        """Turns with any repetition."""
        return frozenset(turn for kind in self for turn in kind)


def non_repetition(trip: Trip) -> Score:
    """Grade the share of speaking turns that repeat nothing; a question asked twice costs a point by itself."""
    spoken = [turn for turn in trip.turns if turn.speaks]
    if len(spoken) < 2:
        return unscored("non_repetition", "the assistant spoke less than twice")
    found = find_repeats(trip)
    others = found.turns - set(found.questions)
    grade = by_share(1.0 - len(others) / len(spoken), FRESH) - min(3, len(found.questions))
    counts = ", ".join(f"{len(turns)} {name}" for name, turns in found._asdict().items() if turns)
    words = f"{len(found.turns)} of {len(spoken)} turns repeat something" + (f" ({counts})" if counts else "")
    return Score("non_repetition", at_least_one(grade), explanation=words, is_rating=True)


def find_repeats(trip: Trip) -> Repeats:
    """Return the turns that repeat, by kind. New facts since the last time are a reason to say a thing again."""
    return Repeats(
        tuple(sorted({*_again(trip, _question, times=1), *_again(trip, _asked_words, times=1)})),
        _again(trip, _list, times=1),
        _again(trip, _words, times=1),
        _routes(trip),
        _stalled(trip),
    )


def _again(trip: Trip, key_of: object, *, times: int) -> tuple[int, ...]:
    """Return the turns whose key came at least ``times`` before with the same knowledge of the user's wishes."""
    seen: dict[Hashable, int] = {}
    found = []
    for turn in trip.turns:
        key = key_of(turn)  # type: ignore[operator]
        if key is None:
            continue
        if seen.get(key, 0) >= times:
            found.append(turn.reply.turn)
        seen[key] = seen.get(key, 0) + 1
    return tuple(found)


def _knowledge(turn: Turn) -> Hashable:
    """What the user has made known so far: a change of it is a new reason."""
    return (
        tuple(
            (k, tuple(sorted(need.types | need.wishes | need.diets)), need.brand, need.price_limit)
            for k, need in sorted(turn.needs.items())
        ),
        turn.allergies,
    )


def _question(turn: Turn) -> Hashable | None:
    """A question about one need and attribute; open questions count by what is known since."""
    if turn.act != "ask":
        return None
    need, attribute = turn.slots.get("need"), turn.slots.get("attribute")
    if need:
        return need, attribute
    return (0, attribute, _knowledge(turn), tuple(sorted(turn.carted)))


def _asked_words(turn: Turn) -> Hashable | None:
    """The words of a question, for assistants that ask without saying so in their act."""
    asked = [part for part in _SENTENCE.split(turn.reply.text) if part.rstrip().endswith("?")]
    words = tuple(words_of(asked[0])) if asked else ()
    if len(words) < MIN_QUESTION:
        return None
    return (words, _knowledge(turn), tuple(sorted(turn.carted))) if _OPEN & set(words) else words


def _list(turn: Turn) -> Hashable | None:
    return (turn.reply.items, _knowledge(turn)) if turn.reply.items else None


def _words(turn: Turn) -> Hashable | None:
    """The exact words of a message of some length, unless its question or list is counted already."""
    words = tuple(words_of(turn.reply.text))
    if len(words) < 4 or turn.act == "ask" or turn.reply.items:
        return None
    return words


def _routes(trip: Trip) -> tuple[int, ...]:
    """Turns that suggest the same step still again, with no other suggestion in between."""
    found, run, last = [], 0, None
    for turn in trip.turns:
        suggest = turn.reply.suggest
        if suggest is None:
            continue
        run = run + 1 if suggest["action"] == last else 0
        last = suggest["action"]
        if run >= MANY_TIMES:
            found.append(turn.reply.turn)
    return tuple(found)


def _stalled(trip: Trip) -> tuple[int, ...]:
    """Turns of a long row of speaking turns that led to nothing: nothing answered, chosen, taken or followed."""
    found, run = [], 0
    for turn in trip.turns:
        if not turn.speaks:
            continue
        run = 0 if _led_to_something(turn) else run + 1
        if run > STALLED:
            found.append(turn.reply.turn)
    return tuple(found)


def _led_to_something(turn: Turn) -> bool:
    after = turn.reply.after or {}
    suggest = turn.reply.suggest
    return bool(
        (turn.act == "ask" and turn.reveals)
        or after.get("act") in ("accept", "ask", "request_compare", "thank", "bye")
        or turn.adds
        or (suggest is not None and after.get("action") == suggest["action"] and _is_way(suggest))
    )


def _is_way(suggest: Mapping[str, Any]) -> bool:
    """Whether a suggested step led nearer to what is needed, as far as the log says."""
    progress = suggest.get("progress")
    return not isinstance(progress, int | float) or progress > 0
