"""Every shipped stack of wrappers is a well-behaved environment; wrong orders say what the right one is."""

from __future__ import annotations

import itertools
import pickle
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.errors import ConfigError
from supermarket_env.wrappers import (
    ORDER,
    STACKS,
    CandidateRanking,
    FlatObservation,
    History,
    MacroActions,
    PotentialShaping,
    TextJson,
    layers,
    wrap,
)


def make(suite: str = "train", **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("supermarket_env:Supermarket-v0", store="corner", mode="plain", suite=suite, **kwargs)


def wrapped(stack: str, **kwargs: Any) -> gym.Env[Any, Any]:
    return wrap(make(**kwargs), stack)


def plain(value: Any) -> Any:
    """Return an observation, info or reward as something that compares by value."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return (value.shape, value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else value


def digest(env: gym.Env[Any, Any], turns: int) -> list[Any]:
    """Play actions sampled by the env's own action space; a finished episode is followed by an unseeded reset."""
    seen: list[Any] = []
    for _ in range(turns):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        seen.append((plain(observation), reward, terminated, truncated, plain(info)))
        if terminated:
            seen.append(plain(env.reset()[0]))
    return seen


BY_NAME = pytest.mark.parametrize("stack", STACKS)


TRACKS = [(stack, "semantic") for stack in STACKS] + [(stack, "text") for stack in ("macro_flat", "ranking", "text")]


@pytest.mark.parametrize(("stack", "track"), TRACKS)
def test_the_environment_checker_has_nothing_to_say(stack: str, track: str) -> None:
    env = wrapped(stack, track=track, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The checker advises against checking wrapped environments; here the wrappers are what is checked.
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
        check_env(env)


@BY_NAME
def test_observations_stay_in_their_space_and_equal_seeds_give_equal_bytes(stack: str) -> None:
    one, two = wrapped(stack), wrapped(stack)
    for env in (one, two):
        env.action_space.seed(4)
        assert env.observation_space.contains(env.reset(seed=8)[0])
    for _ in range(40):
        action = one.action_space.sample()
        observation, _, terminated, _, _ = one.step(action)
        assert one.observation_space.contains(observation)
        assert plain(two.step(action)[0]) == plain(observation)
        if terminated:
            one.reset(seed=9)
            two.reset(seed=9)


@BY_NAME
def test_a_pickled_stack_goes_on_with_the_same_bytes(stack: str) -> None:
    env = wrapped(stack)
    env.action_space.seed(1)
    env.reset(seed=2)
    digest(env, 3)
    copy = pickle.loads(pickle.dumps(env))
    assert digest(copy, 25) == digest(env, 25)


@BY_NAME
def test_the_specification_makes_the_same_stack_again(stack: str) -> None:
    env = wrapped(stack)
    assert env.spec is not None
    again = gym.make(env.spec)
    assert layers(again) == layers(env) == tuple(layer.__name__ for layer in STACKS[stack])
    assert plain(again.reset(seed=5)[0]) == plain(env.reset(seed=5)[0])


def said_and_done(env: Any) -> tuple[Any, ...]:
    """What the user let be seen and heard last."""
    event = next(event for event in reversed(env.unwrapped.game.events) if event["k"] == "user")
    return event["act"], str(event["slots"]), event["text"], str(event.get("action"))


@pytest.mark.parametrize("kind", ["taste", "budget", "importance"])
@pytest.mark.parametrize("stack", ["history_macro_flat", "ranking_flat", "text"])
def test_nothing_hidden_shows_while_the_user_acts_alike(stack: str, kind: str) -> None:
    """Two users with different secrets get the same actions, until what they say or do differs."""
    pair = [wrapped(stack, suite="dev", max_turns=30) for _ in range(2)]
    pair[0].action_space.seed(3)
    compared = 0
    for number, task in enumerate(pair[0].unwrapped.tasks[:8]):  # type: ignore[attr-defined]
        needs = tuple(need.model_copy(update={"weight": 2.0 * need.weight}) for need in task.needs)
        update = {"taste": {"seed": task.seed ^ 0x5A5A}, "budget": {"budget_cents": task.budget_cents + 2000}}
        other = task.model_copy(update=update.get(kind, {"needs": needs}))
        assert other != task
        shown = [env.reset(options={"task": t, "seed": number}) for env, t in zip(pair, (task, other), strict=True)]
        done = False
        while not done and said_and_done(pair[0]) == said_and_done(pair[1]):
            assert [plain(part) for part in shown[0]] == [plain(part) for part in shown[1]]
            compared += 1
            action = pair[0].action_space.sample()
            if stack == "text":
                action = '{"act": "ask", "attribute": "anything"}'
            steps = [env.step(action) for env in pair]
            shown = [(step[0], step[4]) for step in steps]
            done = any(step[2] for step in steps)
    assert compared > 16


@pytest.mark.parametrize("stack", ["macro_flat", "history_macro_flat", "ranking", "text"])
def test_sync_vector_environments_play_what_single_ones_play(stack: str) -> None:
    venv = _vector(stack, "sync")
    single = [wrapped(stack) for _ in range(2)]
    batch, _ = venv.reset(seed=3)
    alone = [env.reset(seed=3 + k)[0] for k, env in enumerate(single)]
    venv.action_space.seed(0)
    for _ in range(6):
        for k in range(2):
            assert plain(_row(batch, k)) == plain(alone[k])
        actions = venv.action_space.sample()
        batch, rewards, ends, _, _ = venv.step(actions)
        outcomes = [env.step(_action(actions, k)) for k, env in enumerate(single)]
        assert rewards.tolist() == [outcome[1] for outcome in outcomes]
        if ends.any():
            break
        alone = [outcome[0] for outcome in outcomes]
    venv.close()


@pytest.mark.parametrize("stack", ["macro_flat", "text"])
def test_async_vector_environments_play_what_sync_ones_play(stack: str) -> None:
    results: list[Any] = []
    for mode in ("sync", "async"):
        venv = _vector(stack, mode)
        seen = [plain(_row(venv.reset(seed=3)[0], k)) for k in range(2)]
        venv.action_space.seed(0)
        for _ in range(3):
            batch, rewards, *_ = venv.step(venv.action_space.sample())
            seen += [rewards.tolist(), *(plain(_row(batch, k)) for k in range(2))]
        results.append(seen)
        venv.close()
    assert results[0] == results[1]


def test_masks_of_a_vector_environment_are_one_call_away() -> None:
    venv = _vector("macro_flat", "sync")
    _, info = venv.reset(seed=1)
    assert np.stack(venv.call("action_masks")).shape == info["action_mask"].shape  # type: ignore[attr-defined]
    venv.close()


def _vector(stack: str, mode: str) -> gym.vector.VectorEnv[Any, Any, Any]:
    # Gymnasium reads text from shared memory once, when the environment is made; without it texts arrive.
    shared = {"vector_kwargs": {"shared_memory": False}} if (stack, mode) == ("text", "async") else {}
    return gym.make_vec(
        "supermarket_env:Supermarket-v0",
        num_envs=2,
        vectorization_mode=mode,
        wrappers=list(STACKS[stack]),
        store="corner",
        mode="plain",
        suite="train",
        **shared,
    )


def _row(batch: Any, k: int) -> Any:
    if isinstance(batch, dict):
        return {name: _row(values, k) for name, values in batch.items()}
    return batch[k]


def _action(actions: Any, k: int) -> Any:
    return actions[k]


# --- orders ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "match"),
    [
        ((MacroActions, CandidateRanking), "CandidateRanking cannot lie over MacroActions: it makes the messages"),
        ((CandidateRanking, MacroActions), "MacroActions cannot lie over CandidateRanking"),
        ((TextJson, MacroActions), "MacroActions cannot lie over TextJson"),
        ((TextJson, FlatObservation), "TextJson takes no FlatObservation"),
        ((FlatObservation, TextJson), "the text takes the place of the numbers"),
        ((TextJson, History), r"see TextJson\(env, turns=...\)"),
        ((MacroActions, FlatObservation, MacroActions), "MacroActions is already below"),
        ((FlatObservation, FlatObservation), "already below"),
    ],
)
def test_a_wrong_order_says_which_one_is_right(order: tuple[Any, ...], match: str) -> None:
    env: Any = make()
    for layer in order[:-1]:
        env = layer(env)
    with pytest.raises(ConfigError, match=match) as caught:
        order[-1](env)
    assert "already" in match or ORDER in str(caught.value)


LAYERS: tuple[Any, ...] = (PotentialShaping, History, MacroActions, CandidateRanking, TextJson, FlatObservation)


def means_something(order: tuple[Any, ...]) -> bool:
    """One wrapper makes the messages at most, none comes twice, and nothing adds numbers to a text."""
    makers = {MacroActions, CandidateRanking, TextJson}.intersection(order)
    return len(makers) <= 1 and len(set(order)) == len(order) and (TextJson not in makers or {*order} <= OVER_TEXT)


OVER_TEXT = {TextJson, PotentialShaping}


def every_order() -> Iterator[tuple[Any, ...]]:
    """All orders of all sets of wrappers, and all pairs of a wrapper with itself."""
    for n in range(1, len(LAYERS) + 1):
        yield from itertools.permutations(LAYERS, n)
    yield from ((layer, layer) for layer in LAYERS)


def stacked(order: tuple[Any, ...], env: Any) -> Any:
    for layer in order:
        env = layer(env)
    return env


def test_every_order_that_means_something_passes_the_environment_checker() -> None:
    sensible = [order for order in every_order() if means_something(order)]
    assert len(sensible) == 116
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
        for order in sensible:
            check_env(stacked(order, make()))


def test_every_other_order_is_refused_with_the_reason_and_the_right_one() -> None:
    env, refused = make(), 0
    for order in every_order():
        if means_something(order) or not means_something(order[:-1]):
            continue
        below = stacked(order[:-1], env)
        with pytest.raises(ConfigError) as caught:
            order[-1](below)
        said = str(caught.value)
        assert order[-1].__name__ in said
        assert "already below" in said or ORDER in said
        refused += 1
    assert refused > 200


def test_features_may_be_added_to_a_flat_row_too() -> None:
    inside = wrap(make(), "macro_flat")
    outside = MacroActions(FlatObservation(make()))
    assert outside.observation_space == inside.observation_space
    for env in (inside, outside):
        env.action_space.seed(6)
    assert plain(inside.reset(seed=6)[0]) == plain(outside.reset(seed=6)[0])
    assert digest(inside, 10) == digest(outside, 10)
    assert (
        History(FlatObservation(make())).observation_space.shape
        == FlatObservation(History(make())).observation_space.shape
    )


def test_shaping_may_lie_anywhere() -> None:
    outer = PotentialShaping(wrap(make(), "macro_flat"))
    inner = wrap(make(), "shaped_macro_flat")
    for env in (inner, outer):
        env.action_space.seed(7)
        env.reset(seed=7)
    assert digest(inner, 60) == digest(outer, 60)


@pytest.mark.parametrize(
    "wrapper", [MacroActions, CandidateRanking, TextJson, FlatObservation, History, PotentialShaping]
)
@pytest.mark.parametrize("below", [False, True], ids=["nothing reset", "reset below"])
def test_a_step_before_the_first_reset_is_refused(wrapper: Any, below: bool) -> None:
    game = SupermarketEnv(store="corner", mode="plain", suite="train")
    if below:
        game.reset(seed=1)
    env = wrapper(game)
    with pytest.raises(ResetNeeded, match=f"{wrapper.__name__} was never reset"):
        env.step(env.action_space.sample())
    if below:
        assert game.game.turn == 0
    env.reset(seed=1)
    env.step(env.action_space.sample())
    assert game.game.turn == 1


def test_other_environments_and_unknown_stacks_are_refused() -> None:
    with pytest.raises(ConfigError, match="wraps Supermarket-v0"):
        FlatObservation(gym.make("CartPole-v1"))
    with pytest.raises(ConfigError, match="Did you mean 'macro_flat'"):
        wrap(make(), "macro_flt")


def test_the_examples_of_the_page_run() -> None:
    page = (Path(__file__).parents[2] / "docs" / "wrappers.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        exec(compile(block, "docs/wrappers.md", "exec"), {})
