"""One episode's rows and the rule book that moves them, plain or compiled behind one face.

Whatever the mode, after a turn ``o`` is a plain outcome row; the state ``s`` is a plain row too, refreshed on demand
when the compiled rules hold it as a record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supermarket_env.rules.rows import (
    MESSAGE_DTYPE,
    OUTCOME_DTYPE,
    STATE_DTYPE,
    Message,
    Outcome,
    PlainRow,
    State,
    to_record,
)
from supermarket_env.rules.twins import Rules
from supermarket_env.rules.world import Tables
from supermarket_env.tasks.prepare import Prepared
from supermarket_env.tasks.state import seed_lanes


class RowCopier:
    """Copies records of 64-bit fields to plain rows and back through one flat list (the fastest way from Python).

    The two functions are generated from the row's specification, field by field: loops over names with ``setattr``
    cost more than the turn itself.
    """

    def __init__(self, row_class: type[PlainRow]) -> None:
        reads, writes, at = [], [], 0
        for name, kind, length in row_class.spec:
            source = "i" if kind == "i" else "f"
            reads.append(
                f"    row.{name} = {source}[{at}:{at + length}]" if length else f"    row.{name} = {source}[{at}]"
            )
            writes.append(f"*row.{name}" if length else f"row.{name}")
            at += length or 1
        namespace: dict[str, Any] = {}
        exec("def read(i, f, row):\n" + "\n".join(reads), namespace)
        exec(f"def write(row):\n    return [{', '.join(writes)}]", namespace)
        self._read, self._write = namespace["read"], namespace["write"]
        self._has_floats = any(kind == "f" for _, kind, _ in row_class.spec)

    def read(self, ints: Any, floats: Any, row: Any) -> None:
        """Fill a plain row from the integer and float views of one record."""
        self._read(ints.tolist(), floats.tolist() if self._has_floats else None, row)

    def write(self, row: Any, ints: Any) -> None:
        """Fill the integer view of a record from a plain row without float fields."""
        ints[:] = self._write(row)


_STATE = RowCopier(State)
_MESSAGE = RowCopier(Message)
_OUTCOME = RowCopier(Outcome)


class Kernel:
    """Rows of one episode; ``m`` and ``o`` are plain rows, ``s`` the state."""

    def __init__(self, rules: Rules, tables: Tables) -> None:
        self.rules = rules
        self.tables = tables
        self.m: Any = Message()
        self.o: Any = Outcome()
        self._state: Any = State()
        self._stale = False
        if rules.compiled:
            self.states = np.zeros(1, dtype=STATE_DTYPE)
            self.messages = np.zeros(1, dtype=MESSAGE_DTYPE)
            self.outcomes = np.zeros(1, dtype=OUTCOME_DTYPE)
            self._views()

    def _views(self) -> None:
        self._state_ints = self.states.view(np.int64)
        self._state_floats = self.states.view(np.float64)
        self._message_ints = self.messages.view(np.int64)
        self._outcome_ints = self.outcomes.view(np.int64)
        self._outcome_floats = self.outcomes.view(np.float64)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["rules"] = self.rules.compiled
        return {k: v for k, v in state.items() if not (k.startswith("_") and k.endswith(("_ints", "_floats")))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from supermarket_env.rules.twins import compiled, plain

        self.__dict__.update(state)
        self.rules = compiled() if state["rules"] else plain()
        if self.rules.compiled:
            self._views()

    @property
    def s(self) -> Any:
        """The state as a plain row (a copy when the rules are compiled: do not write to it)."""
        if self._stale:
            _STATE.read(self._state_ints, self._state_floats, self._state)
            self._stale = False
        return self._state

    def begin(self, prepared: Prepared, *, seed: int, max_turns: int, reads_acts: int) -> None:
        """Start a trip of a prepared task with the luck of ``seed``."""
        start = {"max_turns": max_turns, "reads_acts": reads_acts}
        start["seed_lo"], start["seed_hi"] = seed_lanes(seed)
        if self.rules.compiled:
            self.states[0] = prepared.record[0]
            for name, value in start.items():
                self.states[name][0] = value
            self.rules.begin_trips(self.tables, self.states, self.outcomes, 1)
            self._read_outcome()
        else:
            self._state = prepared.fresh_state()
            for name, value in start.items():
                setattr(self._state, name, value)
            self.rules.begin_trips(self.tables, [self._state], [self.o], 1)

    def play(self) -> None:
        """Play one turn with the message in ``m``; the result is in ``o``."""
        if self.rules.compiled:
            _MESSAGE.write(self.m, self._message_ints)
            self.rules.play_turns(self.tables, self.states, self.messages, self.outcomes, 1)
            self._read_outcome()
        else:
            self.rules.play_turns(self.tables, [self._state], [self.m], [self.o], 1)

    def note(self, outcome: Any) -> None:
        """Let the belief take in an outcome that a parser made from words (text track)."""
        if self.rules.compiled:
            to_record(outcome, self.outcomes[0])
            self.rules.note_responses(self.tables, self.states, self.outcomes, 1)
            self._stale = True
        else:
            self.rules.note_responses(self.tables, [self._state], [outcome], 1)

    def _read_outcome(self) -> None:
        _OUTCOME.read(self._outcome_ints, self._outcome_floats, self.o)
        self._stale = True

    @property
    def node(self) -> int:
        """Where the user stands."""
        return int(self.states["node"][0]) if self.rules.compiled else self._state.node

    @property
    def end(self) -> int:
        """End code, 0 while running."""
        return int(self.states["end"][0]) if self.rules.compiled else self._state.end
