"""What the scripted user says: true of the response, nothing leaked, every act, slot, reason and cause covered."""

from __future__ import annotations

import numpy as np
import pytest

from supermarket_env.catalogue.load import load_catalogue
from supermarket_env.catalogue.schema import ALLERGENS, ATTRIBUTES, Catalogue, Columns, ProductType
from supermarket_env.dialogue.acts import Fact, UserResponse
from supermarket_env.errors import ConfigError, MessageError
from supermarket_env.rules import codes
from supermarket_env.user_sim.wording import MAX_SENTENCE, Manner, Wording, mood_of
from supermarket_env.user_sim.wording.accuracy import sentences
from supermarket_env.user_sim.wording.grammar import STANDARD
from supermarket_env.user_sim.wording.phrases import money
from supermarket_env.user_sim.wording.samples import draw_sample

KEYS = range(60)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue("embedded")


@pytest.fixture(scope="module")
def wording(catalogue: Catalogue) -> Wording:
    return Wording(catalogue)


def said(wording: Wording, response: UserResponse, manner: Manner | None = None, **options: object) -> list[str]:
    return [
        wording.say(response, manner=manner or Manner(mood=k % 5 - 2, temper=0.9), key=k, **options)  # type: ignore[arg-type]
        for k in KEYS
    ]


@pytest.mark.parametrize("act", codes.USER_ACTS)
def test_lines_are_short_latin_1_capitalised_and_leak_nothing(catalogue: Catalogue, act: str) -> None:
    for sample, text in sentences(catalogue, act, 400, first_key=9000):
        assert 0 < len(text) <= MAX_SENTENCE
        text.encode("latin-1")
        assert text.isprintable()
        assert text[0] == text[0].upper()
        assert "{" not in text
        assert "  " not in text
        for product in (*sample.among, *sample.response.products):
            assert product not in text
            assert catalogue.product(product).name.lower() not in text.lower()


@pytest.mark.parametrize("act", ["disclose", "answer"])
def test_every_fact_is_in_the_line(catalogue: Catalogue, act: str) -> None:
    for sample, text in sentences(catalogue, act, 400, first_key=700):
        low = text.lower()
        for fact in sample.response.facts:
            if fact.value is None:
                continue
            if fact.attribute in ("product_type", "department", "brand"):
                assert str(fact.value).lower() in low, text
            elif fact.attribute == "price_limit":
                assert money(float(str(fact.value))) in text
            elif fact.attribute in ("diet", "allergy"):
                assert isinstance(fact.value, tuple)
                assert all(name.replace("_", " ") in low for name in fact.value), text


def test_nothing_is_said_of_slots_that_are_not_there(catalogue: Catalogue, wording: Wording) -> None:
    response = UserResponse("disclose", need=1, facts=(Fact(1, "product_type", "fresh milk"),))
    words = [*(a.replace("_", " ") for a in ATTRIBUTES), "euro", "allergy", "brand", "small", "large", "packs"]
    for text in said(wording, response):
        assert "fresh milk" in text.lower()
        assert not [w for w in words if w in text.lower()], text


def test_facts_beside_another_act_are_said_too(catalogue: Catalogue, wording: Wording) -> None:
    product = catalogue.ids[0]
    facts = (Fact(1, "price_limit", 2.5),)
    for text in said(wording, UserResponse("reject", 1, facts, products=(product,), reason="price")):
        assert "2.50 euros" in text


def test_a_wish_names_the_need_it_is_about(wording: Wording) -> None:
    response = UserResponse("disclose", need=2, facts=(Fact(2, "organic", True),))
    assert all("apples" in text for text in said(wording, response, topics=("fresh milk", "apples")))
    assert not any("apples" in text for text in said(wording, response))


