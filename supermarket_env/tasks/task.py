"""A task: what one simulated shopper wants, in which store, with which money; the frozen, hashable description.

Everything derived (utilities, acceptable products, best cart, tour, turn limit) follows from a task, a world and the
user's constants by computation (``supermarket_env.tasks.prepare``) and is not part of the description.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_serializer, model_validator

from supermarket_env.catalogue.schema import ALLERGENS, ATTRIBUTES, DIETS
from supermarket_env.errors import unknown_name
from supermarket_env.rules.codes import MAX_DUE, MAX_NEEDS, MAX_TYPES, MAX_WANTS
from supermarket_env.rules.rows import TRAITS
from supermarket_env.user_sim.persona import TRAIT_TABLE

Trip = Literal["quick", "fill_in", "stock_up", "recipe", "browse"]
SizeName = Literal["", "small", "regular", "large"]


class Need(BaseModel):
    """One need of a task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    types: Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_TYPES)]
    """Product types that can serve it; the first is the one named when asked. More than one: a vague need."""
    qty: Annotated[int, Field(ge=1, le=9)] = 1
    diets: tuple[str, ...] = ()
    """Hard diet constraints."""
    allergens: tuple[str, ...] = ()
    """Allergens the product must not contain (hard)."""
    wants: Annotated[dict[str, float], Field(max_length=MAX_WANTS)] = Field(default_factory=dict)
    """Wished catalogue attributes with positive weights, the most important first."""
    size: SizeName = ""
    size_weight: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    brand: str = ""
    price_limit_cents: Annotated[int, Field(ge=0)] = 0
    """0: no limit."""
    weight: Annotated[float, Field(gt=0.0, le=100.0)] = 1.0
    """Importance."""
    outside_quantile: Annotated[float, Field(ge=0.0, le=0.95)] = 0.5
    """The outside option is worth as much as this quantile of the feasible products."""

    @field_validator("wants")
    @classmethod
    def _known_wants(cls, wants: dict[str, float]) -> dict[str, float]:
        for name, weight in wants.items():
            if name not in ATTRIBUTES:
                raise ValueError(unknown_name("attribute", name, ATTRIBUTES))
            if not weight > 0.0:
                raise ValueError(f"weight of wish {name!r} must be positive, got {weight!r}")
        return wants

    @model_validator(mode="after")
    def _known_names(self) -> Need:
        for name in self.diets:
            if name not in DIETS:
                raise ValueError(unknown_name("diet", name, DIETS))
        for name in self.allergens:
            if name not in ALLERGENS:
                raise ValueError(unknown_name("allergen", name, ALLERGENS))
        return self


class StockEvent(BaseModel):
    """A shelf changes during the trip."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn: Annotated[int, Field(ge=1, le=1000)]
    """It happens at the beginning of this turn."""
    product: Annotated[str, Field(min_length=1)]
    left: Annotated[int, Field(ge=0, le=9999)]
    """Units on the shelf from then on; 0: sold out."""


class Task(BaseModel):
    """One shopping task; ``seed`` keys taste and stock, never the luck of an episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(min_length=1, max_length=120)]
    seed: Annotated[int, Field(ge=0, lt=2**62)]
    trip: Trip
    stratum: str
    store: str
    catalogue: str
    budget_cents: Annotated[int, Field(ge=1)]
    persona: dict[str, float]
    household_allergens: tuple[str, ...] = ()
    needs: Annotated[tuple[Need, ...], Field(min_length=1, max_length=MAX_NEEDS)]
    events: Annotated[tuple[StockEvent, ...], Field(max_length=MAX_DUE)] = ()
    """Stock changes in the order of their turns; written down only where there are any."""

    @field_validator("events")
    @classmethod
    def _in_order(cls, events: tuple[StockEvent, ...]) -> tuple[StockEvent, ...]:
        for before, after in pairwise(events):
            if after.turn < before.turn:
                raise ValueError(f"stock events must be in the order of turns; {after.turn} follows {before.turn}")
        return events

    @model_serializer(mode="wrap")
    def _without_no_events(self, dump: Any) -> dict[str, Any]:
        data: dict[str, Any] = dump(self)
        if not self.events:
            data.pop("events", None)
        return data

    @field_validator("persona")
    @classmethod
    def _all_traits(cls, persona: dict[str, float]) -> dict[str, float]:
        for name in persona:
            if name not in TRAITS:
                raise ValueError(unknown_name("trait", name, TRAITS))
        for trait in TRAIT_TABLE:
            if trait.name not in persona:
                raise ValueError(f"persona lacks trait {trait.name!r}; needed: {', '.join(TRAITS)}")
            value = persona[trait.name]
            if not trait.minimum <= value <= trait.maximum:
                raise ValueError(f"trait {trait.name!r} must be in [{trait.minimum}, {trait.maximum}], got {value!r}")
        return persona
