"""A game with both seats open: the message and the answer come one after the other, each from outside.

The rules are those of every other door, plain or compiled. While an answer is awaited, the scripted user's own answer
is already known: it is what is played when the seat lets it answer or picks something impossible, and an answer equal
to it is played by the scripted user's own mind, so that the log is the same to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Any

import numpy as np

from supermarket_env.dialogue.acts import AssistantMessage, UserResponse
from supermarket_env.envs.decode import clear_message
from supermarket_env.envs.frames import framed
from supermarket_env.envs.game import Game, Read
from supermarket_env.envs.kernel import _MESSAGE, Kernel, RowCopier, copy_row
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.envs.seat import GameView
from supermarket_env.envs.spaces import ACTION_TEXT, ActionReader
from supermarket_env.envs.user_spaces import UserAnswer, copy_numbers, n_actions, user_frame
from supermarket_env.envs.users import UserDoor
from supermarket_env.errors import MessageError
from supermarket_env.rules import codes
from supermarket_env.rules.place import left_on_shelf, shift_stock
from supermarket_env.rules.rows import OUTCOME_DTYPE, STATE_DTYPE, Outcome, State
from supermarket_env.rules.twins import compiled_function, direct
from supermarket_env.rules.user_view import USER_ROW
from supermarket_env.rules.world import Tables
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim.mind_seat import (
    ANSWER_ACTION,
    ANSWER_QTY,
    ANSWER_SIZE,
    BECAME_IMPOSSIBLE,
    BECAME_SCRIPTED,
    LET_SCRIPTED,
    own_need,
)
from supermarket_env.world import World

_WHOLE_OUTCOME = RowCopier(Outcome)
_ORDERS = RowCopier(State, frozenset({"n_mentioned", "by_ordinal"}))
_ANSWER = Struct(f"{ANSWER_SIZE}q")
_CALLED = ("_hear", "_decide", "_finish", "_look", "_number")
_STATE_INTS = STATE_DTYPE.itemsize // 8


class SeatKernel(Kernel):
    """A kernel whose turn comes in two halves: ``hear`` the message, then ``finish`` with an answer."""

    # Made by ``_views`` with compiled rules only: what holds no state between two turns.
    thoughts: Any = None
    decided: Any = None
    _now: Any = None
    _aside: Any = None
    _answers: Any = None
    _answer: Any = None
    # The machine code behind the entry points once they were called.
    _hear: Any = None
    _decide: Any = None
    _finish: Any = None
    _look: Any = None
    _number: Any = None

    def _views(self) -> None:
        # State and outcome lie side by side, and so do the rows in which the scripted user thinks: half of a turn's
        # copying is one move of bytes then, where records copied field by field cost more than the turn.
        now, aside = (np.zeros(_STATE_INTS + OUTCOME_DTYPE.itemsize // 8, dtype=np.int64) for _ in range(2))
        now[:_STATE_INTS], now[_STATE_INTS:] = self.states.view(np.int64), self.outcomes.view(np.int64)
        self.states, self.outcomes = now[:_STATE_INTS].view(STATE_DTYPE), now[_STATE_INTS:].view(OUTCOME_DTYPE)
        self.thoughts, self.decided = aside[:_STATE_INTS].view(STATE_DTYPE), aside[_STATE_INTS:].view(OUTCOME_DTYPE)
        self._now, self._aside = now.data, aside.data
        self._answers = np.zeros((1, ANSWER_SIZE), dtype=np.int64)
        self._answer = self._answers[0].data
        super()._views()
        self._hear = self._decide = self._finish = self._look = self._number = None
        self._thought_parts = _ORDERS.parts(self.thoughts)
        self._decided_parts = _WHOLE_OUTCOME.parts(self.decided)

    def __getstate__(self) -> dict[str, Any]:
        made_anew = {"thoughts", "decided", "_now", "_aside", "_answers", "_answer", *_CALLED}
        return {name: value for name, value in super().__getstate__().items() if name not in made_anew}

    def copy(self) -> SeatKernel:
        """Return an independent copy between two turns."""
        base = super().copy()
        made = SeatKernel(self.rules, self.tables, self.app_tables)
        made.m, made.o, made._state = base.m, base.o, base._state
        made._stale, made._heard_stale = base._stale, True
        if self.rules.compiled:
            made.states[:], made.messages[:], made.outcomes[:] = base.states, base.messages, base.outcomes
        return made

    def _called(self, name: str, *arguments: Any) -> Any:
        """Call a compiled entry point on one row; return the machine code behind it."""
        entry = getattr(self.rules, name)
        entry(self.tables, *arguments, 1)
        return direct(entry)

    def send(self) -> None:
        """Let compiled rules see the message in ``m``."""
        message = _MESSAGE.flat(self.m)
        if message != self._sent:
            self._message_ints[:] = message
            self._sent = message

    def hear(self) -> None:
        """Begin the turn with the message in ``m``."""
        if not self.rules.compiled:
            self.rules.hear_turns(self.tables, [self._state], [self.m], [self.o], 1)
            return
        self.send()
        if self._hear is None:
            self._hear = self._called("hear_turns", self.states, self.messages, self.outcomes)
        else:
            self._hear(self.tables, self.states, self.messages, self.outcomes, 1)
        self._stale = self._heard_stale = True

    def propose(self) -> list[int]:
        """Return the row of the scripted user's answer to the message heard; nothing moves."""
        if not self.rules.compiled:
            t, v = copy_row(self._state), copy_row(self.o)
            self.rules.decide_turns(self.tables, [t], [self.m], [v], 1)
        else:
            self._aside[:] = self._now
            if self._decide is None:
                self._decide = self._called("decide_turns", self.thoughts, self.messages, self.decided)
            else:
                self._decide(self.tables, self.thoughts, self.messages, self.decided, 1)
            t, v = State(), Outcome()
            _ORDERS.read(self._thought_parts, t)
            _WHOLE_OUTCOME.read(self._decided_parts, v)
        facts = [number for k in range(v.n_facts) for number in (v.fact_id[k], v.fact_slot[k])]
        return [
            v.act,
            own_need(t, v.need),
            v.slot,
            v.category,
            v.reason,
            v.cause,
            v.action,
            v.arg if codes.ACTION_HAS_ARG[v.action] else 0,
            v.qty if codes.ACTION_HAS_QTY[v.action] else 0,
            *v.products,
            v.n_facts,
            *facts,
            *[0] * (2 * codes.MAX_FACTS - len(facts)),
        ]

    def finish(self, row: list[int] | None) -> int:
        """Finish the turn with an answer, or the scripted user's (None); return what became of it (``BECAME_*``)."""
        if not self.rules.compiled:
            answer = [LET_SCRIPTED] if row is None else list(row)
            t, v = (self._state, self.o) if row is None else (copy_row(self._state), copy_row(self.o))
            self.rules.finish_turns(self.tables, [self._state], [self.m], [self.o], [t], [v], [answer], 1)
            if answer[0] == BECAME_SCRIPTED:
                self.take_over(t, v)
            return answer[0]
        if row is None:
            self._answer[0] = LET_SCRIPTED
        else:
            _ANSWER.pack_into(self._answer, 0, *row)
            self._aside[:] = self._now
        rows = self.states, self.messages, self.outcomes, self.thoughts, self.decided, self._answers
        if self._finish is None:
            self._finish = self._called("finish_turns", *rows)
        else:
            self._finish(self.tables, *rows, 1)
        became: int = self._answer[0]
        if became == BECAME_SCRIPTED:
            self._now[:] = self._aside
        self._read_outcome()
        return became

    def look_around(self, rows: Any, masks: Any, numbers: Any, choices: Any) -> None:
        """Fill a user's observation.

        Args:
            rows: Zeroed, (1, USER_ROW), float32.
            masks: Zeroed, (1, actions), int8.
            numbers: The part of ``rows`` that says what the choices are, (N_CHOICES, 2).
            choices: Gets the same as int64: numpy's own conversion of so few is dear in a turn.
        """
        if not self.rules.compiled:
            plain = [[0.0] * USER_ROW]
            self.rules.look_around(self.tables, [self._state], [self.m], [self.o], plain, masks, 1)
            rows[0] = plain[0]
            choices[:] = numbers
            return
        if self._look is None:
            self._look = self._called("look_around", self.states, self.messages, self.outcomes, rows, masks)
            copy = compiled_function(copy_numbers)
            copy(numbers, choices)
            self._number = direct(copy)
        else:
            self._look(self.tables, self.states, self.messages, self.outcomes, rows, masks, 1)
            self._number(numbers, choices)

    def shift(self, plain_tables: Tables, p: int, dq: int) -> int:
        """Note that somebody else took (``dq`` < 0) or brought units of ``p``; return what is left on the shelf.

        The row remembers changes of 64 products; beyond that the one with the most units left is forgotten.
        """
        row = self.states.view(np.recarray)[0] if self.rules.compiled else self._state
        if shift_stock(row, p, dq) == 0:
            last = int(row.n_shifted) - 1
            plenty = max(
                range(last + 1),
                key=lambda k: (row.shifted_q[k] == 0, left_on_shelf(plain_tables, row, int(row.shifted_p[k]))),
            )
            row.shifted_p[plenty], row.shifted_q[plenty] = row.shifted_p[last], row.shifted_q[last]
            row.n_shifted = last
            shift_stock(row, p, dq)
        self._stale = self._heard_stale = self.rules.compiled
        return int(left_on_shelf(plain_tables, row, p))


