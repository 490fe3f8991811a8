"""A game with both seats open: the message and the answer come one after the other, each from outside.

The rules are those of every other door, plain or compiled. While an answer is awaited, the scripted user's own answer
is already known: it is what is played when the seat lets it answer or picks something impossible, and an answer equal
to it is played by the scripted user's own mind, so that the log is the same to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from supermarket_env.dialogue.acts import AssistantMessage, UserResponse
from supermarket_env.envs.decode import clear_message
from supermarket_env.envs.frames import ROW, framed
from supermarket_env.envs.game import Game, Read
from supermarket_env.envs.kernel import _MESSAGE, Kernel, RowCopier, copy_row
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.envs.seat import GameView
from supermarket_env.envs.spaces import ActionReader
from supermarket_env.envs.user_spaces import UserAnswer, n_actions, user_frame
from supermarket_env.envs.users import UserDoor
from supermarket_env.errors import MessageError
from supermarket_env.rules import codes
from supermarket_env.rules.place import left_on_shelf, shift_stock
from supermarket_env.rules.rows import OUTCOME_DTYPE, STATE_DTYPE, Outcome, State
from supermarket_env.rules.twins import Rules, direct
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


class SeatKernel(Kernel):
    """A kernel whose turn comes in two halves: ``hear`` the message, then ``finish`` with an answer."""

    def __init__(self, rules: Rules, tables: Tables, app_tables: Tables | None = None) -> None:
        self._fast: dict[str, Any] = {}
        if rules.compiled:
            self.thoughts = np.zeros(1, dtype=STATE_DTYPE)
            self.decided = np.zeros(1, dtype=OUTCOME_DTYPE)
            self._answers = np.zeros((1, ANSWER_SIZE), dtype=np.int64)
        super().__init__(rules, tables, app_tables)

    def _views(self) -> None:
        super()._views()
        self._fast = {}
        self._thought_parts = _ORDERS.parts(self.thoughts)
        self._decided_parts = _WHOLE_OUTCOME.parts(self.decided)
        self._thought_ints = self.thoughts.view(np.int64)
        self._decided_ints = self.decided.view(np.int64)
        self._outcome_ints = self.outcomes.view(np.int64)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_fast": {}}

    def copy(self) -> SeatKernel:
        """Return an independent copy between two turns."""
        base = super().copy()
        made = SeatKernel(self.rules, self.tables, self.app_tables)
        made.m, made.o, made._state = base.m, base.o, base._state
        made._stale, made._heard_stale = base._stale, True
        if self.rules.compiled:
            made.states[:], made.messages[:], made.outcomes[:] = base.states, base.messages, base.outcomes
        return made

    def _call(self, name: str, *arguments: Any) -> None:
        """Call a compiled entry point on one row, from the second time on without numba's look-up."""
        entry = self._fast.get(name)
        if entry is None:
            entry = getattr(self.rules, name)
            entry(self.tables, *arguments, 1)
            self._fast[name] = direct(entry)
        else:
            entry(self.tables, *arguments, 1)

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
        self._call("hear_turns", self.states, self.messages, self.outcomes)
        self._stale = self._heard_stale = True

    def propose(self) -> list[int]:
        """Return the row of the scripted user's answer to the message heard; nothing moves."""
        if not self.rules.compiled:
            t, v = copy_row(self._state), copy_row(self.o)
            self.rules.decide_turns(self.tables, [t], [self.m], [v], 1)
        else:
            self._copy_rows()
            self._call("decide_turns", self.thoughts, self.messages, self.decided)
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
        answers = self._answers
        if row is None:
            answers[0, 0] = LET_SCRIPTED
        else:
            answers[0] = row
            self._copy_rows()
        self._call("finish_turns", self.states, self.messages, self.outcomes, self.thoughts, self.decided, answers)
        became: int = answers.item(0)
        if became == BECAME_SCRIPTED:
            self._state_ints[:] = self._thought_ints
            self._outcome_ints[:] = self._decided_ints
        self._read_outcome()
        return became

    def _copy_rows(self) -> None:
        # As numbers: a copy of records field by field costs more than the turn.
        self._thought_ints[:] = self._state_ints
        self._decided_ints[:] = self._outcome_ints

    def look_around(self, rows: Any, masks: Any) -> None:
        """Fill the zeroed arrays ``rows`` (1, USER_ROW), float32, and ``masks`` (1, actions), int8, for the user."""
        if self.rules.compiled:
            self._call("look_around", self.states, self.messages, self.outcomes, rows, masks)
            return
        plain = [[0.0] * USER_ROW]
        self.rules.look_around(self.tables, [self._state], [self.m], [self.o], plain, masks, 1)
        rows[0] = plain[0]

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
        kernel, answer = self.seated.seats, self.answer
        self.text, self.faults, self.answer = None, [], None
        if answer is None and not self.heard:
            kernel.play()
            return
        if not self.heard:
            kernel.hear()
        self.heard = False
        if answer is None:
            kernel.finish(None)
            return
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
        """Return the features of the user's seat and ``mask_action``, its legal actions (new arrays)."""
        part = framed(self._user_frame, bytearray(self._user_frame.itemsize))
        mask = part["mask_action"]
        self.seats.look_around(part[ROW], mask[None])
        return {
            "needs": part["needs"],
            "items": part["items"],
            "choices": part["choices"],
            "message": part["message"],
            "mood": part["mood"],
            "persona": part["persona"],
            "trip": part["trip"],
            "choice_actions": part["numbers"].astype(np.int64),
            "mask_action": mask,
        }

    def others_moved(self, p: int, dq: int) -> None:
        """Note what another user took or brought back; it is logged where this user could have used it."""
        left = self.seats.shift(self.prepared.tables, p, dq)
        s = self.kernel.s
        wanted = any(s.status[i] == 0 and p in v.acceptable for i, v in enumerate(self.prepared.values))
        if wanted:
            name = self.narrator.product[p]
            self._emit({"k": "stock", "turn": self.turn, "sku": name, "left": left})
