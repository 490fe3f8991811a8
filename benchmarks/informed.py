"""What could be known: the rule assistant told every need as it is, but not the user's taste for single products.

The utility of a product holds a term of taste that belongs to the product and this user alone; nobody can know it
before the user has looked. Between `rule` and this assistant lies what better listening could gain, between it and
`oracle` what only trying can.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supermarket_env.agents.rule import Rule, _Speech
from supermarket_env.catalogue.schema import ALLERGEN_BIT, ATTRIBUTE_BIT
from supermarket_env.dialogue.view import AssistantView
from supermarket_env.user_sim.config import Mechanisms


class Informed(Rule):
    """Ranks by the true utility of each need, taste left out; talks and guides like the rule assistant."""

    name = "informed"

    def start(self, view: AssistantView) -> None:
        """Refuse: it must be told."""
        raise TypeError("start it with start_privileged(view, truth)")

    def start_privileged(self, view: AssistantView, truth: Mapping[str, Any]) -> None:
        """Begin an episode with the hidden truth of the task."""
        super().start(view)
        self._needs = {kind: need for need in truth["needs"] for kind in need["types"]}
        self._persona = truth["persona"]

    def _list(self, now: Any, need: Any, memo: Any, *, substitute: bool = False) -> _Speech | None:
        true = self._needs.get(need.product_type or "")
        if true is None or memo.lists >= self.config.lists_per_need:
            return super()._list(now, need, memo, substitute=substitute)
        kind = self._shelf.type_number[need.product_type]
        gone = memo.excluded.union(need.rejected)
        fitting = [g for g in self._shelf.of_type(kind) if g.id not in gone and not _breaks(g, true)]
        fitting.sort(key=lambda g: (-self._worth(g, true), g.number))
        items = tuple(g.id for g in fitting[: self.config.list_length])
        if not items:
            return None
        memo.lists += 1
        return _Speech("recommend", "", need.ordinal, items=items)

    def _worth(self, goods: Any, need: Mapping[str, Any]) -> float:
        """Return the expected utility of a product: the rules' formula with taste at its mean, 0."""
        p, persona = Mechanisms(), self._persona
        shares = dict(need["soft"])
        size = sum(shares.values()) / len(shares) if shares else 1.0  # the weight of a size is not logged
        total = sum(shares.values()) + (size if need["size"] else 0.0)
        got = sum(share for name, share in shares.items() if goods.attributes >> ATTRIBUTE_BIT[name] & 1)
        got += size if need["size"] and goods.size == need["size"] else 0.0
        worth = p.u_match * (got / total if total else 1.0) + p.u_quality * goods.quality
        worth -= p.u_price * persona["price_sensitivity"] * goods.relative_price
        if need["brand"] and goods.brand == need["brand"]:
            worth += p.u_brand * persona["brand_loyalty"]
        if need["price_limit"] and goods.price > need["price_limit"]:
            worth -= p.u_limit
        return float(worth)


def _breaks(goods: Any, need: Mapping[str, Any]) -> bool:
    for entry in need["hard"]:
        kind, _, name = entry.partition(":")
        if kind == "allergen" and goods.allergens >> ALLERGEN_BIT[name] & 1:
            return True
        if kind == "diet" and not goods.attributes >> ATTRIBUTE_BIT[name] & 1:
            return True
    return False
