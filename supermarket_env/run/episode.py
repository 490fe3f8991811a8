"""Layer 1 of a run: play one episode with one assistant that was built elsewhere.

Whatever the assistant does, the episode comes to an end: an exception, a hang or an unusable message is a fault of the
assistant's and goes into the episode's ledger. A failure of the simulator ends the episode as ``infra_error``. Only
Ctrl-C passes through.
"""

from __future__ import annotations

import re
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from types import FrameType
from typing import Any, Protocol, TypeVar

from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.errors import InfrastructureError, MessageError, RunStop

_T = TypeVar("_T")

DETAIL_LENGTH = 200
"""Characters kept of what went wrong: enough to recognise it, little enough for a log line."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


class Playable(Protocol):
    """What this layer needs of a game (made by the engine)."""

    @property
    def done(self) -> bool:
        """Whether the episode is over."""

    def reset(self, task: Any, *, seed: int, labels: Any) -> Any:
        """Begin an episode and return the assistant's view before turn 1."""

    def step(self, message: Any) -> Any:
        """Play one turn with the assistant's message and return its next view."""

    def fail(self, kind: str, detail: str) -> Any:
        """Play one turn in which the assistant failed to send a message."""

    def infra_error(self, detail: str) -> None:
        """End the episode as a failure of the machinery."""

    def truth(self) -> Any:
        """Return what only privileged assistants may see."""

    def episode(self) -> dict[str, Any]:
        """Return the finished episode as its log line."""


@dataclass(frozen=True, slots=True)
class EpisodeSpec:
    """What is played: everything that determines the episode besides the assistant."""

    task: Any
    seed: int
    labels: Any
    privileged: bool = False
    """Hand the hidden truth to the assistant through its explicit door."""
    reply_timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """One finished episode."""

    line: dict[str, Any]
    """The log line."""
    assistant_failed: bool
    """An exception or a hang happened: the assistant's object is in an unknown state and should not be used again."""


class Interrupt(KeyboardInterrupt):
    """Ctrl-C, told apart from a ``KeyboardInterrupt`` that an assistant raises by itself."""


@contextmanager
def interrupts_told_apart() -> Iterator[None]:
    """Let Ctrl-C raise :class:`Interrupt` meanwhile, where it would raise the plain ``KeyboardInterrupt``."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Interrupt

    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class _ReplyTimeout(BaseException):
    """Raised inside a reply that takes too long.

    No ``Exception``: an assistant that catches all of those must not catch this one.
    """


def play_episode(game: Playable, assistant: Any, spec: EpisodeSpec) -> Played:
    """Play one episode to its end.

    Args:
        game: The game, ready for ``reset``.
        assistant: An object with ``start(view)`` and ``reply(view)``, for privileged episodes also
            ``start_privileged(view, truth)``.
        spec: Task, seed, labels and limits.

    Returns:
        The log line; an ``infra_error`` line if the simulator failed in the middle.
    """
    try:
        view = game.reset(spec.task, seed=spec.seed, labels=spec.labels)
    except Exception as error:
        return Played(unlogged_line(spec.labels, spec.seed, describe(error)), assistant_failed=False)
    failed = False
    try:
        if spec.privileged:
            truth = game.truth()
            fault = _guarded(lambda: assistant.start_privileged(view, truth), spec.reply_timeout_s)[1]
        else:
            fault = _guarded(lambda: assistant.start(view), spec.reply_timeout_s)[1]
        # An assistant that could not start may still be in an earlier episode: it is not asked for a message.
        while fault is not None and not game.done:
            failed = True
            view = game.fail(*fault)
        while not game.done:
            message, fault = _guarded(lambda: _read(assistant.reply(view)), spec.reply_timeout_s)  # noqa: B023
            if fault is None:
                view = game.step(message)
            else:
                failed = True
                view = game.fail(*fault)
        return Played(game.episode(), failed)
    except Exception as error:
        detail = describe(error)
    try:
        game.infra_error(detail)
        return Played(game.episode(), failed)
    except Exception as error:
        return Played(unlogged_line(spec.labels, spec.seed, f"{detail}; then {describe(error)}"), failed)


def _read(reply: Any) -> Any:
    """Read a reply while the assistant's clock is running: odd objects raise, hang or change when they are read.

    Returns the reply itself if it is a string, else the message, else the error, which the game counts as a fault.
    """
    if isinstance(reply, str):
        return str.__str__(reply)
    try:
        return AssistantMessage.parse(reply)
    except MessageError as error:
        return error


def _guarded(call: Callable[[], Any], timeout_s: float | None) -> tuple[Any, tuple[str, str] | None]:
    """Call the assistant's code; return its result and the fault (kind, detail), if any."""

    def attempt() -> tuple[Any, tuple[str, str] | None]:
        # The error is described while the clock is running: its message is the assistant's code as well.
        try:
            return call(), None
        except (_ReplyTimeout, InfrastructureError, RunStop):
            raise
        except BaseException as error:  # SystemExit and the like are the assistant's failure too
            if isinstance(error, KeyboardInterrupt) and _may_be_ctrl_c(error):
                raise
            return None, ("exception", describe(error))

    try:
        if timeout_s is None:
            return attempt()
        if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
            return _with_alarm(attempt, timeout_s)
        return _with_thread(attempt, timeout_s)
    except _ReplyTimeout:
        return None, ("timeout", f"no message within {timeout_s:g} s")


