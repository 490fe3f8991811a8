"""Claims: what is read out of slots, lists, goals and words, and when it counts as untrue."""

from __future__ import annotations

from typing import Any

import pytest

from supermarket_env.scorers.claims import claims_of


def said(log: Any, text: str, act: str = "chat", *more: Any, **slots: Any) -> dict[tuple[str, str], bool | None]:
    episode = log.episode(log.says(1, text, act, **slots), *more, log.user(1))
    return {(claim.kind, claim.source): claim.true for claim in claims_of(episode)}


def test_a_priced_name_states_product_and_price(log: Any) -> None:
    product = log.carried("fresh milk")
    found = claims_of(log.episode(log.says(1, f"I suggest {log.priced(product)}."), log.user(1)))
    assert {(c.kind, c.product, c.true) for c in found} == {("product", product, True), ("price", product, True)}


def test_a_wrong_price_is_untrue_and_a_hedged_amount_states_nothing(log: Any) -> None:
    name = log.truth().catalogue.product(log.carried("fresh milk")).name
    assert said(log, f"{name} costs 99.99 EUR.")["price", "text"] is False
    assert ("price", "text") not in said(log, f"{name} is under 99.99 EUR.")
    assert ("price", "text") not in said(log, "You said your limit is 99.99 EUR.")


@pytest.mark.parametrize(
    "text",
    [
        "There is also Velvet Peak Golden Milk 500 g.",
        "I suggest Velvet Peak Golden Milk (1.79 EUR).",
        "Take the Zorvella Moon Milk today.",
        "We also have Moonberry Deluxe Oat Flakes for 2.99 EUR.",
        "The Moonberry Crispies are new. Moonberry Crispies cost only €3.50.",
    ],
)
def test_a_product_that_does_not_exist_is_untrue(log: Any, text: str) -> None:
    assert said(log, text)["product", "text"] is False


def test_a_short_name_and_ordinary_talk_are_no_inventions(log: Any) -> None:
    record = log.truth().catalogue.product(log.carried("fresh milk"))
    short = f"{record.brand} {record.name.split()[-3]} {record.name.split()[-2]} {record.name.split()[-1]}"
    assert said(log, f"Yes, the {short} is here.").get(("product", "text")) is not False
    assert said(log, "Tins & Jars is a wide field. Do you want Household & Paper?") == {}
    assert said(log, "Sorry About That. The Best Choice Today is yours, and 2 kg is a lot.") == {}


def test_an_unknown_id_in_a_list_is_untrue(log: Any) -> None:
    shown = {"k": "recommend", "turn": 1, "items": [log.carried(), "P99990"]}
    found = claims_of(log.episode(log.says(1, act="recommend"), shown, log.user(1)))
    assert [c.true for c in found] == [True, False]


def test_places_are_held_against_the_shelves(log: Any) -> None:
    truth = log.truth()
    (right,) = sorted(truth.sections_of_type("fresh milk"))[:1]
    wrong = next(s for s in truth.store.section_ids if s not in truth.sections_of_type("fresh milk"))
    assert said(log, f"The shelf with fresh milk: {right}.")["place", "text"] is True
    assert said(log, f"The shelf with fresh milk: {wrong}.")["place", "text"] is False
    assert said(log, "Look for shelf S999.")["place", "text"] is False
    assert said(log, f"Look for shelf {wrong}.") == {}


def test_a_place_may_be_named_first_by_number_or_for_it(log: Any) -> None:
    truth = log.truth()
    (right,) = sorted(truth.sections_of_type("fresh milk"))[:1]
    wrong = next(s for s in truth.store.section_ids if s not in truth.sections_of_type("fresh milk"))
    milk = log.carried("fresh milk")
    name = truth.catalogue.product(milk).name
    for place, true in ((right, True), (wrong, False)):
        number = int("".join(filter(str.isdigit, place)))
        for text in (
            f"{place} is where the fresh milk is.",
            f"Shelf {place} has {name}.",
            f"In {place} you will find {name}.",
            f"The {name} is in aisle {number}.",
            f"Aisle number {number} has the fresh milk.",
        ):
            assert said(log, text)["place", "text"] is true, text
        shown = {"k": "recommend", "turn": 1, "items": [milk]}
        found = claims_of(log.episode(log.says(1, f"Take one. It is in {place}.", act="recommend"), shown, log.user(1)))
        assert [c.true for c in found if c.kind == "place"] == [true]
    assert said(log, "The milk is in aisle 9999.")["place", "text"] is False
    assert said(log, f"Go to {wrong} first, then look for fresh milk.") == {}


@pytest.mark.parametrize(("word", "is_true"), [("contains milk", True), ("contains no milk", False)])
def test_allergens_in_words(log: Any, word: str, is_true: bool) -> None:
    name = log.truth().catalogue.product(log.carried("fresh milk", allergen="milk")).name
    assert said(log, f"{name} {word}.")["allergens", "text"] is is_true


def test_attributes_in_words_and_slots(log: Any) -> None:
    truth = log.truth()
    product = log.carried("fresh milk", allergen="milk")
    name = truth.catalogue.product(product).name
    assert said(log, f"{name} is not vegan.")["vegan", "text"] is True
    assert said(log, f"{name} is vegan.")["vegan", "text"] is False
    assert said(log, "Yes, it is vegan.", "inform", products=[product])["vegan", "text"] is False
    assert ("vegan", "text") not in said(log, f"Do you want {name} to be vegan? Is it vegan?")
    slots = {"products": [product], "attribute": "vegan", "value": True}
    assert said(log, "", "inform", **slots)["vegan", "slots"] is False


def test_stock_is_known_from_what_happens(log: Any) -> None:
    product = log.carried("fresh milk")
    name = log.truth().catalogue.product(product).name
    added = {"k": "cart", "turn": 1, "op": "add", "sku": product}
    assert said(log, f"{name} is sold out.", "chat", added)["stock", "text"] is False
    assert said(log, f"{name} is in stock.", "chat", added)["stock", "text"] is True
    assert said(log, f"{name} is in stock.")["stock", "text"] is None


def test_logged_claims_stand_where_no_store_is_named() -> None:
    from supermarket_env.events.log import validate_episode

    logged = {"kind": "price", "product": "x", "said": 2, "true": False}
    data = {
        "schema": "supermarket.episode/1",
        "episode_id": "e",
        "agent": "a",
        "events": [
            {"k": "assistant", "turn": 1, "text": "Velvet Peak Golden Milk 500 g.", "claims": [logged]},
            {"k": "end", "reason": "left"},
        ],
    }
    assert [c.true for c in claims_of(validate_episode(data, "<test>", 1))] == [False]
