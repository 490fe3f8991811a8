"""The audit: eight broken users are caught by the check meant for them, the scripted one passes."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from supermarket_env.cli import main
from supermarket_env.envs.users import UserSeat, UserTurn
from supermarket_env.errors import InfrastructureError
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import finish_episode
from supermarket_env.run.user_audit import AuditPlan, audit_log, audit_user, catalogue_of
from supermarket_env.user_sim.audit import audit_episodes
from supermarket_env.user_sim.audit_sheet import Sheet


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("broken_users", Path(__file__).parent / "broken_users.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["broken_users"] = module
    spec.loader.exec_module(module)
    return module


broken = _load()
SMALL = AuditPlan(assistants=("retrieval", "rule", "spam"), episodes=12, twice=2)


def audited(name: str, plan: AuditPlan = SMALL) -> Sheet:
    return audit_user(getattr(broken, name), plan)


def test_the_scripted_user_passes_every_check() -> None:
    sheet = audit_user(lambda: None, AuditPlan(assistants=("retrieval", "rule", "spam"), episodes=12, twice=2))
    assert sheet.verdict() == "PASS: scripted passes all 11 checks in 36 episodes"
    assert [check.name for check in sheet.checks if check.verdict == "not checked"] == []


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("Contradicts", "consistency"),
        ("Leaks", "leakage"),
        ("Illegal", "legality"),
        ("Quits", "early_quitting"),
        ("AcceptsAll", "accept_everything"),
        ("RejectsAll", "reject_everything"),
        ("Repeats", "repetition"),
        ("Undetermined", "determinism"),
    ],
)
def test_each_broken_user_is_caught_by_the_check_meant_for_it(name: str, check: str) -> None:
    sheet = audited(name)
    assert check in sheet.failed
    assert sheet.verdict().startswith("FAIL: ")
    assert check in sheet.verdict()
    caught = next(c for c in sheet.checks if c.name == check)
    assert caught.examples
    # One fault may bring a second one about (who accepts all accepts what it may not have), never most of the sheet.
    assert len(sheet.failed) <= 3


def test_the_door_alone_changes_nothing() -> None:
    assert audited("Scripted").failed == ()


# --- checks on logs written by hand -------------------------------------------------------------------------------

NEED = {
    "id": "0", "type": "milk", "types": ["milk"], "qty": 1, "weight": 1.0, "outside": 0.1, "hard": ["allergen:nuts"],
    "soft": {"organic": 1.0}, "brand": "Hill", "size": "", "price_limit": None, "attributes": ["type", "brand"],
}  # fmt: skip


def log(*events: dict[str, Any], reason: str = "checkout", **truth: Any) -> Episode:
    end = {"k": "end", "reason": reason}
    known = {
        "needs": [NEED], "acceptable": {"0": ["a"]}, "utility": {"0": {"a": 0.9}}, "U_star": 0.8, "budget": 9.0,
        "optimal_turns": 10, **truth,
    }  # fmt: skip
    return finish_episode(
        {
            "schema": "supermarket.episode/1",
            "episode_id": "e",
            "agent": "x",
            "events": [*events, end],
            "truth": known,
        }
    )


def said(turn: int, act: str = "answer", text: str = "", **slots: Any) -> dict[str, Any]:
    facts = slots.get("facts", [])
    names = {"product_type": "type"}
    return {
        "k": "user", "turn": turn, "act": act, "text": text, "slots": slots, "irritation": 0.0,
        "action": {"type": "wait", "params": {}},
        "reveals": [f"0.{names.get(f['attribute'], f['attribute'])}" for f in facts if f["value"] is not None],
    }  # fmt: skip


def fact(attribute: str, value: Any) -> dict[str, Any]:
    return {"need": 1, "attribute": attribute, "value": value}


def found(episode: Episode, check: str) -> list[str]:
    sheet = audit_episodes([episode], user="u")
    return [e.what for e in next(c for c in sheet.checks if c.name == check).examples]


@pytest.mark.parametrize(
    ("attribute", "value", "true"),
    [
        ("brand", "Hill", True),
        ("brand", "Dale", False),
        ("brand", None, False),
        ("quantity", 1, True),
        ("quantity", 2, False),
        ("allergy", ["nuts"], True),
        ("allergy", None, False),
        ("organic", True, True),
        ("organic", None, False),
        ("vegan", True, False),
        ("vegan", None, True),
        ("price_limit", None, True),
        ("size", "large", False),
    ],
)
def test_facts_are_judged_by_the_need(attribute: str, value: Any, true: bool) -> None:
    start = said(0, "disclose", facts=[fact("product_type", "milk")])
    assert (found(log(start, said(1, facts=[fact(attribute, value)])), "consistency") == []) is true


def test_an_earlier_answer_binds_even_without_truth() -> None:
    first, second = said(1, facts=[fact("brand", "Hill")]), said(2, facts=[fact("brand", "Dale")])
    assert "said 'Hill' in turn 1" in found(log(first, second, needs=[]), "consistency")[0]


def test_a_lasting_no_stays_a_no() -> None:
    shown = {"k": "recommend", "turn": 1, "items": ["a"]}
    no = said(1, "reject", need=1, products=["a"], reason="brand")
    yes = said(2, "accept", need=1, products=["a"])
    assert found(log(shown, no, yes), "consistency") == ["accepts a, which it turned down in turn 1"]
    mood = said(1, "reject", need=1, products=["a"], reason="no_reason")
    assert found(log(shown, mood, yes), "consistency") == []


def test_only_what_was_shown_may_be_named() -> None:
    assert found(log(said(1, "ask", products=["a"])), "leakage") == ["names product a, which nobody showed"]
    shown = {"k": "recommend", "turn": 1, "items": ["a"]}
    assert found(log(shown, said(1, "ask", products=["a"])), "leakage") == []
    assert found(log(said(1, "chat", text="I have 9.00 to spend")), "leakage") == ["gives away its budget of 9.00"]


def test_a_type_in_words_must_have_been_stated() -> None:
    cat = catalogue_of("embedded")
    assert cat is not None
    need = NEED | {"type": "cereal bars", "types": ["cereal bars"], "brand": ""}
    told = said(0, "disclose", "Some cereal bars.", facts=[fact("product_type", "cereal bars")])
    slip = said(1, "chat", "I do so like cereal bars.")
    for events, n in (((slip,), 1), ((told, slip), 0)):
        sheet = audit_episodes([log(*events, needs=[need])], user="u", catalogue=lambda name: cat)
        assert sum(c.value or 0 for c in sheet.checks if c.name == "leakage") == n


def test_a_calm_user_does_not_leave_early_and_an_angry_one_may() -> None:
    calm, angry = said(1), said(1) | {"irritation": 5.0}
    assert len(found(log(said(0), calm, reason="left"), "early_quitting")) == 1
    assert found(log(said(0), angry, reason="left"), "early_quitting") == []
    assert found(log(said(0), calm, reason="patience"), "early_quitting") == []


def test_an_unchanged_question_gets_the_same_answer() -> None:
    ask = {"k": "assistant", "act": "ask", "slots": {"need": 1, "attribute": "brand"}}
    one, two = said(1, facts=[fact("brand", "Hill")]), said(2, facts=[fact("brand", "Dale")])
    assert len(found(log({**ask, "turn": 1}, one, {**ask, "turn": 2}, two), "unchanged_repeats")) == 1
    same = said(2, facts=[fact("brand", "Hill")])
    assert found(log({**ask, "turn": 1}, one, {**ask, "turn": 2}, same), "unchanged_repeats") == []


def test_a_complaint_needs_a_cause() -> None:
    nag = said(1, "complain", cause="pushy")
    assert len(found(log(nag), "consistency")) == 1
    assert found(log({"k": "assistant", "turn": 1, "act": "offer_checkout"}, nag), "consistency") == []


def test_no_episode_and_bare_logs_are_not_judged() -> None:
    assert audit_episodes([], user="u").failed == ()
    bare = finish_episode(
        {"schema": "supermarket.episode/1", "episode_id": "e", "agent": "x", "events": [{"k": "end", "reason": "left"}]}
    )
    sheet = audit_episodes([bare], user="u")
    assert {c.name: c.verdict for c in sheet.checks}["consistency"] == "not checked"
    json.loads(sheet.to_json())


class Unreachable:
    """Its machine fails in all episodes but the first of each instance."""

    name, version = "unreachable", "1"

    def __init__(self, good: int) -> None:
        self.good = good

    def start(self, seat: UserSeat) -> None:
        self.good -= 1

    def respond(self, seat: UserSeat) -> UserTurn:
        if self.good < 0:
            raise InfrastructureError("endpoint is down")
        return seat.scripted()


def test_who_cannot_be_reached_is_not_judged() -> None:
    with pytest.raises(InfrastructureError, match=r"all 36 episodes .*endpoint is down"):
        audit_user(lambda: Unreachable(0), SMALL)
    sheet = audit_user(lambda: Unreachable(4), SMALL)
    assert (sheet.n_episodes, sheet.n_set_aside) == (4, 32)
    assert "32 further episodes failed in the simulator" in sheet.verdict()


# --- the command -----------------------------------------------------------------------------------------------------


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert isinstance(stop.value.code, int)
    return stop.value.code


def test_the_command_writes_the_sheet_and_ends_with_the_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ("--episodes", "2", "--assistants", "rule,spam", "--out", str(tmp_path / "a"))
    assert call("audit", "scripted", *small) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("PASS: scripted passes all ")
    sheet = json.loads((tmp_path / "a" / "audit.json").read_text())
    assert sheet["verdict"] == out.splitlines()[-1] == (tmp_path / "a" / "audit.md").read_text().splitlines()[-1]
    assert call("audit", "broken_users.Leaks", *small) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("FAIL: leaks fails")
    data = json.loads((tmp_path / "a" / "audit.json").read_text())
    example = next(c for c in data["checks"] if c["name"] == "leakage")["examples"][0]
    assert example["episode_id"].startswith("rule|leaks|")
    assert example["turn"] >= 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("scriptet",), "Did you mean 'scripted'"),
        (("no.such.Model",), "cannot be built"),
        (("log:nowhere.jsonl",), "does not exist"),
        (("replay:nowhere.jsonl",), "does not exist"),
        (("terminal",), "log:RUN"),
        (("noisy", "--option", "typos=2"), "probability in [0, 1]"),
        (("noisy", "--option", "typos"), "KEY=VALUE"),
        (("builtins.dict",), "is no user model"),
    ],
)
def test_what_is_wrong_is_said(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("audit", *words, "--out", str(tmp_path)) == 2
    assert message.lower() in capsys.readouterr().err.lower()


def test_a_log_is_audited_without_playing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("run", "agents=[rule]", "reference=null", "suite.episodes=2", "run.workers=1", "out=r") == 0
    sheet = audit_log("r")
    assert sheet.user == "scripted"
    assert sheet.failed == ()
    assert {c.name: c.verdict for c in sheet.checks}["determinism"] == "not checked"
