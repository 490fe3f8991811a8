"""Calls against an endpoint that misbehaves: everything ends, faults are classed, nothing is counted twice."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.errors import ConfigError, InfrastructureError, RunStop
from supermarket_env.llm.client import RecordingGap, most_tokens
from supermarket_env.llm.config import LLMConfig, read_prices
from supermarket_env.llm.faults import EndpointError
from supermarket_env.llm.prices import BudgetReached
from supermarket_env.llm.recording import Recording
from supermarket_env.llm.runtime import Answer, Question, Runtime
from supermarket_env.llm.schema import record

pytest.importorskip("httpx")

SAY = record({"say": {"type": "string", "maxLength": 80}})
KEY = "sk-test-0123456789"
Serve = Callable[..., Any]
ECHO = """
import http.server, json
class H(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize, disable_nagle_algorithm = "HTTP/1.1", -1, True
    def log_message(self, *words): pass
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        raw = b'{"choices": [{"message": {"content": "Hi"}}]}'
        self.send_response(200); self.send_header("content-length", str(len(raw))); self.end_headers()
        self.wfile.write(raw); self.wfile.flush()
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
s.serve_forever()
"""


def config_for(url: str, **changes: Any) -> LLMConfig:
    end = {
        "base_url": url, "model": "m", "timeout_s": 20.0, "retries": 3, "backoff_s": 0.001, "max_tokens": 50,
        "max_bytes": 200_000,
    }  # fmt: skip
    end |= changes.pop("endpoint", {})
    return LLMConfig.model_validate({"default": end, "prices": {"m": {"input": 0.15, "output": 0.6}}, **changes})


def question(number: int = 0, *, schema: Any = SAY) -> Question:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": f"Hello {number}"}]
    return Question("user", 1, number, messages, schema, key="test")


def ask(config: LLMConfig, folder: Path | None = None, n: int = 1) -> list[Answer]:
    with Runtime(config, folder) as runtime:
        return [runtime.ask(question(k)) for k in range(n)]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("rate_limited", "rate_limited"),
        ("server_error", "server_error"),
        ("hang", "timeout"),
        ("drip", "timeout"),
        ("truncated", "bad_body"),
        ("rubbish", "bad_body"),
        ("closed", "connection"),
        ("huge", "too_large"),
    ],
)
def test_endpoint_failures_are_repeated_and_then_classed(serve: Serve, fault: str, kind: str) -> None:
    patience = {"timeout_s": 0.8 if kind == "timeout" else 20.0}
    once = serve(behaviour=lambda number: fault if number == 0 else "ok")
    (answer,) = ask(config_for(once.url, endpoint=patience))
    assert not answer.fault
    assert len(once.requests) == 2
    always = serve(behaviour=lambda number: fault)
    with pytest.raises(EndpointError) as caught:
        ask(config_for(always.url, endpoint={"retries": 1, **patience}))
    assert caught.value.kind == kind
    assert len(always.requests) == 2


@pytest.mark.parametrize(
    ("fault", "kind"),
    [("wrong_schema", "wrong_schema"), ("prose", "not_json"), ("cut", "cut_off"), ("surrogate", "not_json")],
)
def test_model_faults_get_one_repair_round(serve: Serve, fault: str, kind: str) -> None:
    once = serve(behaviour=lambda number: fault if number == 0 else "ok")
    (answer,) = ask(config_for(once.url))
    assert not answer.fault
    assert answer.repaired
    assert "cannot be used" in once.requests[1]["messages"][-1]["content"]
    always = serve(behaviour=lambda number: fault)
    (answer,) = ask(config_for(always.url))
    assert answer.fault == kind
    assert len(always.requests) == 2


def test_a_prompt_that_is_too_long_is_the_models_fault_not_the_endpoints(serve: Serve) -> None:
    server = serve(behaviour=lambda number: "too_long")
    (answer,) = ask(config_for(server.url))
    assert answer.fault == "context_overflow"
    assert len(server.requests) == 1


def test_forms_fall_back_when_the_server_knows_no_schema(serve: Serve) -> None:
    server = serve(behaviour=lambda number: "no_schema")
    first, second = ask(config_for(server.url), n=2)
    assert not first.fault
    assert not second.fault
    ways = [body.get("response_format", {}).get("type") for body in server.requests]
    assert ways == ["json_schema", "json_schema", "json_object", None, None]
    assert "JSON schema" in server.requests[-1]["messages"][0]["content"]


def test_hidden_reasoning_reaches_nobody(serve: Serve) -> None:
    server = serve(answer=lambda body: '<think>my secret {"say": "secret"}</think>{"say": "Hi"}')
    (answer,) = ask(config_for(server.url))
    assert answer.data == {"say": "Hi"}
    assert "secret" not in answer.text


def test_cost_is_exact_and_nothing_is_counted_twice(serve: Serve, tmp_path: Path) -> None:
    faults = ["rate_limited", "ok", "truncated", "server_error", "ok", "wrong_schema", "ok", "ok"]
    server = serve(behaviour=lambda number: faults[number % len(faults)])
    config = config_for(server.url)
    answers = ask(config, tmp_path, n=12)
    tokens_in = sum(t for t, _ in server.served)
    tokens_out = sum(t for _, t in server.served)
    assert sum(a.tokens_in for a in answers) == tokens_in
    assert sum(a.tokens_out for a in answers) == tokens_out
    spent = Recording(tmp_path / "llm.sqlite", read_only=True).spent()
    assert spent.money is not None
    assert spent.money * 10**8 == 15 * tokens_in + 60 * tokens_out
    sent = len(server.requests)
    assert ask(config, tmp_path, n=12) == answers
    assert len(server.requests) == sent


def test_an_unknown_price_is_unknown_and_not_free(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    (answer,) = ask(config_for(server.url, prices={}), tmp_path)
    assert answer.cost is None
    assert Recording(tmp_path / "llm.sqlite", read_only=True).spent().money is None
    with pytest.raises(ConfigError, match="unknown: m"):
        Runtime(config_for(server.url, prices={}, budget={"money": 1.0}))


def test_a_price_file_is_read_and_checked(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text("m: {input: 1, output: 2}\n", encoding="utf-8")
    assert read_prices(file)["m"].output == 2.0
    file.write_text("m: {input: -1, output: 2}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="m: expected input and output"):
        read_prices(file)


@pytest.mark.parametrize("limit", [{"calls": 3}, {"tokens": 700}, {"money": 0.0002}])
def test_a_budget_is_never_passed_and_the_rest_is_resumed(
    serve: Serve, tmp_path: Path, limit: dict[str, float]
) -> None:
    server = serve()
    with pytest.raises(BudgetReached, match=next(iter(limit))):
        ask(config_for(server.url, budget=limit), tmp_path, n=50)
    recording = Recording(tmp_path / "llm.sqlite", read_only=True)
    spent = recording.spent()
    recording.close()
    assert spent.money is not None
    made = {"calls": spent.calls, "tokens": spent.tokens, "money": float(spent.money)}
    assert all(0 < made[name] <= value for name, value in limit.items())
    assert len(server.requests) == spent.calls
    with Runtime(config_for(server.url)) as runtime:  # it stopped no sooner than it had to
        end = runtime.config.endpoint("user")
        asked = {"model": "m", "messages": question(spent.calls).messages, "schema": SAY, "max_tokens": end.max_tokens}
    most = most_tokens(asked)
    next_one = {"calls": 1, "tokens": sum(most), "money": (0.15 * most[0] + 0.6 * most[1]) / 1e6}
    assert all(made[name] + next_one[name] > value for name, value in limit.items())
    ask(config_for(server.url), tmp_path, n=spent.calls + 4)
    assert len(server.requests) == spent.calls + 4


def test_replay_needs_no_endpoint_and_names_what_is_missing(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    answers = ask(config_for(server.url), tmp_path, n=3)
    offline = config_for(
        "http://127.0.0.1:9/v1", mode="replay", endpoint={"api_key_env": "ELSEWHERE", "timeout_s": 9.0}
    )
    assert ask(offline, tmp_path, n=3) == answers
    with pytest.raises(RecordingGap, match=r"test\|user\|turn 1\|3"):
        ask(offline, tmp_path, n=4)
    other = config_for("http://127.0.0.1:9/v1", mode="replay", endpoint={"model": "another"})
    with pytest.raises(RecordingGap, match="another request was recorded there"):
        ask(other, tmp_path, n=1)


def test_the_key_is_in_no_message_and_in_no_file(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    server = serve(answer=lambda body: json.dumps({"say": f"your key is {KEY}"}))
    notes: list[Any] = []
    with Runtime(config_for(server.url, endpoint={"api_key_env": "A_KEY"}), tmp_path, note=notes.append) as runtime:
        answer = runtime.ask(question())
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    refusing = serve(behaviour=lambda number: "unauthorized")
    with pytest.raises(RunStop) as caught:
        ask(config_for(refusing.url, endpoint={"api_key_env": "A_KEY"}), tmp_path / "other")
    assert "A_KEY" in str(caught.value)
    files = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    for text in (str(caught.value), str(answer), json.dumps(notes), files.decode("latin-1")):
        assert KEY not in text
        assert "Hello" not in str(caught.value)


def test_calls_in_flight_and_calls_a_minute_are_bounded(serve: Serve) -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def slow(body: dict[str, Any]) -> str:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.02)
        with lock:
            running[0] -= 1
        return '{"say": "Hi"}'

    server = serve(answer=slow)
    config = config_for(server.url, endpoint={"concurrency": 2, "requests_per_minute": 6000, "timeout_s": 10.0})
    started = time.monotonic()
    with Runtime(config) as runtime, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: runtime.ask(question(k)), range(12)))
    assert most[0] == 2
    assert time.monotonic() - started >= 11 * 0.01


@pytest.mark.parametrize("port", ["99999", "0", "http", "-1"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    with pytest.raises(ValueError, match=rf"expected a port in 1\.\.65535 in the address, got '{port}'"):
        config_for(f"http://127.0.0.1:{port}/v1")


@pytest.mark.parametrize(
    "error", [ExceptionGroup("all", [OverflowError("port")]), RuntimeError("stack"), KeyError("x")]
)
def test_whatever_the_stack_raises_is_a_connection_that_failed(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def stream(self: Any, *words: Any, **options: Any) -> Any:
        raise error

    monkeypatch.setattr("httpx.AsyncClient.stream", stream)
    with pytest.raises(EndpointError) as caught:
        ask(config_for(serve().url, endpoint={"retries": 1}))
    assert (caught.value.kind, caught.value.attempts) == ("connection", 2)


def test_what_fails_around_a_call_is_infrastructure_too(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_client(**options: Any) -> Any:
        raise ImportError("a proxy that needs another package")

    monkeypatch.setattr("supermarket_env.llm.client.new_client", no_client)
    with pytest.raises(InfrastructureError, match=r"llm user: ImportError$"):
        ask(config_for(serve().url))


def test_an_address_with_credentials_is_refused() -> None:
    with pytest.raises(ValueError, match="no credentials"):
        config_for("http://me:secret@127.0.0.1/v1")


def test_the_layer_costs_less_than_two_milliseconds_a_call(tmp_path: Path) -> None:
    import httpx

    server = subprocess.Popen([sys.executable, "-c", ECHO], stdout=subprocess.PIPE, text=True)
    ours, bare = [], []
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        client = httpx.Client(trust_env=False)
        with Runtime(config_for(url, endpoint={"timeout_s": 10.0}), tmp_path) as runtime, client:
            for k in range(120):
                started = time.process_time()
                runtime.ask(question(k, schema=None))
                ours.append(time.process_time() - started)
                started = time.process_time()
                client.post(f"{url}/chat/completions", json={"messages": [{"role": "user", "content": "Hello"}]})
                bare.append(time.process_time() - started)
    finally:
        server.kill()
        server.communicate()
    # CPU time of all threads, of the calls least disturbed: what else runs on the machine is no cost of ours.
    layer = sum(sorted(ours)[:12]) / 12 - sum(sorted(bare)[:12]) / 12
    assert layer < 0.002, f"{1000 * layer:.2f} ms"
