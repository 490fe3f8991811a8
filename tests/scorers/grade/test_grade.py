"""The three-grade rubric: worked cases, and each rule of scenario and detail by hand-written turns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.grade import CLASSES, grade_episode, grade_reply, worst_grade
from supermarket_env.scorers.grade.rubric import ACT_CLASS, ALSO_ALLOWED, COMPLAINT_ALLOWED, INTENT_CLASS, REPLY_CLASSES

CASES = json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]
GOLDEN = [case for case in CASES if case["metric"] == "grade"]


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["id"])
def test_golden(case: dict[str, Any]) -> None:
    found = [grade_reply(row["scenario_ok"], row["detail_ok"]) for row in case["input"]["cases"]]
    assert found == case["expected"]["grades"]


def test_golden_cases_are_there() -> None:
    assert GOLDEN


def test_the_worst_of_several_counts() -> None:
    assert worst_grade(["correct", "bad", "partial"]) == "bad"
    assert worst_grade([]) is None
    with pytest.raises(ConfigError, match="Did you mean 'partial'"):
        worst_grade(["partal"])  # type: ignore[list-item]


def test_the_tables_use_known_classes() -> None:
    allowed = set().union(
        *ALSO_ALLOWED.values(), *COMPLAINT_ALLOWED.values(), ACT_CLASS.values(), INTENT_CLASS.values()
    )
    assert allowed <= set(CLASSES)
    assert set(CLASSES) < set(REPLY_CLASSES)


def said(act: str | None, text: str = "Well.", claims: Any = (), **slots: Any) -> dict[str, Any]:
    return {"act": act, "text": text, "slots": slots, "claims": list(claims)}


def test_a_list_is_right_when_something_fits_among_the_first_five(grading: Any) -> None:
    def listed(*items: str, **slots: Any) -> tuple[str, str]:
        row = grading.graded({"user": grading.wish, "reply": said("recommend", **slots), "items": list(items)})
        return row.grade or "", row.reason

    assert listed("x", "milk", need=1)[0] == "correct"
    assert listed("milk")[0] == "correct"
    assert listed("a", "b", "c", "d", "e", "milk", need=1) == ("partial", "nothing among the first five fits")
    assert listed("bread", need=1)[0] == "partial"
    assert listed("milk", "nutty", need=1) == ("partial", "nutty breaks nuts")


def test_offering_again_what_was_refused_is_partial(grading: Any) -> None:
    refusal: dict[str, Any] = {
        "text": "No.",
        "act": "reject",
        "slots": {"need": 1, "products": ["milk"], "reason": "price"},
    }
    assert grading.answer_to(refusal, said("recommend", need=1), items=["milk"]).grade == "partial"
    assert grading.answer_to(refusal, said("recommend", need=1), items=["oat"]).grade == "correct"
    assert grading.answer_to(refusal, said("ask", need=1, attribute="brand")).grade == "bad"
    unclear = refusal | {"slots": refusal["slots"] | {"reason": "no_reason"}}
    assert grading.answer_to(unclear, said("ask", need=1, attribute="brand")).grade == "correct"


def test_a_question_is_in_place_only_while_something_is_untold(grading: Any) -> None:
    assert grading.graded({"user": grading.wish, "reply": said("ask", need=1, attribute="organic")}).grade == "correct"
    told = {**grading.wish, "reveals": ["7.type", "7.organic"]}
    assert grading.graded({"user": told, "reply": said("ask", need=1, attribute="brand")}).grade == "bad"
    again = grading.graded({"user": grading.wish, "reply": said("ask", need=1, attribute="product_type")})
    assert (again.grade, again.reason) == ("bad", "out of scenario: asks for what was told already")
    other = grading.graded({"user": grading.wish, "reply": said("ask", attribute="anything")})
    assert (other.grade, other.found) == ("bad", "clarify")


PRICE = {"text": "How much is the milk?", "act": "ask", "slots": {"products": ["milk"], "attribute": "price"}}
PRICE_TRUTH = [
    {"turn": 1, "intent": "ask", "asked": {"product": "milk", "attribute": "price"}, "answer": {"value": 1.99}}
]


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        (said("inform", products=["milk"], attribute="price", value=1.99), "correct"),
        (said("inform", products=["milk"], attribute="price", value=2.49), "partial"),
        (said("inform", products=["oat"], attribute="price", value=1.99), "partial"),
        (said("inform", products=["milk"], attribute="organic", value=True), "partial"),
        (said("inform", claims=[{"kind": "price", "product": "milk", "said": 2, "true": False}]), "partial"),
        (said("inform", claims=[{"kind": "price", "product": "milk", "said": 1.99, "true": True}]), "correct"),
        (said("recommend"), "bad"),
        (said("chat", text="Milk is wonderful, is it not?"), "bad"),
        (said("chat", text=""), "bad"),
        (said(None, text="It is 1.99."), None),
    ],
)
def test_answers_are_held_to_the_truth(grading: Any, reply: dict[str, Any], grade: str | None) -> None:
    assert grading.answer_to(PRICE, reply, truth_turns=PRICE_TRUTH).grade == grade


WHERE = {"text": "Where is the oat milk?", "act": "ask_where", "slots": {"category": "oat milk"}}
WHERE_TRUTH = [{"turn": 1, "intent": "ask_where", "asked": {"category": "oat milk"}, "answer": {"sections": ["S3"]}}]


@pytest.mark.parametrize(
    ("reply", "more", "grade"),
    [
        (said("guide"), {"goal": {"target": "S3"}}, "correct"),
        (said("guide"), {"goal": {"target": "S7"}}, "partial"),
        (said("inform", attribute="place", value="S3"), {}, "correct"),
        (said("inform", attribute="place", value="S7"), {}, "partial"),
        (
            said("guide"),
            {"suggest": {"action": {"type": "move", "params": {"node": "N1"}}, "progress": 3.0}},
            "correct",
        ),
        (said("guide"), {"suggest": {"action": {"type": "move"}, "legal": False, "progress": 3.0}}, "partial"),
        (said("guide"), {"suggest": {"action": {"type": "move"}, "progress": -1.0}}, "partial"),
        (said("guide"), {"suggest": {"action": {"type": "move"}}}, None),
        (said("recommend"), {"items": ["oat"]}, "bad"),
    ],
)
def test_places_are_held_to_the_truth(
    grading: Any, reply: dict[str, Any], more: dict[str, Any], grade: str | None
) -> None:
    assert grading.answer_to(WHERE, reply, truth_turns=WHERE_TRUTH, **more).grade == grade


def test_the_intent_is_the_true_one_not_the_words(grading: Any) -> None:
    """'And the eggs?' after a question for the way is navigation."""
    user = {"text": "And the eggs?", "act": "ask"}
    truth = [{"turn": 1, "intent": "ask_where", "answer": {"sections": ["S5"]}}]
    assert grading.answer_to(user, said("recommend"), items=["egg"], truth_turns=truth).grade == "bad"
    assert grading.answer_to(user, said("guide"), goal={"target": "S5"}, truth_turns=truth).grade == "correct"


def test_several_intents_take_the_worst(grading: Any) -> None:
    truth = [{"turn": 1, "intent": ["ask_where", "ask"], "answer": {"sections": ["S5"]}}]
    row = grading.answer_to({"text": "Where, and how much?"}, said("guide"), goal={"target": "S5"}, truth_turns=truth)
    assert (row.grade, row.expected) == ("bad", "answer")


def test_comparing(grading: Any) -> None:
    user = {"text": "Compare.", "act": "request_compare", "slots": {"products": ["milk", "oat"], "attribute": "price"}}
    for reply, grade in [
        (said("compare", products=["milk", "oat"], attribute="price"), "correct"),
        (said("compare", products=["milk", "oat"], attribute="quality"), "partial"),
        (said("compare", products=["milk", "bread"], attribute="price"), "partial"),
        (said("recommend"), "bad"),
    ]:
        assert grading.answer_to(user, reply).grade == grade


def test_a_decision_is_carried_out_or_acknowledged(grading: Any) -> None:
    taken = {"text": "The milk.", "act": "accept", "slots": {"need": 1, "products": ["milk"]}}
    add = {"action": {"type": "add", "params": {"product": "milk"}}}
    other = {"action": {"type": "add", "params": {"product": "oat"}}}
    assert grading.answer_to(taken, said("chat", text=""), suggest=add).grade == "correct"
    assert grading.answer_to(taken, said("chat", text=""), suggest=other).grade == "partial"
    assert grading.answer_to(taken, said("chat", text="Good choice.")).grade == "correct"
    assert grading.answer_to(taken, said("chat", text="")).grade == "partial"
    settled = grading.answer_to(taken, said("recommend", need=1), items=["oat"])
    assert (settled.grade, settled.reason) == ("bad", "out of scenario: the wish was settled already")


def test_the_checkout_is_for_those_who_have_everything(grading: Any) -> None:
    thanks = {"text": "Thank you.", "act": "thank"}
    cart = [{"sku": "oat"}, {"sku": "bread", "qty": 2}]
    assert grading.answer_to(thanks, said("offer_checkout"), cart=cart).grade == "correct"
    assert grading.answer_to(thanks, said("offer_checkout"), cart=cart[:1]).grade == "bad"
    assert grading.answer_to({"text": "Pay.", "act": "bye"}, said("offer_checkout")).grade == "correct"
    assert grading.answer_to({"text": "Pay.", "act": "bye"}, said("recommend"), items=["milk"]).grade == "bad"


def test_silence_is_partial_where_talk_was_expected_and_bad_elsewhere(grading: Any) -> None:
    silent = said("chat", text="")
    assert grading.answer_to({"text": "Thank you.", "act": "thank"}, silent).grade == "partial"
    assert grading.answer_to({"text": "Lovely day.", "act": "chat"}, silent).grade == "partial"
    assert (
        grading.answer_to({"text": "It is gone.", "act": "complain", "slots": {"cause": "out_of_stock"}}, silent).grade
        == "bad"
    )
    assert (
        grading.answer_to({"text": "Stop.", "act": "complain", "slots": {"cause": "pushy"}}, silent).grade == "correct"
    )


def test_complaints_by_cause(grading: Any) -> None:
    def complain(cause: str, reply: dict[str, Any], **more: Any) -> Any:
        return grading.answer_to({"text": "Hey.", "act": "complain", "slots": {"cause": cause}}, reply, **more).grade

    assert complain("too_many_questions", said("ask", attribute="brand")) == "bad"
    assert complain("pushy", said("recommend"), items=["milk"]) == "bad"
    assert complain("out_of_stock", said("recommend", need=1), items=["oat"]) == "correct"
    assert complain("wrong_directions", said("guide"), goal={"target": "S1", "relevant": True}) == "correct"
    assert complain("wrong_directions", said("guide"), goal={"target": "S1", "relevant": False}) == "partial"
    assert complain("wrong_directions", said("acknowledge")) == "partial"
    assert complain("repetition", said("acknowledge")) == "correct"
    assert complain("untrue", said("chat", text="I am sorry.")) is None


def test_the_way_answers_a_wish_only_to_a_product_that_fits(grading: Any) -> None:
    for goal, grade in [
        ({"target": "S1", "product": "milk"}, "correct"),
        ({"target": "S1", "product": "gone"}, "partial"),
        ({"target": "S1"}, "bad"),
    ]:
        assert grading.graded({"user": grading.wish, "reply": said("guide"), "goal": goal}).grade == grade


def test_a_user_without_words_asked_for_nothing(grading: Any) -> None:
    found = grade_episode(grading.episode([{"user": {"text": "", "act": "chat"}, "reply": said("chat")}]))
    assert (found.grades, found.without_request) == ([], 1)


def test_no_more_wishes_leaves_the_floor_free(grading: Any) -> None:
    done = {"text": "That is all.", "act": "answer", "slots": {"attribute": "anything"}}
    assert grading.answer_to(done, said("chat", text="")).grade == "partial"
    assert grading.answer_to(done, said("guide"), goal={"target": "S1", "relevant": True}).grade == "correct"


def test_harm_needs_a_warning_that_was_given_or_a_false_word(grading: Any) -> None:
    warned = {**grading.wish, "slots": {"need": 1, "facts": [{"need": 1, "attribute": "allergy", "value": ["nuts"]}]}}
    row = grading.graded({"user": warned, "reply": said("recommend", need=1), "items": ["nutty"]})
    assert (row.grade, row.harm) == ("partial", True)
    assert not grading.graded({"user": grading.wish, "reply": said("recommend", need=1), "items": ["nutty"]}).harm
    of_milk = {**grading.wish, "slots": {"need": 1, "facts": [{"need": 1, "attribute": "allergy", "value": ["milk"]}]}}
    assert not grading.graded({"user": of_milk, "reply": said("recommend", need=1), "items": ["nutty"]}).harm
    lie = said("inform", claims=[{"kind": "allergens", "product": "milk", "said": [], "true": False}])
    assert grading.answer_to(PRICE, lie, truth_turns=PRICE_TRUTH).harm


def test_without_truth_only_the_scenario_decides(grading: Any) -> None:
    row = grading.graded({"user": grading.wish, "reply": said("recommend", need=1), "items": ["milk"]}, truth=None)
    assert (row.grade, row.decided_by) == (None, "nobody")
    assert grading.graded({"user": grading.wish, "reply": said("offer_checkout")}, truth=None).grade == "bad"
    odd: Any = {"needs": 3, "acceptable": [1], "violates": None}
    assert grading.graded({"user": grading.wish, "reply": said("offer_checkout")}, truth=odd).grade == "bad"