@pytest.mark.parametrize("attribute", ATTRIBUTES)
@pytest.mark.parametrize("value", [True, False, None])
def test_every_attribute_can_be_wished_and_be_of_no_matter(
    wording: Wording, attribute: str, value: bool | None
) -> None:
    response = UserResponse("answer", 1, (Fact(1, attribute, value),), attribute=attribute)
    negative = ("matter", "don't mind", "all the same", "preference", "needn't", "important", "difference",
                "care", "whatever", "anything", "either way", "i'm easy", "all fine", "up to you", "wish",
                "leave that")  # fmt: skip
    for text in said(wording, response):
        plain = text.lower().replace("matters to me", "").replace("is important", "")
        assert any(word in plain for word in negative) == (value is not True), text


@pytest.mark.parametrize("slot", [*codes.SLOTS[1:10], "organic"])
@pytest.mark.parametrize("facts", [True, False])
def test_no_preference_about_every_slot(wording: Wording, slot: str, facts: bool) -> None:
    given = (Fact(1, slot, None),) if facts else ()
    assert all(len(text) > 3 for text in said(wording, UserResponse("answer", 1, given, attribute=slot)))


@pytest.mark.parametrize("field", [*codes.SLOTS[1:], "", "organic", "family_size"])
def test_every_field_can_be_asked(catalogue: Catalogue, wording: Wording, field: str) -> None:
    texts = said(wording, UserResponse("ask", 1, attribute=field, products=(catalogue.ids[5],)))
    assert len(set(texts)) > 15
    assert sum("?" in text for text in texts) > 0.8 * len(texts)


@pytest.mark.parametrize("reason", codes.REASONS)
def test_every_reason(catalogue: Catalogue, wording: Wording, reason: str) -> None:
    for attribute in ("", "organic" if reason == "attribute" else "nuts"):
        response = UserResponse("reject", 1, products=(catalogue.ids[5],), reason=reason, attribute=attribute)
        texts = said(wording, response)
        assert len(set(texts)) > 20
        if reason in ("attribute", "allergen") and attribute:
            assert all(attribute in text for text in texts)
        assert all("that" in t.lower() or "this" in t.lower() for t in said(wording, response._replace(products=())))


@pytest.mark.parametrize("cause", codes.CAUSES)
def test_every_cause(catalogue: Catalogue, wording: Wording, cause: str) -> None:
    for about in ({}, {"products": (catalogue.ids[5],)}, {"category": "apples"}):
        texts = said(wording, UserResponse("complain", cause=cause, **about))
        assert len(set(texts)) > 10
        if "category" in about:
            assert all("apples" in text for text in texts)
            assert not any("apples is " in text or "apples isn't" in text for text in texts)


@pytest.mark.parametrize("end", ["", "checkout", "patience_checkout", "left", "patience", "max_turns"])
def test_goodbyes_say_how_the_trip_ends(wording: Wording, end: str) -> None:
    texts = said(wording, UserResponse("bye"), Manner(end=end))
    paid = [("paid" in text.lower()) for text in texts]
    assert all(paid) if end in ("checkout", "patience_checkout") else not any(paid)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("act", ["hesitate", "request_compare", "accept"])
def test_each_product_gets_a_name_of_its_own(catalogue: Catalogue, wording: Wording, act: str, n: int) -> None:
    ids = tuple(catalogue.ids[i] for i in (0, 7, 14)[:n])
    for text in said(wording, UserResponse(act, 1, products=ids), among=ids):
        assert n < 2 or " and " in text


def test_short_names_tell_products_of_a_list_apart(catalogue: Catalogue) -> None:
    wording = Wording(catalogue)
    numbers = list(catalogue.products_of(catalogue.type_number("oat drink")))
    for one in numbers:
        for other in numbers:
            mine, yours = catalogue.products[one], catalogue.products[other]
            if one == other or (mine.brand == yours.brand and mine.size == yours.size):
                continue
            ids = (catalogue.ids[one], catalogue.ids[other])
            forms, others = wording._names.forms(ids[0], ids), wording._names.forms(ids[1], ids)
            assert not set(forms) & set(others)


