"""An endpoint behind the judge, the grade reader, the blind panel, the checks of a judge and the audit of a user."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from supermarket_env.cli.judge_check import run_checks
from supermarket_env.events.log import read_log
from supermarket_env.llm.config import load_config
from supermarket_env.llm.runtime import Runtime
from supermarket_env.run.user_audit import AuditPlan, audit_user
from supermarket_env.scorers.judge.endpoint import PLUMBING, EndpointModel, close_endpoints
from supermarket_env.scorers.judge.llm import load_model
from supermarket_env.scorers.judge.scorer import make_scorer
from supermarket_env.scorers.registry import make_scorer as make_any_scorer
from supermarket_env.scorers.sheets import score_episode
from supermarket_env.scorers.sie.dimensions import DIMENSIONS
from supermarket_env.scorers.sie.model_rater import fill_sheet
from supermarket_env.scorers.sie.sheets import COLUMNS
from supermarket_env.user_sim.registry import make_user

pytest.importorskip("httpx")

LOG = Path(__file__).parent.parent / "data" / "llm_local" / "episodes.jsonl"
Serve = Callable[..., Any]


def grades(body: dict[str, Any]) -> str:
    text = body["messages"][0]["content"]
    if "scenario" in text:
        return '{"scenario": true, "detail": false}'
    if "better" in text:
        return '{"better": "first"}'
    names = [name for name in ("naturalness", "groundedness", "overall_satisfaction", *DIMENSIONS) if name in text]
    return json.dumps(dict.fromkeys(names, 4))


@pytest.fixture
def settings(serve: Serve, tmp_path: Path) -> Iterator[Callable[..., str]]:
    def write(answer: Callable[[dict[str, Any]], str] | None = None, **more: Any) -> str:
        server = serve() if answer is None else serve(answer=answer)
        data = {"default": {"base_url": server.url, "model": "m"}, "prices": {"m": {"input": 1.0, "output": 1.0}}}
        file = tmp_path / "llm.yaml"
        file.write_text(yaml.safe_dump(data | more), encoding="utf-8")
        return str(file)

    yield write
    close_endpoints()


def test_the_judge_asks_the_endpoint_and_counts_what_it_costs(settings: Callable[..., str]) -> None:
    judge = make_scorer("llm", model=f"llm:{settings(grades)}", samples=2)
    episode = read_log([LOG]).episodes[0]
    sheet = judge.score(episode)
    assert [s.value for s in sheet.scores if s.dim == "naturalness"] == [4, 4]
    assert sheet.cost.calls == 4
    assert sheet.cost.money == pytest.approx((sheet.cost.tokens_in + sheet.cost.tokens_out) / 1e6)
    assert "endpoint-m" in judge.version


def test_a_model_that_only_shows_the_path_rates_nothing(
    settings: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("supermarket_env.llm.local.ensure_server", lambda config: None)
    with Runtime(load_config(settings(grades, local={"port": 9}))):
        judge = make_scorer("llm", model=EndpointModel(), samples=1)
        line = score_episode(judge, read_log([LOG]).episodes[0]).line
    assert PLUMBING in json.dumps(line)
    assert not [event for event in line["events"] if event["k"] == "judge"]


def test_the_grade_reader_asks_it_too(settings: Callable[..., str]) -> None:
    scorer = make_any_scorer({"name": "grade", "model": f"llm:{settings(grades)}"})
    sheet = scorer.score(read_log([LOG]).episodes[0])
    assert "llm-2-endpoint-m" in json.dumps(sheet.details) or "llm" in scorer.version


def test_a_model_fills_in_a_sheet_and_leaves_gaps_where_it_babbles(
    settings: Callable[..., str], tmp_path: Path
) -> None:

    sheet = tmp_path / "sheet.csv"
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(COLUMNS))
        writer.writeheader()
        writer.writerow({"sheet_id": "a", "user": "Where is milk?", "reply": "Aisle 3.", "empathy": "n/a"})
        writer.writerow({"sheet_id": "b", "user": "Milk?", "reply": "babble"})
    answer = lambda body: "no idea" if "babble" in body["messages"][1]["content"] else grades(body)  # noqa: E731
    made = fill_sheet(sheet, tmp_path / "out.csv", load_model(f"llm:{settings(answer)}"))
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()))
    assert [rows[0][dim] for dim in DIMENSIONS] == ["4", "n/a", "4", "4", "4"]
    assert [rows[1][dim] for dim in DIMENSIONS] == [""] * 5
    assert made.unreadable == 5


def test_judge_check_and_audit_run_with_any_endpoint(settings: Callable[..., str]) -> None:
    source = settings(grades)
    result = run_checks([LOG], "llm", f"llm:{source}", None, ["llm"], per_fault=1, n_episodes=1, n_pairs=1)
    assert result["judge"].startswith("judge@llm-")
    assert result["leakage"]["holds"]


def test_an_audit_asks_the_endpoint_and_finds_it_deterministic(settings: Callable[..., str], tmp_path: Path) -> None:
    with Runtime(load_config(settings()), tmp_path) as runtime:
        assert runtime.recording is not None
        plan = AuditPlan(("rule",), "dev", 1)
        sheet = audit_user(lambda: make_user("llm", {"mode": "full"}), plan)
        spent = runtime.recording.spent().calls
    assert spent > 0
    determinism = [check for check in sheet.checks if "determin" in check.name or "same" in check.name]
    assert all(check.verdict != "fail" for check in determinism)
