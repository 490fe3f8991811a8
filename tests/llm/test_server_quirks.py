"""What particular servers do differently: fields they refuse, leave out or add, and how they say that a prompt is long.

The bodies are those that the servers' documentation and issue threads show.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.errors import RunStop
from supermarket_env.llm.config import LLMConfig, load_config
from supermarket_env.llm.recording import Recording
from supermarket_env.llm.runtime import Answer, Question, Runtime
from supermarket_env.llm.schema import problem_with, record, without_bounds
from supermarket_env.llm.transport import refusal

pytest.importorskip("httpx")

Serve = Callable[..., Any]
SAY = record({"say": {"type": "string", "maxLength": 80}, "n": {"type": "integer", "minimum": 0, "maximum": 9}})
SHIPPED = ("openai", "vllm", "llamacpp", "ollama", "local")


def shipped(name: str, url: str, **endpoint: Any) -> LLMConfig:
    """A shipped configuration, moved to a test server."""
    data = load_config(name).model_dump()
    moved = {"base_url": url, "api_key_env": None, "timeout_s": 5.0, "retries": 1, "backoff_s": 0.001}
    data["default"] |= moved | endpoint
    return LLMConfig.model_validate(data | {"local": None})


def ask(config: LLMConfig, folder: Path | None = None) -> Answer:
    with Runtime(config, folder) as runtime:
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
        return runtime.ask(Question("user", 1, 0, messages, SAY, key="test"))


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_configuration_gets_an_answer_whatever_its_server_refuses(serve: Serve, name: str) -> None:
    for kind in ("ok", "no_schema", "strict_openai", "no_usage"):
        answer = ask(shipped(name, serve(behaviour=lambda number, kind=kind: kind).url))
        assert not answer.fault, (name, kind)
        assert "secret" not in answer.text


def test_counts_of_a_wrong_type_are_unknown_counts_and_the_answer_counts(serve: Serve) -> None:
    server = serve(behaviour=lambda number: "odd_usage")
    for _ in range(3):
        answer = ask(shipped("openai", server.url))
        assert not answer.fault
        assert (answer.tokens_in, answer.tokens_out, answer.cost) == (0, 0, None)
    assert len(server.requests) == 3


@pytest.mark.parametrize("name", SHIPPED)
def test_requests_hold_only_fields_that_the_server_documents(serve: Serve, name: str) -> None:
    server = serve()
    ask(shipped(name, server.url))
    known = {"model", "messages", "temperature", "seed", "max_tokens", "response_format"}
    known |= {"cache_prompt"} if name == "llamacpp" else set()
    assert set(server.requests[0]) == known
    form = server.requests[0]["response_format"]
    assert form["type"] == "json_schema"
    assert set(form["json_schema"]) == {"name", "schema", "strict"}


def test_a_strict_service_gets_the_schema_without_bounds_and_answers_are_still_held_to_them(serve: Serve) -> None:
    server = serve(answer=lambda body: '{"say": "Hi", "n": 3}', behaviour=lambda number: "strict_openai")
    assert ask(shipped("openai", server.url)).data == {"say": "Hi", "n": 3}
    first, second = (body["response_format"]["json_schema"]["schema"] for body in server.requests)
    assert "maxLength" in json.dumps(first)
    assert "maxLength" not in json.dumps(second)
    assert second["properties"]["say"]["description"] == "at most 80 characters"
    long = serve(answer=lambda body: json.dumps({"say": "x" * 81, "n": 3}), behaviour=lambda number: "strict_openai")
    assert ask(shipped("openai", long.url)).fault == "wrong_schema"


def test_a_model_without_temperature_is_refused_with_what_to_set_and_then_works(serve: Serve) -> None:
    server = serve(behaviour=lambda number: "reasoning_model")
    with pytest.raises(RunStop, match="max_tokens_key=max_completion_tokens"):
        ask(shipped("openai", server.url))
    assert len(server.requests) == 1, "no other form of answer is tried: the service named another field"
    with pytest.raises(RunStop, match="temperature=null"):
        ask(shipped("openai", server.url, max_tokens_key="max_completion_tokens"))
    assert not ask(shipped("openai", server.url, max_tokens_key="max_completion_tokens", temperature=None)).fault


def test_tokens_that_a_server_does_not_tell_are_unknown_and_counted_at_the_most(serve: Serve, tmp_path: Path) -> None:
    server = serve(behaviour=lambda number: "no_usage")
    ask(shipped("vllm", server.url), tmp_path)
    opened = Recording(tmp_path / "llm.sqlite", read_only=True)
    (call,) = opened.lines()
    spent = opened.spent()
    opened.close()
    assert call["tokens_in"] is None
    assert call["cost"] is None
    assert spent.tokens >= load_config("vllm").endpoint("user").max_tokens
    assert "secret" not in json.dumps(call)


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens", "long"),
        (400, "the request exceeds the available context size, try increasing it", "long"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "long"),
        (400, "The input (5000 tokens) is longer than the model's context length (4096 tokens).", "long"),
        (400, "Invalid schema for response_format 'answer': In context=('properties',), 'maxLength' is not", "refused"),
        (400, "Failed to initialize samplers: failed to parse grammar", "refused"),
        (400, "This response_format type is unavailable now", "refused"),
        (400, "stablelm2:latest does not support tools", "refused"),
        (400, "Unsupported value: 'temperature' does not support 0.7 with this model", "refused"),
        (400, "Requested tokens exceed the limit of your plan", "refused"),
        (500, "tools param requires --jinja flag", "refused"),
        (500, "Only json_object is supported: json_schema is unsupported", "refused"),
        (500, "CUDA out of memory", "server_error"),
        (501, "no such thing", "server_error"),
        (503, "Loading model", "server_error"),
        (429, "You exceeded your current quota, context length", "rate_limited"),
    ],
)
def test_refusals_are_told_from_prompts_that_are_too_long_and_from_failures(
    status: int, message: str, kind: str
) -> None:
    failure = refusal(status, json.dumps({"error": {"message": message}}).encode(), None)
    assert failure.kind == {"long": "context_overflow"}.get(kind, kind)
    assert message[:12] not in str(failure)


def test_a_schema_without_bounds_allows_more_and_says_them_in_words() -> None:
    form = record(
        {
            "items": {"type": "array", "items": {"type": "string", "maxLength": 3}, "minItems": 1, "maxItems": 2},
            "kind": {"type": "string", "enum": ["maximum", "b"]},
            "either": {"anyOf": [{"type": "integer", "maximum": 5}, {"type": "null"}]},
        }
    )
    bare = without_bounds(form)
    value = {"items": ["long word"] * 5, "kind": "maximum", "either": 7}
    assert problem_with(value, form)
    assert not problem_with(value, bare)
    assert bare["properties"]["items"]["description"] == "at least 1 entries, at most 2 entries"
    assert bare["properties"]["kind"] == form["properties"]["kind"]


def test_unicode_that_no_log_can_hold_is_taken_out_of_escaped_words_too(serve: Serve) -> None:
    server = serve(answer=lambda body: '{"say": "a\\ud800b\\u0000c\\u001b[31m", "n": 1}')
    answer = ask(shipped("vllm", server.url))
    said = answer.data["say"]
    said.encode("utf-8")
    assert said == "a?bc[31m"
