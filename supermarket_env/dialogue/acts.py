"""Messages of both sides: the typed form assistants write and users answer in.

An :class:`AssistantMessage` holds one dialogue act with slots, free text, a ranked list of at most ten product ids,
optionally one suggested user action and one navigation goal. Ids are the catalogue's and the store's strings. A
:class:`UserResponse` is the user's act with slots; its physical action is in the log and in the next view.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, get_args

import numpy as np
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from supermarket_env.errors import MessageError
from supermarket_env.rules import codes

MAX_UNITS = 99
"""Most units one suggestion may name."""
MAX_TEXT = 2000
"""Characters of a message's text that are shown; the rest is cut and counted as a fault."""

AssistantAct = Literal[
    "chat", "greet", "ask", "recommend", "inform", "compare", "guide", "confirm", "acknowledge", "offer_checkout"
]
ActionType = Literal["wait", "move", "look", "inspect", "add", "remove", "checkout", "leave"]
GoalKind = Literal["section", "product", "category", "landmark"]
Value = str | int | float | bool | None

_ACTS = frozenset(get_args(AssistantAct))
_ACTION_TYPES = frozenset(get_args(ActionType))
_GOAL_KINDS = frozenset(get_args(GoalKind))
_ONLY_TEXT = frozenset({str})
_LARGEST = 10**12
"""Largest number a message may state: what any price or share stays far below, and any rule book can count with."""
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


def _writable(text: str) -> str:
    """Return the text with lone surrogates, which no log can hold, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _listed(value: Any) -> Any:
    """Refuse what is no list: a generator may never end, and a set has another order in every process."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if not isinstance(value, list | tuple):
        raise ValueError("expected a list of product ids")
    return value


def _countable(value: Any) -> Any:
    """Return infinity, which is no value of anything, for numbers beyond ``_LARGEST``."""
    if type(value) in (int, float) and not -_LARGEST <= value <= _LARGEST and value == value:
        return math.inf
    return value


Ids = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Suggestion(BaseModel):
    """A suggested user action: its type and the one parameter that type takes.

    ``arg`` is a node id for ``move``, a section id for ``look``, a product id for ``inspect``, ``add`` and
    ``remove``, and empty for the others. ``qty`` counts units of ``add`` and ``remove``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: ActionType
    arg: str = ""
    qty: Annotated[int, Field(ge=1, le=MAX_UNITS)] = 1


class Goal(BaseModel):
    """A navigation goal: something the user should reach (a section, product, category or landmark node)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: GoalKind
    id: Annotated[str, AfterValidator(_writable)]


