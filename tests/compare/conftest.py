"""Rows of made-up assistants, and a pair of runs played in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from supermarket_env.compare.sides import Run, Side
from supermarket_env.metrics.aggregate import rows_of

MANIFEST: dict[str, Any] = {
    "agents": ["silent", "a", "b"], "privileged": [], "reference": "silent", "catalogues": {"c": "1"},
    "stores": {"s": "2"}, "suite": {"name": "dev", "hash": "3"}, "track": "semantic", "rules": "4",
    "user": {"name": "u", "version": "1", "hash": "5"}, "metric_definition": "1",
    "config": {"seed": 0, "limits": {"max_turns": None, "strikes": 3}},
}  # fmt: skip


def episode_line(agent: str, task: int, trial: int, value: float, stratum: str = "quick") -> dict[str, Any]:
    """Return a trip whose need satisfaction is ``value`` in [0, 1]; 1 is everything that was wanted."""
    need = {"qty": 1, "weight": 1.0, "outside": 0.0, "attributes": ["type"]}
    truth = {
        "U_star": 1.0, "utility": {"0": {"p": value}, "1": {"q": 0.0}}, "acceptable": {"0": ["p"], "1": ["q"]},
        "violates": {}, "needs": [{"id": "0", **need}, {"id": "1", **need}],
    }  # fmt: skip
    events: list[dict[str, Any]] = [{"k": "user", "turn": 1, "act": "chat", "text": ""}]
    events += [
        {"k": "cart", "turn": 1, "op": "add", "sku": sku, "price": 1.0}
        for sku in ("p", "q")[: (value > 0) + (value == 1)]
    ]
    events.append({"k": "end", "reason": "checkout" if value else "left"})
    return {
        "schema": "supermarket.episode/1", "episode_id": f"{agent}|u|s|t{task:03}|{trial}", "agent": agent, "user": "u",
        "store": "s", "task_id": f"t{task:03}", "trial": trial, "stratum": stratum, "events": events, "truth": truth,
    }  # fmt: skip


Make = Callable[..., Run]


@pytest.fixture
def make_run(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Return a maker of runs from values: ``{agent: [[value of each trial] of each task]}``."""

    def make(values: dict[str, Sequence[Sequence[float]]], **changes: Any) -> Run:
        lines = [
            episode_line(agent, task, trial, value)
            for agent, tasks in values.items()
            for task, trials in enumerate(tasks)
            for trial, value in enumerate(trials)
        ]
        manifest = {**MANIFEST, "agents": list(values), "n_episodes": len(lines), **changes}
        return Run(tmp_path_factory.mktemp("run"), manifest, tuple(rows_of(lines)))

    return make


@pytest.fixture
def sides(make_run: Make) -> Callable[..., list[Side]]:
    """Return a maker of the two sides a and b of one run."""

    def make(a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]) -> list[Side]:
        run = make_run({"silent": [[0.0] * len(trials) for trials in a], "a": a, "b": b})
        return [Side(run, "a"), Side(run, "b")]

    return make
