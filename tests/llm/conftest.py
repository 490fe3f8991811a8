"""An OpenAI-compatible server for tests: answers by a function, and can be told to misbehave."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Behaviour = Callable[[int], str]
"""Number of the request (from 0) -> what to do: ``ok`` or the name of a fault."""


class Endpoint(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(
        self, answer: Callable[[dict[str, Any]], str | dict[str, Any]], behaviour: Behaviour = lambda n: "ok"
    ) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.behaviour = answer, behaviour
        self.lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.done: Counter[str] = Counter()
        self.served: list[tuple[int, int]] = []
        """Tokens of every whole, well-formed answer."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the tests."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, format: str, *words: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server = self.server
        with server.lock:
            number = len(server.requests)
            server.requests.append(body)
            server.headers.append(dict(self.headers.items()))
            what = server.behaviour(number)
            server.done[what] += 1
        getattr(self, f"do_{what}")(body)

    def _send(self, status: int, raw: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(raw)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)
        self.wfile.flush()

    def _body(self, text: str | dict[str, Any], finish: str = "stop") -> bytes:
        """The body of an answer: words, or a whole message."""
        tokens = 11, max(1, len(text) // 4)
        with self.server.lock:
            self.server.served.append(tokens)
        message = {"content": text} if isinstance(text, str) else text
        choice = {"message": {"role": "assistant", **message}, "finish_reason": finish}
        usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
        return json.dumps({"choices": [choice], "usage": usage}).encode()

    def do_ok(self, body: dict[str, Any]) -> None:
        self._send(200, self._body(self.server.answer(body)))

    def do_cut(self, body: dict[str, Any]) -> None:
        self._send(200, self._body('{"say": "Hel', finish="length"))

    def do_wrong_schema(self, body: dict[str, Any]) -> None:
        self._send(200, self._body('{"nonsense": 1}'))

    def do_prose(self, body: dict[str, Any]) -> None:
        self._send(200, self._body("I would rather not say."))

    def do_rate_limited(self, body: dict[str, Any]) -> None:
        self._send(429, b'{"error": {"type": "rate"}}', retry_after="0")

    def do_server_error(self, body: dict[str, Any]) -> None:
        self._send(500, b"oops")

    def do_hang(self, body: dict[str, Any]) -> None:
        time.sleep(3.0)

    def do_truncated(self, body: dict[str, Any]) -> None:
        self._send(200, b'{"choices": [{"message": {"content": "Hel')

    def do_closed(self, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("content-length", "1000")
        self.end_headers()
        self.wfile.write(b'{"choices"')
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def do_huge(self, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("content-length", str(10_000_000))
        self.end_headers()
        for _ in range(100):
            self.wfile.write(b"x" * 100_000)

    def do_drip(self, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("content-length", "1000")
        self.end_headers()
        for _ in range(120):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.025)

    def do_rubbish(self, body: dict[str, Any]) -> None:
        self._send(200, b'{"choices": [{"message": {"content": "\xff\xfe\xc3\x28"}}]}')

    def do_odd_usage(self, body: dict[str, Any]) -> None:
        """Counts of a wrong type: a list, a text, a number with a fraction, in turn."""
        with self.server.lock:
            turn = self.server.done["odd_usage"] % 3
        odd: Any = ([11, 4], "15", {"prompt_tokens": 11.5, "completion_tokens": "4"})[turn]
        answer = {"message": {"content": self.server.answer(body)}, "finish_reason": "stop"}
        self._send(200, json.dumps({"choices": [answer], "usage": odd}).encode())

    def do_deep(self, body: dict[str, Any]) -> None:
        """Arguments of a function that a model nested without end, as the text they are and as an object."""
        with self.server.lock:
            as_text = self.server.done["deep"] % 2
        deep = "[" * 20_000 + "]" * 20_000
        arguments = json.dumps('{"words": ' + deep + "}") if as_text else '{"words": ' + deep + "}"
        call = '{"function": {"name": "search", "arguments": ' + arguments + "}}"
        self._send(200, ('{"choices": [{"message": {"content": null, "tool_calls": [' + call + "]}}]}").encode())

    def do_surrogate(self, body: dict[str, Any]) -> None:
        self._send(
            200, b'{"choices": [{"message": {"content": "\\ud800 \\u0000 hi"}}], "usage": {"prompt_tokens": -3}}'
        )

    def do_no_schema(self, body: dict[str, Any]) -> None:
        """A server that knows neither schemas nor JSON mode."""
        if "response_format" in body:
            self._send(400, b'{"error": {"type": "invalid_request_error", "code": "response_format"}}')
        else:
            self.do_ok(body)

    def do_ollama_without_tools(self, body: dict[str, Any]) -> None:
        """Ollama with a model whose template knows no tools."""
        if "tools" in body:
            error = {"message": "stablelm2:latest does not support tools", "type": "api_error", "param": None}
            self._send(400, json.dumps({"error": error}).encode())
        else:
            self.do_ok(body)

    def do_old_llamacpp(self, body: dict[str, Any]) -> None:
        """A llama.cpp server without templates for tools: says 500 and means a field it does not know."""
        if "tools" in body:
            error = {"code": 500, "message": "Unsupported param: tools", "type": "server_error"}
            self._send(500, json.dumps({"error": error}).encode())
        else:
            self.do_ok(body)

    def do_strict_openai(self, body: dict[str, Any]) -> None:
        """A strict service that takes schemas, but no limits of length in them."""
        form = body.get("response_format", {})
        if "maxLength" in json.dumps(form):
            error = {
                "message": "Invalid schema for response_format 'answer': In context=('properties', 'say'), "
                "'maxLength' is not permitted.",
                "type": "invalid_request_error",
                "param": "response_format",
                "code": None,
            }
            self._send(400, json.dumps({"error": error}).encode())
        else:
            self.do_ok(body)

    def do_reasoning_model(self, body: dict[str, Any]) -> None:
        """A hosted model that wants another name for the length and no temperature."""
        for field in ("max_tokens", "temperature"):
            if field in body:
                error = {
                    "message": f"Unsupported parameter: '{field}' is not supported with this model.",
                    "type": "invalid_request_error",
                    "param": field,
                    "code": "unsupported_parameter",
                }
                self._send(400, json.dumps({"error": error}).encode())
                return
        self.do_ok(body)

    def do_no_usage(self, body: dict[str, Any]) -> None:
        """An answer with the fields that some servers add, and without those that some leave out."""
        message = {"content": self.server.answer(body), "reasoning_content": "she hides a secret", "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "stop_reason": None}
        whole = {"id": "x", "object": "chat.completion", "choices": [choice], "timings": {"n": 1}, "usage": None}
        self._send(200, json.dumps(whole).encode())

    def do_unauthorized(self, body: dict[str, Any]) -> None:
        echo = json.dumps({"error": {"message": f"bad key {self.headers.get('authorization')} in {body}"}})
        self._send(401, echo.encode())

    def do_too_long(self, body: dict[str, Any]) -> None:
        self._send(400, b'{"error": {"type": "exceed_context_size_error", "message": "context is too long"}}')


def fitting(body: dict[str, Any]) -> str:
    """Answer as a model that always keeps to the form: what it chooses hangs on the request alone."""
    form = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if form is None:
        marker = "of this JSON schema: "
        text = next((m["content"] for m in body["messages"] if marker in m["content"]), "")
        form = json.loads(text.partition(marker)[2]) if text else {"type": "string"}
    digest = hashlib.sha256(json.dumps(body["messages"], sort_keys=True).encode()).digest()
    return json.dumps(_value(form, digest, [0]))


def _value(schema: dict[str, Any], digest: bytes, at: list[int]) -> Any:
    at[0] += 1
    draw = digest[at[0] % len(digest)]
    if "enum" in schema:
        return schema["enum"][draw % len(schema["enum"])]
    kind = schema.get("type")
    if kind == "object":
        return {name: _value(part, digest, at) for name, part in schema["properties"].items()}
    if kind == "array":
        return [_value(schema["items"], digest, at) for _ in range(1 + draw % min(2, schema.get("maxItems", 2)))]
    if kind == "integer":
        return schema.get("minimum", 0)
    return "Well, let me see." if kind == "string" else False


@pytest.fixture
def serve() -> Iterator[Callable[..., Endpoint]]:
    """Start endpoints: serve(answer=..., behaviour=...)."""
    running: list[tuple[Endpoint, threading.Thread]] = []

    def start(
        answer: Callable[[dict[str, Any]], str | dict[str, Any]] = fitting, behaviour: Behaviour = lambda number: "ok"
    ) -> Endpoint:
        server = Endpoint(answer, behaviour)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        running.append((server, thread))
        return server

    yield start
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()
