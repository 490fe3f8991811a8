"""What a language model is shown: rubric in shuffled order, a transcript without names or outcomes, facts to check.

A judge must not see who is judged, nor rewards, nor what was bought unless the dimension is about that. The order of
the rubric's items (and of two systems) is drawn anew for every question from a keyed hash, so that it is blind and the
same in every process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

from supermarket_env.events.episode import Episode
from supermarket_env.llm.quoting import NOTE, quoted
from supermarket_env.scorers.base import replies_of
from supermarket_env.scorers.judge.dimensions import GRADES, RUBRIC, RUBRIC_VERSION
from supermarket_env.scorers.truth import truth_of

Message = dict[str, str]

PROMPT_VERSION: Final = f"2.{RUBRIC_VERSION}"
OUTCOME_DIMENSIONS: Final = frozenset({"overall_satisfaction", "preference_alignment"})
"""Only these may be told what went into the cart."""
MAX_FACTS: Final = 40

_SYSTEM: Final = (
    "You judge a shopping assistant from the transcript of one trip through a supermarket. The user walks and takes "
    "goods; the assistant only talks, shows lists and suggests steps. Judge the assistant, never the user. Rate every "
    "item on its own from 1 to 5 ({grades}). If the transcript gives you nothing to judge an item by, answer null. "
    f"{NOTE} "
    "Reply with one JSON object and nothing else, of the form {form}."
)


def shuffled(items: Sequence[str], *key: object) -> list[str]:
    """Return the items in an order drawn from a key, the same in every process.

    >>> shuffled(["a", "b", "c"], "x", 1) == shuffled(["c", "b", "a"], "x", 1)
    True
    """
    text = "|".join(str(part) for part in key)
    return sorted(items, key=lambda item: hashlib.sha256(f"{text}|{item}".encode()).digest())


def transcript(episode: Episode, *, with_cart: bool = False) -> str:
    """Return the dialogue as numbered lines; without assistant's name, rewards, moods or intents.

    Args:
        episode: The episode.
        with_cart: Tell what was put into the cart and how the trip ended.
    """
    truth = truth_of(episode)

    def name(product: str) -> str:
        number = truth.number(product) if truth is not None else None
        return truth.catalogue.names[number] if truth is not None and number is not None else product

    carts: dict[int, list[str]] = {}
    for event in episode.events:
        if event["k"] == "cart" and event.get("sku"):
            verb = "puts into the cart" if event["op"] == "add" else "puts back"
            carts.setdefault(event["turn"], []).append(
                f"   [the user {verb}: {event.get('qty', 1)} x {name(event['sku'])}]"
            )
    lines = []
    opening = next((e for e in episode.events if e["k"] == "user" and e["turn"] == 0), None)
    if opening is not None and opening.get("text"):
        lines.append(f"0. User: {quoted(opening['text'])}")
    for reply in replies_of(episode):
        lines.append(f"{reply.turn}. Assistant: {quoted(reply.text) if reply.text else '(says nothing)'}")
        if reply.items:
            lines.append("   [list shown: " + "; ".join(name(item) for item in reply.items) + "]")
        if reply.after is not None and reply.after.get("text"):
            lines.append(f"{reply.turn}. User: {quoted(str(reply.after['text']))}")
        if with_cart:
            lines += carts.get(reply.turn, [])
    if with_cart:
        lines.append(f"[end of the trip: {episode.reason}]")
    return "\n".join(lines)


def fact_sheet(episode: Episode) -> str:
    """Return the true facts of the products that were named or shown, empty when the store is not at hand."""
    from supermarket_env.scorers.claims import claims_of

    truth = truth_of(episode)
    if truth is None:
        return ""
    lines = []
    for product in dict.fromkeys(claim.product for claim in claims_of(episode)):
        number = truth.number(product)
        if number is None or not truth.is_carried(number):
            continue
        record = truth.product(number)
        parts = [f"{record.price_cents / 100:.2f} EUR", f"shelf {', '.join(sorted(truth.sections_of(number)))}"]
        parts += sorted(record.attributes | record.diets)
        if truth.catalogue.allergens_known:
            parts.append("contains " + (", ".join(sorted(record.allergens)) or "no allergens"))
        lines.append(f"- {record.name}: {'; '.join(parts)}")
    return "\n".join(lines[:MAX_FACTS])


def rating_prompt(
    episode: Episode, dims: Sequence[str], sample: int, rubric: Mapping[str, str] = RUBRIC
) -> list[Message]:
    """Return the question that asks for ratings of some dimensions.

    Args:
        episode: The episode.
        dims: Names of dimensions; their order in the question is drawn from the episode's id and ``sample``.
        sample: Number of the repetition.
        rubric: What each dimension asks.
    """
    order = shuffled(list(dims), episode.episode_id, sample)
    form = "{" + ", ".join(f'"{dim}": <1-5 or null>' for dim in order) + "}"
    grades = ", ".join(f"{grade} {word}" for grade, word in GRADES.items())
    asked = "\n".join(f"- {dim}: {rubric[dim]}" for dim in order)
    parts = [f"Items to rate:\n{asked}"]
    if "groundedness" in dims:
        parts.append(f"Facts of the store:\n{fact_sheet(episode) or '(none given)'}")
    with_cart = bool(set(dims) & OUTCOME_DIMENSIONS)
    parts.append(f"Transcript:\n{transcript(episode, with_cart=with_cart)}")
    return [
        {"role": "system", "content": _SYSTEM.format(grades=grades, form=form)},
        {"role": "user", "content": "\n\n".join(parts)},
    ]


def pair_prompt(first: Episode, second: Episode, dim: str) -> list[Message]:
    """Return the question which of two transcripts is better on a dimension; asked in both orders by the caller."""
    with_cart = dim in OUTCOME_DIMENSIONS
    system = (
        "You compare two shopping assistants from the transcripts of one trip each. Judge one thing only:\n"
        f"{dim}: {RUBRIC[dim]}\n{NOTE}\n"
        'Reply with one JSON object and nothing else: {"better": "first"}, {"better": "second"} or {"better": "tie"}.'
    )
    body = (
        f"First transcript:\n{transcript(first, with_cart=with_cart)}\n\n"
        f"Second transcript:\n{transcript(second, with_cart=with_cart)}"
    )
    return [{"role": "system", "content": system}, {"role": "user", "content": body}]
