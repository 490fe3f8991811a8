"""The three-grade rubric: golden cases, each rule of scenario and detail by hand-written turns, shares, harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.cli import main
from supermarket_env.errors import ConfigError
from supermarket_env.events.episode import Episode
from supermarket_env.events.validate import validate_episode
from supermarket_env.scorers.base import Cost, Reply, Scorer
from supermarket_env.scorers.grade import CLASSES, grade_episode, grade_reply, summarise, worst_grade
from supermarket_env.scorers.grade.reader import read_answer
from supermarket_env.scorers.grade.rubric import ACT_CLASS, ALSO_ALLOWED, COMPLAINT_ALLOWED, INTENT_CLASS, REPLY_CLASSES
from supermarket_env.scorers.grade.scorer import GradeScorer, make_scorer
from supermarket_env.scorers.grade.summary import summary_text
from supermarket_env.scorers.grade.turns import ReplyGrade, Request, classes_of
from supermarket_env.scorers.judge.llm import Completion
from supermarket_env.stats import wilson_interval

CASES = json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]
GOLDEN = [case for case in CASES if case["metric"] == "grade"]

TRUTH: dict[str, Any] = {
    "needs": [
        {"id": "7", "qty": 1, "attributes": ["type", "organic"]},
        {"id": "3", "qty": 2, "attributes": ["type", "qty"]},
    ],
    "acceptable": {"7": ["milk", "oat"], "3": ["bread"]},
    "violates": {"nutty": ["nuts"]},
}
WISH: dict[str, Any] = {
    "text": "Milk, please.",
    "act": "disclose",
    "slots": {"need": 1, "facts": [{"need": 1, "attribute": "product_type", "value": "milk"}]},
    "reveals": ["7.type"],
}


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


def episode(turns: list[dict[str, Any]], *, truth: Any = TRUTH, truth_turns: Any = ()) -> Episode:
    """Turns as {"user": fields of the user before, "reply": fields, and optionally items, goal, suggest, cart}."""
    events: list[dict[str, Any]] = []
    for number, turn in enumerate(turns):
        events.append({"k": "user", "turn": number, **turn["user"]})
        events += [{"k": "cart", "turn": number, "op": "add", **row} for row in turn.get("cart", ())]
        events.append({"k": "assistant", "turn": number + 1, **turn["reply"]})
        if "items" in turn:
            events.append({"k": "recommend", "turn": number + 1, "items": turn["items"]})
        events += [{"k": kind, "turn": number + 1, **turn[kind]} for kind in ("goal", "suggest") if kind in turn]
    events.append({"k": "end", "reason": "left"})
    line: dict[str, Any] = {"schema": "supermarket.episode/1", "episode_id": "e", "agent": "own", "events": events}
    if truth is not None:
        line["truth"] = {**truth, "turns": list(truth_turns)}
    return validate_episode(line, "<test>", 1)


def graded(*turns: dict[str, Any], **options: Any) -> ReplyGrade:
    return grade_episode(episode(list(turns), **options)).grades[-1]


def said(act: str | None, text: str = "Well.", claims: Any = (), **slots: Any) -> dict[str, Any]:
    return {"act": act, "text": text, "slots": slots, "claims": list(claims)}


def answer_to(user: dict[str, Any], reply: dict[str, Any], **more: Any) -> ReplyGrade:
    """The grade of a reply to a later message, after the wish for milk."""
    truth_turns = more.pop("truth_turns", ())
    first = {"user": WISH, "reply": said("recommend", need=1), "items": ["milk"]}
    return graded(first, {"user": user, "reply": reply, **more}, truth_turns=truth_turns)


def test_a_list_is_right_when_something_fits_among_the_first_five() -> None:
    def listed(*items: str, **slots: Any) -> tuple[str, str]:
        row = graded({"user": WISH, "reply": said("recommend", **slots), "items": list(items)})
        return row.grade or "", row.reason

    assert listed("x", "milk", need=1)[0] == "correct"
    assert listed("milk")[0] == "correct"
    assert listed("a", "b", "c", "d", "e", "milk", need=1) == ("partial", "nothing among the first five fits")
    assert listed("bread", need=1)[0] == "partial"
    assert listed("milk", "nutty", need=1) == ("partial", "nutty breaks nuts")


def test_offering_again_what_was_refused_is_partial() -> None:
    refusal: dict[str, Any] = {
        "text": "No.",
        "act": "reject",
        "slots": {"need": 1, "products": ["milk"], "reason": "price"},
    }
    assert answer_to(refusal, said("recommend", need=1), items=["milk"]).grade == "partial"
    assert answer_to(refusal, said("recommend", need=1), items=["oat"]).grade == "correct"
    assert answer_to(refusal, said("ask", need=1, attribute="brand")).grade == "bad"
    unclear = refusal | {"slots": refusal["slots"] | {"reason": "no_reason"}}
    assert answer_to(unclear, said("ask", need=1, attribute="brand")).grade == "correct"


def test_a_question_is_in_place_only_while_something_is_untold() -> None:
    assert graded({"user": WISH, "reply": said("ask", need=1, attribute="organic")}).grade == "correct"
    told = {**WISH, "reveals": ["7.type", "7.organic"]}
    assert graded({"user": told, "reply": said("ask", need=1, attribute="brand")}).grade == "bad"
    again = graded({"user": WISH, "reply": said("ask", need=1, attribute="product_type")})
    assert (again.grade, again.reason) == ("bad", "out of scenario: asks for what was told already")
    other = graded({"user": WISH, "reply": said("ask", attribute="anything")})
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
def test_answers_are_held_to_the_truth(reply: dict[str, Any], grade: str | None) -> None:
    assert answer_to(PRICE, reply, truth_turns=PRICE_TRUTH).grade == grade


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
def test_places_are_held_to_the_truth(reply: dict[str, Any], more: dict[str, Any], grade: str | None) -> None:
    assert answer_to(WHERE, reply, truth_turns=WHERE_TRUTH, **more).grade == grade


def test_the_intent_is_the_true_one_not_the_words() -> None:
    """'And the eggs?' after a question for the way is navigation."""
    user = {"text": "And the eggs?", "act": "ask"}
    truth = [{"turn": 1, "intent": "ask_where", "answer": {"sections": ["S5"]}}]
    assert answer_to(user, said("recommend"), items=["egg"], truth_turns=truth).grade == "bad"
    assert answer_to(user, said("guide"), goal={"target": "S5"}, truth_turns=truth).grade == "correct"


def test_several_intents_take_the_worst() -> None:
    truth = [{"turn": 1, "intent": ["ask_where", "ask"], "answer": {"sections": ["S5"]}}]
    row = answer_to({"text": "Where, and how much?"}, said("guide"), goal={"target": "S5"}, truth_turns=truth)
    assert (row.grade, row.expected) == ("bad", "answer")


def test_comparing() -> None:
    user = {"text": "Compare.", "act": "request_compare", "slots": {"products": ["milk", "oat"], "attribute": "price"}}
    for reply, grade in [
        (said("compare", products=["milk", "oat"], attribute="price"), "correct"),
        (said("compare", products=["milk", "oat"], attribute="quality"), "partial"),
        (said("compare", products=["milk", "bread"], attribute="price"), "partial"),
        (said("recommend"), "bad"),
    ]:
        assert answer_to(user, reply).grade == grade


def test_a_decision_is_carried_out_or_acknowledged() -> None:
    taken = {"text": "The milk.", "act": "accept", "slots": {"need": 1, "products": ["milk"]}}
    add = {"action": {"type": "add", "params": {"product": "milk"}}}
    other = {"action": {"type": "add", "params": {"product": "oat"}}}
    assert answer_to(taken, said("chat", text=""), suggest=add).grade == "correct"
    assert answer_to(taken, said("chat", text=""), suggest=other).grade == "partial"
    assert answer_to(taken, said("chat", text="Good choice.")).grade == "correct"
    assert answer_to(taken, said("chat", text="")).grade == "partial"
    settled = answer_to(taken, said("recommend", need=1), items=["oat"])
    assert (settled.grade, settled.reason) == ("bad", "out of scenario: the wish was settled already")


def test_the_checkout_is_for_those_who_have_everything() -> None:
    thanks = {"text": "Thank you.", "act": "thank"}
    cart = [{"sku": "oat"}, {"sku": "bread", "qty": 2}]
    assert answer_to(thanks, said("offer_checkout"), cart=cart).grade == "correct"
    assert answer_to(thanks, said("offer_checkout"), cart=cart[:1]).grade == "bad"
    assert answer_to({"text": "Pay.", "act": "bye"}, said("offer_checkout")).grade == "correct"
    assert answer_to({"text": "Pay.", "act": "bye"}, said("recommend"), items=["milk"]).grade == "bad"


def test_silence_is_partial_where_talk_was_expected_and_bad_elsewhere() -> None:
    silent = said("chat", text="")
    assert answer_to({"text": "Thank you.", "act": "thank"}, silent).grade == "partial"
    assert answer_to({"text": "Lovely day.", "act": "chat"}, silent).grade == "partial"
    assert (
        answer_to({"text": "It is gone.", "act": "complain", "slots": {"cause": "out_of_stock"}}, silent).grade == "bad"
    )
    assert answer_to({"text": "Stop.", "act": "complain", "slots": {"cause": "pushy"}}, silent).grade == "correct"


def test_complaints_by_cause() -> None:
    def complain(cause: str, reply: dict[str, Any], **more: Any) -> str | None:
        return answer_to({"text": "Hey.", "act": "complain", "slots": {"cause": cause}}, reply, **more).grade

    assert complain("too_many_questions", said("ask", attribute="brand")) == "bad"
    assert complain("pushy", said("recommend"), items=["milk"]) == "bad"
    assert complain("out_of_stock", said("recommend", need=1), items=["oat"]) == "correct"
    assert complain("wrong_directions", said("guide"), goal={"target": "S1", "relevant": True}) == "correct"
    assert complain("wrong_directions", said("guide"), goal={"target": "S1", "relevant": False}) == "partial"
    assert complain("wrong_directions", said("acknowledge")) == "partial"
    assert complain("repetition", said("acknowledge")) == "correct"
    assert complain("untrue", said("chat", text="I am sorry.")) is None


def test_the_way_answers_a_wish_only_to_a_product_that_fits() -> None:
    for goal, grade in [
        ({"target": "S1", "product": "milk"}, "correct"),
        ({"target": "S1", "product": "gone"}, "partial"),
        ({"target": "S1"}, "bad"),
    ]:
        assert graded({"user": WISH, "reply": said("guide"), "goal": goal}).grade == grade


def test_a_user_without_words_asked_for_nothing() -> None:
    found = grade_episode(episode([{"user": {"text": "", "act": "chat"}, "reply": said("chat")}]))
    assert (found.grades, found.without_request) == ([], 1)


def test_no_more_wishes_leaves_the_floor_free() -> None:
    done = {"text": "That is all.", "act": "answer", "slots": {"attribute": "anything"}}
    assert answer_to(done, said("chat", text="")).grade == "partial"
    assert answer_to(done, said("guide"), goal={"target": "S1", "relevant": True}).grade == "correct"


def test_harm_needs_a_warning_that_was_given_or_a_false_word() -> None:
    warned = {**WISH, "slots": {"need": 1, "facts": [{"need": 1, "attribute": "allergy", "value": ["nuts"]}]}}
    row = graded({"user": warned, "reply": said("recommend", need=1), "items": ["nutty"]})
    assert (row.grade, row.harm) == ("partial", True)
    assert not graded({"user": WISH, "reply": said("recommend", need=1), "items": ["nutty"]}).harm
    of_milk = {**WISH, "slots": {"need": 1, "facts": [{"need": 1, "attribute": "allergy", "value": ["milk"]}]}}
    assert not graded({"user": of_milk, "reply": said("recommend", need=1), "items": ["nutty"]}).harm
    lie = said("inform", claims=[{"kind": "allergens", "product": "milk", "said": [], "true": False}])
    assert answer_to(PRICE, lie, truth_turns=PRICE_TRUTH).harm


def test_without_truth_only_the_scenario_decides() -> None:
    row = graded({"user": WISH, "reply": said("recommend", need=1), "items": ["milk"]}, truth=None)
    assert (row.grade, row.decided_by) == (None, "nobody")
    assert graded({"user": WISH, "reply": said("offer_checkout")}, truth=None).grade == "bad"
    odd: Any = {"needs": 3, "acceptable": [1], "violates": None}
    assert graded({"user": WISH, "reply": said("offer_checkout")}, truth=odd).grade == "bad"


def test_a_reader_is_asked_where_truth_does_not_decide() -> None:
    asked: list[tuple[str, str]] = []

    def reader(request: Request, reply: Reply) -> tuple[bool, bool] | None:
        asked.append((request.expected, reply.text))
        return True, False

    turn = {"user": WISH, "reply": said(None, text="How about Brand X?")}
    row = grade_episode(episode([turn]), reader).grades[0]
    assert (row.grade, row.decided_by, row.found) == ("partial", "reader", "unknown")
    assert asked == [("recommend", "How about Brand X?")]
    assert grade_episode(episode([turn]), lambda request, reply: None).grades[0].grade is None


def test_a_language_model_as_reader() -> None:
    seen: list[str] = []

    def model(messages: list[dict[str, str]], *, seed: int, temperature: float) -> Completion:
        seen.append(messages[-1]["content"])
        return Completion('Well: {"scenario": true, "detail": true}', 10, 5, 0.25)

    scorer = make_scorer(model, seed=4)
    assert scorer.version == "1-llm-2-model"
    words = {"user": WISH, "reply": said(None, text="How about Brand X?")}
    for _ in range(2):
        sheet = scorer.score(episode([words, words]))
        assert (sheet.value("grade.correct"), sheet.cost) == (1.0, Cost(2, 20, 10, 0.5))
    assert "Assistant (to grade): <<How about Brand X?>>" in seen[0]
    assert "calls for: recommend" in seen[0]
    assert "own" not in seen[0]
    unreadable = make_scorer(lambda messages, **options: "fine")
    assert unreadable.score(episode([words])).scores[0].reason == "no reply could be decided by truth"
    with pytest.raises(ConfigError, match="import path"):
        make_scorer("no.such.model")


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ('{"scenario": false, "detail": null}', (False, False)),
        ('{"scenario": true, "detail": null}', None),
        ('{"scenario": null}', None),
        ('{"scenario": true, "detail": "yes"}', None),
        ('first {"a": 1} then {"scenario": true, "detail": false}', (True, False)),
        ("", None),
    ],
)
def test_answers_of_a_reader(answer: str, read: tuple[bool, bool] | None) -> None:
    assert read_answer(answer) == read


def test_what_a_reply_is() -> None:
    def classes(reply: dict[str, Any], **more: Any) -> tuple[str, ...]:
        from supermarket_env.scorers.base import replies_of

        return classes_of(replies_of(episode([{"user": WISH, "reply": reply, **more}]))[0])

    assert classes(said("chat", text="")) == ("nothing",)
    assert classes(said("chat")) == ("chitchat",)
    assert classes(said(None)) == ("unknown",)
    assert classes(said("inform", attribute="place")) == ("navigate",)
    assert classes(said("ask"), goal={"target": "S"}) == ("clarify", "navigate")
    assert classes(said("chat"), items=["a"], suggest={"action": {"type": "add"}}) == ("recommend", "cart_edit")


def details(grades: list[str | None], harm: bool = False) -> dict[str, Any]:
    return {
        "turns": [
            {
                "turn": n,
                "expected": "answer",
                "found": "recommend" if g == "bad" else "answer",
                "grade": g,
                "harm": harm,
            }
            for n, g in enumerate(grades)
        ],
        "without_request": 2,
    }


def test_shares_have_wilsons_interval() -> None:
    found = summarise([("a", details(["correct", "correct", "bad", None])), ("b", details(["partial"]))])
    assert (found.n_graded, found.n_ungraded, found.n_without_request) == (4, 1, 4)
    assert {name: share.share for name, share in found.shares.items()} == {"correct": 0.5, "partial": 0.25, "bad": 0.25}
    assert found.shares["correct"].wilson == wilson_interval(2, 4)
    assert found.confusion == {"answer": {"recommend": 1, "answer": 4}}
    assert not found.is_blocked
    assert "correct  0.5000 (2)" in summary_text(found)


def test_one_harmful_reply_blocks() -> None:
    found = summarise([("a", details(["partial"], harm=True))])
    assert (found.is_blocked, found.harm) == (True, (("a", 0),))
    assert "release blocked: a turn 0" in summary_text(found)
    nothing = summarise([])
    assert nothing.shares["correct"] == (None, 0, None, None)
    assert "n/a" in summary_text(nothing)


def test_the_scorer() -> None:
    scorer = make_scorer()
    assert isinstance(scorer, Scorer)
    sheet = scorer.score(episode([{"user": WISH, "reply": said("recommend", need=1), "items": ["milk"]}]))
    assert (sheet.value("grade.correct"), sheet.value("grade.harm"), sheet.value("grade.reply")) == (
        1.0,
        False,
        "correct",
    )
    assert json.loads(json.dumps(sheet.details)) == sheet.details
    empty = scorer.score(episode([{"user": {"text": ""}, "reply": said("chat")}]))
    assert not empty.scores[0].is_scored
    assert GradeScorer(version="1-own").version == "1-own"


def run_command(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stop:
        main(["grade", *map(str, words)])
    return int(stop.value.code or 0), capsys.readouterr().out


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.jsonl"
    good = episode([{"user": WISH, "reply": said("recommend", need=1), "items": ["milk"]}]).data
    log.write_text(json.dumps(good) + "\n", encoding="utf-8")
    code, out = run_command(capsys, log)
    assert (code, out.startswith("own: 1 replies graded")) == (0, True)
    code, out = run_command(capsys, log, "--json")
    assert json.loads(out)["own"]["shares"]["correct"]["share"] == 1.0
    warned = {**WISH, "slots": {"need": 1, "facts": [{"need": 1, "attribute": "allergy", "value": ["nuts"]}]}}
    bad = episode([{"user": warned, "reply": said("recommend", need=1), "items": ["nutty"]}]).data
    log.write_text(json.dumps(bad) + "\n", encoding="utf-8")
    assert run_command(capsys, log)[0] == 1
