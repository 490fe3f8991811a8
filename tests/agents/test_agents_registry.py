"""The table of shipped assistants and how one is built from it."""

from __future__ import annotations

import pytest

from supermarket_env.agents.registry import AGENTS, make_agent
from supermarket_env.agents.rule import Rule
from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.errors import ConfigError


@pytest.mark.parametrize("name", AGENTS)
def test_every_shipped_assistant_can_be_built_and_carries_its_name(name: str) -> None:
    assistant = make_agent(name)
    assert assistant.name == name
    assert callable(assistant.reply)
    assert callable(assistant.start)
    assert callable(getattr(assistant, "start_privileged", None)) is AGENTS[name].privileged
    assert AGENTS[name].description
    assert AGENTS[name].name == name


def test_only_the_oracle_is_told_the_truth() -> None:
    assert [name for name, spec in AGENTS.items() if spec.privileged] == ["oracle"]


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"unknown assistant 'retreival'.*Did you mean 'retrieval'"):
        make_agent("retreival")


def test_a_mapping_builds_an_own_configuration() -> None:
    entry = {
        "name": "rule3",
        "_target_": "supermarket_env.agents.rule.Rule",
        "config": {"list_length": 3, "weights": {"price": 0.5}},
    }
    assistant = make_agent(entry)
    assert isinstance(assistant, Rule)
    assert assistant.config.list_length == 3
    assert assistant.config.weights.price == 0.5
    assert assistant.config.questions == RuleConfig().questions


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"name": "rule", "config": {}}, "takes no arguments"),
        ({"name": "x", "_target_": "supermarket_env.agents.rule.Ruler"}, "cannot import"),
        ({"name": "x", "_target_": "nothing_of_the_kind.Agent"}, "cannot import"),
        ({"name": "x", "_target_": "rule"}, "cannot import"),
        ({"name": "x", "_target_": "supermarket_env.agents.retrieval.SILENT"}, "no class or function"),
        ({"name": "x", "_target_": "supermarket_env.agents.spam.Spam", "speed": 3}, "speed"),
        ({"name": "x", "_target_": "supermarket_env.agents.retrieval.Retrieval", "list_length": 11}, "list_length"),
        ({"name": "x", "_target_": "supermarket_env.agents.rule.Rule", "config": {"list_lenght": 3}}, "'list_length'"),
        ({"name": "x", "_target_": "supermarket_env.agents.rule.Rule", "config": {"list_length": 0}}, "list_length"),
        (
            {"name": "x", "_target_": "supermarket_env.agents.rule.Rule", "config": {"weights": {"prize": 1}}},
            "weights.prize.*'price'",
        ),
    ],
)
def test_what_cannot_be_built_is_refused_with_its_reason(entry: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_agent(entry)
