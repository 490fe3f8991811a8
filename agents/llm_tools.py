"""What a language model may look up as the assistant: what every assistant could read in catalogue and map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from supermarket_env.agents.shelf import Shelf
from supermarket_env.dialogue.view import AssistantView
from supermarket_env.llm.quoting import quoted

TOOLS: Final[Mapping[str, str]] = {
    "search": "products for words: search(oat milk organic)",
    "details": "everything about a product: details(P00123)",
    "where": "where a product or kind stands: where(P00123) or where(flour)",
    "path": "the way there from here: path(P00123)",
    "compare": "products side by side: compare(P00123 P00456)",
}
FOUND: Final = 6
"""Products a search shows."""


class Tools:
    """Look-ups in one store; each returns words and the ids of the products in them."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def call(self, tool: str, query: str, view: AssistantView) -> tuple[str, tuple[str, ...]]:
        """Return what a look-up finds; an unknown tool or product is told in words."""
        made: Mapping[str, Callable[[str, AssistantView], tuple[str, tuple[str, ...]]]] = {
            "search": self._search,
            "details": self._details,
            "where": self._where,
            "path": self._path,
            "compare": self._compare,
        }
        if tool not in made:
            return f"there is no look-up {tool!r:.40}", ()
        return made[tool](query, view)

    def found_for(self, view: AssistantView) -> list[str]:
        """Return the ids of products for what the user last asked for: by words, not for closed needs."""
        for need in reversed(view.heard):
            if need.closed or need.product_type is None:
                continue
            wishes = " ".join(sorted(name.replace("_", " ") for name in need.wanted | need.diet))
            words = f"{need.brand or ''} {wishes} {need.product_type}".strip()
            found = self._carried(view.catalogue.search(words, 4 * FOUND, product_type=need.product_type))
            return [p for p in found if p not in need.rejected][:FOUND]
        return []

    def describe(self, product: str) -> str:
        """Return a product in a line: id, name, price, what its label claims."""
        cat = self.shelf.catalogue
        record = cat.products[cat.by_id[product]]
        labels = ", ".join(sorted(name.replace("_", " ") for name in record.attributes | record.diets))
        return f"{product}: {quoted(record.name)}, {record.price_cents / 100:.2f}{', ' + labels if labels else ''}"

    def _carried(self, numbers: list[int]) -> list[str]:
        return [self.shelf.catalogue.ids[p] for p in numbers if self.shelf.home[p] >= 0]

    def _search(self, query: str, view: AssistantView) -> tuple[str, tuple[str, ...]]:
        found = tuple(self._carried(view.catalogue.search(query, 2 * FOUND))[:FOUND])
        return ("\n".join(self.describe(p) for p in found) or "nothing found"), found

    def _known(self, query: str) -> tuple[str, ...]:
        by_id = self.shelf.catalogue.by_id
        return tuple(dict.fromkeys(word for word in query.replace(",", " ").split() if word in by_id))[:3]

    def _details(self, query: str, view: AssistantView) -> tuple[str, tuple[str, ...]]:
        ids = self._known(query)[:1]
        if not ids:
            return "no such product", ()
        product = self.shelf.catalogue.products[self.shelf.catalogue.by_id[ids[0]]]
        allergens = ", ".join(sorted(product.allergens)) or "none known"
        more = f"brand {product.brand}, {product.size:g} {product.unit}, rated {product.quality}, allergens {allergens}"
        return f"{self.describe(ids[0])}; {more}", ids

    def _section(self, query: str, view: AssistantView) -> tuple[int, tuple[str, ...]]:
        ids = self._known(query)[:1]
        if ids:
            return self.shelf.section_of_product(ids[0]), ids
        number = self.shelf.type_number.get(query.strip().lower())
        return (-1 if number is None else self.shelf.section_of_type(view.node, number)), ()

    def _where(self, query: str, view: AssistantView) -> tuple[str, tuple[str, ...]]:
        section, ids = self._section(query, view)
        if section < 0:
            return "not in this store", ids
        store = self.shelf.store
        return f"shelf {store.section_ids[section]}, {store.section_department[section]}", ids

    def _path(self, query: str, view: AssistantView) -> tuple[str, tuple[str, ...]]:
        section, ids = self._section(query, view)
        if section < 0:
            return "not in this store", ids
        step = self.shelf.step_to_section(view.node, section)
        if not step:
            return "within reach", ids
        return f"{self.shelf.way[view.node][section]} moves, the next one to {step}", ids

    def _compare(self, query: str, view: AssistantView) -> tuple[str, tuple[str, ...]]:
        ids = self._known(query)
        return ("\n".join(self._details(p, view)[0] for p in ids) or "no such product"), ids
