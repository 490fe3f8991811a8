"""An episode as a person reads it: turn by turn words, list, hint, what the user did and would have done."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from supermarket_env.errors import SupermarketError
from supermarket_env.events.episode import Episode

Turn = dict[str, Any]


def transcript(episode: Episode) -> dict[str, Any]:
    """Return an episode as JSON-ready data without what nobody reads.

    Returns:
        ``turns``: a list, one mapping a turn (0 is the opening line) with the keys that apply among turn, say, act,
        claims, items, hint, hint_legal, progress, goal, target, user, user_act, did, did_legal, would, trust,
        irritation, cart, at, sees, faults, meant; ``truth``: what only the evaluator knows, or ``None``; ``end``.
    """
    turns: dict[int, Turn] = {}

    def at(number: int) -> Turn:
        return turns.setdefault(number, {"turn": number})

    for event in episode.events:
        kind = event["k"]
        if kind == "obs":
            at(event["step"]).update({"at": event.get("at"), "sees": event["visible"]})
        elif kind == "assistant":
            false = [claim for claim in event.get("claims") or [] if claim.get("true") is False]
            turn = at(event["turn"])
            turn.update({"act": event.get("act"), "say": event.get("text") or ""})
            if false:
                turn["false_claims"] = false
        elif kind == "recommend":
            at(event["turn"]).setdefault("items", []).extend(event["items"])
        elif kind == "suggest":
            turn = at(event["turn"])
            turn.setdefault("hint", event["action"])
            turn.setdefault("hint_legal", event.get("legal", True))
        elif kind == "goal":
            at(event["turn"]).update({"goal": event.get("goal") or event["target"], "target": event["target"]})
        elif kind == "user":
            turn = at(event["turn"])
            turn.update({"user": event.get("text") or "", "user_act": event.get("act")})
            for key, name in (("action", "did"), ("would", "would"), ("trust", "trust"), ("irritation", "irritation")):
                if event.get(key) is not None:
                    turn[name] = event[key]
            if event.get("legal") is False:
                turn["did_legal"] = False
        elif kind == "cart":
            at(event["turn"]).setdefault("cart", []).append(
                {key: event[key] for key in ("op", "sku", "qty", "price", "why") if event.get(key) is not None}
            )
        elif kind == "fault":
            at(event["turn"]).setdefault("faults", []).append(
                " ".join(str(event[key]) for key in ("who", "kind", "detail") if event.get(key) is not None)
            )
    truth = episode.truth
    for entry in (truth or {}).get("turns") or []:
        if isinstance(entry, dict) and entry.get("turn") in turns:
            turns[entry["turn"]]["meant"] = {key: value for key, value in entry.items() if key != "turn"}
    return {
        "id": episode.episode_id,
        "store": episode.store,
        "turns": [turns[number] for number in sorted(turns)],
        "truth": None if truth is None else _truth(truth),
        "end": {key: value for key, value in episode.end.items() if key != "k" and value is not None},
        "scores": [
            {key: event.get(key) for key in ("judge", "dim", "score", "rater") if event.get(key) is not None}
            for event in episode.events
            if event["k"] == "judge"
        ],
    }


def _truth(truth: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of the truth a reader can use, the long tables of utilities cut to the best three."""
    needs = []
    for position, need in enumerate(truth.get("needs") or []):
        if not isinstance(need, dict):
            continue
        name = str(need.get("id", position))
        utility = (truth.get("utility") or {}).get(name) or {}
        accepted = (truth.get("acceptable") or {}).get(name) or []
        best = sorted((p for p in accepted if p in utility), key=lambda p: (-utility[p], p))[:3]
        kept = ("type", "qty", "weight", "hard", "soft", "brand", "size", "price_limit")
        needs.append(
            {key: need[key] for key in kept if need.get(key) not in (None, "", [], {})}
            | {"accepts": len(accepted), "best": best}
        )
    shown = ("budget", "household_allergens", "persona", "U_star", "tour_m", "optimal_turns", "best_cart")
    violates = {product: why for product, why in (truth.get("violates") or {}).items() if why}
    return {key: truth[key] for key in shown if key in truth} | {"needs": needs, "violates": violates}


def products_of(found: Mapping[str, Any]) -> set[str]:
    """Return the ids of all products a transcript mentions."""
    names: set[str] = set()
    for turn in found["turns"]:
        names.update(turn.get("items", ()))
        names.update(entry["sku"] for entry in turn.get("cart", ()) if entry.get("sku"))
        for action in (turn.get("did"), turn.get("would"), turn.get("hint")):
            product = ((action or {}).get("params") or {}).get("product")
            names |= {product} if isinstance(product, str) else set()
    truth = found["truth"] or {}
    for need in truth.get("needs", ()):
        names.update(need["best"])
    names.update(str(entry[0]) for entry in truth.get("best_cart") or ())
    return names | set(truth.get("violates", ()))


def product_names(catalogue: str | None, ids: Collection[str]) -> dict[str, str]:
    """Return the names of products; those of a catalogue that is not at hand keep their ids and are left out."""
    if catalogue is None:
        return {}
    from supermarket_env.catalogue.load import load_catalogue

    try:
        loaded = load_catalogue(catalogue)
    except (SupermarketError, OSError):
        return {}
    wanted = set(ids)
    return {key: name for key, name in zip(loaded.ids, loaded.names, strict=True) if key in wanted}


def in_words(action: Mapping[str, Any] | None, names: Mapping[str, str]) -> str:
    """Return an action as words, products by name.

    >>> in_words({"type": "add", "params": {"product": "p1", "qty": 2}}, {"p1": "Milk"})
    'add Milk 2'
    """
    if action is None:
        return "nothing"
    values = [names.get(str(value), str(value)) for value in (action.get("params") or {}).values()]
    return " ".join([str(action.get("type")), *values])
