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
from supermarket_env.envs.vector_trips import Begun
from supermarket_env.rules.rows import MESSAGE_DTYPE, OUTCOME_DTYPE, STATE_DTYPE, Message, Outcome, State
from supermarket_env.rules.twins import Rules, compiled, compiled_function, direct, plain
from supermarket_env.rules.world import Tables
from supermarket_env.tasks.prepare import Prepared

CHUNK = 128
"""Rows moved at once: few enough for their states to stay in the processor's cache until they were observed."""
Ints = NDArray[np.int64]


def _flat(records: Any) -> Ints:
    """Return records of 64-bit fields as a view of whole numbers, one row each."""
    return records.view(np.int64).reshape(len(records), -1)  # type: ignore[no-any-return]


def lay_out_trips(
    records: Any,
    at: Any,
    low: Any,
    high: Any,
    limits: Any,
    reads_acts: int,
    first: int,
    flat: Any,
    states: Any,
    n: int,
) -> None:
    """Lay out the states of ``n`` trips to begin, from the ``first`` on.

    Args:
        records: States as whole numbers, one a line.
        at: Line of each trip's state.
        low: First lane of each trip's luck.
        high: Second lane.
        limits: Turn limit of each trip.
        reads_acts: Whether the belief reads the user's acts.
        first: Number of the first trip.
        flat: The states to fill, as whole numbers.
        states: The same as records.
        n: How many.
    """
    for j in range(n):
        source = records[at[first + j]]
        target = flat[j]
        for k in range(len(target)):
            target[k] = source[k]
        s = states[j]
        s.seed_lo = low[first + j]
        s.seed_hi = high[first + j]
        s.max_turns = limits[first + j]
        s.reads_acts = reads_acts


def put_rows(states: Any, outcomes: Any, rows: Any, first: int, to_states: Any, to_outcomes: Any, n: int) -> None:
    """Copy ``n`` states and outcomes, as whole numbers, to the rows that ``rows`` names from the ``first`` on."""
    for j in range(n):
        k = rows[first + j]
        source = states[j]
        target = to_states[k]
        for c in range(len(target)):
            target[c] = source[c]
        source = outcomes[j]
        target = to_outcomes[k]
        for c in range(len(target)):
            target[c] = source[c]


HELPERS: dict[str, Any] = {"lay_out": lay_out_trips, "put": put_rows}


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
            self._views()
        else:
            self.messages = [Message() for _ in range(n)]
            self.states = [State() for _ in range(n)]
            self.outcomes = [Outcome() for _ in range(n)]
        self._called: dict[str, Any] = {}
        self._parts: dict[tuple[int, int], Any] = {}

    def _views(self) -> None:
        """See whole records as plain numbers, which copy faster."""
        self._flat_scratch, self._flat_fresh = _flat(self._scratch), _flat(self._fresh)
        self._flat_states, self._flat_outcomes = _flat(self.states), _flat(self.outcomes)

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if not name.startswith("_flat")}
        return {**kept, "rules": self.rules.compiled, "_called": {}, "_parts": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.rules = compiled() if state["rules"] else plain()
        if self.rules.compiled:
            self._views()

    def _run(self, name: str, *arguments: Any) -> None:
        """Call an entry point; from the second call on the machine code itself."""
        entry = self._called.get(name)
        if entry is not None:
            entry(*arguments)
            return
        helper = HELPERS.get(name)
        entry = compiled_function(helper) if helper else getattr(self.rules, name)
        entry(*arguments)
        self._called[name] = direct(entry)

    # --- moving -----------------------------------------------------------------------------------------------------

    def begin(self, rows: Ints, begun: Begun, lanes: tuple[Ints, Ints], reads_acts: int, end: int) -> None:
        """Start trips in these rows, one task and two lanes of luck each.

        With an ``end`` code above 0 the next turn passes them by; whoever wants that sets it back.
        """
        if not self.rules.compiled:
            for j, k in enumerate(rows.tolist()):
                s: Any = begun.trips[j].prepared.fresh_state()
                s.seed_lo, s.seed_hi = int(lanes[0][j]), int(lanes[1][j])
                s.max_turns, s.reads_acts = begun.trips[j].limit, reads_acts
                self.states[k] = s
                self.rules.begin_trips(self.tables, [s], [self.outcomes[k]], 1)
                s.end = end
            return
        scratch, fresh = self._scratch, self._fresh
        for first in range(0, len(rows), CHUNK):
            m = min(CHUNK, len(rows) - first)
            of_each = (*lanes, begun.limits, reads_acts, first)
            self._run("lay_out", begun.records, begun.at, *of_each, self._flat_scratch, scratch, m)
            self._run("begin_trips", self.tables, scratch, fresh, m)
            scratch["end"][:m] = end
            self._run(
                "put", self._flat_scratch, self._flat_fresh, rows, first, self._flat_states, self._flat_outcomes, m
            )

    def play(self, start: int, n: int) -> None:
        """Play one turn of ``n`` rows from ``start`` on with their messages; ended episodes stay as they are."""
        states, messages, outcomes = self.part(start, n)
        self._run("play_turns", self.tables, states, messages, outcomes, n)

    def part(self, start: int, n: int) -> tuple[Any, Any, Any]:
        """Return states, messages and outcomes of ``n`` rows from ``start`` on."""
        end = start + n
        if not self.rules.compiled:
            return self.states[start:end], self.messages[start:end], self.outcomes[start:end]
        found = self._parts.get((start, n))
        if found is None:
            found = self.states[start:end], self.messages[start:end], self.outcomes[start:end]
            if n == min(CHUNK, self.n - start):
                self._parts[start, n] = found
        return found

    def observe(self, states: Any, x: Any, seen: Any, other: Any, n: int) -> None:
        """Bring ``n`` observation rows up to date with these states; for the others see ``renew_rows``."""
        if self.rules.compiled:
            self._run("renew_rows", self.app_tables, states, x, seen, other, n)
            return
        rows = x.tolist()
        self.rules.renew_rows(self.app_tables, states, rows, seen, other, n)
        x[:] = rows

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

    def observe(self, rows: Any) -> None:
        """Fill ``rows``, a float32 array (1, OBSERVATION_SIZE), with the observation.

        It is made of a copy: the state notes what the batch's own observations have still to take in.
        """
        self.copy().observe(rows)
