"""What a user model answers with, and what makes an answer unusable."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

from supermarket_env.dialogue.acts import Fact
from supermarket_env.errors import InfrastructureError, RunStop
from supermarket_env.rules import codes


@dataclass(frozen=True, slots=True)
class UserAction:
    """One physical action: type and the id of its node, section or product; ``qty`` for add and remove."""

    type: str
    arg: str = ""
    qty: int = 0


@dataclass(frozen=True, slots=True)
class UserTurn:
    """A user model's answer. Facts name the model's own need by its number from 1 (``task.needs[n - 1]``)."""

    act: str
    action: UserAction
    facts: tuple[Fact, ...] = ()
    need: int = 0
    """Own need (from 1) the act is about; 0 for none."""
    attribute: str = ""
    products: tuple[str, ...] = ()
    category: str = ""
    reason: str = ""
    cause: str = ""
    text: str | None = None
    """Words; ``None`` lets the template grammar say the act."""


NOT_THE_MODELS = (InfrastructureError, RunStop, KeyboardInterrupt)
"""Nobody's move, the end of the run, Ctrl-C: none of them is the model's answer."""

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]+")


def described(error: BaseException) -> str:
    """Return type and message of a model's error as one line that is equal in every process."""
    try:
        message = str(error)
    except NOT_THE_MODELS:
        raise
    except BaseException:  # the message is the model's code as well
        message = "(its message cannot be shown)"
    return _line(f"{type(error).__name__}: {message}")


def shown(value: Any) -> str:
    """Return a model's junk as a short line that is equal in every process."""
    try:
        return _line(f"{value!r:.200}")
    except NOT_THE_MODELS:
        raise
    except BaseException:  # so is its representation
        return f"a {type(value).__name__} that cannot be shown"


def _line(text: str) -> str:
    return _CONTROL.sub(" ", _ADDRESS.sub("0x", text))[:400]


def flaw(answer: Any) -> str:
    """Say what makes an answer unusable; empty for a usable one."""
    if not isinstance(answer, UserTurn) or not isinstance(answer.act, str) or answer.act not in codes.USER_ACTS:
        return f"expected a UserTurn with a known act, got {shown(answer)}"
    action = answer.action
    if not isinstance(action, UserAction) or not isinstance(action.type, str) or action.type not in codes.ACTIONS[1:]:
        return f"action: expected a UserAction of a known type, got {shown(action)}"
    if not isinstance(action.arg, str) or type(action.qty) is not int:
        return f"action: expected an id and a whole number, got {shown(action)}"
    if answer.text is not None and not isinstance(answer.text, str):
        return f"text: expected a string, got {shown(answer.text)}"
    if type(answer.need) is not int:
        return f"need: expected a whole number, got {shown(answer.need)}"
    for field in _NAMES:
        if not isinstance(getattr(answer, field), str):
            return f"{field}: expected a string, got {shown(getattr(answer, field))}"
    if not isinstance(answer.products, tuple | list) or not all(isinstance(p, str) for p in answer.products):
        return f"products: expected ids, got {shown(answer.products)}"
    if not isinstance(answer.facts, tuple | list) or not all(map(_is_fact, answer.facts)):
        return f"facts: expected facts, got {shown(answer.facts)}"
    return ""


_LARGEST = 1e9

_NAMES = tuple(field.name for field in fields(UserTurn) if field.type == "str" and field.name != "act")


def _is_fact(fact: Any) -> bool:
    """Whether a fact names a need by number, an attribute by name, and has a value that such things can have."""
    if not isinstance(fact, Fact) or type(fact.need) is not int or not isinstance(fact.attribute, str):
        return False
    value = fact.value
    if isinstance(value, int | float):
        return -_LARGEST < value < _LARGEST  # not NaN either
    if isinstance(value, tuple | list | frozenset):
        return all(isinstance(name, str) for name in value)
    return value is None or isinstance(value, str)
