"""Other users than the default ones: populations drawn from what is uncalibrated, and single settings off or extreme.

No published figure fixes most traits and constants of the scripted user. A result that holds only for the default
values is a result about those values; the conditions made here show which results do.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from supermarket_env.errors import ConfigError
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim.config import Mechanisms, StockOutShares, UserConfig
from supermarket_env.user_sim.persona import TRAIT_TABLE, Trait

UNCALIBRATED: Final = "uncalibrated"
SOURCED_MECHANISMS: Final = frozenset({"sold_out", "stock_out"})
"""Constants with a published source; no population moves them."""
FACTOR: Final = 2.0
"""Constants are drawn between their default divided and multiplied by this, evenly on a log scale."""
SPREAD: Final = 0.5
"""Part of the default spread of a trait that is left within a drawn population; its centre is drawn."""
BIG: Final = 4.0
"""Extreme of an amount or a count: this many times its default."""

_SPECIAL: Final[dict[str, tuple[float, float]]] = {
    "patience": (500.0, 7.0),
    "irr_leave": (100.0, 3.0),
    "irr_say": (100.0, 0.2),
    "search_cap": (1000.0, 2.0),
    "ask_after": (1000.0, 0.0),
}
"""(off, extreme) of settings that limit something: off is where the limit is never reached."""


@dataclass(frozen=True)
class Condition:
    """A user population to play: a configuration of the user, and what it makes of the personas of the tasks."""

    name: str
    user: UserConfig
    centres: Mapping[str, float] = field(default_factory=dict)
    """Mean of each trait in this population; traits that are not named keep the task's own values."""
    settings: Mapping[str, float] = field(default_factory=dict)
    """What was drawn, by trait or constant."""

    def task_for(self, task: Task) -> Task:
        """Return the task with its persona moved into this population."""
        if not self.centres:
            return task
        persona = dict(task.persona)
        for trait in TRAIT_TABLE:
            if trait.name in self.centres:
                value = self.centres[trait.name] + SPREAD * (persona[trait.name] - _mean(trait))
                persona[trait.name] = round(min(trait.maximum, max(trait.minimum, value)), 4)
        return task.model_copy(update={"persona": persona})

    def content_hash(self) -> str:
        """Return the SHA-256 of everything that defines the population.

        Constants at 0 are left out, so that a new mechanism that is off by default makes no old result stale.
        """
        constants = sorted((name, value) for name, value in self.user.params().items() if value != 0)
        other = self.user.model_dump(mode="json", exclude_defaults=True, exclude={"name", "mechanisms"})
        payload = [self.user.version, constants, sorted(other.items()), sorted(self.centres.items())]
        return hashlib.sha256(json.dumps(payload).encode()).hexdigest()


DEFAULT: Final = Condition("default", UserConfig())
"""The published population."""


def free_traits() -> tuple[Trait, ...]:
    """Return the traits without a source."""
    return tuple(trait for trait in TRAIT_TABLE if trait.source == UNCALIBRATED)


def free_mechanisms() -> tuple[str, ...]:
    """Return the names of the constants without a source, in the order of the configuration.

    What is switched off by default (0) is left out: it is no part of the published user.
    """
    defaults = Mechanisms()
    return tuple(n for n in Mechanisms.model_fields if n not in SOURCED_MECHANISMS and getattr(defaults, n) != 0)


def draw_population(number: int, *, seed: int = 0) -> Condition:
    """Draw one population.

    Args:
        number: Its number, >= 1; equal numbers and seeds give equal populations, whatever else is drawn.
        seed: Key of all draws.

    Returns:
        A population in which the centre of every uncalibrated trait lies evenly in its default range (each user keeps
        half of its distance to the centre), and every uncalibrated constant between half and twice its default.

    Raises:
        ConfigError: If ``number`` is below 1.

    >>> draw_population(3).settings == draw_population(3).settings
    True
    """
    if number < 1:
        raise ConfigError(f"populations are numbered from 1, got {number!r}")
    centres = {t.name: round(t.low + (t.high - t.low) * _uniform(seed, number, t.name), 4) for t in free_traits()}
    constants: dict[str, float] = {}
    for name in free_mechanisms():
        default, low, high = _bounds(name)
        value = float(default) * math.exp(math.log(FACTOR) * (2.0 * _uniform(seed, number, name) - 1.0))
        value = min(high, max(low, value))
        constants[name] = max(1, round(value)) if isinstance(default, int) else round(value, 4)
    user = UserConfig(name=f"population-{number:03d}", mechanisms=Mechanisms(**_typed(constants)))
    return Condition(user.name, user, centres, {**centres, **constants})


def ablations() -> tuple[Condition, ...]:
    """Return two conditions a trait and constant: ``NAME:off`` and ``NAME:extreme``, all else at the defaults.

    Off is 0 (the limit that is never reached, for settings that limit something), extreme is the upper bound of a
    trait or share and four times the default of an amount or a count. A setting whose default is one of the two has one
    condition only.
    """
    found: list[Condition] = []
    for trait in TRAIT_TABLE:
        for end, value in zip(
            ("off", "extreme"), _SPECIAL.get(trait.name, (trait.minimum, trait.maximum)), strict=True
        ):
            found.append(_ablation(trait.name, end, value, UserConfig(traits={trait.name: value})))
    for name in Mechanisms.model_fields:
        if name == "stock_out":
            continue
        default, low, high = _bounds(name)
        ends = _SPECIAL.get(name, (low, high if high <= 1.0 else BIG * float(default or 1.0)))
        for end, value in zip(("off", "extreme"), ends, strict=True):
            if value != default:
                user = UserConfig(mechanisms=Mechanisms(**_typed({name: value})))
                found.append(_ablation(name, end, value, user))
    for end, kind in (("off", "other_brand"), ("extreme", "other_store")):
        shares = dict.fromkeys(StockOutShares.model_fields, 0.0) | {kind: 1.0}
        user = UserConfig(mechanisms=Mechanisms(stock_out=StockOutShares(**shares)))
        found.append(_ablation("stock_out", end, 1.0, user))
    return tuple(found)


def _ablation(name: str, end: str, value: float, user: UserConfig) -> Condition:
    return Condition(f"{name}:{end}", user, settings={name: value})


def _typed(constants: Mapping[str, float]) -> dict[str, Any]:
    """Return constants with whole numbers where the configuration wants them."""
    defaults = Mechanisms()
    return {k: int(v) if isinstance(getattr(defaults, k), int) else float(v) for k, v in constants.items()}


def _bounds(name: str) -> tuple[float | int, float, float]:
    """Return default, lower and upper bound of a constant."""
    info = Mechanisms.model_fields[name]
    low, high = (float(next(getattr(m, end) for m in info.metadata if hasattr(m, end))) for end in ("ge", "le"))
    return info.default, low, high


def _mean(trait: Trait) -> float:
    share = 1.0 / 3.0 if trait.shape == "low" else 0.5
    return trait.low + share * (trait.high - trait.low)


def _uniform(seed: int, number: int, name: str) -> float:
    """Return the draw in [0, 1) of one setting: a hash of its name, so that a new setting moves none of the others."""
    digest = hashlib.sha256(json.dumps(["population", seed, number, name]).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
