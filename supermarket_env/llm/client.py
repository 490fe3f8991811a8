"""Calls to endpoints: recorded ones are not made, others are bounded, repeated, counted and recorded."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from supermarket_env.errors import RunStop
from supermarket_env.llm.config import EndpointConfig, LLMConfig, Price
from supermarket_env.llm.faults import TOOLS_REFUSED, AttemptFailed, EndpointError
from supermarket_env.llm.prices import Budget, Spent, cost_of
from supermarket_env.llm.recording import Recorded, Recording, call_key, canonical
from supermarket_env.llm.schema import without_bounds
from supermarket_env.llm.transport import Reply, new_client, post

if TYPE_CHECKING:
    import httpx

LEVELS: Final = ("json_schema", "json_schema_unbounded", "json_object", "prompt")
FORM_REFUSED: Final = (400, 422, 500, 501)
"""With what status servers refuse a form of answer that they do not know."""
NOT_ASKED: Final = Reply("", "stop", 0, 0)
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_OVERHEAD_TOKENS: Final = 16
"""Tokens a chat template adds to a message, at most."""

Note = Callable[[Mapping[str, Any]], None]


class Call(NamedTuple):
    """One call: who asks, where in the run, and what."""

    role: str
    place: str
    request: Mapping[str, Any]
    """Canonical: model, messages, sampling, seed, schema or tools; nothing about transport."""
    other_form: bool = False
    """Whether the one who asks has another form at hand, should the endpoint know no function calling."""


class RecordingGap(RunStop):
    """A replay came to a call that was not recorded."""


class EndpointRefuses(RunStop):
    """An endpoint refuses every such request: a wrong key, address, model or field."""


class _Gate:
    """Bounds what goes to one endpoint: calls in flight, and calls a minute."""

    def __init__(self, concurrency: int, per_minute: float | None) -> None:
        self.slots = asyncio.Semaphore(concurrency)
        self._pause = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0

    async def wait_turn(self) -> None:
        """Wait until the next call may start."""
        if self._pause:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + self._pause
            await asyncio.sleep(start - now)


class Client:
    """Makes calls; lives in one event loop."""

    def __init__(
        self,
        config: LLMConfig,
        prices: Mapping[str, Price],
        budget: Budget,
        recording: Recording | None,
        note: Note = lambda entry: None,
    ) -> None:
        self._config = config
        self._prices = prices
        self._budget = budget
        self._recording = recording
        self._note = note
        self._gates: dict[str, _Gate] = {}
        self._clients: dict[bool, httpx.AsyncClient] = {}
        self._levels: dict[tuple[str, str], int] = {}
        self._without_tools: set[tuple[str, str]] = set()

    def recorded(self, call: Call) -> Recorded | None:
        """Return the finished call from the recording, None if it must be made.

        Raises:
            RecordingGap: In a replay, if it is not there.
        """
        mode = self._config.mode
        if self._recording is None or mode in ("off", "refresh"):
            return None
        found = self._recording.get(call_key(call.request, call.place))
        if found is None and mode == "replay":
            near = self._recording.places(call.place)
            why = "another request was recorded there: prompts, model or sampling differ" if near else "nothing was"
            raise RecordingGap(f"llm.mode=replay: no recorded answer for {call.place} ({why})")
        return found

    async def make(self, call: Call) -> Recorded:
        """Make a call, repeating failed attempts, and record its answer.

        Raises:
            EndpointError: If the endpoint failed for good.
            EndpointRefuses: If it refuses such requests.
            BudgetReached: If the call could pass a limit.
        """
        endpoint = self._config.endpoint(call.role)
        gate = self._gate(endpoint)
        most = most_tokens(call.request)
        price = self._prices.get(str(call.request["model"]))
        async with gate.slots:
            hold = self._budget.hold(sum(most), cost_of(price, *most))
            spent: Spent | None = None
            try:
                started = time.monotonic()
                reply, fault = await self._until_answered(call, endpoint, gate)
                made = self._finished(reply, fault, price, most)
                spent = Spent(0 if fault else 1, made.counted_tokens, made.money)
                if self._recording is not None:
                    anew = self._config.mode == "refresh"
                    key = call_key(call.request, call.place)
                    self._recording.put(key, call.role, call.place, call.request, made, anew=anew)
                self._note({"llm": call.place, "seconds": round(time.monotonic() - started, 6)})
                return made
            finally:
                self._budget.settle(hold, spent)

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            await client.aclose()
        self._clients = {}

    def _gate(self, endpoint: EndpointConfig) -> _Gate:
        made = self._gates.get(endpoint.base_url)
        if made is None:
            made = self._gates[endpoint.base_url] = _Gate(endpoint.concurrency, endpoint.requests_per_minute)
        return made

    def _http(self, endpoint: EndpointConfig) -> httpx.AsyncClient:
        loopback = urlsplit(endpoint.base_url).hostname in LOOPBACK
        if loopback not in self._clients:
            self._clients[loopback] = new_client(loopback=loopback)
        return self._clients[loopback]

    @staticmethod
    def _finished(reply: Reply, fault: str, price: Price | None, most: tuple[int, int]) -> Recorded:
        known = reply.tokens_in is not None and reply.tokens_out is not None
        counted = 0 if fault else (reply.tokens_in or 0) + (reply.tokens_out or 0) if known else sum(most)
        money = Fraction(0) if fault else cost_of(price, reply.tokens_in, reply.tokens_out)
        return Recorded(reply.text, reply.finish, fault, reply.tokens_in, reply.tokens_out, counted, money)

    async def _until_answered(self, call: Call, endpoint: EndpointConfig, gate: _Gate) -> tuple[Reply, str]:
        """Return the answer and the model's fault, if the endpoint found one."""
        http, url = self._http(endpoint), f"{endpoint.base_url}/chat/completions"
        key = os.environ.get(endpoint.api_key_env or "", "")
        attempt = 0
        if call.other_form and (endpoint.base_url, endpoint.model) in self._without_tools:
            return NOT_ASKED, TOOLS_REFUSED
        while True:
            level = self._level(endpoint)
            await gate.wait_turn()
            try:
                body = body_of(call.request, level, endpoint)
                reply = await post(http, url, body, key, timeout_s=endpoint.timeout_s, max_bytes=endpoint.max_bytes)
                return reply, ""
            except AttemptFailed as failure:
                self._note({"llm": call.place, "attempt": attempt + 1, "failed": failure.kind})
                if failure.kind == "context_overflow":
                    return NOT_ASKED, "context_overflow"
                if failure.kind == "refused":
                    if call.other_form and failure.about_tools and failure.status in FORM_REFUSED:
                        self._without_tools.add((endpoint.base_url, endpoint.model))
                        return NOT_ASKED, TOOLS_REFUSED
                    if not self._steps_down(endpoint, level, failure, call):
                        raise EndpointRefuses(refusal_text(call.role, endpoint, failure)) from None
                    continue
                attempt += 1
                if attempt > endpoint.retries:
                    raise EndpointError(failure.kind, call.role, attempt) from None
                await asyncio.sleep(pause(endpoint, attempt, failure.retry_after, call.place))

    def _level(self, endpoint: EndpointConfig) -> str:
        if endpoint.structured != "auto":
            return endpoint.structured
        return LEVELS[self._levels.get((endpoint.base_url, endpoint.model), 0)]

    def _steps_down(self, endpoint: EndpointConfig, level: str, failure: AttemptFailed, call: Call) -> bool:
        """Whether the next way to ask for a form is worth a try; later calls begin there."""
        if endpoint.structured != "auto" or call.request.get("schema") is None or failure.status not in FORM_REFUSED:
            return False
        if failure.param and not failure.param.startswith("response_format"):
            return False  # the endpoint says what it does not like, and it is something else
        number = LEVELS.index(level) + 1
        if number == len(LEVELS):
            return False
        known = self._levels.get((endpoint.base_url, endpoint.model), 0)
        self._levels[endpoint.base_url, endpoint.model] = max(known, number)
        return True


