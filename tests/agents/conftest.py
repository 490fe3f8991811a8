"""Worlds, games and a hand-driven view for the tests of the shipped assistants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from supermarket_env.agents.registry import AGENTS, make_agent
from supermarket_env.catalogue import Catalogue
from supermarket_env.dialogue.acts import AssistantMessage, Exchange, Transcript, UserResponse
from supermarket_env.dialogue.view import CartLine, HeardNeed
from supermarket_env.envs.game import Game
from supermarket_env.store import Store
from supermarket_env.tasks.suites import load_suite
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import World, load_world


@cache
def world_of(store: str) -> World:
    return load_world("embedded", store)


@cache
def game_of(store: str, track: str = "semantic") -> Game:
    return Game(world_of(store), track=track, user=UserConfig())


@cache
def tasks_of(store: str, count: int) -> tuple[Any, ...]:
    return load_suite("dev", store=None if store == "neighbourhood" else store).tasks[:count]


def heard_need(ordinal: int, **known: Any) -> HeardNeed:
    """Return a need of which only ``known`` was said."""
    blank: dict[str, Any] = {
        "product_type": None,
        "department": None,
        "wanted": frozenset(),
        "unwanted": frozenset(),
        "brand": None,
        "size": None,
        "quantity": None,
        "price_limit": None,
        "diet": frozenset(),
        "allergy": frozenset(),
        "no_preference": frozenset(),
        "questions": 0,
        "accepted": None,
        "rejected": (),
        "shown": 0,
        "bought": 0,
        "closed": False,
    }
    return HeardNeed(ordinal=ordinal, **(blank | known))


@dataclass
class HandView:
    """A view whose every field the test sets."""

    catalogue: Catalogue
    store: Store
    turn: int = 1
    turns_left: int = 40
    track: str = "semantic"
    agent_seed: int = 7
    response: UserResponse = field(default_factory=lambda: UserResponse("chat"))
    heard: tuple[HeardNeed, ...] = ()
    node: int = 0
    cart: tuple[CartLine, ...] = ()
    last_action: tuple[str, str] = ("", "")
    transcript: Transcript = field(default_factory=lambda: Transcript(UserResponse("chat")))

    @property
    def position(self) -> str:
        return self.store.node_ids[self.node]

    @property
    def visible(self) -> tuple[str, ...]:
        return tuple(s for k, s in enumerate(self.store.section_ids) if self.store.visible[self.node, k])

    def is_legal(self, action: str, arg: str = "") -> bool:
        if action in ("add", "inspect"):
            if arg not in self.catalogue.by_id:
                return False
            number = self.catalogue.number(arg)
            return any(bool(self.store.reach[self.node, s]) for s in self.store.product_sections(number))
        if action == "remove":
            return any(line.product == arg for line in self.cart)
        return action != "checkout" or (self.node in self.store.checkouts and bool(self.cart))

    def legal_moves(self) -> tuple[str, ...]:
        return tuple(self.store.node_ids[move.node] for move in self.store.move_targets[self.node])


@pytest.fixture
def view() -> HandView:
    world = world_of("neighbourhood")
    return HandView(world.catalogue, world.store, node=world.store.entrance)


@dataclass(frozen=True)
class Trip:
    """One played episode: its log line and, turn by turn, what was said."""

    line: dict[str, Any]
    exchanges: tuple[Exchange, ...]
    heard: tuple[tuple[HeardNeed, ...], ...]
    """What the assistant had heard before each of its messages."""

    @property
    def messages(self) -> list[AssistantMessage]:
        return [exchange.message for exchange in self.exchanges]

    @property
    def faults(self) -> list[dict[str, Any]]:
        return [event for event in self.line["events"] if event["k"] == "fault"]


def play(assistant: Any, store: str, task: Any, *, seed: int = 11, track: str = "semantic") -> Trip:
    """Play one episode."""
    game = game_of(store, track)
    view = game.reset(task, seed=seed)
    spec = AGENTS.get(assistant.name)
    if spec is not None and spec.privileged:
        assistant.start_privileged(view, game.truth())
    else:
        assistant.start(view)
    heard = []
    while not game.done:
        heard.append(tuple(view.heard))
        view = game.step(assistant.reply(view))
    return Trip(game.episode(), tuple(game.transcript.exchanges), tuple(heard))


@pytest.fixture
def trip() -> Callable[..., Trip]:
    """Play one dev task: ``trip(assistant or name, store, task index, seed=, track=)``."""

    def go(assistant: Any, store: str = "neighbourhood", index: int = 0, **options: Any) -> Trip:
        made = make_agent(assistant) if isinstance(assistant, str) else assistant
        return play(made, store, tasks_of(store, 12)[index], **options)

    return go


@pytest.fixture
def need() -> Callable[..., HeardNeed]:
    """Make a heard need: ``need(1, product_type="apples")``."""
    return heard_need


@pytest.fixture
def world() -> World:
    return world_of("neighbourhood")
