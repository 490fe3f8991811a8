"""The rule assistant keeps its own rules: questions, lists, the way, stock-outs, the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from supermarket_env.agents.rule import Rule
from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.dialogue.acts import Fact, UserResponse
from supermarket_env.dialogue.view import CartLine

Need = Callable[..., Any]
Trip = Callable[..., Any]


@pytest.fixture
def rule(view: Any) -> Rule:
    assistant = Rule()
    assistant.start(view)
    return assistant


def said(need: int, *facts: tuple[str, Any], act: str = "disclose") -> UserResponse:
    return UserResponse(act, need, tuple(Fact(need, attribute, value) for attribute, value in facts))


def stand_at(view: Any, kind: str) -> None:
    section = view.store.type_home_sections[view.catalogue.type_number(kind)][0]
    view.node = view.store.section_nodes[section][0]


@pytest.mark.parametrize("index", range(8))
def test_it_asks_at_most_twice_a_need_and_never_the_same(index: int, trip: Trip) -> None:
    asked = Counter((m.need, m.attribute) for m in trip("rule", index=index).messages if m.act == "ask" and m.need)
    assert all(count == 1 for count in asked.values())
    assert all(count <= 2 for count in Counter(need for need, _ in asked).values())


@pytest.mark.parametrize("index", range(8))
def test_no_list_is_shown_twice_and_none_is_longer_than_its_threshold(index: int, trip: Trip) -> None:
    lists = [m.items for m in trip("rule", index=index).messages if m.items]
    assert len(set(lists)) == len(lists)
    assert all(len(set(items)) == len(items) <= RuleConfig().list_length for items in lists)


@pytest.mark.parametrize("index", range(8))
def test_it_does_not_ask_for_more_after_that_was_all(index: int, trip: Trip) -> None:
    played = trip("rule", index=index)
    over = False
    for exchange in played.exchanges:
        assert not (over and exchange.message.act == "ask" and exchange.message.need == 0)
        if exchange.message.act == "ask" and exchange.message.need == 0:
            over = exchange.response.act == "answer" and not exchange.response.facts


@pytest.mark.parametrize("name", ["rule_no_questions", "pager", "guide_only"])
def test_the_variants_do_without_what_their_name_says(name: str, trip: Trip) -> None:
    messages = [m for index in range(4) for m in trip(name, index=index).messages]
    assert all(m.act != "ask" for m in messages)
    assert any(m.items for m in messages) is (name != "guide_only")
    assert any(m.goal is not None for m in messages)


def test_the_pager_goes_through_a_category_ten_at_a_time(view: Any, need: Need) -> None:
    pager = Rule({"ask": False, "paging": True, "list_length": 10, "lists_per_need": 50})
    pager.start(view)
    view.heard = (need(1, product_type="apples"),)
    pages = []
    while items := pager.reply(view).items:
        pages.append(items)
        view.turn += 1
    shown = [item for page in pages for item in page]
    kind = view.catalogue.type_number("apples")
    assert len(shown) == len(set(shown)) == len(view.catalogue.products_of(kind))
    assert all(len(page) == 10 for page in pages[:-1])


def test_a_vague_need_is_asked_for_its_type_first(rule: Rule, view: Any, need: Need) -> None:
    view.heard = (need(1, department="Bakery"),)
    message = rule.reply(view)
    assert (message.act, message.need, message.attribute) == ("ask", 1, "product_type")
    assert message.goal is None


def test_it_asks_then_recommends_and_shows_the_way_all_along(rule: Rule, view: Any, need: Need) -> None:
    view.heard = (need(1, product_type="apples"),)
    view.response = said(1, ("product_type", "apples"))
    first = rule.reply(view)
    assert (first.act, first.need) == ("ask", 1)
    assert first.goal is not None
    assert first.goal.id == "apples"
    assert first.suggest is not None
    assert first.suggest.arg in view.legal_moves()
    view.turn = 2
    view.heard = (need(1, product_type="apples", wanted=frozenset({"organic"})),)
    view.response = said(1, ("organic", True), act="answer")
    second = rule.reply(view)
    assert second.act == "recommend"
    assert "organic" in view.catalogue.product(second.items[0]).attributes
    assert second.suggest is not None
    assert second.goal is None, "the goal was named a turn ago"


def test_rejected_products_and_those_above_them_do_not_come_again(view: Any, need: Need) -> None:
    rule = Rule({"ask": False})
    rule.start(view)
    view.heard = (need(1, product_type="apples"),)
    first = rule.reply(view).items
    view.turn = 2
    view.response = UserResponse("reject", 1, products=first[1:2], reason="brand")
    second = rule.reply(view).items
    assert second
    assert not {first[0], first[1]} & set(second)


def test_named_allergens_and_diets_are_never_recommended(view: Any, need: Need) -> None:
    rule = Rule({"ask": False, "list_length": 10})
    rule.start(view)
    allergens = sorted({a for p in view.catalogue.products[:] if p.product_type == "biscuits" for a in p.allergens})
    assert allergens
    view.heard = (need(1, product_type="biscuits", allergy=frozenset(allergens[:1]), diet=frozenset({"vegetarian"})),)
    items = rule.reply(view).items
    for item in items:
        product = view.catalogue.product(item)
        assert allergens[0] not in product.allergens
        assert "vegetarian" in product.attributes | product.diets


def test_a_sold_out_product_is_replaced_at_once(rule: Rule, view: Any, need: Need) -> None:
    product = view.catalogue.ids[view.catalogue.products_of(view.catalogue.type_number("apples"))[0]]
    view.heard = (need(1, product_type="apples", rejected=(product,)), need(2, product_type="butter"))
    view.response = UserResponse("complain", 1, cause="out_of_stock", products=(product,))
    message = rule.reply(view)
    assert (message.act, message.need) == ("recommend", 1)
    assert message.items
    assert product not in message.items


def test_a_question_about_a_product_is_answered_truthfully(rule: Rule, view: Any, need: Need) -> None:
    product = view.catalogue.products[view.catalogue.products_of(view.catalogue.type_number("apples"))[0]]
    view.heard = (need(1, product_type="apples"),)
    view.response = UserResponse("ask", 1, attribute="price", products=(product.id,))
    message = rule.reply(view)
    assert (message.act, message.attribute, message.products) == ("inform", "price", (product.id,))
    assert f"{product.price_cents / 100:.2f} EUR" in message.text


def test_a_comparison_names_both_products(rule: Rule, view: Any, need: Need) -> None:
    members = view.catalogue.products_of(view.catalogue.type_number("apples"))
    products = tuple(view.catalogue.ids[p] for p in members[:2])
    view.heard = (need(1, product_type="apples"),)
    view.response = UserResponse("request_compare", 1, products=products)
    message = rule.reply(view)
    assert (message.act, message.products) == ("compare", products)


def test_the_user_who_hesitates_gets_advice(rule: Rule, view: Any, need: Need) -> None:
    members = view.catalogue.products_of(view.catalogue.type_number("apples"))
    products = tuple(view.catalogue.ids[p] for p in members[:2])
    view.heard = (need(1, product_type="apples"),)
    view.response = UserResponse("hesitate", 1, products=products)
    message = rule.reply(view)
    assert (message.act, message.need, message.products) == ("confirm", 1, products[:1])


def test_it_pays_only_when_all_is_got_and_nothing_else_is_wanted(rule: Rule, view: Any, need: Need) -> None:
    product = view.catalogue.ids[view.catalogue.products_of(view.catalogue.type_number("apples"))[0]]
    view.cart = (CartLine(product, 1, 1.0),)
    view.heard = (need(1, product_type="apples", accepted=product, closed=True),)
    asked = rule.reply(view)
    assert (asked.act, asked.need) == ("ask", 0)
    view.turn = 2
    view.response = UserResponse("answer", attribute="anything")
    offer = rule.reply(view)
    assert offer.act == "offer_checkout"
    assert offer.goal is not None
    assert offer.goal.kind == "landmark"
    view.node = view.store.checkouts[0]
    view.turn = 3
    view.response = UserResponse("chat")
    last = rule.reply(view)
    assert last.suggest is not None
    assert last.suggest.type == "checkout"


def test_it_never_offers_to_pay_while_a_need_is_open(trip: Trip) -> None:
    for index in range(8):
        played = trip("rule", index=index)
        removed = any(e["k"] == "cart" and e["op"] == "remove" for e in played.line["events"])
        for message, heard in zip(played.messages, played.heard, strict=True):
            if message.act == "offer_checkout" and not removed:
                assert all(need.closed or need.accepted is None for need in heard)


def test_after_a_complaint_it_apologises_and_asks_nothing_for_a_while(view: Any, need: Need) -> None:
    rule = Rule({"hush": 2})
    rule.start(view)
    view.heard = (need(1, product_type="apples", closed=True),)
    view.response = UserResponse("complain", cause="too_many_questions")
    message = rule.reply(view)
    assert (message.act, message.emotion) == ("acknowledge", "annoyed")
    assert message.text
    view.turn, view.response = 2, UserResponse("chat")
    assert rule.reply(view).act != "ask"
    view.turn = 3
    assert rule.reply(view).act == "ask"


def test_it_lets_the_user_speak_who_stands_idle_before_its_choice(view: Any, need: Need) -> None:
    rule = Rule({"listen_after": 2})
    rule.start(view)
    stand_at(view, "apples")
    product = view.catalogue.ids[view.catalogue.products_of(view.catalogue.type_number("apples"))[0]]
    view.heard = (need(1, product_type="apples", accepted=product), need(2, product_type="butter"))
    view.last_action = ("wait", "")
    assert rule.reply(view).act == "ask"
    view.turn = 2
    assert rule.reply(view).act in ("guide", "chat")


def test_advice_that_is_ignored_is_not_pressed(view: Any, need: Need) -> None:
    rule = Rule({"ask": False, "recommend": False, "ignored_moves": 2, "rest": 5})
    rule.start(view)
    view.heard = (need(1, product_type="apples"),)
    elsewhere = view.position
    for turn in range(1, 4):
        view.turn = turn
        message = rule.reply(view)
        if turn < 3:
            assert message.suggest is not None
        view.last_action = ("move", elsewhere)
    assert message.suggest is None


def test_a_product_put_back_is_not_pressed_on_the_user(view: Any, need: Need) -> None:
    rule = Rule({"ask": False})
    rule.start(view)
    product = view.catalogue.ids[view.catalogue.products_of(view.catalogue.type_number("apples"))[0]]
    view.heard = (need(1, product_type="apples"),)
    view.last_action = ("remove", product)
    message = rule.reply(view)
    assert message.items == ()
    assert message.goal is None