def refusal_text(role: str, endpoint: EndpointConfig, failure: AttemptFailed) -> str:
    """Return what to do about a refused request, without a word of request or key."""
    name = endpoint.api_key_env
    key = f"is the key in ${name} right?" if name else "llm.<role>.api_key_env is not set."
    hints = {401: key, 403: key, 404: "are base_url and model right?"}
    fields = {
        "temperature": "set llm.<role>.temperature=null.",
        "top_p": "set llm.<role>.top_p=null.",
        "seed": "set llm.<role>.send_seed=false.",
        "max_tokens": "set llm.<role>.max_tokens_key=max_completion_tokens.",
        "max_completion_tokens": "set llm.<role>.max_tokens_key=max_tokens.",
        "model": "is llm.<role>.model right?",
    }
    other = "a field of the request does not suit it (llm.<role>.extra, send_seed, temperature)."
    if failure.about_tools:
        other = "it knows no function calling (option tools=json of the assistant), or another field does not suit it."
    hint = hints.get(failure.status) or fields.get(failure.param, other)
    code = "".join(f", {word}" for word in (failure.code, failure.param) if word)
    return f"llm {role}: the endpoint refuses (HTTP {failure.status}{code}); {hint} The same command resumes."


def pause(endpoint: EndpointConfig, attempt: int, retry_after: float | None, place: str) -> float:
    """Return the seconds before the next attempt: doubling, spread by the call's place, or what the server asks."""
    if retry_after is not None:
        return min(retry_after, endpoint.max_wait_s)
    digest = hashlib.sha256(f"{place}|{attempt}".encode()).digest()
    spread = 0.5 + digest[0] / 255.0
    return min(endpoint.backoff_s * 2.0 ** (attempt - 1) * spread, endpoint.max_wait_s)


