"""What assistants know of goods and how they put it into words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.agents.ranking import rank
from supermarket_env.agents.rule_config import RuleWeights
from supermarket_env.agents.shelf import shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.catalogue import load_catalogue
from supermarket_env.catalogue.schema import ATTRIBUTES
from supermarket_env.dialogue.acts import AssistantMessage, Goal, Suggestion
from supermarket_env.dialogue.consistency import text_mismatch
from supermarket_env.store import load_store

Need = Callable[..., Any]
CATALOGUE = load_catalogue("embedded")
STORE = load_store("neighbourhood", CATALOGUE)
SHELF = shelf_of(CATALOGUE, STORE)
WORDS = Words(SHELF)
FIELDS = ("price", "unit_price", "quality", "brand", "size", "allergens", "product_type", "stock", *ATTRIBUTES)
product_ids = st.sampled_from(CATALOGUE.ids)
nodes = st.integers(0, STORE.n_nodes - 1)
several = st.lists(product_ids, min_size=1, max_size=10, unique=True)


def agree(message: AssistantMessage) -> None:
    assert text_mismatch(message, CATALOGUE, STORE) is None
    assert message.text
    assert len(message.text) <= 2000


@settings(deadline=None, max_examples=60)
@given(items=several, turn=st.integers(1, 40), again=st.booleans())
def test_the_words_of_a_list_agree_with_it(items: list[str], turn: int, again: bool) -> None:
    agree(AssistantMessage(act="recommend", items=items, text=WORDS.offer("apples", items, turn, again=again)))
    agree(AssistantMessage(act="recommend", items=items, text=WORDS.substitute("apples", items, turn)))
    agree(AssistantMessage(act="recommend", items=items, text=WORDS.popular(items)))
    for item in items:
        product = CATALOGUE.product(item)
        assert f"{product.name} ({product.price_cents / 100:.2f} EUR)" in WORDS.popular(items)


@settings(deadline=None, max_examples=80)
@given(item=product_ids, field=st.sampled_from(FIELDS))
def test_the_words_of_a_fact_agree_with_it(item: str, field: str) -> None:
    text = WORDS.inform(CATALOGUE.product(item), field)
    agree(AssistantMessage(act="inform", products=(item,), attribute=field, text=text))


@settings(deadline=None, max_examples=40)
@given(items=st.lists(product_ids, min_size=2, max_size=3, unique=True), turn=st.integers(1, 40))
def test_the_words_of_a_comparison_and_of_advice_agree(items: list[str], turn: int) -> None:
    text = WORDS.compare([CATALOGUE.product(item) for item in items], "price")
    agree(AssistantMessage(act="compare", products=items, attribute="price", text=text))
    agree(AssistantMessage(act="confirm", products=items[:1], text=WORDS.confirm(items[0], turn)))


@settings(deadline=None, max_examples=60)
@given(
    item=product_ids, node=st.integers(0, STORE.n_nodes - 1), kind=st.sampled_from(["add", "inspect", "move", "look"])
)
def test_the_words_of_the_way_agree_with_goal_and_step(item: str, node: int, kind: Any) -> None:
    section = int(STORE.home_section[CATALOGUE.number(item)])
    args = {"add": item, "inspect": item, "move": STORE.node_ids[node], "look": STORE.section_ids[section]}
    suggest = Suggestion(type=kind, arg=args[kind])
    goal = Goal(kind="product", id=item)
    agree(AssistantMessage(act="guide", goal=goal, suggest=suggest, text=WORDS.way(goal, suggest)))
    category = Goal(kind="category", id=CATALOGUE.product(item).product_type)
    agree(AssistantMessage(act="guide", goal=category, text=WORDS.way(category, None, section)))


@pytest.mark.parametrize("attribute", ["anything", "product_type", "brand", "size", "quantity", "diet", "organic"])
def test_a_question_names_what_it_is_about(attribute: str) -> None:
    assert "apples" in WORDS.ask("apples", attribute, 0)
    assert WORDS.ask("apples", attribute, 0) != WORDS.ask("apples", attribute, 1)


def test_pack_sizes_and_relative_prices_are_those_of_the_game(world: Any) -> None:
    shelf = shelf_of(world.catalogue, world.store)
    names = ("", "small", "regular", "large")
    for number in range(0, world.catalogue.n_types, 7):
        for goods in shelf.of_type(number):
            assert goods.size == names[world.size_class[goods.number]]
            assert goods.relative_price == pytest.approx(float(world.rel_price[goods.number]), abs=1e-6)
            assert 0.0 <= goods.quality <= 1.0
            assert 0.0 < goods.popularity <= 1.0


def test_the_shelf_knows_only_carried_goods(world: Any) -> None:
    shelf = shelf_of(world.catalogue, world.store)
    known = {goods.number for number in range(world.catalogue.n_types) for goods in shelf.of_type(number)}
    assert known == set(np.flatnonzero(world.store.carried & (world.store.stock > 0)).tolist())


def ranked(need: Any, **options: Any) -> tuple[str, ...]:
    given_options: dict[str, Any] = {"wishes": (), "excluded": (), "thrift": 1.0, "count": 30} | options
    return rank(SHELF, need, RuleWeights(), **given_options)


def test_a_need_without_a_known_type_ranks_nothing(need: Need) -> None:
    assert ranked(need(1)) == ()
    assert ranked(need(1, product_type="unicorns")) == ()


def test_a_wish_lifts_the_products_that_fulfil_it(need: Need) -> None:
    kind = need(1, product_type="apples")

    def organic(items: tuple[str, ...]) -> list[int]:
        return [place for place, item in enumerate(items) if "organic" in CATALOGUE.product(item).attributes]

    plain, wished = organic(ranked(kind)), organic(ranked(kind, wishes=("organic",)))
    assert plain
    assert sum(wished) < sum(plain)
    assert wished == list(range(len(wished)))


def test_brand_size_and_price_limit_count(need: Need) -> None:
    everything = ranked(need(1, product_type="apples"))
    brand = CATALOGUE.product(everything[-1]).brand
    by_brand = ranked(need(1, product_type="apples", brand=brand))
    places = [k for k, item in enumerate(everything) if CATALOGUE.product(item).brand == brand]
    lifted = [k for k, item in enumerate(by_brand) if CATALOGUE.product(item).brand == brand]
    assert sum(lifted) < sum(places)
    large = ranked(need(1, product_type="apples", size="large"), count=1)[0]
    assert next(g for g in SHELF.of_type(SHELF.type_number["apples"]) if g.id == large).size == "large"
    cheapest = min(CATALOGUE.product(item).price_cents for item in everything)
    limited = ranked(need(1, product_type="apples", price_limit=cheapest / 100), count=1)[0]
    assert CATALOGUE.product(limited).price_cents == cheapest


def test_thrift_brings_cheaper_goods_to_the_top(need: Need) -> None:
    def price(thrift: float) -> float:
        items = ranked(need(1, product_type="apples"), thrift=thrift, count=5)
        return sum(CATALOGUE.product(item).price_cents for item in items)

    assert price(5.0) < price(0.1)


def test_what_is_excluded_stays_out_and_the_count_is_kept(need: Need) -> None:
    kind = need(1, product_type="apples")
    everything = ranked(kind)
    assert ranked(kind, excluded={everything[0]}) == everything[1:]
    assert ranked(kind, count=3) == everything[:3]
