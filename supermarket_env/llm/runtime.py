"""The language models of a run, for code that is not asynchronous: ask a question, get a checked answer.

Episodes run in threads; one event loop in a thread of its own makes the calls. An answer that does not fit is sent
back once with the reason (the repair round); if it still does not fit, the one who asked falls back.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from supermarket_env.errors import ConfigError, InfrastructureError, MissingExtraError, RunStop, SupermarketError
from supermarket_env.llm.client import Call, Client, Note
from supermarket_env.llm.config import ROLES, LLMConfig
from supermarket_env.llm.faults import MODEL_FAULTS, TOOLS_REFUSED
from supermarket_env.llm.functions import read_call
from supermarket_env.llm.prices import Budget, Spent
from supermarket_env.llm.reasoning import find_object, without_reasoning
from supermarket_env.llm.recording import MEMORY, Recorded, Recording
from supermarket_env.llm.schema import problem_with

RECORDING_FILE: Final = "llm.sqlite"
REPAIR: Final = "That answer cannot be used: {problem}. Answer again, with one JSON object of the form asked for."
_SHOWN: Final = 1500
"""Characters of an unusable answer that are shown to the model again."""

REPAIR_CALL: Final = "That answer cannot be used: {problem}. Answer again by calling one of the functions."

Message = Mapping[str, Any]
"""Role and content; ``tool_calls`` and ``tool_call_id`` where functions were called."""
T = TypeVar("T")


@dataclass(slots=True)
class Scope:
    """The episode in play in this thread: names its calls and gathers what they used."""

    episode_id: str
    usage: list[dict[str, Any]] = field(default_factory=list)


class Question(NamedTuple):
    """What is asked, by whom, and where in an episode."""

    role: str
    turn: int
    number: int
    """0, 1, ... within role and turn."""
    messages: Sequence[Message]
    schema: Mapping[str, Any] | None = None
    check: Callable[[Any], str] | None = None
    """Says what is wrong with an answer of the right form; empty for nothing."""
    seed: int | None = None
    """In place of the one made of the call's place."""
    temperature: float | None = None
    """In place of the endpoint's."""
    key: str = ""
    """Names the calls where no episode is in play."""
    tools: Sequence[Mapping[str, Any]] = ()
    """Functions (name, description, parameters) of which one is to be called, in place of ``schema``."""
    other_form: bool = False
    """The one who asks has another form at hand: an endpoint that refuses tools (``tools_refused``) or an answer
    without a call (``no_call``) comes back at once."""


class Answer(NamedTuple):
    """A checked answer."""

    data: Any
    """The JSON object where a schema was given, ``{"call": name, "arguments": {...}}`` where tools were, else the text;
    None with a fault."""
    text: str
    """The last answer's words, without hidden reasoning."""
    fault: str = ""
    """Empty, one of :data:`~supermarket_env.llm.faults.MODEL_FAULTS`, or ``tools_refused``."""
    problem: str = ""
    repaired: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None


_ACTIVE: ContextVar[Runtime | None] = ContextVar("llm_runtime", default=None)
_SCOPE: ContextVar[Scope | None] = ContextVar("llm_scope", default=None)