def most_tokens(request: Mapping[str, Any]) -> tuple[int, int]:
    """Return the most tokens a request can take and give: a token is at least a byte of text."""
    text = 0
    for message in request["messages"]:
        text += len(str(message["content"]).encode()) + _OVERHEAD_TOKENS
        text += len(canonical(message["tool_calls"])) if "tool_calls" in message else 0
    forms = sum(len(canonical(form)) for form in (request.get("schema"), request.get("tools")) if form)
    return text + forms + _OVERHEAD_TOKENS, int(request["max_tokens"])


def body_of(request: Mapping[str, Any], level: str, endpoint: EndpointConfig) -> dict[str, Any]:
    """Return the body of an HTTP request, the form of the answer asked for in one of the :data:`LEVELS`."""
    messages = [dict(m) for m in request["messages"]]
    schema = request.get("schema")
    body: dict[str, Any] = {"model": request["model"], "messages": messages}
    for name in ("temperature", "top_p", "seed"):
        if request.get(name) is not None:
            body[name] = request[name]
    body[endpoint.max_tokens_key] = request["max_tokens"]
    if request.get("tools"):
        body["tools"] = [{"type": "function", "function": tool} for tool in request["tools"]]
        body["tool_choice"] = "required"
    if schema is not None:
        if level in ("json_schema", "json_schema_unbounded"):
            sent = schema if level == "json_schema" else without_bounds(schema)
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": sent, "strict": True},
            }
        else:
            note = f"\nAnswer with one JSON object and nothing else, of this JSON schema: {canonical(schema)}"
            if messages[0]["role"] == "system":
                messages[0]["content"] += note
            else:
                messages.insert(0, {"role": "system", "content": note.strip()})
            if level == "json_object":
                body["response_format"] = {"type": "json_object"}
    body.update(request.get("extra") or {})
    return body
