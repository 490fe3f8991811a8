"""Whether a reply of the right kind is right in every particular, as far as the log's truth tells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from supermarket_env.scorers.base import Reply
from supermarket_env.scorers.grade.needs import NeedBook

LOOKED_AT: Final = 5
"""Places of a list in which something fitting must stand."""

REMEDIED: Final = frozenset({"out_of_stock", "not_found", "wrong_directions", "untrue", "over_budget"})
"""Complaints that call for a remedy; the others (repetition, pushing ...) ask the assistant to stop."""

_CENT: Final = 0.005


class Detail(NamedTuple):
    """Whether the particulars fit; None where the log cannot tell."""

    ok: bool | None
    reason: str


def check_detail(
    kind: str, intent: str, slots: Mapping[str, Any], truth: Mapping[str, Any], reply: Reply, book: NeedBook
) -> Detail:
    """Check the particulars of a reply that is in scenario.

    Args:
        kind: Scenario class by which it is in scenario.
        intent: The user's true act.
        slots: The user's slots.
        truth: What was asked and the true answer.
        reply: The reply.
        book: The needs, heard up to the request.

    Returns:
        The verdict with its reason; a reason that starts with "out of scenario" means the kind was wrong after all.
    """
    false = [claim for claim in _claims(reply) if claim.get("true") is False]
    if false:
        return Detail(False, f"states something untrue ({false[0].get('kind')})")
    if kind == "recommend":
        return _recommend(intent, slots, reply, book)
    if kind == "navigate":
        return _navigate(intent, slots, truth, reply, book)
    if kind == "answer":
        return _answer(intent, slots, truth, reply)
    if kind == "compare":
        return _compare(slots, reply)
    if kind == "clarify":
        return _clarify(intent, slots, reply, book)
    if kind == "cart_edit":
        return _cart_edit(slots, reply)
    if kind == "checkout":
        return _checkout(intent, book)
    if intent == "bye":
        return Detail(True, "says goodbye")
    if kind == "chitchat" and intent in ("chat", "thank", "accept"):
        return Detail(True, "talk for talk")
    if kind == "chitchat" and reply.message.get("act") == "acknowledge" and intent == "complain":
        if slots.get("cause") in REMEDIED:
            return Detail(False, "an apology where a remedy was expected")
        return Detail(True, "acknowledges the complaint")
    return Detail(None, f"{kind} in words: needs a reader")


def _claims(reply: Reply) -> list[Mapping[str, Any]]:
    return [claim for claim in reply.message.get("claims") or () if isinstance(claim, Mapping)]


def _ids(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _recommend(intent: str, slots: Mapping[str, Any], reply: Reply, book: NeedBook) -> Detail:
    message_slots = reply.message.get("slots") or {}
    offered = list(reply.items) or _ids(message_slots.get("products"))
    if not offered:
        return Detail(None, "recommends in words alone: needs a reader")
    rejected = set(_ids(slots.get("products"))) if intent == "reject" else set()
    if rejected & set(offered[:LOOKED_AT]):
        return Detail(False, "offers again what was just refused")
    need = book.need_id(message_slots.get("need")) or book.need_id(slots.get("need"))
    asked = book.need_id(slots.get("need"))
    if intent == "accept" and need is not None and need == asked:
        return Detail(None, "out of scenario: the wish was settled already")
    if not book.has_truth:
        return Detail(None, "no truth in the log about what fits: needs a reader")
    forbidden = book.forbidden(offered)
    if forbidden:
        item, broken = next(iter(forbidden.items()))
        return Detail(False, f"{item} breaks {', '.join(broken)}")
    if intent in ("disclose", "answer", "reject") and asked is not None and need is not None and need != asked:
        return Detail(False, "is about another need than the one spoken of")
    targets = [need] if need is not None else book.open_needs()
    fitting = {sku for target in targets for sku in book.acceptable.get(target) or ()}
    if fitting & set(offered[:LOOKED_AT]):
        return Detail(True, "something that fits stands among the first five")
    return Detail(False, "nothing among the first five fits")


def _navigate(intent: str, slots: Mapping[str, Any], truth: Mapping[str, Any], reply: Reply, book: NeedBook) -> Detail:
    answer = truth.get("answer") or {}
    message = reply.message
    if intent == "ask_where":
        sections = set(_ids(answer.get("sections")))
        if not sections:
            return Detail(None, "no true place in the log: needs a reader")
        said = (message.get("slots") or {}).get("value")
        places = {str(said)} if message.get("act") == "inform" and said is not None else set()
        if reply.goal is not None:
            places.add(str(reply.goal["target"]))
        if not places:
            return _by_progress(reply)
        return Detail(True, "the place is right") if places & sections else Detail(False, "the place is wrong")
    if intent in ("disclose", "answer"):
        return _way_to_product(reply, book)
    if reply.goal is not None:
        if reply.goal.get("eligible") is False:
            return Detail(False, "the goal is no place of this store")
        relevant = reply.goal.get("relevant")
        if relevant is not None:
            return Detail(bool(relevant), "leads to an open need" if relevant else "leads away from every open need")
    return _by_progress(reply)


def _way_to_product(reply: Reply, book: NeedBook) -> Detail:
    """A wish answered by the way: right only if it leads to a product, and one that fits."""
    product = (reply.goal or {}).get("product")
    if product is None:
        return Detail(None, "out of scenario: sends on without an answer to the wish")
    if not book.has_truth:
        return Detail(None, "no truth in the log about what fits: needs a reader")
    fits = any(product in (book.acceptable.get(need) or ()) for need in book.acceptable)
    return Detail(fits, "leads to a product that fits" if fits else "leads to a product that does not fit")


def _by_progress(reply: Reply) -> Detail:
    suggest = reply.suggest
    if suggest is None:
        return Detail(None, "a way in words: needs a reader")
    if suggest.get("legal") is False:
        return Detail(False, "suggests something impossible")
    progress = suggest.get("progress")
    if suggest["action"]["type"] == "look":
        return Detail(True, "points at a shelf in view")
    if not isinstance(progress, int | float):
        return Detail(None, "whether the way leads anywhere is not in the log: needs a reader")
    return Detail(progress > 0, "nearer to an open need" if progress > 0 else "no nearer to any open need")


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return bool(one) == bool(other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, abs_tol=_CENT)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return sorted(map(str, one)) == sorted(map(str, other))
    return str(one) == str(other)


def _answer(intent: str, slots: Mapping[str, Any], truth: Mapping[str, Any], reply: Reply) -> Detail:
    said = reply.message.get("slots") or {}
    asked = truth.get("asked") or {}
    if intent != "ask":
        return Detail(True, "a fact that is true") if _claims(reply) else Detail(None, "a fact: needs a reader")
    products = _ids(said.get("products"))
    product = asked.get("product") or next(iter(_ids(slots.get("products"))), None)
    attribute = asked.get("attribute") or slots.get("attribute")
    if product is not None and products and product not in products:
        return Detail(False, "is about another product")
    if attribute and said.get("attribute") and said["attribute"] != attribute:
        return Detail(False, f"tells {said['attribute']} where {attribute} was asked")
    answer = truth.get("answer") or {}
    if "value" in said and "value" in answer:
        fits = _same(said["value"], answer["value"])
        return Detail(fits, "the fact is right" if fits else "the fact is wrong")
    if any(claim.get("true") is True for claim in _claims(reply)):
        return Detail(True, "the fact is right")
    return Detail(None, "an answer in words: needs a reader")


def _compare(slots: Mapping[str, Any], reply: Reply) -> Detail:
    said = reply.message.get("slots") or {}
    attribute = slots.get("attribute")
    if attribute and said.get("attribute") and said["attribute"] != attribute:
        return Detail(False, f"compares {said['attribute']} where {attribute} was asked")
    products, wanted = _ids(said.get("products")), _ids(slots.get("products"))
    if not products:
        return Detail(None, "a comparison in words: needs a reader")
    if not set(wanted) <= set(products):
        return Detail(False, "leaves out a product that was asked about")
    return Detail(len(set(products)) > 1, "compares what was asked" if len(set(products)) > 1 else "one product only")


def _clarify(intent: str, slots: Mapping[str, Any], reply: Reply, book: NeedBook) -> Detail:
    said = reply.message.get("slots") or {}
    attribute, ordinal = str(said.get("attribute") or ""), said.get("need")
    known: Sequence[str] | set[str] = book.said.get(ordinal, set()) if type(ordinal) is int else set()
    if attribute and attribute in known:
        return Detail(None, "out of scenario: asks for what was told already")
    if intent in ("disclose", "answer") and not ordinal:
        need = book.need_id(slots.get("need"))
        if need is not None and book.is_open(need):
            return Detail(None, "out of scenario: a clear wish was left for another question")
    return Detail(True, "asks for something not told yet")


def _cart_edit(slots: Mapping[str, Any], reply: Reply) -> Detail:
    suggest = reply.suggest
    if suggest is None:
        return Detail(None, "a cart change in words: needs a reader")
    if suggest.get("legal") is False:
        return Detail(False, "suggests something impossible")
    product = (suggest["action"].get("params") or {}).get("product")
    wanted = _ids(slots.get("products"))
    if wanted and product not in wanted:
        return Detail(False, "is about another product")
    return Detail(True, "does what was decided")


def _checkout(intent: str, book: NeedBook) -> Detail:
    if intent == "bye":
        return Detail(True, "the checkout, as wished")
    if not book.has_truth:
        return Detail(None, "no truth in the log about open needs: needs a reader")
    if book.open_needs():
        return Detail(None, "out of scenario: the checkout while needs are open")
    return Detail(True, "nothing is left to buy")
