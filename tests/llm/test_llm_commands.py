"""The commands around models: stops that say how to go on, recordings that are packed, the study of users."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from supermarket_env.cli import main
from supermarket_env.errors import ConfigError
from supermarket_env.llm.recording import Recording
from supermarket_env.scorers.judge.endpoint import close_endpoints

pytest.importorskip("httpx")

DATA = Path(__file__).parent.parent / "data" / "llm_local"
Serve = Callable[..., Any]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., tuple[int, str, str]]]:
    def run(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    yield run
    close_endpoints()


def settings(file: Path, url: str, **more: Any) -> Path:
    end = {"base_url": url, "model": "m", "timeout_s": 20.0, "backoff_s": 0.001, "retries": 1}
    file.write_text(yaml.safe_dump({"default": end, **more}), encoding="utf-8")
    return file


def test_a_budget_stops_an_audit_with_a_message_and_a_higher_one_goes_on(
    serve: Serve, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    server = serve()
    words = ["audit", "llm", "--episodes", 1, "--assistants", "rule", "--out", tmp_path, "--llm"]
    code, _, err = command(*words, settings(tmp_path / "a.yaml", server.url, budget={"calls": 3}))
    assert code == 1
    assert err.startswith("stopped: llm.budget: calls (3 made, limit 3)")
    assert "Traceback" not in err
    assert len(server.requests) == 3
    code, out, err = command(*words, settings(tmp_path / "a.yaml", server.url))
    assert (tmp_path / "audit.md").is_file(), out + err
    opened = Recording(tmp_path / "llm.sqlite", read_only=True)
    assert opened.spent().calls == len(server.requests)
    opened.close()


def test_a_budget_stops_a_check_of_a_judge_and_a_score(
    serve: Serve, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    server = serve(answer=lambda body: '{"naturalness": 4}')
    file = settings(tmp_path / "a.yaml", server.url, budget={"calls": 2})
    log = DATA / "episodes.jsonl"
    code, _, err = command("judge-check", log, "--backend", "llm", "--model", f"llm:{file}")
    assert (code, err.partition(" (")[0]) == (1, "stopped: llm.budget: calls")
    close_endpoints()
    scorers = f"scorers=[{{name:judge,backend:llm,model:'llm:{file}'}}]"
    code, _, err = command("score", log, scorers, f"out={tmp_path / 'scores'}")
    assert (code, err.partition(" (")[0]) == (1, "stopped: llm.budget: calls")


def test_a_refusing_endpoint_ends_a_ping_with_what_to_do(
    serve: Serve, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    server = serve(behaviour=lambda number: "unauthorized")
    code, out, err = command("llm", "ping", settings(tmp_path / "a.yaml", server.url))
    assert code == 1
    assert err.startswith("stopped: llm assistant: the endpoint refuses (HTTP 401)")
    assert not out


def test_a_packed_recording_is_shown_and_replayed_but_never_written(
    serve: Serve, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    plain = DATA / "llm.sqlite"
    packed = tmp_path / "llm.sqlite.xz"
    packed.write_bytes(lzma.compress(plain.read_bytes()))
    assert command("llm", "show", packed, "--jsonl") == command("llm", "show", plain, "--jsonl")
    words = ["run", "user=llm", "agents=[llm]", "llm=local", "suite.episodes=2", "limits.max_turns=6"]
    offline = [*words, "run.progress=false", f"llm.recording={packed}", f"out={tmp_path / 'run'}"]
    code, _, err = command(*offline, "llm.mode=replay")
    assert code == 0, err
    assert (tmp_path / "run" / "episodes.jsonl").read_bytes() == (DATA / "episodes.jsonl").read_bytes()
    with pytest.raises(ConfigError, match="can only be replayed"):
        Recording(packed)
    for rubbish in (b"", b"no recording", lzma.compress(b"no recording"), packed.read_bytes()[:-40]):
        packed.write_bytes(rubbish)
        with pytest.raises(ConfigError, match="cannot be used as a recording"):
            Recording(packed, read_only=True)


def test_the_study_says_whether_users_agree_about_the_assistants(
    serve: Serve, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    server = serve()
    common = ["run", "agents=[rule,silent]", "suite.episodes=2", "limits.max_turns=3", "run.progress=false"]
    common += ["limits.reply_timeout_s=null", "run.compiled=false", "run.workers=1"]
    assert command(*common, f"out={tmp_path / 'a'}")[0] == 0
    end = f"llm.default={{base_url:'{server.url}',model:m}}"
    code, _, err = command(*common, "user=llm", f"+{end}", f"out={tmp_path / 'b'}")
    assert code == 0, err
    code, out, _ = command("llm", "study", tmp_path / "a", tmp_path / "b", "--value", "Turn", "--json")
    (pair,) = json.loads(out)
    assert code == 0
    assert (pair["first"], pair["second"], pair["n_tasks"]) == ("scripted", "llm", 2)
    assert pair["assistants"] == ["rule", "silent"]
    code, _, err = command("llm", "study", tmp_path / "a")
    assert code == 2
    assert "at least two users" in err
    code, _, err = command("llm", "study", tmp_path / "a", tmp_path / "b", "--value", "turns")
    assert code == 2
    assert "Did you mean 'Turn'?" in err


def test_scores_of_a_finished_log_keep_their_answers_beside_them_and_pay_once(
    serve: Serve, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    server = serve(answer=lambda body: '{"naturalness": 4}')
    file = settings(tmp_path / "a.yaml", server.url)
    words = ["score", DATA / "episodes.jsonl", f"out={tmp_path / 'scores'}"]
    words += [f"scorers=[{{name:judge,backend:llm,model:'llm:{file}',samples:1}}]"]
    assert command(*words)[0] == 0
    sent = len(server.requests)
    assert sent > 0
    close_endpoints()
    opened = Recording(tmp_path / "scores" / "judge.sqlite", read_only=True)
    assert opened.spent().calls == sent
    opened.close()
    assert command(*words, "replace=true")[0] == 0
    assert len(server.requests) == sent


def test_a_check_of_a_judge_pays_once_for_a_question_that_comes_twice(
    serve: Serve, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    server = serve(answer=lambda body: '{"naturalness": 4}')
    file = settings(tmp_path / "a.yaml", server.url)
    words = ["--backend", "llm", "--model", f"llm:{file}", "--per-fault", 1, "--episodes", 1]
    command("judge-check", DATA / "episodes.jsonl", *words)
    asked = [json.dumps([body["messages"], body["seed"]]) for body in server.requests]
    assert len(asked) == len(set(asked)) > 0
