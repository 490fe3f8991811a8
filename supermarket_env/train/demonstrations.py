"""Demonstrations from logs: what an assistant said, turn by turn, as observations and macro actions.

A log holds the messages, not the observations of a policy. The simulation is deterministic, so the trip is played
again with the logged messages, and the observation is made on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.agents.macros import MACROS, MacroPlayer
from supermarket_env.dialogue.acts import AssistantMessage, Goal, Suggestion
from supermarket_env.dialogue.view import AssistantView
from supermarket_env.envs.game import Game
from supermarket_env.errors import LogError
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.task import Task

UNKNOWN: Final = -1
"""Stands for a message that no macro makes."""
_NUMBER: Final = {name: k for k, name in enumerate(MACROS)}
_PLAIN: Final = frozenset({"guide", "chat"})
_EXPLAINING: Final = frozenset({"inform", "compare", "confirm"})


class Demonstrations(NamedTuple):
    """Turns of logged trips, one row a turn."""

    observations: NDArray[np.float32]
    """(turns, n), as a macro policy sees them."""
    masks: NDArray[np.bool_]
    """(turns, N_MACROS)."""
    macros: NDArray[np.int64]
    """(turns,), the macro that comes nearest to what was said; -1 where none does."""
    returns: NDArray[np.float32]
    """(turns,), reward from that turn to the end."""
    turns: NDArray[np.int64]
    """(turns,), number of the turn in its trip, from 1."""

    @property
    def totals(self) -> list[float]:
        """Reward of each trip, in the order they were played."""
        return [float(x) for x in self.returns[self.turns == 1]]

    @property
    def coverage(self) -> float:
        """Share of turns with a macro, 0..1 (1 for no turns)."""
        return float(np.mean(self.macros >= 0)) if len(self.macros) else 1.0


def messages_of(events: Iterable[Mapping[str, Any]]) -> list[AssistantMessage]:
    """Return the assistant's messages of a logged episode, turn by turn from 1."""
    messages: dict[int, dict[str, Any]] = {}
    for event in events:
        kind = event["k"]
        if kind == "assistant":
            slots = event.get("slots") or {}
            named = {key: slots[key] for key in ("need", "attribute", "value") if key in slots}
            if isinstance(named.get("value"), list):  # allergens: said as words, logged as a list
                named["value"] = ",".join(named["value"]) or "none"
            messages[event["turn"]] = {"act": event["act"], **named, "products": tuple(slots.get("products", ()))}
        elif kind == "recommend":
            messages[event["turn"]]["items"] = tuple(event["items"])
        elif kind == "suggest":
            action = event["action"]
            params = dict(action.get("params") or {})
            qty = int(params.pop("qty", 1) or 1)
            arg = str(next(iter(params.values()), ""))
            messages[event["turn"]]["suggest"] = Suggestion(type=action["type"], arg=arg, qty=qty)
        elif kind == "goal":
            goal, _, name = str(event["goal"]).partition(":")
            messages[event["turn"]]["goal"] = Goal(kind=goal, id=name)
    return [AssistantMessage(**messages[turn]) for turn in sorted(messages)]


def macro_of(message: AssistantMessage, player: MacroPlayer) -> int:
    """Return the number of the macro that comes nearest to a message, :data:`UNKNOWN` when none is allowed now.

    Args:
        message: What was said.
        player: The macro player, having looked at this turn.
    """
    leads = message.goal is not None or message.suggest is not None
    if message.items:
        name = f"recommend_need_{message.need}" if message.need else ""
    elif message.act == "ask":
        name = f"ask_need_{message.need}" if message.need else "ask_for_more"
    elif message.act in _EXPLAINING:
        name = "explain"
    elif message.act in _PLAIN:
        name = f"guide_need_{player.led_to(message)}" if leads else "silent"
        return _allowed(name, player)
    else:
        name = message.act
    found = _allowed(f"{name}_on_the_way", player) if leads else UNKNOWN
    return found if found != UNKNOWN else _allowed(name, player)


def _allowed(name: str, player: MacroPlayer) -> int:
    number = _NUMBER.get(name, UNKNOWN)
    return number if number != UNKNOWN and player.mask()[number] else UNKNOWN


def replay(
    game: Game, task: Task, seed: int, messages: Sequence[AssistantMessage], player: MacroPlayer
) -> Demonstrations:
    """Play a trip again with logged messages; returns its turns.

    Raises:
        LogError: The trip is over before or goes on after the last message: the log is of another world or version.
    """
    view: AssistantView = game.reset(task, seed=seed)
    player.start(view)
    rows: list[NDArray[np.float32]] = []
    masks: list[NDArray[np.bool_]] = []
    macros: list[int] = []
    rewards: list[float] = []
    for message in messages:
        if game.done:
            break
        player.look(view)
        rows.append(np.concatenate((view.relational(), player.features())))
        masks.append(player.mask().astype(np.bool_))
        macro = macro_of(message, player)
        macros.append(macro)
        player.message(max(macro, 0))  # so that it remembers what was said
        view = game.step(message)
        rewards.append(game.reward)
    if not game.done or len(rewards) != len(messages):
        raise LogError(
            f"task {task.id!r}: the trip does not end where its log does (turn {len(messages)}); "
            "the log was written by another version, or in another world"
        )
    returns = np.cumsum(np.array(rewards, dtype=np.float64)[::-1])[::-1].astype(np.float32)
    turns = np.arange(1, len(macros) + 1)
    return Demonstrations(np.stack(rows), np.stack(masks), np.array(macros, dtype=np.int64), returns, turns)


def from_logs(game: Game, episodes: Iterable[Any], tasks: Mapping[str, Task], player: MacroPlayer) -> Demonstrations:
    """Return the turns of logged episodes (``supermarket_env.events.Episode``), those that ended by a fault left out.

    Raises:
        LogError: An episode's task is not among ``tasks``, or its trip cannot be played again.
    """
    parts = []
    for episode in episodes:
        data = episode.data
        if episode.events[-1].get("reason") in ("assistant_error", "infra_error"):
            continue
        if data["task_id"] not in tasks:
            raise LogError(f"episode {data['episode_id']!r}: task {data['task_id']!r} is not among the tasks given")
        parts.append(replay(game, tasks[data["task_id"]], int(data["seed"]), messages_of(episode.events), player))
    return joined(parts)


def demonstrate(game: Game, assistant: Any, tasks: Sequence[Task], player: MacroPlayer) -> Demonstrations:
    """Let an assistant play, and return the turns as its log has them.

    An assistant with ``start_privileged`` is told the truth: what it does cannot be told from what a policy sees, so a
    clone of it learns an average of what it does.
    """
    parts = []
    for task in tasks:
        seed = episode_seed(0, task.id, 0)
        view = game.reset(task, seed=seed)
        if hasattr(assistant, "start_privileged"):
            assistant.start_privileged(view, game.truth())
        else:
            assistant.start(view)
        while not game.done:
            view = game.step(assistant.reply(view))
        parts.append(replay(game, task, seed, messages_of(list(game.events)), player))
    return joined(parts)


def joined(parts: Sequence[Demonstrations]) -> Demonstrations:
    """Return the turns of several demonstrations, in order.

    Raises:
        LogError: There are none.
    """
    if not parts:
        raise LogError("no demonstrations: no episode was given")
    return Demonstrations(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
