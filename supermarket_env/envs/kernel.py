"""One episode's rows and the rule book that moves them, plain or compiled behind one face.

Whatever the mode, after a turn ``o`` is a plain outcome row; the state ``s`` is a plain row too, refreshed on demand
when the compiled rules hold it as a record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supermarket_env.rules.observe import OBSERVATION_SIZE
from supermarket_env.rules.renew import SEEN
from supermarket_env.rules.rows import (
    KINDS,
    MESSAGE_DTYPE,
    OUTCOME_DTYPE,
    STATE_DTYPE,
    Message,
    Outcome,
    PlainRow,
    State,
    record_dtype,
    to_record,
)
from supermarket_env.rules.twins import Rules, direct
from supermarket_env.rules.world import Tables
from supermarket_env.tasks.prepare import Prepared

UNPACKED = 4
"""Longest list of a row that is read one variable an entry."""


class RowCopier:
    """Copies a record to a plain row and back through flat lists (the fastest way from Python).

    The functions are generated from the row's specification, field by field: loops over names with ``setattr`` cost
    more than the turn itself.

    Args:
        row_class: The plain row.
        only: Names of the fields to read; ``None`` reads all of them.
    """

    def __init__(self, row_class: type[PlainRow], only: frozenset[str] | None = None) -> None:
        dtype: Any = record_dtype(row_class.spec)
        places = [
            (name, kind, dtype.fields[name][1] // np.dtype(KINDS[kind]).itemsize, length or 1, length)
            for name, kind, length in row_class.spec
            if only is None or name in only
        ]
        self._spans = {kind: span for kind in KINDS if (span := _span([p for p in places if p[1] == kind])) is not None}
        reads = [line for kind in self._spans for line in _reading(kind, [p for p in places if p[1] == kind])]
        writes = [f"*row.{name}" if length else f"row.{name}" for name, _, length in row_class.spec]
        namespace: dict[str, Any] = {}
        kinds = f"{', '.join(self._spans)},"
        lists = "; ".join(f"{kind} = {kind}.tolist()" for kind in self._spans)
        exec(f"def read(parts, row):\n    {kinds} = parts\n    {lists}\n" + "\n".join(reads), namespace)
        exec(f"def flat(row):\n    return [{', '.join(writes)}]", namespace)
        self.read: Callable[[tuple[Any, ...], Any], None] = namespace["read"]
        """Fill a plain row (second) from the views of one record (``parts``)."""
        self.flat: Callable[[Any], list[Any]] = namespace["flat"]
        """Return all values of a row as one list, in the order of its specification."""

    def parts(self, records: Any) -> tuple[Any, ...]:
        """Return the views of an array of one record that ``read`` takes: one of each kind of number."""
        return tuple(records.view(KINDS[kind])[span] for kind, span in self._spans.items())


def _span(places: list[Any]) -> slice | None:
    """Return the part of a flat record from the first to the last of these fields; None without any."""
    if not places:
        return None
    return slice(min(first for _, _, first, _, _ in places), max(first + width for _, _, first, width, _ in places))


def _reading(kind: str, places: list[Any]) -> list[str]:
    """Return the lines that put the list ``kind``, the span of these fields, into the fields of ``row``.

    A list without gaps and long parts is unpacked in one go, which is twice as fast as one element after another.
    """
    start = min(first for _, _, first, _, _ in places)
    end = max(first + width for _, _, first, width, _ in places)
    if sum(width for *_, width, _ in places) < end - start or max(width for *_, width, _ in places) > UNPACKED:
        return [
            f"    row.{name} = {kind}[{first - start}{f':{first - start + width}' if length else ''}]"
            for name, _, first, width, length in places
        ]
    targets, lists = [], []
    for name, _, _, width, length in sorted(places, key=lambda place: int(place[2])):
        parts = [f"{name}_{k}" for k in range(width)] if length else [f"row.{name}"]
        targets += parts
        if length:
            lists.append(f"    row.{name} = [{', '.join(parts)}]")
    return [f"    {', '.join(targets)}, = {kind}", *lists]


def _place(name: str) -> int:
    """Return where a field of the state stands in the flat record."""
    fields: Any = STATE_DTYPE.fields
    return int(fields[name][1]) // 8


_HEARD = frozenset(name for name, _, _ in State.spec if name.startswith("h_"))
_STATE = RowCopier(State)
_BELIEF = RowCopier(State, _HEARD)
_CART = RowCopier(State, frozenset({"n_cart", "cart_p", "cart_q"}))
_MESSAGE = RowCopier(Message)
_FACTS = RowCopier(Outcome, frozenset(name for name, _, _ in Outcome.spec if name.startswith("fact_")))
_OUTCOME = RowCopier(Outcome, frozenset(name for name, _, _ in Outcome.spec if not name.startswith("fact_")))
_NODE, _END, _WALKED = _place("node"), _place("end"), _place("walked")
_STARTED = ("seed_lo", "seed_hi", "max_turns", "reads_acts")
_STARTS = np.array([_place(name) for name in _STARTED])


def copy_row(row: Any) -> Any:
    """Return an independent copy of a plain row."""
    made: Any = object.__new__(type(row))
    for name, _, length in row.spec:
        value = getattr(row, name)
        setattr(made, name, list(value) if length else value)
    return made


class Kernel:
    """Rows of one episode; ``m`` and ``o`` are plain rows, ``s`` the state."""

    # Made by ``_views`` with compiled rules only: the state as numbers, and the machine code behind the entry points
    # once they were called.
    _state_ints: Any = None
    _begin: Any = None
    _play: Any = None
    _observe: Any = None

    def __init__(self, rules: Rules, tables: Tables, app_tables: Tables | None = None) -> None:
        self.rules = rules
        self.tables = tables
        self.app_tables = tables if app_tables is None else app_tables
        """The world as the assistant's map shows it: what its observation is made of."""
        self.m: Any = Message()
        self.o: Any = Outcome()
        self._state: Any = State()
        self._heard: Any = State()
        self._stale = False
        self._heard_stale = False
        if rules.compiled:
            self.states = np.zeros(1, dtype=STATE_DTYPE)
            self.messages = np.zeros(1, dtype=MESSAGE_DTYPE)
            self.outcomes = np.zeros(1, dtype=OUTCOME_DTYPE)
            self._views()

    def _views(self) -> None:
        self._state_parts = _STATE.parts(self.states)
        self._belief_parts = _BELIEF.parts(self.states)
        self._cart_parts = _CART.parts(self.states)
        self._outcome_parts = _OUTCOME.parts(self.outcomes)
        self._facts_parts = _FACTS.parts(self.outcomes)
        self._state_ints = self.states.view(np.int64)
        self._state_floats = self.states.view(np.float64)
        self._message_ints = self.messages.view(np.int64)
        self._sent: list[int] = []
        self._begin = self._play = self._observe = None
        self._held = np.zeros((1, SEEN), dtype=np.int16)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["rules"] = self.rules.compiled
        made_anew = ("_ints", "_floats", "_parts", "_begin", "_play", "_observe", "_sent")
        return {k: v for k, v in state.items() if not (k.startswith("_") and k.endswith(made_anew))}

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
            _STATE.read(self._state_parts, self._state)
            self._stale = False
        return self._state

    @property
    def heard(self) -> Any:
        """What the assistant may know of the state, as a plain row: the ``h_`` fields and the cart, nothing else."""
        if not self.rules.compiled:
            return self._state
        if self._heard_stale:
            _BELIEF.read(self._belief_parts, self._heard)
            _CART.read(self._cart_parts, self._heard)
            self._heard_stale = False
        return self._heard

    def begin(self, prepared: Prepared, lanes: tuple[int, int], *, max_turns: int, reads_acts: int) -> None:
        """Start a trip of a prepared task with the luck of the seed that ``seed_lanes`` made these lanes of."""
        if self.rules.compiled:
            self._state_ints[:] = prepared.record_ints
            self._state_ints[_STARTS] = (*lanes, max_turns, reads_acts)
            if self._begin is None:
                self.rules.begin_trips(self.tables, self.states, self.outcomes, 1)
                self._begin = direct(self.rules.begin_trips)
            else:
                self._begin(self.tables, self.states, self.outcomes, 1)
            self._read_outcome()
        else:
            self._state = prepared.fresh_state()
            for name, value in zip(_STARTED, (*lanes, max_turns, reads_acts), strict=True):
                setattr(self._state, name, value)
            self.rules.begin_trips(self.tables, [self._state], [self.o], 1)

    def play(self) -> None:
        """Play one turn with the message in ``m``; the result is in ``o``."""
        if not self.rules.compiled:
            self.rules.play_turns(self.tables, [self._state], [self.m], [self.o], 1)
            return
        message = _MESSAGE.flat(self.m)
        if message != self._sent:
            self._message_ints[:] = message
            self._sent = message
        if self._play is not None:
            self._play(self.tables, self.states, self.messages, self.outcomes, 1)
        else:
            self.rules.play_turns(self.tables, self.states, self.messages, self.outcomes, 1)
            self._play = direct(self.rules.play_turns)
        self._read_outcome()

    def copy(self) -> Kernel:
        """Return an independent copy with the same rules and tables."""
        made = Kernel(self.rules, self.tables, self.app_tables)
        made.m, made.o = copy_row(self.m), copy_row(self.o)
        made._state = copy_row(self._state)
        made._stale, made._heard_stale = self._stale, True
        if self.rules.compiled:
            made.states[:] = self.states
            made.messages[:] = self.messages
            made.outcomes[:] = self.outcomes
        return made

    def take_over(self, state: Any, outcome: Any) -> None:
        """Go on with another state and outcome row (plain rules only)."""
        self._state = state
        self.o = outcome

    def note(self, outcome: Any) -> None:
        """Let the belief take in an outcome that a parser made from words (text track)."""
        if self.rules.compiled:
            to_record(outcome, self.outcomes[0])
            self.rules.note_responses(self.tables, self.states, self.outcomes, 1)
            self._stale = self._heard_stale = True
        else:
            self.rules.note_responses(self.tables, [self._state], [outcome], 1)

    def observation(self) -> NDArray[np.float32]:
        """Return the flat observation row (OBSERVATION_SIZE,), a new array."""
        rows = np.empty((1, OBSERVATION_SIZE), dtype=np.float32)
        self.observe(rows)
        flat: NDArray[np.float32] = rows[0]
        return flat

    def observe(self, rows: Any) -> None:
        """Fill ``rows``, a float32 array (1, OBSERVATION_SIZE), with the observation."""
        if self.rules.compiled:  # the entry that batches use: to compile one is enough
            held = self._held
            held[0, 0] = -1  # ``rows`` holds nothing yet
            if self._observe is not None:
                self._observe(self.app_tables, self.states, rows, held, held, 1)
                return
            self.rules.renew_rows(self.app_tables, self.states, rows, held, held, 1)
            self._observe = direct(self.rules.renew_rows)
        else:
            plain_rows = [[0.0] * OBSERVATION_SIZE]
            self.rules.observe_rows(self.app_tables, [self._state], plain_rows, 1)
            rows[0] = plain_rows[0]

    def _read_outcome(self) -> None:
        o = self.o
        _OUTCOME.read(self._outcome_parts, o)
        if o.n_facts:
            _FACTS.read(self._facts_parts, o)
        self._stale = self._heard_stale = True

    @property
    def node(self) -> int:
        """Where the user stands."""
        ints = self._state_ints
        return self._state.node if ints is None else ints.item(_NODE)  # type: ignore[no-any-return]

    @property
    def end(self) -> int:
        """End code, 0 while running."""
        ints = self._state_ints
        return self._state.end if ints is None else ints.item(_END)  # type: ignore[no-any-return]

    @property
    def walked(self) -> float:
        """Metres walked so far."""
        if self.rules.compiled:
            return self._state_floats.item(_WALKED)
        return self._state.walked  # type: ignore[no-any-return]
