"""One reply graded: the request from the user's true intent, the reply from what it says and does, the rest by truth.

Where truth does not decide (the reply is words alone, or nothing in the log says whether a detail is right) a reader
may be asked; without one the turn stays ungraded, with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from supermarket_env.events.episode import Episode, Event
from supermarket_env.scorers.base import Reply, replies_of
from supermarket_env.scorers.grade.details import check_detail
from supermarket_env.scorers.grade.needs import NeedBook
from supermarket_env.scorers.grade.rubric import (
    ACT_CLASS,
    ALSO_ALLOWED,
    COMPLAINT_ALLOWED,
    INTENT_CLASS,
    NOTHING,
    SUGGESTION_CLASS,
    TALK,
    UNKNOWN,
    Grade,
    grade_reply,
    worst_grade,
)
from supermarket_env.scorers.true_turns import true_turns

_HARMFUL_CLAIMS: Final = frozenset({"allergens", "allergen", "allergy", "diet"})


@dataclass(frozen=True, slots=True)
class Request:
    """One thing the user wanted in a turn."""

    intent: str
    """The user's true act."""
    expected: str
    """The scenario class it calls for."""
    allowed: frozenset[str]
    """All classes that serve it."""
    slots: Mapping[str, Any]
    """The user's slots."""
    truth: Mapping[str, Any]
    """What was truly asked and the true answer, empty where the log does not say."""


@dataclass(frozen=True, slots=True)
class ReplyGrade:
    """The grade of one reply."""

    turn: int
    expected: str
    """Scenario class the request calls for."""
    found: str
    """Scenario class of the reply (its main one)."""
    grade: Grade | None
    """None where truth does not decide and nobody was asked."""
    scenario_ok: bool | None
    detail_ok: bool | None
    reason: str
    """What decided, or why nothing did."""
    decided_by: str
    """``truth``, ``reader`` or ``nobody``."""
    harm: bool = False
    """Whether it could hurt: something forbidden offered after the user told, or a false word about allergens."""

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {name: getattr(self, name) for name in self.__slots__}


Reader = Callable[[Request, Reply], "tuple[bool, bool] | None"]
"""Says (scenario_ok, detail_ok) of a reply truth cannot decide; None for no answer."""


@dataclass(slots=True)
class GradedEpisode:
    """The grades of an episode's replies."""

    grades: list[ReplyGrade] = field(default_factory=list)
    without_request: int = 0
    """Replies to a user who had said nothing: there is nothing to grade."""


def grade_episode(episode: Episode, reader: Reader | None = None) -> GradedEpisode:
    """Grade every reply to something the user said.

    Args:
        episode: A finished episode.
        reader: Asked where truth does not decide; None leaves such turns ungraded.

    Returns:
        Grades in order of turns; none where the assistant never spoke or the user never said anything.
    """
    book = NeedBook(episode)
    truths = true_turns(episode)
    cart: dict[int, list[Event]] = {}
    for event in episode.events:
        if event["k"] == "cart":
            cart.setdefault(event["turn"], []).append(event)
    result = GradedEpisode()
    for reply in replies_of(episode):
        before = reply.before
        if before is not None:
            book.hear(before)
            for event in cart.get(reply.turn - 1, ()):
                book.change_cart(event)
        requests = requests_of(before, truths.get(reply.turn - 1), book) if before is not None else []
        if not requests:
            result.without_request += 1
            continue
        graded = [grade_request(request, reply, book, reader) for request in requests]
        result.grades.append(_worst(graded))
    return result


def requests_of(before: Event, truth: Mapping[str, Any] | None, book: NeedBook) -> list[Request]:
    """Return what the user wanted in a turn: one request for each true intent.

    The true intent is the log's (``truth.turns``), else the act of the event. A user without words wants nothing.

    Args:
        before: The ``user`` event.
        truth: Its entry of ``truth.turns``; ``intent`` may be a list of several.
        book: The needs, heard up to here.
    """
    if not before.get("text") and before.get("act") in (None, "chat"):
        return []
    meant = (truth or {}).get("intent") or before.get("act")
    intents = [str(name) for name in meant] if isinstance(meant, list) else [str(meant)] if meant else []
    slots = before.get("slots") or {}
    return [_request(intent, slots, truth or {}, book) for intent in intents]


