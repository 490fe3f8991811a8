"""How much happens in a store during a trip: the settings of the store events."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from supermarket_env.errors import TaskError


@dataclass(frozen=True, slots=True)
class EventPlan:
    """How much happens in the store; the defaults are: nothing."""

    promotions: float = 0.0
    """Probability that a trip falls in an offer week."""
    stock_changes: float = 0.0
    """Probability, per need, that a popular product of its types sells out during the trip; half of them return."""
    refills: float = 0.0
    """Probability, per need, that a sold-out product of its types is filled up during the trip."""
    map_errors: float = 0.0
    """Probability that the assistant's map is out of date."""
    first_variant: int = 1
    """The weeks and maps used are this one and the next three; test suites use others than development."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("promotions", "stock_changes", "refills", "map_errors"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise TaskError(f"store event {name} must be a probability in [0, 1], got {getattr(self, name)!r}")
        if not 1 <= self.first_variant <= 996:
            raise TaskError(f"first_variant of store events must be in 1..996, got {self.first_variant!r}")

    @property
    def quiet(self) -> bool:
        """Whether nothing can happen."""
        return not (self.promotions or self.stock_changes or self.refills or self.map_errors)


QUIET: Final = EventPlan()
ROBUST: Final = EventPlan(promotions=0.5, stock_changes=0.4, refills=0.4, map_errors=0.5)
"""The events of the robust suites."""


def describe_events(plan: EventPlan) -> str:
    """Return what happens, as names show it.

    >>> describe_events(EventPlan(map_errors=0.5, promotions=1))
    'promotions=1,map_errors=0.5'
    """
    return ",".join(f"{f.name}={getattr(plan, f.name):g}" for f in fields(plan) if getattr(plan, f.name) != f.default)
