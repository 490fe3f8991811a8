"""Judges that read: ratings files of people, and a language model's questions and answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.metrics import compute
from supermarket_env.scorers import make_scorer
from supermarket_env.scorers.judge.dimensions import DIMENSIONS
from supermarket_env.scorers.judge.llm import Completion, pairwise, question_key, read_ratings_of, read_verdict
from supermarket_env.scorers.judge.prompts import rating_prompt, shuffled, transcript
from supermarket_env.scorers.sheets import score_episode
from supermarket_env.stats import position_bias

HEAD = "episode_id,rater,dim,score\n"


def some_trip(log: Any, **extra: Any) -> Any:
    product = log.carried("fresh milk")
    return log.episode(
        log.user(0, "disclose", "Milk please", **log.wants(1, "fresh milk")),
        log.says(1, f"I suggest {log.priced(product)}.", "recommend", need=1),
        {"k": "recommend", "turn": 1, "items": [product]},
        log.user(1, "accept", "Fine", need=1, products=[product]),
        {"k": "cart", "turn": 1, "op": "add", "sku": product, "price": 1.0},
        {"k": "reward", "turn": 1, "value": 0.7},
        agent="secret_name",
        **extra,
    )


def test_ratings_of_people_reach_the_figures(log: Any, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(f"{HEAD}e,anna,naturalness,4\ne,ben,naturalness,2\ne,ben,groundedness,\n", encoding="utf-8")
    judge = make_scorer({"name": "judge", "backend": "human", "ratings": file})
    episode = some_trip(log)
    line = score_episode(judge, episode).line
    episode.events = [*episode.events[:-1], *line["events"], episode.events[-1]]
    figures = compute([episode])["judge"]["naturalness"]
    assert (figures["mean"], figures["n"]) == (3.0, 1)
    assert [s["dim"] for s in line["values"]["scores"] if s["value"] is None] == [
        d for d in DIMENSIONS if d != "naturalness"
    ]
    assert judge.version.startswith("human-1-")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("episode_id,rater,score\n", r"line 1: .*missing: dim"),
        (f"{HEAD}e,a,naturalnes,4\n", r"line 2, dim: unknown dimension 'naturalnes'.*Did you mean 'naturalness'"),
        (f"{HEAD}e,a,naturalness,6\n", r"line 2, score: expected a whole number from 1 to 5, got '6'"),
        (f"{HEAD}e,a,naturalness,3.5\n", r"line 2, score"),
        (f"{HEAD},a,naturalness,3\n", r"line 2, episode_id: expected a text"),
        (f"{HEAD}e,a,naturalness,3\ne,a,naturalness,4\n", r"line 3: 'a' rates naturalness of 'e' twice"),
    ],
)
def test_a_broken_ratings_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "r.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=words):
        make_scorer({"name": "judge", "backend": "human", "ratings": str(file)})


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"naturalness": 4, "groundedness": null}', [4, None]),
        ('Let me think {"naturalness": 1}\n```json\n{"naturalness": "5", "groundedness": 2}\n```', [5, 2]),
        ("Naturalness: 3/5\n**groundedness**: 2", [3, 2]),
        ('{"naturalness": 6, "groundedness": 3.5}', [None, None]),
        ('{"naturalness": true, "groundedness": 0}', [None, None]),
        ("I cannot judge this.", [None, None]),
        ('{"naturalness": ', [None, None]),
    ],
)
def test_answers_are_read_strictly(answer: str, expected: list[int | None]) -> None:
    found = read_ratings_of(answer, ["naturalness", "groundedness"])
    assert [found[dim].score for dim in ("naturalness", "groundedness")] == expected


def test_a_declared_null_is_no_unreadable_answer() -> None:
    found = read_ratings_of('{"naturalness": null}', ["naturalness", "groundedness"])
    assert found["naturalness"].declined
    assert found["groundedness"].problem == "not in the answer"


def test_the_judge_is_blind(log: Any) -> None:
    for dims in (["naturalness", "groundedness"], ["overall_satisfaction"]):
        text = json.dumps(rating_prompt(some_trip(log, truth={"U_star": 9.75}), dims, 0))
        assert "secret_name" not in text
        assert "9.75" not in text
        assert "reward" not in text
    assert "puts into the cart" not in transcript(some_trip(log))
    assert "puts into the cart" in transcript(some_trip(log), with_cart=True)


def test_the_order_of_the_rubric_is_drawn_anew_for_each_question(log: Any) -> None:
    orders = {tuple(shuffled(DIMENSIONS, "e", sample)) for sample in range(12)}
    assert len(orders) > 6
    firsts = [shuffled(DIMENSIONS, f"e{k}", 0)[0] for k in range(700)]
    assert min(firsts.count(dim) for dim in DIMENSIONS) > 60


def test_repeated_questions_give_a_rating_each_and_costs_add_up(log: Any) -> None:
    calls: list[int] = []

    def model(messages: Any, *, seed: int, temperature: float) -> Completion:
        calls.append(seed)
        text = (
            '{"overall_satisfaction": 4}' if "overall_satisfaction" in messages[0]["content"] else '{"naturalness": 7}'
        )
        return Completion(text, 100, 10, 0.01)

    judge = make_scorer({"name": "judge", "backend": "llm", "model": model, "samples": 2, "seed": 5})
    line = score_episode(judge, some_trip(log)).line
    assert calls == [5, 5, 6, 6]
    assert [(e["rater"], e["score"]) for e in line["events"] if e["dim"] == "overall_satisfaction"] == [
        ("s0", 4),
        ("s1", 4),
    ]
    assert all(e["score"] is None for e in line["events"] if e["dim"] == "naturalness")
    assert line["values"]["details"]["unreadable"]["naturalness"] == 2
    assert line["values"]["cost"] == {"calls": 4, "tokens_in": 400, "tokens_out": 40, "money": 0.04}


def test_recorded_answers_stand_in_for_a_model(log: Any, tmp_path: Path) -> None:
    episode = some_trip(log)
    rows = []
    for dims in ([d for d in DIMENSIONS if d != "overall_satisfaction"], ["overall_satisfaction"]):
        key = question_key(rating_prompt(episode, dims, 0), 0)
        rows.append({"key": key, "text": json.dumps(dict.fromkeys(dims, 4)), "tokens_in": 7})
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    judge = make_scorer({"name": "judge", "backend": "llm", "model": str(file), "samples": 1})
    assert judge.version == "llm-2.1-recorded-answers-n1"
    scored = score_episode(judge, episode)
    assert {e["dim"]: e["score"] for e in scored.line["events"]} == dict.fromkeys(DIMENSIONS, 4)
    more = make_scorer({"name": "judge", "backend": "llm", "model": str(file), "samples": 2})
    assert score_episode(more, episode).failed


@pytest.mark.parametrize("text", ["not json", '{"key": "k"}', "[1]"])
def test_broken_recorded_answers_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="line 1: expected an object with key and text"):
        make_scorer({"name": "judge", "backend": "llm", "model": str(file)})


def test_pairs_are_compared_in_both_orders(log: Any) -> None:
    a, b = some_trip(log), log.episode(log.says(1, "Hello there"), log.user(1))

    def likes_the_first(messages: Any, *, seed: int, temperature: float) -> str:
        return '{"better": "first"}'

    def likes_a(messages: Any, *, seed: int, temperature: float) -> str:
        body = messages[1]["content"]
        return '{"better": "%s"}' % ("first" if body.index("Milk") < body.index("Hello there") else "second")

    assert pairwise(likes_the_first, [(a, b)] * 3, "naturalness") == [("A", "B")] * 3
    assert pairwise(likes_a, [(a, b)], "naturalness") == [("A", "A")]
    assert position_bias(pairwise(likes_the_first, [(a, b)] * 3, "naturalness")).consistency == 0.0
    assert read_verdict("nothing") is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"backend": "llm"}, "needs model"),
        ({"backend": "human"}, "needs ratings=FILE"),
        ({"backend": "ruls"}, "Did you mean 'rules'"),
        ({"backend": "llm", "model": "no.such.thing"}, "neither an import path"),
        ({"backend": "llm", "model": "builtins.len", "samples": 0}, "samples: expected a whole number of 1 or more"),
    ],
)
def test_what_a_backend_lacks_is_said(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        make_scorer({"name": "judge", **options})
