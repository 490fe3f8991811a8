"""The rows of many episodes at once, moved by the very entry points that move one.

Compiled, states, messages and outcomes are record arrays of N rows; plain, they are lists of N slotted rows. A
:class:`RowKernel` shows one of the rows to a :class:`~supermarket_env.envs.game.Game`, which then makes words, events
and log lines of it without moving it a second time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supermarket_env.envs.kernel import Kernel
from supermarket_env.envs.vector_trips import Trip
from supermarket_env.rules.observe import OBSERVATION_SIZE
from supermarket_env.rules.rows import MESSAGE_DTYPE, OUTCOME_DTYPE, STATE_DTYPE, Message, Outcome, State
from supermarket_env.rules.twins import Rules, compiled, direct, plain
from supermarket_env.rules.world import Tables
from supermarket_env.tasks.prepare import Prepared

CHUNK = 256
"""Rows moved at once: few enough for their states to stay in the processor's cache until they were observed."""
Ints = NDArray[np.int64]


def _flat(records: Any) -> Ints:
    """Return records of 64-bit fields as a view of whole numbers, one row each."""
    return records.view(np.int64).reshape(len(records), -1)  # type: ignore[no-any-return]


class Batch:
    """States, messages and outcomes of ``n`` episodes.

    Args:
        rules: Plain or compiled.
        tables: The world in the form these rules take.
        app_tables: The world as the assistant's map shows it: what observations are made of.
        n: Number of rows.
    """

    def __init__(self, rules: Rules, tables: Tables, app_tables: Tables, n: int) -> None:
        self.rules = rules
        self.tables = tables
        self.app_tables = app_tables
        self.n = n
        if rules.compiled:
            self.messages: Any = np.zeros(n, dtype=MESSAGE_DTYPE)
            self.states: Any = np.zeros(n, dtype=STATE_DTYPE)
            self.outcomes: Any = np.zeros(n, dtype=OUTCOME_DTYPE)
            self._scratch = np.zeros(min(n, CHUNK), dtype=STATE_DTYPE)
            self._fresh = np.zeros(min(n, CHUNK), dtype=OUTCOME_DTYPE)
        else:
            self.messages = [Message() for _ in range(n)]
            self.states = [State() for _ in range(n)]
            self.outcomes = [Outcome() for _ in range(n)]
        self._called: dict[str, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rules": self.rules.compiled, "_called": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.rules = compiled() if state["rules"] else plain()

    def _run(self, name: str, *arguments: Any) -> None:
        """Call an entry point; from the second call on the machine code itself."""
        entry = self._called.get(name)
        if entry is not None:
            entry(*arguments)
            return
        entry = getattr(self.rules, name)
        entry(*arguments)
        self._called[name] = direct(entry)

    # --- moving -----------------------------------------------------------------------------------------------------

    def begin(self, rows: Ints, trips: list[Trip], lanes: tuple[Ints, Ints], limits: Ints, reads_acts: int) -> None:
        """Start trips in these rows: one task, two lanes of luck and one turn limit each."""
        if not self.rules.compiled:
            for j, k in enumerate(rows.tolist()):
                s: Any = trips[j].prepared.fresh_state()
                s.seed_lo, s.seed_hi = int(lanes[0][j]), int(lanes[1][j])
                s.max_turns, s.reads_acts = int(limits[j]), reads_acts
                self.states[k] = s
                self.rules.begin_trips(self.tables, [s], [self.outcomes[k]], 1)
            return
        scratch, fresh = self._scratch, self._fresh
        flat, flat_fresh = _flat(scratch), _flat(fresh)  # whole records copy faster as plain numbers
        states, outcomes = _flat(self.states), _flat(self.outcomes)
        for first in range(0, len(rows), CHUNK):
            some = slice(first, first + CHUNK)
            here = rows[some]
            m = len(here)
            np.stack([trip.record for trip in trips[some]], out=flat[:m])
            scratch["seed_lo"][:m] = lanes[0][some]
            scratch["seed_hi"][:m] = lanes[1][some]
            scratch["max_turns"][:m] = limits[some]
            scratch["reads_acts"][:m] = reads_acts
            self._run("begin_trips", self.tables, scratch, fresh, m)
            states[here] = flat[:m]
            outcomes[here] = flat_fresh[:m]

    def play(self, start: int, n: int) -> None:
        """Play one turn of ``n`` rows from ``start`` on with their messages; ended episodes stay as they are."""
        end = start + n
        states, messages, outcomes = self.states[start:end], self.messages[start:end], self.outcomes[start:end]
        self._run("play_turns", self.tables, states, messages, outcomes, n)

    def observe(self, x: NDArray[np.float32], start: int, n: int) -> None:
        """Fill the observation rows ``x`` (N, OBSERVATION_SIZE) of ``n`` rows from ``start`` on."""
        end = start + n
        if self.rules.compiled:
            self._run("observe_rows", self.app_tables, self.states[start:end], x[start:end], n)
            return
        rows = [[0.0] * OBSERVATION_SIZE for _ in range(n)]
        self.rules.observe_rows(self.app_tables, self.states[start:end], rows, n)
        x[start:end] = rows

    def hold(self, rows: Ints, end: int) -> None:
        """Set the end code of these rows: with one above 0 the next turn passes them by."""
        if self.rules.compiled:
            self.states["end"][rows] = end
            return
        for k in rows.tolist():
            self.states[k].end = end

    # --- reading ----------------------------------------------------------------------------------------------------

    def state(self, name: str) -> Ints:
        """Return one whole-number field of all states, (n,); to be read at once: the next turn may change it."""
        if self.rules.compiled:
            return self.states[name]  # type: ignore[no-any-return]
        return np.array([getattr(s, name) for s in self.states], dtype=np.int64)

    def outcome(self, name: str) -> Ints:
        """Return one whole-number field of all outcomes, (n,)."""
        if self.rules.compiled:
            return self.outcomes[name]  # type: ignore[no-any-return]
        return np.array([getattr(o, name) for o in self.outcomes], dtype=np.int64)

    def carts(self, rows: Ints) -> list[dict[int, int]]:
        """Return the carts of these rows: quantities by product number, in order of first add."""
        if self.rules.compiled:
            sizes = self.states["n_cart"][rows].tolist()
            products, amounts = self.states["cart_p"][rows].tolist(), self.states["cart_q"][rows].tolist()
        else:
            states = [self.states[k] for k in rows.tolist()]
            sizes = [s.n_cart for s in states]
            products, amounts = [s.cart_p for s in states], [s.cart_q for s in states]
        return [dict(zip(p[:size], q[:size], strict=True)) for size, p, q in zip(sizes, products, amounts, strict=True)]


class RowKernel(Kernel):
    """One row of a batch as a game sees it: the batch moves it, the game only reads what came of it."""

    def __init__(self, batch: Batch, row: int) -> None:
        super().__init__(batch.rules, batch.tables, batch.app_tables)
        self.batch = batch
        self.row = row
        self._bind()

    def _bind(self) -> None:
        if self.rules.compiled:
            here = slice(self.row, self.row + 1)
            self.states = self.batch.states[here]
            self.messages = self.batch.messages[here]
            self.outcomes = self.batch.outcomes[here]
            self._views()
        else:
            self._take()

    def __getstate__(self) -> dict[str, Any]:
        shared = ("states", "messages", "outcomes", "_state_parts")
        return {name: value for name, value in super().__getstate__().items() if name not in shared}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.rules = self.batch.rules
        self._bind()

    def _take(self) -> None:
        """Take the plain rows that the batch has now."""
        self._state, self.o = self.batch.states[self.row], self.batch.outcomes[self.row]

    def begin(self, prepared: Prepared, lanes: tuple[int, int], *, max_turns: int, reads_acts: int) -> None:
        """Read what came of the start; the batch has begun the trip."""
        self.play()

    def play(self) -> None:
        """Read what came of the turn; the batch has played it."""
        if self.rules.compiled:
            self._read_outcome()
        else:
            self._take()
