"""Candidate items from logs: every reply with enough context, its stratum, and the tags annotators work with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from supermarket_env.errors import LogError
from supermarket_env.events.episode import Episode, Event
from supermarket_env.scorers.base import Reply, replies_of, wording_note
from supermarket_env.scorers.sie.items import MIN_CONTEXT, Item, Source, Stratum, Turn, item_id
from supermarket_env.scorers.true_turns import true_turns

CONTEXT_TURNS: Final = 4
"""Utterances of context shown to raters, the last ones before the user's message."""

IRRITATED: Final = 0.3
"""Irritation of the simulated user from which its message counts as emotional."""

_VAGUE_FACTS: Final = frozenset({"department", "anything"})
_STRONG: Final = re.compile(
    r"\?!|!{2,}|\b(argh|ugh|good grief|oh no|come on|annoying|annoyed|angry|furious|upset|hate|terrible|awful|worried|"
    r"stressed|frustrat\w+|unbelievable|ridiculous)\b",
    re.IGNORECASE,
)
_FEELING: Final = re.compile(
    r"!|\b(sorry|sad(?:ly)?|pity|delighted|love|wonderful|great|hurrah|hooray|lovely|marvellous|magnificent|splendid|"
    r"thank(?:s| you))\b",
    re.IGNORECASE,
)
_TRAP: Final = re.compile(
    r"[\W_]*(heh|hehe|haha|hm+|hmm+|ok+|okay|meh|eh|so\W*|well\W*|whatever|lol|yeah|\.+|\?+)[\W_]*", re.I
)


def stratum_of(event: Event) -> Stratum:
    """Return the stratum of a user's message, by what it does and how the user feels.

    A complaint comes before an emotion, an emotion before vagueness, vagueness before small talk; everything else is
    a question or a wish before the sale.

    Args:
        event: A ``user`` event; a text without an act is judged by its words alone.
    """
    act, slots, text = event.get("act"), event.get("slots") or {}, str(event.get("text") or "")
    if act == "complain":
        return "complaint"
    irritation = event.get("irritation")
    if _STRONG.search(text) or (isinstance(irritation, int | float) and irritation >= IRRITATED):
        return "emotional"
    facts = [fact for fact in slots.get("facts") or () if isinstance(fact, Mapping)]
    vague = any(fact.get("attribute") in _VAGUE_FACTS or fact.get("value") is None for fact in facts)
    if act == "hesitate" or (act in ("disclose", "answer") and facts and vague):
        return "vague"
    if act == "reject" and slots.get("reason") in (None, "", "none", "no_reason", "not_what_i_meant"):
        return "vague"
    if act in ("chat", "thank", "bye") or (act is None and is_trap(text)):
        return "small_talk"
    return "pre_sale"


def is_trap(text: str) -> bool:
    """Return whether a message is of the kind put in as a trap: a noise that asks for tact, not for an answer.

    >>> is_trap("heh"), is_trap("Where is the milk?")
    (True, False)
    """
    return bool(_TRAP.fullmatch(text.strip()))


def shows_emotion(event: Event) -> bool | None:
    """Return whether the user shows an emotion: True or False where the log says it, None where only words speak.

    Args:
        event: A ``user`` event.
    """
    irritation = event.get("irritation")
    if event.get("act") == "complain":
        return True
    if isinstance(irritation, int | float):
        text = str(event.get("text") or "")
        return irritation >= IRRITATED or bool(_STRONG.search(text) or _FEELING.search(text))
    return None


