"""What a language model is told as the user: its traits and needs in words, the situation, the choices by number.

No product that would serve best is named or marked, and no id of a product occurs. What the assistant and the labels
say stands between marks and is called what it is: other people's words, not orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from supermarket_env.envs.users import UserSeat
from supermarket_env.llm.quoting import NOTE, quoted
from supermarket_env.tasks.task import Need
from supermarket_env.user_sim.llm_choice import Options

PROMPT_VERSION: Final = "2"
Message = dict[str, str]

_RULES: Final = (
    "You play a customer in a supermarket. An assistant in an app talks to you. Stay in character, speak one short "
    "sentence of everyday English. Tell your needs bit by bit, only what is asked or comes up; never recite your list. "
    f"{NOTE}"
)
_TRAITS: Final = (
    ("patience", 18.0, 30.0, "You have little time.", "You have time."),
    ("trust", 0.5, 0.8, "You are wary of advice.", "You trust advice."),
    ("compliance", 0.7, 0.9, "You go your own way.", "You mostly do as suggested."),
    ("talkativeness", 0.3, 0.7, "You say little.", "You like to chat."),
    ("disclosure", 0.25, 0.6, "You tell things only when asked.", "You tell freely what you want."),
    ("price_sensitivity", 0.6, 1.3, "Price hardly matters to you.", "You watch the price."),
    ("temper", 0.3, 0.7, "You stay calm.", "You get annoyed quickly."),
)


def persona_words(persona: dict[str, float]) -> str:
    """Return the traits that stand out, in words.

    >>> persona_words({"patience": 15.0, "trust": 0.65, "temper": 0.9})
    'You have little time. You get annoyed quickly.'
    """
    said = []
    for name, low, high, below, above in _TRAITS:
        value = persona.get(name)
        if value is not None and value < low:
            said.append(below)
        elif value is not None and value > high:
            said.append(above)
    return " ".join(said)


def need_words(need: Need) -> str:
    """Return a need as a line of a shopping list.

    >>> need_words(Need(types=("milk",), qty=2, wants={"organic": 1.0}, price_limit_cents=199))
    '2 x milk, ideally organic, at most 1.99'
    """
    parts = [f"{need.qty} x {' or '.join(need.types)}"]
    parts += [f"must be {name.replace('_', ' ')}" for name in need.diets]
    parts += [f"must not contain {name.replace('_', ' ')}" for name in need.allergens]
    parts += [f"ideally {name.replace('_', ' ')}" for name in need.wants]
    if need.brand:
        parts.append(f"ideally of {need.brand}")
    if need.size:
        parts.append(f"{need.size} size")
    if need.price_limit_cents:
        parts.append(f"at most {need.price_limit_cents / 100:.2f}")
    return ", ".join(parts)


def decision_prompt(seat: UserSeat, options: Options, said: Sequence[tuple[str, str]]) -> list[Message]:
    """Return the question of a turn: what do you do and say?"""
    mentioned, still = set(seat.mentioned), set(seat.open_needs)
    needs = [
        f"{n}. {need_words(need)} ({'done' if n not in still else 'told' if n in mentioned else 'not told yet'})"
        for n, need in enumerate(seat.needs, start=1)
    ]
    cat = seat.catalogue
    items = [
        f"{k}. {quoted(cat.names[cat.by_id[p]])}, {cat.price_cents[cat.by_id[p]] / 100:.2f}"
        for k, p in enumerate(options.items, start=1)
    ]
    system = f"{_RULES}\n{persona_words(seat.persona)}\nYour budget: {seat.budget:.2f}. You need:\n" + "\n".join(needs)
    lines = [f"Assistant: {quoted(heard)}\nYou: {answer or '(nothing)'}" for heard, answer in said]
    lines.append(f"Assistant: {heard_words(seat)}")
    if items:
        lines.append("Products shown (item):\n" + "\n".join(items))
    if seat.cart:
        cart = ", ".join(f"{qty} x {cat.names[cat.by_id[p]]}" for p, qty in seat.cart.items())
        lines.append(f"In your cart ({seat.spent:.2f}): {cart}")
    lines.append("You can (action):\n" + "\n".join(f"{k}. {t}" for k, t in enumerate(options.labels, start=1)))
    lines.append(
        "Answer as JSON: action (number), act (what your words do), item (number of the product they are about, or 0), "
        "need (number of the need they are about, or 0), about (what is told or asked, or none), reason (of a "
        "rejection, or none), say (your words)."
    )
    return [{"role": "system", "content": system}, {"role": "user", "content": "\n".join(lines)}]


def wording_prompt(seat: UserSeat, words: str, said: Sequence[tuple[str, str]]) -> list[Message]:
    """Return the question for other words of the same meaning."""
    system = (
        f"{_RULES}\n{persona_words(seat.persona)}\nYou are given the sentence you are about to say. Say the same in "
        "your own words: keep every product, brand, number and wish, add none, keep yes a yes and no a no."
    )
    lines = [f"Assistant: {quoted(heard)}\nYou: {answer or '(nothing)'}" for heard, answer in said[-1:]]
    lines += [f"Assistant: {heard_words(seat)}", f'Your sentence: "{words}"', 'Answer as JSON: {"say": "..."}']
    return [{"role": "system", "content": system}, {"role": "user", "content": "\n".join(lines)}]


def heard_words(seat: UserSeat) -> str:
    """Return the assistant's words and hint, products by name, unable to close the marks they stand in."""
    message = seat.message
    text = message.text or f"({message.act.replace('_', ' ')})"
    hint, cat = message.suggest, seat.catalogue
    if hint is not None:
        what = cat.names[cat.by_id[hint.arg]] if hint.arg in cat.by_id else hint.arg
        text += f" [hint: {hint.type} {what}]".replace(" ]", "]")
    return quoted(text)
