"""The engine's log: what is written, who hears of it while it happens, and what is judged when a message is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.registry import make_agent
from supermarket_env.dialogue.acts import AssistantMessage, Goal, Suggestion
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.errors import ConfigError
from supermarket_env.events.episode import Episode, Event
from supermarket_env.events.hooks import Hook
from supermarket_env.events.log import canonical, encode_episode, read_log, validate_episode
from supermarket_env.events.recorder import Recorder
from supermarket_env.metrics import compute, grouped
from supermarket_env.metrics.live import MetricsHook
from supermarket_env.rules import codes
from supermarket_env.rules.place import left_on_shelf, metres_to_open
from supermarket_env.tasks.suites import load_suite, train_task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import World, load_world

AGENTS = ("silent", "retrieval", "rule", "random", "spam", "checkout_pusher", "guide_only")
TASKS = load_suite("dev").tasks


@pytest.fixture(scope="module")
def world() -> World:
    return load_world("embedded", "neighbourhood")


def play(game: Game, name: str, index: int) -> None:
    """Play one dev task with a shipped assistant."""
    assistant = make_agent(name)
    task = TASKS[index]
    view = game.reset(task, seed=1000 + index, labels=EpisodeLabels(agent=name, task_id=task.id, trial=index))
    assistant.start(view)
    while not game.done:
        view = game.step(assistant.reply(view))


def events_of(game: Game, kind: str) -> list[Event]:
    return [event for event in game.events if event["k"] == kind]


def started(world: World, index: int = 0, **options: Any) -> Game:
    game = Game(world, mode="plain", **options)
    game.reset(TASKS[index], seed=index + 5)
    return game


# --- the line --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("track", ["semantic", "text"])
@pytest.mark.parametrize("name", AGENTS)
def test_the_line_is_canonical_and_keeps_the_contract(world: World, name: str, track: str) -> None:
    game = Game(world, track=track)
    for index in range(4):
        play(game, name, index)
        assert game.line() == encode_episode(game.episode())
        assert canonical(game.episode()) == game.episode()
        assert validate_episode(game.episode()).events == game.events, "the writer keeps the reading order"
        assert game.episode()["track"] == track


def test_an_episode_is_told_turn_by_turn(world: World) -> None:
    game = Game(world)
    play(game, "rule", 2)
    turns = game.turn
    for kind, numbers in (
        ("assistant", range(1, turns + 1)),
        ("user", range(turns + 1)),
        ("reward", range(1, turns + 1)),
    ):
        assert [event["turn"] for event in events_of(game, kind)] == list(numbers)
    assert [event["step"] for event in events_of(game, "obs")] == list(range(turns + 1))
    assert [turn["turn"] for turn in game.truth()["turns"]] == list(range(1, turns + 1))
    walked = sum(event.get("path_m", 0.0) for event in events_of(game, "user"))
    assert game.events[-1]["walked_m"] == pytest.approx(walked)
    known = game.truth()
    shown = {p for event in events_of(game, "recommend") for p in event["items"]}
    assert shown | {event["sku"] for event in events_of(game, "cart")} == set(known["violates"])


def test_the_words_can_be_left_out_and_change_nothing_else(world: World) -> None:
    with_words, without = Game(world), Game(world, texts=False)
    for game in (with_words, without):
        play(game, "retrieval", 1)
    assert any(event["text"] for event in events_of(with_words, "user"))
    assert not any(event["text"] for event in events_of(without, "user"))
    wordless = [{**event, "text": ""} if event["k"] == "user" else event for event in with_words.events]
    assert wordless == without.events


def test_the_luck_is_in_the_seed_and_nowhere_else(world: World) -> None:
    lines = []
    game = Game(world)
    for index in (0, 1, 0):
        play(game, "rule", index)
        lines.append(game.line())
    fresh = Game(world, mode="plain")
    play(fresh, "rule", 0)
    assert lines[0] == lines[2] == fresh.line()
    with pytest.raises(ConfigError, match="seed"):
        game.reset(TASKS[0], seed=-1)


# --- hooks -----------------------------------------------------------------------------------------------------------


class Listener(Hook):
    def __init__(self) -> None:
        self.heard: list[Event] = []
        self.shown: list[Event] = []
        self.navigation: list[Event] = []
        self.views: list[Any] = []
        self.episodes: list[Episode] = []

    def on_episode_start(self, view: Any) -> None:
        self.views.append(view)

    def on_step(self, event: Event) -> None:
        self.heard.append(event)

    def on_recommend(self, event: Event) -> None:
        self.shown.append(event)

    def on_navigate(self, event: Event) -> None:
        self.navigation.append(event)

    def on_episode_end(self, episode: Episode) -> None:
        self.episodes.append(episode)


def test_hooks_hear_the_events_of_the_log_in_order(world: World) -> None:
    listener = Listener()
    game = Game(world, hooks=[listener])
    play(game, "rule", 3)
    assert listener.heard == game.events
    assert listener.shown == events_of(game, "recommend")
    wanted = [
        e for e in game.events if e["k"] == "goal" or (e["k"] == "suggest" and e["action"]["type"] in ("move", "look"))
    ]
    assert wanted
    assert listener.navigation == wanted
    assert len(listener.views) == len(listener.episodes) == 1
    assert listener.episodes[0].events == game.events


def test_live_figures_equal_those_of_the_file_to_the_last_bit(world: World, tmp_path: Path) -> None:
    figures = MetricsHook()
    with Recorder(tmp_path / "episodes.jsonl") as recorder:
        game = Game(world, hooks=[figures, recorder])
        for name in ("silent", "rule"):
            for index in range(6):
                play(game, name, index)
    read = read_log(tmp_path / "episodes.jsonl").episodes
    assert len(read) == 12
    assert repr(figures.result()) == repr(compute(read))
    assert repr(figures.result(by=["agent"], intervals=True)) == repr(grouped(read, ["agent"], intervals=True))


def test_without_listeners_no_event_is_passed_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    class OnlyTheEnd(Hook):
        ended = 0

        def on_episode_end(self, episode: Episode) -> None:
            self.ended += 1

    hook = OnlyTheEnd()
    game = Game(world, hooks=[hook])

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("a step was passed on to nobody")

    monkeypatch.setattr(type(game.hooks), "event", never)
    play(game, "retrieval", 0)
    assert hook.ended == 1


# --- what is judged when a message comes -----------------------------------------------------------------------------


def goal_event(game: Game, kind: str, name: str) -> Event:
    game.step(AssistantMessage(act="guide", goal=Goal(kind=kind, id=name)))
    event = events_of(game, "goal")[-1]
    assert event["goal"] == f"{kind}:{name}"
    return event


def test_a_product_goal_is_its_home_section(world: World) -> None:
    store, catalogue = world.store, world.catalogue
    game = started(world)
    p = int(np.flatnonzero((store.home_section >= 0) & (store.endcap_section >= 0))[0])
    node = game.view.node
    event = goal_event(game, "product", catalogue.ids[p])
    assert event["target"] == store.section_ids[store.home_section[p]]
    assert event["product"] == catalogue.ids[p]
    assert event["eligible"] is True
    assert event["d_min"] == store.section_view_moves[node, store.home_section[p]]


def test_a_category_goal_is_the_nearest_section_that_holds_it() -> None:
    hyper = load_world("embedded", "hyper")
    store, task = hyper.store, train_task(0, store="hyper")
    many = [t for t, places in enumerate(store.type_home_sections) if len(places) > 1]
    assert many
    assert list(store.section_ids) == sorted(store.section_ids), "the lower number is the lower id"
    game = Game(hyper, mode="plain")
    for t in many[:10]:
        game.reset(task, seed=t)
        for _ in range(t % 3):
            game.step({})
        node = game.view.node
        metres = {c: min(store.dist_m[node, v] for v in store.section_nodes[c]) for c in store.type_home_sections[t]}
        nearest = min(metres, key=lambda c: (metres[c], store.section_ids[c]))
        assert goal_event(game, "category", hyper.catalogue.types[t].name)["target"] == store.section_ids[nearest]


def test_sections_and_landmarks_are_themselves(world: World) -> None:
    store = world.store
    game = started(world)
    assert goal_event(game, "section", store.section_ids[4])["target"] == store.section_ids[4]
    till = store.checkouts[0]
    node = game.view.node
    event = goal_event(game, "landmark", store.node_ids[till])
    assert (event["target"], event["d_min"]) == (store.node_ids[till], store.moves[node, till])


@pytest.mark.parametrize("kind", ["landmark", "section", "product", "category"])
def test_ordinary_nodes_and_unknown_ids_are_no_eligible_goals(world: World, kind: str) -> None:
    ordinary = next(k for k in range(world.store.n_nodes) if k not in world.store.landmarks)
    name = world.store.node_ids[ordinary] if kind == "landmark" else "nowhere"
    game = started(world)
    event = goal_event(game, kind, name)
    assert event == {"k": "goal", "turn": 1, "goal": f"{kind}:{name}", "target": name, "eligible": False}
    assert [fault["kind"] for fault in events_of(game, "fault")] == ["unknown_goal"]


def test_a_goal_is_relevant_while_it_holds_what_is_wanted(world: World) -> None:
    game = started(world)
    accepted = game.prepared.acceptable[0][0]
    assert goal_event(game, "product", world.catalogue.ids[accepted])["relevant"] is True
    useful = {int(world.store.home_section[p]) for products in game.prepared.acceptable.values() for p in products}
    useful |= {int(world.store.endcap_section[p]) for products in game.prepared.acceptable.values() for p in products}
    other = next(c for c in range(world.store.n_sections) if c not in useful)
    assert goal_event(game, "section", world.store.section_ids[other])["relevant"] is False
    assert goal_event(game, "landmark", world.store.node_ids[world.store.checkouts[0]])["relevant"] is False


def test_suggestions_are_judged_by_the_true_state(world: World) -> None:
    rng = np.random.default_rng(3)
    store, ids = world.store, world.catalogue.ids
    game = started(world, index=1)
    sold_out_seen = 0
    for _ in range(25):
        if game.done:
            break
        s, tables = game.kernel.s, game.kernel.tables
        node = game.view.node
        near = [p for p in range(world.catalogue.n_products) if game.view.is_legal("inspect", ids[p])]
        kind = str(rng.choice(["move", "look", "add", "inspect", "checkout", "remove", "wait", "leave"]))
        arg, qty = "", 1
        if kind == "move":
            to = int(rng.integers(store.n_nodes))
            arg, legal = store.node_ids[to], to in [move.node for move in store.move_targets[node]]
        elif kind == "look":
            c = int(rng.integers(store.n_sections))
            arg, legal = store.section_ids[c], bool(store.visible[node, c])
        elif kind in ("add", "inspect"):
            p = int(rng.choice(near)) if near else int(rng.integers(world.catalogue.n_products))
            qty = int(rng.integers(1, 4)) if kind == "add" else 1
            arg = ids[p]
            left = left_on_shelf(tables, s, p)
            sold_out_seen += left == 0
            legal = p in near and (kind == "inspect" or left >= qty)
        elif kind == "remove":
            arg, legal = ids[0], any(line.product == ids[0] for line in game.view.cart)
        elif kind == "checkout":
            legal = node in store.checkouts and s.n_cart > 0
        else:
            legal = True
        before = metres_to_open(tables, s, node)
        after = metres_to_open(tables, s, game.decoder.nodes[arg]) if kind == "move" else 0.0
        game.step(AssistantMessage(suggest=Suggestion(type=kind, arg=arg, qty=qty)))
        event = events_of(game, "suggest")[-1]
        assert event["legal"] is legal, event
        assert ("progress" in event) == (kind == "move" and legal)
        if "progress" in event:
            assert event["progress"] == pytest.approx(before - after)


def test_what_sold_out_before_the_trip_is_not_told_to_the_assistant(world: World) -> None:
    game = Game(world, mode="plain", user=UserConfig.model_validate({"mechanisms": {"sold_out": 0.5}}))
    view = game.reset(TASKS[0], seed=1)
    ids = world.catalogue.ids
    gone: list[str] = []
    while not gone and not game.done:
        view = game.step({})
        s, tables = game.kernel.s, game.kernel.tables
        gone = [p for n, p in enumerate(ids) if view.is_legal("add", p) and left_on_shelf(tables, s, n) == 0]
    assert gone, "half of the goods are sold out"
    game.step(AssistantMessage(suggest=Suggestion(type="add", arg=gone[0])))
    assert events_of(game, "suggest")[-1]["legal"] is False


FIELDS = ("price", "quality", "brand", "size", "product_type", "place", "unit_price", "allergens", "organic", "vegan")


@pytest.mark.parametrize("field", FIELDS)
def test_claims_of_inform_are_the_catalogue_s_or_counted_as_untrue(world: World, field: str) -> None:
    game = started(world)
    p = int(np.flatnonzero(world.store.home_section >= 0)[7])
    product = world.catalogue.ids[p]
    game.step(AssistantMessage(act="inform", attribute=field, products=(product,)))
    claim = events_of(game, "assistant")[0]["claims"][0]
    assert claim["kind"] == field
    assert claim["product"] == product
    assert claim["true"] is True
    slot = game.decoder.slots[field]
    assert claim["said"] == game.narrator.field_value(slot, game.decoder.opening_value(p, slot))
    wrong: Any = {"price": 999.99, "unit_price": 999.9, "quality": 1.0 if claim["said"] != 1.0 else 5.0}.get(field)
    if wrong is None:
        others: dict[str, Any] = {
            "brand": next(b for b in world.catalogue.brands if b != claim["said"]),
            "size": next(n for n in codes.SIZE_CLASSES[1:] if n != claim["said"]),
            "product_type": next(t.name for t in world.catalogue.types if t.name != claim["said"]),
            "place": next(n for n in world.store.section_ids if n != claim["said"]),
            "allergens": "none" if claim["said"] else "nuts",
        }
        wrong = others.get(field, not claim["said"])
    game.step(AssistantMessage(act="inform", attribute=field, products=(product,), value=wrong))
    assert events_of(game, "assistant")[1]["claims"][0]["true"] is False


# --- the text track --------------------------------------------------------------------------------------------------


def test_on_the_text_track_the_words_are_all_there_is(world: World) -> None:
    game = Game(world, track="text", mode="plain")
    heard = 0
    for index in range(8):
        view = game.reset(TASKS[index], seed=index)
        while not game.done:
            assert view.track == "text"
            assert view.response.act == ""
            assert view.response.facts == ()
            assert view.response.text == events_of(game, "user")[-1]["text"]
            heard += len(view.heard)
            view = game.step({})
    assert heard > 0, "the parser should make something of the words"
    semantic = Game(world, mode="plain")
    view = semantic.reset(TASKS[0], seed=0)
    assert view.response.act == "disclose"
    assert view.response.facts


def test_what_is_heard_on_the_text_track_comes_from_the_words(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(world, track="text", mode="plain")
    game.reset(TASKS[0], seed=0)
    said = [(need.product_type, need.department) for need in game.view.heard]
    assert said
    monkeypatch.setattr(Game, "_words", lambda *_, **__: "Hello there.")
    game.reset(TASKS[0], seed=0)
    assert [(need.product_type, need.department) for need in game.view.heard] != said


# --- failures --------------------------------------------------------------------------------------------------------


def test_a_failure_of_the_machinery_sets_the_episode_aside(world: World) -> None:
    game = started(world)
    game.step({})
    game.infra_error("disk full")
    assert game.done
    assert game.events[-2:] == [
        {"k": "fault", "turn": 1, "who": "infra", "kind": "error", "detail": "disk full"},
        {"k": "end", "reason": "infra_error", "turn": 1},
    ]
    validate_episode(game.episode())
    assert game.line() == encode_episode(game.episode())
    with pytest.raises(RuntimeError, match="over"):
        game.step({})


def test_wrong_arguments_are_refused_with_the_valid_names(world: World) -> None:
    with pytest.raises(ConfigError, match="semantic"):
        Game(world, track="semantics")
    with pytest.raises(ConfigError, match="strikes"):
        Game(world, strikes=0)
    with pytest.raises(RuntimeError, match="reset"):
        Game(world, mode="plain").step({})