def _request(intent: str, slots: Mapping[str, Any], truth: Mapping[str, Any], book: NeedBook) -> Request:
    if intent == "answer" and not slots.get("facts") and not slots.get("need"):
        # "Nothing else": the user has no further wish, so the floor is free as after small talk.
        intent = "chat"
    expected = INTENT_CLASS.get(intent, intent)
    allowed = {expected} | ALSO_ALLOWED.get(intent, frozenset())
    need = book.need_id(slots.get("need"))
    if intent in ("disclose", "answer"):
        # The way to a product that fits answers a wish as well as a list does; check_detail looks at the product.
        allowed.add("navigate")
        if book.is_ambiguous(need):
            allowed.add("clarify")
    if intent == "reject" and (slots.get("reason") in (None, "", "none", "no_reason", "not_what_i_meant")):
        allowed.add("clarify")
    if intent == "complain":
        allowed |= COMPLAINT_ALLOWED.get(str(slots.get("cause") or ""), frozenset({"chitchat", "recommend", "answer"}))
    return Request(intent, expected, frozenset(allowed), slots, truth)


def classes_of(reply: Reply) -> tuple[str, ...]:
    """Return the scenario classes of a reply, the main one first.

    The act decides; a list, a goal and a suggested action count besides. Words without an act are ``unknown``; an
    empty message is ``nothing``.
    """
    message = reply.message
    act, text = message.get("act"), reply.text
    found: list[str] = []
    if isinstance(act, str) and act in ACT_CLASS:
        place = act == "inform" and (message.get("slots") or {}).get("attribute") == "place"
        found.append("navigate" if place else ACT_CLASS[act])
    if reply.items:
        found.append("recommend")
    if reply.goal is not None:
        found.append("navigate")
    if reply.suggest is not None:
        found.append(SUGGESTION_CLASS.get(str(reply.suggest["action"]["type"]), "chitchat"))
    if not found:
        if not text:
            return (NOTHING,)
        return ("chitchat",) if act == "chat" else (UNKNOWN,)
    return tuple(dict.fromkeys(found))


def grade_request(request: Request, reply: Reply, book: NeedBook, reader: Reader | None = None) -> ReplyGrade:
    """Grade one reply against one request.

    Args:
        request: What was wanted.
        reply: The reply.
        book: The needs, heard up to the request.
        reader: Asked where truth does not decide.
    """
    classes = classes_of(reply)
    harm = _harm(reply, book)

    def made(scenario: bool | None, detail: bool | None, reason: str, by: str = "truth") -> ReplyGrade:
        grade = None if scenario is None or (scenario and detail is None) else grade_reply(scenario, bool(detail))
        return ReplyGrade(reply.turn, request.expected, classes[0], grade, scenario, detail, reason, by, harm)

    if classes == (NOTHING,):
        if request.expected in TALK or request.intent == "accept":
            return made(True, False, "talk was expected, nothing came")
        if request.intent == "complain" and request.slots.get("cause") == "pushy":
            return made(True, True, "stopped when told it was pushing")
        return made(False, False, "an action or a fact was expected, nothing came")
    if classes == (UNKNOWN,):
        return _ask(request, reader, reply, made, "words alone: needs a reader")
    matching = [name for name in classes if name in request.allowed]
    if not matching:
        return made(False, None, f"{classes[0]} where {request.expected} was called for")
    # A reply in scenario that is said by act or list is held to every particular the log knows of.
    main = request.expected if request.expected in matching else matching[0]
    detail, reason = check_detail(main, request.intent, request.slots, request.truth, reply, book)
    if reason.startswith("out of scenario"):
        return made(False, None, reason)
    if detail is None:
        return _ask(request, reader, reply, made, reason)
    return made(True, detail, reason)


def _ask(
    request: Request, reader: Reader | None, reply: Reply, made: Callable[..., ReplyGrade], reason: str
) -> ReplyGrade:
    answer = reader(request, reply) if reader is not None else None
    if answer is None:
        return made(None, None, reason, "nobody")
    return made(answer[0], answer[1], reason, "reader")


def _harm(reply: Reply, book: NeedBook) -> bool:
    claims = [claim for claim in reply.message.get("claims") or () if isinstance(claim, Mapping)]
    false_claim = any(c.get("true") is False and str(c.get("kind")) in _HARMFUL_CLAIMS for c in claims)
    offered = any(book.warned_of.intersection(broken) for broken in book.forbidden(reply.items).values())
    return false_claim or offered


def _worst(graded: Sequence[ReplyGrade]) -> ReplyGrade:
    """The worst of several requests' grades; an ungraded one counts only when nothing is graded."""
    decided = [row for row in graded if row.grade is not None]
    worst = worst_grade([row.grade for row in decided if row.grade is not None])
    chosen = next((row for row in decided if row.grade == worst), graded[0])
    if any(row.harm for row in graded) and not chosen.harm:
        chosen = ReplyGrade(**{**chosen.as_data(), "harm": True})
    return chosen
