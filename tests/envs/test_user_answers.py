"""Whatever a user model does wrong is its own counted fault; the trip goes on as the scripted user's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from supermarket_env.agents.registry import make_agent
from supermarket_env.dialogue.acts import Fact
from supermarket_env.envs.answers import flaw
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.envs.users import UserAction, UserSeat, UserTurn
from supermarket_env.errors import InfrastructureError, RunStop
from supermarket_env.run.episode import EpisodeSpec, play_episode
from supermarket_env.tasks.suites import load_suite
from supermarket_env.world import load_world

TASK = load_suite("dev", n=1).tasks[0]
WORLD = load_world("embedded", "neighbourhood")
WAIT = UserAction("wait")


class Own:
    name, version = "own", "1"

    def __init__(self, answer: Callable[[UserSeat], Any], begin: Callable[[], None] = lambda: None) -> None:
        self.answer, self.begin = answer, begin

    def start(self, seat: UserSeat) -> None:
        self.begin()

    def respond(self, seat: UserSeat) -> Any:
        return self.answer(seat)


class Unshowable:
    def __repr__(self) -> str:
        raise OSError


def play(model: Any) -> list[dict[str, Any]]:
    game = Game(WORLD, mode="plain", user_model=model)
    spec = EpisodeSpec(TASK, 5, EpisodeLabels(agent="rule", task_id=TASK.id))
    events: list[dict[str, Any]] = play_episode(game, make_agent("rule"), spec).line["events"]
    return events


def faults(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [e for e in events if e["k"] == "fault"]


SCRIPTED = play(None)


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    "answer",
    [
        None,
        object(),
        Unshowable(),
        {"act": math.nan},
        UserTurn("dance", WAIT),
        UserTurn([], WAIT),  # type: ignore[arg-type]
        UserTurn("chat", None),  # type: ignore[arg-type]
        UserTurn("chat", UserAction("fly")),
        UserTurn("chat", UserAction([])),  # type: ignore[arg-type]
        UserTurn("chat", UserAction("move", None)),  # type: ignore[arg-type]
        UserTurn("chat", UserAction("add", "P1", math.nan)),  # type: ignore[arg-type]
        UserTurn("chat", UserAction("add", "P1", True)),
        UserTurn("accept", WAIT, products=None),  # type: ignore[arg-type]
        UserTurn("accept", WAIT, products="P10503"),  # type: ignore[arg-type]
        UserTurn("accept", WAIT, products=([],)),  # type: ignore[arg-type]
        UserTurn("chat", WAIT, need="1"),  # type: ignore[arg-type]
        UserTurn("chat", WAIT, reason=None),  # type: ignore[arg-type]
        UserTurn("chat", WAIT, text=b"words"),  # type: ignore[arg-type]
        UserTurn("disclose", WAIT, facts=((1, "brand", "x"),)),  # type: ignore[arg-type]
        UserTurn("disclose", WAIT, facts=(Fact(1, "price_limit", math.nan),)),
        UserTurn("disclose", WAIT, facts=(Fact(1, "quantity", math.inf),)),
        UserTurn("disclose", WAIT, facts=(Fact(1, "price_limit", 10**400),)),
        UserTurn("disclose", WAIT, facts=(Fact(1, "diet", {}),)),  # type: ignore[arg-type]
    ],
)
def test_junk_is_the_models_fault_and_the_scripted_answer_is_taken(answer: Any) -> None:
    assert flaw(answer)
    events = play(Own(lambda _: answer))
    found = faults(events)
    assert {(e["who"], e["kind"]) for e in found} == {("user", "invalid_response")}
    assert len(found) == events[-1]["turn"]
    assert [e for e in events if e["k"] != "fault"] == SCRIPTED


@pytest.mark.parametrize("error", [ValueError("no\x00good at 0x7f01"), SystemExit(3), GeneratorExit()])
def test_whatever_it_raises_is_its_fault(error: BaseException) -> None:
    events = play(Own(raising(error)))
    assert {(e["who"], e["kind"]) for e in faults(events)} == {("user", "exception")}
    assert not any("\x00" in e["detail"] or "7f01" in e["detail"] for e in faults(events))
    assert [e for e in events if e["k"] != "fault"] == SCRIPTED


def test_who_cannot_start_is_not_asked() -> None:
    events = play(Own(raising(AssertionError("asked all the same")), begin=raising(SystemExit(0))))
    assert {e["detail"] for e in faults(events)} == {"start: SystemExit: 0"}
    assert [e for e in events if e["k"] != "fault"] == SCRIPTED


def test_a_failed_machine_and_a_stop_are_not_its_fault() -> None:
    down = faults(play(Own(raising(InfrastructureError("down")))))
    assert [e["who"] for e in down] == ["infra"]
    for error in (RunStop("budget"), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            play(Own(raising(error)))


def test_no_answer_of_the_scripted_user_is_a_flaw() -> None:
    seen: list[UserTurn] = []

    def scripted(seat: UserSeat) -> UserTurn:
        seen.append(seat.scripted())
        return seat.scripted()

    assert play(Own(scripted)) == SCRIPTED
    assert seen
    assert not any(flaw(turn) for turn in seen)
