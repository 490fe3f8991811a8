"""Named, versioned sets of weights; totals under different sets are never compared."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.scorers.sie.dimensions import DIMENSIONS

_EQUAL: Final = 1e-9


class WeightSet(BaseModel):
    """Weights of the five dimensions under a name and a version."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: str
    weights: Mapping[str, float]
    """One weight of 0 or more for each dimension, sum 1."""
    reason: str = ""
    """Why these weights fit the product."""

    @property
    def label(self) -> str:
        """``<name>@<version>``."""
        return f"{self.name}@{self.version}"

    @model_validator(mode="after")
    def _check(self) -> WeightSet:
        if not self.name or not self.version:
            raise ValueError("a weight set needs a name and a version")
        check_weights(self.weights)
        return self


def check_weights(weights: Mapping[str, float]) -> None:
    """Refuse weights that are not one number of 0 or more for each dimension with sum 1.

    Raises:
        ConfigError: Naming what is wrong.
    """
    for name in weights:
        if name not in DIMENSIONS:
            raise ConfigError(f"weights: {unknown_name('dimension', str(name), DIMENSIONS)}")
    missing = [name for name in DIMENSIONS if name not in weights]
    if missing:
        raise ConfigError(f"weights: expected all five dimensions, missing: {', '.join(missing)}")
    if not all(math.isfinite(value) and value >= 0 for value in weights.values()):
        raise ConfigError(f"weights: expected numbers of 0 or more, got {dict(weights)}")
    total = math.fsum(weights.values())
    if abs(total - 1.0) > _EQUAL:
        raise ConfigError(f"weights: expected a sum of 1, got {total:g}")


def _set(name: str, reason: str, *values: float) -> WeightSet:
    return WeightSet(name=name, version="1", weights=dict(zip(DIMENSIONS, values, strict=True)), reason=reason)


STANDARD: Final = _set("standard", "the published weights", 0.25, 0.25, 0.20, 0.15, 0.15)
TOOL: Final = _set("tool", "a tool more than a companion: less empathy, more initiative", 0.35, 0.10, 0.20, 0.20, 0.15)

WEIGHT_SETS: Final[Mapping[str, WeightSet]] = {found.label: found for found in (STANDARD, TOOL)}
"""The shipped sets by label."""


def weight_set(choice: str | Path | WeightSet | None) -> WeightSet:
    """Return a weight set.

    Args:
        choice: A shipped label (``standard@1``) or name, a JSON file ``{"name", "version", "weights", "reason"}``, a
            set itself, or None for the standard one.

    Raises:
        ConfigError: If the label is unknown or the file is none.
    """
    if choice is None:
        return STANDARD
    if isinstance(choice, WeightSet):
        return choice
    text = str(choice)
    for label, found in WEIGHT_SETS.items():
        if text in (label, found.name):
            return found
    if not text.endswith(".json"):
        raise ConfigError(unknown_name("weight set", text, [*WEIGHT_SETS, "a file ending in .json"]))
    return _read(Path(text))


def _read(path: Path) -> WeightSet:
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: expected a JSON file with a weight set ({error})") from None
    try:
        return WeightSet.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "weight set"
        raise ConfigError(f"{path}, {place}: {first['msg'].removeprefix('Value error, ')}") from None
