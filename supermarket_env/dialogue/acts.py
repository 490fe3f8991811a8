"""Messages of both sides: the typed form assistants write and users answer in.

An :class:`AssistantMessage` holds one dialogue act with slots, free text, a ranked list of at most ten product ids,
optionally one suggested user action and one navigation goal. Ids are the catalogue's and the store's strings. A
:class:`UserResponse` is the user's act with slots; its physical action is in the log and in the next view.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from supermarket_env.errors import MessageError
from supermarket_env.rules import codes

MAX_TEXT = 2000
"""Characters of a message's text that are shown; the rest is cut and counted as a fault."""

AssistantAct = Literal[
    "chat", "greet", "ask", "recommend", "inform", "compare", "guide", "confirm", "acknowledge", "offer_checkout"
]
ActionType = Literal["wait", "move", "look", "inspect", "add", "remove", "checkout", "leave"]
GoalKind = Literal["section", "product", "category", "landmark"]
Value = str | int | float | bool | None


class Suggestion(BaseModel):
    """A suggested user action: its type and the one parameter that type takes.

    ``arg`` is a node id for ``move``, a section id for ``look``, a product id for ``inspect``, ``add`` and
    ``remove``, and empty for the others. ``qty`` counts units of ``add`` and ``remove``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: ActionType
    arg: str = ""
    qty: Annotated[int, Field(ge=1, le=99)] = 1


class Goal(BaseModel):
    """A navigation goal: something the user should reach (a section, product, category or landmark node)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: GoalKind
    id: str


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
    value: Value = None
    products: tuple[str, ...] = ()
    emotion: str = ""
    items: tuple[str, ...] = ()
    suggest: Suggestion | None = None
    goal: Goal | None = None

    @classmethod
    def parse(cls, obj: Any) -> AssistantMessage:
        """Return ``obj`` as a message: an instance as it is, a mapping validated.

        Raises:
            MessageError: naming the field that does not fit, what came and what was expected.
        """
        if isinstance(obj, cls):
            return obj
        try:
            return cls.model_validate(obj)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "message"
            raise MessageError(f"assistant message, field {place}: {first['msg']}; got {obj!r:.200}") from None


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
