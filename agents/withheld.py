"""Any assistant with its hints withheld: what it says and recommends without suggestions, and without goals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supermarket_env.agents.registry import make_agent
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.dialogue.view import AssistantView


class Withheld:
    """Passes on another assistant's messages without their suggested actions and goals.

    The causal counterpart of AFR: the same users, the same luck, the hints never spoken. A masked turn, as in
    ``would``, misses what goals named earlier go on doing. The words of a message that lost a hint are left out, since
    they spell the hint. The assistant inside believes that its hints were heard; one that gives a need up when nobody
    follows it will do so here.

    Args:
        of: The assistant, as in a run's ``agents``: a name, or a mapping with ``name`` and ``_target_``.
        goals: Let goals pass and withhold suggested actions only.
        name: Name in logs and tables; None makes it from that of the assistant.
    """

    def __init__(self, of: str | Mapping[str, Any] = "rule", goals: bool = False, name: str | None = None) -> None:
        self._inner: Any = make_agent(of)
        self._goals = goals
        self.name = name or f"{self._inner.name}_withheld"

    def start(self, view: AssistantView) -> None:
        """Begin an episode."""
        self._inner.start(view)

    def start_privileged(self, view: AssistantView, truth: Mapping[str, Any]) -> None:
        """Begin an episode of an assistant that is told the truth (``privileged: true`` in the run)."""
        self._inner.start_privileged(view, truth)

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the assistant's message without its hints."""
        message = AssistantMessage.parse(self._inner.reply(view))
        goal = message.goal if self._goals else None
        if message.suggest is None and message.goal is goal:
            return message
        act = "chat" if message.act == "guide" and goal is None else message.act
        return message.model_copy(update={"act": act, "suggest": None, "goal": goal, "text": ""})
