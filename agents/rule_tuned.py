"""The rule assistant with thresholds that were searched: what a learner has to beat."""

from __future__ import annotations

import json
from importlib import resources

from supermarket_env.agents.rule import Rule


def rule_tuned() -> Rule:
    """Return the rule assistant with the thresholds ``supermarket train rule`` found (``data/rule_tuned.json``)."""
    file = resources.files("supermarket_env.agents") / "data" / "rule_tuned.json"
    return Rule(json.loads(file.read_text(encoding="utf-8"))["config"], name="rule_tuned")
