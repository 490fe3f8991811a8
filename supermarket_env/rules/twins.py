"""The rule book twice: the plain functions as they are, or compiled by numba, from the same source.

``plain()`` and ``compiled()`` return the same entry points. Compilation happens on first use only, so the rules import
without numba and both versions live side by side in one process (the parity test relies on it). Only the entry points
are cached on disk; the hash of all rule sources is part of their cache key, because numba alone would not notice a
change in another file.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from supermarket_env.rules.linking import can_link_once, link_once

MODULES = (
    "supermarket_env.rules.draws",
    "supermarket_env.rules.utility",
    "supermarket_env.rules.place",
    "supermarket_env.rules.shifts",
    "supermarket_env.rules.belief",
    "supermarket_env.rules.observe",
    "supermarket_env.rules.user_view",
    "supermarket_env.rules.judge",
    "supermarket_env.user_sim.mind_hear",
    "supermarket_env.user_sim.mind_tell",
    "supermarket_env.user_sim.mind_list",
    "supermarket_env.user_sim.mind_talk",
    "supermarket_env.user_sim.mind_act",
    "supermarket_env.user_sim.mind_world",
    "supermarket_env.user_sim.turn",
    "supermarket_env.user_sim.mind_seat",
)
"""Every module of the rule book, callees first."""
BESIDE = ("supermarket_env.rules.renew",)
"""Modules compiled with the rule book that are no part of it: they say nothing that it does not."""
CODES = ("supermarket_env.rules.codes", "supermarket_env.rules.rows", "supermarket_env.rules.world")


class Rules(NamedTuple):
    """The entry points of the rule book, and whether they are compiled."""

    begin_trips: Callable[..., None]
    play_turns: Callable[..., None]
    note_responses: Callable[..., None]
    observe_rows: Callable[..., None]
    renew_rows: Callable[..., None]
    hear_turns: Callable[..., None]
    decide_turns: Callable[..., None]
    finish_turns: Callable[..., None]
    look_around: Callable[..., None]
    compiled: bool


ENTRIES = {
    "begin_trips": "supermarket_env.user_sim.turn",
    "play_turns": "supermarket_env.user_sim.turn",
    "note_responses": "supermarket_env.rules.belief",
    "observe_rows": "supermarket_env.rules.observe",
    "renew_rows": "supermarket_env.rules.renew",
    "hear_turns": "supermarket_env.user_sim.mind_seat",
    "decide_turns": "supermarket_env.user_sim.mind_seat",
    "finish_turns": "supermarket_env.user_sim.mind_seat",
    "look_around": "supermarket_env.rules.user_view",
}


def numba_available() -> bool:
    """Return whether compiled rules can be made: numba is installed and not switched off (NUMBA_DISABLE_JIT)."""
    return importlib.util.find_spec("numba") is not None and os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


@cache
def plain() -> Rules:
    """Return the rule book as ordinary Python."""
    entries = {name: getattr(importlib.import_module(module), name) for name, module in ENTRIES.items()}
    return Rules(compiled=False, **entries)


@cache
def source_hash() -> str:
    """Return the SHA-256 of all rule sources: the identity of the rule book."""
    return _hash_of(CODES + MODULES)


def _hash_of(modules: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for name in modules:
        digest.update(inspect.getsource(importlib.import_module(name)).encode())
    return digest.hexdigest()


def _own_functions(module: ModuleType) -> list[FunctionType]:
    return [f for f in vars(module).values() if isinstance(f, FunctionType) and f.__module__ == module.__name__]


INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "no_rewrites": True}
"""Options of the functions that only compiled code calls: no entry from Python is built for them (compile time)."""


def _jit_options(numba: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return options for entry points and for the functions behind them, those this numba knows.

    ``_nrt`` switches reference counting off: several times faster, same bits.
    """

    def probe(x: int) -> int:
        return x + 1

    def probe_entry(x: int) -> int:
        return called(x)  # type: ignore[no-any-return]

    for entry, inner in (({"_nrt": False}, {"_nrt": False, **INNER}), ({}, INNER)):
        try:
            called = numba.njit(**inner)(probe)
            numba.njit(**entry)(probe_entry)(1)
        except Exception:  # private options: any failure means "not in this numba"
            continue
        return entry, inner
    return {}, {}


