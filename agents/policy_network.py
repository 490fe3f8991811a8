"""A trained policy over macro actions, played with NumPy alone: no training library is needed to run it.

The network treats all needs alike: one small network scores the macros of every mentioned need from its own features,
a second one the macros that belong to no need, from a summary of all needs. So what it learns about one need holds for
all of them, however many there are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.agents.macros import MACROS
from supermarket_env.agents.weights import read_weights
from supermarket_env.errors import ConfigError

SCHEMA: Final = "supermarket.policy/1"
INDEX_ARRAYS: Final = ("need_at", "trip_at", "need_macros", "trip_macros", "hidden", "forbidden")
"""Where the features of each need and of the trip stand in an observation, which macros the heads score, which entries
of the observation the policy never sees (they read 0), and which macros it may not choose."""
LAYERS: Final = ("need", "need_trip", "deeper", "summary", "need_head", "need_head_summary", "trip_head")

Floats = NDArray[np.floating[Any]]


class PolicyNetwork:
    """The numbers of a trained policy.

    Args:
        arrays: The index arrays, and per layer ``<layer>.w`` (out, in) and ``<layer>.b`` (out,).
        meta: ``thresholds`` (those of the rule assistant behind the macros) and whatever tells where it came from.

    Raises:
        ConfigError: An array is missing, or the policy was trained for other macros.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> None:
        wanted = [*INDEX_ARRAYS, *(f"{layer}.{part}" for layer in LAYERS for part in "wb")]
        missing = [name for name in wanted if name not in arrays]
        if missing:
            raise ConfigError(f"policy: arrays missing: {', '.join(missing)}")
        if tuple(meta.get("macros", ())) != MACROS:
            raise ConfigError("policy: it was trained for other macro actions than this version has; train it again")
        self.meta = dict(meta)
        self.arrays = {name: np.asarray(arrays[name]) for name in wanted}
        self._w = {name: self.arrays[f"{name}.w"].T for name in LAYERS}
        self._b = {name: self.arrays[f"{name}.b"] for name in LAYERS}
        self._hidden = self.arrays["hidden"]
        self._forbidden = self.arrays["forbidden"]

    @property
    def thresholds(self) -> dict[str, Any]:
        """Configuration of the rule assistant's parts behind the macros."""
        return dict(self.meta.get("thresholds") or {})

    def see(self, observation: Floats, mask: NDArray[Any]) -> tuple[Floats, NDArray[np.bool_]]:
        """Return copies of an observation (..., n) and mask (..., N_MACROS) as the policy is allowed to see them."""
        x, allowed = np.array(observation, dtype=np.float32), np.array(mask, dtype=np.bool_)
        x[..., self._hidden] = 0.0
        allowed[..., self._forbidden] = False
        return x, allowed

    def logits(self, x: Floats) -> NDArray[np.float32]:
        """Return the scores of all macros, (N_MACROS,), for one observation (n,) that :meth:`see` gave."""
        a, w, b = self.arrays, self._w, self._b
        trip = x[a["trip_at"]]
        needs = np.tanh(x[a["need_at"]] @ w["need"] + b["need"] + (trip @ w["need_trip"] + b["need_trip"]))
        needs = np.tanh(needs @ w["deeper"] + b["deeper"])
        summary = np.concatenate((trip, needs.max(axis=0), needs.mean(axis=0)))
        summary = np.tanh(summary @ w["summary"] + b["summary"])
        scores = np.empty(len(MACROS), dtype=np.float32)
        of_needs = needs @ w["need_head"] + b["need_head"]
        of_needs = of_needs + (summary @ w["need_head_summary"] + b["need_head_summary"])
        scores[a["need_macros"]] = of_needs
        scores[a["trip_macros"]] = summary @ w["trip_head"] + b["trip_head"]
        return scores

    def probabilities(
        self, observation: Floats, mask: NDArray[Any], *, temperature: float = 1.0
    ) -> NDArray[np.float64]:
        """Return the probabilities of all macros, (N_MACROS,), 0 where masked; they sum to 1.

        Args:
            observation: (n,) as ``FlatObservation`` over ``MacroActions`` gives it.
            mask: (N_MACROS,) which macros make sense.
            temperature: > 0; the lower, the greedier.
        """
        x, allowed = self.see(observation, mask)
        scores = np.where(allowed, self.logits(x).astype(np.float64) / temperature, -np.inf)
        shares = np.exp(scores - scores.max())
        return np.asarray(shares / shares.sum(), dtype=np.float64)

    def choose(self, observation: Floats, mask: NDArray[Any]) -> int:
        """Return the macro with the highest score, the lowest number among equals."""
        x, allowed = self.see(observation, mask)
        return int(np.argmax(np.where(allowed, self.logits(x), -np.inf)))

    def save(self, path: Path | str) -> None:
        """Write the policy as a NumPy archive."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"schema": SCHEMA, **self.meta}, sort_keys=True)
        arrays: dict[str, Any] = {**self.arrays, "meta": np.frombuffer(text.encode(), dtype=np.uint8)}
        np.savez_compressed(target, **arrays)

    @classmethod
    def load(cls, path: Path | str) -> PolicyNetwork:
        """Read a policy.

        Raises:
            ConfigError: There is no such file, or it is no policy of this version.
        """
        return cls(*read_weights(path, what="policy", file="policy.npz", schema=SCHEMA))
