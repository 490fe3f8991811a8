"""The rule assistant with parts of it switched off: what each part is worth."""

from __future__ import annotations

from supermarket_env.agents.rule import Rule
from supermarket_env.agents.rule_config import RuleConfig


def rule_no_questions() -> Rule:
    """Return the rule assistant that never asks anything."""
    return Rule(RuleConfig(ask=False), name="rule_no_questions")


def pager() -> Rule:
    """Return an assistant that never asks and pages through whole categories, ten products a turn, and guides."""
    return Rule(RuleConfig(ask=False, paging=True, list_length=10, lists_per_need=50), name="pager")


def guide_only() -> Rule:
    """Return an assistant that neither asks nor recommends: it shows the way to what was mentioned."""
    return Rule(RuleConfig(ask=False, recommend=False, explain=False), name="guide_only")