def _single(numba: Any, dispatcher: Any) -> Any:
    """Let a function that is called with constants be compiled once for integers, not once for every constant.

    numba takes a call like ``uniform(s, 3, i, 0)`` for a type of its own; half of the compile time went there. Integers
    of all widths count as one type, too.
    """
    plain_template = getattr(dispatcher, "get_call_template", None)
    if plain_template is None:
        return dispatcher
    types = numba.types

    def unliteral(a: Any) -> Any:
        a = types.unliteral(a)
        return types.int64 if isinstance(a, types.Integer) and a.bitwidth < 64 else a

    def get_call_template(args: Any, kws: Any) -> Any:
        return plain_template(tuple(unliteral(a) for a in args), {name: unliteral(a) for name, a in kws.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher


def _callee(*arguments: Any) -> None:
    """Stand in for the rule behind an entry point: each entry has a namespace of its own that holds the real one."""


def _entry(function: Any, source: str) -> Any:
    """Wrap an entry point so that the hash of all sources is a free variable, and so part of numba's cache key.

    The rule itself must be a global and no free variable: a compiled function is pickled with a number of its own in
    every process, and no cache would ever be hit.
    """
    n_arguments = function.__code__.co_argcount
    if n_arguments == 8:

        def run(w, a, b, c, d, e, f, n):  # type: ignore[no-untyped-def]
            source  # noqa: B018 - read so that it becomes a closure cell
            _callee(w, a, b, c, d, e, f, n)

    elif n_arguments == 7:

        def run(w, a, b, c, d, e, n):  # type: ignore[no-untyped-def,misc]
            source  # noqa: B018
            _callee(w, a, b, c, d, e, n)

    elif n_arguments == 6:

        def run(w, a, b, c, d, n):  # type: ignore[no-untyped-def,misc]
            source  # noqa: B018
            _callee(w, a, b, c, d, n)

    elif n_arguments == 5:

        def run(w, a, b, c, n):  # type: ignore[no-untyped-def,misc]
            source  # noqa: B018
            _callee(w, a, b, c, n)

    else:

        def run(w, a, b, n):  # type: ignore[no-untyped-def,misc]
            source  # noqa: B018
            _callee(w, a, b, n)

    namespace = {"_callee": function, "__name__": __name__, "__builtins__": __builtins__}
    return FunctionType(run.__code__, namespace, run.__name__, None, run.__closure__)


@cache
def compiled() -> Rules:
    """Return the rule book compiled by numba.

    Raises:
        ImportError: when numba is not installed.
    """
    import numba

    options, inner = _jit_options(numba)
    made: dict[FunctionType, Any] = {}
    for name in MODULES + BESIDE:
        module = importlib.import_module(name)
        namespace = dict(vars(module))
        for key, value in vars(module).items():
            if isinstance(value, FunctionType) and value in made:
                namespace[key] = made[value]
        for function in _own_functions(module):
            twin = FunctionType(
                function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
            )
            namespace[function.__name__] = made[function] = _single(numba, numba.njit(**inner)(twin))
    source, beside = source_hash(), _hash_of(CODES + MODULES + BESIDE)
    entries = {}
    for name, function in plain()._asdict().items():
        if name == "compiled":
            continue
        wrapped = _entry(made[function], beside if ENTRIES[name] in BESIDE else source)
        root = wrapped.__name__ = wrapped.__qualname__ = f"{name}_entry"
        try:
            entry = numba.njit(cache=True, **options)(wrapped)
        except RuntimeError:  # no place for a cache (read-only install, no home): compile without one
            entry = numba.njit(**options)(wrapped)
        entries[name] = link_once(entry, root) if can_link_once(numba) else entry
    return Rules(compiled=True, **entries)


@cache
def compiled_function(function: FunctionType) -> Callable[..., None]:
    """Return a function that calls no other one, compiled (bookkeeping of the doors, no part of the rule book).

    Raises:
        ImportError: when numba is not installed.
    """
    import numba

    options, _ = _jit_options(numba)
    try:
        return numba.njit(cache=True, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # no place for a cache
        return numba.njit(**options)(function)  # type: ignore[no-any-return]


def direct(entry: Callable[..., None]) -> Callable[..., None]:
    """Return the machine code behind a compiled entry point, without numba's look-up of the argument types.

    Only for arguments of exactly the types of its first call, which is what one kernel passes turn after turn: nothing
    is checked. The entry point itself comes back while it was not called yet, and where numba keeps no such thing.
    """
    overloads = getattr(entry, "overloads", None)
    if overloads is None or len(overloads) != 1:
        return entry
    return getattr(next(iter(overloads.values())), "entry_point", None) or entry


def rules(mode: str = "auto") -> Rules:
    """Return the rule book: ``auto`` (compiled when numba is there), ``compiled`` or ``plain``."""
    if mode == "plain" or (mode == "auto" and not numba_available()):
        return plain()
    return compiled()
