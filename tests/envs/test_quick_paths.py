"""What was made fast says the same as the plain way it replaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.registry import make_agent
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.envs.fork import fork
from supermarket_env.envs.game import Game
from supermarket_env.envs.kernel import RowCopier, copy_row
from supermarket_env.envs.single import SupermarketEnv
from supermarket_env.envs.spaces import Masks, split_observation
from supermarket_env.rules.rows import OUTCOME_DTYPE, STATE_DTYPE, Outcome, State, to_plain
from supermarket_env.rules.twins import numba_available
from supermarket_env.tasks import tour
from supermarket_env.tasks.suites import load_suite
from supermarket_env.world import load_world

needs_numba = pytest.mark.skipif(not numba_available(), reason="numba is not installed or switched off")
TASKS = load_suite("dev").tasks


@pytest.mark.parametrize(("row_class", "dtype"), [(State, STATE_DTYPE), (Outcome, OUTCOME_DTYPE)])
def test_rows_are_read_as_field_by_field(row_class: Any, dtype: Any) -> None:
    rng = np.random.default_rng(1)
    record = np.zeros(1, dtype=dtype)
    for name, kind, length in row_class.spec:
        value = rng.integers(-(2**40), 2**40, length or 1) if kind == "i" else rng.normal(size=length or 1)
        record[name][0] = value if length else value[0]
    copier = RowCopier(row_class)
    quick, slow = row_class(), row_class()
    copier.read(copier.parts(record), quick)
    to_plain(record[0], slow)
    assert quick.__getstate__() == slow.__getstate__()
    assert copy_row(quick).__getstate__() == slow.__getstate__()
    some = frozenset(name for name, _, _ in row_class.spec[5:9])
    few = RowCopier(row_class, some)
    partly = row_class()
    few.read(few.parts(record), partly)
    assert all(getattr(partly, name) == getattr(slow, name) for name in some)


def test_short_walks_are_the_same_by_table_and_by_list(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    for name in ("corner", "neighbourhood"):
        store = load_world("embedded", name).store
        for _ in range(40):
            sections = rng.choice(store.n_sections, int(rng.integers(1, tour.FEW_STOPS + 1)), replace=False)
            stops = [store.section_nodes[c] for c in sections.tolist()]
            quick = tour.shortest_visit(store.dist_m, store.entrance, stops, store.checkouts)
            with monkeypatch.context() as patch:
                patch.setattr(tour, "FEW_STOPS", 0)
                assert tour.shortest_visit(store.dist_m, store.entrance, stops, store.checkouts) == quick


@pytest.mark.parametrize("mode", ["plain", pytest.param("compiled", marks=needs_numba)])
def test_an_observation_is_made_of_the_row_and_the_masks_and_of_new_arrays(mode: str) -> None:
    env = SupermarketEnv(mode=mode)
    masks, store = Masks(env.world.app), env.world.store
    agent = make_agent("rule")
    seen, _ = env.reset(options={"task": env.tasks[3], "seed": 4})
    agent.start(env.game.view)
    kept: list[tuple[dict[str, Any], dict[str, bytes]]] = []
    while not env.game.done:
        for name, part in split_observation(env.game.kernel.observation()).items():
            assert np.array_equal(seen[name], part)
            assert seen[name].flags.writeable
        node = env.game.kernel.node
        mask, anything = masks.at(node)
        assert np.array_equal(np.concatenate([seen[f"mask_{k}"] for k in ("node", "section", "product")]), mask)
        bought = {p for p, q in env.game.bought.items() if q > 0}
        assert set(np.flatnonzero(seen["mask_cart"]).tolist()) == bought
        kind = anything + 2 * bool(bought) + 4 * (node in store.checkouts)
        assert np.array_equal(seen["mask_type"], masks.all_types[kind])
        kept.append((seen, {name: part.tobytes() for name, part in seen.items() if name != "words"}))
        seen = env.step(agent.reply(env.game.view))[0]
    assert all(old[name].tobytes() == raw for old, was in kept for name, raw in was.items())


def view_of(game: Game) -> tuple[Any, ...]:
    view = game.view
    seen = (view.turn, view.turns_left, view.position, view.cart, view.last_action, view.response)
    return (*seen, tuple(view.heard), tuple(view.visible), tuple(view.legal_moves()), list(view.transcript.exchanges))


@needs_numba
@pytest.mark.parametrize("track", ["semantic", "text"])
def test_the_view_is_the_same_over_either_rule_book(track: str) -> None:
    world = load_world("embedded", "neighbourhood")
    games = [Game(world, track=track, mode=mode) for mode in ("plain", "compiled")]
    agents = [make_agent("rule") for _ in games]
    for index in range(4):
        for game, agent in zip(games, agents, strict=True):
            agent.start(game.reset(TASKS[index], seed=index))
        while not games[0].done:
            assert view_of(games[0]) == view_of(games[1])
            for game, agent in zip(games, agents, strict=True):
                game.step(agent.reply(game.view))
        assert games[0].line() == games[1].line()


@pytest.mark.parametrize("mode", ["plain", pytest.param("compiled", marks=needs_numba)])
def test_a_fork_and_its_original_do_not_touch_each_other(mode: str) -> None:
    game = Game(load_world("embedded", "neighbourhood"), mode=mode)
    game.reset(TASKS[5], seed=3)
    for _ in range(5):
        game.step({})
    branch = fork(game)
    kept = game.kernel.s.trust, list(game.events), game.view.heard
    branch.step(AssistantMessage(act="ask", need=1, attribute="brand"))
    assert (game.kernel.s.trust, list(game.events), game.view.heard) == kept
    other = fork(game)
    while not game.done:
        game.step({})
        other.step({})
    assert game.line() == other.line()
    assert branch.turn == 6


def test_equal_actions_share_an_object_that_nobody_changes() -> None:
    game = Game(load_world("embedded", "neighbourhood"), mode="plain")
    game.reset(TASKS[0], seed=1)
    while not game.done:
        game.step({})
    for event in game.events:
        for key in ("action", "would"):
            if key in event:
                action = event[key]
                again = game.narrator._action(*_numbers(game, action))
                assert action == again


def _numbers(game: Game, action: dict[str, Any]) -> tuple[int, int, int]:
    """Return type, parameter and quantity of a logged action as numbers."""
    from supermarket_env.rules import codes

    code = codes.ACTIONS.index(action["type"])
    param = codes.ACTION_PARAM[code]
    arg = game.narrator.args[param].index(action["params"][param]) if param else 0
    return code, arg, action["params"].get("qty", 0)
