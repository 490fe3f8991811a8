"""A second, slow reading of the definitions, written apart from the package to check it on random logs."""

from __future__ import annotations

import functools
import math
from typing import Any

Line = dict[str, Any]


def mean(values: list[Any]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None


def kind(line: Line, name: str) -> list[dict[str, Any]]:
    return [e for e in line["events"] if e["k"] == name]


def cart_before(line: Line, turn: float) -> dict[str, int]:
    cart: dict[str, int] = {}
    for e in kind(line, "cart"):
        if e["turn"] >= turn:
            continue
        if e["op"] == "clear":
            cart = {}
        else:
            cart[e["sku"]] = cart.get(e["sku"], 0) + (1 if e["op"] == "add" else -1) * e.get("qty", 1)
    return {p: q for p, q in cart.items() if q > 0}


def reason(line: Line) -> str:
    return str(kind(line, "end")[0]["reason"]).replace("quit", "left")


def bought(line: Line) -> set[str]:
    return set(cart_before(line, math.inf))


def success(line: Line) -> bool:
    return bool(bought(line)) and reason(line) != "assistant_error"


def turns(line: Line) -> int:
    return len({e["turn"] for e in kind(line, "assistant") + kind(line, "user") if e["turn"] >= 1})


def lists(line: Line) -> list[tuple[int, list[str]]]:
    joined: dict[int, list[str]] = {}
    for e in kind(line, "recommend"):
        joined.setdefault(e["turn"], []).extend(e["items"])
    return sorted((t, items) for t, items in joined.items() if items)


def dcg(items: list[str], good: set[str]) -> float:
    return sum(
        1 / math.log2(rank + 2) for rank, item in enumerate(items[:10]) if item in good and item not in items[:rank]
    )


def ndcg(items: list[str], good: set[str]) -> float:
    return dcg(items, good) / sum(1 / math.log2(r + 2) for r in range(min(10, len(good))))


def list_score(line: Line, variant: str) -> float:
    if not success(line):
        return 0.0
    good = bought(line)
    scores = []
    for turn, items in lists(line):
        if variant == "R@5":
            scores.append(len(set(items[:5]) & good) / len(good))
        elif variant == "R@5_capped":
            scores.append(len(set(items[:5]) & good) / min(5, len(good)))
        elif variant == "R@5_dedupe_first":
            scores.append(len(set(list(dict.fromkeys(items))[:5]) & good) / len(good))
        elif variant == "NDCG@10":
            scores.append(ndcg(items, good))
        elif variant == "NDCG@10_dedupe_first":
            scores.append(ndcg(list(dict.fromkeys(items)), good))
        else:
            held = set(cart_before(line, turn))
            left = good - held
            if not left:
                continue
            fresh = [i for i in items if i not in held]
            robust_recall = variant == "R@5_not_already_in_cart"
            scores.append(len(set(fresh[:5]) & left) / len(left) if robust_recall else ndcg(fresh, left))
    return sum(scores) / max(1, len(scores))


def suggestion_events(line: Line) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Return the first suggestion of each turn with the user event that acted in it."""
    result = []
    for turn in sorted({e["turn"] for e in kind(line, "suggest")}):
        first = next(e for e in kind(line, "suggest") if e["turn"] == turn)
        user = next((e for e in kind(line, "user") if e["turn"] == turn and e.get("action")), None)
        result.append((first, user))
    return result


def valid_events(line: Line) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(s, u) for s, u in suggestion_events(line) if s.get("legal", True) and u is not None]


def followed(s: dict[str, Any], u: dict[str, Any]) -> bool:
    return bool(u.get("legal", True)) and s["action"]["type"] == u["action"]["type"]


SCHEMA = {"move": "node", "look": "section"}


def local_events(line: Line) -> tuple[list[tuple[bool, bool]], int]:
    """Return (hit, user action is navigation) of the comparable events, and the number dropped."""
    kept, dropped = [], 0
    for s, u in valid_events(line):
        slot = SCHEMA.get(s["action"]["type"])
        wanted = s["action"].get("params", {}).get(slot)
        if slot is None or wanted is None:
            continue
        done = u["action"].get("params", {}).get(slot)
        if s["action"]["type"] == u["action"]["type"] and done is None:
            dropped += 1
            continue
        kept.append((followed(s, u) and done == wanted, u["action"]["type"] in SCHEMA))
    return kept, dropped


def goals(line: Line) -> tuple[list[tuple[str, int, int]], dict[str, int]]:
    """Return (target, turn, last observed offset) of the first eligible issues not in view, and the exclusions."""
    views = {e["step"]: e["visible"] for e in kind(line, "obs")}
    last = max(views, default=-1)
    out, taken = [], set()
    why = {"unresolvable": 0, "repeated": 0, "already_visible": 0}
    for e in kind(line, "goal"):
        if not e.get("eligible", True):
            why["unresolvable"] += 1
        elif e["target"] in taken:
            why["repeated"] += 1
        else:
            taken.add(e["target"])
            if e["target"] in views.get(e["turn"] - 1, []):
                why["already_visible"] += 1
            else:
                out.append((e["target"], e["turn"], last - (e["turn"] - 1)))
    return out, why


def visible(line: Line, target: str, turn: int, h: float) -> bool:
    return any(target in e["visible"] and 0 <= e["step"] - (turn - 1) <= h for e in kind(line, "obs"))


def cgv(lines: list[Line], h: float) -> float | None:
    return mean([visible(line, t, turn, h) for line in lines for t, turn, _ in goals(line)[0]])


def cgv_complete(lines: list[Line], h: float) -> float | None:
    return mean([visible(line, t, turn, h) for line in lines for t, turn, s in goals(line)[0] if s >= h])


def best_utility(truth: dict[str, Any], cart: dict[str, int]) -> float:
    """Return the best assignment by trying every need for every unit."""
    units = [p for p, q in sorted(cart.items()) for _ in range(q)]
    needs = truth["needs"]

    @functools.cache
    def best(position: int, left: tuple[int, ...]) -> float:
        if position == len(units):
            return 0.0
        product, result = units[position], best(position + 1, left)
        for i, need in enumerate(needs):
            if left[i] and product in truth["acceptable"][need["id"]]:
                gain = need["weight"] / need["qty"] * (truth["utility"][need["id"]][product] - need["outside"])
                rest = tuple(n - (j == i) for j, n in enumerate(left))
                result = max(result, gain + best(position + 1, rest))
        return result

    return best(0, tuple(need["qty"] for need in needs))


def satisfaction(line: Line) -> float | None:
    truth = line.get("truth")
    if truth is None or truth["U_star"] <= 0:
        return None
    if reason(line) not in ("checkout", "patience_checkout"):
        return 0.0
    return best_utility(truth, cart_before(line, math.inf)) / float(truth["U_star"])


def uplift(lines: list[Line]) -> float | None:
    silent = {(ln["task_id"], ln["trial"]): satisfaction(ln) for ln in lines if ln["agent"] == "silent"}
    tasks: dict[str, list[float]] = {}
    for line in lines:
        other = silent.get((line["task_id"], line["trial"]))
        own = satisfaction(line)
        if line["agent"] != "silent" and own is not None and other is not None:
            tasks.setdefault(line["task_id"], []).append(own - other)
    return mean([mean(diffs) for diffs in tasks.values()])
