"""The rule parser on users' lines: the grammar's own output, hand-written lines, and rubbish."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.catalogue.load import load_catalogue
from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.dialogue.acts import MAX_TEXT, AssistantMessage, Fact
from supermarket_env.dialogue.parse import Parser
from supermarket_env.rules.codes import USER_ACTS
from supermarket_env.store import load_store
from supermarket_env.user_sim.wording.accuracy import Row, measure_all
from supermarket_env.user_sim.wording.samples import heard

FRESH_KEYS = 50_000
"""Keys that nobody looked at while the parser was written."""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue("embedded")


@pytest.fixture(scope="module")
def parser(catalogue: Catalogue) -> Parser:
    return Parser(catalogue, load_store("corner", catalogue))


@pytest.fixture(scope="module")
def rows(catalogue: Catalogue, parser: Parser) -> dict[str, Row]:
    return {row.act: row for row in measure_all(catalogue, parser, 300, first_key=FRESH_KEYS)}


def test_overall_act_accuracy(rows: dict[str, Row]) -> None:
    assert sum(row.act_accuracy for row in rows.values()) / len(rows) >= 0.95


@pytest.mark.parametrize("act", USER_ACTS)
def test_act_accuracy(rows: dict[str, Row], act: str) -> None:
    assert rows[act].act_accuracy >= 0.9


@pytest.mark.parametrize("act", ["disclose", "answer", "ask", "ask_where", "accept", "reject", "complain", "hesitate"])
def test_slot_f1(rows: dict[str, Row], act: str) -> None:
    f1 = rows[act].slot_f1
    assert f1 is not None
    assert f1 >= 0.9


OFFER = "offer"
ASK_BRAND = "ask brand"
ASK_ORGANIC = "ask organic"
ASK_AMOUNT = "ask quantity"
ASK_ANY = "ask anything"
# Lines people might type, written without looking at the grammar: context, line, act.
PLAIN = (
    (None, "hey, got any oat milk?", "disclose"),
    (None, "I need to buy eggs and butter", "disclose"),
    (None, "we are out of toilet paper", "disclose"),
    (None, "gluten free spaghetti please, not more than 2 euros", "disclose"),
    (None, "two large bottles of sparkling water", "disclose"),
    (None, "something sweet from the bakery section maybe", "disclose"),
    (None, "apples, organic if you have them", "disclose"),
    (None, "can you help me with dinner, I want salmon and rice", "disclose"),
    (ASK_BRAND, "Hofland", "answer"),
    (ASK_BRAND, "I don't care about brands", "answer"),
    (ASK_BRAND, "doesn't matter really", "answer"),
    (ASK_ORGANIC, "yes organic would be nice", "answer"),
    (ASK_ORGANIC, "no, not necessary", "answer"),
    (ASK_ORGANIC, "yes", "answer"),
    (ASK_AMOUNT, "three", "answer"),
    (ASK_AMOUNT, "just one thanks", "answer"),
    (ASK_ANY, "it should be vegan and cheap, under 3 euros", "answer"),
    (ASK_ANY, "nothing special", "answer"),
    (OFFER, "the first one please", "accept"),
    (OFFER, "ok I'll take that", "accept"),
    (OFFER, "sounds good", "accept"),
    (OFFER, "the second one is too expensive", "reject"),
    (OFFER, "no, wrong brand", "reject"),
    (OFFER, "that one is not organic", "reject"),
    (OFFER, "I already have that at home", "reject"),
    (OFFER, "no thanks, something else", "reject"),
    (OFFER, "how much is the first one?", "ask"),
    (OFFER, "is the second one vegan?", "ask"),
    (OFFER, "which of these is better?", "request_compare"),
    (OFFER, "what's the difference between the first and the second?", "request_compare"),
    (OFFER, "hmm, I can't decide", "hesitate"),
    (OFFER, "not sure about the first one", "hesitate"),
    (None, "where is the bread?", "ask_where"),
    (None, "which aisle has the coffee beans", "ask_where"),
    (None, "I can't find the honey anywhere", "complain"),
    (OFFER, "the first one is sold out", "complain"),
    (None, "you sent me the wrong way", "complain"),
    (None, "you already told me that, stop repeating yourself", "complain"),
    (None, "you ask too many questions", "complain"),
    (None, "stop pushing me", "complain"),
    (None, "that is over my budget", "complain"),
    (None, "thanks a lot", "thank"),
    (None, "thank you so much for your help", "thank"),
    (None, "ok bye", "bye"),
    (None, "I'm leaving, goodbye", "bye"),
    (None, "I have paid, see you next time", "bye"),
    (None, "hm", "chat"),
    (None, "let me think", "chat"),
)


def context(catalogue: Catalogue, name: str | None) -> AssistantMessage:
    if name == OFFER:
        numbers = list(catalogue.products_of(catalogue.type_number("oat drink")))
        by_brand = {catalogue.products[n].brand: catalogue.ids[n] for n in reversed(numbers)}
        return AssistantMessage(act="recommend", need=1, items=tuple(by_brand.values())[:3])
    if name is None:
        return AssistantMessage()
    return AssistantMessage(act="ask", need=1, attribute=name.split()[1])


def test_hand_written_lines_are_mostly_understood(catalogue: Catalogue, parser: Parser) -> None:
    wrong = []
    for name, line, act in PLAIN:
        read = parser.user(line, asked=context(catalogue, name), mentioned=(heard(1, "oat drink"),))
        if read.act != act:
            wrong.append((line, act, read.act))
    assert len(wrong) <= 0.15 * len(PLAIN), wrong


def facts(parser: Parser, line: str, asked: AssistantMessage | None = None, *types: str) -> tuple[Fact, ...]:
    needs = tuple(heard(i + 1, name) for i, name in enumerate(types))
    return parser.user(line, asked=asked, mentioned=needs).facts


def test_a_new_type_is_the_next_need(parser: Parser) -> None:
    found = facts(parser, "I need some organic apples and two packs of eggs.", None, "oat drink")
    assert set(found) == {
        Fact(2, "organic", True),
        Fact(2, "product_type", "apples"),
        Fact(3, "product_type", "eggs"),
        Fact(3, "quantity", 2),
    }


def test_a_topic_points_at_the_need_it_names(parser: Parser) -> None:
    assert facts(parser, "For the apples: lactose free.", None, "apples", "eggs") == (Fact(1, "lactose_free", True),)


def test_an_answer_is_read_by_the_question(parser: Parser) -> None:
    for attribute, line, value in (
        ("organic", "Yes please.", True),
        ("organic", "No, I don't mind.", None),
        ("brand", "Whatever.", None),
        ("quantity", "Four.", 4),
        ("price_limit", "2.50 euros.", 2.5),
        ("size", "A small one.", "small"),
        ("allergy", "I'm allergic to nuts and milk.", ("nuts", "milk")),
        ("diet", "Strictly vegan.", ("vegan",)),
        ("allergy", "No allergies.", None),
    ):
        question = AssistantMessage(act="ask", need=2, attribute=attribute)
        assert facts(parser, line, question, "apples", "eggs") == (Fact(2, attribute, value),), line


def test_a_narrowed_vague_need_keeps_its_ordinal(parser: Parser) -> None:
    question = AssistantMessage(act="ask", need=1, attribute="product_type")
    read = parser.user("Croissants.", asked=question, mentioned=(heard(1, None, "Bakery"),))
    assert read.facts == (Fact(1, "product_type", "croissants"),)
    assert read.act == "answer"


def test_positions_name_products(catalogue: Catalogue, parser: Parser) -> None:
    offer = context(catalogue, OFFER)
    for word, place in (("first", 0), ("second", 1), ("third", 2), ("last", -1)):
        assert parser.user(f"I'll take the {word} one", asked=offer, mentioned=()).products == (offer.items[place],)


@given(st.text(max_size=200))
@settings(deadline=None, max_examples=60)
def test_any_text_is_read(parser: Parser, text: str) -> None:
    read = parser.user(text, asked=None, mentioned=())
    assert read.act in USER_ACTS
    assert read.text == text


@pytest.mark.parametrize(
    "unit", ["no ", "the first one and ", "organic apples ", "2 ", "\x00", "allergic to ", "\u20ac1 ", "a" * 50]
)
def test_long_texts_are_cut_before_they_are_read(catalogue: Catalogue, parser: Parser, unit: str) -> None:
    """Only the first ``MAX_TEXT`` characters are read, so half a megabyte costs no more than a page."""
    asked, mentioned = context(catalogue, OFFER), (heard(1, "apples"),)
    whole = parser.user(unit * 100_000, asked=asked, mentioned=mentioned)
    page = parser.user((unit * 100_000)[:MAX_TEXT], asked=asked, mentioned=mentioned)
    assert whole._replace(text="") == page._replace(text="")