class Runtime:
    """Endpoints, recording and budget of a run. Use it as a context manager."""

    def __init__(self, config: LLMConfig, folder: Path | None = None, *, note: Note = lambda entry: None) -> None:
        """Open the recording and check the budget; no call is made yet.

        Args:
            config: The endpoints.
            folder: The run directory: the recording stands there unless the configuration names a file. Without
                either, answers are kept as long as this object.
            note: Told timings and failed attempts, what may differ between two equal runs.

        Raises:
            ConfigError: If the recording cannot be used, or a budget of money lacks prices.
        """
        self.config = config
        path = Path(config.recording) if config.recording else (folder / RECORDING_FILE if folder else None)
        self.recording: Recording | None = None
        if path is None:
            if config.mode == "replay":
                raise ConfigError("llm.mode=replay needs llm.recording=FILE")
            path = MEMORY
        prices = config.price_table()
        budget = Budget(config.budget)
        models = {config.endpoint(role).model for role in ROLES if getattr(config, role) or config.default}
        budget.check_prices(prices, models)
        if config.mode != "off":
            self.recording = Recording(path, read_only=config.mode == "replay")
            budget = Budget(config.budget, self.recording.spent() if config.mode != "refresh" else Spent())
        self._note_lock = threading.Lock()
        self._note = note
        self._client = Client(config, prices, budget, self.recording, self._noted)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._local: Any = None
        self._stopped = False

    def __enter__(self) -> Runtime:
        self._token = _ACTIVE.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        _ACTIVE.reset(self._token)
        self.close()

    def close(self) -> None:
        """Close connections, recording and a server started here."""
        self.stop()
        if self._loop is not None and self._thread is not None:
            asyncio.run_coroutine_threadsafe(self._client.close(), self._loop).result(timeout=10.0)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=10.0)
            self._loop.close()
            self._loop = self._thread = None
        if self.recording is not None:
            self.recording.close()
            self.recording = None
        if self._local is not None:
            self._local.stop()
            self._local = None

    def stop(self) -> None:
        """Let no further call begin."""
        self._stopped = True

    def prepare(self) -> None:
        """Check that calls can be made, before the first episode.

        Raises:
            MissingExtraError: If a package is missing.
            ConfigError: If the variable that should hold a key is empty.
        """
        if self.config.mode == "replay":
            return
        if find_spec("httpx") is None:
            raise MissingExtraError("language models need the extra llm: pip install 'supermarket_env[llm]'")
        if self.config.local is not None:
            from supermarket_env.llm.local import check_installed

            check_installed(self.config.local)
        for role in ROLES:
            endpoint = getattr(self.config, role) or self.config.default
            if endpoint is not None and endpoint.api_key_env and not os.environ.get(endpoint.api_key_env):
                raise ConfigError(f"llm {role}: the environment variable {endpoint.api_key_env} holds no key")

    def ask(self, question: Question) -> Answer:
        """Put a question and return its checked answer, after one repair round if need be.

        Raises:
            InfrastructureError: If the endpoint (``EndpointError``) or what lies between failed for good: the episode
                is to be set aside.
            RunStop: If the run must stop (budget, refusal, gap in a recording).
        """
        messages = [dict(m) for m in question.messages]
        answer = Answer(None, "", "empty", "no answer")
        tokens_in = tokens_out = 0
        cost: float | None = 0.0
        for repair in (0, 1):
            made = self._call(question, messages, repair)
            tokens_in, tokens_out = tokens_in + (made.tokens_in or 0), tokens_out + (made.tokens_out or 0)
            cost = None if cost is None or made.money is None else cost + float(made.money)
            answer = read_answer(made, question)._replace(
                repaired=repair == 1, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost
            )
            if answer.fault in ("", "context_overflow", TOOLS_REFUSED):
                break
            if answer.fault == "no_call" and question.other_form:
                break
            shown = {"role": "assistant", "content": answer.text[:_SHOWN] or "(nothing)"}
            words = REPAIR_CALL if question.tools else REPAIR
            messages += [shown, {"role": "user", "content": words.format(problem=answer.problem)}]
        return answer

    def _call(self, question: Question, messages: Sequence[Message], repair: int) -> Recorded:
        endpoint = self.config.endpoint(question.role)
        scope = _SCOPE.get()
        where = scope.episode_id if scope is not None and not question.key else question.key
        place = f"{where}|{question.role}|turn {question.turn}|{question.number}" + ("|repair" if repair else "")
        seed = question.seed
        if seed is None:
            seed = int.from_bytes(hashlib.sha256(place.encode()).digest()[:4], "big") >> 1
        temperature = endpoint.temperature if question.temperature is None else question.temperature
        request: dict[str, Any] = {
            "model": endpoint.model,
            "messages": [dict(m) for m in messages],
            "temperature": temperature,
            "top_p": endpoint.top_p,
            "max_tokens": endpoint.max_tokens,
            "seed": seed if endpoint.send_seed else None,
            "schema": question.schema,
            "extra": endpoint.extra,
        }
        if question.tools:  # only then: requests without tools keep the keys they always had
            request["tools"] = [dict(tool) for tool in question.tools]
        call = Call(question.role, place, request, question.other_form)
        if self._stopped:
            raise RunStop("the run is stopping")
        made = self._client.recorded(call)
        if made is None:
            try:
                made = self._wait(self._client.make(call))
            except SupermarketError:
                raise
            except Exception as error:  # proxies, sockets, disks: never the fault of who asked; no word of it is shown
                raise InfrastructureError(f"llm {question.role}: {type(error).__name__}") from None
        if scope is not None:
            scope.usage.append(usage_event(question, endpoint.model, made))
        return made

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        with self._loop_lock:
            if self._loop is None:
                self._begin()
            loop = self._loop
        assert loop is not None
        future = asyncio.run_coroutine_threadsafe(_carried(coroutine), loop)
        try:
            done, value = future.result()
        except BaseException:
            future.cancel()
            raise
        if isinstance(done, BaseException):
            raise done
        result: T = value
        return result

    def _begin(self) -> None:
        if self.config.local is not None and self._local is None:
            from supermarket_env.llm.local import ensure_server

            self._local = ensure_server(self.config.local)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="llm", daemon=True)
        self._thread.start()

    def _noted(self, entry: Mapping[str, Any]) -> None:
        with self._note_lock:
            self._note(entry)