def moved_by(o: Any, bought: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return (product, units) that a turn took from (< 0) or brought to (> 0) the shelves; ``bought`` is before it."""
    if o.cleared:
        return [(p, q) for p, q in sorted(bought.items()) if q > 0]
    if o.cart_op:
        return [(o.cart_p, -o.cart_q if o.cart_op == 1 else o.cart_q)]
    return []


class SeatDoor(UserDoor):
    """The user's seat of a game with both seats open."""

    def __init__(self, game: SeatGame) -> None:
        self.seated = game
        self.game = game
        self.text: str | None = None
        self.faults: list[tuple[str, str]] = []
        self.heard = False
        self.answer: UserAnswer | None = None

    def start(self) -> None:
        """Begin an episode."""
        self.heard = False
        self.answer = None

    def reword(self, words: str) -> str:
        """Return the grammar's words as they are."""
        return words

    def play(self) -> None:
        """Finish the turn with the answer given; None is the scripted user's."""
        kernel, answer, heard = self.seated.seats, self.answer, self.heard
        self.text, self.answer, self.heard = None, None, False
        if self.faults:
            self.faults = []
        if answer is None:
            if heard:
                kernel.finish(None)
            else:
                kernel.play()
            return
        if not heard:
            kernel.hear()
        self.text = answer.text or None
        if kernel.finish(answer.row) == BECAME_IMPOSSIBLE:
            self._report(answer.row)

    def _report(self, row: list[int]) -> None:
        """Report an action that was not possible and therefore not taken."""
        code, arg, qty = row[ANSWER_ACTION : ANSWER_QTY + 1]
        kind, name = self.game.narrator.action_pair(code, arg)
        s = self.game.kernel.s
        dear = code == codes.ACT_CHECKOUT and s.spent > s.budget
        why = "the cart costs more than the budget" if dear else "not legal now"
        self.faults.append(("illegal_action", f"{kind} {name} {qty or ''}: {why}".strip()))


class SeatGame(Game):
    """A game whose user is answered for from outside; takes the arguments of ``Game`` but ``user_model``."""

    def __init__(self, world: World, **options: Any) -> None:
        super().__init__(world, **options)
        self.seats = SeatKernel(self.kernel.rules, self.kernel.tables, self.kernel.app_tables)
        self.kernel: Kernel = self.seats
        self.seat_door = SeatDoor(self)
        self.door: UserDoor | None = self.seat_door
        self._user_frame = user_frame(n_actions(world))
        self.moved: list[tuple[int, int]] = []
        """(product, units) brought back to (> 0) or taken from (< 0) the shelves in the latest turn."""

    def reset(self, task: Task, *, seed: int, labels: EpisodeLabels | None = None) -> GameView:
        """Start an episode."""
        clear_message(self.kernel.m)
        self._said: Read | None = None
        self.moved = []
        view = super().reset(task, seed=seed, labels=labels)
        if self.seats.rules.compiled:
            self.seats.send()
        return view

    def say(self, reader: ActionReader, action: Any) -> None:
        """Take the assistant's message: an element of the action space, an ``AssistantMessage``, or its error.

        Raises:
            MessageError: it is none of these; nothing has happened then.
            RuntimeError: the episode is over.
        """
        if type(action) is not dict and isinstance(action, AssistantMessage | MessageError):
            self._said = self._read(action)
            return
        text = action.get("text", "") if isinstance(action, dict) else ""
        self._said = self._read_row(reader.fill, action, text if isinstance(text, str) else "")

    def hear(self) -> None:
        """Let the user hear the message: then it is known what it sees, and what the scripted user would answer."""
        assert self._said is not None
        if self._said[0].fault and self.struck + 1 >= self.strikes:
            return  # one faulty message too many: the turn will not be played
        self._complete(self.kernel.m)
        self.seats.hear()
        self.seat_door.heard = True

    def proposal(self) -> UserAnswer | None:
        """Return what the scripted user answers to the message heard; None when nothing was heard."""
        return UserAnswer(self.seats.propose(), "") if self.seat_door.heard else None

    def respond(self, answer: UserAnswer | None) -> None:
        """Play the turn with the user's answer; None is the scripted user's."""
        assert self._said is not None
        said, self._said = self._said, None
        self.moved = []
        self.seat_door.answer = answer
        self._play(*said)

    def _count_cart(self, o: Any) -> None:
        self.moved = moved_by(o, self.bought)
        super()._count_cart(o)

    def foresee(self, reader: ActionReader, action: Any, kernel: SeatKernel) -> UserAnswer | None:
        """Return the scripted user's answer to a message, heard by a copy of the kernel; None when it is not heard.

        Raises:
            MessageError: ``action`` is no message.
        """
        kept = self.seats, self.last_message, self._said
        self.kernel = self.seats = kernel
        try:
            self.say(reader, action)
            self.hear()
            return self.proposal()
        finally:
            self.seats, self.last_message, self._said = kept
            self.kernel = self.seats
            self.seat_door.heard = False

    def _words(self, o: Any, response: UserResponse) -> str:
        if self.seat_door.text is None:  # no model rewords the grammar's line
            return self._grammar_words(o, response)
        return super()._words(o, response)

    def user_sees(self) -> dict[str, Any]:
        """Return the observation of the user's seat (new arrays)."""
        frame = self._user_frame
        # All parts at once, in the order of the frame: views of its memory, as asking for each by name would make.
        parts = framed(frame, bytearray(frame.itemsize)).item()
        row, needs, items, choices, message, mood, persona, trip, numbers, mask, choice_actions = parts
        self.seats.look_around(row, mask[None], numbers, choice_actions)
        return {
            "needs": needs,
            "items": items,
            "choices": choices,
            "message": message,
            "mood": mood,
            "persona": persona,
            "trip": trip,
            "choice_actions": choice_actions,
            "mask_action": mask,
            "text": self.last_message.text[:ACTION_TEXT],
        }

    def others_moved(self, p: int, dq: int) -> None:
        """Note what another user took or brought back; it is logged where this user could have used it."""
        left = self.seats.shift(self.prepared.tables, p, dq)
        s = self.kernel.s
        wanted = any(s.status[i] == 0 and p in v.acceptable for i, v in enumerate(self.prepared.values))
        if wanted:
            name = self.narrator.product[p]
            self._emit({"k": "stock", "turn": self.turn, "sku": name, "left": left})