def test_words_follow_mood(catalogue: Catalogue) -> None:
    wording = Wording(catalogue)

    def mean_words(mood: int, talk: float) -> float:
        total = 0
        for act in codes.USER_ACTS:
            for key in range(150):
                sample = draw_sample(catalogue, act, key)
                manner = Manner(mood=mood, talkativeness=talk, end=sample.manner.end)
                text = wording.say(sample.response, manner=manner, key=key, among=sample.among, topics=sample.topics)
                total += len(text.split())
        return total / (150 * len(codes.USER_ACTS))

    assert mean_words(-2, 0.5) < mean_words(-1, 0.5) + 0.6 < mean_words(0, 0.5)
    assert mean_words(0, 0.0) < mean_words(0, 1.0)


def test_equal_input_gives_equal_lines_in_every_instance(catalogue: Catalogue) -> None:
    first, second = Wording(catalogue), Wording(catalogue)
    for key in range(200):
        sample = draw_sample(catalogue, codes.USER_ACTS[key % 12], key)
        lines = {w.say(sample.response, manner=sample.manner, key=key) for w in (first, second, first)}
        assert len(lines) == 1


def test_the_longest_response_still_fits(catalogue: Catalogue, wording: Wording) -> None:
    longest = max((t.name for t in catalogue.types), key=len)
    brand = max(catalogue.brands, key=len)
    facts = tuple(
        fact
        for need in (1, 2)
        for fact in (
            Fact(need, "product_type", longest),
            Fact(need, "allergy", ALLERGENS),
            Fact(need, "brand", brand),
        )
    )
    assert all(len(text) <= MAX_SENTENCE for text in said(wording, UserResponse("disclose", 1, facts)))


def test_unknown_names_are_refused(catalogue: Catalogue, wording: Wording) -> None:
    with pytest.raises(ConfigError, match=r"unknown wording variant 'standart'.*Did you mean 'standard'"):
        Wording(catalogue, variant="standart")
    for response, wrong in (
        (UserResponse("shout"), "user act 'shout'"),
        (UserResponse("reject", reason="colour"), "reason 'colour'"),
        (UserResponse("complain", cause="weather"), "cause 'weather'"),
    ):
        with pytest.raises(MessageError, match=wrong):
            wording.say(response, manner=Manner(), key=1)


def test_reasons_causes_and_ends_are_all_in_the_grammar() -> None:
    assert set(codes.REASONS) <= set(STANDARD.reject)
    assert set(codes.CAUSES) == set(STANDARD.complain)
    assert set(STANDARD.bye_of) <= set(codes.ENDS)


def test_mood_falls_with_irritation_and_rises_with_trust() -> None:
    moods = [mood_of(0.5, i / 10) for i in range(11)]
    assert moods == sorted(moods, reverse=True)
    calm = [mood_of(t / 10, 0.0) for t in range(11)]
    assert calm == sorted(calm)
    assert set(moods + calm) == {-2, -1, 0, 1, 2}


def tiny(names: list[tuple[str, str]]) -> Catalogue:
    n = len(names)
    ones = np.ones(n, dtype=np.int64)
    columns = Columns(
        ids=[f"p{i}" for i in range(n)], names=[name for name, _ in names], brands=[brand for _, brand in names],
        type_idx=ones * 0, size=np.full(n, 500.0), units=["g"] * n, price_cents=ones * 199, attr_mask=ones * 0,
        diet_mask=ones * 0, allergen_mask=ones * 0, popularity=np.ones(n), quality=np.full(n, np.nan),
        promotion=ones * 0, stock=ones,
    )  # fmt: skip
    return Catalogue("tiny", [ProductType("fresh things", "aisle", "dept")], columns)


def test_odd_names_are_never_said_in_full() -> None:
    names = [("Bananas", ""), ("Organic Whole Milk", "unbranded"), ("Acme", "Acme"), ("{x} (a|b)", "{p}"), ("Ž Ω", "Ω")]
    catalogue = tiny(names)
    wording = Wording(catalogue)
    for number, (name, _) in enumerate(names):
        for text in said(wording, UserResponse("accept", 1, products=(f"p{number}",))):
            text.encode("latin-1")
            assert name.lower() not in text.lower()
    assert all(
        "that" in t.lower() or "this" in t.lower() for t in said(wording, UserResponse("accept", 1, products=("nope",)))
    )
