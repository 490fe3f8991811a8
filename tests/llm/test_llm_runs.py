"""Whole runs with language models in both seats: recordings, resuming, concurrency, faults, and who sees what."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.dialogue.acts import AssistantMessage, Suggestion
from supermarket_env.envs.game import Game
from supermarket_env.envs.users import UserSeat, UserTurn
from supermarket_env.errors import ConfigError, RunStop
from supermarket_env.llm.recording import Recording
from supermarket_env.run.build import build_plan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.job import RunResult, run_job
from supermarket_env.tasks.suites import load_suite
from supermarket_env.user_sim.llm_prompt import heard_words, need_words
from supermarket_env.world import load_world

pytest.importorskip("httpx")

Serve = Callable[..., Any]


def data_for(url: str, n: int = 2, turns: int = 3, **llm: Any) -> dict[str, Any]:
    end = {
        "base_url": url, "model": "m", "timeout_s": 30.0, "retries": 6, "backoff_s": 0.001, "max_tokens": 60,
        "max_bytes": 200_000, "concurrency": 64,
    }  # fmt: skip
    return {
        "agents": ["llm"],
        "reference": None,
        "suite": {"name": "dev", "episodes": n},
        "user": {"name": "llm", "model": "llm", "options": {"mode": "full"}},
        "limits": {"max_turns": turns, "reply_timeout_s": None},
        "run": {"workers": 1, "compiled": False, "progress": False},
        "llm": {"default": end, "concurrency": 2, "prices": {"m": {"input": 1.0, "output": 2.0}}, **llm},
    }


def play(data: dict[str, Any], out: Path) -> RunResult:
    return run_job(build_plan(RunConfig.parse(data)), out)


def episodes(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "episodes.jsonl").read_text(encoding="utf-8").splitlines()]


def of_kind(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for line in lines for event in line["events"] if event["k"] == kind]


def test_sixty_four_at_once_are_one_at_a_time_and_replay_is_the_same(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    assert play(data_for(server.url, n=64, turns=2, concurrency=64), tmp_path / "live").n_infra == 0
    sent = len(server.requests)
    recording = str(tmp_path / "live" / "llm.sqlite")
    for name, mode, at_once in (("one", "replay", 1), ("many", "replay", 64)):
        data = data_for("http://127.0.0.1:9/v1", n=64, turns=2, concurrency=at_once, mode=mode, recording=recording)
        play(data, tmp_path / name)
    bytes_of = {(tmp_path / name / "episodes.jsonl").read_bytes() for name in ("live", "one", "many")}
    assert len(bytes_of) == 1
    assert len(server.requests) == sent


def test_answers_that_never_repeat_replay_to_the_same_bytes_in_every_trial(serve: Serve, tmp_path: Path) -> None:
    """A hosted model answers the same question differently each time: what counts is which call got which answer."""
    lock, count, fitting = threading.Lock(), itertools.count(), serve().answer

    def moody(body: dict[str, Any]) -> str:
        with lock:
            salt = {"role": "user", "content": f"salt {next(count)}"}
        return str(fitting({**body, "messages": [*body["messages"], salt]}))

    server = serve(answer=moody)
    data = data_for(server.url, n=3, turns=3, concurrency=9)
    data["trials"] = 3
    play(data, tmp_path / "a")
    recording = str(tmp_path / "a" / "llm.sqlite")
    offline = data_for("http://127.0.0.1:9/v1", n=3, turns=3, concurrency=1, mode="replay", recording=recording)
    offline["trials"] = 3
    play(offline, tmp_path / "b")
    assert (tmp_path / "a" / "episodes.jsonl").read_bytes() == (tmp_path / "b" / "episodes.jsonl").read_bytes()
    openings = {(e["task_id"], json.dumps(of_kind([e], "assistant")[0])) for e in episodes(tmp_path / "a")}
    assert len(openings) > 3, "trials of one task got answers of their own"


def test_a_hybrid_user_and_a_looking_up_assistant_replay_too(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    changes = {"agents": ["llm_react", "rule"], "user": {"name": "h", "model": "llm", "options": {"mode": "hybrid"}}}
    play(data_for(server.url) | changes, tmp_path / "a")
    data = data_for("http://127.0.0.1:9/v1", mode="replay", recording=str(tmp_path / "a" / "llm.sqlite"))
    play(data | changes, tmp_path / "b")
    assert (tmp_path / "a" / "episodes.jsonl").read_bytes() == (tmp_path / "b" / "episodes.jsonl").read_bytes()
    assert any(e["kind"] == "llm_rejected" for e in of_kind(episodes(tmp_path / "a"), "fault"))


def test_a_judge_in_the_run_uses_its_endpoint_and_replays(serve: Serve, tmp_path: Path) -> None:
    server = serve(answer=lambda body: '{"naturalness": 4}')
    judge = {"scorers": [{"name": "judge", "backend": "llm", "model": "llm", "samples": 1}]}
    changes = {"agents": ["rule"], "user": {"name": "scripted"}} | judge
    play(data_for(server.url) | changes, tmp_path / "a")
    sent = len(server.requests)
    assert sent == 4
    recording = str(tmp_path / "a" / "llm.sqlite")
    play(data_for("http://127.0.0.1:9/v1", mode="replay", recording=recording) | changes, tmp_path / "b")
    scores = [next((tmp_path / name / "scores").iterdir()).read_bytes() for name in ("a", "b")]
    assert scores[0] == scores[1]
    assert b'"naturalness"' in scores[0]


def test_usage_in_the_log_is_what_the_endpoint_served(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    play(data_for(server.url), tmp_path)
    usage = of_kind(episodes(tmp_path), "usage")
    assert Counter((u["tokens_in"], u["tokens_out"]) for u in usage) == Counter(server.served)
    assert all(abs(u["cost"] - (u["tokens_in"] + 2 * u["tokens_out"]) / 1e6) < 1e-12 for u in usage)
    assert {u["who"] for u in usage} == {"user", "assistant"}
    for line in episodes(tmp_path):  # in the order of a log
        turns = [e["turn"] for e in line["events"] if e["k"] in ("usage", "reward")]
        assert turns == sorted(turns)


def test_every_run_ends_whatever_the_endpoint_does(serve: Serve, tmp_path: Path) -> None:
    bad = ["rate_limited", "server_error", "truncated", "wrong_schema", "huge", "closed", "rubbish", "prose", "cut"]
    server = serve(behaviour=lambda number: bad[number // 2 % len(bad)] if number % 2 else "ok")
    result = play(data_for(server.url, n=3), tmp_path)
    assert result.n_infra == 0
    assert set(bad) <= set(server.done)
    lines = episodes(tmp_path)
    usage = of_kind(lines, "usage")
    assert Counter((u["tokens_in"], u["tokens_out"]) for u in usage) == Counter(server.served)
    infrastructure = {"rate_limited", "server_error", "bad_body", "connection", "too_large", "timeout"}
    assert all(fault["kind"] not in infrastructure for fault in of_kind(lines, "fault"))
    attempts = [json.loads(x) for x in (tmp_path / "timings.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {a["failed"] for a in attempts if "failed" in a} >= infrastructure - {"timeout"}


def test_a_run_with_an_endpoint_that_hangs_and_drips_ends(serve: Serve, tmp_path: Path) -> None:
    server = serve(behaviour=lambda number: ("hang", "drip")[number % 2] if number % 5 == 1 else "ok")
    data = data_for(server.url, n=1, turns=2)
    data["llm"]["default"]["timeout_s"] = 0.4
    assert play(data, tmp_path).n_infra == 0
    assert server.done["hang"] + server.done["drip"]
    assert not [f for f in of_kind(episodes(tmp_path), "fault") if f["kind"] == "timeout"]


def test_a_dead_endpoint_is_infrastructure_and_redone_later(serve: Serve, tmp_path: Path) -> None:
    dead = [True]
    server = serve(behaviour=lambda number: "server_error" if dead[0] else "ok")
    result = play(data_for(server.url), tmp_path)
    assert result.n_infra == 2
    assert {line["events"][-1]["reason"] for line in episodes(tmp_path)} == {"infra_error"}
    assert all(fault["who"] == "infra" for fault in of_kind(episodes(tmp_path), "fault"))
    dead[0] = False
    assert play(data_for(server.url), tmp_path).n_infra == 0
    assert {line["events"][-1]["reason"] for line in episodes(tmp_path)}.isdisjoint({"infra_error"})


def test_a_transport_that_breaks_is_not_blamed_on_the_assistant(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stream(self: Any, *words: Any, **options: Any) -> Any:
        raise ExceptionGroup("all addresses", [OverflowError("port must be 0-65535")])

    data = data_for(serve().url) | {"user": {"name": "scripted"}}
    with monkeypatch.context() as patch:
        patch.setattr("httpx.AsyncClient.stream", stream)
        assert play(data, tmp_path).n_infra == 2
    assert {fault["who"] for fault in of_kind(episodes(tmp_path), "fault")} == {"infra"}
    assert play(data, tmp_path).n_infra == 0


def test_an_assistant_that_talks_nonsense_is_its_own_fault(serve: Serve, tmp_path: Path) -> None:
    server = serve(behaviour=lambda number: "prose")
    data = data_for(server.url, turns=5) | {"user": {"name": "scripted"}}
    assert play(data, tmp_path).n_infra == 0
    assert {line["events"][-1]["reason"] for line in episodes(tmp_path)} == {"assistant_error"}
    assert {(f["who"], f["kind"]) for f in of_kind(episodes(tmp_path), "fault")} == {("assistant", "invalid_message")}


def test_a_user_that_talks_nonsense_is_replaced_by_the_scripted_one(serve: Serve, tmp_path: Path) -> None:
    server = serve(behaviour=lambda number: "prose")
    play(data_for(server.url) | {"agents": ["rule"]}, tmp_path / "llm")
    play(data_for(server.url) | {"agents": ["rule"], "user": {"name": "scripted"}}, tmp_path / "plain")
    faults = of_kind(episodes(tmp_path / "llm"), "fault")
    assert {(f["who"], f["kind"]) for f in faults} == {("user", "llm_not_json")}
    actions = [
        [e["action"] for e in of_kind(episodes(tmp_path / name), "user") if e["turn"]] for name in ("llm", "plain")
    ]
    assert actions[0] == actions[1]


def test_a_budget_stops_a_run_between_calls_and_a_higher_one_goes_on(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    play(data_for(server.url), tmp_path / "whole")
    sent = len(server.requests)
    with pytest.raises(RunStop, match="calls"):
        play(data_for(server.url, budget={"calls": sent // 2}), tmp_path / "parts")
    assert len(server.requests) == sent + sent // 2
    play(data_for(server.url, budget={"calls": sent}), tmp_path / "parts")
    assert len(server.requests) == 2 * sent
    assert (tmp_path / "whole" / "episodes.jsonl").read_bytes() == (tmp_path / "parts" / "episodes.jsonl").read_bytes()


def test_a_gap_in_a_recording_is_named_with_its_turn(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    play(data_for(server.url, n=1), tmp_path / "a")
    data = data_for(server.url, n=2, mode="replay", recording=str(tmp_path / "a" / "llm.sqlite"))
    with pytest.raises(RunStop, match=r"dev-0001\|0\|\w+\|turn 1"):
        play(data, tmp_path / "b")


def test_nobody_is_told_what_is_not_for_them(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-canary-12345")
    server = serve()
    data = data_for(server.url, n=4)
    data["llm"]["default"]["api_key_env"] = "SOME_KEY"
    play(data, tmp_path)
    recording = Recording(tmp_path / "llm.sqlite", read_only=True)
    calls = list(recording.lines())
    recording.close()
    tasks = {task.id: task for task in load_suite("dev").tasks}
    ids, told = re.compile(r"\bP\d{5}\b"), 0
    for call in calls:
        prompt = json.dumps(call["request"])
        task = tasks[call["place"].split("|")[3]]
        if call["role"] == "assistant":
            assert not any(need_words(need) in prompt for need in task.needs)
            assert "patience" not in prompt
            assert "budget" not in prompt.lower()
        else:
            truth = next(line["truth"] for line in episodes(tmp_path) if line["task_id"] == task.id)
            assert truth["best_cart"]
            assert not ids.search(prompt), "a product id in the user's prompt"
            told += "[hint: add" in prompt or "Products shown" in prompt
    assert told, "the user was shown products, or told to take one"
    everything = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"sk-canary" not in everything
    wishes = [need_words(need) for task in tasks.values() for need in task.needs]
    faults = json.dumps(of_kind(episodes(tmp_path), "fault"))
    assert not any(words in faults for words in wishes)


def test_a_hint_to_take_a_product_is_told_by_its_name() -> None:
    class Quiet:
        name, version = "quiet", "1"

        def start(self, seat: UserSeat) -> None:
            self.seat = seat

        def respond(self, seat: UserSeat) -> UserTurn:
            return seat.scripted()

    user, task = Quiet(), load_suite("dev").tasks[0]
    Game(load_world(task.catalogue, task.store), user_model=user, mode="plain").reset(task, seed=0)
    seat = user.seat
    product = seat.catalogue.ids[7]
    seat.message = AssistantMessage(act="chat", text="Take it.", suggest=Suggestion(type="add", arg=product))
    assert heard_words(seat) == f"<<Take it. [hint: add {seat.catalogue.names[7]}]>>"


def test_finished_calls_survive_a_kill_and_are_not_paid_again(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    data = data_for(server.url, n=6)
    play(data, tmp_path / "whole")
    sent = len(server.requests)
    code = (
        "import json, sys\nfrom pathlib import Path\nfrom supermarket_env.run.build import build_plan\n"
        "from supermarket_env.run.config import RunConfig\nfrom supermarket_env.run.job import run_job\n"
        "run_job(build_plan(RunConfig.parse(json.loads(sys.argv[1]))), Path(sys.argv[2]))\n"
    )
    words = [sys.executable, "-c", code, json.dumps(data), str(tmp_path / "killed")]
    with subprocess.Popen(words) as process:
        deadline = time.monotonic() + 60.0
        while len(server.requests) < sent + 5 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    recording = Recording(tmp_path / "killed" / "llm.sqlite")
    kept = recording.spent().calls
    recording.close()
    before = len(server.requests)
    play(data, tmp_path / "killed")
    assert kept >= 1
    assert len(server.requests) - before == sent - kept
    assert (tmp_path / "whole" / "episodes.jsonl").read_bytes() == (tmp_path / "killed" / "episodes.jsonl").read_bytes()


def test_a_seat_without_an_endpoint_is_refused_before_the_first_episode() -> None:
    data = data_for("http://127.0.0.1:9/v1")
    del data["llm"]
    with pytest.raises(ConfigError, match="add llm=local"):
        build_plan(RunConfig.parse(data))


def test_transport_is_no_part_of_the_identity_of_a_run() -> None:
    first = RunConfig.parse(data_for("http://127.0.0.1:9/v1"))
    moved = data_for("http://elsewhere:80/v1", mode="replay", recording="x", concurrency=9, budget={"calls": 1})
    assert RunConfig.parse(moved).content_hash() == first.content_hash()
    moved["llm"]["default"]["model"] = "another"
    assert RunConfig.parse(moved).content_hash() != first.content_hash()
    plain = RunConfig.parse({})
    assert "llm" not in plain.resolved()
