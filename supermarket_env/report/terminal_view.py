"""A transcript in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from supermarket_env.report.transcript import in_words

WISHES = {"hard": "must be", "soft": "likes", "brand": "brand", "size": "size", "price_limit": "at most"}
"""What a need may ask for besides its type, and how it is said."""


def lines_of(found: Mapping[str, Any], names: Mapping[str, str], *, truth: bool = False) -> Iterator[str]:
    """Yield a transcript line by line.

    Args:
        found: From :func:`supermarket_env.report.transcript.transcript`.
        names: Product names by id.
        truth: Show what only the evaluator knows as well.
    """
    yield found["id"]
    if truth and found["truth"] is not None:
        yield from _truth_lines(found["truth"], names)
    for turn in found["turns"]:
        yield from _turn_lines(turn, names, truth=truth)
    yield f"end: {', '.join(f'{key} {value}' for key, value in found['end'].items())}"
    for score in found["scores"]:
        yield f"score: {' '.join(str(value) for value in score.values())}"


def _turn_lines(turn: Mapping[str, Any], names: Mapping[str, str], *, truth: bool) -> Iterator[str]:
    yield f"-- turn {turn['turn']}"
    if "say" in turn:
        yield f"   assistant [{turn.get('act') or 'none'}] {turn['say']}".rstrip()
    for rank, item in enumerate(turn.get("items", ()), start=1):
        yield f"      {rank}. {names.get(item, item)}"
    if "goal" in turn:
        yield f"      goal: {turn['goal']} at {turn['target']}"
    if "hint" in turn:
        yield f"      hint: {in_words(turn['hint'], names)}" + ("" if turn["hint_legal"] else " (not possible)")
    for claim in turn.get("false_claims", ()):
        product = names.get(str(claim.get("product")), claim.get("product"))
        yield f"      false claim: {claim.get('kind')} of {product} said {claim.get('said')}"
    if "user" in turn:
        yield f"   user [{turn.get('user_act') or 'none'}] {turn['user']}".rstrip()
    if "did" in turn:
        did = in_words(turn["did"], names) + ("" if turn.get("did_legal", True) else " (refused)")
        would = in_words(turn.get("would"), names) if "would" in turn else None
        moved = "" if "hint" not in turn or would is None else (
            "; the same without the hint" if turn["would"] == turn["did"] else f"; without the hint: {would}"
        )  # fmt: skip
        yield f"      did: {did}{moved}"
    for entry in turn.get("cart", ()):
        product = names.get(str(entry.get("sku")), entry.get("sku") or "everything")
        yield f"      cart: {entry['op']} {entry.get('qty', '')} {product} ({entry.get('why', 'no reason logged')})"
    if "at" in turn:
        yield f"      stands at {turn['at']}, sees {', '.join(turn['sees']) or 'nothing'}"
    for fault in turn.get("faults", ()):
        yield f"      FAULT {fault}"
    if truth and "meant" in turn:
        yield f"      (meant: {spelt(turn['meant'], names)})"


def _truth_lines(truth: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    yield f"truth: budget {truth.get('budget')}, best value {truth.get('U_star')}, tour {truth.get('tour_m')} m"
    for need in truth["needs"]:
        wishes = [f"{word} {spelt(need[key], names)}" for key, word in WISHES.items() if key in need]
        yield "   needs " + "; ".join([f"{need.get('qty', 1)} {need.get('type')}", *wishes])
        for place, item in enumerate(need["best"], start=1):
            yield f"      {place}. best of {need['accepts']}: {names.get(item, item)}"
        if not need["best"]:
            yield "      nothing on the shelf will do"
    for entry in truth.get("best_cart") or ():
        yield f"   best cart: {entry[1]} {names.get(str(entry[0]), entry[0])}"
    yield f"   persona: {spelt(truth.get('persona') or {}, names)}"


def spelt(value: Any, names: Mapping[str, str]) -> str:
    """Return nested values as words, products by name and numbers in short.

    >>> spelt({"organic": 0.21234, "diet": ["vegan", "p1"], "asked": {"product": "p1"}}, {"p1": "Milk"})
    'organic 0.21, diet vegan + Milk, asked (product Milk)'
    """
    if isinstance(value, Mapping):
        parts = (
            f"{key} ({spelt(inner, names)})" if isinstance(inner, Mapping) else f"{key} {spelt(inner, names)}"
            for key, inner in value.items()
        )
        return ", ".join(parts)
    if isinstance(value, list | tuple):
        return " + ".join(spelt(inner, names) for inner in value)
    if isinstance(value, float):
        return f"{value:.2f}"
    return names.get(str(value), str(value))
