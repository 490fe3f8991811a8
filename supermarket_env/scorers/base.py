"""What every scorer gives: scores or "unscored" with a reason, an explanation, a versioned label, costs.

A :class:`Scorer` reads one finished episode, live at its end or from any log later, and returns a :class:`ScoreSheet`.
A :class:`ReplyScorer` reads one reply in its context. Neither may change what it reads, use any state of an earlier
episode, or draw from a global generator: the same episode always gives the same sheet, so offline equals live.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

from supermarket_env.events.episode import Episode, Event

Value = float | int | str | bool

WORDING_NOTE: Final = "the wording is this project's templates, not the assistant's own"
"""Carried by every score of language where the assistant fills in our sentences."""

TEMPLATE_WRITTEN: Final = frozenset(
    {
        "silent",
        "random",
        "spam",
        "checkout_pusher",
        "popularity",
        "retrieval",
        "rule",
        "rule_tuned",
        "learned",
        "ppo",
        "oracle",
        "rule_no_questions",
        "pager",
        "guide_only",
        "one_item",
        "always_move",
        "near_goal",
        "repeat_until_yes",
        "re_recommender",
        "flatterer",
    }
)
"""Shipped assistants that speak in this project's templates; those backed by a language model do not."""


def wording_note(agent: str) -> str | None:
    """Return the note that scores of an assistant's language must carry, None for assistants with words of their own.

    >>> wording_note("rule") == WORDING_NOTE, wording_note("my_agent")
    (True, None)
    """
    return WORDING_NOTE if agent in TEMPLATE_WRITTEN else None


