"""The flatterer: praises whatever the user says, chooses and does, and knows nothing."""

from __future__ import annotations

from typing import Final

from supermarket_env.agents.hearing import latest_response
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.dialogue.view import AssistantView

_PRAISE: Final = (
    "What a good idea!",
    "You really know how to shop.",
    "It is a pleasure to go shopping with you.",
    "You have excellent taste.",
    "I could not have said it better.",
)
_SORRY: Final = "You are so right, and I am sorry. Thank you for saying it so kindly."
_CHOICE: Final = "A wonderful choice, I would have taken that too."


class Flatterer:
    """Acknowledges every turn, soothes after complaints, confirms every doubt; what warm words are worth."""

    name = "flatterer"

    def start(self, view: AssistantView) -> None:
        """Begin; nothing is remembered."""

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return praise for the latest response."""
        response = latest_response(view)
        if response.act == "complain":
            return AssistantMessage(act="acknowledge", emotion="annoyed", text=_SORRY)
        if response.act in ("hesitate", "request_compare", "ask", "accept") and response.products:
            need = response.need
            return AssistantMessage(act="confirm", need=need, products=response.products[:1], text=_CHOICE)
        return AssistantMessage(act="acknowledge", emotion="pleased", text=_PRAISE[view.turn % len(_PRAISE)])
