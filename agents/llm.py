"""A language model as the assistant: one answer a turn (single-shot), or look-ups before it (ReAct-like).

It gets what every assistant gets, as text, and answers with one message: words, act and slots, list, hint, goal. An
answer that cannot be used goes back once; after that the turn is an invalid message, the assistant's fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from supermarket_env.agents.llm_message import message_of, message_schema, problem_of
from supermarket_env.agents.llm_prompt import Memory, react_prompt, single_prompt
from supermarket_env.agents.llm_tools import TOOLS, Tools
from supermarket_env.agents.shelf import shelf_of
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.dialogue.view import AssistantView
from supermarket_env.errors import ConfigError, MessageError, unknown_name
from supermarket_env.llm.runtime import Answer, Question, Runtime, runtime_in_play, runtime_or_none

PROMPTS: Final = ("single", "react")


class LanguageModel:
    """An assistant over the endpoint of the role ``assistant``.

    Args:
        name: Its name in results.
        prompt: ``single`` (products found by the user's words stand in the prompt) or ``react`` (it may look things
            up: search, details, where, path, compare).
        lookups: Most look-ups a turn (react).
        history: Last exchanges told word for word; older ones only as what is known of each need.
        max_chars: Longest prompt; the oldest exchanges are left out first.

    Raises:
        ConfigError: an option is out of range.
    """

    def __init__(
        self, name: str = "llm", prompt: str = "single", lookups: int = 3, history: int = 6, max_chars: int = 6000
    ) -> None:
        if prompt not in PROMPTS:
            raise ConfigError(unknown_name("prompt of the llm assistant", str(prompt), PROMPTS))
        if lookups < 0 or history < 0 or max_chars < 1000:
            raise ConfigError(
                f"llm assistant: expected lookups and history of 0 or more and max_chars of 1000 or more, got "
                f"{lookups}, {history}, {max_chars}"
            )
        self.name = name
        self._react = prompt == "react"
        self._lookups = lookups
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
        notes: list[tuple[str, str]] = []
        shown: tuple[str, ...] = ()
        for number in range(self._lookups + 1):
            last = number == self._lookups
            messages = react_prompt(view, self._memory, notes, last=last)
            schema = message_schema(shown, tools=() if last else tuple(TOOLS))
            answer = self._ask(view, number, messages, schema, shown)
            tool = "" if answer.fault else str(answer.data.get("tool", ""))
            if not tool or tool == "none":
                return answer, shown
            words, ids = self._tools.call(tool, str(answer.data.get("query", "")), view)
            notes.append((f"{tool}({answer.data.get('query', '')!s:.80})", words))
            shown = tuple(dict.fromkeys((*shown, *ids)))[-20:]
        raise AssertionError("the last question cannot ask for a look-up")


def single_shot() -> LanguageModel:
    """Return the shipped assistant ``llm``."""
    return LanguageModel()


def react() -> LanguageModel:
    """Return the shipped assistant ``llm_react``."""
    return LanguageModel(name="llm_react", prompt="react")
