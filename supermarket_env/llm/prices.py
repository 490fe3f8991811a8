"""What a call costs, and the budget that must not be passed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from supermarket_env.errors import ConfigError, RunStop
from supermarket_env.llm.config import BudgetConfig, Price

MILLION = 1_000_000


class Spent(NamedTuple):
    """What calls came to; ``money`` is None when a price was unknown."""

    calls: int = 0
    tokens: int = 0
    money: Fraction | None = Fraction(0)


NOTHING = Spent()


def exact(number: float) -> Fraction:
    """Return a price as it was written: 0.15 is 15/100."""
    return Fraction(repr(float(number)))


def cost_of(price: Price | None, tokens_in: int | None, tokens_out: int | None) -> Fraction | None:
    """Return the exact cost of a call; None when the price or a count of tokens is unknown.

    >>> float(cost_of(Price(input=0.15, output=0.6), 1000, 1000))
    0.00075
    """
    if price is None or tokens_in is None or tokens_out is None:
        return None
    return (exact(price.input) * tokens_in + exact(price.output) * tokens_out) / MILLION


class BudgetReached(RunStop):
    """The next call could pass a limit of the budget; nothing was sent."""


@dataclass(slots=True)
class Hold:
    """The most one call in flight can come to."""

    tokens: int
    money: Fraction | None


class Budget:
    """Counts what was spent and holds back the most that calls in flight can come to, so that no limit is passed."""

    def __init__(self, limits: BudgetConfig, before: Spent = NOTHING) -> None:
        self._limits = limits
        self._money = None if limits.money is None else exact(limits.money)
        self._lock = threading.Lock()
        self._calls, self._tokens = before.calls, before.tokens
        self._paid = before.money if before.money is not None else Fraction(0)
        self._held: list[Hold] = []

    def check_prices(self, prices: Mapping[str, Price], models: set[str]) -> None:
        """Refuse a limit of money where a price is unknown.

        Raises:
            ConfigError: naming the models without a price.
        """
        unknown = sorted(models - set(prices))
        if self._money is not None and unknown:
            raise ConfigError(f"llm.budget.money needs llm.prices of every model; unknown: {', '.join(unknown)}")

    def hold(self, tokens: int, money: Fraction | None) -> Hold:
        """Hold back the most a call can come to.

        Raises:
            BudgetReached: If a limit could be passed.
        """
        with self._lock:
            held_tokens = sum(h.tokens for h in self._held)
            held_money = sum((h.money for h in self._held if h.money is not None), Fraction(0))
            limits = self._limits
            reached = ""
            if limits.calls is not None and self._calls + len(self._held) + 1 > limits.calls:
                reached = f"calls ({self._calls} made, limit {limits.calls})"
            elif limits.tokens is not None and self._tokens + held_tokens + tokens > limits.tokens:
                reached = f"tokens ({self._tokens} used, the next call may need {tokens}, limit {limits.tokens})"
            elif self._money is not None and money is not None and self._paid + held_money + money > self._money:
                reached = f"money ({float(self._paid):.6g} spent, limit {float(self._money):.6g})"
            if reached:
                raise BudgetReached(f"llm.budget: {reached}; the same command with a higher limit goes on from here")
            made = Hold(tokens, money)
            self._held.append(made)
            return made

    def settle(self, hold: Hold, spent: Spent | None) -> None:
        """Replace a hold by what the call really came to; ``None``: it never came to an answer."""
        with self._lock:
            self._held = [h for h in self._held if h is not hold]
            if spent is not None:
                self._calls += spent.calls
                self._tokens += spent.tokens
                if spent.money is not None:
                    self._paid += spent.money
