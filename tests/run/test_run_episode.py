"""Whatever an assistant does, its episode ends and is counted as its fault; a simulator's failure is set aside."""

from __future__ import annotations

import itertools
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.errors import MessageError
from supermarket_env.run.episode import EpisodeSpec, describe, interrupts_told_apart, play_episode

LABELS = SimpleNamespace(
    agent="a", user="u", store="s", catalogue="c", suite="t", task_id="t-1", trial=0, stratum="quick",
    episode_id="a|u|s|t-1|0",
)  # fmt: skip


class ToyGame:
    """Three faulty turns in a row or five turns end it."""

    def __init__(self, breaks_at: str = "") -> None:
        self.breaks_at = breaks_at
        self.messages: list[Any] = []
        self.faults: list[tuple[str, str]] = []
        self.reason = ""
        self._strikes = 0

    @property
    def done(self) -> bool:
        return bool(self.reason)

    def _maybe_break(self, place: str) -> None:
        if self.breaks_at == place:
            raise RuntimeError(f"simulator broke in {place}")

    def reset(self, task: Any, *, seed: int, labels: Any) -> str:
        self._maybe_break("reset")
        return "view 0"

    def step(self, message: Any) -> str:
        self._maybe_break("step")
        self._strikes = 0
        return self._turn(message)

    def fail(self, kind: str, detail: str) -> str:
        self.faults.append((kind, detail))
        self._strikes += 1
        return self._turn(None)

    def _turn(self, message: Any) -> str:
        self.messages.append(message)
        if self._strikes >= 3:
            self.reason = "assistant_error"
        elif len(self.messages) >= 5:
            self.reason = "max_turns"
        return f"view {len(self.messages)}"

    def infra_error(self, detail: str) -> None:
        self._maybe_break("infra_error")
        self.reason = "infra_error"

    def truth(self) -> str:
        return "truth"

    def episode(self) -> dict[str, Any]:
        self._maybe_break("episode")
        return {"reason": self.reason, "n": len(self.messages)}


class ToyAssistant:
    def __init__(self, reply: Callable[[Any], Any] = lambda view: "hello", start: Callable[[], Any] = lambda: None):
        self._reply, self._start = reply, start
        self.seen_truth: Any = None
        self.n_replies = 0

    def start(self, view: Any) -> None:
        self._start()

    def start_privileged(self, view: Any, truth: Any) -> None:
        self.seen_truth = truth

    def reply(self, view: Any) -> Any:
        self.n_replies += 1
        return self._reply(view)


def spec(**keys: Any) -> EpisodeSpec:
    return EpisodeSpec(task="task", seed=1, labels=LABELS, **keys)


def raiser(error: BaseException) -> Callable[..., Any]:
    def act(*_: Any) -> Any:
        raise error

    return act


def test_a_good_assistant_plays_to_the_end() -> None:
    game = ToyGame()
    played = play_episode(game, ToyAssistant(), spec(reply_timeout_s=5.0))
    assert played.line == {"reason": "max_turns", "n": 5}
    assert not played.assistant_failed


@pytest.mark.parametrize("text", ["\x00\x1b", "x" * 1_000_000, ""])
def test_odd_texts_are_the_games_affair(text: str) -> None:
    game = ToyGame()
    play_episode(game, ToyAssistant(lambda view: text), spec())
    assert game.messages[0] == text


def test_a_mapping_is_read_before_the_game_sees_it() -> None:
    game = ToyGame()
    play_episode(game, ToyAssistant(lambda view: {"items": ["?"] * 11}), spec())
    assert game.messages[0] == AssistantMessage(items=("?",) * 11)


@pytest.mark.parametrize("message", [math.nan, None, b"x", object(), {"items": itertools.repeat("p")}])
def test_what_is_no_message_reaches_the_game_as_an_error(message: Any) -> None:
    game = ToyGame()
    play_episode(game, ToyAssistant(lambda view: message), spec())
    assert isinstance(game.messages[0], MessageError)


class Slow(Mapping[str, Any]):
    """A mapping that never gives its keys away."""

    def __getitem__(self, key: str) -> Any:
        raise KeyError(key)

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        while True:
            time.sleep(10)


class SlowError(Exception):
    def __str__(self) -> str:
        time.sleep(10)
        return "late"


@pytest.mark.parametrize("reply", [lambda view: Slow(), raiser(SlowError())])
def test_the_clock_runs_while_a_reply_or_its_error_is_read(reply: Callable[[Any], Any]) -> None:
    game = ToyGame()
    began = time.monotonic()
    play_episode(game, ToyAssistant(reply), spec(reply_timeout_s=0.05))
    assert time.monotonic() - began < 5
    wrong = [message for message in game.messages if isinstance(message, MessageError)]
    assert len(game.faults) + len(wrong) == len(game.messages)


def test_an_error_whose_words_exit_is_a_fault() -> None:
    class Rude(BaseException):
        def __str__(self) -> str:
            raise SystemExit(3)

    game = ToyGame()
    play_episode(game, ToyAssistant(raiser(Rude())), spec(reply_timeout_s=5.0))
    assert game.faults[0] == ("exception", "Rude: (its message cannot be shown) [act]")


