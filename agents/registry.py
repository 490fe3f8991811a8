"""The shipped assistants by name, and how one is built.

The table is data: nothing is imported until an assistant is made, so listing them costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple, cast

from supermarket_env.dialogue.view import Assistant
from supermarket_env.errors import ConfigError, unknown_name


class AgentSpec(NamedTuple):
    """One shipped assistant."""

    name: str
    target: str
    """Import path of a class or function that makes it without arguments."""
    privileged: bool
    """Whether it is told the hidden truth by ``start_privileged(view, truth)`` in place of ``start(view)``."""
    description: str
    needs_model: bool = False
    """Whether it plays only with a language model configured (``llm=...``)."""


_HERE: Final = "supermarket_env.agents"

_SPECS: Final = (
    AgentSpec("silent", f"{_HERE}.silent.Silent", False, "says nothing: what users do on their own"),
    AgentSpec("random", f"{_HERE}.random_messages.RandomMessages", False, "any message that looks legal"),
    AgentSpec("spam", f"{_HERE}.spam.Spam", False, "the ten most popular products of the store, every turn"),
    AgentSpec("checkout_pusher", f"{_HERE}.checkout_pusher.CheckoutPusher", False, "wants the user to pay, always"),
    AgentSpec("popularity", f"{_HERE}.popularity.Popularity", False, "the best sellers of the product type said last"),
    AgentSpec("retrieval", f"{_HERE}.retrieval.Retrieval", False, "searches for what the user said, answers where"),
    AgentSpec("rule", f"{_HERE}.rule.Rule", False, "asks, recommends, explains, guides, closes: the strong baseline"),
    AgentSpec("rule_tuned", f"{_HERE}.rule_tuned.rule_tuned", False, "the rule assistant, its thresholds searched"),
    AgentSpec("learned", f"{_HERE}.learned.Learned", False, "the tuned rule with learned judgement of the goods"),
    AgentSpec("ppo", f"{_HERE}.ppo.Ppo", False, "a trained policy over macro actions (docs/training.md)"),
    AgentSpec("oracle", f"{_HERE}.oracle.Oracle", True, "knows the best cart and recommends it need by need"),
    AgentSpec("rule_no_questions", f"{_HERE}.rule_variants.rule_no_questions", False, "the rule assistant, never asks"),
    AgentSpec("pager", f"{_HERE}.rule_variants.pager", False, "never asks, pages through categories ten at a time"),
    AgentSpec("guide_only", f"{_HERE}.rule_variants.guide_only", False, "only shows the way to what was mentioned"),
    AgentSpec("one_item", f"{_HERE}.one_item.OneItem", False, "one list for the first need, then pushes to the till"),
    AgentSpec("always_move", f"{_HERE}.walkers.AlwaysMove", False, "suggests a step every turn, wherever to"),
    AgentSpec("near_goal", f"{_HERE}.walkers.NearGoal", False, "names shelves one step out of view as goals"),
    AgentSpec("repeat_until_yes", f"{_HERE}.repeaters.RepeatUntilYes", False, "repeats its list until a yes"),
    AgentSpec("re_recommender", f"{_HERE}.repeaters.ReRecommender", False, "recommends what is in the cart"),
    AgentSpec("llm", f"{_HERE}.llm.single_shot", False, "a language model, one answer a turn (docs/llm.md)", True),
    AgentSpec("llm_react", f"{_HERE}.llm.react", False, "a language model that looks things up first", True),
    AgentSpec("flatterer", f"{_HERE}.flatterer.Flatterer", False, "praises everything, helps with nothing"),
)

AGENTS: Final[Mapping[str, AgentSpec]] = {spec.name: spec for spec in _SPECS}
"""All shipped assistants, the main ladder first."""

OFFLINE: Final = tuple(name for name, spec in AGENTS.items() if not spec.needs_model)
"""Those that play without a language model."""


def make_agent(entry: str | Mapping[str, Any]) -> Assistant:
    """Build an assistant.

    Args:
        entry: The name of a shipped assistant, or a mapping with ``name``, ``_target_`` (import path of a class or
            function) and its keyword arguments.

    Returns:
        A new assistant, ready for ``start`` (a privileged one for ``start_privileged``).

    Raises:
        ConfigError: If the name is unknown (with the nearest one), the target cannot be imported, or its arguments
            do not fit.
    """
    if isinstance(entry, str):
        entry = {"name": entry}
    given = dict(entry)
    name = str(given.pop("name", ""))
    target = given.pop("_target_", None)
    given.pop("privileged", None)
    if target is None:
        if name not in AGENTS:
            raise ConfigError(unknown_name("assistant", name, AGENTS))
        if given:
            keys = ", ".join(sorted(given))
            raise ConfigError(f"assistant {name!r}: a shipped name takes no arguments, got {keys}; give _target_ too")
        target = AGENTS[name].target
    factory = _resolve(name, str(target))
    try:
        return cast("Assistant", factory(**given))
    except TypeError as error:
        raise ConfigError(f"assistant {name!r} ({target}): {error}") from None


def _resolve(name: str, target: str) -> Any:
    module, _, attribute = target.rpartition(".")
    try:
        factory = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"assistant {name!r}: cannot import {target!r}: {error}") from None
    if not callable(factory):
        raise ConfigError(f"assistant {name!r}: {target!r} is no class or function")
    return factory
