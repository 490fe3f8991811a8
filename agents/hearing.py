"""What the user just said, on either track: acts and slots as given, or as the documented parser reads the words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supermarket_env.dialogue.acts import UserResponse
from supermarket_env.dialogue.view import AssistantView

if TYPE_CHECKING:
    from supermarket_env.dialogue.parse import Parser

_parsers: dict[str, Parser] = {}
_KEPT = 8


def latest_response(view: AssistantView) -> UserResponse:
    """Return the user's latest response with act and slots; on the text track they are parsed from the words."""
    response = view.response
    if view.track != "text" or response.act:
        return response
    exchanges = view.transcript.exchanges
    asked = exchanges[-1].message if exchanges else None
    return _parser(view).user(response.text, asked=asked, mentioned=view.heard)


def _parser(view: AssistantView) -> Parser:
    parser = _parsers.get(view.store.content_hash)
    if parser is None:
        from supermarket_env.dialogue.parse import Parser

        while len(_parsers) >= _KEPT:
            del _parsers[next(iter(_parsers))]
        parser = _parsers[view.store.content_hash] = Parser(view.catalogue, view.store)
    return parser