@pytest.mark.parametrize(
    "error", [ValueError("no"), KeyError("k"), SystemExit(3), RecursionError(), MemoryError(), GeneratorExit()]
)
def test_an_exception_is_a_fault(error: BaseException) -> None:
    game = ToyGame()
    played = play_episode(game, ToyAssistant(raiser(error)), spec(reply_timeout_s=5.0))
    assert played.line["reason"] == "assistant_error"
    assert [kind for kind, _ in game.faults] == ["exception"] * 3
    assert game.faults[0][1].startswith(type(error).__name__)
    assert played.assistant_failed


def test_a_single_exception_is_forgiven() -> None:
    game = ToyGame()
    views: list[Any] = []

    def once(view: Any) -> str:
        views.append(view)
        if len(views) == 2:
            raise ValueError("once")
        return "hello"

    assert play_episode(game, ToyAssistant(once), spec()).line["reason"] == "max_turns"
    assert len(game.faults) == 1


@pytest.fixture
def listening() -> Iterator[None]:
    """Let Ctrl-C be heard: a shell that starts programs in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_ctrl_c_passes_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        play_episode(ToyGame(), ToyAssistant(raiser(KeyboardInterrupt())), spec())
    with interrupts_told_apart(), pytest.raises(KeyboardInterrupt):
        play_episode(ToyGame(), ToyAssistant(lambda view: signal.raise_signal(signal.SIGINT)), spec())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("listening")
def test_a_keyboard_interrupt_of_the_assistants_own_is_a_fault_in_a_run() -> None:
    game = ToyGame()
    with interrupts_told_apart():
        play_episode(game, ToyAssistant(raiser(KeyboardInterrupt())), spec())
    assert [kind for kind, _ in game.faults] == ["exception"] * 3


def endless(view: Any) -> None:
    while True:
        pass


def stubborn(view: Any) -> None:
    while True:
        with suppress(Exception):
            time.sleep(10)


@pytest.mark.parametrize("reply", [endless, stubborn])
def test_a_hang_is_a_fault(reply: Callable[[Any], Any]) -> None:
    game = ToyGame()
    began = time.monotonic()
    played = play_episode(game, ToyAssistant(reply), spec(reply_timeout_s=0.05))
    assert time.monotonic() - began < 5
    assert game.faults == [("timeout", "no message within 0.05 s")] * 3
    assert played.line["reason"] == "assistant_error"


def test_a_hang_outside_the_main_thread_is_a_fault_too() -> None:
    game = ToyGame()
    stop = threading.Event()
    thread = threading.Thread(
        target=lambda: play_episode(game, ToyAssistant(lambda view: stop.wait(10)), spec(reply_timeout_s=0.05))
    )
    thread.start()
    thread.join(5)
    stop.set()
    assert game.faults == [("timeout", "no message within 0.05 s")] * 3


def test_exceptions_outside_the_main_thread_are_faults_too() -> None:
    game = ToyGame()
    assistant = ToyAssistant(raiser(ValueError("no")))
    thread = threading.Thread(target=lambda: play_episode(game, assistant, spec(reply_timeout_s=5.0)))
    thread.start()
    thread.join(5)
    assert [kind for kind, _ in game.faults] == ["exception"] * 3


def test_the_timer_is_off_between_messages() -> None:
    game = ToyGame()
    play_episode(game, ToyAssistant(), spec(reply_timeout_s=0.05))
    time.sleep(0.12)
    assert game.reason == "max_turns"


def test_who_cannot_start_is_not_asked() -> None:
    assistant = ToyAssistant(start=raiser(ValueError("no")))
    game = ToyGame()
    assert play_episode(game, assistant, spec()).line["reason"] == "assistant_error"
    assert assistant.n_replies == 0


def test_only_privileged_episodes_hand_out_the_truth() -> None:
    plain, told = ToyAssistant(), ToyAssistant()
    play_episode(ToyGame(), plain, spec())
    play_episode(ToyGame(), told, spec(privileged=True))
    assert (plain.seen_truth, told.seen_truth) == (None, "truth")


def test_a_broken_simulator_ends_as_infra_error() -> None:
    assert play_episode(ToyGame("step"), ToyAssistant(), spec()).line["reason"] == "infra_error"


@pytest.mark.parametrize("place", ["reset", "episode"])
def test_an_episode_that_cannot_tell_gets_a_line_of_its_own(place: str) -> None:
    line = play_episode(ToyGame(place), ToyAssistant(), spec()).line
    assert line["episode_id"] == LABELS.episode_id
    assert line["events"][-1] == {"k": "end", "reason": "infra_error"}
    assert f"simulator broke in {place}" in line["events"][0]["detail"]


def test_descriptions_are_short_and_equal_in_every_process() -> None:
    text = describe(ValueError(f"at {hex(id(object()))}\n\x00" + "x" * 10_000))
    assert text.startswith("ValueError: at 0x x")
    assert len(text) <= 200

    class Sly(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert describe(Sly()) == "Sly: (its message cannot be shown)"