def candidate_items(episodes: Iterable[Episode], *, system: str | None = None) -> list[Item]:
    """Return every reply that can be rated: the user had said something, and two turns stood before that.

    Replies of several systems to the very same prompt become one item.

    Args:
        episodes: Finished episodes.
        system: Name given to the replies; default each episode's assistant.

    Returns:
        Items in the order of their first reply; empty when no dialogue is long enough.

    Raises:
        LogError: If a text of the log holds half a character.
    """
    found: dict[str, Item] = {}
    for episode in episodes:
        name = episode.agent if system is None else system
        note = wording_note(episode.agent)
        for reply in replies_of(episode):
            prompt = _prompt_of(reply)
            if prompt is None or reply.before is None:
                continue
            context, user = prompt
            key = item_id(context, user)
            source = Source(episode_id=episode.episode_id, turn=reply.turn)
            known = found.get(key)
            _check_texts(episode, reply, (*(text for _, text in context), user, reply.text))
            if known is None:
                found[key] = Item(
                    id=key,
                    stratum=stratum_of(reply.before),
                    turn=reply.turn,
                    context=tuple(Turn(role=role, text=text) for role, text in context),
                    user=user,
                    replies={name: reply.text},
                    sources={name: source},
                    trap=is_trap(user),
                    emotion=shows_emotion(reply.before),
                    notes=(f"{name}: {note}",) if note else (),
                )
            elif name not in known.replies:
                found[key] = known.model_copy(
                    update={
                        "replies": {**known.replies, name: reply.text},
                        "sources": {**known.sources, name: source},
                        "notes": (*known.notes, *((f"{name}: {note}",) if note else ())),
                    }
                )
    return list(found.values())


def _check_texts(episode: Episode, reply: Reply, texts: Iterable[str]) -> None:
    """Refuse texts that no file can hold.

    Raises:
        LogError: Naming the place.
    """
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            place = f"{episode.file}, line {episode.line}, reply of turn {reply.turn}"
            raise LogError(f"{place}: a text with half a character ({error.reason})") from None


def _prompt_of(reply: Reply) -> tuple[list[tuple[str, str]], str] | None:
    """Context and message of a reply, None when the user said nothing or too little stands before."""
    said = reply.before.get("text") if reply.before is not None else ""
    if not said or not reply.context or reply.context[-1] != ("user", str(said)):
        return None
    context = list(reply.context[:-1])
    if len(context) < MIN_CONTEXT:
        return None
    return context[-CONTEXT_TURNS:], str(said)


TAG_COLUMNS: Final = (
    "episode_id",
    "turn",
    "stage",
    "stratum",
    "trap",
    "user_act",
    "user_intent",
    "emotion",
    "irritation",
    "assistant_act",
    "is_silent",
    "has_list",
    "has_suggestion",
    "user_text",
    "assistant_text",
)


def turn_tags(episodes: Iterable[Episode]) -> list[dict[str, Any]]:
    """Return one row of tags for each assistant turn, for annotators to filter, check and add to.

    Args:
        episodes: Finished episodes.

    Returns:
        Rows with the keys :data:`TAG_COLUMNS`; ``user_intent`` is the true one where the log has it.

    Raises:
        LogError: If a text of the log holds half a character, or ``truth.turns`` is no list.
    """
    rows = []
    for episode in episodes:
        intents = _true_intents(episode)
        for reply in replies_of(episode):
            before = reply.before or {}
            text = str(before.get("text") or "")
            _check_texts(episode, reply, (text, reply.text))
            rows.append(
                {
                    "episode_id": episode.episode_id,
                    "turn": reply.turn,
                    "stage": "short" if reply.turn <= 3 else "long" if reply.turn >= 8 else "middle",
                    "stratum": stratum_of(before) if text else "",
                    "trap": is_trap(text) if text else False,
                    "user_act": before.get("act") or "",
                    "user_intent": intents.get(reply.turn - 1) or before.get("act") or "",
                    "emotion": shows_emotion(before) if text else None,
                    "irritation": before.get("irritation"),
                    "assistant_act": reply.message.get("act") or "",
                    "is_silent": not reply.text,
                    "has_list": bool(reply.items),
                    "has_suggestion": reply.suggest is not None,
                    "user_text": text,
                    "assistant_text": reply.text,
                }
            )
    return rows


def _true_intents(episode: Episode) -> dict[int, str]:
    return {number: str(turn["intent"]) for number, turn in true_turns(episode).items() if turn.get("intent")}