class AssistantMessage(BaseModel):
    """One turn of the assistant; the default instance is the silent message.

    ``need`` is the ordinal (1, 2, ...) of the user's n-th mentioned need, 0 for none. ``attribute`` is a slot name
    (``codes.SLOTS`` or a catalogue attribute): what is asked for (``ask``), stated (``inform``) or compared
    (``compare``). ``value`` belongs to ``inform``; left ``None`` the true catalogue value is stated.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    act: AssistantAct = "chat"
    text: str = ""
    need: Annotated[int, Field(ge=0, le=codes.MAX_NEEDS)] = 0
    attribute: str = ""
    value: Annotated[Value, BeforeValidator(_countable)] = None
    products: Ids = ()
    emotion: str = ""
    items: Ids = ()
    suggest: Suggestion | None = None
    goal: Goal | None = None

    @classmethod
    def parse(cls, obj: Any) -> AssistantMessage:
        """Return ``obj`` as a message: a sound instance as it is, a mapping validated.

        Raises:
            MessageError: naming the field that does not fit, what came and what was expected. Whatever else ``obj``
                raises while it is read becomes one too; a MessageError given as ``obj`` is raised again.
        """
        if isinstance(obj, MessageError):
            raise obj
        try:
            if isinstance(obj, cls):
                # Instances made without validation, or changed since, go through it now.
                return obj if _is_sound(obj) else cls.model_validate(_bare(obj))
            return cls.model_validate(obj)
        except ValidationError as error:
            raise MessageError(_misfit(error)) from None
        except Exception as error:
            raise MessageError(f"assistant message: reading it raised {type(error).__name__}") from None


def _bare(model: BaseModel) -> dict[str, Any]:
    """Return the fields of an instance, those of inner instances included, as plain data to be validated."""
    return {name: _bare(item) if isinstance(item, BaseModel) else item for name, item in model.__dict__.items()}


def _is_sound(message: AssistantMessage) -> bool:
    """Whether all fields of an instance are of their types (the ordinary case, checked without pydantic for speed)."""
    goal, suggest, value = message.goal, message.suggest, message.value
    return (
        message.act in _ACTS
        and type(message.text) is str
        and type(message.need) is int
        and 0 <= message.need <= codes.MAX_NEEDS
        and type(message.attribute) is str
        and type(message.emotion) is str
        and _are_texts(message.items)
        and _are_texts(message.products)
        and (value is None or type(value) is str or type(value) is bool)
        and (goal is None or (type(goal) is Goal and goal.kind in _GOAL_KINDS and type(goal.id) is str))
        and (
            suggest is None
            or (
                type(suggest) is Suggestion
                and suggest.type in _ACTION_TYPES
                and type(suggest.arg) is str
                and type(suggest.qty) is int
                and 1 <= suggest.qty <= MAX_UNITS
            )
        )
    )


def _are_texts(ids: Any) -> bool:
    return type(ids) is tuple and _ONLY_TEXT.issuperset(map(type, ids))


def _misfit(error: ValidationError) -> str:
    """Return the first problem of a message in words that are the same in every process (no addresses, no sets)."""
    first = error.errors(include_url=False)[0]
    came, place = first["input"], ".".join(str(part) for part in first["loc"]) or "message"
    plain = came is None or type(came) in (str, bytes, float, bool)
    shown = f"{(came[:80] if isinstance(came, str | bytes) else came)!r}" if plain else type(came).__name__
    message = first["msg"].removeprefix("Value error, ")
    return _ADDRESS.sub("0x", f"assistant message, field {place:.80}: {message:.200}; got {shown}")


class Fact(NamedTuple):
    """One thing the user said about a need: ``value`` is ``None`` for "no preference"."""

    need: int
    """Ordinal of the mentioned need, from 1."""
    attribute: str
    """``product_type``, ``department``, ``brand``, ``size``, ``quantity``, ``price_limit``, ``diet``, ``allergy``,
    ``anything`` or a catalogue attribute."""
    value: Value | tuple[str, ...]
    """Type, department, brand or size-class name; units; money; names of diets or allergens; True for a wished
    attribute."""


class UserResponse(NamedTuple):
    """The user's dialogue act with its slots, as an assistant of the semantic track sees it."""

    act: str
    need: int = 0
    facts: tuple[Fact, ...] = ()
    attribute: str = ""
    """What was asked about a product (``ask``) or about a need (``answer``); the missing attribute of a rejection."""
    products: tuple[str, ...] = ()
    category: str = ""
    """Product type looked for (``ask_where``)."""
    reason: str = ""
    cause: str = ""
    text: str = ""


SILENT = AssistantMessage()
"""The message that says and does nothing."""


def slot_names(attributes: tuple[str, ...]) -> tuple[str, ...]:
    """Return all slot names, those of the catalogue attributes last; position = slot code.

    >>> slot_names(("organic",))[codes.SLOT_ATTRIBUTE]
    'organic'
    """
    return codes.SLOTS + attributes


class Exchange(NamedTuple):
    """One finished turn as the assistant knows it: its own message and the user's answer and action."""

    turn: int
    message: AssistantMessage
    response: UserResponse
    action: str
    """Type of the user's physical action (the app sees where the user goes and what lands in the cart)."""
    arg: str = ""
    """Node, section or product id of that action."""
    qty: int = 0


@dataclass(slots=True)
class Transcript:
    """The dialogue so far: the opening response and the exchanges, oldest first."""

    opening: UserResponse
    exchanges: list[Exchange] = field(default_factory=list)
