"""The shipped recording of the local model, played again offline; and the model itself where it is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from supermarket_env.llm import local
from supermarket_env.llm.config import LocalConfig, load_config
from supermarket_env.llm.functions import function
from supermarket_env.llm.runtime import Question, Runtime
from supermarket_env.llm.schema import record

DATA = Path(__file__).parent.parent / "data" / "llm_local"


def test_the_recorded_run_of_the_local_model_replays_to_the_same_bytes(tmp_path: Path) -> None:
    """Renewed by the command below without the last three words; the recording is then its llm.sqlite."""
    words = ["user=llm", "agents=[llm]", "llm=local", "suite.episodes=2", "limits.max_turns=6", "run.progress=false"]
    offline = ["llm.mode=replay", f"llm.recording={DATA / 'llm.sqlite'}", f"out={tmp_path / 'run'}"]
    code = "import sys; from supermarket_env.cli import main; main(['run', *sys.argv[1:]])"
    done = subprocess.run([sys.executable, "-c", code, *words, *offline], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "episodes.jsonl").read_bytes() == (DATA / "episodes.jsonl").read_bytes()


def test_shipped_configurations_fit() -> None:
    for name in ("local", "openai", "vllm", "llamacpp", "ollama"):
        config = load_config(name)
        assert config.endpoint("judge").base_url.endswith("/v1")
    assert load_config("local").local is not None


def test_the_local_server_answers_in_the_form_asked_for_and_ends() -> None:
    pytest.importorskip("httpx")
    pytest.importorskip("xllamacpp")
    if not local.installed(local.WEIGHTS):
        pytest.skip("weights are not installed: supermarket llm install")
    port = 18089
    server = local.ensure_server(LocalConfig(port=port))
    assert server is not None
    try:
        data = load_config("local").model_dump() | {"mode": "off", "local": None}
        data["default"]["base_url"] = f"http://127.0.0.1:{port}/v1"
        config = type(load_config("local")).model_validate(data)
        form = record({"n": {"type": "integer", "enum": [1, 2, 3]}})
        messages = [{"role": "user", "content": "Pick a number from 1 to 3."}]
        with Runtime(config) as runtime:
            answers = [runtime.ask(Question("user", 0, 0, messages, form, seed=1, key="x")) for _ in range(2)]
            # Its template knows no tools: the server takes them and the model talks on, which `auto` is there for.
            tools = [function("pick", "Pick a number.", form)]
            called = runtime.ask(Question("user", 0, 1, messages, seed=1, key="x", tools=tools, other_form=True))
        assert called.fault == "no_call"
        assert answers[0] == answers[1]
        assert answers[0].data["n"] in (1, 2, 3)
        assert answers[0].tokens_in > 0
    finally:
        server.stop()
    assert not local.is_ready(port)
