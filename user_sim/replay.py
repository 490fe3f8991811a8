"""The replay user: does again what the user of a logged episode did.

As long as the assistant says and shows what it did in the log, the user's acts, words and actions are the logged ones.
At the first turn where it does not (or where the log ends) the user says so in the log, as a line of the fault ledger
(``replay_departed`` or ``replay_ended``), and from then on the scripted user plays. Of a message the acts, slots, list,
hint and goal count, not the prose: users answer acts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from supermarket_env.catalogue.schema import ATTRIBUTES
from supermarket_env.dialogue.acts import AssistantMessage, Fact
from supermarket_env.envs.users import UserAction, UserSeat, UserTurn
from supermarket_env.errors import ConfigError, SupermarketError
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import read_log
from supermarket_env.rules.codes import SLOTS

_NEED_ID: Final = re.compile(r"^(\d+)\.")
_ATTRIBUTE_NAMES: Final = frozenset((*SLOTS, *ATTRIBUTES))
Said = tuple[Any, ...]


class Replay:
    """Re-enacts the users of a log.

    Args:
        file: A log or a run directory. An episode is found by task and seed, else by task alone.
        agent: Only episodes of this assistant; needed when the log holds several of one task and seed.

    Raises:
        ConfigError: no such file, no episode in it, or several for one task and seed.
    """

    name = "replay"
    version = "1"

    def __init__(self, file: str | None = None, *, agent: str | None = None) -> None:
        if file is None:
            raise ConfigError("replay user: expected a log or a run directory, user.options.file=PATH, got none")
        if not Path(file).exists():
            raise ConfigError(f"replay user: expected a log or a run directory, got {file!r}, which does not exist")
        try:
            episodes = read_log([file]).episodes
        except SupermarketError as error:
            raise ConfigError(f"replay user: {error}") from None
        self.episodes = [e for e in episodes if agent is None or e.agent == agent]
        if not self.episodes:
            raise ConfigError(f"replay user: {file!r} holds no episode" + (f" of assistant {agent!r}" if agent else ""))
        self._by_key: dict[tuple[str | None, Any], Episode] = {}
        self._by_task: dict[str | None, Episode] = {}
        for episode in self.episodes:
            key = episode.task_id, episode.data.get("seed")
            if key in self._by_key:
                agents = ", ".join(sorted({e.agent for e in self.episodes}))
                raise ConfigError(
                    f"replay user: task {episode.task_id!r} with seed {key[1]} is in the log more than once; "
                    f"name one assistant with user.options.agent (there are {agents})"
                )
            self._by_key[key] = episode
            self._by_task.setdefault(episode.task_id, episode)

    def start(self, seat: UserSeat) -> None:
        """Begin an episode: look for its log."""
        episode = self._by_key.get((seat.task_id, seat.seed)) or self._by_task.get(seat.task_id)
        self._messages = {} if episode is None else _messages(episode)
        self._answers = {} if episode is None else _answers(episode)
        self._why = "" if episode is not None else f"the log has no episode of task {seat.task_id}"
        self._handed_over = False

    def respond(self, seat: UserSeat) -> UserTurn:
        """Return the logged answer, or the scripted one after the log was left."""
        if self._handed_over:
            return seat.scripted()
        event = self._answers.get(seat.turn)
        if event is None:
            return self._hand_over(seat, "replay_ended", self._why or f"the log has no turn {seat.turn}")
        said, logged = _said(seat.message), self._messages.get(seat.turn, _said(AssistantMessage()))
        if said != logged:
            return self._hand_over(seat, "replay_departed", f"the assistant's message is {said}, in the log {logged}")
        turn = _turn_of(event, seat)
        if turn is None:
            return self._hand_over(seat, "replay_departed", f"the log's turn {seat.turn} has no action")
        if turn.action != seat.scripted().action and not _possible(turn.action, seat):
            return self._hand_over(seat, "replay_departed", f"{turn.action} of the log is not possible here")
        return turn

    def _hand_over(self, seat: UserSeat, kind: str, detail: str) -> UserTurn:
        self._handed_over = True
        seat.report(kind, detail + "; the scripted user goes on")
        return seat.scripted()


def _said(message: AssistantMessage) -> Said:
    """Return what users heed of a message."""
    hint = (message.suggest.type, message.suggest.arg) if message.suggest is not None else ()
    goal = f"{message.goal.kind}:{message.goal.id}" if message.goal is not None else ""
    attribute = "anything" if message.act == "ask" and not message.attribute else message.attribute
    return message.act, message.need, attribute, message.products, message.items, hint, goal


def _messages(episode: Episode) -> dict[int, Said]:
    """Return what the assistant of a log said, by turn."""
    parts: dict[int, list[Any]] = {}
    for event in episode.events:
        kind = event["k"]
        if kind not in ("assistant", "recommend", "suggest", "goal"):
            continue
        said = parts.setdefault(event["turn"], ["chat", 0, "", (), (), (), ""])
        if kind == "assistant":
            slots = event.get("slots") or {}
            products = tuple(slots.get("products", ()))
            said[:4] = [event.get("act") or "chat", slots.get("need", 0), slots.get("attribute", ""), products]
        elif kind == "recommend":
            said[4] = tuple(event["items"])
        elif kind == "suggest":
            params = event["action"].get("params") or {}
            said[5] = (event["action"]["type"], next((v for key, v in params.items() if key != "qty"), ""))
        else:
            said[6] = event.get("goal") or ""
    return {turn: tuple(said) for turn, said in parts.items()}


def _answers(episode: Episode) -> dict[int, dict[str, Any]]:
    return {event["turn"]: event for event in episode.events if event["k"] == "user" and event["turn"] > 0}


def _turn_of(event: dict[str, Any], seat: UserSeat) -> UserTurn | None:
    """Return a logged answer as a user's turn; None when it names no action."""
    if not isinstance(event.get("action"), dict):
        return None
    slots, params = event.get("slots") or {}, event["action"].get("params") or {}
    own = dict(enumerate(seat.mentioned, start=1))
    for fact in slots.get("facts", ()):
        if fact["need"] not in own:
            own[fact["need"]] = _revealed(event, set(own.values()))
    facts = tuple(
        Fact(own[f["need"]], f["attribute"], tuple(f["value"]) if isinstance(f["value"], list) else f["value"])
        for f in slots.get("facts", ())
        if own[f["need"]] and f["attribute"] in _ATTRIBUTE_NAMES
    )
    return UserTurn(
        act=event.get("act") or "chat",
        action=UserAction(
            event["action"]["type"],
            next((value for key, value in params.items() if key != "qty"), ""),
            params.get("qty", 0),
        ),
        facts=facts,
        need=own.get(slots.get("need", 0)) or _accepted_first(event, seat),
        attribute=slots.get("attribute", ""),
        products=tuple(slots.get("products", ())),
        category=slots.get("category", ""),
        reason=slots.get("reason", ""),
        cause=slots.get("cause", ""),
        text=event.get("text"),
    )


def _revealed(event: dict[str, Any], known: set[int]) -> int:
    """Return the own number of a need first mentioned in this turn: the first one revealed that was not known."""
    for entry in event.get("reveals") or ():
        match = _NEED_ID.match(entry)
        if match is not None and int(match[1]) + 1 not in known:
            return int(match[1]) + 1
    return 0


def _accepted_first(event: dict[str, Any], seat: UserSeat) -> int:
    """Return the own need an act without facts is about when it was never mentioned: the scripted user's."""
    return seat.scripted().need if (event.get("slots") or {}).get("need") else 0


def _possible(action: UserAction, seat: UserSeat) -> bool:
    """Whether a logged action can be done here (quantities are left to the game)."""
    return any(a.type == action.type and a.arg == action.arg for a in seat.legal_actions())
