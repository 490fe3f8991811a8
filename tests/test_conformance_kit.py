"""The shipped conformance checks: each passes what is sound and names what is not."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from pydantic import ValidationError

from supermarket_env.agents.retrieval import Retrieval
from supermarket_env.agents.rule import Rule
from supermarket_env.dialogue.acts import SILENT, AssistantMessage
from supermarket_env.events.episode import Episode
from supermarket_env.testing import check_assistant, check_metric, check_user_config


class Double:
    name = "double"

    def start(self, view: Any) -> None:
        self.turns = 0

    def reply(self, view: Any) -> Any:
        self.turns += 1
        return SILENT


class Remembers(Double):
    """Forgets nothing between episodes."""

    def __init__(self) -> None:
        self.served = 0

    def start(self, view: Any) -> None:
        self.served += 1

    def reply(self, view: Any) -> Any:
        return AssistantMessage(act="greet", text="Hello again." if self.served > 1 else "Hello.")


class Moody(Double):
    """Every new instance speaks differently."""

    born = itertools.count()

    def __init__(self) -> None:
        self.number = next(Moody.born)

    def reply(self, view: Any) -> Any:
        return AssistantMessage(act="greet", text=f"I am number {self.number}.")


class Junk(Double):
    def reply(self, view: Any) -> Any:
        return {"act": "recommend", "items": ["nothing-we-sell"]}


class Raises(Double):
    def reply(self, view: Any) -> Any:
        return view.no_such_thing


class Mute(Double):
    def reply(self, view: Any) -> Any:
        return None


class Nameless(Double):
    name = ""


class TracklessFault(Double):
    """Falls over what the text track withholds."""

    def reply(self, view: Any) -> Any:
        return SILENT if view.response.act else {"act": "sing"}


@pytest.mark.parametrize("factory", [Double, Retrieval, Rule])
def test_sound_assistants_pass(factory: Callable[[], Any]) -> None:
    check_assistant(factory, trips=2)


@pytest.mark.parametrize(
    ("factory", "complaint"),
    [
        (Remembers, "must forget"),
        (Moody, "view.agent_seed"),
        (Junk, "turn 1: fault unknown_product"),
        (Raises, "AttributeError.*no_such_thing"),
        (Mute, "expected an AssistantMessage"),
        (Nameless, "name that is not empty"),
        (TracklessFault, "track text.*invalid_message"),
        (object, r"method start\(view\)"),
    ],
)
def test_broken_assistants_are_found_out(factory: Callable[[], Any], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_assistant(factory, trips=2)


def test_user_populations() -> None:
    check_user_config({"traits": {"patience": 20.0}, "draw_keys": "turn"}, trips=2)
    with pytest.raises((AssertionError, ValidationError), match="patience"):
        check_user_config({"traits": {"patience": -5.0}})
    with pytest.raises(ValidationError):
        check_user_config({"mechanisms": {"no_such_constant": 1.0}})


def mean_turns(episodes: Sequence[Episode]) -> dict[str, float | None]:
    turns = [sum(1 for event in episode.events if event["k"] == "assistant") for episode in episodes]
    return {"turns": sum(turns) / len(turns) if turns else None, "n": len(turns)}


def sees_the_first(episodes: Sequence[Episode]) -> float | None:
    return float(len(episodes[0].events)) if episodes else None


def spoils(episodes: Sequence[Episode]) -> float:
    for episode in episodes:
        episode.data["seen"] = True
    return 0.0


def needs_some(episodes: Sequence[Episode]) -> float:
    return sum(len(episode.events) for episode in episodes) / len(episodes)


COUNT = itertools.count()


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (sees_the_first, "order of episodes"),
        (spoils, "must not change"),
        (needs_some, "empty log.*ZeroDivisionError"),
        (lambda episodes: float("nan"), "finite number or None"),
        (lambda episodes: float(next(COUNT)), "same figure twice"),
        (lambda episodes: {"share": "high"}, r"figure\.share: expected a finite number"),
    ],
)
def test_metrics(function: Callable[[Sequence[Episode]], Any], complaint: str) -> None:
    check_metric(mean_turns, trips=3)
    with pytest.raises(AssertionError, match=complaint):
        check_metric(function, trips=3)
