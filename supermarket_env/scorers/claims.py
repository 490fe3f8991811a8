"""Everything an assistant states about products, prices, places, stock and attributes, checked against the store.

Claims come from the slots of a message, from its list and goal, and from its words
(:mod:`supermarket_env.scorers.claims_text`). A claim that cannot be checked has ``true`` None and counts for nothing.
"""

from __future__ import annotations

from typing import Any

from supermarket_env.events.episode import Episode
from supermarket_env.scorers.base import Reply, plain_event, replies_of
from supermarket_env.scorers.claims_text import text_claims
from supermarket_env.scorers.facts import Claim, Evidence, check
from supermarket_env.scorers.truth import StoreTruth, truth_of


def claims_of(episode: Episode) -> tuple[Claim, ...]:
    """Return all claims of an episode, by turn; equal claims of one turn from slots and text count once.

    Without catalogue and store (a log that does not name them) only the claims written in the log remain.
    """
    truth = truth_of(episode)
    evidence = stock_evidence(episode)
    found: list[Claim] = []
    for reply in replies_of(episode):
        found += claims_of_reply(reply, truth, evidence)
    return tuple(found)


def claims_of_reply(reply: Reply, truth: StoreTruth | None, evidence: Evidence | None = None) -> list[Claim]:
    """Return the claims of one reply; see :func:`claims_of`."""
    shown = evidence or Evidence(frozenset(), frozenset())
    found = [*_slot_claims(reply, truth, shown)]
    if truth is not None:
        found += _list_claims(reply, truth)
        found += _goal_claims(reply, truth)
        found += text_claims(reply, truth, shown)
    once: dict[tuple[Any, ...], Claim] = {}
    for claim in found:
        once.setdefault((claim.kind, claim.product, repr(claim.said)), claim)
    return list(once.values())


def stock_evidence(episode: Episode) -> Evidence:
    """Return what an episode's log shows of stock."""
    taken: set[tuple[str, int]] = set()
    gone: set[tuple[str, int]] = set()
    for event in episode.events:
        kind = event["k"]
        if kind == "cart" and event.get("op") == "add":
            taken.add((str(event.get("sku")), event["turn"]))
        elif kind == "stock" and event["left"] <= 0:
            gone.add((event["sku"], event["turn"]))
        elif kind == "user":
            slots = plain_event(event)["slots"]
            if slots.get("cause") == "out_of_stock":
                gone |= {(product, event["turn"]) for product in slots.get("products", ())}
    return Evidence(frozenset(taken), frozenset(gone))


def _slot_claims(reply: Reply, truth: StoreTruth | None, evidence: Evidence) -> list[Claim]:
    """The claims the environment wrote down, checked anew where the store is at hand, and those only slots hold."""
    found: list[Claim] = []
    logged = reply.message.get("claims")
    for entry in logged if isinstance(logged, list) else ():
        if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
            continue
        kind, product, said = entry["kind"], str(entry.get("product") or ""), entry.get("said")
        known = entry.get("true") if type(entry.get("true")) is bool else None
        checked = check(kind, product, said, truth, evidence, reply.turn) if truth is not None else None
        # What the environment saw of stock at that moment is better than anything read later.
        true = known if kind == "stock" or checked is None else checked
        found.append(Claim(reply.turn, kind, product, said, known if true is None else true, "slots"))
    slots = reply.message.get("slots")
    if found or truth is None or not isinstance(slots, dict) or "value" not in slots:
        return found
    products = slots.get("products")
    if isinstance(products, list) and len(products) == 1 and isinstance(slots.get("attribute"), str):
        kind, product, said = slots["attribute"], str(products[0]), slots["value"]
        true = check(kind, product, said, truth, evidence, reply.turn)
        found.append(Claim(reply.turn, kind, product, said, true, "slots"))
    return found


def _list_claims(reply: Reply, truth: StoreTruth) -> list[Claim]:
    """A list states that its products can be had here."""
    found = []
    for item in dict.fromkeys(reply.items):
        number = truth.number(item)
        found.append(Claim(reply.turn, "product", item, item, number is not None and truth.is_carried(number), "list"))
    return found


def _goal_claims(reply: Reply, truth: StoreTruth) -> list[Claim]:
    """A goal states where something stands: the section it was resolved to, or its id itself."""
    goal = reply.goal
    if goal is None or not isinstance(goal.get("goal"), str):
        return []
    kind, _, name = goal["goal"].partition(":")
    target = goal["target"]
    if kind == "product":
        number = truth.number(name)
        return [
            Claim(reply.turn, "place", name, target, number is not None and target in truth.sections_of(number), "goal")
        ]
    if kind == "category":
        return [Claim(reply.turn, "place", name, target, target in truth.sections_of_type(name), "goal")]
    return [Claim(reply.turn, "place", "", target, target in truth.places, "goal")]
