"""What the app made of the user's words (text track): a parsed response as an outcome row for the belief."""

from __future__ import annotations

from typing import Any

from supermarket_env.catalogue.schema import ALLERGEN_BIT, ATTRIBUTE_BIT
from supermarket_env.dialogue.acts import Fact, UserResponse
from supermarket_env.envs.decode import Decoder
from supermarket_env.rules import codes
from supermarket_env.rules.rows import Outcome


def fact_number(decoder: Decoder, fact: Fact) -> tuple[int, int]:
    """Return (slot code, number) of a parsed fact; slot 0 when its names are unknown here."""
    slot = decoder.slots.get(fact.attribute, 0)
    value = fact.value
    if slot == 0 or value is None or value is False:
        return slot, codes.NO_PREFERENCE
    if slot == codes.S_TYPE:
        return slot, decoder.types.get(str(value), -1) + 1
    if slot == codes.S_DEPARTMENT:
        names = decoder.world.catalogue.departments
        return (slot, names.index(str(value)) + 1) if value in names else (0, 0)
    if slot == codes.S_BRAND:
        return slot, decoder.brands.get(str(value), -1) + 1
    if slot == codes.S_SIZE:
        return (slot, codes.SIZE_CLASSES.index(str(value))) if value in codes.SIZE_CLASSES else (0, 0)
    if slot == codes.S_QUANTITY and isinstance(value, int | float):
        return slot, max(0, min(99, int(value)))
    if slot == codes.S_PRICE_LIMIT and isinstance(value, int | float):
        return slot, max(0, round(float(value) * 100))
    if slot in (codes.S_DIET, codes.S_ALLERGY):
        bits = ATTRIBUTE_BIT if slot == codes.S_DIET else ALLERGEN_BIT
        names_said = value if isinstance(value, tuple | list | frozenset) else (value,)
        return slot, sum(1 << bits[str(name)] for name in sorted(set(map(str, names_said))) if str(name) in bits)
    return slot, 1 if slot >= codes.SLOT_ATTRIBUTE else 0


def outcome_of(response: UserResponse, decoder: Decoder, seen: Any) -> Any:
    """Return the outcome row that stands for a parsed response; what lands in the cart is taken from ``seen``."""
    o: Any = Outcome()
    o.act = codes.USER_ACTS.index(response.act) if response.act in codes.USER_ACTS else 0
    o.need = response.need if 0 <= response.need <= codes.MAX_NEEDS else 0
    o.slot = decoder.slots.get(response.attribute, 0)
    o.reason = codes.REASONS.index(response.reason) if response.reason in codes.REASONS else 0
    o.cause = codes.CAUSES.index(response.cause) if response.cause in codes.CAUSES else 0
    numbers = [decoder.products[name] for name in response.products if name in decoder.products]
    for k in range(codes.MAX_PRODUCTS):
        o.products[k] = numbers[k] if k < len(numbers) else -1
    if o.products[0] < 0 and o.act in (codes.U_ACCEPT, codes.U_REJECT):
        o.act = codes.U_CHAT
    for fact in response.facts[: codes.MAX_FACTS]:
        slot, number = fact_number(decoder, fact)
        if slot == 0 or not 1 <= fact.need <= codes.MAX_NEEDS:
            continue
        k = o.n_facts
        o.fact_need[k] = fact.need
        o.fact_slot[k] = slot
        o.fact_value[k] = number
        o.n_facts = k + 1
    o.action = seen.action
    o.cart_op = seen.cart_op
    o.cart_p = seen.cart_p
    o.cart_q = seen.cart_q
    return o
