"""Thresholds of the rule assistant: what it may do, how much of it, and how it weighs what it heard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from supermarket_env.errors import ConfigError, nearest

Weight = Annotated[float, Field(ge=0.0, le=10.0)]


class RuleWeights(BaseModel):
    """Worth of a product's features in the ranking; set by hand for the average shopper, none is learned."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    match: Weight = 0.5
    """Fulfilling every wish that was heard (earlier wishes count more)."""
    brand: Weight = 0.13
    """Being of the brand asked for."""
    quality: Weight = 0.2
    """The best against the worst rating."""
    price: Weight = 0.36
    """A relative price lower by 1; grows by half with every rejection for the price. More than the average shopper
    minds, because what goes over the budget is put back."""
    over_limit: Weight = 0.25
    """Lost above a price limit."""
    popularity: Weight = 0.02
    """The best seller of the type against nobody's choice."""
    size: Weight = 0.5
    """Weight of the wished size beside a wished attribute's 1."""


class RuleConfig(BaseModel):
    """All thresholds of the rule assistant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ask: bool = True
    """Whether it asks about needs at all."""
    questions: tuple[str, ...] = ("anything",)
    """Attributes asked for, in this order; what is known is skipped."""
    questions_per_need: Annotated[int, Field(ge=0, le=10)] = 2
    """Most questions about one need."""
    ask_for_more: bool = True
    """Whether it asks for further needs, until the user says that there are none."""
    recommend: bool = True
    """Whether it shows lists."""
    list_length: Annotated[int, Field(ge=1, le=10)] = 5
    lists_per_need: Annotated[int, Field(ge=1, le=50)] = 3
    """Most lists for one need (a stock-out starts anew)."""
    paging: bool = False
    """Show the next page without waiting for a rejection, until something is accepted."""
    explain: bool = True
    """Whether it answers questions about products, compares and advises."""
    guide: bool = True
    """Whether it names goals and suggests moves."""
    shelf_hints: bool = True
    """Whether it suggests looking and taking at the shelf."""
    goal_gap: Annotated[int, Field(ge=1, le=100)] = 4
    """Turns before the same goal is named again."""
    ignored_moves: Annotated[int, Field(ge=1, le=100)] = 3
    """Moves in a row against its advice after which it stops urging for a while."""
    rest: Annotated[int, Field(ge=1, le=100)] = 5
    """How many turns that while lasts; after the second time the need is let go."""
    listen_after: Annotated[int, Field(ge=1, le=100)] = 2
    """Turns the user stands idle before the product it chose after which the assistant lets it speak."""
    hush: Annotated[int, Field(ge=0, le=100)] = 2
    """Turns without questions after a complaint."""
    weights: RuleWeights = RuleWeights()

    @classmethod
    def parse(cls, value: RuleConfig | Mapping[str, Any] | None) -> RuleConfig:
        """Return ``value`` as a configuration; ``None`` is the default one.

        Raises:
            ConfigError: A key or value does not fit; names it and the nearest valid key.
        """
        if value is None:
            return cls()
        if isinstance(value, cls):
            return value
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            fields = RuleWeights.model_fields if place.startswith("weights.") else cls.model_fields
            hint = nearest(place.rpartition(".")[2], fields) if first["type"] == "extra_forbidden" else ""
            raise ConfigError(f"rule assistant, config.{place}: {first['msg']}.{hint}") from None
