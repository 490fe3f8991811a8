"""Assistants that break the rules, one way each; named by import path in the tests of the command."""

from __future__ import annotations

import math
from typing import Any


class Hostile:
    """Answers with whatever ``message`` makes."""

    name = "hostile"

    def start(self, view: Any) -> None:
        pass

    def reply(self, view: Any) -> Any:
        return {}


class Raises(Hostile):
    def reply(self, view: Any) -> Any:
        raise ValueError(f"cannot at {hex(id(self))}")


class RaisesAtStart(Hostile):
    def start(self, view: Any) -> None:
        raise RuntimeError("no start")


class Exits(Hostile):
    def reply(self, view: Any) -> Any:
        raise SystemExit(5)


class Hangs(Hostile):
    def reply(self, view: Any) -> Any:
        while True:
            pass


class NotANumber(Hostile):
    def reply(self, view: Any) -> Any:
        return {"act": "recommend", "need": math.nan, "value": math.nan}


class Megabyte(Hostile):
    def reply(self, view: Any) -> Any:
        return {"act": "chat", "text": "buy now " * 131_072}


class ControlCharacters(Hostile):
    def reply(self, view: Any) -> Any:
        return {"act": "chat", "text": "\x00\x1b[31mred\x07\u202e\ud800"}


class UnknownIds(Hostile):
    def reply(self, view: Any) -> Any:
        return {"act": "recommend", "items": ["no-such-product"], "goal": {"kind": "section", "id": "S999999"}}


class ElevenItems(Hostile):
    def reply(self, view: Any) -> Any:
        return {"act": "recommend", "items": [view.catalogue.product(number).id for number in range(11)]}


class Nothing(Hostile):
    def reply(self, view: Any) -> Any:
        return None


class NoMethods:
    pass


class CannotBuild:
    def __init__(self) -> None:
        raise OSError("model file missing")
