"""Macro actions: numbers for whole messages; masks and memory are functions of the assistant's view."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from supermarket_env.agents.macros import MACROS, N_MACROS, N_MEMORY, MacroPlayer
from supermarket_env.agents.rule import Rule
from supermarket_env.dialogue.acts import SILENT, AssistantMessage
from supermarket_env.errors import ConfigError
from supermarket_env.wrappers import FlatObservation, MacroActions

NUMBER = {name: k for k, name in enumerate(MACROS)}


def make(suite: str = "train", **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("supermarket_env:Supermarket-v0", store="corner", mode="plain", suite=suite, **kwargs)


def plain(value: Any) -> Any:
    """Return an observation, info or reward as something that compares by value."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return (value.shape, value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else value


TRIPS = 6


def game_of(env: Any) -> Any:
    return env.unwrapped.game


def same_but_for_the_goal(ours: AssistantMessage, theirs: AssistantMessage) -> bool:
    """Whether two messages say and suggest the same; the rule assistant names a goal only every few turns."""
    fields = ("act", "need", "attribute", "products", "items", "suggest")
    return all(getattr(ours, name) == getattr(theirs, name) for name in fields) and theirs.goal in (None, ours.goal)


def macro_like(message: AssistantMessage, player: MacroPlayer) -> int:
    """Return the macro that stands for a message of the rule assistant."""
    name = {"inform": "explain", "compare": "explain", "confirm": "explain"}.get(message.act, message.act)
    if message.act == "ask":
        name = f"ask_need_{message.need}" if message.need else "ask_for_more"
    elif message.act == "recommend":
        name = f"recommend_need_{message.need}"
    elif message.act == "guide":
        aim = player._aim()
        return int(aim[1].ordinal) if aim is not None else 0
    elif message.act == "chat":
        return 0
    lead = f"{name}_on_the_way"
    return NUMBER[lead] if player.mask()[NUMBER[lead]] else NUMBER[name]


def test_what_rule_says_can_be_chosen() -> None:
    env = make("dev")
    env.reset(seed=0)
    game = game_of(env)
    equal = turns = 0
    for seed in range(12):
        env.reset(seed=seed)
        rule, player = Rule(), MacroPlayer()
        rule.start(game.view)
        player.start(game.view)
        while not game.done:
            theirs = rule.reply(game.view)
            player.look(game.view)
            macro = macro_like(theirs, player)
            ours = player.message(macro)
            equal += same_but_for_the_goal(ours, theirs.model_copy(update={"text": "", "emotion": ""}))
            turns += 1
            player._memory.last = theirs  # both assistants saw the rule's message
            game.step(theirs)
    assert equal / turns > 0.95, f"{equal} of {turns}"


@pytest.mark.parametrize("track", ["semantic", "text"])
def test_what_the_mask_allows_is_a_message_without_fault(track: str) -> None:
    env = MacroActions(make(track=track))
    rng = np.random.default_rng(1)
    used = set()
    for seed in range(TRIPS):
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            mask = info["action_mask"]
            assert mask.shape == (N_MACROS,)
            assert mask[0] == 1
            assert (env.action_masks() == mask.astype(bool)).all()
            choices = np.flatnonzero(mask)
            fresh = [k for k in choices if k not in used]
            macro = int(rng.choice(fresh or choices))
            used.add(macro)
            _, _, done, _, info = env.step(macro)
            if macro:
                assert game_of(env).last_message is not SILENT
        assert not any(event["k"] == "fault" for event in game_of(env).events)
    assert {"ask", "recommend", "guide"} <= {MACROS[k].split("_")[0] for k in used}


def test_a_masked_macro_says_nothing() -> None:
    env = MacroActions(make())
    _, info = env.reset(seed=2)
    masked = int(np.flatnonzero(info["action_mask"] == 0)[0])
    env.step(masked)
    assert game_of(env).last_message is SILENT


