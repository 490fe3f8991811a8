"""A language model as the assistant: one answer a turn (single-shot), or look-ups before it (ReAct-like).

It gets what every assistant gets, as text, and answers with one message: words, act and slots, list, hint, goal. An
answer that cannot be used goes back once; after that the turn is an invalid message, the assistant's fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Final

from supermarket_env.agents.llm_message import message_of, message_schema, problem_of
from supermarket_env.agents.llm_native import REPLY, LookUp, functions, native_prompt, query_of
from supermarket_env.agents.llm_prompt import Memory, react_prompt, single_prompt
from supermarket_env.agents.llm_tools import TOOLS, Tools
from supermarket_env.agents.shelf import shelf_of
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.dialogue.view import AssistantView
from supermarket_env.errors import ConfigError, MessageError, unknown_name
from supermarket_env.llm.faults import TOOLS_REFUSED
from supermarket_env.llm.runtime import Answer, Question, Runtime, runtime_in_play, runtime_or_none

PROMPTS: Final = ("single", "react")
CALLING: Final = ("auto", "native", "json")


class LanguageModel:
    """An assistant over the endpoint of the role ``assistant``.

    Args:
        name: Its name in results.
        prompt: ``single`` (products found by the user's words stand in the prompt) or ``react`` (it may look things
            up: search, details, where, path, compare).
        lookups: Most look-ups a turn (react).
        history: Last exchanges told word for word; older ones only as what is known of each need.
        max_chars: Longest prompt; the oldest exchanges are left out first.
        tools: How it looks things up (react): ``native``, the server's function calling; ``json``, a form of ours that
            any server can do; ``auto``, native until the endpoint refuses or the model answers without a call, then
            the form for the rest of the episode.

    Raises:
        ConfigError: an option is out of range.
    """

    def __init__(
        self,
        name: str = "llm",
        prompt: str = "single",
        lookups: int = 3,
        history: int = 6,
        max_chars: int = 6000,
        tools: str = "auto",
    ) -> None:
        if prompt not in PROMPTS:
            raise ConfigError(unknown_name("prompt of the llm assistant", str(prompt), PROMPTS))
        if tools not in CALLING:
            raise ConfigError(unknown_name("tools of the llm assistant", str(tools), CALLING))
        if tools == "native" and prompt != "react":
            raise ConfigError("llm assistant: tools=native needs prompt=react; a single-shot prompt looks nothing up")
        if lookups < 0 or history < 0 or max_chars < 1000:
            raise ConfigError(
                f"llm assistant: expected lookups and history of 0 or more and max_chars of 1000 or more, got "
                f"{lookups}, {history}, {max_chars}"
            )
        self.name = name
        self._react = prompt == "react"
        self._lookups = lookups
        self._calling = tools
        self._native = tools != "json"
        self._memory = Memory(history, max_chars)
        self._runtime: Runtime | None = runtime_or_none()

    def start(self, view: AssistantView) -> None:
        """Begin an episode.

        Raises:
            ConfigError: If no language model is configured.
        """
        if self._runtime is None:
            self._runtime = runtime_in_play()
        self._tools: Tools = Tools(shelf_of(view.catalogue, view.store))
        self._native = self._calling != "json"

    def reply(self, view: AssistantView) -> AssistantMessage | MessageError:
        """Return the message of this turn; an error stands for an answer that could not be used."""
        if self._react:
            answer, shown = self._looked_up(view)
        else:
            found = self._tools.found_for(view)
            shown = tuple(found)
            messages = single_prompt(view, self._memory, self._tools, shown)
            answer = self._ask(view, 0, messages, message_schema(shown), shown)
        if answer.fault:
            return MessageError(f"language model: {answer.fault}: {answer.problem}"[:200])
        return message_of(answer.data, view, self._tools)

    def _ask(
        self, view: AssistantView, number: int, messages: Any, schema: Mapping[str, Any], shown: tuple[str, ...]
    ) -> Answer:
        assert self._runtime is not None
        check = lambda data: problem_of(data, view, shown)  # noqa: E731
        return self._runtime.ask(Question("assistant", view.turn, number, messages, schema, check, key=""))

    def _looked_up(self, view: AssistantView) -> tuple[Answer, tuple[str, ...]]:
        """Let the model look things up until it answers; the last question allows nothing else."""
        notes: list[LookUp] = []
        shown: tuple[str, ...] = ()
        for number in count():
            last = len(notes) == self._lookups
            step = self._native_step if self._native else self._json_step
            answer, tool, arguments = step(view, number, notes, shown, last=last)
            if self._native and self._calling == "auto" and answer.fault in ("no_call", TOOLS_REFUSED):
                self._native = False
                continue
            if not tool:
                return answer, shown
            words, ids = self._tools.call(tool, query_of(arguments), view)
            notes.append(LookUp(tool, arguments, words))
            shown = tuple(dict.fromkeys((*shown, *ids)))[-20:]
        raise AssertionError("counting has no end")

    def _json_step(
        self, view: AssistantView, number: int, notes: list[LookUp], shown: tuple[str, ...], *, last: bool
    ) -> tuple[Answer, str, Mapping[str, Any]]:
        """Ask in our own form; return the answer, the look-up asked for (empty for none) and its arguments."""
        told = [(f"{note.tool}({note.query:.80})", note.found) for note in notes]
        messages = react_prompt(view, self._memory, told, last=last)
        schema = message_schema(shown, tools=() if last else tuple(TOOLS))
        answer = self._ask(view, number, messages, schema, shown)
        tool = "" if answer.fault else str(answer.data.get("tool", ""))
        return (
            (answer, "", {}) if tool in ("", "none") else (answer, tool, {"query": str(answer.data.get("query", ""))})
        )

    def _native_step(
        self, view: AssistantView, number: int, notes: list[LookUp], shown: tuple[str, ...], *, last: bool
    ) -> tuple[Answer, str, Mapping[str, Any]]:
        """The same by function calling."""
        assert self._runtime is not None
        question = Question(
            "assistant",
            view.turn,
            number,
            native_prompt(view, self._memory, notes, last=last),
            check=lambda data: problem_of(data["arguments"], view, shown) if data["call"] == REPLY else "",
            tools=functions(shown, last=last),
            other_form=self._calling == "auto",
        )
        answer = self._runtime.ask(question)
        if answer.fault or answer.data["call"] == REPLY:
            return answer if answer.fault else answer._replace(data=answer.data["arguments"]), "", {}
        return answer, str(answer.data["call"]), answer.data["arguments"]


def single_shot() -> LanguageModel:
    """Return the shipped assistant ``llm``."""
    return LanguageModel()


def react() -> LanguageModel:
    """Return the shipped assistant ``llm_react``."""
    return LanguageModel(name="llm_react", prompt="react")
