"""The retrieval assistant: what it finds, when it repeats itself, how it points the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from supermarket_env.agents.retrieval import Retrieval
from supermarket_env.dialogue.acts import Fact, UserResponse

Need = Callable[..., Any]


@pytest.fixture
def retrieval(view: Any) -> Retrieval:
    assistant = Retrieval()
    assistant.start(view)
    return assistant


def test_it_is_silent_until_a_type_is_said(retrieval: Retrieval, view: Any, need: Need) -> None:
    view.heard = (need(1, department="Bakery"),)
    assert retrieval.reply(view).items == ()


def test_words_about_the_need_decide_what_is_found(retrieval: Retrieval, view: Any, need: Need) -> None:
    view.heard = (need(1, product_type="apples", wanted=frozenset({"organic"})),)
    view.response = UserResponse("disclose", 1, (Fact(1, "product_type", "apples"), Fact(1, "organic", True)))
    message = retrieval.reply(view)
    found = [view.catalogue.product(item) for item in message.items]
    assert {p.product_type for p in found} == {"apples"}
    assert "organic" in found[0].attributes
    view.response = UserResponse("chat")
    assert retrieval.reply(view).items == ()


def test_after_a_rejection_the_rejected_one_is_gone(retrieval: Retrieval, view: Any, need: Need) -> None:
    view.heard = (need(1, product_type="apples"),)
    view.response = UserResponse("disclose", 1, (Fact(1, "product_type", "apples"),))
    first = retrieval.reply(view).items
    view.heard = (need(1, product_type="apples", rejected=first[:1]),)
    view.response = UserResponse("reject", 1, products=first[:1], reason="price")
    second = retrieval.reply(view).items
    assert second
    assert first[0] not in second


@pytest.mark.parametrize("how", ["category", "product"])
def test_a_question_for_the_way_gets_the_goal_and_the_next_move(
    how: str, retrieval: Retrieval, view: Any, need: Need
) -> None:
    kind = "apples"
    product = view.catalogue.ids[view.catalogue.products_of(view.catalogue.type_number(kind))[0]]
    section = int(view.store.home_section[view.catalogue.number(product)])
    view.node = max(range(view.store.n_nodes), key=lambda n: int(view.store.section_moves[n, section]))
    view.heard = (need(1, product_type=kind),)
    view.response = UserResponse("ask_where", 1, category=kind, products=(product,) if how == "product" else ())
    message = retrieval.reply(view)
    assert message.act == "guide"
    assert message.goal is not None
    assert (message.goal.kind, message.goal.id) == (how, product if how == "product" else kind)
    assert message.suggest is not None
    assert message.suggest.type == "move"
    assert message.suggest.arg in view.legal_moves()
    there = view.store.node_number(message.suggest.arg)
    assert view.store.section_moves[there, section] < view.store.section_moves[view.node, section]
