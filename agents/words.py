"""The words of the shipped assistants: short sentences that say what the slots say and nothing else.

Each method returns one sentence for one part of a message; a message's text is its sentences joined. Which of a few
phrasings is taken follows from a whole number the caller gives (a turn, say), never from chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from supermarket_env.agents.shelf import Shelf
from supermarket_env.catalogue.schema import Product
from supermarket_env.dialogue.acts import Goal, Suggestion

_QUESTIONS: Final[dict[str, tuple[str, ...]]] = {
    "anything": (
        "What matters to you about the {0}?",
        "Is there anything special you want from the {0}?",
        "What should I look for in the {0}?",
    ),
    "product_type": ("What exactly are you after from {0}?", "Which kind of thing from {0} do you have in mind?"),
    "brand": ("Is there a brand of {0} that you like?", "Do you care about the brand of the {0}?"),
    "size": ("Which size of {0} do you need?", "Should the {0} be small, regular or large?"),
    "quantity": ("How many of the {0} do you need?", "What number of {0} shall it be?"),
    "price_limit": ("Is there a price limit for the {0}?", "How much may the {0} cost at most?"),
    "diet": ("Is there a diet to keep in mind for the {0}?", "Do the {0} have to suit a diet?"),
    "allergy": ("Are there allergies I should know of for the {0}?", "Is there an allergen to avoid in the {0}?"),
}
_WISH_QUESTION: Final = ("Do you want the {0} to be {1}?", "Is it important that the {0} are {1}?")
_OPEN_QUESTIONS: Final = (
    "What else is on your list?",
    "Do you need anything else?",
    "Is there something else you want to get?",
)
_OFFERS: Final = (
    "For the {0} I suggest {1}.",
    "How about this for the {0}: {1}.",
    "As for the {0}, have a look at {1}.",
)
_MORE_OFFERS: Final = (
    "Then perhaps {1} for the {0}.",
    "Another idea for the {0}: {1}.",
    "For the {0} there is also {1}.",
)
_SUBSTITUTES: Final = (
    "Sorry about that. For the {0} you could take {1}.",
    "That is a pity. Instead, for the {0}: {1}.",
)
_CONFIRMS: Final = ("I would go for {0}.", "{0} is a good choice for you.", "My pick is {0}.")
_SORRY: Final = ("Sorry about that.", "I am sorry, I will do better.", "I understand, sorry.")
_CHECKOUTS: Final = ("Then it is time to pay.", "That was all, so you can go and pay.", "We are through, let us pay.")
_GREETINGS: Final = ("Hello! Tell me what you need.", "Good day, how can I help?")
_FIELDS: Final[dict[str, str]] = {
    "price": "price",
    "unit_price": "unit price",
    "quality": "rating",
    "brand": "brand",
    "size": "size",
    "allergens": "allergens",
}


class Words:
    """Sentences about the goods and places of one store."""

    def __init__(self, shelf: Shelf) -> None:
        self._catalogue = shelf.catalogue
        self._store = shelf.store
        self._shelf = shelf
        self._priced: dict[str, str] = {}

    def priced(self, product_id: str) -> str:
        """Return a product's name with its price, as in ``Oat Drink 1 l (2.49 EUR)``."""
        text = self._priced.get(product_id)
        if text is None:
            number = self._catalogue.number(product_id)
            cents = int(self._catalogue.price_cents[number])
            text = self._priced[product_id] = f"{self._catalogue.names[number]} ({cents // 100}.{cents % 100:02d} EUR)"
        return text

    def name(self, product_id: str) -> str:
        """Return a product's full name."""
        return self._catalogue.names[self._catalogue.number(product_id)]

    def ask(self, thing: str, attribute: str, k: int) -> str:
        """Return a question about a need, called ``thing``; an unnamed attribute is asked for by its name."""
        phrasings = _QUESTIONS.get(attribute)
        if phrasings is None:
            return _WISH_QUESTION[k % len(_WISH_QUESTION)].format(thing, attribute.replace("_", " "))
        return phrasings[k % len(phrasings)].format(thing)

    def ask_for_more(self, k: int) -> str:
        """Return the question for further needs."""
        return _OPEN_QUESTIONS[k % len(_OPEN_QUESTIONS)]

    def offer(self, thing: str, items: Sequence[str], k: int, *, again: bool = False) -> str:
        """Return the sentence of a list of at least one product; ``again`` after an earlier list for the need."""
        phrasings = _MORE_OFFERS if again else _OFFERS
        return phrasings[k % len(phrasings)].format(thing, self._listed(items))

    def substitute(self, thing: str, items: Sequence[str], k: int) -> str:
        """Return the sentence of a list that stands in for a sold-out product."""
        return _SUBSTITUTES[k % len(_SUBSTITUTES)].format(thing, self._listed(items))

    def popular(self, items: Sequence[str]) -> str:
        """Return the sentence of a list of best sellers of the whole store."""
        return f"Our best sellers: {self._listed(items)}."

    def inform(self, product: Product, field: str) -> str:
        """Return the truth about one field of a product."""
        return f"{product.name} {_fact(product, field)}."

    def compare(self, products: Sequence[Product], field: str) -> str:
        """Return one field of two or three products side by side."""
        facts = "; ".join(f"{p.name} {_fact(p, field)}" for p in products)
        return f"On {_FIELDS.get(field, field.replace('_', ' '))}: {facts}."

    def confirm(self, product_id: str, k: int) -> str:
        """Return advice for one product."""
        return _CONFIRMS[k % len(_CONFIRMS)].format(self.priced(product_id))

    def sorry(self, k: int) -> str:
        """Return an apology."""
        return _SORRY[k % len(_SORRY)]

    def greet(self, k: int) -> str:
        """Return a greeting."""
        return _GREETINGS[k % len(_GREETINGS)]

    def checkout(self, k: int) -> str:
        """Return the offer to pay."""
        return _CHECKOUTS[k % len(_CHECKOUTS)]

    def way(self, goal: Goal | None, suggest: Suggestion | None, section: int = -1) -> str:
        """Return where the goal is and what to do next; empty when there is neither.

        ``section`` is the shelf that a category goal means from where the user stands.
        """
        place = self._place(goal, section) if goal is not None else ""
        step = self._step(suggest) if suggest is not None else ""
        return f"{place} {step}" if place and step else place or step

    def _listed(self, items: Sequence[str]) -> str:
        texts = [self.priced(item) for item in items]
        return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"

    def _place(self, goal: Goal, section: int) -> str:
        if goal.kind in ("category", "product"):
            what = self.name(goal.id) if goal.kind == "product" else f"The shelf with {goal.id}"
            if goal.kind == "product":
                section = self._shelf.section_of_product(goal.id)
            return f"{what}: {self._store.section_ids[section]}." if section >= 0 else f"Let us find {what}."
        if goal.kind == "landmark":
            return f"Head for {goal.id}."
        return f"Look for shelf {goal.id}."

    def _step(self, suggest: Suggestion) -> str:
        kind = suggest.type
        if kind == "move":
            return f"Please walk to {suggest.arg}."
        if kind == "look":
            return f"Have a look at shelf {suggest.arg}."
        if kind == "inspect":
            return f"Read the label of {self.name(suggest.arg)}."
        if kind == "add":
            return f"Take {suggest.qty} x {self.name(suggest.arg)}."
        if kind == "remove":
            return f"Put back {suggest.qty} x {self.name(suggest.arg)}."
        return {"checkout": "You can pay here.", "leave": "You may leave now.", "wait": "Wait a moment."}[kind]


def _fact(product: Product, field: str) -> str:
    if field == "price":
        return f"costs {product.price_cents // 100}.{product.price_cents % 100:02d} EUR"
    if field == "unit_price":
        unit = {"g": "kilogram", "ml": "litre", "pcs": "piece"}[product.unit]
        return f"comes at {product.unit_price:.2f} a {unit}"
    if field == "quality":
        return "is not rated" if product.quality is None else f"is rated {product.quality:.1f} of 5"
    if field == "brand":
        return f"is made by {product.brand}"
    if field == "size":
        return f"holds {product.size:g} {product.unit}"
    if field == "allergens":
        return f"contains {', '.join(sorted(product.allergens))}" if product.allergens else "names no allergens"
    if field == "product_type":
        return f"belongs to the {product.product_type}"
    if field == "stock":
        return "was on the shelf this morning" if product.stock > 0 else "was not on the shelf this morning"
    if field == "place":
        return f"stands with the {product.product_type}"
    has = field in product.attributes or field in product.diets
    return f"is {'' if has else 'not '}{field.replace('_', ' ')}"
