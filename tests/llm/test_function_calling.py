"""The assistant's look-ups by the servers' function calling, and what happens where a server or model has none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.agents.llm import LanguageModel
from supermarket_env.agents.llm_native import functions
from supermarket_env.errors import ConfigError, RunStop
from supermarket_env.llm.functions import function, read_call
from supermarket_env.llm.recording import Recording
from supermarket_env.llm.schema import record
from supermarket_env.run.build import build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.job import run_job

pytest.importorskip("httpx")

Serve = Callable[..., Any]
MARK = "of this JSON schema: "


def reply(**changes: Any) -> dict[str, Any]:
    plain = {"act": "chat", "need": 0, "about": "none", "items": [], "lead_to": "none", "say": "Let me see."}
    return plain | changes


def call(name: str, arguments: dict[str, Any] | str) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": text}
    return {"content": None, "tool_calls": [{"id": "abc", "type": "function", "function": function}]}


def caller(body: dict[str, Any]) -> str | dict[str, Any]:
    """A model that searches, looks at what it found, and answers; in our own form if it is offered no functions."""
    if "tools" not in body:
        form = json.dumps(body)
        return json.dumps(reply(**({"tool": "none", "query": ""} if '"tool"' in form.replace("\\", "") else {})))
    found = [m for m in body["messages"] if m["role"] == "tool"]
    offered = [tool["function"]["name"] for tool in body["tools"]]
    if not found:
        return call("search", {"words": "milk"})
    if len(found) == 1:
        return call("details", {"product": found[0]["content"].split(":")[0]})
    assert "reply" in offered
    return call("reply", reply(act="recommend", items=[found[0]["content"].split(":")[0]], say="This one."))


def play(url: str, out: Path, tools: str = "auto", turns: int = 2, n: int = 1, **llm: Any) -> list[dict[str, Any]]:
    end = {"base_url": url, "model": "m", "timeout_s": 20.0, "retries": 1, "backoff_s": 0.001, "max_tokens": 90}
    agent = {
        "name": "mine", "_target_": "supermarket_env.agents.llm.LanguageModel", "prompt": "react", "tools": tools,
    }  # fmt: skip
    data = {
        "agents": [agent], "reference": None, "suite": {"name": "dev", "episodes": n},
        "limits": {"max_turns": turns, "reply_timeout_s": None}, "run": {"workers": 1, "compiled": False},
        "llm": {"default": end, "concurrency": 2, **llm},
    }  # fmt: skip
    run_job(build_plan(RunConfig.parse(data)), out)
    return [json.loads(line) for line in (out / "episodes.jsonl").read_text(encoding="utf-8").splitlines()]


def said(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for line in lines for event in line["events"] if event["k"] == "assistant"]


def faults(lines: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(e["who"], e["kind"]) for line in lines for e in line["events"] if e["k"] == "fault"}


def test_look_ups_are_calls_and_what_they_found_goes_back(serve: Serve, tmp_path: Path) -> None:
    server = serve(answer=caller)
    lines = play(server.url, tmp_path / "a", tools="native")
    assert not faults(lines)
    assert {(event["act"], event["text"]) for event in said(lines)} == {("recommend", "This one.")}
    first, second, third = server.requests[:3]
    assert first["tool_choice"] == "required"
    assert [tool["function"]["name"] for tool in first["tools"]] == [
        "search", "details", "where", "path", "compare", "reply",
    ]  # fmt: skip
    assert "response_format" not in first
    made, found = second["messages"][-2:]
    assert made["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"words": "milk"}'}
    assert len(made["tool_calls"][0]["id"]) == 9
    assert found["role"] == "tool"
    assert found["tool_call_id"] == made["tool_calls"][0]["id"]
    assert found["content"].startswith("P")
    assert [m["role"] for m in third["messages"]] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    offered = third["tools"][-1]["function"]["parameters"]["properties"]["items"]["items"]["enum"]
    assert set(offered) - {"none"} == {line.split(":")[0] for line in found["content"].splitlines()}


def test_calls_are_recorded_and_replayed_to_the_same_bytes(serve: Serve, tmp_path: Path) -> None:
    server = serve(answer=caller)
    play(server.url, tmp_path / "a", n=3)
    recording = str(tmp_path / "a" / "llm.sqlite")
    play("http://127.0.0.1:9/v1", tmp_path / "b", n=3, mode="replay", recording=recording)
    assert (tmp_path / "a" / "episodes.jsonl").read_bytes() == (tmp_path / "b" / "episodes.jsonl").read_bytes()


def test_the_last_question_of_a_turn_offers_only_the_answer(serve: Serve, tmp_path: Path) -> None:
    def curious(body: dict[str, Any]) -> dict[str, Any]:
        names = [tool["function"]["name"] for tool in body["tools"]]
        return call("search", {"words": "milk"}) if "search" in names else call("reply", reply())

    server = serve(answer=curious)
    assert not faults(play(server.url, tmp_path, tools="native", turns=1))
    assert [len(body["tools"]) for body in server.requests] == [6, 6, 6, 1]


@pytest.mark.parametrize("kind", ["ollama_without_tools", "old_llamacpp"])
def test_an_endpoint_without_function_calling_is_asked_in_json_and_the_run_replays(
    serve: Serve, tmp_path: Path, kind: str
) -> None:
    server = serve(answer=caller, behaviour=lambda number: kind)
    lines = play(server.url, tmp_path / "a", n=5)
    assert not faults(lines)
    assert said(lines)
    tried = sum("tools" in body for body in server.requests)
    assert 1 <= tried <= 2, "two episodes at once may find out; once known, it is not tried again"
    recording = str(tmp_path / "a" / "llm.sqlite")
    play("http://127.0.0.1:9/v1", tmp_path / "b", n=5, mode="replay", recording=recording)
    assert (tmp_path / "a" / "episodes.jsonl").read_bytes() == (tmp_path / "b" / "episodes.jsonl").read_bytes()
    opened = Recording(tmp_path / "a" / "llm.sqlite", read_only=True)
    calls = list(opened.lines())
    assert opened.spent().calls == sum(not each["fault"] for each in calls), "a refusal is no call that was paid for"
    opened.close()


def test_with_tools_native_a_refusal_stops_the_run_and_says_what_to_set(serve: Serve, tmp_path: Path) -> None:
    server = serve(answer=caller, behaviour=lambda number: "ollama_without_tools")
    with pytest.raises(RunStop, match="tools=json"):
        play(server.url, tmp_path, tools="native")


def test_a_model_that_talks_instead_of_calling_is_asked_in_json_for_the_rest_of_the_episode(
    serve: Serve, tmp_path: Path
) -> None:
    def talks(body: dict[str, Any]) -> str | dict[str, Any]:
        return "Sure, happy to help!" if "tools" in body else caller(body)

    server = serve(answer=talks)
    lines = play(server.url, tmp_path / "a", turns=3, n=2)
    assert not faults(lines)
    assert sum("tools" in body for body in server.requests) == 2, "one try an episode"
    native = serve(answer=talks)
    lines = play(native.url, tmp_path / "b", tools="native", turns=1)
    assert faults(lines) == {("assistant", "invalid_message")}
    assert [len(body["messages"]) for body in native.requests] == [2, 4], "one repair round"
    assert "calling one of the functions" in native.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (call("buy", {}), "no function of that name"),
        (call("reply", '{"act": "chat", "need'), "no whole JSON object"),
        (call("reply", reply(items=["P99999"])), "items"),
        (call("search", {"words": "milk", "limit": 3}), "unexpected field"),
    ],
)
def test_a_wrong_call_goes_back_once_with_the_reason(
    serve: Serve, tmp_path: Path, answer: dict[str, Any], problem: str
) -> None:
    server = serve(answer=lambda body: answer if len(body["messages"]) == 2 else call("reply", reply()))
    assert not faults(play(server.url, tmp_path, tools="native", turns=1))
    assert problem in server.requests[1]["messages"][-1]["content"]


def test_arguments_too_deep_to_read_are_the_models_fault(serve: Serve, tmp_path: Path) -> None:
    server = serve(caller, behaviour=lambda number: "deep")
    lines = play(server.url, tmp_path / "run", tools="native", turns=6)
    assert faults(lines) == {("assistant", "invalid_message")}
    assert [line["events"][-1]["reason"] for line in lines] == ["assistant_error"]


def test_tools_json_sends_no_functions(serve: Serve, tmp_path: Path) -> None:
    server = serve(answer=caller)
    assert not faults(play(server.url, tmp_path, tools="json"))
    assert server.requests
    assert not any("tools" in body for body in server.requests)


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ('{"call": "where", "arguments": {"what": "milk"}}', "where"),
        ('Of course! ```json\n{"name": "where", "parameters": {"what": "milk"}}\n```', "where"),
        ('{"what": "milk"}', "where"),
        ('{"call": "where", "arguments": {}}', ""),
        ('{"call": "where", "arguments": ["milk"]}', ""),
        ('{"call": 7}', ""),
        ("[]", ""),
        ("", ""),
    ],
)
def test_a_call_is_read_however_it_was_written(text: str, called: str) -> None:
    offered = [function("where", "", record({"what": {"type": "string"}}))]
    data, fault, problem = read_call(text, offered)
    assert (data or {}).get("call", "") == called
    assert bool(fault) == bool(problem) == (not called)


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ConfigError, match="valid: auto, native, json"):
        LanguageModel(prompt="react", tools="nativ")
    with pytest.raises(ConfigError, match="needs prompt=react"):
        LanguageModel(tools="native")


def test_functions_keep_to_what_strict_services_ask_of_a_schema() -> None:
    def check(form: dict[str, Any]) -> None:
        if form.get("type") == "object":
            assert form["additionalProperties"] is False
            assert form["required"] == list(form["properties"])
            for part in form["properties"].values():
                check(part)

    for tool in functions(("P00001",), last=False):
        assert tool["name"].isidentifier()
        assert tool["description"]
        check(tool["parameters"])
