"""What decides where truth does not, shares and harm over episodes, the scorer and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.cli import main
from supermarket_env.errors import ConfigError
from supermarket_env.scorers.base import Cost, Reply, Scorer
from supermarket_env.scorers.grade import grade_episode, summarise
from supermarket_env.scorers.grade.reader import read_answer
from supermarket_env.scorers.grade.scorer import GradeScorer, make_scorer
from supermarket_env.scorers.grade.summary import summary_text
from supermarket_env.scorers.grade.turns import Request, classes_of
from supermarket_env.scorers.judge.llm import Completion
from supermarket_env.stats import wilson_interval


def test_a_reader_is_asked_where_truth_does_not_decide(grading: Any) -> None:
    asked: list[tuple[str, str]] = []

    def reader(request: Request, reply: Reply) -> tuple[bool, bool] | None:
        asked.append((request.expected, reply.text))
        return True, False

    turn = {"user": grading.wish, "reply": grading.said(None, text="How about Brand X?")}
    row = grade_episode(grading.episode([turn]), reader).grades[0]
    assert (row.grade, row.decided_by, row.found) == ("partial", "reader", "unknown")
    assert asked == [("recommend", "How about Brand X?")]
    assert grade_episode(grading.episode([turn]), lambda request, reply: None).grades[0].grade is None


def test_a_language_model_as_reader(grading: Any) -> None:
    seen: list[str] = []

    def model(messages: list[dict[str, str]], *, seed: int, temperature: float) -> Completion:
        seen.append(messages[-1]["content"])
        return Completion('Well: {"scenario": true, "detail": true}', 10, 5, 0.25)

    scorer = make_scorer(model, seed=4)
    assert scorer.version == "1-llm-2-model"
    words = {"user": grading.wish, "reply": grading.said(None, text="How about Brand X?")}
    for _ in range(2):
        sheet = scorer.score(grading.episode([words, words]))
        assert (sheet.value("grade.correct"), sheet.cost) == (1.0, Cost(2, 20, 10, 0.5))
    assert "Assistant (to grade): <<How about Brand X?>>" in seen[0]
    assert "calls for: recommend" in seen[0]
    assert "own" not in seen[0]
    unreadable = make_scorer(lambda messages, **options: "fine")
    assert unreadable.score(grading.episode([words])).scores[0].reason == "no reply could be decided by truth"
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


def test_what_a_reply_is(grading: Any) -> None:
    def classes(reply: dict[str, Any], **more: Any) -> tuple[str, ...]:
        from supermarket_env.scorers.base import replies_of

        return classes_of(replies_of(grading.episode([{"user": grading.wish, "reply": reply, **more}]))[0])

    assert classes(grading.said("chat", text="")) == ("nothing",)
    assert classes(grading.said("chat")) == ("chitchat",)
    assert classes(grading.said(None)) == ("unknown",)
    assert classes(grading.said("inform", attribute="place")) == ("navigate",)
    assert classes(grading.said("ask"), goal={"target": "S"}) == ("clarify", "navigate")
    assert classes(grading.said("chat"), items=["a"], suggest={"action": {"type": "add"}}) == ("recommend", "cart_edit")


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


def test_the_scorer(grading: Any) -> None:
    scorer = make_scorer()
    assert isinstance(scorer, Scorer)
    sheet = scorer.score(
        grading.episode([{"user": grading.wish, "reply": grading.said("recommend", need=1), "items": ["milk"]}])
    )
    assert (sheet.value("grade.correct"), sheet.value("grade.harm"), sheet.value("grade.reply")) == (
        1.0,
        False,
        "correct",
    )
    assert json.loads(json.dumps(sheet.details)) == sheet.details
    empty = scorer.score(grading.episode([{"user": {"text": ""}, "reply": grading.said("chat")}]))
    assert not empty.scores[0].is_scored
    assert GradeScorer(version="1-own").version == "1-own"


def run_command(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stop:
        main(["grade", *map(str, words)])
    return int(stop.value.code or 0), capsys.readouterr().out


def test_the_command(grading: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.jsonl"
    good = grading.episode([{"user": grading.wish, "reply": grading.said("recommend", need=1), "items": ["milk"]}]).data
    log.write_text(json.dumps(good) + "\n", encoding="utf-8")
    code, out = run_command(capsys, log)
    assert (code, out.startswith("own: 1 replies graded")) == (0, True)
    code, out = run_command(capsys, log, "--json")
    assert json.loads(out)["own"]["shares"]["correct"]["share"] == 1.0
    warned = {**grading.wish, "slots": {"need": 1, "facts": [{"need": 1, "attribute": "allergy", "value": ["nuts"]}]}}
    bad = grading.episode([{"user": warned, "reply": grading.said("recommend", need=1), "items": ["nutty"]}]).data
    log.write_text(json.dumps(bad) + "\n", encoding="utf-8")
    assert run_command(capsys, log)[0] == 1
