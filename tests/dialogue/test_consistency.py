"""Text against slots: contradictions are found, everything else passes, nothing is slow."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.catalogue.load import load_catalogue
from supermarket_env.catalogue.schema import Catalogue, Product
from supermarket_env.dialogue.acts import MAX_TEXT, AssistantMessage, Goal, Suggestion
from supermarket_env.dialogue.consistency import clean_text, text_mismatch
from supermarket_env.dialogue.product_names import name_index
from supermarket_env.store import Store, load_store


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue("embedded")


@pytest.fixture(scope="module")
def store(catalogue: Catalogue) -> Store:
    return load_store("neighbourhood", catalogue)


@pytest.fixture(scope="module")
def one(catalogue: Catalogue) -> Product:
    return catalogue.products[100]


@pytest.fixture(scope="module")
def other(catalogue: Catalogue) -> Product:
    return catalogue.products[900]


@pytest.fixture(scope="module")
def check(catalogue: Catalogue, store: Store) -> Any:
    def run(text: str, **slots: Any) -> str | None:
        return text_mismatch(AssistantMessage(text=text, **slots), catalogue, store)

    return run


def test_a_product_outside_the_message(check: Any, one: Product, other: Product) -> None:
    text = f"How about {other.name}?"
    assert "neither items nor products" in check(text, act="recommend", items=(one.id,))
    assert check(text, act="recommend", items=(one.id, other.id)) is None
    assert check(text, act="confirm", products=(other.id,)) is None
    assert check(text, suggest=Suggestion(type="add", arg=other.id)) is None
    assert check(text, goal=Goal(kind="product", id=other.id)) is None
    assert check(f"{other.brand} is a good brand", act="recommend", items=(one.id,)) is None


def test_every_full_name_is_found_as_itself(catalogue: Catalogue) -> None:
    index = name_index(catalogue)
    for number in range(0, catalogue.n_products, 7):
        mentions = index.find(f"Well, ({catalogue.names[number]}), perhaps.")
        assert [number in m.products for m in mentions] == [True]
    assert name_index(catalogue) is index


def test_prices(check: Any, one: Product, other: Product) -> None:
    true, wrong = one.price_cents / 100, one.price_cents / 100 + 0.5
    items = {"act": "recommend", "items": (one.id, other.id)}
    assert check(f"{one.name} costs {true:.2f} euros.", **items) is None
    assert f"not {true:.2f}" in check(f"{one.name} costs {wrong:.2f} euros.", **items)
    assert check(f"{one.name} for EUR {wrong:.2f}", **items) is not None
    assert check(f"{one.name} for \u20ac{wrong:.2f}", **items) is not None
    both = f"{one.name} for {true:.2f} EUR, {other.name} for {other.price_cents / 100:.2f} EUR"
    assert check(both, **items) is None
    for harmless in (
        f"{one.name} stays under {wrong:.2f} euros",
        f"{one.name} is {wrong:.2f} euros cheaper",
        f"{one.name} is {wrong:.2f} euros per kilo",
        f"{one.name} holds {wrong:.2f} kg",
        f"Your limit is {wrong:.2f} euros, so {one.name}",
        f"{one.name} has what you asked for, it keeps for long, and you still have {wrong:.2f} euros",
    ):
        assert check(harmless, **items) is None, harmless


def test_the_slot_rules_over_the_catalogue(check: Any, one: Product) -> None:
    slots = {"act": "inform", "products": (one.id,), "attribute": "price"}
    assert check("It costs 99.00 euros.", value=99.0, **slots) is None
    assert check("It costs 98.00 euros.", value=99.0, **slots) is not None
    assert check("It costs 98.00 euros.", **slots) is not None
    assert check(f"It costs {one.price_cents / 100:.2f} euros.", **slots) is None


def test_places(check: Any, catalogue: Catalogue, store: Store, one: Product) -> None:
    home = int(store.home_section[catalogue.number(one.id)])
    section, node = store.section_ids[home], store.layout.nodes[store.section_nodes[home][0]].id
    far = next(s for s in store.section_ids if s != section)
    assert check(f"Go to {section}.", goal=Goal(kind="section", id=section)) is None
    assert check(f"Go to {node}.", suggest=Suggestion(type="move", arg=node)) is None
    assert check(f"It is in {section}, at {node}.", goal=Goal(kind="product", id=one.id)) is None
    assert check(f"It is in {section}.", goal=Goal(kind="category", id=one.product_type)) is None
    assert far in check(f"Go to {far}.", goal=Goal(kind="section", id=section))
    assert far in check(f"Go to {far}.")
    assert check(f"It is in {section}.", act="inform", products=(one.id,), attribute="place") is None
    assert check("Go to S99999 or X1.") is None


def test_stock(check: Any, one: Product) -> None:
    slots = {"act": "inform", "products": (one.id,), "attribute": "stock"}
    assert check("It is sold out.", value=3, **slots) == "says sold out, the slot says in stock"
    assert check("It is in stock.", value=0, **slots) == "says in stock, the slot says sold out"
    assert check("It is in stock.", value=False, **slots) is not None
    assert check("It is in stock.", value=3, **slots) is None
    assert check("It is not in stock.", value=0, **slots) is None
    assert check("It is not sold out.", value=3, **slots) is None
    assert check("Let me see whether it is in stock.", value=0, **slots) is None
    assert check("It is sold out.", act="chat") is None


def test_yes_and_no(check: Any, one: Product) -> None:
    slots = {"act": "inform", "products": (one.id,), "attribute": "organic"}
    assert check("No, it isn't.", value=True, **slots) == "says no, the slot says yes to organic"
    assert check("Yes, it is.", value=False, **slots) == "says yes, the slot says no to organic"
    assert check("Yes, it is.", value="organic" in one.attributes, **slots) is None or "organic" not in one.attributes
    assert check("No problem, it is organic.", value=True, **slots) is None
    assert check("Not only organic.", value=True, **slots) is None


@given(st.text(max_size=400))
@settings(deadline=None, max_examples=60)
def test_random_text_is_no_fault(check: Any, text: str) -> None:
    assert check(text, act="inform", attribute="stock", value=0) is None


@pytest.mark.parametrize(
    "unit", ["not ", "1.00 euros ", "S001 ", "Polder ", "Polder & Son Verna ", "1", ".", " ", "A", "1,", "\x00", "EUR "]
)
def test_long_texts_are_cut_before_they_are_read(check: Any, one: Product, unit: str) -> None:
    """Only the first ``MAX_TEXT`` characters are read, so a megabyte costs no more than a page."""
    text = unit * (1_000_000 // len(unit))
    slots: dict[str, Any] = {"act": "inform", "products": (one.id,), "attribute": "stock", "value": 0}
    assert check(text, **slots) == check(text[:MAX_TEXT], **slots)
    assert clean_text(text)[0] == clean_text(text[:MAX_TEXT])[0]


@pytest.mark.parametrize(
    ("text", "clean", "lost"),
    [
        ("fine", "fine", False),
        ("", "", False),
        ("caf\xe9", "caf\xe9", False),
        ("a\nb\tc", "a b c", False),
        ("it\u2019s 3 \u20ac", "it's 3 EUR", False),
        ("\x00\x1b[31mred\x7f\x85", "[31mred", True),
        ("\u4f60\u597d", "", True),
        ("\ud800x", "x", True),
        ("x" * (MAX_TEXT + 1), "x" * MAX_TEXT, True),
        ("\u2026" * MAX_TEXT, "..." * (MAX_TEXT // 3) + "..."[: MAX_TEXT % 3], True),
    ],
)
def test_clean_text(text: str, clean: str, lost: bool) -> None:
    assert clean_text(text) == (clean, lost)
    assert clean_text(clean) == (clean, False)
