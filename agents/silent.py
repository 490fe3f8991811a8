"""The silent assistant: the reference that everybody is measured against."""

from __future__ import annotations

from supermarket_env.dialogue.acts import SILENT, AssistantMessage
from supermarket_env.dialogue.view import AssistantView


class Silent:
    """Says and does nothing, so that an episode shows how far the user gets alone."""

    name = "silent"

    def start(self, view: AssistantView) -> None:
        """Begin an episode; there is nothing to remember."""

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the empty message."""
        return SILENT
