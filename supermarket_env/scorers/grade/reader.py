"""A language model as the reader of replies truth cannot decide: one blind question, strict reading of the answer."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from supermarket_env.llm.quoting import NOTE, quoted
from supermarket_env.scorers.base import Cost, Reply
from supermarket_env.scorers.grade.rubric import CLASSES
from supermarket_env.scorers.grade.turns import Request
from supermarket_env.scorers.judge.llm import Completion, Model, load_model

PROMPT_VERSION: Final = "2"

_CONTEXT_TURNS: Final = 6
_OBJECT: Final = re.compile(r"\{[^{}]*\}")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]+")

_SYSTEM: Final = (
    "You grade one reply of a shopping assistant. Read the whole excerpt; the context decides what is asked. "
    "First, scenario: is the reply of the kind this request calls for? Kinds: {kinds}. A question back is in place "
    "only when the request is truly ambiguous. Chat instead of a fact or an action, or another kind of action, is not "
    "in place; a set phrase where only talk was expected is in place but wrong in detail. Second, detail: does it fit "
    "the request in every particular (product, brand, limit, number, place, fact, what a pronoun means)? Reply with "
    'one JSON object and nothing else: {{"scenario": true or false, "detail": true or false}}; null where you cannot '
    f"tell. {NOTE}"
)


def reading_prompt(request: Request, reply: Reply) -> list[dict[str, str]]:
    """Return the question about one reply: the excerpt without the assistant's name, and what was truly meant.

    Args:
        request: What the user wanted.
        reply: The reply.
    """
    speakers = {"user": "User", "assistant": "Assistant"}
    lines = [f"{speakers[role]}: {quoted(text)}" for role, text in reply.context[-_CONTEXT_TURNS:]]
    shown = [f"Assistant (to grade): {quoted(reply.text) if reply.text else '(says nothing)'}"]
    if reply.items:
        shown.append(f"It shows a list of {len(reply.items)} products: {', '.join(reply.items[:5])}")
    if reply.suggest is not None:
        shown.append(f"It suggests: {json.dumps(reply.suggest['action'], sort_keys=True)}")
    if reply.goal is not None:
        shown.append(f"It shows the way to: {reply.goal['target']}")
    meant = f"The user's last message calls for: {request.expected}."
    answer = request.truth.get("answer")
    if answer:
        meant += f" The true answer: {json.dumps(answer, sort_keys=True, ensure_ascii=False)}."
    return [
        {"role": "system", "content": _SYSTEM.format(kinds=", ".join(CLASSES))},
        {"role": "user", "content": "\n".join([*lines, *shown, "", meant])},
    ]


def read_answer(answer: str) -> tuple[bool, bool] | None:
    """Return (scenario_ok, detail_ok) of an answer; None when it says neither, or cannot tell.

    >>> read_answer('{"scenario": true, "detail": false}'), read_answer("it is fine")
    ((True, False), None)
    """
    for match in reversed(list(_OBJECT.finditer(answer))):
        try:
            data = json.loads(match.group())
        except ValueError:
            continue
        scenario, detail = data.get("scenario"), data.get("detail")
        if scenario is False:
            return False, False
        if scenario is True and isinstance(detail, bool):
            return True, detail
    return None


class ModelReader:
    """Asks a model about each reply; what it cost so far is in ``cost``."""

    def __init__(self, model: Any, *, seed: int = 0) -> None:
        """Set up the reader.

        Args:
            model: A callable, its import path, or a file of recorded answers (as for the judge).
            seed: Seed handed to the model.

        Raises:
            ConfigError: If it is no model.
        """
        self._model: Model = load_model(model)
        self._seed = seed
        self.cost = Cost()
        label = str(getattr(self._model, "name", getattr(self._model, "__name__", type(self._model).__name__)))
        self.label = _UNSAFE.sub("-", f"llm-{PROMPT_VERSION}-{label}")

    def __call__(self, request: Request, reply: Reply) -> tuple[bool, bool] | None:
        """Return what the model says of a reply, None when its answer cannot be read."""
        answer = self._model(reading_prompt(request, reply), seed=self._seed, temperature=0.0)
        made = answer if isinstance(answer, Completion) else Completion(answer)
        money = None if made.money is None or self.cost.money is None else self.cost.money + made.money
        self.cost = Cost(
            self.cost.calls + 1,
            self.cost.tokens_in + made.tokens_in,
            self.cost.tokens_out + made.tokens_out,
            money,
        )
        return read_answer(made.text)