@dataclass(frozen=True, slots=True)
class Score:
    """One score of one dimension."""

    dim: str
    """Name of what was scored; bare names are the Supermarket dimensions, others have a prefix (``sie.relevance``)."""
    value: Value | None
    """None means unscored, and ``reason`` says why. Never a made-up middle value."""
    reason: str = ""
    """Why there is no value; empty when there is one."""
    explanation: str = ""
    """What the value rests on, in a sentence."""
    is_rating: bool = False
    """Whether the value (1 to 5) goes into the log as a ``judge`` event."""
    rater: str | None = None
    """Who rated, where several did."""
    turn: int | None = None
    """The turn scored, None for the whole episode."""
    notes: tuple[str, ...] = ()

    @property
    def is_scored(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    def as_data(self) -> dict[str, Any]:
        """Return the score as JSON-ready data, empty parts left out."""
        data: dict[str, Any] = {"dim": self.dim, "value": self.value}
        for name in ("reason", "explanation", "rater", "turn"):
            value = getattr(self, name)
            if value not in ("", None):
                data[name] = value
        if self.notes:
            data["notes"] = list(self.notes)
        return data


def unscored(dim: str, reason: str, *, turn: int | None = None, notes: tuple[str, ...] = ()) -> Score:
    """Return a score without a value.

    Raises:
        ValueError: If no reason is given.

    >>> unscored("naturalness", "needs a reader of language").is_scored
    False
    """
    if not reason:
        raise ValueError(f"an unscored {dim!r} needs a reason")
    return Score(dim, None, reason, turn=turn, notes=notes)


@dataclass(frozen=True, slots=True)
class Cost:
    """What the scores of one episode cost; all zero for rules."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = 0.0
    """None when the price is not known."""


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """Everything one scorer says of one episode."""

    scores: tuple[Score, ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    """More to look at, JSON-ready; it must not depend on the clock or the machine."""
    cost: Cost = Cost()

    def value(self, dim: str) -> Value | None:
        """Return the value of the first score of a dimension, None if it is unscored or absent."""
        return next((score.value for score in self.scores if score.dim == dim), None)

    def of(self, dim: str) -> Score | None:
        """Return the first score of a dimension, None if absent."""
        return next((score for score in self.scores if score.dim == dim), None)


@runtime_checkable
class Scorer(Protocol):
    """Scores finished episodes. ``name`` and ``version`` make the name of its file, ``<name>@<version>``."""

    name: str
    version: str
    """Raised whenever the same episode may score otherwise; options that change scores are part of it."""

    def score(self, episode: Episode) -> ScoreSheet:
        """Return the scores of one episode."""


@runtime_checkable
class ReplyScorer(Protocol):
    """Scores one reply in its context."""

    name: str
    version: str

    def score_reply(self, context: Sequence[str], reply: str) -> Score:
        """Return the score of a reply.

        Args:
            context: The utterances before it, oldest first; may be empty.
            reply: The reply's text.
        """


def impl_of(scorer: Scorer | ReplyScorer) -> str:
    """Return the label every score of a scorer carries, ``<name>@<version>``."""
    return f"{scorer.name}@{scorer.version}"


@dataclass(frozen=True, slots=True)
class Reply:
    """One assistant turn in its context, as read from a log."""

    turn: int
    context: tuple[tuple[str, str], ...]
    """(speaker, text) of all non-empty utterances before it, oldest first; speaker is ``user`` or ``assistant``."""
    message: Event
    """The ``assistant`` event."""
    items: tuple[str, ...]
    """The list shown with it (several lists of a turn joined), empty without one."""
    suggest: Event | None
    goal: Event | None
    before: Event | None
    """The ``user`` event it answers (the one of the turn before)."""
    after: Event | None
    """The ``user`` event that answers it, None if the episode broke off."""

    @property
    def text(self) -> str:
        """The words of the reply."""
        return str(self.message.get("text") or "")


_SLOT_TEXTS: Final = ("attribute", "category", "reason", "cause", "emotion")


def plain_event(event: Event) -> Event:
    """Return a message event whose optional fields are of the kinds a reader expects; what is of another kind goes.

    Logs may be written by hand, and only the fields that figures need are checked when they are read.
    """
    made = dict(event)
    for name, default in (("act", None), ("text", ""), ("goal", None)):
        if name in made and not isinstance(made[name], str):
            made[name] = default
    if event["k"] in ("assistant", "user"):
        made["slots"] = _plain_slots(event.get("slots"))
    for name, kind in (("claims", list), ("reveals", list)):
        if name in made and not isinstance(made[name], kind):
            made[name] = []
    action = made.get("action")
    if action is not None:
        usable = isinstance(action, dict) and isinstance(action.get("type"), str)
        params = action.get("params") if usable else None
        made["action"] = {**action, "params": params if isinstance(params, dict) else {}} if usable else None
    return made


def _plain_slots(slots: Any) -> dict[str, Any]:
    if not isinstance(slots, dict):
        return {}
    made = {name: value for name, value in slots.items() if name not in _SLOT_TEXTS or isinstance(value, str)}
    if type(made.get("need", 0)) is not int:
        del made["need"]
    if "products" in made:
        made["products"] = _texts(made["products"])
    if "facts" in made:
        facts = made["facts"] if isinstance(made["facts"], list) else []
        made["facts"] = [plain for fact in facts if (plain := _plain_fact(fact)) is not None]
    return made


def _plain_fact(fact: Any) -> dict[str, Any] | None:
    """Return a told fact, None for what is none: a whole number, a name, and a plain value or a list of names."""
    if not isinstance(fact, dict) or type(fact.get("need")) is not int or not isinstance(fact.get("attribute"), str):
        return None
    value = fact.get("value")
    if isinstance(value, list):
        value = _texts(value)
    elif value is not None and not isinstance(value, str | int | float):
        return None
    many, number = fact["attribute"] in ("diet", "allergy"), fact["attribute"] == "price_limit"
    if value is not None and (
        (many and not isinstance(value, list)) or (number and not isinstance(value, int | float))
    ):
        return None
    return {"need": fact["need"], "attribute": fact["attribute"], "value": value}


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def replies_of(episode: Episode) -> tuple[Reply, ...]:
    """Return the assistant turns of an episode in order, each with its context; empty when the assistant never spoke.

    Several ``assistant`` events of one turn count as one reply: the last one.
    """
    by_turn: dict[int, dict[str, Any]] = {}
    for event in episode.events:
        kind, turn = event["k"], event.get("turn")
        if kind in ("assistant", "recommend", "suggest", "goal", "user") and type(turn) is int:
            place = by_turn.setdefault(turn, {"items": []})
            if kind == "recommend":
                place["items"] += event["items"]
            elif kind in ("suggest", "goal"):
                place.setdefault(kind, plain_event(event))
            else:
                place[kind] = plain_event(event)
    replies: list[Reply] = []
    said: list[tuple[str, str]] = []
    before: Event | None = None
    for turn in sorted(by_turn):
        place = by_turn[turn]
        message, after = place.get("assistant"), place.get("user")
        if message is not None:
            replies.append(
                Reply(
                    turn,
                    tuple(said),
                    message,
                    tuple(place["items"]),
                    place.get("suggest"),
                    place.get("goal"),
                    before,
                    after,
                )
            )
            if message.get("text"):
                said.append(("assistant", str(message["text"])))
        if after is not None:
            if after.get("text"):
                said.append(("user", str(after["text"])))
            before = after
    return tuple(replies)
