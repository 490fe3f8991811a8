"""A language model as judge: repeated blind questions, strict reading of the answers, costs.

The model itself is any callable ``model(messages, seed=..., temperature=...)`` that returns a text or a
:class:`Completion`; a file of recorded answers is one too. An answer that cannot be read is no rating: it is counted
and never replaced by a middle grade.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol

from supermarket_env.errors import ConfigError
from supermarket_env.events.episode import Episode
from supermarket_env.scorers.base import Cost, Score, ScoreSheet, unscored, wording_note
from supermarket_env.scorers.judge.dimensions import DIMENSIONS, LANGUAGE_DIMENSIONS, RUBRIC
from supermarket_env.scorers.judge.prompts import PROMPT_VERSION, Message, pair_prompt, rating_prompt

Verdict = Literal["A", "B", "tie"]

QUESTIONS: Final = (tuple(dim for dim in DIMENSIONS if dim != "overall_satisfaction"), ("overall_satisfaction",))
"""Which dimensions are asked together: overall satisfaction is rated apart, so that it is not worked out."""

_OBJECT: Final = re.compile(r"\{[^{}]*\}")
_LINE: Final = re.compile(
    r"[\"'*]*([a-z_ ]+?)[\"'*]*\s*[:=]\s*[\"'*]*(null|none|n/?a|-?\d+(?:\.\d+)?)[\"'*]*(?:\s*/\s*5)?\s*$"
)
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]+")


class Completion(NamedTuple):
    """One answer of a model and what it cost."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = None
    """None when the price is not known."""


class Model(Protocol):
    """Answers a conversation."""

    def __call__(self, messages: Sequence[Message], *, seed: int, temperature: float) -> str | Completion:
        """Return the answer to the last message."""


class RecordedModel:
    """Answers from a file: JSON lines {key, text, tokens_in, tokens_out, money}, by the key of the question."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            ConfigError: naming file and line of the first entry that is none.
        """
        self.name = f"recorded-{path.stem}"
        self._answers: dict[str, Completion] = {}
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: cannot be read as recorded answers ({error})") from None
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
                text = Completion(
                    str(entry["text"]),
                    int(entry.get("tokens_in", 0)),
                    int(entry.get("tokens_out", 0)),
                    entry.get("money"),
                )
                self._answers[str(entry["key"])] = text
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise ConfigError(f"{path}, line {number}: expected an object with key and text ({error})") from None

    def __call__(self, messages: Sequence[Message], *, seed: int, temperature: float) -> Completion:
        """Return the recorded answer.

        Raises:
            ConfigError: If this question was not recorded.
        """
        key = question_key(messages, seed)
        if key not in self._answers:
            raise ConfigError(f"no recorded answer for question {key}")
        return self._answers[key]


def question_key(messages: Sequence[Message], seed: int) -> str:
    """Return the identity of a question: 16 hex digits of a hash of its messages and seed."""
    text = json.dumps([list(messages), seed], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_model(model: Any) -> Model:
    """Return a model: a callable as it is, an import path imported, a ``.jsonl`` path as recorded answers.

    ``llm`` is the endpoint of the role ``judge`` of the run in play; ``llm:NAME`` and ``llm:FILE`` that of a shipped
    configuration (``llm:local``) or of a YAML file.

    Raises:
        ConfigError: If it is none of these.
    """
    if callable(model):
        found: Model = model
        return found
    text = str(model)
    if text == "llm" or text.startswith("llm:"):
        from supermarket_env.scorers.judge.endpoint import EndpointModel

        return EndpointModel(text.partition(":")[2])
    if text.endswith(".jsonl"):
        return RecordedModel(Path(text))
    module, _, attribute = text.rpartition(".")
    try:
        made = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"model {text!r} is neither an import path nor a .jsonl of answers ({error})") from None
    if not callable(made):
        raise ConfigError(f"model {text!r} cannot be called")
    loaded: Model = made
    return loaded


class Reading(NamedTuple):
    """What an answer says of one dimension."""

    score: int | None
    problem: str
    """Why it is no rating; empty for a rating and for a declared null."""
    declined: bool = False
    """The judge said that there is nothing to judge."""


def read_ratings_of(answer: str, dims: Sequence[str]) -> dict[str, Reading]:
    """Read ratings out of an answer: the last JSON object with one of the names, else lines ``name: grade``.

    Only whole numbers from 1 to 5 are ratings; null declines; anything else, and a missing name, is a problem.

    >>> read_ratings_of('Sure! {"naturalness": 4, "groundedness": 6}', ["naturalness", "groundedness"])["groundedness"]
    Reading(score=None, problem='not a whole number from 1 to 5: 6', declined=False)
    """
    found = _object_in(answer, dims) or _lines_in(answer, dims)
    return {dim: _read_one(found[dim]) if dim in found else Reading(None, "not in the answer") for dim in dims}


def _object_in(answer: str, dims: Sequence[str]) -> dict[str, Any]:
    for match in reversed(list(_OBJECT.finditer(answer))):
        try:
            data = json.loads(match.group())
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict) and any(dim in data for dim in dims):
            return data
    return {}


