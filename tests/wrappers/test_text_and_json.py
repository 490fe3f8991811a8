"""Text in, JSON out: whatever comes back plays a turn; the schema says what a message is."""

from __future__ import annotations

import json
from typing import Any, get_args

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.agents.rule import Rule
from supermarket_env.dialogue.acts import ActionType, AssistantAct, AssistantMessage, Goal, GoalKind, Suggestion
from supermarket_env.errors import ConfigError, MessageError
from supermarket_env.wrappers import INSTRUCTIONS, TextJson, message_schema, read_message


def make(suite: str = "train", **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("supermarket_env:Supermarket-v0", store="corner", mode="plain", suite=suite, **kwargs)


BROKEN: dict[str, Any] = {
    "": "empty reply",
    "   \n": "empty reply",
    "Sure! Here is my answer.": "not JSON",
    '{"act": "ask"': "not JSON",
    '{"act": "ask"} {"act": "ask"}': "not JSON: Extra data",
    "{'act': 'ask'}": "not JSON",
    "[]": "expected a JSON object, got list",
    "null": "expected a JSON object, got NoneType",
    '"ask"': "expected a JSON object, got str",
    '{"act": "sing"}': "field act",
    '{"need": 99}': "field need",
    '{"need": 1.5}': "field need",
    '{"value": NaN, "act": "inform"}': "NaN is no JSON number",
    '{"need": ' + "9" * 5000 + "}": "not JSON|field need",
    "[" * 15_000: "not JSON",
    "x" * 20_001: "at most 20000 characters",
    '{"items": "P1"}': "field items",
    '{"suggest": {"type": "fly"}}': "field suggest.type",
    '{"goal": {"kind": "section"}}': "field goal.id",
    '{"thoughts": "hm"}': "field thoughts",
}


@pytest.mark.parametrize("reply", BROKEN)
def test_a_broken_reply_is_a_clear_fault(reply: str) -> None:
    env = TextJson(make())
    env.reset(seed=0)
    text, reward, terminated, truncated, info = env.step(reply)
    assert not terminated
    assert not truncated
    assert reward < 0.0
    error = read_message(reply)
    assert isinstance(error, MessageError)
    assert any(part in str(error) for part in BROKEN[reply].split("|")), str(error)
    assert info["fault"].startswith("invalid_message: ")
    assert f"Your last message was faulty: {info['fault']}" in text
    text, *_, info = env.step("{}")
    assert info["fault"] == ""
    assert "faulty" not in text


@pytest.mark.parametrize("reply", [None, 3, b"{}", {"act": "ask"}, object(), ["{}"]])
def test_a_reply_that_is_no_text_is_a_fault_too(reply: Any) -> None:
    env = TextJson(make())
    env.reset(seed=0)
    *_, info = env.step(reply)
    assert "expected text with one JSON object" in info["fault"]


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=60)
    | st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(list(AssistantMessage.model_fields)), inner)
        ),
        max_leaves=12,
    ).map(json.dumps)
)
def test_nothing_that_comes_back_raises(reply: str) -> None:
    assert isinstance(read_message(reply), AssistantMessage | MessageError)


def test_three_faults_in_a_row_end_the_trip() -> None:
    env = TextJson(make())
    env.reset(seed=0)
    env.step("no")
    env.step("no")
    env.step("{}")
    for _ in range(2):
        assert not env.step("no")[2]
    text, reward, terminated, _, info = env.step("no")
    assert terminated
    assert info["reason"] == "assistant_error"
    assert reward == 0.0
    assert text.startswith("The trip is over.")


def test_unknown_ids_in_a_sound_object_are_named_and_the_rest_counts() -> None:
    env: Any = TextJson(make())
    env.reset(seed=0)
    *_, info = env.step('{"act": "ask", "attribute": "anything", "items": ["P-none"]}')
    assert info["fault"].startswith("unknown_product: 'P-none'")
    assert env.unwrapped.game.last_message.act == "ask"


@pytest.mark.parametrize("reply", ['{"act": "greet"}', ' {"act": "greet"}\n', '```json\n{"act": "greet"}\n```'])
def test_space_and_one_code_fence_are_allowed(reply: str) -> None:
    assert read_message(reply) == AssistantMessage(act="greet")


def test_messages_of_an_assistant_survive_the_way_through_json() -> None:
    env: Any = TextJson(make("dev"))
    bare: Any = make("dev")
    env.reset(seed=1)
    bare.reset(seed=1)
    game = bare.unwrapped.game
    rule = Rule()
    rule.start(game.view)
    while not game.done:
        message = rule.reply(game.view)
        game.step(message)
        *_, info = env.step(json.dumps(message.model_dump(mode="json")))
        assert info["fault"] == ""
    assert env.unwrapped.game.line() == game.line()


def test_the_schema_names_every_field_and_choice() -> None:
    schema = message_schema()
    properties = schema["properties"]
    assert set(properties) == set(AssistantMessage.model_fields)
    assert set(properties["suggest"]["properties"]) == set(Suggestion.model_fields)
    assert set(properties["goal"]["properties"]) == set(Goal.model_fields)
    assert properties["act"]["enum"] == list(get_args(AssistantAct))
    assert properties["suggest"]["properties"]["type"]["enum"] == list(get_args(ActionType))
    assert properties["goal"]["properties"]["kind"]["enum"] == list(get_args(GoalKind))
    json.dumps(schema)
    for entry in properties.values():
        assert entry["description"]


def test_choices_of_the_schema_are_accepted() -> None:
    properties = message_schema()["properties"]
    env: Any = TextJson(make())
    for attribute in properties["attribute"]["enum"]:
        env.reset(seed=0)
        *_, info = env.step(json.dumps({"act": "ask", "attribute": attribute}))
        assert info["fault"] == ""


def test_the_text_says_what_the_view_knows() -> None:
    env: Any = TextJson(make(track="semantic"), turns=2)
    text, _ = env.reset(seed=3)
    view = env.view
    need = view.heard[0]
    assert view.response.text in text
    assert view.position in text
    assert str(need.product_type or need.department) in text
    for _ in range(4):
        text, *_ = env.step('{"act": "ask", "attribute": "anything"}')
    assert "  4. you: ask anything" in text
    assert "  2. you:" not in text


def test_the_text_track_gives_no_acts() -> None:
    env: Any = TextJson(make(track="text"))
    text, _ = env.reset(seed=3)
    assert "(disclose" not in text
    assert f'Shopper says: "{env.view.response.text}"' in text


def test_the_instructions_show_messages_that_read_well() -> None:
    found = [part for part in INSTRUCTIONS.replace(" and\n", "\n").splitlines() if '{"act"' in part]
    assert found
    for line in found:
        start = line.index('{"act"')
        end = line.index("}", line.rindex('"')) + 1
        assert isinstance(read_message(line[start:end]), AssistantMessage), line


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"turns must be in 0\.\.50"):
        TextJson(make(), turns=51)