def _may_be_ctrl_c(error: KeyboardInterrupt) -> bool:
    """Whether somebody pressed Ctrl-C; with Python's own handler in place an assistant's doing looks the same."""
    return isinstance(error, Interrupt) or signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _with_alarm(call: Callable[[], _T], timeout_s: float) -> _T:
    """Call with a timer that interrupts Python code; code inside a C extension is interrupted when it returns."""
    armed = True

    def ring(number: int, frame: FrameType | None) -> None:
        if armed:
            raise _ReplyTimeout

    previous = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            # It rings again every second, for code that swallows even a BaseException.
            signal.setitimer(signal.ITIMER_REAL, timeout_s, 1.0)
            return call()
        finally:
            armed = False
    finally:
        # In a second block of its own: a ring in the very moment of the call's return may interrupt the first one.
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)


def _with_thread(call: Callable[[], _T], timeout_s: float) -> _T:
    """Call in a helper thread, for platforms and threads without timers; a hung thread is left behind."""
    result: list[_T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            result.append(call())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
    thread.start()
    thread.join(timeout_s)
    if thread.is_alive():
        raise _ReplyTimeout
    if raised:
        raise raised[0]
    return result[0]


def describe(error: BaseException) -> str:
    """Return type, message and place of an error in one short line that is equal in every process.

    >>> describe(ValueError("no such product at 0x7f01"))
    'ValueError: no such product at 0x'
    """
    try:
        message = str(error)
    except (Interrupt, _ReplyTimeout):
        raise
    except BaseException:
        message = "(its message cannot be shown)"
    frames = traceback.extract_tb(error.__traceback__)
    place = f" [{frames[-1].name}]" if frames else ""
    text = f"{type(error).__name__}: {message[:DETAIL_LENGTH]}"
    return _CONTROL.sub(" ", _ADDRESS.sub("0x", text))[:DETAIL_LENGTH] + place


def unlogged_line(labels: Any, seed: int, detail: str) -> dict[str, Any]:
    """Return the line of an episode that the simulator could not even begin or end by itself."""
    return {
        "schema": "supermarket.episode/1",
        "episode_id": labels.episode_id,
        "agent": labels.agent,
        "user": labels.user,
        "store": labels.store,
        "catalogue": labels.catalogue,
        "suite": labels.suite,
        "task_id": labels.task_id,
        "trial": labels.trial,
        "seed": seed,
        "stratum": labels.stratum,
        "events": [
            {"k": "fault", "turn": 0, "who": "infra", "kind": "simulator", "detail": detail},
            {"k": "end", "reason": "infra_error"},
        ],
    }
