"""Realistic responses with their context, for measuring the grammar and the parser; drawn from one integer each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from supermarket_env.catalogue.schema import ALLERGENS, DIETS, Catalogue, Product
from supermarket_env.dialogue.acts import AssistantMessage, Fact, UserResponse, Value
from supermarket_env.dialogue.view import HeardNeed
from supermarket_env.rules import codes
from supermarket_env.user_sim.wording.manner import Manner
from supermarket_env.user_sim.wording.template import Draws

_MOODS: Final = (-2, -1, -1, 0, 0, 0, 0, 1, 1, 2)
_ASKED: Final = (
    "product_type", "brand", "brand", "size", "size", "quantity", "price_limit", "price_limit", "diet", "allergy",
    "anything", "anything", "attribute", "attribute", "attribute", "attribute",
)  # fmt: skip
_FIELDS: Final = ("price", "unit_price", "quality", "allergens", "stock", "size", "brand", "attribute", "attribute", "")
_REASONS: Final = codes.REASONS[1:]
_CAUSES: Final = codes.CAUSES[1:]
_ENDS: Final = ("checkout", "checkout", "checkout", "patience_checkout", "left", "patience", "")


@dataclass(frozen=True, slots=True)
class Sample:
    """One response and what was said before it."""

    response: UserResponse
    manner: Manner
    asked: AssistantMessage | None
    mentioned: tuple[HeardNeed, ...]
    topics: tuple[str, ...]
    among: tuple[str, ...]
    opening: bool = False


def heard(ordinal: int, product_type: str | None, department: str | None = None) -> HeardNeed:
    """Return a need of which only type or department was mentioned."""
    return HeardNeed(
        ordinal=ordinal, product_type=product_type, department=department, wanted=frozenset(), unwanted=frozenset(),
        brand=None, size=None, quantity=None, price_limit=None, diet=frozenset(), allergy=frozenset(),
        no_preference=frozenset(), questions=0, accepted=None, rejected=(), shown=0, bought=0, closed=False,
    )  # fmt: skip


def draw_sample(catalogue: Catalogue, act: str, key: int) -> Sample:
    """Return a sample of one user act; equal keys give equal samples."""
    return _Sampler(catalogue, Draws(key * 2 + 1)).sample(act)


class _Sampler:
    def __init__(self, catalogue: Catalogue, draws: Draws) -> None:
        self.catalogue = catalogue
        self.draws = draws
        self.manner = Manner(
            talkativeness=draws.of(range(101)) / 100,
            temper=draws.of(range(101)) / 100,
            mood=draws.of(_MOODS),
            hurried=draws.chance(150),
        )

    def sample(self, act: str) -> Sample:
        draws = self.draws
        first, second = self._type(), self._type()
        mentioned: tuple[HeardNeed, ...] = (heard(1, first), heard(2, second))
        among = self._list(second)
        asked = AssistantMessage(act="recommend", need=2, items=among)
        response = UserResponse(act)
        opening = False
        if act == "disclose":
            opening = draws.chance(400)
            if opening:
                mentioned, asked = (), AssistantMessage()
            elif draws.chance(600):
                asked = AssistantMessage(act=draws.of(("greet", "chat", "guide", "acknowledge")))
            facts = self._disclosed(mentioned)
            response = UserResponse(act, need=facts[0].need, facts=facts)
        elif act == "answer":
            response, asked, mentioned = self._answer(second, mentioned)
        elif act in ("hesitate", "request_compare"):
            pool = among if draws.chance(900) else ()
            response = UserResponse(act, need=2, products=pool[: draws.of((1, 2, 2, 2, 3))])
        elif act == "ask":
            product = self.catalogue.product(draws.of(among))
            field = draws.of(_FIELDS)
            attribute = self._attribute(product) if field == "attribute" else field
            response = UserResponse(act, need=2, attribute=attribute, products=(product.id,))
        elif act == "ask_where":
            by_type = draws.chance(700)
            response = UserResponse(
                act, need=2, category=second if by_type else "", products=() if by_type else (draws.of(among),)
            )
        elif act == "accept":
            response = UserResponse(act, need=2, products=(draws.of(among),))
        elif act == "reject":
            response = self._reject(among)
        elif act == "complain":
            response = self._complain(second, among)
        elif act == "bye":
            self.manner = Manner(
                self.manner.talkativeness, self.manner.temper, self.manner.mood, self.manner.hurried, draws.of(_ENDS)
            )
        topics = tuple(h.product_type or h.department or "" for h in mentioned)
        return Sample(response, self.manner, asked, mentioned, topics, among, opening)

    def _type(self) -> str:
        return self.draws.of(self.catalogue.types).name

    def _products(self, product_type: str) -> range:
        return self.catalogue.products_of(self.catalogue.type_number(product_type))

    def _list(self, product_type: str) -> tuple[str, ...]:
        numbers = self._products(product_type)
        start = self.draws.of(range(len(numbers)))
        step = self.draws.of((1, 2, 3, 5))
        picked = dict.fromkeys(numbers[(start + i * step) % len(numbers)] for i in range(self.draws.of((3, 4, 4, 5))))
        return tuple(self.catalogue.ids[n] for n in picked)

    def _product(self, product_type: str) -> Product:
        return self.catalogue.products[self.draws.of(self._products(product_type))]

    def _attribute(self, product: Product) -> str:
        return self.draws.of(sorted(product.attributes)) if product.attributes else "organic"

    def _fact(self, need: int, slot: str, product: Product) -> Fact:
        draws = self.draws
        none = draws.chance(250) and slot != "product_type"
        value: Value | tuple[str, ...]
        if slot == "attribute":
            return Fact(need, self._attribute(product), None if none else True)
        if slot == "product_type":
            value = product.product_type
        elif slot == "brand":
            value = None if none else product.brand
        elif slot == "size":
            value = None if none else draws.of(codes.SIZE_CLASSES[1:])
        elif slot == "quantity":
            value = draws.of((1, 1, 2, 2, 3, 4))
        elif slot == "price_limit":
            value = None if none else round(product.price_cents * draws.of((100, 120, 150)) / 10000, 1)
        elif slot == "diet":
            value = None if none else (draws.of(DIETS),)
        elif slot == "allergy":
            value = None if none else tuple(sorted({draws.of(ALLERGENS) for _ in range(draws.of((1, 1, 1, 2)))}))
        else:
            value = None
        return Fact(need, slot, value)

    def _disclosed(self, mentioned: tuple[HeardNeed, ...]) -> tuple[Fact, ...]:
        draws, new = self.draws, len(mentioned) + 1
        kind = (
            draws.of(("type", "type", "type", "two", "vague", "wish"))
            if mentioned
            else draws.of(("type", "two", "vague"))
        )
        if kind == "vague":
            department = draws.of(self.catalogue.departments)
            return (Fact(new, "department", department),)
        if kind == "wish":
            old = mentioned[draws.of(range(len(mentioned)))]
            product = self._product(old.product_type or "")
            return self._details(old.ordinal, product, draws.of((1, 1, 2))) or (
                Fact(old.ordinal, "brand", product.brand),
            )
        product = self._product(self._type())
        facts = (
            Fact(new, "product_type", product.product_type),
            *self._details(new, product, draws.of((0, 1, 1, 2, 3))),
        )
        if kind == "two":
            other = self._product(self._type())
            if other.product_type != product.product_type:
                facts += (
                    Fact(new + 1, "product_type", other.product_type),
                    *self._details(new + 1, other, draws.of((0, 0, 1))),
                )
        return facts[: codes.MAX_FACTS]

    def _details(self, need: int, product: Product, n: int) -> tuple[Fact, ...]:
        slots = ("attribute", "brand", "size", "price_limit", "quantity", "diet", "allergy", "attribute")
        picked = dict.fromkeys(self.draws.of(slots) for _ in range(n))
        return tuple(f for f in (self._fact(need, slot, product) for slot in picked) if f.value is not None)

    def _answer(
        self, product_type: str, mentioned: tuple[HeardNeed, ...]
    ) -> tuple[UserResponse, AssistantMessage, tuple[HeardNeed, ...]]:
        slot = self.draws.of(_ASKED)
        product = self._product(product_type)
        if slot == "product_type":
            mentioned = (mentioned[0], heard(2, None, product.department))
        fact = self._fact(2, slot, product)
        facts: tuple[Fact, ...] = (fact,)
        attribute = fact.attribute
        if slot == "anything":
            facts = self._details(2, product, 2) or facts
            attribute = "anything"
        elif self.draws.chance(150) and fact.value is not None:
            facts += tuple(f for f in self._details(2, product, 1) if f.attribute != fact.attribute)
        asked = AssistantMessage(act="ask", need=2, attribute=attribute)
        return UserResponse("answer", need=2, facts=facts, attribute=attribute), asked, mentioned

    def _reject(self, among: tuple[str, ...]) -> UserResponse:
        reason = self.draws.of(_REASONS)
        product = self.catalogue.product(self.draws.of(among))
        attribute = ""
        if reason == "attribute":
            attribute = self._attribute(product)
        elif reason == "allergen" and product.allergens:
            attribute = self.draws.of(sorted(product.allergens))
        return UserResponse("reject", need=2, products=(product.id,), reason=reason, attribute=attribute)

    def _complain(self, product_type: str, among: tuple[str, ...]) -> UserResponse:
        cause = self.draws.of(_CAUSES)
        if cause == "out_of_stock":
            return UserResponse("complain", need=2, cause=cause, products=(self.draws.of(among),))
        if cause == "not_found":
            return UserResponse("complain", need=2, cause=cause, category=product_type)
        return UserResponse("complain", cause=cause)
