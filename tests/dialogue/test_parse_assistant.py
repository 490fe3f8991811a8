"""The rule parser on assistants' texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.catalogue.load import load_catalogue
from supermarket_env.catalogue.schema import Catalogue, Product
from supermarket_env.dialogue.acts import AssistantMessage, Goal, Suggestion
from supermarket_env.dialogue.consistency import text_mismatch
from supermarket_env.dialogue.parse import Parser
from supermarket_env.dialogue.view import HeardNeed
from supermarket_env.rules.codes import ASSISTANT_ACTS, MAX_ITEMS
from supermarket_env.store import Store, load_store
from supermarket_env.user_sim.wording.samples import heard

NEEDS: tuple[HeardNeed, ...] = (heard(1, "oat drink"), heard(2, "apples"))


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue("embedded")


@pytest.fixture(scope="module")
def store(catalogue: Catalogue) -> Store:
    return load_store("neighbourhood", catalogue)


@pytest.fixture(scope="module")
def parser(catalogue: Catalogue, store: Store) -> Parser:
    return Parser(catalogue, store)


@pytest.fixture(scope="module")
def pair(catalogue: Catalogue) -> tuple[Product, Product]:
    numbers = catalogue.products_of(catalogue.type_number("oat drink"))
    return catalogue.products[numbers[0]], catalogue.products[numbers[-1]]


def read(parser: Parser, text: str) -> AssistantMessage:
    return parser.assistant(text, mentioned=NEEDS)


@pytest.mark.parametrize(
    ("text", "act", "need", "attribute"),
    [
        ("Hello and welcome!", "greet", 2, ""),
        ("What are you looking for today?", "ask", 0, "product_type"),
        ("Do you have a preferred brand for the oat drink?", "ask", 1, "brand"),
        ("Should the apples be organic?", "ask", 2, "organic"),
        ("How many apples do you need?", "ask", 2, "quantity"),
        ("What is your budget for the oat drink?", "ask", 1, "price_limit"),
        ("Any allergies I should know about?", "ask", 2, "allergy"),
        ("Do you follow a diet?", "ask", 2, "diet"),
        ("Large or small?", "ask", 2, "size"),
        ("Is there anything that matters to you?", "ask", 2, "anything"),
        ("I'm sorry, that must be frustrating.", "acknowledge", 2, ""),
        ("You have everything, shall we head to the checkout?", "offer_checkout", 2, ""),
        ("Lovely weather.", "chat", 2, ""),
        ("", "chat", 2, ""),
    ],
)
def test_acts_without_products(parser: Parser, text: str, act: str, need: int, attribute: str) -> None:
    message = read(parser, text)
    assert (message.act, message.need, message.attribute) == (act, need, attribute)
    assert message.text == text


def test_named_products_become_the_list_in_order(parser: Parser, pair: tuple[Product, Product]) -> None:
    one, other = pair
    message = read(parser, f"I suggest {other.name} or {one.name.upper()}.")
    assert message.act == "recommend"
    assert message.items == (other.id, one.id)
    assert message.need == 1


def test_numbered_lines_become_the_list(parser: Parser, catalogue: Catalogue) -> None:
    numbers = list(catalogue.products_of(catalogue.type_number("apples")))[:12]
    text = "\n".join(f"{i + 1}. {catalogue.names[n]}" for i, n in enumerate(numbers))
    message = read(parser, text)
    assert message.items == tuple(catalogue.ids[n] for n in numbers[:MAX_ITEMS])
    assert message.need == 2


def test_a_misspelt_name_is_found_within_its_brand(parser: Parser, pair: tuple[Product, Product]) -> None:
    one = pair[0]
    spelt = one.name.replace("Oat", "Oatt")
    assert spelt != one.name
    assert read(parser, f"How about: {spelt}").items == (one.id,)


def test_a_made_up_name_is_nothing(parser: Parser) -> None:
    message = read(parser, "How about the Krombacher Lunar Zest 3000?")
    assert message.items == ()
    assert message.products == ()


def test_statements_about_a_product(parser: Parser, pair: tuple[Product, Product]) -> None:
    one, other = pair
    price = read(parser, f"{one.name} costs 1.25 euros.")
    assert (price.act, price.attribute, price.value, price.products) == ("inform", "price", 1.25, (one.id,))
    vegan = read(parser, f"{one.name} isn't vegan.")
    assert (vegan.act, vegan.attribute, vegan.value) == ("inform", "vegan", False)
    stock = read(parser, f"{one.name} is in stock.")
    assert (stock.act, stock.attribute, stock.value) == ("inform", "stock", True)
    compared = read(parser, f"Compared to {other.name}, {one.name} is cheaper.")
    assert (compared.act, set(compared.products)) == ("compare", {one.id, other.id})
    confirmed = read(parser, f"Shall I note {one.name}?")
    assert (confirmed.act, confirmed.products) == ("confirm", (one.id,))


def test_guidance(parser: Parser, store: Store, pair: tuple[Product, Product], catalogue: Catalogue) -> None:
    node, section = store.layout.nodes[5].id, store.section_ids[3]
    assert read(parser, f"Please go to {node.lower()}.").suggest == Suggestion(type="move", arg=node)
    assert read(parser, f"Please go to {node}.").act == "guide"
    assert read(parser, f"Walk to {section}.").goal == Goal(kind="section", id=section)
    both = read(parser, f"Go to {node}, it is in {section}.")
    assert (both.goal, both.suggest) == (Goal(kind="section", id=section), Suggestion(type="move", arg=node))
    assert read(parser, "Head over to the apples.").goal == Goal(kind="category", id="apples")
    checkout = read(parser, "You can go to the checkout now.").goal
    assert checkout is not None
    assert checkout.id in {store.layout.nodes[n].id for n in store.checkouts}
    product = read(parser, f"Walk on, {pair[0].name} is in this aisle.")
    assert (product.act, product.goal) == ("guide", Goal(kind="product", id=pair[0].id))
    department = catalogue.types[0].department
    goal = read(parser, f"It is over at the {department} section.").goal
    assert goal is not None
    assert store.section_department[store.layout.section_numbers[goal.id]] == department


@given(st.text(max_size=300))
@settings(deadline=None, max_examples=40)
def test_any_text_gives_a_valid_message_that_agrees_with_itself(
    parser: Parser, catalogue: Catalogue, store: Store, text: str
) -> None:
    message = read(parser, text)
    assert message.act in ASSISTANT_ACTS
    assert text_mismatch(message, catalogue, store) is None
