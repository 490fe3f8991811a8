"""A configured endpoint as the model that judges, rates or reads: the same calls, recordings and budget as a run's."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final

from supermarket_env.errors import ConfigError
from supermarket_env.llm.config import load_config
from supermarket_env.llm.runtime import Question, Runtime, runtime_or_none
from supermarket_env.scorers.judge.llm import Completion
from supermarket_env.scorers.judge.prompts import Message

PLUMBING: Final = "plumbing: this small model shows that the path works; it is no judge"
RECORDING_FILE: Final = "judge.sqlite"
_lock = threading.Lock()
_runtimes: dict[tuple[str, Path | None], Runtime] = {}
_FOLDER: ContextVar[Path | None] = ContextVar("judge_recordings", default=None)


@contextmanager
def recordings_in(folder: Path) -> Iterator[None]:
    """Let the endpoints of ``llm:NAME`` and ``llm:FILE`` keep their answers in a folder meanwhile, as a run does.

    A configuration that names a recording keeps its own. Elsewhere answers are kept as long as the process lives, so
    that a question that comes twice is paid once.
    """
    token = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(token)


class EndpointModel:
    """Answers the questions of judge, SIE rater and grade reader from the endpoint of the role ``judge``."""

    def __init__(self, source: str = "") -> None:
        """Set up the model; no call is made yet.

        Args:
            source: Empty for the endpoints of the run in play, else a shipped configuration or a YAML file.

        Raises:
            ConfigError: If the configuration does not fit.
        """
        self._source = source
        self.name = f"endpoint-{load_config(source).endpoint('judge').model}" if source else "endpoint"

    @property
    def plumbing(self) -> str:
        """Why scores of this model are no ratings; empty when they are."""
        return PLUMBING if self._runtime().config.local is not None else ""

    def __call__(self, messages: Sequence[Message], *, seed: int, temperature: float) -> Completion:
        """Return the answer to the last message; an answer that cannot be used is an empty text.

        Raises:
            EndpointError: If the endpoint failed for good.
        """
        question = Question(
            "judge", 0, 0, messages, seed=seed & 0x7FFFFFFF, temperature=temperature, key=f"judge {seed}"
        )
        answer = self._runtime().ask(question)
        return Completion(answer.text, answer.tokens_in, answer.tokens_out, answer.cost)

    def _runtime(self) -> Runtime:
        if self._source:
            with _lock:
                return _opened(self._source)
        found = runtime_or_none()
        if found is None:
            raise ConfigError("model llm: no run with language models is in play; llm:NAME or llm:FILE names endpoints")
        return found


def _opened(source: str) -> Runtime:
    """Return the runtime of a configuration in the folder of now, opened at first use and kept."""
    place = source, _FOLDER.get()
    if place not in _runtimes:
        config = load_config(source)
        if config.recording is None and place[1] is not None:
            config = config.model_copy(update={"recording": str(place[1] / RECORDING_FILE)})
        runtime = Runtime(config)
        runtime.prepare()
        if not _runtimes:
            atexit.register(close_endpoints)
        _runtimes[place] = runtime
    return _runtimes[place]


def close_endpoints() -> None:
    """Close what was opened for ``llm:NAME`` and ``llm:FILE``."""
    while _runtimes:
        _runtimes.popitem()[1].close()