def test_guiding_names_the_place_and_the_first_step() -> None:
    env = MacroActions(make())
    for seed in range(30):
        _, info = env.reset(seed=seed)
        view = game_of(env).view
        need = view.heard[0]
        if need.product_type is None or not info["action_mask"][1]:
            continue
        section = env.player._section(need)
        if view.store.section_moves[view.node, section] == 0:
            continue
        env.step(1)
        message = game_of(env).last_message
        assert message.goal is not None
        assert message.suggest is not None
        assert (message.goal.kind, message.goal.id) == ("category", need.product_type)
        assert message.suggest.type == "move"
        return
    pytest.fail("no trip starts with a far need")


def test_each_speech_comes_alone_and_on_the_way() -> None:
    env = MacroActions(make())
    for macro, has_way in ((NUMBER["ask_for_more"], False), (NUMBER["ask_for_more_on_the_way"], True)):
        _, info = env.reset(seed=3)
        assert info["action_mask"][macro]
        env.step(macro)
        message = game_of(env).last_message
        assert (message.act, message.need, message.attribute) == ("ask", 0, "anything")
        assert (message.suggest is not None) == has_way


def test_lists_are_as_long_as_asked_and_hold_nothing_turned_down() -> None:
    env = MacroActions(make(), list_length=3)
    rng = np.random.default_rng(0)
    lists = 0
    for seed in range(TRIPS):
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            offers = [k for k in np.flatnonzero(info["action_mask"]) if "recommend" in MACROS[k]]
            macro = int(rng.choice(offers)) if offers else 0
            view = game_of(env).view
            refused = {product for need in view.heard for product in need.rejected}
            _, _, done, _, info = env.step(macro)
            items = game_of(env).last_message.items
            lists += bool(items)
            assert len(items) <= 3
            assert not refused & set(items)
    assert lists > TRIPS


def test_words_go_along_when_wanted() -> None:
    env = MacroActions(make(), words=True)
    rng = np.random.default_rng(2)
    for seed in range(TRIPS):
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            macro = int(rng.choice(np.flatnonzero(info["action_mask"])))
            _, _, done, _, info = env.step(macro)
            message = game_of(env).last_message
            assert bool(message.text) == (message is not SILENT)
        assert not any(event["k"] == "fault" for event in game_of(env).events)


def test_an_agent_sees_the_row_that_the_wrappers_give() -> None:
    env = FlatObservation(MacroActions(make()))
    row, info = env.reset(seed=4)
    game = game_of(env)
    player = MacroPlayer()
    player.start(game.view)
    rng = np.random.default_rng(3)
    done = False
    while not done:
        player.look(game.view)
        assert plain(np.concatenate((game.view.relational(), player.features()))) == plain(row)
        assert plain(player.mask()) == plain(info["action_mask"])
        macro = int(rng.choice(np.flatnonzero(info["action_mask"])))
        player.message(macro)
        row, _, done, _, info = env.step(macro)


def test_the_mask_can_stand_in_the_observation() -> None:
    env = MacroActions(make(), mask="observation")
    observation, info = env.reset(seed=1)
    assert plain(observation["action_mask"]) == plain(info["action_mask"])
    assert env.observation_space.contains(observation)
    with_mask, without = (FlatObservation(e).reset(seed=1)[0] for e in (env, MacroActions(make())))
    assert plain(with_mask[:-N_MACROS]) == plain(without)


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ConfigError, match="place of the mask 'infos'"):
        MacroActions(make(), mask="infos")
    with pytest.raises(ConfigError, match=r"list_length must be in 1\.\.10"):
        MacroActions(make(), list_length=11)
    env = MacroActions(make())
    env.reset(seed=0)
    with pytest.raises(ConfigError, match=rf"0\.\.{N_MACROS - 1}"):
        env.step(N_MACROS)
    for action in (None, [1], np.zeros(1, dtype=np.int64), 1.0, True, "1", [[1], [1, 2]]):
        with pytest.raises(ConfigError, match="expected one macro number"):
            env.step(action)
    assert env.game.turn == 0
    env.step(np.array(1))
    with pytest.raises(ConfigError, match="got 'x'"):
        MacroActions(make(), list_length="x")  # type: ignore[arg-type]
    assert env.observation_space["memory"].shape == (N_MEMORY,)  # type: ignore[index]
    assert env.macro_names == MACROS
