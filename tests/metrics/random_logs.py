"""Random episode lines for property tests."""

from __future__ import annotations

from typing import Any

import numpy as np

PRODUCTS = [f"p{i}" for i in range(8)]
TARGETS = [f"s{i}" for i in range(5)]
TYPES = ["move", "look", "add", "wait", "checkout"]
REASONS = ["checkout", "patience_checkout", "left", "quit", "patience", "max_turns", "assistant_error", "infra_error"]


def _action(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(TYPES))
    params: dict[str, Any] = {}
    if kind in ("move", "look") and rng.random() < 0.85:
        params["node" if kind == "move" else "section"] = str(rng.choice(["n1", "n2"]))
    if rng.random() < 0.1:
        params["why"] = "because"
    return {"type": kind, "params": params} if rng.random() < 0.9 or params else {"type": kind}


def _assistant_events(rng: np.random.Generator, turn: int) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    if rng.random() < 0.85:
        events.append({"k": "assistant", "turn": turn, "act": "chat", "text": "hello"})
    for _ in range(int(rng.integers(0, 3)) if rng.random() < 0.6 else 0):
        size = int(rng.integers(0, 7))
        events.append({"k": "recommend", "turn": turn, "items": [str(p) for p in rng.choice(PRODUCTS, size)]})
    for _ in range(int(rng.integers(0, 3)) if rng.random() < 0.7 else 0):
        event = {"k": "suggest", "turn": turn, "action": _action(rng)}
        if rng.random() < 0.7:
            event["legal"] = bool(rng.random() < 0.7)
        if rng.random() < 0.5:
            event["progress"] = round(float(rng.normal()), 2)
        events.append(event)
    for _ in range(int(rng.integers(0, 3)) if rng.random() < 0.6 else 0):
        event = {"k": "goal", "turn": turn, "target": str(rng.choice(TARGETS)), "eligible": bool(rng.random() < 0.85)}
        if rng.random() < 0.8:
            event["d_min"] = int(rng.integers(1, 6))
            event["relevant"] = bool(rng.random() < 0.5)
        events.append(event)
    return events


def _user_events(rng: np.random.Generator, turn: int, cart: dict[str, int]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    if rng.random() < 0.85:
        event: dict[str, Any] = {"k": "user", "turn": turn, "text": "fine"}
        if rng.random() < 0.85:
            event["action"] = _action(rng)
        if rng.random() < 0.4:
            event["legal"] = bool(rng.random() < 0.6)
        if rng.random() < 0.5:
            event["would"] = _action(rng)
        events.append(event)
    for _ in range(int(rng.integers(0, 3))):
        op = str(rng.choice(["add", "add", "add", "remove", "clear"], p=[0.3, 0.3, 0.2, 0.15, 0.05]))
        sku = str(rng.choice(PRODUCTS))
        if op == "clear":
            cart.clear()
            events.append({"k": "cart", "turn": turn, "op": "clear"})
        elif op == "add":
            qty = int(rng.integers(1, 3))
            cart[sku] = cart.get(sku, 0) + qty
            events.append({"k": "cart", "turn": turn, "op": "add", "sku": sku, "qty": qty, "price": 1.5})
        elif cart.get(sku, 0):
            cart[sku] -= 1
            events.append({"k": "cart", "turn": turn, "op": "remove", "sku": sku})
    return events


def _truth(rng: np.random.Generator) -> dict[str, Any]:
    needs, acceptable, utility = [], {}, {}
    for index in range(int(rng.integers(1, 4))):
        needs.append({"id": str(index), "qty": int(rng.integers(1, 3)), "weight": 1.0 + index, "outside": 0.2})
        acceptable[str(index)] = [p for p in PRODUCTS if rng.random() < 0.35]
        utility[str(index)] = {p: round(float(rng.uniform(0.1, 1.0)), 3) for p in PRODUCTS}
    return {
        "budget": 5.0,
        "needs": needs,
        "acceptable": acceptable,
        "utility": utility,
        "U_star": round(float(rng.uniform(-0.2, 2.0)), 3),
        "tour_m": 50.0,
        "violates": {p: ["nuts"] for p in PRODUCTS if rng.random() < 0.1},
    }


def random_line(seed: int, agent: str = "rule", task: int = 0, trial: int = 0) -> dict[str, Any]:
    """Return one valid episode line in time order."""
    rng = np.random.default_rng([seed, task, trial, len(agent)])
    events: list[dict[str, Any]] = []
    cart: dict[str, int] = {}
    turns = int(rng.integers(0, 7))
    for turn in range(turns + 1):
        if turn and rng.random() < 0.95:
            events += _assistant_events(rng, turn)
        if turn:
            events += _user_events(rng, turn, cart)
        elif rng.random() < 0.8:
            events.append({"k": "user", "turn": 0, "text": "hello"})
        if rng.random() < 0.85:
            seen = [t for t in TARGETS if rng.random() < 0.2]
            events.append({"k": "obs", "step": turn, "visible": seen})
    # The obs of turn 0 comes first in time.
    events.sort(key=lambda event: not (event["k"] == "obs" and event["step"] == 0))
    for _ in range(int(rng.integers(0, 3))):
        score = [1, 2, 3, 4, 5, 0, 6, 3.5, None][int(rng.integers(0, 9))]
        events.append({"k": "judge", "judge": str(rng.choice(["a", "b"])), "dim": "naturalness", "score": score})
    events.append({"k": "end", "reason": str(rng.choice(REASONS)), "walked_m": float(rng.integers(10, 99))})
    line: dict[str, Any] = {
        "schema": "supermarket.episode/1",
        "episode_id": f"{agent}|u|s|{task}|{trial}",
        "agent": agent,
        "user": "u",
        "store": "s",
        "task_id": str(task),
        "trial": trial,
        "stratum": ["quick", "fill_in"][task % 2],
        "events": events,
    }
    if rng.random() < 0.8:
        line["truth"] = _truth(rng)
    return line


def random_lines(seed: int, tasks: int = 4, agents: tuple[str, ...] = ("rule", "silent")) -> list[dict[str, Any]]:
    """Return lines of several agents on the same tasks."""
    trials = 1 + seed % 2
    return [random_line(seed, agent, t, trial) for agent in agents for t in range(tasks) for trial in range(trials)]
