"""Audit checks against the truth: does the user contradict itself or its needs, and does it give anything away?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.dialogue.product_names import name_index
from supermarket_env.user_sim.audit_reading import Reading, Stated, Turn, true_fact
from supermarket_env.user_sim.audit_sheet import Finding

_MIN_NAME_WORDS: Final = 3
_LASTING: Final = frozenset({"brand", "size", "attribute", "allergen", "not_what_i_meant"})
"""Reasons that do not pass: what is turned down for them is not accepted later."""


_CAUSED: Final = frozenset({"pushy", "too_many_questions", "repetition", "irrelevant", "wrong_directions"})


def contradictions(reading: Reading, catalogue: Catalogue | None) -> Iterator[Finding]:
    """Yield what the user said against its needs, or against an earlier answer of its own."""
    yield from _false_facts(reading, catalogue)
    yield from _changed_facts(reading.facts)
    yield from _opinions(reading, catalogue)
    yield from _groundless(reading)


def _false_facts(reading: Reading, catalogue: Catalogue | None) -> Iterator[Finding]:
    for fact in reading.facts:
        need = reading.needs.get(fact.need_id or "")
        if need is None or (fact.attribute == "department" and catalogue is None):
            continue
        department = _departments(catalogue).get(str(need.get("type"))) if catalogue is not None else None
        true = true_fact(need, fact.attribute, department)
        if fact.value != true:
            said, wants = _shown(fact.value), _shown(true)
            yield Finding(fact.turn, f"says {said} for {fact.attribute} of need {fact.need}; its need says {wants}")


def _changed_facts(facts: list[Stated]) -> Iterator[Finding]:
    earlier: dict[tuple[int, str], Stated] = {}
    for fact in facts:
        first = earlier.setdefault((fact.need, fact.attribute), fact)
        if first.value != fact.value:
            said, before = _shown(fact.value), _shown(first.value)
            yield Finding(
                fact.turn, f"says {said} for {fact.attribute} of need {fact.need}, said {before} in turn {first.turn}"
            )


def _opinions(reading: Reading, catalogue: Catalogue | None) -> Iterator[Finding]:
    """A lasting no stays a no, a yes is not followed by a lasting no; nobody accepts what it may not have."""
    rejected: dict[tuple[int, str], Turn] = {}
    accepted: dict[tuple[int, str], Turn] = {}
    violates = (reading.episode.truth or {}).get("violates") or {}
    for turn in reading.turns:
        slots = turn.user_slots
        product = str(next(iter(slots.get("products", ())), ""))
        key = int(slots.get("need") or 0), product
        if turn.user_act == "accept" and product:
            if key in rejected:
                yield Finding(turn.turn, f"accepts {product}, which it turned down in turn {rejected[key].turn}")
            need = reading.needs.get(reading.need_ids.get(key[0], ""))
            broken = [name for name in violates.get(product, ()) if need is None or _is_hard(need, str(name))]
            if broken:
                yield Finding(turn.turn, f"accepts {product}, which breaks its own constraints ({', '.join(broken)})")
            accepted[key] = turn
        elif turn.user_act == "reject" and product and slots.get("reason") in _LASTING:
            if key in accepted:
                yield Finding(turn.turn, f"turns down {product}, which it accepted in turn {accepted[key].turn}")
            rejected[key] = turn
            yield from _untrue_reason(reading, turn, key, catalogue)


def _is_hard(need: Any, name: str) -> bool:
    return any(str(entry).partition(":")[2] == name for entry in need.get("hard", ()))


def _untrue_reason(
    reading: Reading, turn: Turn, key: tuple[int, str], catalogue: Catalogue | None
) -> Iterator[Finding]:
    need = reading.needs.get(reading.need_ids.get(key[0], ""))
    if need is None or catalogue is None or key[1] not in catalogue.by_id:
        return
    product, reason = catalogue.product(key[1]), turn.user_slots.get("reason")
    hard = {str(entry).partition(":")[2] for entry in need.get("hard", ()) if str(entry).startswith("allergen:")}
    holds = {
        "brand": bool(need.get("brand")) and product.brand != need.get("brand"),
        "allergen": not hard.isdisjoint(product.allergens),
    }
    if reason in holds and not holds[str(reason)]:
        yield Finding(turn.turn, f"turns {key[1]} down for its {reason}, which fits need {key[0]}")


def _groundless(reading: Reading) -> Iterator[Finding]:
    """Complaints about what never happened: the message that could have caused them was never sent."""
    budget = (reading.episode.truth or {}).get("budget")
    sent: set[str] = set()
    seen: set[tuple[Any, ...]] = set()
    for turn in reading.turns:
        sent |= _grounds(turn)
        if turn.items or turn.act == "ask":
            key = (turn.act, turn.slots.get("need"), turn.slots.get("attribute"), turn.items)
            sent |= {"repetition"} if key in seen or _same_items(seen, turn) else set()
            seen.add(key)
        cause = str(turn.user_slots.get("cause") or "")
        if turn.user_act != "complain":
            continue
        if cause == "over_budget" and isinstance(budget, int | float) and turn.spent <= budget:
            yield Finding(turn.turn, f"calls itself over budget with {turn.spent:.2f} of {budget:.2f}")
        elif cause in _CAUSED and cause not in sent:
            yield Finding(turn.turn, f"complains of {cause}, for which no message so far gave a cause")


def _grounds(turn: Turn) -> set[str]:
    """Return the causes of complaint a message can give by itself."""
    grounds = set()
    if turn.act == "offer_checkout" or turn.hint[0] in ("checkout", "leave"):
        grounds.add("pushy")
    if turn.act == "ask":
        grounds |= {"too_many_questions", "repetition"}
    if turn.items or turn.goal:
        grounds.add("irrelevant")
    if turn.goal or turn.hint[0] or turn.act in ("inform", "guide"):
        grounds.add("wrong_directions")
    return grounds


def _same_items(seen: set[tuple[Any, ...]], turn: Turn) -> bool:
    return bool(turn.items) and any(key[3] == turn.items for key in seen)


def leaks(reading: Reading, catalogue: Catalogue | None) -> Iterator[Finding]:
    """Yield what the user gave away: products it was not shown, wishes in words it never stated as an act."""
    heard: list[str] = []
    stated: set[str] = set()
    for turn in reading.turns:
        heard.append(turn.text.casefold())
        named = map(str, turn.user_slots.get("products", ()))
        for product in named:
            if product not in turn.known:
                yield Finding(turn.turn, f"names product {product}, which nobody showed")
        for fact in turn.user_slots.get("facts", ()):
            if isinstance(fact.get("value"), str):
                stated.add(fact["value"])
        if turn.user_slots.get("category"):
            stated.add(str(turn.user_slots["category"]))
        if turn.user_text:
            yield from _words_leak(reading, turn, " ".join(heard), stated, catalogue)


def _words_leak(
    reading: Reading, turn: Turn, heard: str, stated: set[str], catalogue: Catalogue | None
) -> Iterator[Finding]:
    text = turn.user_text
    truth = reading.episode.truth or {}
    budget = truth.get("budget")
    if isinstance(budget, int | float) and f"{budget:.2f}" in text and f"{budget:.2f}" not in heard:
        yield Finding(turn.turn, f"gives away its budget of {budget:.2f}")
    for product in _ids(text, truth):
        if product not in turn.known:
            yield Finding(turn.turn, f"writes {product}, a product nobody showed")
    if catalogue is None:
        return
    for mention in name_index(catalogue).find(text):
        names = {catalogue.ids[p] for p in mention.products}
        if mention.words >= _MIN_NAME_WORDS and names.isdisjoint(turn.known):
            name = catalogue.names[mention.products[0]]
            if name.casefold() not in heard:
                yield Finding(turn.turn, f"gives the full name {name!r}, which nobody showed")
    yield from _unstated_wishes(reading, turn, heard, stated, catalogue)


def _ids(text: str, truth: Any) -> list[str]:
    """Return the words of a text that are ids of acceptable products."""
    words = set(re.findall(r"[\w-]+", text))
    lists = truth.get("acceptable") or {}
    targets = {str(product) for products in lists.values() for product in products}
    return sorted(words & targets)


def _unstated_wishes(
    reading: Reading, turn: Turn, heard: str, stated: set[str], catalogue: Catalogue
) -> Iterator[Finding]:
    """Brands and product types of the needs, in words before they were stated as an act (or heard, or shown)."""
    text = turn.user_text.casefold()
    wishes = {str(need["brand"]): "brand" for need in reading.needs.values() if need.get("brand")}
    for need in reading.needs.values():
        names = need.get("types") or [need.get("type")]
        wishes |= {str(name): "product type" for name in names if name}
    hidden = {name: what for name, what in wishes.items() if name not in stated and name.casefold() in text}
    if not hidden:
        return
    shown = [catalogue.product(p) for p in sorted(turn.known) if p in catalogue.by_id]
    allowed = {*stated, *(p.name for p in shown), *(p.brand for p in shown), *(p.product_type for p in shown)}
    for name in sorted(allowed, key=lambda n: (-len(n), n)):
        text = text.replace(name.casefold(), " ")
    for name, what in hidden.items():
        if re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text) and name.casefold() not in heard:
            yield Finding(turn.turn, f"lets slip the {what} {name!r}, which it has not stated")


@lru_cache(maxsize=8)
def _departments(catalogue: Catalogue) -> dict[str, str]:
    return {kind.name: kind.department for kind in catalogue.types}


def _shown(value: Any) -> str:
    return "no preference" if value is None else repr(value)