async def _carried(coroutine: Coroutine[Any, Any, T]) -> tuple[BaseException | None, Any]:
    """Carry a stop of the run out of the event loop, which a bare BaseException would break."""
    try:
        return None, await coroutine
    except RunStop as stop:
        return stop, None


def usage_event(question: Question, model: str, made: Recorded) -> dict[str, Any]:
    """Return the log's line about one call."""
    cost = None if made.money is None else float(f"{float(made.money):.9g}")
    return {
        "k": "usage",
        "turn": question.turn,
        "who": question.role,
        "model": model,
        "tokens_in": made.tokens_in,
        "tokens_out": made.tokens_out,
        "cost": cost,
    }


def read_answer(made: Recorded, question: Question) -> Answer:
    """Return what a finished call says, or what is wrong with it."""
    text = without_reasoning(made.text)
    if made.fault == TOOLS_REFUSED:
        return Answer(None, text, made.fault, "the endpoint knows no function calling")
    if made.fault:
        assert made.fault in MODEL_FAULTS
        return Answer(None, text, made.fault, "the prompt is too long for the model")
    if not text:
        return Answer(None, text, "cut_off" if made.finish == "length" else "empty", "it was empty")
    data: Any = text
    if question.tools:
        data, fault, problem = read_call(text, question.tools)
        if fault:
            cut = made.finish == "length" and not (fault == "no_call" and question.other_form)
            return Answer(None, text, "cut_off" if cut else fault, problem)
    elif question.schema is not None:
        data = find_object(text)
        if data is None:
            fault = "cut_off" if made.finish == "length" else "not_json"
            return Answer(None, text, fault, "it holds no whole JSON object")
        problem = problem_with(data, question.schema)
        if problem:
            return Answer(None, text, "wrong_schema", problem)
    problem = question.check(data) if question.check is not None else ""
    return Answer(None, text, "rejected", problem) if problem else Answer(data, text)


def runtime_in_play() -> Runtime:
    """Return the runtime of this thread.

    Raises:
        ConfigError: If there is none.
    """
    found = _ACTIVE.get()
    if found is None:
        raise ConfigError("a language model is asked for, but none is configured: add llm=local (docs/llm.md)")
    return found


def runtime_or_none() -> Runtime | None:
    """Return the runtime of this thread, None without one."""
    return _ACTIVE.get()


@contextmanager
def in_play(runtime: Runtime | None) -> Iterator[None]:
    """Make a runtime that of this thread meanwhile."""
    token = _ACTIVE.set(runtime)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


@contextmanager
def episode_scope(episode_id: str) -> Iterator[Scope]:
    """Name the calls of this thread after an episode meanwhile, and gather what they use."""
    scope = Scope(episode_id)
    token = _SCOPE.set(scope)
    try:
        yield scope
    finally:
        _SCOPE.reset(token)
