"""The engine: plays one episode turn by turn and writes its log. Every door and every runner drives this class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from supermarket_env.dialogue.acts import SILENT, AssistantMessage, Exchange, Transcript, UserResponse
from supermarket_env.dialogue.consistency import clean_text, text_mismatch
from supermarket_env.envs import log_line
from supermarket_env.envs.arguments import is_whole
from supermarket_env.envs.decode import NOTHING, Decoded, Decoder, clear_message
from supermarket_env.envs.kernel import Kernel
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.envs.ledger import Ledger, fault_event
from supermarket_env.envs.narrate import Event, Narrator, short
from supermarket_env.envs.reward import own_limit, satisfaction, turn_reward
from supermarket_env.envs.seat import GameView
from supermarket_env.envs.understand import outcome_of
from supermarket_env.envs.users import UserDoor, UserModel
from supermarket_env.envs.voice import Speech, Voice
from supermarket_env.errors import ConfigError, MessageError, unknown_name
from supermarket_env.events.hooks import Hook, HookSet
from supermarket_env.events.log import finish_episode
from supermarket_env.rules import codes
from supermarket_env.rules.draws import P_AGENT, lane
from supermarket_env.rules.place import left_on_shelf, nearest_section_of
from supermarket_env.rules.twins import Rules, rules
from supermarket_env.tasks.prepare import Prepared, prepare
from supermarket_env.tasks.state import compiled_tables, plain_tables, seed_lanes
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import World

Read = tuple[Decoded, tuple[str, str] | None, str | None]
"""A message as read: what is shown of it, its goal as written (kind, id), and where text and slots disagree."""

TRACKS = ("semantic", "text")
MODES = ("auto", "compiled", "plain")
_exchange = partial(tuple.__new__, Exchange)
"""Makes an Exchange of a tuple of all its fields: every turn makes one, and few are ever read."""
_response: Callable[[tuple[Any, ...]], UserResponse] = partial(tuple.__new__, UserResponse)
_SILENCE: Read = NOTHING, None, None
_PAID = frozenset(code for code, name in enumerate(codes.ENDS) if name in ("checkout", "patience_checkout"))


class Game:
    """One assistant's seat at one user's side; ``reset`` starts an episode, ``step`` plays a turn.

    Args:
        world: Catalogue and store.
        track: ``semantic`` (the view holds the user's acts) or ``text`` (words only).
        user: The user population.
        strikes: Consecutive faulty messages that end the episode as ``assistant_error``.
        max_turns: Turn limit; ``None`` takes the task's own.
        hooks: Live hooks, called in order.
        texts: Whether the user's words are made (switch off for speed; the log then has none).
        mode: ``auto``, ``compiled`` or ``plain`` rules; the results are the same to the bit.
        user_model: Another user than the scripted one (then the rules are plain); ``None`` is the scripted user.

    Raises:
        ConfigError: an argument is out of range or unknown.
    """

    def __init__(
        self,
        world: World,
        *,
        track: str = "semantic",
        user: UserConfig | None = None,
        strikes: int = 3,
        max_turns: int | None = None,
        hooks: Iterable[Hook] = (),
        texts: bool = True,
        mode: str = "auto",
        user_model: UserModel | None = None,
    ) -> None:
        if mode not in MODES:
            raise ConfigError(unknown_name("mode", str(mode), MODES))
        if track not in TRACKS:
            raise ConfigError(unknown_name("track", track, TRACKS))
        if not is_whole(strikes, 1) or not (max_turns is None or is_whole(max_turns, 1, 1000)):
            raise ConfigError(f"strikes must be at least 1 and max_turns in 1..1000, got {strikes!r} and {max_turns!r}")
        self.world = world
        self.track = track
        self.user = user or UserConfig()
        self.strikes = strikes
        self.max_turns = max_turns
        self.texts = texts or track == "text"
        self.hooks = HookSet(hooks)
        self.narrator = Narrator(world)
        self.decoder = Decoder(world.app)
        self.types: list[int] = world.catalogue.type_idx.tolist()
        self.door = UserDoor(self, user_model) if user_model is not None else None
        book: Rules = rules("plain" if self.door else mode)
        make_tables = compiled_tables if book.compiled else plain_tables
        tables = make_tables(world, self.user)
        app_tables = tables if world.app is world else make_tables(world.app, self.user)
        self.kernel = Kernel(book, tables, app_tables)
        self.voice = Voice(world, self.user)
        self.done = True
        self.agent_seed = 0

    # --- start -----------------------------------------------------------------------------------------------------

    def reset(self, task: Task, *, seed: int, labels: EpisodeLabels | None = None) -> GameView:
        """Start the episode of ``task`` with the luck of ``seed`` (0 <= seed < 2**62); returns the first view."""
        if not 0 <= seed < 2**62:
            raise ConfigError(f"an episode seed is an integer in [0, 2**62), got {seed!r}")
        self.task = task
        self.seed = seed
        self.labels = labels or EpisodeLabels(task_id=task.id, stratum=task.stratum, store=self.world.store.name)
        self.prepared: Prepared = prepare(self.world, task, self.user)
        self.turn_limit = self.max_turns or own_limit(self.prepared)
        self.turn_reward = turn_reward(self.prepared)
        lanes = seed_lanes(seed)
        reads_acts = int(self.track == "semantic")
        self.kernel.begin(self.prepared, lanes, max_turns=self.turn_limit, reads_acts=reads_acts)
        o = self.kernel.o
        self.agent_seed = lane(lanes[0], P_AGENT, 0, 0)
        self.speech = Speech(self.voice, self.prepared.state, lanes)
        self.turn = self.struck = 0
        self.done = False
        self.reason = ""
        self.ledger = Ledger(self.narrator, self.decoder)
        self._stock_turns = self.prepared.stock_turns
        self.shown_products: set[int] = set()
        self.bought: dict[int, int] = {}
        self.last_action = ("", "")
        self.last_words = ""
        self.last_message = SILENT
        self._turn_parts = {"need_satisfaction": 0.0, "turn": self.turn_reward}
        self.view = GameView(self)
        response = self._speak(o)
        self.transcript = Transcript(self.shown_response)
        self.ledger.open(self.kernel.node, o, response, self.last_words)
        self.view.refresh(1, self.turn_limit)
        if self.door is not None:
            self.door.start()
        if self.hooks:
            self.hooks.episode_start(self.view)
            if self.hooks.has_step_hooks:
                for event in self.events:
                    self.hooks.event(event)
        return self.view

    @property
    def events(self) -> list[Event]:
        """The events of the log so far."""
        return self.ledger.events

    # --- a turn ----------------------------------------------------------------------------------------------------

    def step(self, message: Any) -> GameView:
        """Play one turn with ``message``: an AssistantMessage, a mapping of its fields, or plain text.

        Junk does not raise: it counts as a faulty empty message by the strike rule.

        Raises:
            RuntimeError: the episode is over or was never started.
        """
        return self._play(*self._read(message))

    def _read(self, message: Any) -> Read:
        """Fill the message row from ``message``; what is shown of it, its goal, and where text and slots disagree."""
        self._must_run()
        try:
            if isinstance(message, str):
                message = self._parsed(message)
            parsed = AssistantMessage.parse(message)
        except MessageError as error:
            return self._failed("invalid_message", str(error))
        decoded = self.decoder.decode(parsed, self.kernel.m)
        mismatch = None
        if decoded.text and not decoded.fault:
            mismatch = text_mismatch(parsed, self.world.catalogue, self.world.app.store)
        goal = (parsed.goal.kind, parsed.goal.id[:200]) if parsed.goal is not None else None
        self.last_message = parsed
        return decoded, goal, mismatch

    def step_row(self, fill: Callable[[Any, Any], None], action: Any, text: str = "") -> GameView:
        """Play one turn with the message row that ``fill(action, row)`` writes (the numeric door); always usable."""
        return self._play(*self._read_row(fill, action, text))

    def _read_row(self, fill: Callable[[Any, Any], None], action: Any, text: str) -> Read:
        """Fill the message row by ``fill(action, row)``; returns what ``_read`` does."""
        if self.done:
            self._must_run()
        m = self.kernel.m
        clear_message(m)
        fill(action, m)
        if not (text or m.act or m.n_items or m.sug_type or m.goal_kind):
            self.last_message = SILENT
            return _SILENCE
        if text:
            text = clean_text(text)[0]
        items = tuple([self.narrator.product[p] for p in m.items[: m.n_items]]) if m.n_items else ()
        goal = self.narrator.goal_name(m) if m.goal_kind else None
        self.last_message = self.narrator.message(m, text)
        mismatch = text_mismatch(self.last_message, self.world.catalogue, self.world.app.store) if text else None
        return Decoded(text, items, "", "") if text or items else NOTHING, goal, mismatch

    def fail(self, kind: str, detail: str) -> GameView:
        """Play one turn in which the assistant failed (it raised, hung or sent junk): a faulty empty message."""
        self._must_run()
        return self._play(*self._failed(kind, detail))

    def _failed(self, kind: str, detail: str) -> Read:
        clear_message(self.kernel.m)
        self.last_message = SILENT
        return Decoded("", (), kind, detail), None, None

    def infra_error(self, detail: str) -> None:
        """End the episode as ``infra_error``: the simulator or machine failed; it leaves every metric."""
        self._must_run()
        self._emit(fault_event(self.turn, "infra", "error", detail))
        self._finish("infra_error")

    def _must_run(self) -> None:
        if self.done:
            raise RuntimeError("the episode is over (or was never started): call reset first")

    def _parsed(self, text: str) -> AssistantMessage:
        return self.voice.parser.assistant(text, mentioned=self.view.heard)  # type: ignore[no-any-return]

    def _play(self, decoded: Decoded, goal: tuple[str, str] | None, mismatch: str | None) -> GameView:
        kernel, ledger = self.kernel, self.ledger
        m, o = kernel.m, kernel.o
        self.turn = turn = self.turn + 1
        events = ledger.events
        start = len(events)
        faults: tuple[Event, ...] = (self._fault_of(decoded, mismatch),) if decoded.fault or mismatch else ()
        self.struck = self.struck + 1 if decoded.fault else 0
        if self.struck >= self.strikes:
            o.claim = -1
            events.extend((self.narrator.assistant_event(turn, m, o, decoded.text), *faults))
            self._stream(start)
            self._finish("assistant_error")
            return self.view
        if m.goal_id >= 0 or m.act == codes.A_ASK:
            self._complete(m)
        if self.door is None:
            kernel.play()
        else:
            self.door.play()
            o = kernel.o
        ledger.add_message(turn, m, o, decoded, goal)
        if decoded.items:
            self.shown_products.update(m.items[: m.n_items])
        response = self._speak(o)
        ledger.add_response(turn, o, response, self.last_words)
        if o.cart_op or o.cleared:
            self._count_cart(o)
        if turn in self._stock_turns:
            events.extend(self._stock_events(turn))
        end = kernel.end
        events.append(self._paid_event() if end in _PAID else self._turn_event())
        if self.door is not None and self.door.faults:
            faults += self._user_faults()
        events.extend(faults)
        ledger.add_place(turn, kernel.node)
        action, arg = self.last_action = self.narrator.action_pair(o.action, o.arg)
        self.transcript.exchanges.append(_exchange((turn, self.last_message, self.shown_response, action, arg, o.qty)))
        if self.hooks.has_step_hooks:
            self._stream(start)
        if end:
            self._finish(codes.ENDS[end])
        else:
            self.view.refresh(turn + 1, self.turn_limit - turn)
        return self.view

    def _complete(self, m: Any) -> None:
        """Make of the message row what the rules read; a completed row stays as it is."""
        if m.act == codes.A_ASK and m.slot == codes.S_NONE:
            m.slot = codes.S_ANYTHING
        if m.goal_id >= 0 and self.world.app is not self.world:
            self._look_up(m)

    def _look_up(self, m: Any) -> None:
        """Let the app look up where a product or category stands: its map is not the store's."""
        if m.goal_kind == codes.G_PRODUCT:
            m.goal_kind, m.goal_id = codes.G_SECTION, self.world.app.lists.prod[m.goal_id].section
        elif m.goal_kind == codes.G_CATEGORY:
            section = nearest_section_of(self.world.app.lists, self.kernel.node, m.goal_id, 1)
            m.goal_kind, m.goal_id = codes.G_SECTION, section

    def _stock_events(self, turn: int) -> list[Event]:
        """Return the stock changes of this turn as the log holds them: what is left when the turn is over."""
        tables, s = self.prepared.tables, self.kernel.s
        return [
            {"k": "stock", "turn": turn, "sku": self.narrator.product[p], "left": left_on_shelf(tables, s, p)}
            for p in self._stock_turns[turn]
        ]

    def _user_faults(self) -> tuple[Event, ...]:
        assert self.door is not None
        return tuple(fault_event(self.turn, "user", kind, detail) for kind, detail in self.door.faults)

    def _fault_of(self, decoded: Decoded, mismatch: str | None) -> Event:
        if decoded.fault:
            return fault_event(self.turn, "assistant", decoded.fault, decoded.detail)
        return fault_event(self.turn, "assistant", "act_text_mismatch", mismatch or "")

    def _count_cart(self, o: Any) -> None:
        if o.cart_op:
            sign = 1 if o.cart_op == 1 else -1
            self.bought[o.cart_p] = self.bought.get(o.cart_p, 0) + sign * o.cart_q
            self.shown_products.add(o.cart_p)
        if o.cleared:
            self.bought = {}

    def _turn_event(self) -> Event:
        """Return the reward of a turn in which nothing is paid."""
        self.reward = reward = self.turn_reward
        return {"k": "reward", "turn": self.turn, "value": reward, "parts": self._turn_parts}

    def _paid_event(self) -> Event:
        parts = {"need_satisfaction": short(self.need_satisfaction()), "turn": self.turn_reward}
        self.reward = short(parts["need_satisfaction"] + self.turn_reward)
        return {"k": "reward", "turn": self.turn, "value": self.reward, "parts": parts}

    def need_satisfaction(self) -> float:
        """Return the need satisfaction (0..1) of the cart as it is; hidden truth, never for the assistant."""
        return satisfaction(self.prepared, self.bought)

    def _speak(self, o: Any) -> UserResponse:
        """Return the true response; set the words and what the assistant sees of it."""
        response = self.narrator.response(o)
        if response.facts:
            self.speech.note(response)
        self.last_words = words = self._words(o, response) if self.texts else ""
        if self.track == "text":
            self.shown_response = UserResponse(act="", text=words)
            asked = self.last_message if self.turn else None
            understood = self.voice.parser.user(words, asked=asked, mentioned=self.view.heard)
            self.kernel.note(outcome_of(understood, self.decoder, o))
        elif words:
            self.shown_response = _response((*response[:-1], words))
        else:
            self.shown_response = response
        return response

    def _words(self, o: Any, response: UserResponse) -> str:
        if self.door is None or self.turn == 0:
            return self._grammar_words(o, response)
        if self.door.text is not None:
            return clean_text(self.door.text)[0][:300]
        return clean_text(self.door.reword(self._grammar_words(o, response)))[0][:300]

    def _grammar_words(self, o: Any, response: UserResponse) -> str:
        m = self.kernel.m
        if o.act == codes.U_CHAT and not (m.act or m.n_items or m.sug_type or m.goal_kind):
            return ""  # nobody spoke to somebody with nothing to say
        end = self.kernel.end if o.act == codes.U_BYE else 0
        return self.speech.words(o, response, turn=self.turn, end=end, among=self.last_message.items)

    # --- end -------------------------------------------------------------------------------------------------------

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        if self.hooks.has_step_hooks:
            self.hooks.event(event)

    def _stream(self, start: int) -> None:
        if self.hooks.has_step_hooks:
            for event in self.events[start:]:
                navigation = event["k"] == "suggest" and event["action"]["type"] in ("move", "look")
                self.hooks.event(event, navigation=navigation)

    def _finish(self, reason: str) -> None:
        self.reason = reason
        self.done = True
        self.view.refresh(self.turn + 1, 0)
        self._emit(log_line.end_event(self))
        if self.hooks:
            self.hooks.episode_end(finish_episode(self.episode()))

    def render(self) -> str:
        """Return the latest exchange as text."""
        action = " ".join(part for part in self.last_action if part) or "-"
        return (
            f"turn {self.turn}/{self.turn_limit} at {self.view.position}\n"
            f"assistant: {self.last_message.text or self.last_message.act}\n"
            f"user: {self.last_words or self.shown_response.act} [{action}]\n"
            f"cart: {sum(line.qty * line.price for line in self.view.cart):.2f} in {len(self.view.cart)} lines"
        )

    def truth(self) -> dict[str, Any]:
        """Return the evaluator's truth of the episode so far; never for the assistant."""
        return log_line.truth(self)

    def line(self) -> bytes:
        """Return the log line of the episode as bytes, line end included."""
        return log_line.encoded(self)

    def episode(self) -> dict[str, Any]:
        """Return the log line of the episode as a JSON-ready object."""
        return log_line.episode(self)
