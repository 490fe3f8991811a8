"""Logs that are allowed yet odd: slots of any shape, missing optional fields, strange texts. No scorer may stumble."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from supermarket_env.errors import LogError
from supermarket_env.events.log import validate_episode
from supermarket_env.scorers import make_scorer
from supermarket_env.scorers.judge.checks import ratings_of
from supermarket_env.scorers.sheets import score_episode

ODD: list[Any] = [
    None, 0, -1, 3.5, True, "", "x", "é" * 30, "?" * 50, "(1.00 EUR) S001 " * 20, [], {}, [None], [[1]], {"a": 1},
    {"need": "x"}, [{"need": 1, "attribute": None, "value": {}}], ["P00101"], {"products": 3}, {"facts": [3, None]},
    {"need": 1, "facts": [{"need": 1, "attribute": "price_limit", "value": "x"}], "products": [None]},
]  # fmt: skip
FIELDS = ("act", "slots", "text", "claims", "action", "goal", "progress", "relevant", "why", "reveals", "would", "at")


def mutated(data: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the line with a few optional fields replaced or removed."""
    generator = np.random.default_rng(seed)
    made = copy.deepcopy(data)
    events = made["events"]
    for _ in range(12):
        event = events[int(generator.integers(len(events)))]
        field = FIELDS[int(generator.integers(len(FIELDS)))]
        if event["k"] == "suggest" and field == "action":
            continue
        if generator.random() < 0.3:
            event.pop(field, None)
        else:
            event[field] = ODD[int(generator.integers(len(ODD)))]
    if generator.random() < 0.2:
        made["truth"] = ODD[int(generator.integers(len(ODD)))]
    return made


@pytest.mark.parametrize("block", range(4))
def test_odd_fields_are_no_failure(log: Any, block: int) -> None:
    product = log.carried("fresh milk")
    base = log.episode(
        log.user(0, "disclose", "Milk please", **log.wants(1, "fresh milk", price_limit=3.0, allergy=["nuts"])),
        log.says(1, f"I suggest {log.priced(product)}. The shelf with fresh milk: S001.", "recommend", need=1),
        {"k": "recommend", "turn": 1, "items": [product]},
        {"k": "goal", "turn": 1, "target": "S001", "goal": "category:fresh milk"},
        log.user(1, "reject", "No", need=1, products=[product], reason="price"),
        log.says(2, "Which brand do you like?", "ask", need=1, attribute="brand"),
        log.user(2, "ask", "How much?", need=1, attribute="price", products=[product]),
        log.says(3, "It costs 1.00 EUR.", "inform", need=1, attribute="price", products=[product], value=1.0),
        {"k": "suggest", "turn": 3, "action": {"type": "move", "params": {"node": "N002"}}, "progress": 1.0},
        log.user(3, "accept", "Fine", need=1, products=[product]),
        {"k": "cart", "turn": 3, "op": "add", "sku": product, "qty": 1, "price": 1.0, "why": "recommended"},
    )
    scorers = [make_scorer("judge"), make_scorer("virtual_agent")]
    tried = 0
    for seed in range(60 * block, 60 * block + 60):
        try:
            episode = validate_episode(mutated(base.data, seed), "<odd>", seed)
        except LogError:
            continue
        tried += 1
        for scorer in scorers:
            scored = score_episode(scorer, episode)
            assert not scored.failed, (seed, scored.line["values"])
        assert all(rating is None or 1 <= rating <= 5 for rating in ratings_of(scorers[0], episode).values())
    assert tried > 30


def test_a_long_text_is_read_in_linear_time(log: Any) -> None:
    import time

    def seconds(times: int) -> float:
        text = "For The Big Milk And The Small Milk (2 EUR) S001 1 " * times
        episode = log.episode(log.says(1, text), log.user(1))
        started = time.process_time()
        make_scorer("judge").score(episode)
        return time.process_time() - started

    seconds(1)
    assert seconds(400) < 60 * max(seconds(40), 0.002)