def _lines_in(answer: str, dims: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for line in answer.lower().splitlines():
        match = _LINE.search(line.strip().rstrip(".,;"))
        name = match.group(1).strip().replace(" ", "_") if match else ""
        if match and name in dims:
            text = match.group(2)
            found[name] = None if text[0] == "n" else float(text) if "." in text else int(text)
    return found


def _read_one(value: Any) -> Reading:
    if value is None:
        return Reading(None, "", declined=True)
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or not 1 <= value <= 5:
        return Reading(None, f"not a whole number from 1 to 5: {value!r:.40}")
    return Reading(int(value), "")


def read_verdict(answer: str) -> Literal["first", "second", "tie"] | None:
    """Read which transcript won; None when the answer does not say.

    >>> read_verdict('{"better": "second"}'), read_verdict("both are fine")
    ('second', None)
    """
    data = _object_in(answer, ["better"])
    value = str(data.get("better", "")).lower()
    known: Mapping[str, Literal["first", "second", "tie"]] = {"first": "first", "second": "second", "tie": "tie"}
    return known.get(value)


class LanguageModelJudge:
    """Asks a model several times about each episode; every answer is a rating of its own (rater ``s0``, ``s1`` ...)."""

    name = "judge"

    def __init__(
        self,
        model: Model,
        *,
        samples: int = 3,
        seed: int = 0,
        temperature: float = 0.7,
        questions: Sequence[Sequence[str]] = QUESTIONS,
        rubric: Mapping[str, str] = RUBRIC,
    ) -> None:
        """Set up the judge.

        Args:
            model: Answers the questions.
            samples: Answers per question, 1 or more.
            seed: Seed handed to the model, the sample's number added.
            temperature: Handed to the model.
            questions: Which dimensions are asked together.
            rubric: What each dimension asks.

        Raises:
            ConfigError: If ``samples`` is not a whole number of 1 or more.
        """
        if type(samples) is not int or samples < 1:
            raise ConfigError(f"samples: expected a whole number of 1 or more, got {samples!r}")
        self._model = model
        self._samples = samples
        self._seed = seed
        self._temperature = temperature
        self._rubric = rubric
        self._questions = tuple(tuple(dims) for dims in questions)
        label = str(getattr(model, "name", getattr(model, "__name__", type(model).__name__)))
        self.version = _UNSAFE.sub("-", f"llm-{PROMPT_VERSION}-{label}-n{samples}")

    def score(self, episode: Episode) -> ScoreSheet:
        """Return one rating per dimension and sample; unreadable answers are ratings without a value, counted."""
        readings: dict[str, list[tuple[int, Reading]]] = {}
        calls = tokens_in = tokens_out = 0
        money: float | None = 0.0
        for sample in range(self._samples):
            for dims in self._questions:
                messages = rating_prompt(episode, dims, sample, self._rubric)
                answer = _completion(self._model(messages, seed=self._seed + sample, temperature=self._temperature))
                calls, tokens_in = calls + 1, tokens_in + answer.tokens_in
                tokens_out += answer.tokens_out
                money = None if money is None or answer.money is None else money + answer.money
                for dim, reading in read_ratings_of(answer.text, dims).items():
                    readings.setdefault(dim, []).append((sample, reading))
        plumbing = str(getattr(self._model, "plumbing", ""))
        scores = [score for dim, found in readings.items() for score in _scores(dim, found, episode.agent, plumbing)]
        problems = {dim: n for dim, found in readings.items() if (n := sum(bool(r.problem) for _, r in found))}
        details = {"samples": self._samples, "unreadable": problems}
        return ScoreSheet(tuple(scores), details, Cost(calls, tokens_in, tokens_out, money))


def _scores(dim: str, found: Sequence[tuple[int, Reading]], agent: str, plumbing: str = "") -> list[Score]:
    """Return the scores of a dimension; those of a model that only shows that the path works are no ratings."""
    note = wording_note(agent) if dim in LANGUAGE_DIMENSIONS else None
    notes = (*((note,) if note else ()), *((plumbing,) if plumbing else ()))
    if all(reading.declined for _, reading in found):
        return [unscored(dim, "the judge saw nothing to judge", notes=notes)]
    return [
        Score(dim, reading.score, reading.problem, is_rating=not plumbing, rater=f"s{sample}", notes=notes)
        for sample, reading in found
        if not reading.declined
    ]


def pairwise(
    model: Model, pairs: Sequence[tuple[Episode, Episode]], dim: str, *, seed: int = 0, temperature: float = 0.0
) -> list[tuple[Verdict, Verdict]]:
    """Compare pairs of episodes in both orders.

    Args:
        model: Answers the questions.
        pairs: (episode of system A, episode of system B).
        dim: The dimension compared.
        seed: Handed to the model.
        temperature: Handed to the model.

    Returns:
        Per pair the verdict with A shown first and with B shown first, each naming the system: the rows of
        :func:`supermarket_env.stats.position_bias`. An unreadable answer counts as a tie.
    """
    rows: list[tuple[Verdict, Verdict]] = []
    for a, b in pairs:
        forward = read_verdict(_completion(model(pair_prompt(a, b, dim), seed=seed, temperature=temperature)).text)
        backward = read_verdict(_completion(model(pair_prompt(b, a, dim), seed=seed, temperature=temperature)).text)
        one: Mapping[str | None, Verdict] = {"first": "A", "second": "B"}
        other: Mapping[str | None, Verdict] = {"first": "B", "second": "A"}
        rows.append((one.get(forward, "tie"), other.get(backward, "tie")))
    return rows


def _completion(answer: str | Completion) -> Completion:
    return Completion(answer) if isinstance(answer, str) else answer
