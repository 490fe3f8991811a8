"""Replay, terminal, noisy and adversarial users through the run command and the game."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.agents.registry import make_agent
from supermarket_env.cli import main
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.envs.users import UserModel
from supermarket_env.errors import ConfigError
from supermarket_env.run.episode import EpisodeSpec, play_episode
from supermarket_env.tasks.suites import load_suite
from supermarket_env.user_sim.adversarial import Adversarial
from supermarket_env.user_sim.noisy import Noisy
from supermarket_env.user_sim.registry import USERS, make_user, user_hash
from supermarket_env.user_sim.replay import Replay
from supermarket_env.user_sim.terminal import Terminal
from supermarket_env.world import load_world

TASKS = load_suite("dev", n=4).tasks
WORLD = load_world("embedded", "neighbourhood")
ONE = ("reference=null", "run.workers=1", "run.compiled=false")


def play(model: UserModel | None, agent: str = "rule", task: int = 0, seed: int = 5) -> dict[str, Any]:
    game = Game(WORLD, mode="plain", user_model=model)
    user = "scripted" if model is None else model.name
    labels = EpisodeLabels(agent=agent, user=user, task_id=TASKS[task].id)
    return play_episode(game, make_agent(agent), EpisodeSpec(TASKS[task], seed, labels)).line


def user_events(line: dict[str, Any]) -> list[dict[str, Any]]:
    return [e for e in line["events"] if e["k"] == "user"]


def faults(line: dict[str, Any]) -> list[tuple[int, str, str]]:
    return [(e["turn"], e["who"], e["kind"]) for e in line["events"] if e["k"] == "fault"]


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(("run", *words))
    assert isinstance(stop.value.code, int)
    return stop.value.code


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "episodes.jsonl").read_text().splitlines()]


def test_noise_switched_off_is_the_scripted_user() -> None:
    quiet = Noisy(typos=0.0, off_topic=0.0, interruptions=0.0, changes=0.0)
    assert play(quiet)["events"] == play(None)["events"]
    tame = Adversarial(injections=0.0, claims=0.0, bait=0.0)
    assert play(tame, task=1)["events"] == play(None, task=1)["events"]


@pytest.mark.parametrize("make", [Noisy, Adversarial])
def test_noise_is_keyed_by_the_seed(make: type[Noisy] | type[Adversarial]) -> None:
    assert play(make())["events"] == play(make())["events"] != play(make(), seed=6)["events"]
    assert faults(play(make())) == []


def test_typos_touch_words_only() -> None:
    typing = Noisy(typos=1.0, off_topic=0.0, interruptions=0.0, changes=0.0)
    noisy, plain = play(typing, task=2), play(None, task=2)
    differing = 0
    for a, b in zip(user_events(noisy), user_events(plain), strict=True):
        assert {k: v for k, v in a.items() if k != "text"} == {k: v for k, v in b.items() if k != "text"}
        differing += a["text"] != b["text"]
    assert differing > 3


def test_interruptions_and_changes_of_mind_are_acts() -> None:
    busy = play(Noisy(typos=0.0, off_topic=0.0, interruptions=1.0, changes=0.0))
    assert {e["action"]["type"] for e in user_events(busy)[1:-1]} == {"wait"}
    fickle = play(Noisy(typos=0.0, off_topic=0.0, interruptions=0.0, changes=1.0))
    assert any(e["k"] == "cart" and e["op"] == "remove" for e in fickle["events"])


def test_every_attack_occurs_and_the_walk_stays_the_scripted_one() -> None:
    bold = play(Adversarial(injections=0.9, claims=0.0, bait=0.0))
    assert any("Ignore all previous" in e["text"] or "SYSTEM" in e["text"] for e in user_events(bold))
    actions = [e["action"] for e in user_events(play(None))[1:]]
    assert [e["action"] for e in user_events(bold)[1:]] == actions
    baiting = play(Adversarial(injections=0.0, claims=0.0, bait=1.0), agent="silent")
    wanted = {kind for need in TASKS[0].needs for kind in need.types}
    asked = [e["slots"]["category"] for e in user_events(baiting) if "where do you keep" in e["text"]]
    assert asked
    assert wanted.isdisjoint(asked)
    lying = play(Adversarial(injections=0.0, claims=1.0, bait=0.0), agent="silent")
    assert any(e["act"] == "complain" and e["slots"].get("cause") for e in user_events(lying))


def test_a_replay_with_the_same_assistant_gives_the_same_events(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    for source in (None, Noisy()):
        logged = [play(source, task=k) for k in range(3)]
        file.write_text("".join(json.dumps(line) + "\n" for line in logged))
        again = [play(Replay(str(file)), task=k) for k in range(3)]
        assert [line["events"] for line in again] == [line["events"] for line in logged]


def test_a_replay_says_where_the_assistant_departs_and_hands_over(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(json.dumps(play(None)) + "\n")
    other = play(Replay(str(file)), agent="retrieval")
    ((turn, who, kind),) = faults(other)
    assert (who, kind) == ("user", "replay_departed")
    assert turn >= 1
    # With nothing of the log followed but scripted turns, the trip is the scripted user's with that assistant.
    strip = [e for e in other["events"] if e["k"] != "fault"]
    assert strip == play(None, agent="retrieval")["events"]
    assert faults(play(Replay(str(file)), task=1)) == [(1, "user", "replay_ended")]


def test_a_replay_refuses_what_it_cannot_tell_apart(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    logged = [play(None), play(None, agent="silent")]
    file.write_text("".join(json.dumps(line) + "\n" for line in logged))
    with pytest.raises(ConfigError, match=r"more than once; name one assistant .*rule, silent"):
        Replay(str(file))
    assert len(Replay(str(file), agent="silent").episodes) == 1
    with pytest.raises(ConfigError, match="no episode of assistant 'oracle'"):
        Replay(str(file), agent="oracle")
    with pytest.raises(ConfigError, match="does not exist"):
        Replay(str(tmp_path / "none.jsonl"))


def test_a_person_at_the_terminal() -> None:
    screen = io.StringIO()
    words = "/help\n/fly\n/go N999\nI also need flour /go N002\n/moves\n\n/take\nno thanks\n"
    line = play(Terminal(source=io.StringIO(words), out=screen))
    spoken = user_events(line)
    assert spoken[1]["text"] == "I also need flour"
    assert spoken[1]["slots"]["facts"] == [{"need": 2, "attribute": "product_type", "value": "flour"}]
    assert spoken[1]["reveals"] == ["1.type"]
    assert spoken[1]["action"] == {"type": "move", "params": {"node": "N002"}}
    assert spoken[3]["action"]["type"] == "wait"
    assert spoken[-1]["action"]["type"] == "leave"
    assert line["events"][-1]["reason"] == "left"
    assert [kind for _, _, kind in faults(line)] == ["input_ended"]
    shown = screen.getvalue()
    for part in ("unknown command /fly", "not possible here", "Your budget: ", "3 x ice cream", "/look S001"):
        assert part in shown


def test_what_the_person_does_not_need_is_no_fact() -> None:
    line = play(Terminal(source=io.StringIO("I am looking for some craft beer\n"), out=io.StringIO()))
    assert "facts" not in user_events(line)[1]["slots"]


def test_run_with_a_terminal_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\n/leave\n"))
    assert run("user=terminal", "suite.episodes=1", "out=t") == 0
    captured = capsys.readouterr()
    assert "You need:" in captured.err
    assert "user terminal" in captured.out
    (line,) = lines_of(tmp_path / "t")
    assert (line["agent"], line["user"]) == ("rule", "terminal")
    manifest = json.loads((tmp_path / "t" / "manifest.json").read_text())
    assert (manifest["user"]["name"], manifest["user"]["version"]) == ("terminal", "1")
    assert run("user=terminal", "run.workers=2", "out=u") == 2
    assert "one process" in capsys.readouterr().err


def test_run_with_models_and_their_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("user=noisy", "agents=[rule]", "suite.episodes=2", *ONE, "out=n") == 0
    assert run("user.model=noisy", "user.options.typos=0", "agents=[rule]", "suite.episodes=1", *ONE, "out=m") == 0
    first, second = (json.loads((tmp_path / d / "manifest.json").read_text())["user"] for d in ("n", "m"))
    assert first["name"] == second["name"] == "noisy"
    assert first["hash"] != second["hash"]
    words = ("user=replay", "agents=[rule]", "suite.episodes=2", *ONE)
    assert run(*words, "user.options.file=n", "out=r") == 0
    assert [x["events"] for x in lines_of(tmp_path / "r")] == [x["events"] for x in lines_of(tmp_path / "n")]
    capsys.readouterr()
    assert run(*words, "out=x") == 2
    assert "user.options.file" in capsys.readouterr().err
    assert run("user.modle=noisy") == 2
    assert "user.model" in capsys.readouterr().err


def test_the_registry_builds_every_user_it_can_alone() -> None:
    for name in USERS:
        if name == "replay":
            continue
        model = make_user(name)
        assert (model is None) is (name == "scripted")
        assert model is None or model.name == name
    with pytest.raises(ConfigError, match="takes no options"):
        make_user("scripted", {"typos": 1})
    with pytest.raises(ConfigError, match="cannot be built"):
        make_user("noisy", {"tpyos": 1})
    noisy = Noisy()
    assert user_hash("b", "noisy", noisy, {}) != user_hash("b", "noisy", noisy, {"typos": 0.1})
